"""R.json: the figures of a run, each in the unit in which a viewer would see it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from ...components.anatomy import ARM_SLOTS, SLOTS
from ...components.arrays import F32, F64
from .beats import beats
from .cutting import jumps, reuse, swings
from .frechet import frechet
from .living import living
from .run import Run, write_bytes

REVERSAL = 3.0  # deg/s on both sides, below which a change of direction is not seen (MOTION section 1)


def report(run: Run) -> dict[str, Any]:
    """Return the figures of CONTRACT's R.json; what a part that is off would say is None, never 0."""
    about, has, ruled = run.about, bool(run.about.get("has_corpus")), bool(run.about.get("has_rule"))
    arms = [j for j in (run.joint(SLOTS[k]) for k in ARM_SLOTS) if j >= 0]
    wrists = [j for j in (run.joint("leftHand"), run.joint("rightHand")) if j >= 0]
    arrays = (run.rotation, run.root, run.position, run.face)
    return {
        "ticks": run.ticks,
        "seed": about.get("seed"),
        "digest": about.get("digest"),
        "avatar_digest": about.get("avatar_digest"),
        "depth_mm": depth(run) if ruled else None,
        "wrist_jerk": _quantiles(jerk(run, wrists), (95, 99, 100)),
        "wrist_moved_mm_rms": _rms(run.moved_mm) if ruled else None,
        "wrist_speed_mm_s": wrist_speed(run, wrists),
        "arm_speed_deg_s": _quantiles(speed(run.rotation[:, arms]), (99, 100)) if arms else None,
        "corpus_speed_deg_s_max": _most(run.corpus_speed_deg_s) if has else None,
        "corpus_speed_forced_deg_s_max": _forced_speed(run) if has else None,
        "jump_deg_max": _most(run.jump_deg[~run.forced]) if has else None,
        "jumps": jumps(run) if has else None,
        "fades_interrupted": about.get("fades_interrupted") if has else None,
        "forced_cuts": int(run.forced.sum()) if has else None,
        "refused": about.get("refused") if has else None,
        "windows_used": len(set(run.window[run.window >= 0].tolist())) if has else None,
        "reuse": reuse(run) if has else None,
        "head_reversals_per_s": head_reversals(run),
        "head_swings": _swings(run),
        "beats": beats(run),
        "frechet": frechet(run) if has else None,
        "face": living(run),
        "hip_step_mm_max": _step(run, "hips"),
        "foot_slide_mm_max": foot_slide(run),
        "non_finite": int(sum((~np.isfinite(a)).sum() for a in arrays)),
        "sentence": about.get("sentence"),
        "fence": about.get("fence"),
        "tick_us": _quantiles(run.tick_us, (50, 99, 100)),
        "layers": about.get("layers"),
        "lookahead": about.get("lookahead"),
        "layers_deg": about.get("layers_deg"),
        "degraded": about.get("degraded", []),
    }


def write_report(run: Run, path: str | Path) -> None:
    """Write R.json: complete or not at all."""
    write_bytes((json.dumps(report(run), indent=1) + "\n").encode(), path)


def depth(run: Run) -> dict[str, float] | None:
    """Return how deep her arms are in her body beyond what is allowed, mm: raw is before the rule."""
    raw, after = _quantiles(run.depth_raw_mm, (50, 100)), _quantiles(run.depth_mm, (95, 99, 100))
    return {f"raw_{k}": v for k, v in raw.items()} | after if raw is not None and after is not None else None


def jerk(run: Run, joints: list[int]) -> F64:
    """Return (T - 3, n) mm/frame^3: third difference of where these joints are."""
    return np.linalg.norm(np.diff(run.position[:, joints], 3, axis=0), axis=2) * 1e3


def speed(rotation: F64) -> F64:
    """Return (T - 1, n) deg/s of local rotations (T, n, 4), 60 Hz difference."""
    dot = np.abs((rotation[1:] * rotation[:-1]).sum(axis=2))
    cross = np.linalg.norm(
        rotation[1:] - np.sign((rotation[1:] * rotation[:-1]).sum(axis=2))[..., None] * rotation[:-1], axis=2
    )
    return np.degrees(4.0 * np.arctan2(cross, np.sqrt(np.maximum(2.0 + 2.0 * dot, 1e-12)))) * 60.0


