"""One sentence spoken by one performer: from Speech to the motion a corpus stores."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass

import numpy as np

from .....components.anatomy import BODY_SLOTS
from .....components.arrays import F32, F64
from .....components.corpus import FPS
from .....components.errors import CorpusError
from .....components.speech import HOP, RATE, Speech
from . import arm, body
from . import rotations as rot
from .channels import fingers, restless
from .events import Plan, plan
from .governor import govern
from .noise import lowpass
from .styles import STYLES

_ARM = tuple(BODY_SLOTS.index(side + "Shoulder") for side in ("left", "right"))


@dataclass(frozen=True, slots=True)
class Take:
    """One synthesised clip and what it was made from.

    Fields:
        rotation: (F, 13, 3) f32 rad, BODY_SLOTS on the neutral rig; hand: (F, 2, 16) f32 rad, HAND_CHANNELS
        plan:     moves and strokes after the governor
        channels: left and right hand, (F, 24) cm and deg
    """

    rotation: F32
    hand: F32
    plan: Plan
    channels: tuple[F64, F64]


def synth(speech: Speech, style: str, seed: int) -> tuple[F32, F32]:
    """Return the motion of `style` saying `speech`: rotation (F, 13, 3) f32 rad and hand (F, 2, 16) f32 rad at 30 Hz.

    The same speech, style and seed give the same numbers. Raises CorpusError for an unknown style or too short a voice.
    """
    done = take(speech, style, seed)
    return done.rotation, done.hand


def take(speech: Speech, style: str, seed: int) -> Take:
    """Return what `synth` returns together with the plan behind it."""
    if style not in STYLES:
        raise CorpusError(f"no performer is called '{style}'; there are {', '.join(STYLES)}")
    frames = math.floor(speech.seconds * FPS)
    if frames < 2 * FPS:
        raise CorpusError(f"a performer needs a voice of 2 s or more, this one has {speech.seconds:.2f} s")
    person = STYLES[style]
    streams = np.random.SeedSequence([seed, zlib.crc32(style.encode())]).spawn(4)
    events, tremor, spine, neck = (np.random.default_rng(stream) for stream in streams)
    active = activity(speech, frames)
    score = plan(speech, person, events)
    noise = restless(tremor, frames, active, person)
    left, right = govern(score.tracks, noise, frames)
    chest = body.torso(spine, speech, person, (left, right), frames)
    lower, upper = body.head(neck, speech, person, active, chest, (left, right))
    rotation = np.zeros((frames, len(BODY_SLOTS), 3))
    rotation[:, :3] = np.radians(body.led(chest)[:, None] * body.SPINE[:, None])
    rotation[:, 3], rotation[:, 4] = np.radians(body.led(lower)), np.radians(body.led(upper))
    for first, hand, mirror in zip(_ARM, (left, right), (np.ones(3), arm.MIRROR)):
        for k, local in enumerate(arm.solve(hand).local):
            rotation[:, first + k] = rot.to_vector(local) * mirror
    curled = np.stack([fingers(left), fingers(right)], axis=1)
    if not (np.isfinite(rotation).all() and np.isfinite(curled).all()):
        raise CorpusError(f"performer '{style}' with seed {seed} made values that are not finite; report this seed")
    return Take(rotation.astype(np.float32), curled.astype(np.float32), score, (left, right))


def activity(speech: Speech, frames: int) -> F64:
    """Return (frames,) 0..1: how much of the second around each frame is spoken."""
    spoken = lowpass(speech.voiced.astype(np.float64), 1.0, rate=RATE / HOP)
    return np.clip(np.interp(np.arange(frames) / FPS, np.arange(len(spoken)) * HOP / RATE, spoken), 0.0, 1.0)
