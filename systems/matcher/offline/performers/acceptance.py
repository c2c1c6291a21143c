"""What a performer's motion measures, in the units of the table it has to meet: the same code for any talker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .....components.anatomy import ARM_SLOTS, BODY_SLOTS
from .....components.arrays import F64, Bool
from .....components.corpus import FPS
from ....figures.looks import HANGS, STILL
from ....kernels import peaks
from . import arm, body
from . import rotations as rot
from .noise import lowpass
from .shapes import POINTS

TICK = 60  # Hz, the rate at which the gates look
_LEFT, _RIGHT = (BODY_SLOTS.index(side + "Shoulder") for side in ("left", "right"))


@dataclass(frozen=True, slots=True)
class Hand:
    """One hand through a clip, own side positive. wrist: (T, 3) cm, chest frame; elbow: (T, 3) cm."""

    wrist: F64
    elbow: F64
    shoulder: F64
    speed: F64
    local: F64


def hand_of(rotation: npt.ArrayLike, side: int) -> Hand:
    """Return where a hand goes against the chest. rotation: (T, 13, 3) rad; side: 0 left, 1 right."""
    vectors = np.asarray(rotation, np.float64)[:, (_LEFT, _RIGHT)[side] :][:, :4]
    local = rot.from_vector(vectors * (arm.MIRROR if side else 1.0)).transpose(1, 0, 2)
    frames = local.shape[1]
    upper = rot.product(local[0], local[1])
    fore = rot.product(upper, local[2])
    shoulder = arm.COLLAR + rot.turn(local[0], np.broadcast_to(arm.SHOULDER, (frames, 3)))
    elbow = shoulder + rot.turn(upper, np.tile([arm.UPPER, 0.0, 0.0], (frames, 1)))
    wrist = elbow + rot.turn(fore, np.tile([arm.FORE, 0.0, 0.0], (frames, 1)))
    place = 100.0 * (wrist - arm.MIDPOINT)
    speed = np.linalg.norm(np.gradient(place, 1.0 / FPS, axis=0), axis=1)
    return Hand(place, 100.0 * (elbow - arm.MIDPOINT), 100.0 * (shoulder - arm.MIDPOINT), speed, local)


def figures(clips: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]]) -> dict[str, float]:
    """Return every figure of one performer over all of its clips; means over both hands where there are two.

    clips: (rotation (T, 13, 3) rad, hand (T, 2, 16) rad) each, as a corpus stores them
    """
    hands = [[hand_of(rotation, side) for rotation, _ in clips] for side in (0, 1)]
    out: dict[str, float] = {}
    speed = np.array([np.concatenate([h.speed for h in side]) for side in hands])
    for share in (10, 50, 90):
        out[f"hand_cm_s_p{share}"] = float(np.percentile(speed, share, axis=1).mean())
    out["still_share"] = float((speed < STILL).mean())
    raised = np.array([np.concatenate([h.wrist[:, 1] for h in side]) for side in hands]) > -HANGS
    out["float_share"] = float((raised & (speed < STILL)).mean())
    strokes = np.concatenate([strokes_of(h.speed) for side in hands for h in side])
    out["peaks_per_s"] = len(strokes) / (speed.size / FPS)
    out["stroke_s"] = float(np.median(strokes[:, 0])) if len(strokes) else np.nan
    out["stroke_path_m"] = float(np.median(strokes[:, 1])) / 100.0 if len(strokes) else np.nan
    # mm per frame^3 at 60 Hz from 30 Hz samples: one step is two frames long
    jerk = [np.linalg.norm(np.diff(10.0 * h.wrist, 3, axis=0), axis=1) / 8.0 for side in hands for h in side]
    out["jerk_p99"] = float(np.percentile(np.concatenate(jerk), 99))
    turning = [[arm.speeds(arm.Arm(h.local, h.shoulder, h.elbow, h.wrist), FPS) for h in side] for side in hands]
    for k, joint in ((2, "elbow"), (3, "wrist")):
        rates = [np.linalg.norm(t[k], axis=1) for side in turning for t in side]
        out[f"{joint}_deg_s_p95"] = float(np.percentile(np.concatenate(rates), 95))
    velocity = [np.concatenate([np.gradient(h.wrist, axis=0) for h in side]) for side in hands]
    for k, way in enumerate(("out", "up", "forward")):
        out[f"mirrored_r_{way}"] = float(np.corrcoef(velocity[0][:, k], velocity[1][:, k])[0, 1])
    up = [np.percentile(np.concatenate([h.wrist[:, 1] for h in side]), (5, 50, 95)) for side in hands]
    out["up_cm_p5"], out["up_cm_p50"], out["up_cm_p95"] = map(float, np.mean(up, axis=0))
    out["swivel_deg"] = float(np.mean([np.median(np.concatenate([swivel(h) for h in side])) for side in hands]))
    out["flexion_deg"] = float(np.mean([np.median(np.concatenate([flexion(h) for h in side])) for side in hands]))
    out.update(_head([np.asarray(rotation, np.float64) for rotation, _ in clips]))
    out.update(_fingers([np.asarray(hand, np.float64) for _, hand in clips], turning))
    out["hands_apart_cm"] = float(min(apart(list(pair)).min() for pair in zip(*hands)))
    return out


def strokes_of(speed: F64) -> F64:
    """Return (N, 2): duration s and path cm of each stroke: a speed peak > 25 cm/s between the minima beside it.

    What is slower than a tenth of the peak is rest, not stroke: a hand that hangs has no minimum for seconds.
    """
    is_peak, is_low = np.zeros(len(speed), np.bool_), np.zeros(len(speed), np.bool_)
    peaks.mark(speed, 25.0, 12.0, is_peak)
    peaks.mark(-speed, -1e9, 3.0, is_low)
    rows = []
    for peak in np.flatnonzero(is_peak):
        edge = np.flatnonzero(is_low | (speed < 0.1 * speed[peak]))
        before, after = edge[edge < peak], edge[edge > peak]
        if len(before) and len(after):
            span = slice(before[-1], after[0])
            rows.append(((after[0] - before[-1]) / FPS, speed[span].sum() / FPS))
    return np.array(rows, np.float64).reshape(-1, 2)


def swivel(hand: Hand) -> F64:
    """Return (T,) deg, elbow turned about shoulder -> wrist: 0 = hanging straight down, + = out."""
    toward = hand.wrist - hand.shoulder
    toward = toward / np.linalg.norm(toward, axis=1, keepdims=True)
    down = np.array([0.0, -1.0, 0.0])
    down = down - (toward @ down)[:, None] * toward
    side = np.cross(down, toward)
    side *= np.where(side[:, :1] < 0.0, -1.0, 1.0)
    elbow = hand.elbow - hand.shoulder
    flat = np.linalg.norm(down, axis=1)
    return np.degrees(np.arctan2((elbow * side).sum(1) / np.linalg.norm(side, axis=1), (elbow * down).sum(1) / flat))


def flexion(hand: Hand) -> F64:
    """Return (T,) deg, elbow flexion: 0 = straight."""
    upper, fore = hand.elbow - hand.shoulder, hand.wrist - hand.elbow
    cosine = (upper * fore).sum(1) / np.linalg.norm(upper, axis=1) / np.linalg.norm(fore, axis=1)
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


def apart(both: list[Hand]) -> F64:
    """Return (T,) cm, least distance between points along the two hands (wrist, palm, fingertips)."""
    places = []
    for side, hand in enumerate(both):
        turned = hand.local[0]
        for local in hand.local[1:]:
            turned = rot.product(turned, local)
        points = np.stack([hand.wrist + rot.turn(turned, np.tile(p, (len(turned), 1))) for p in POINTS], axis=1)
        places.append(points * ([-1.0, 1.0, 1.0] if side else 1.0))
    return np.linalg.norm(places[0][:, :, None] - places[1][:, None], axis=-1).min(axis=(1, 2))


def _chained(rotation: F64, slots: range) -> F64:
    """Return (T, 3) deg: rotation vector of a chain of slots."""
    turned = rot.from_vector(rotation[:, slots[0]])
    for slot in slots[1:]:
        turned = rot.product(turned, rot.from_vector(rotation[:, slot]))
    return np.degrees(rot.to_vector(turned))


def _head(clips: list[F64]) -> dict[str, float]:
    """Head against the pelvis, and the torso, as the spring that follows them shows them."""
    clips = [body.followed(clip) for clip in clips]
    angle = [_chained(clip, range(5)) for clip in clips]
    rate = np.concatenate([np.linalg.norm(np.gradient(a, 1.0 / FPS, axis=0), axis=1) for a in angle])
    out = {"head_deg_s_p50": float(np.percentile(rate, 50)), "head_deg_s_p90": float(np.percentile(rate, 90))}
    for k, way in enumerate(("pitch", "yaw", "roll")):
        turns = 0
        for clip in angle:
            slow = np.gradient(lowpass(clip[:, k], 4.0, order=2), 1.0 / FPS)
            sign = np.sign(slow)[np.abs(slow) > 3.0]
            turns += int((np.diff(sign) != 0.0).sum())
        out[f"head_reversals_{way}"] = turns / (len(rate) / FPS)
    lean = [_chained(clip, range(3)) for clip in clips]
    rate = np.concatenate([np.linalg.norm(np.gradient(a, 1.0 / FPS, axis=0), axis=1) for a in lean])
    out["torso_deg_s_p90"] = float(np.percentile(rate, 90))
    out["torso_deg_sd"] = float(np.linalg.norm(np.concatenate(lean).std(axis=0)))
    return out


def _fingers(clips: list[F64], turning: list[list[F64]]) -> dict[str, float]:
    base = [np.degrees(hand[:, :, (0, 3, 6, 9)]) for hand in clips]
    every = np.concatenate(base)
    rate = np.concatenate([np.abs(np.diff(b, axis=0)) * FPS for b in base])
    curl = [[np.linalg.norm(np.diff(hand[:, side, :12], axis=0), axis=1) for hand in clips] for side in (0, 1)]
    elbow = [[np.linalg.norm(t[2], axis=1) for t in side] for side in turning]
    return {
        "knuckle_range_deg": float((np.percentile(every, 95, axis=0) - np.percentile(every, 5, axis=0)).mean()),
        "knuckle_deg_s_p95": float(np.percentile(rate, 95, axis=0).mean()),
        "finger_lag_ms": float(np.mean([lag(elbow[side], curl[side]) for side in (0, 1)])),
    }


def lag(first: Sequence[F64], second: Sequence[F64], most: int = 12) -> float:
    """Return by how many ms `second` follows `first`, clips of (T,) at 30 Hz: where their correlation peaks."""
    r = np.zeros(2 * most + 1)
    for x, y in zip(first, second):
        a, b = x - x.mean(), y - y.mean()
        for k in range(-most, most + 1):
            r[k + most] += a[max(0, -k) : len(a) - max(0, k)] @ b[max(0, k) : len(b) + min(0, k)]
    k = int(np.argmax(r))
    part = 0.5 * (r[k - 1] - r[k + 1]) / (r[k - 1] - 2.0 * r[k] + r[k + 1]) if 0 < k < 2 * most else 0.0
    return float(1000.0 * (k - most + part) / FPS)


def at_tick_rate(rotation: npt.ArrayLike) -> F64:
    """Return the 8 arm joints of (T, 13, 3) rad as quaternions (2 T - 1, 8, 4): cubic between stored frames."""
    p = np.asarray(rotation, np.float64)[:, ARM_SLOTS]
    before = np.concatenate([2.0 * p[:1] - p[1:2], p, 2.0 * p[-1:] - p[-2:-1]])
    middle = (9.0 * (p[:-1] + p[1:]) - before[:-3] - before[3:]) / 16.0
    out = np.empty((2 * len(p) - 1, *p.shape[1:]))
    out[::2], out[1::2] = p, middle
    return rot.from_vector(out)


@dataclass(frozen=True, slots=True)
class Windows:
    """One-second windows of many clips: first pose and the pose a second later (W, 8, 4), fastest joint deg/s."""

    first: F64
    after: F64
    peak: F64

    def legal(self, limit: float = 90.0) -> Bool:
        """Return which windows stay under the speed gate."""
        return self.peak <= limit


def windows(clips: list[F64], hop: float = 0.1) -> Windows:
    """Return the windows of clips (T, 13, 3) rad, `hop` s apart, each wholly inside its clip."""
    first, after, peak = [], [], []
    for clip in clips:
        q = at_tick_rate(clip)
        step = 2.0 * np.arccos(np.clip(np.abs((q[:-1] * q[1:]).sum(-1)), 0.0, 1.0))
        rate = np.degrees(step).max(axis=1) * TICK
        for start in range(0, len(q) - TICK, round(hop * TICK)):
            first.append(q[start])
            after.append(q[start + TICK])
            peak.append(rate[start : start + TICK].max())
    return Windows(np.array(first), np.array(after), np.array(peak))


def jumps(pose: F64, first: F64) -> F64:
    """Return (W,) deg, the largest of the 8 joint angles between `pose` (8, 4) and each of `first` (W, 8, 4)."""
    cosine = np.clip(np.abs((first * pose).sum(-1)), 0.0, 1.0)
    return np.degrees(2.0 * np.arccos(cosine)).max(axis=1)


def random_walk(rows: Windows, picks: int, seed: int, jump: float = 55.0) -> dict[str, float]:
    """Return what `picks` random legal picks in a row meet: dead ends, fewest choices, median jump deg.

    None of the last min(60, legal / 4) picks is taken again.
    """
    rng = np.random.default_rng(seed)
    legal = np.flatnonzero(rows.legal())
    memory = int(min(60, len(legal) // 4))
    here, recent = int(rng.choice(legal)), []
    fewest, dead, taken = len(legal), 0, []
    for _ in range(picks):
        angle = jumps(rows.after[here], rows.first[legal])
        is_open = (angle <= jump) & ~np.isin(legal, recent)
        fewest = min(fewest, int(is_open.sum()))
        if not is_open.any():
            dead += 1
            here = int(legal[angle.argmin()])
        else:
            k = int(rng.choice(np.flatnonzero(is_open)))
            taken.append(angle[k])
            here = int(legal[k])
        recent = [*recent, here][-memory:] if memory else []
    return {"dead_ends": dead, "fewest": fewest, "jump_p50": float(np.median(taken)) if taken else np.nan}
