"""Talkers that try the rule: a recorded take where one is given, and a made-up one without its governor, always."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ....components.anatomy import BODY_SLOTS, SLOT_GROUP
from ....components.arrays import F32, F64
from ....components.config import Config
from ....components.corpus import FPS
from ....components.speech import Speech
from ...matcher.offline.performers import arm, body, synth
from ...matcher.offline.performers import rotations as rot
from ...matcher.offline.performers.channels import fingers, finish, restless
from ...matcher.offline.performers.events import plan
from ...matcher.offline.performers.governor import SMOOTH
from ...matcher.offline.performers.moves import draw
from ...matcher.offline.performers.noise import lowpass
from ...matcher.offline.performers.styles import AUTHORED_GAIN, STYLES, Style
from ...matcher.offline.sources import smplx
from ...retarget.anatomy import FINGERS_HANGING
from .figure import Figure, shown
from .motions import RATE

# The joints of an SMPL-X `poses` row that BODY_SLOTS are, by number; pelvis and legs are left out.
_SMPLX = (3, 6, 9, 12, 15, 13, 16, 18, 20, 14, 17, 19, 21)
_FINGERS = (25, 28, 34, 31)  # first joint of index, middle, ring, little of the left hand; right: 15 more
_ARM = tuple(BODY_SLOTS.index(side + "Shoulder") for side in ("left", "right"))
STYLE = "lively"
AUTHORED = np.array(
    [AUTHORED_GAIN[group] for group in SLOT_GROUP]
)  # (43,) what a performer's stored motion is shown at


def recorded(path: Path, figure: Figure, gains: bool) -> F64:
    """Return a recorded take on this avatar, (F, J, 4) at 60 Hz: at the shipped gains, or at gain 1.

    path: an SMPL-X file, `poses` (N, 165) axis-angle and the frames a second
    CorpusError with one line if it is none.
    """
    arrays = smplx.load(path)
    fps = smplx.rate_of(path, arrays)
    poses = smplx.poses_of(path, arrays).reshape(-1, 55, 3)
    body_slots = smooth(poses[:, _SMPLX], fps)
    return shown(figure, body_slots, _curls(poses, fps), Config.default().gains.slots if gains else None)


def _clock(count: int, fps: float) -> tuple[F64, F64]:
    """Return when a take's frames are, and the ticks they last, s."""
    last = (count - 1) / fps
    return np.arange(count) / fps, np.arange(int(last * RATE + 1e-6) + 1) / RATE


def smooth(vectors: F64, fps: float = FPS) -> F64:
    """Return rotation vectors (N, S, 3) as a smooth motion at 60 Hz; (2N - 1, S, 3) of those at 30 Hz."""
    from scipy.spatial.transform import Rotation, RotationSpline

    times, at = _clock(len(vectors), fps)
    out = np.empty((len(at), vectors.shape[1], 3))
    for slot in range(vectors.shape[1]):
        made: Any = RotationSpline(times, Rotation.from_rotvec(vectors[:, slot]))
        out[:, slot] = made(at).as_rotvec()
    return out


def _curls(poses: F64, fps: float) -> F64:
    """Return hand channels at 60 Hz, (ticks, 2, 16) rad: relaxed fingers, curled about z as the take's curl.

    Only how the curl changes is taken from the file: its zero is the mean hand of a model that is not at hand.
    """
    times, at = _clock(len(poses), fps)
    out = np.tile(FINGERS_HANGING, (len(at), 2, 1))
    for hand, sign in ((0, -1.0), (1, 1.0)):  # a left hand points along +x, palm down: it curls about -z
        for finger, first in enumerate(_FINGERS):
            for knuckle in range(3):
                curl = sign * poses[:, first + 15 * hand + knuckle, 2]
                moved = out[:, hand, 3 * finger + knuckle] + np.interp(at, times, curl - np.median(curl))
                out[:, hand, 3 * finger + knuckle] = np.clip(moved, -0.2, 1.7)
    return out


def performed(speech: Speech, figure: Figure, seed: int = 1) -> F64:
    """Return a made-up talker at gain 1 whose moves nobody slows down or shrinks, (F, J, 4) at 60 Hz.

    It stands in for a recorded take where there is none: larger, faster and closer to the body than what ships.
    """
    return played(figure, *ungoverned(speech, seed), 1.0 / AUTHORED)


def played(figure: Figure, rotation: F64, hand: F32, gain: F64 | None = None) -> F64:
    """Return neutral motion at 30 Hz on this avatar, (2F - 1, J, 4) at 60 Hz.

    rotation: (F, 13, 3) rad, BODY_SLOTS; hand: (F, 2, 16) rad; gain: (43,) as in `shown`
    """
    count = 2 * len(hand) - 1
    at, times = np.arange(count) / RATE, np.arange(len(hand)) / FPS
    curled = np.stack([np.interp(at, times, column) for column in hand.reshape(len(hand), -1).T], axis=1)
    return shown(figure, smooth(rotation), curled.reshape(count, 2, -1), gain)


def ungoverned(speech: Speech, seed: int, person: Style = STYLES[STYLE]) -> tuple[F64, F32]:
    """Return what a performer would do without the governor: rotation (F, 13, 3) rad, hand (F, 2, 16) rad, 30 Hz."""
    frames = int(speech.seconds * FPS)
    events, tremor, spine = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3))
    active = synth.activity(speech, frames)
    score = plan(speech, person, events)
    noise = restless(tremor, frames, active, person)
    hands = [lowpass(finish(draw(t, frames) + own), SMOOTH) for t, own in zip(score.tracks, noise, strict=True)]
    rotation = np.zeros((frames, len(BODY_SLOTS), 3))
    chest = body.torso(spine, speech, person, (hands[0], hands[1]), frames)
    rotation[:, :3] = np.radians(chest[:, None] * body.SPINE[:, None])
    for first, channels, mirror in zip(_ARM, hands, (np.ones(3), arm.MIRROR), strict=True):
        for k, local in enumerate(arm.solve(channels).local):
            rotation[:, first + k] = rot.to_vector(local) * mirror
    return rotation, np.stack([fingers(hands[0]), fingers(hands[1])], axis=1).astype(np.float32)