def wrist_speed(run: Run, wrists: list[int]) -> dict[str, float | None]:
    """Return the wrists' mean speed while the voice sounds and while it does not, mm/s."""
    if not wrists or run.ticks < 2:
        return {"speech": None, "silence": None}
    moved = np.linalg.norm(np.diff(run.position[:, wrists], axis=0), axis=2).mean(axis=1) * 60e3
    said = run.speaking[1:]
    return {
        "speech": float(moved[said].mean()) if said.any() else None,
        "silence": float(moved[~said].mean()) if (~said).any() else None,
    }


def head_reversals(run: Run) -> float | None:
    """Return changes of direction a second of the head's yaw and pitch, above REVERSAL on both sides."""
    head = run.joint("head")
    if head < 0 or run.ticks < 3:
        return None
    turned = 0
    for angle in yaw_pitch(run, head):
        rate = np.diff(angle) * 60.0
        sign = np.sign(rate[np.abs(rate) > REVERSAL])
        turned += int((np.diff(sign) != 0).sum())
    return turned / (run.ticks / 60.0)


def _swings(run: Run) -> dict[str, Any] | None:
    head = run.joint("head")
    return swings(yaw_pitch(run, head), REVERSAL) if head >= 0 and run.ticks >= 3 else None


def yaw_pitch(run: Run, joint: int) -> tuple[F64, F64]:
    """Return a joint's yaw and pitch against its first tick, deg, avatar frame, from the chain of local rotations."""
    world = np.zeros((run.ticks, 4))
    world[:, 0] = 1.0
    chain = []
    j = joint
    while j >= 0:
        chain.append(j)
        j = int(run.parent[j])
    for j in reversed(chain):
        world = _mul(world, run.rotation[:, j])
    delta = _mul(world, (world[0] * np.array([1.0, -1.0, -1.0, -1.0]))[None])
    w, x, y, z = delta.T
    forward = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    yaw = np.degrees(np.unwrap(np.arctan2(forward[0], forward[2])))
    return yaw, np.degrees(np.arcsin(np.clip(-forward[1], -1.0, 1.0)))


def _mul(a: F64, b: F64) -> F64:
    aw, ax, ay, az = a.T
    bw, bx, by, bz = b.T
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=1,
    )


def foot_slide(run: Run) -> float | None:
    """Return how far an ankle strays from where it first stood, mm."""
    feet = [j for j in (run.joint("leftFoot"), run.joint("rightFoot")) if j >= 0]
    if not feet or not run.ticks:
        return None
    return float(np.linalg.norm(run.position[:, feet] - run.position[:1, feet], axis=2).max() * 1e3)


def _step(run: Run, name: str) -> float | None:
    joint = run.joint(name)
    if joint < 0 or run.ticks < 2:
        return None
    return float(np.linalg.norm(np.diff(run.position[:, joint], axis=0), axis=1).max() * 1e3)


def _forced_speed(run: Run) -> float | None:
    """Return the top speed of ticks inside forced cuts' fades, None without one."""
    inside, is_forced = np.zeros(run.ticks, bool), False
    for tick in range(run.ticks):
        if run.jump_deg[tick] > 0.0 or run.forced[tick]:
            is_forced = bool(run.forced[tick])
        inside[tick] = is_forced and run.fade[tick] < 1.0
    return _most(run.corpus_speed_deg_s[inside]) if inside.any() else None


def _quantiles(values: Any, at: tuple[int, ...]) -> dict[str, float] | None:
    values = np.asarray(values, np.float64).ravel()
    values = values[np.isfinite(values)]
    if not values.size:
        return None
    return {"max" if q == 100 else f"p{q}": float(np.percentile(values, q)) for q in at}


def _rms(values: F32) -> float | None:
    """Return the root of the mean square, None of nothing."""
    return float(np.sqrt(np.square(values, dtype=np.float64).mean())) if values.size else None


def _most(values: Any) -> float | None:
    values = np.asarray(values, np.float64)
    most = float(values.max()) if values.size else 0.0
    return most if math.isfinite(most) else None
