"""Does she look like a person who talks? What a viewer calls stiff, nodding, floating or puppet-like, as numbers."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ...components.arrays import F64, Bool
from .report import REVERSAL, yaw_pitch
from .run import Run

STILL = 8.0  # cm/s, below which a hand counts as at rest (facts of three recorded talkers)
HANGS = 38.0  # cm below the shoulders: a wrist this low hangs
ELLIPSE = {"flexion": 54.0, "extension": 60.0, "radial": 17.0, "ulnar": 40.0}  # deg, functional range of a wrist
_FPS = 60
_SIDES = ("left", "right")

Limits: TypeAlias = "dict[str, tuple[float, float]]"

# figure -> (least, most). What three recorded talkers show (hand cm/s 6-36 / 30-98 at p50 / p90, still .08-.67, head
# p50 / p90 21-29 / 52-74 deg/s, torso p90 11-43 deg/s, mirrored r .57-.9), widened to the calm side: her arms keep to
# 90 deg/s and her head follows a slow spring. A minute of one of them through this very code: rhythm .11 and -.04,
# hanging .32 of the time and 3.1 s on end, alike for 1.6 s, pitch reversals 3.4 /s, elbows out 21 deg, shrug 11, wrist
# ellipse .79; raised and still .04 and .07 of the time, while a speed of 90 deg/s leaves her hands slower than his all
# the time. The fan is that of her file's rest pose; the stop is a hand of 30 cm/s that rests within .1 s (choice).
LIMITS: Limits = {
    "hand_cm_s_p50": (4.0, 36.0),
    "hand_cm_s_p90": (12.0, 100.0),
    "still_share": (0.05, 0.8),
    "float_share": (0.0, 0.42),
    "hand_rhythm": (-1.0, 0.3),
    "hang_share": (0.0, 0.5),
    "hang_s": (0.0, 6.0),
    "mirrored_r": (0.2, 0.93),
    "alike_s": (0.0, 4.0),
    "head_deg_s_p90": (22.0, 75.0),
    "head_pitch_reversals_per_s": (1.2, 3.5),
    "nod_rhythm": (-1.0, 0.4),
    "chest_pitch_sd_deg": (0.6, 6.0),
    "torso_deg_s_p90": (4.0, 43.0),
    "elbow_out_deg_p50": (0.0, 32.0),
    "shrug_deg_p95": (0.0, 18.0),
    "wrist_ellipse_p99": (0.0, 1.0),
    "finger_fan_deg_p95": (0.0, 36.0),
    "stop_m_s2": (0.0, 6.0),
}


def looks(run: Run) -> dict[str, float | None]:
    """Return every figure of LIMITS, None where her skeleton or the run has nothing to measure it on.

    Arms, hands and head are judged while the voice sounds; a run without a voice is judged whole.
    """
    said = run.speaking if run.speaking.any() else np.ones(run.ticks, bool)
    if run.ticks < 2 * _FPS or any(run.joint(name) < 0 for name in ("leftHand", "rightHand", "head")):
        return dict.fromkeys(LIMITS)
    return {
        **hands(run, said), **stops(run), **head(run, said), **torso(run, said),
        "elbow_out_deg_p50": elbow_out(run, said), "shrug_deg_p95": shrug(run, said),
        "wrist_ellipse_p99": wrist_ellipse(run, said), "finger_fan_deg_p95": finger_fan(run, said),
    }  # fmt: skip


def wrong(figures: dict[str, float | None]) -> list[str]:
    """Return one line for each figure outside its limits."""
    out = []
    for name, (least, most) in LIMITS.items():
        value = figures.get(name)
        if value is not None and not least <= value <= most:
            out.append(f"{name}: {value:.2f}, wanted {least:g} to {most:g}")
    return out


def wrists(run: Run) -> F64:
    """Return (2, T, 3) cm, both wrists as the chest sees them: own side, up, forward from between the shoulders."""
    arm = [run.joint(side + "UpperArm") for side in _SIDES]
    first, second = (run.position[:, j] for j in arm)
    across = first - second
    across = across / np.linalg.norm(across, axis=1, keepdims=True)
    up = np.array([0.0, 1.0, 0.0]) - across * across[:, 1:2]
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    forward = np.cross(across, up)
    out = []
    for side, sign in zip(_SIDES, (1.0, -1.0), strict=True):
        reach = 100.0 * (run.position[:, run.joint(side + "Hand")] - 0.5 * (first + second))
        out.append(np.stack([sign * (reach * across).sum(1), (reach * up).sum(1), (reach * forward).sum(1)], axis=1))
    return np.stack(out)


def hands(run: Run, said: Bool) -> dict[str, float | None]:
    """Return how fast, how still, how low, how rhythmic and how alike her hands are while she speaks.

    float_share: of a hand's time, in which it stands still in the air as a puppet's does
    """
    place = wrists(run)
    velocity = np.gradient(place, 1.0 / _FPS, axis=1)
    speed = np.linalg.norm(velocity, axis=2)
    low = (place[:, :, 1] < -HANGS).all(axis=0) & said
    v = velocity[:, said]
    return {
        "hand_cm_s_p50": float(np.percentile(speed[:, said], 50)),
        "hand_cm_s_p90": float(np.percentile(speed[:, said], 90)),
        "still_share": float((speed[:, said] < STILL).mean()),
        "float_share": float(((speed < STILL) & (place[:, :, 1] > -HANGS))[:, said].mean()),
        "hand_rhythm": rhythm(speed.mean(axis=0), said),
        "hang_share": float(low.sum() / said.sum()),
        "hang_s": _longest(low) / _FPS,
        "mirrored_r": float(np.mean([np.corrcoef(v[0, :, k], v[1, :, k])[0, 1] for k in range(3)])),
        "alike_s": _longest(_alike(velocity) & said) / _FPS,
    }


def rhythm(signal: F64, said: Bool, least: float = 0.6, most: float = 1.6) -> float | None:
    """Return the highest autocorrelation at lags of `least` to `most` s, 1 = a metronome; None below 8 s of speech.

    signal: (T,); its slow part, a mean over 2 s, does not count: it is liveliness, not rhythm
    """
    if said.sum() < 8 * _FPS:
        return None
    window = np.ones(2 * _FPS)
    slow = np.convolve(signal, window, "same") / np.convolve(np.ones_like(signal), window, "same")
    quick = np.where(said, signal - slow, 0.0)
    quick[said] -= quick[said].mean()
    best = -1.0
    for lag in range(round(least * _FPS), round(most * _FPS) + 1):
        both = said[lag:] & said[:-lag]
        a, b = quick[lag:][both], quick[:-lag][both]
        best = max(best, float(a @ b / np.sqrt(max((a @ a) * (b @ b), 1e-12))))
    return best


def stops(run: Run) -> dict[str, float | None]:
    """Return how hard her hands brake within half a second of the end of a sentence that nothing follows, m/s^2."""
    ends = np.flatnonzero(run.speaking[:-1] & ~run.speaking[1:]) + 1
    ends = [e for e in ends if not run.speaking[e : e + _FPS].any() and e + _FPS <= run.ticks]
    if not ends:
        return {"stop_m_s2": None}
    speed = np.linalg.norm(np.gradient(wrists(run), 1.0 / _FPS, axis=1), axis=2) / 100.0
    brake = -np.gradient(speed, 1.0 / _FPS, axis=1)
    return {"stop_m_s2": float(max(brake[:, e : e + _FPS // 2].max() for e in ends))}


def head(run: Run, said: Bool) -> dict[str, float | None]:
    """Return how fast her head turns against the ground, how often its pitch turns round, whether it nods in time."""
    yaw, pitch = yaw_pitch(run, run.joint("head"))
    rate = np.hypot(np.gradient(yaw), np.gradient(pitch)) * _FPS
    sign = np.sign(np.gradient(pitch) * _FPS)[said]
    fast = np.abs(np.gradient(pitch) * _FPS)[said] > REVERSAL
    return {
        "head_deg_s_p90": float(np.percentile(rate[said], 90)),
        "head_pitch_reversals_per_s": float((np.diff(sign[fast]) != 0).sum() / (said.sum() / _FPS)),
        "nod_rhythm": rhythm(pitch, said),
    }


def torso(run: Run, said: Bool) -> dict[str, float | None]:
    """Return how much her chest leans and how fast it turns: a board does neither."""
    joint = next((j for j in map(run.joint, ("upperChest", "chest", "spine")) if j >= 0), -1)
    if joint < 0:
        return {"chest_pitch_sd_deg": None, "torso_deg_s_p90": None}
    yaw, pitch = yaw_pitch(run, joint)
    rate = np.hypot(np.gradient(yaw), np.gradient(pitch)) * _FPS
    return {
        "chest_pitch_sd_deg": float(pitch[said].std()),
        "torso_deg_s_p90": float(np.percentile(rate[said], 90)),
    }


def elbow_out(run: Run, said: Bool) -> float:
    """Return deg: how far her upper arms stand off to the side, 0 = hanging, 90 = level; the median over both arms."""
    out = []
    for side, sign in zip(_SIDES, (1.0, -1.0), strict=True):
        bone = run.position[said, run.joint(side + "LowerArm")] - run.position[said, run.joint(side + "UpperArm")]
        out.append(np.degrees(np.arctan2(sign * bone[:, 0], np.maximum(-bone[:, 1], 1e-6))))
    return float(np.median(out))


def shrug(run: Run, said: Bool) -> float | None:
    """Return deg: how far her collars are raised over the first tick's, p95 of both."""
    out = []
    for side in _SIDES:
        joint, tip = run.joint(side + "Shoulder"), run.joint(side + "UpperArm")
        if joint < 0:
            return None
        bone = run.position[:, tip] - run.position[:, joint]
        rise = np.degrees(np.arcsin(np.clip(bone[:, 1] / np.linalg.norm(bone, axis=1), -1.0, 1.0)))
        out.append((rise - rise[0])[said])
    return float(np.percentile(out, 95))


