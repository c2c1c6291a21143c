"""Which kernels a run calls, and with which arrays: what systems/kernels/warm.py compiles ahead.

python -m kinesics.engine_plugin.bench.signatures > list, then move `list` to systems/kernels/signatures.txt
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from ...components.pose import Pose
from ...systems import headless
from ...systems.kernels import warm
from ...systems.schedule import TICK

_HEAD = "# What warm.py compiles ahead. Written by: python -m kinesics.engine_plugin.bench.signatures"
_TICKS = 900  # she says the bundled sentence and is silent long enough to let her arms down


def collect() -> list[str]:
    """Return the lines of the list: she is drawn, says a sentence and falls silent."""
    from ..strips import render_strip

    world = headless.world()
    world.avatar.say(headless.HELLO)
    for _ in range(_TICKS):
        world.step(TICK)
    with tempfile.TemporaryDirectory() as folder:
        render_strip(world.avatar.body, [world.get(world.avatar.entity, Pose)], None, Path(folder) / "her.png")
    return warm.seen()


if __name__ == "__main__":
    if sys.argv[1:] != ["--compiled"]:
        collect()  # what is compiled here drags in the kernels it calls; from the cache it does not
        sys.exit(subprocess.run([sys.executable, "-m", __spec__.name, "--compiled"], check=False).returncode)
    print(_HEAD, *collect(), sep="\n")
