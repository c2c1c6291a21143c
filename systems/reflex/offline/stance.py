"""What a recording says of how somebody stands: pelvis and load over the feet, and what breathing moves; at 10 Hz.

Standing is told from walking by the ankles alone: spans in which neither of them goes anywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ....components.anatomy import SIDES, TORSO
from ....components.arrays import F64, Bool
from ....components.errors import CorpusError
from ....components.take import TAKE_RATE, Take
from ...kernels import quat
from ...retarget.recorded import orientations
from ...retarget.rests import rest_of

RATE = 10  # Hz: weight and breath have nothing above 2 Hz (Winter 1995: COM nearly all below 0.5 Hz)
LEAST_SPAN = 20.0  # s on the same two feet, below which no shift can be told from the way into the stance
STEP = 0.04  # m an ankle goes within half a second when it steps; under a still foot mocap and skin move by 5-10 mm
LOW = 0.8  # of the leg's length between hip and ankle, below which somebody sits or kneels
PAUSE = 0.6  # s of silence that end a run of speech, as `speech.pause_s`

# Share of the body's mass and place along the segment, from its first joint (Winter 2009, table 4.1).
_SEGMENTS = (
    ("UpperArm", "LowerArm", 0.028, 0.436),
    ("LowerArm", "Hand", 0.016, 0.430),
    ("Hand", "Hand", 0.006, 0.0),
    ("UpperLeg", "LowerLeg", 0.100, 0.433),
    ("LowerLeg", "Foot", 0.0465, 0.433),
    ("Foot", "Foot", 0.0145, 0.0),
)
_TRUNK, _HEAD = 0.497, 0.081
_NEEDED = ("hips", "head", *(side + part for side in SIDES for part in ("UpperLeg", "LowerLeg", "Foot", "UpperArm")))


@dataclass(frozen=True, slots=True)
class Stand:
    """One span of standing on two feet that stay, N samples at RATE.

    Fields:
        name, performer: of the take
        pelvis:   (N, 2) m, to the left and forward of the middle between the ankles, as the mean of the span faces
        load:     (N,) -1 all weight on the right foot .. 1 on the left, from where the centre of mass is
        breath:   (B, N) m, what breathing in makes larger: collars over the chest, chest before the pelvis
        speaking: (N,) bool, inside a run of speech; starts: (S,) s from the span's start, of runs that begin in it
        has_voice: whether anything is known of the voice
    """

    name: str
    performer: str
    pelvis: F64
    load: F64
    breath: F64
    speaking: Bool
    starts: F64
    has_voice: bool

    @property
    def seconds(self) -> float:
        """Return how long it is, s."""
        return len(self.load) / RATE


def stand(take: Take, phrases: F64 | None = None) -> tuple[list[Stand], float]:
    """Return the spans of a take in which somebody stands, and how many seconds of it are left out.

    phrases: (P, 2) s, when the voice of the take speaks; None: nothing is known, taken as silent

    Raises:
        CorpusError: the skeleton has no legs or arms, or nobody stands for 20 s on end.
    """
    lost = [name for name in _NEEDED if name not in take.rig.humanoid]
    if lost:
        raise CorpusError(
            f"{take.name}: its skeleton has no {lost[0]}; how somebody stands shows in legs, arms and head"
        )
    place, facing = _places(take)
    feet = np.stack([place[side + "Foot"] for side in SIDES])
    seconds = len(facing) / TAKE_RATE
    low = _lowered(take, place)
    spans = _spans(feet)
    if low < LOW:
        raise CorpusError(
            f"{take.name}: hips {low:.2f} of the leg above the ankles, standing is {LOW:g} and more: sits?"
        )
    if not spans:
        if seconds < LEAST_SPAN:
            raise CorpusError(f"{take.name}: {seconds:.1f} s, wanted {LEAST_SPAN:g} s of standing; give longer takes")
        raise CorpusError(
            f"{take.name}: walks: in its {seconds:.1f} s nobody stays on two feet for {LEAST_SPAN:g} s on end"
        )
    said = _speech(phrases, seconds)
    out = [_one(take, place, facing, said, phrases is not None, a, b) for a, b in spans]
    return out, seconds - sum(b - a for a, b in spans) / TAKE_RATE


def _places(take: Take) -> tuple[dict[str, F64], F64]:
    """Return where humanoid joints are, (T, 3) m each, and where the pelvis faces, (T,) rad about the vertical."""
    rig = take.rig
    orientation = orientations(rig.parent.tolist(), take.rotation)
    at = np.empty((len(rig.names), len(take.rotation), 3))
    turned = np.empty((len(take.rotation), 3))
    for joint, above in enumerate(rig.parent):
        if above < 0:
            at[joint] = rig.rest_offset[joint] + take.root
        else:
            quat.rotate_each(orientation[above], rig.rest_offset[joint][None].copy(), turned)
            at[joint] = at[above] + turned
    hips = rig.humanoid["hips"]
    undo = np.empty((1, 4))
    quat.conj(rest_of(rig).orientation[hips], undo[0])
    own = np.empty_like(orientation[hips])
    quat.mul_each(orientation[hips], undo, own)
    return {name: at[joint] for name, joint in rig.humanoid.items()}, 2.0 * np.arctan2(own[:, 2], own[:, 0])


def _lowered(take: Take, place: dict[str, F64]) -> float:
    """Return the height of the hips over the ankles in legs' lengths, the median over take and sides."""
    rest = rest_of(take.rig)
    shares = []
    for side in SIDES:
        hip, knee, ankle = (rest.at(side + part) for part in ("UpperLeg", "LowerLeg", "Foot"))
        assert hip is not None
        assert knee is not None
        assert ankle is not None
        leg = float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))
        shares.append(np.median(place[side + "UpperLeg"][:, 1] - place[side + "Foot"][:, 1]) / max(leg, 1e-6))
    return float(np.mean(shares))