def wrist_ellipse(run: Run, said: Bool) -> float | None:
    """Return p99 of how much of the functional wrist ellipse she uses, 1 = its edge; from where her bones point."""
    used = []
    for side in _SIDES:
        flexion, radial = wrist_angles(run, side)
        if flexion is None or radial is None:
            return None
        a = flexion / np.where(flexion > 0.0, ELLIPSE["flexion"], ELLIPSE["extension"])
        b = radial / np.where(radial > 0.0, ELLIPSE["radial"], ELLIPSE["ulnar"])
        used.append(np.hypot(a, b)[said])
    return float(np.percentile(used, 99))


def wrist_angles(run: Run, side: str) -> tuple[F64 | None, F64 | None]:
    """Return (T,) deg flexion (+ to the palm) and radial deviation (+ to the thumb), None without fingers."""
    names = ("LowerArm", "Hand", "IndexProximal", "MiddleProximal", "LittleProximal")
    joints = [run.joint(side + name) for name in names]
    if min(joints) < 0:
        return None, None
    elbow, wrist, index, middle, little = (run.position[:, j] for j in joints)
    fore, along = _unit(wrist - elbow), _unit(middle - wrist)
    thumb = index - little
    thumb = _unit(thumb - along * (thumb * along).sum(1, keepdims=True))
    palm = np.cross(thumb, along) * (1.0 if side == "left" else -1.0)
    ahead = (fore * along).sum(1)
    flexion = np.degrees(np.arctan2(-(fore * palm).sum(1), ahead))
    return flexion, np.degrees(np.arctan2(-(fore * thumb).sum(1), ahead))


