"""Nothing, the rule, and head and rule side by side, performer by performer, in what a viewer sees."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ....components.arrays import F64
from ....components.errors import FenceError, OutputError
from ....components.head import Head
from ...collide.offline.figure import Figure
from ...collide.offline.figures import jerk
from ...kernels import fk
from ...kernels import head as kernel
from ..head import tables_of
from .material import quiet
from .played import Played, played


@dataclass(frozen=True, slots=True)
class Motion:
    """What is measured on. is_held_out: whether no training saw this performer; rotation: (F, J, 4) wxyz, 60 Hz."""

    performer: str
    name: str
    rotation: F64
    is_held_out: bool = True


@dataclass(frozen=True, slots=True)
class Three:
    """One motion in three ways."""

    motion: Motion
    none: Played
    rule: Played
    both: Played


def three(body: Figure, motion: Motion, head: Head) -> Three:
    """Return one motion without anything, with the rule, and with head and rule."""
    none = played(body, motion.rotation, is_ruled=False)
    return Three(motion, none, played(body, motion.rotation), played(body, motion.rotation, head))


def evaluate(
    body: Figure, motions: Iterable[Motion], head: Head, say: Callable[[str], None] = lambda text: None
) -> tuple[dict[str, Any], list[Three]]:
    """Return {performers, summary} as docs/fence.md has it, and the tracks that it was counted from."""
    made = []
    for motion in motions:
        made.append(three(body, motion, head))
        say(f"{motion.performer}: {motion.name}, {len(motion.rotation)} ticks")
    performers = [
        _performer(name, [one for one in made if one.motion.performer == name])
        for name in dict.fromkeys(one.motion.performer for one in made)
    ]
    held = [one for one in made if one.motion.is_held_out]
    return {"performers": performers, "summary": _summary(held or made) | {"us_per_frame": cost(body, head)}}, made


def _performer(name: str, made: list[Three]) -> dict[str, Any]:
    out: dict[str, Any] = {"name": name, "held_out": made[0].motion.is_held_out, "ticks": sum(map(_ticks, made))}
    for way in ("none", "rule", "both"):
        out["head_rule" if way == "both" else way] = _figures(made, way)
    return out | _summary(made)


def _ticks(one: Three) -> int:
    return len(one.none.depth)


def _figures(made: list[Three], way: str) -> dict[str, float]:
    """Return depth, jerk, displacement and work of one way over several motions."""
    ways: list[Played] = [getattr(one, way) for one in made]
    deep = 1e3 * np.concatenate([one.depth for one in ways])
    away = np.concatenate([one.shown - three.none.shown for one, three in zip(ways, made, strict=True)])
    added = [jerk(one.shown - three.none.shown).ravel() for one, three in zip(ways, made, strict=True)]
    return {
        "depth_p99_mm": _p(deep, 99.0),
        "depth_max_mm": float(deep.max()),
        "over_1mm_percent": float(100.0 * (deep > 1.0).mean()),
        "jerk_p99": _p(np.concatenate([jerk(one.shown).ravel() for one in ways]), 99.0),
        "added_jerk_p99": _p(np.concatenate(added), 99.0),
        "moved_mm_rms": float(1e3 * np.sqrt((away**2).sum(axis=-1).mean())),
        "work": float(sum(one.work.sum() for one in ways)),
    }


def _summary(made: list[Three]) -> dict[str, float]:
    """Return what head and rule are held to, over several motions."""
    rule, both = _figures(made, "rule"), _figures(made, "both")
    clear = [np.repeat(quiet(one.none.depth)[:, None], 2, axis=1) for one in made]
    size = [1e3 * np.linalg.norm(one.both.proposed - one.none.shown, axis=-1) for one in made]
    away = np.concatenate([s[c] for s, c in zip(size, clear, strict=True)])
    return {
        "work_saved": 1.0 - both["work"] / rule["work"] if rule["work"] > 0.0 else 0.0,
        "moved_times": both["moved_mm_rms"] / rule["moved_mm_rms"] if rule["moved_mm_rms"] > 0.0 else 1.0,
        "jerk_times": both["jerk_p99"] / rule["jerk_p99"] if rule["jerk_p99"] > 0.0 else 1.0,
        "proposal_clear_p99_mm": _p(away, 99.0) if len(away) else 0.0,
        "proposal_fastest_deg_s": float(np.degrees(max(one.both.fast.max() for one in made))),
        "proposal_over_1cm_percent": float(100.0 * np.concatenate([one.both.deep > 0.01 for one in made]).mean()),
        "clear_share": float(np.concatenate(clear).mean()),
        "hand_velocity_correlation": _together(made, "both"),
        "hand_velocity_correlation_rule": _together(made, "rule"),
    }


def _together(made: list[Three], way: str) -> float:
    """Return the correlation of the hands' velocities, shown against the motion's own, all axes and both hands."""
    own = np.concatenate([np.diff(one.none.shown, axis=0).ravel() for one in made])
    seen = np.concatenate([np.diff(getattr(one, way).shown, axis=0).ravel() for one in made])
    return float(np.corrcoef(own, seen)[0, 1]) if own.std() > 0.0 and seen.std() > 0.0 else 1.0


def _p(values: F64, percent: float) -> float:
    return float(np.percentile(values, percent))


def busiest(made: list[Three]) -> list[Three]:
    """Return of each performer the motion in which arms are deepest inside her."""
    best: dict[str, Three] = {}
    for one in made:
        before = best.get(one.motion.performer)
        if before is None or one.none.depth.mean() > before.none.depth.mean():
            best[one.motion.performer] = one
    return list(best.values())


def check(body: Figure, head: Head) -> None:
    """Refuse a head that was trained for another avatar or other capsules. FenceError."""
    if head.avatar != body.rig.digest:
        raise FenceError(
            f"this head was trained for rig {head.avatar[:8]}, that of {body.name} is {body.rig.digest[:8]}; train one"
            " for it with 'kinesics fence train'"
        )
    if head.capsules != body.capsules.digest:
        raise FenceError(
            f"this head was trained for capsules {head.capsules[:8]}, those of {body.name} are"
            f" {body.capsules.digest[:8]}; train one for them with 'kinesics fence train'"
        )


def cost(body: Figure, head: Head, calls: int = 200, runs: int = 40) -> float:
    """Return what one proposal costs, microseconds: the best of some runs, a call from Python included."""
    rig = body.rig
    position, world = np.empty((len(rig.names), 3)), np.empty((len(rig.names), 4))
    root, base = body.anatomy.base_root.copy(), body.capsules.base.copy()
    fk.world(rig.parent, rig.rest_offset, root, base, position, world)
    given: tuple[Any, ...] = (*tables_of(head, rig), np.zeros(kernel.STATE), np.empty(18))
    best = np.inf
    for _ in range(runs):
        began = time.perf_counter()
        for _ in range(calls):
            kernel.propose(world, position, *given)
        best = min(best, time.perf_counter() - began)
    return float(1e6 * best / calls)


def dump(path: str | Path, made: list[Three]) -> None:
    """Write every tick's wrists, so that each figure can be counted again. OutputError.

    motion, performer, held_out: (M,); begin: (M + 1,) ticks; raw, proposed, ruled, shown: (N, 2, 3) m, wrists of the
    motion, after the proposal, of the rule alone, of head and rule; depth_raw, depth_ruled, depth_shown: (N,) m
    work_rule, work: (N, 2) mm, of the rule alone and after the proposal
    """
    arrays: dict[str, Any] = {
        "motion": np.array([one.motion.name for one in made]),
        "performer": np.array([one.motion.performer for one in made]),
        "held_out": np.array([one.motion.is_held_out for one in made]),
        "begin": np.cumsum([0, *map(_ticks, made)]),
    }
    for name, way, part in (
        ("raw", "none", "shown"), ("proposed", "both", "proposed"), ("ruled", "rule", "shown"),
        ("shown", "both", "shown"), ("depth_raw", "none", "depth"), ("depth_ruled", "rule", "depth"),
        ("depth_shown", "both", "depth"), ("work_rule", "rule", "work"), ("work", "both", "work"),
    ):  # fmt: skip
        arrays[name] = np.concatenate([getattr(getattr(one, way), part) for one in made])
    try:
        np.savez_compressed(path, allow_pickle=False, **arrays)
    except OSError as cause:
        raise OutputError(f"{path}: cannot be written ({cause.strerror or cause}); choose another folder") from None
