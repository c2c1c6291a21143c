"""What the rule does to every motion it is tried on: depth, added jerk and displacement, beside the growth rule.

python -m kinesics.engine_plugin.bench.rule > table: the whole table as it stands in docs/collision.md.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ...components import gltf
from ...components.errors import KinesicsError
from ...systems import headless
from ...systems.collide.body import fitted
from ...systems.retarget import measure
from . import entry

TAKE = "KINESICS_TAKE"  # names a recorded talker (SMPL-X npz), for the two rows of one: none is shipped
OTHERS = ("heavy", "small")  # of systems/avatar/offline/bodies.py
FEW = (3, 11)  # fixed seeds on the other bodies
FRESH = 2  # seeds a body that nobody has seen
SKIN = ("idle", "take", "take gain 1", "performer gain 1", "stress 11")  # motions that triangles are asked about
ON_SKIN = 4.0  # mm, p99 of what is no talk that she is shown with; idle and the take are held to 0
# depth p99 mm, added jerk p99 mm/frame^3, displacement in that of the optimum: MOTION, N = 0; stress is reported only
GOALS = {"idle": (0.5, 0.3, 1.3), "take": (1.0, 2.0, 1.3), "take gain 1": (1.0, 2.0, 1.3)}


def figures() -> Iterator[dict[str, Any]]:
    """Return rule.<body>.<motion>.depth_p99_mm, .depth_max_mm, .jerk_p99 and .moved_x, the growth rule as reference."""
    table, skins = _table(lambda text: print(text, file=sys.stderr), ("default",), FEW, 1200)
    if not table:
        yield {"name": "rule", "skipped": "scipy is not installed: pip install 'kinesics[corpus]'"}
        return
    for row in skins:
        goal = 0.0 if row.motion in GOALS else ON_SKIN
        name = f"rule.{row.body}.{row.motion.replace(' ', '_')}.skin_p99_mm"
        yield entry(name, row.after[2], "mm", goal=goal, reference=("off", row.before[2]))
    for first in table:
        if first.method != "projection":
            continue
        off, growth = (
            next(r for r in table if (r.body, r.motion, r.method) == (first.body, first.motion, method))
            for method in ("off", "growth")
        )
        name = f"rule.{first.body}.{first.motion.replace(' ', '_')}"
        deep, jerk, times = GOALS.get(first.motion, (None, None, None))
        yield entry(f"{name}.raw_p99_mm", off.figures.depth[2], "mm")
        for part, unit, goal, pick in (
            ("depth_p99_mm", "mm", deep, lambda r: r.figures.depth[2]),
            ("depth_max_mm", "mm", None, lambda r: r.figures.depth[3]),
            ("jerk_p99", "mm/frame^3", jerk, lambda r: r.figures.jerk[1]),
            ("moved_x", "x", times, lambda r: r.times),
        ):
            yield entry(f"{name}.{part}", pick(first), unit, goal=goal, reference=("growth", pick(growth)))


def _table(
    say: Any, bodies: tuple[str, ...] = ("default", *OTHERS), seeds: tuple[int, ...] = (), frames: int = 3600
) -> tuple[list[Any], list[Any]]:
    """Return the rows of the table and those on her skin; none where scipy is not installed.

    seeds: fixed ones of stress; all of them on the first body and FEW on the others by default
    frames: of idle and stress
    """
    if find_spec("scipy") is None:
        return [], []
    from ...systems.avatar.handle import hear
    from ...systems.collide.offline.figure import Figure
    from ...systems.collide.offline.motions import fresh
    from ...systems.collide.offline.table import FIXED, on_skin, rows, trials
    from ...systems.voice.files import read_audio

    pcm, rate = read_audio(headless.HELLO)
    speech = hear((np.tile(pcm, 4), rate), (), "")
    out: list[Any] = []
    skins: list[Any] = []
    for name in bodies:
        try:
            body = gltf.read(_file(name))
        except KinesicsError as cause:
            say(f"{name} left out: {cause}")
            continue
        found = fitted(body, measure(body.rig))
        if found.capsules is None:
            say(f"{name} left out: {found.fault}")
            continue
        new = fresh(FRESH)
        say(f"{name}: fresh seeds {new}")
        made = Figure(name, body.rig, found.anatomy, found.capsules)
        take = Path(os.environ[TAKE]) if os.environ.get(TAKE) else None
        if take is None:
            say(f"no recorded talker in ${TAKE}: the rows of one are left out")
        fixed = seeds or (FIXED if name == bodies[0] else FEW)
        motions = trials(made, take=take, speech=speech, seeds=fixed, fresh=new, frames=frames)
        out += rows(made, motions, say=say)
        say(f"{name}: skin")
        shown = {kind: motion for kind, motion in motions.items() if kind in SKIN and isinstance(motion, np.ndarray)}
        skins += on_skin(made, body, shown)
    return out, skins


def _file(name: str) -> Path:
    if name == "default":
        return headless.AVATAR
    from ...systems.avatar.offline.bodies import bodies

    return bodies(name)[name]


def main() -> None:
    """Print the whole table."""
    from ...systems.collide.offline.table import markdown, skin_markdown

    table, skins = _table(lambda text: print(text, file=sys.stderr, flush=True))
    print(markdown(table), skin_markdown(skins), sep="\n\n")


if __name__ == "__main__":
    main()