def finger_fan(run: Run, said: Bool) -> float | None:
    """Return deg: angle between her index and little finger's first bones, p95.

    The rest pose of her file fans by 35: more looks splayed.
    """
    out = []
    for side in _SIDES:
        joints = [run.joint(side + f + k) for f in ("Index", "Little") for k in ("Proximal", "Intermediate")]
        wrist, middle = run.joint(side + "Hand"), run.joint(side + "MiddleProximal")
        if min(*joints, wrist, middle) < 0:
            return None
        place = run.position[said]
        first, second = place[:, joints[1]] - place[:, joints[0]], place[:, joints[3]] - place[:, joints[2]]
        along, across = _unit(place[:, middle] - place[:, wrist]), place[:, joints[0]] - place[:, joints[2]]
        normal = _unit(np.cross(along, across))  # curl is no fan: both bones seen in the plane of the palm
        first, second = (_unit(b - normal * (b * normal).sum(1, keepdims=True)) for b in (first, second))
        out.append(np.degrees(np.arccos(np.clip((first * second).sum(1), -1.0, 1.0))))
    return float(np.percentile(out, 95))


def _alike(velocity: F64, seconds: float = 1.0, r: float = 0.95) -> Bool:
    """Return (T,): within this second both hands did the same, mirrored. velocity: (2, T, 3), own side first."""
    window = np.ones(round(seconds * _FPS))

    def total(x: F64) -> F64:
        return np.convolve(x.sum(axis=1), window, "same").astype(np.float64)

    both = total(velocity[0] * velocity[1])
    size = np.sqrt(total(velocity[0] ** 2) * total(velocity[1] ** 2))
    moves = np.sqrt(size / len(window)) > STILL
    return (both > r * size) & moves


def _longest(flags: Bool) -> int:
    edge = np.diff(np.concatenate(([0], flags.astype(np.int8), [0])))
    runs = np.flatnonzero(edge < 0) - np.flatnonzero(edge > 0)
    return int(runs.max()) if len(runs) else 0


def _unit(v: F64) -> F64:
    return v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-12)
