"""How long she takes to appear: from the start of a process to the first picture of her after a tick."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import Figure, best, entry

_RUNS = 3

_APPEAR = """
from kinesics.engine_plugin.cli.first import compile_first
compile_first()
from kinesics.components.pose import Pose
from kinesics.engine_plugin.strips import render_strip
from kinesics.systems import headless
from kinesics.systems.schedule import TICK
world = headless.world()
world.step(TICK)
render_strip(world.avatar.body, [world.get(world.avatar.entity, Pose)], None, "her.png")
"""
_LIBRARIES = "import numpy, numba, panda3d.core, soundfile, soxr, PIL.Image"


def figures() -> list[Figure]:
    """Return start.warm_s and start.first_ever_s, beside what importing the libraries alone takes."""
    with tempfile.TemporaryDirectory() as cache:
        first = _seconds(_APPEAR, cache)
        warm = best(lambda: _seconds(_APPEAR, cache), _RUNS)
        libraries = best(lambda: _seconds(_LIBRARIES, cache), _RUNS)
    return [
        entry("start.warm_s", warm, "s", goal=3.0, reference=("importing the libraries", libraries)),
        entry("start.first_ever_s", first, "s", goal=15.0, reference=("importing the libraries", libraries)),
    ]


def _seconds(code: str, cache: str) -> float:
    root = str(Path(sys.modules[__name__.partition(".")[0]].__file__ or "").parents[1])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"NUMBA_CACHE_DIR": cache, "PYTHONPATH": path}
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=cache, env=environment, check=True, capture_output=True)
    return time.perf_counter() - began
