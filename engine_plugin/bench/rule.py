"""What the rule does to every motion it is tried on: depth, added jerk and displacement, beside the growth rule.

python -m kinesics.engine_plugin.bench.rule > table.md: the whole table as it stands in docs/collision.md.
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
# depth p99 and max mm, added jerk p99 mm/frame^3, displacement in that of the optimum, by method: MOTION section 7
Goals = tuple[float | None, float | None, float, float]
_TALKS: Goals = (0.3, 1.0, 0.7, 1.15)
_KNOWN: dict[str, Goals] = {"idle": (0.1, 0.5, 0.1, 1.1), "take": _TALKS, "take gain 1": _TALKS}
_KNOWN |= {f"{name} replanned": (None, 2.0, 1.5, 1.2) for name in ("take", "take gain 1")}
_STRESS: Goals = (0.6, 10.0, 0.8, 1.2)
_CAUSAL: dict[str, Goals] = {"idle": (0.5, None, 0.3, 1.3), "take": (1.0, None, 2.0, 1.3)}
_CAUSAL["take gain 1"] = _CAUSAL["take"]
OVER = 0.2  # % of frames deeper than 1 mm that stress may have


def figures() -> Iterator[dict[str, Any]]:
    """Return rule.<body>.<motion>.depth_p99_mm, .depth_max_mm, .over, .jerk_p99, .moved_x, and .skin_p99_mm.

    The growth rule stands beside, and beside what is on her skin no rule. With ticks looked ahead the motion's name has
    their number behind it: rule.default.idle_18.jerk_p99.
    """
    table, skins = _table(lambda text: print(text, file=sys.stderr), ("default",), FEW, 1200)
    if not table:
        yield {"name": "rule", "skipped": "scipy is not installed: pip install 'kinesics[corpus]'"}
        return
    raw: Any = None
    for row in skins:
        if row.method == "off":
            raw = row
            continue
        goal = 0.0 if row.motion in _CAUSAL else ON_SKIN
        yield entry(f"{_name(row)}.skin_p99_mm", row.depth[2], "mm", goal=goal, reference=("off", raw.depth[2]))
    for first in table:
        if first.method in ("off", "growth"):
            continue
        off, growth = (
            next(r for r in table if (r.body, r.motion, r.method) == (first.body, first.motion, method))
            for method in ("off", "growth")
        )
        is_known, is_stress = first.method != "projection", first.motion.startswith("stress")
        goals = (_KNOWN if is_known else _CAUSAL).get(first.motion, _STRESS if is_known and is_stress else [None] * 4)
        name = _name(first)
        if not is_known:
            yield entry(f"{name}.raw_p99_mm", off.figures.depth[2], "mm")
        for part, unit, goal, pick in (
            ("depth_p99_mm", "mm", goals[0], lambda r: r.figures.depth[2]),
            ("depth_max_mm", "mm", goals[1], lambda r: r.figures.depth[3]),
            ("over", "% > 1 mm", OVER if is_known and is_stress else None, lambda r: r.figures.over),
            ("jerk_p99", "mm/frame^3", goals[2], lambda r: r.figures.jerk[1]),
            ("moved_x", "x", goals[3], lambda r: r.times),
        ):
            yield entry(f"{name}.{part}", pick(first), unit, goal=goal, reference=("growth", pick(growth)))


def _name(row: Any) -> str:
    ahead = "" if row.method == "projection" else "_" + row.method.split()[0]
    return f"rule.{row.body}.{row.motion.replace(' ', '_')}{ahead}"


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
