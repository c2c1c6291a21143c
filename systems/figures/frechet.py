"""How far what she showed is from what her corpus holds, as two clouds of poses and of speeds.

The Frechet distance of two Gaussians (Dowson and Landau 1982) on raw rotation vectors of 13 bones: in degrees, and in
degrees a second. It is no FGD, which is taken in the space of a trained network and cannot be compared with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...components.anatomy import BODY_SLOTS
from ...components.arrays import F64, I64
from ...components.motion import Motion
from .run import Run

MOST = 60_000  # frames of a corpus that are looked at, evenly
LEAST = 20.0  # s of speech and of each half of the corpus, below which a covariance of 39 numbers is chance
_FPS = 30


def frechet(run: Run) -> dict[str, Any] | None:
    """Return how far her speaking ticks are from a half of her corpus that she did not show; None where she has none.

    pose_deg, velocity_deg_s: between her motion and the held-out half: every second clip without those she played
    halves_pose_deg, halves_velocity_deg_s: between that half and the other clips: what a corpus differs from itself
    clips, seconds: of the held-out half
    """
    motion = run.about.get("motion")
    if not isinstance(motion, Motion) or motion.repertoire is None or run.speaking.sum() < LEAST * 60:
        return None
    repertoire = motion.repertoire
    start = np.asarray(repertoire.start, np.int64)
    shown = set(np.asarray(repertoire.row_clip)[np.unique(run.window[run.window >= 0])].tolist())
    held = [clip for clip in range(1, len(start) - 1, 2) if clip not in shown]
    rest = [clip for clip in range(len(start) - 1) if clip not in held]
    hers = _shown(run, motion)
    first, second = (_corpus(motion, start, clips) for clips in (held, rest))
    if hers is None or first is None or second is None:
        return None
    pose, speed = (between(a, b) for a, b in zip(hers, first, strict=True))
    halves = [between(a, b) for a, b in zip(second, first, strict=True)]
    return {
        "pose_deg": pose,
        "velocity_deg_s": speed,
        "halves_pose_deg": halves[0],
        "halves_velocity_deg_s": halves[1],
        "clips": len(held),
        "seconds": float(sum(start[c + 1] - start[c] for c in held) / _FPS),
    }


def between(a: F64, b: F64) -> float:
    """Return the Frechet distance of the Gaussians of two clouds, in their unit. a: (N, K), b: (M, K)."""
    mean = a.mean(axis=0) - b.mean(axis=0)
    one, other = np.cov(a, rowvar=False), np.cov(b, rowvar=False)
    size, vector = np.linalg.eigh(one)
    root = vector * np.sqrt(np.maximum(size, 0.0)) @ vector.T
    both = np.linalg.eigvalsh(root @ other @ root)
    square = float(mean @ mean + np.trace(one) + np.trace(other) - 2.0 * np.sqrt(np.maximum(both, 0.0)).sum())
    return float(np.sqrt(max(square, 0.0)))


def _corpus(motion: Motion, start: I64, clips: list[int]) -> tuple[F64, F64] | None:
    """Return poses (N, 39) deg and speeds (M, 39) deg/s of clips as she would show them at her gains."""
    repertoire = motion.repertoire
    assert repertoire is not None
    total = int(sum(start[c + 1] - start[c] for c in clips))
    if total < LEAST * _FPS:
        return None
    stride = max(1, -(-total // MOST))
    slots, gain = _slots(motion), np.asarray(repertoire.gain, np.float64)
    pose, speed = [], []
    for clip in clips:
        at = np.arange(start[clip], start[clip + 1] - 1, stride)  # a corpus of days stays on the disk but for these
        now, after = (
            np.degrees(np.asarray(repertoire.delta[k][:, slots], np.float64) * gain[slots, None]).reshape(len(k), -1)
            for k in (at, at + 1)
        )
        pose.append(now)
        speed.append((after - now) * _FPS)
    return np.concatenate(pose), np.concatenate(speed)


def _shown(run: Run, motion: Motion) -> tuple[F64, F64] | None:
    """Return the same of what she showed while she spoke, at 30 Hz."""
    slots = _slots(motion)
    joints = motion.anatomy.slot_joint[slots]
    turn = _rotvec(motion.anatomy.base[joints][None], run.rotation[::2, joints])
    turn = np.degrees(turn).reshape(len(turn), -1)
    said = run.speaking[::2]
    pose, speed = turn[said], np.diff(turn, axis=0)[said[1:] & said[:-1]] * _FPS
    return (pose, speed) if len(speed) > LEAST * _FPS // 2 else None


def _slots(motion: Motion) -> I64:
    return np.flatnonzero(motion.anatomy.slot_joint[: len(BODY_SLOTS)] >= 0).astype(np.int64)


def _rotvec(base: F64, rotation: F64) -> F64:
    """Return the rotation vectors from base to rotation, (T, n, 3) rad. base: (1, n, 4); rotation: (T, n, 4) wxyz."""
    aw, av = base[..., :1], -base[..., 1:]
    bw, bv = rotation[..., :1], rotation[..., 1:]
    w = aw * bw - (av * bv).sum(axis=-1, keepdims=True)
    v = aw * bv + bw * av + np.cross(np.broadcast_to(av, bv.shape), bv)
    v, w = np.where(w < 0.0, -v, v), np.abs(w)
    size = np.linalg.norm(v, axis=-1, keepdims=True)
    return v * np.where(size > 1e-9, 2.0 * np.arctan2(size, w) / np.maximum(size, 1e-12), 2.0)