def _spans(feet: F64) -> list[tuple[int, int]]:
    """Return (first, end) frames of the spans in which neither ankle steps. feet: (2, T, 3) m."""
    half = TAKE_RATE // 2
    flat = feet[:, :, [0, 2]]
    steps = np.zeros(flat.shape[1], bool)
    moved = np.linalg.norm(flat[:, half:] - flat[:, :-half], axis=2).max(axis=0) > STEP
    for frame in np.flatnonzero(moved):
        steps[max(frame - half // 2, 0) : frame + half + half // 2] = True
    edge = np.diff(np.concatenate(([1], steps.astype(np.int8), [1])))
    starts, ends = np.flatnonzero(edge < 0), np.flatnonzero(edge > 0)
    return [(int(a), int(b)) for a, b in zip(starts, ends) if b - a >= LEAST_SPAN * TAKE_RATE]


def _speech(phrases: F64 | None, seconds: float) -> list[tuple[float, float]]:
    """Return runs of speech, s: phrases with less than PAUSE between them are one."""
    out: list[tuple[float, float]] = []
    for a, b in [] if phrases is None else phrases:
        if out and a - out[-1][1] < PAUSE:
            out[-1] = out[-1][0], float(b)
        else:
            out.append((float(a), float(b)))
    return [run for run in out if run[0] < seconds]


def _one(
    take: Take, place: dict[str, F64], facing: F64, said: list[tuple[float, float]], has_voice: bool, a: int, b: int
) -> Stand:
    yaw = math.atan2(float(np.sin(facing[a:b]).mean()), float(np.cos(facing[a:b]).mean()))
    left, ahead = np.array([math.cos(yaw), 0.0, -math.sin(yaw)]), np.array([math.sin(yaw), 0.0, math.cos(yaw)])
    foot = [place[side + "Foot"][a:b] for side in SIDES]
    middle = 0.5 * (foot[0] + foot[1])
    off = place["hips"][a:b] - middle
    com = _centre({name: where[a:b] for name, where in place.items()})
    wide = np.median((foot[0] - foot[1]) @ left)
    load = 2.0 * ((com - middle) @ left) / max(float(wide), 0.05)
    chest = next((name for name in reversed(TORSO) if name in place), "hips")
    breath = [place[chest][a:b] @ ahead - place["hips"][a:b] @ ahead]
    breath.insert(0, np.mean([place[s + "UpperArm"][a:b, 1] for s in SIDES], axis=0) - place[chest][a:b, 1])
    count = (b - a) // (TAKE_RATE // RATE)
    speaking, start = np.zeros(count, bool), a / TAKE_RATE
    for one, end in said:
        speaking[max(round((one - start) * RATE), 0) : max(round((end - start) * RATE), 0)] = True
    return Stand(
        take.name,
        take.performer,
        _slower(np.stack([off @ left, off @ ahead], axis=1), count),
        np.clip(_slower(load[:, None], count)[:, 0], -1.0, 1.0),
        _slower(np.stack(breath, axis=1), count).T.copy(),
        speaking,
        np.array([one - start for one, _ in said if 0.0 <= one - start < count / RATE]),
        has_voice,
    )


def _centre(place: dict[str, F64]) -> F64:
    """Return the centre of mass, (N, 3) m."""
    shoulders = 0.5 * (place["leftUpperArm"] + place["rightUpperArm"])
    total = _TRUNK * 0.5 * (0.5 * (place["leftUpperLeg"] + place["rightUpperLeg"]) + shoulders) + _HEAD * place["head"]
    for side in SIDES:
        for first, second, mass, at in _SEGMENTS:
            start = place.get(side + first, place[side + "UpperArm"])
            total = total + mass * (start + at * (place.get(side + second, start) - start))
    return total


def _slower(values: F64, count: int) -> F64:
    """Return means of blocks of frames, (count, K). values: (T, K) at TAKE_RATE."""
    block = TAKE_RATE // RATE
    return values[: count * block].reshape(count, block, -1).mean(axis=1)
