"""What is asked of the sentence model and what it answers: plain data between the tick and whoever hosts the model."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .arrays import F32
from .speech import Word

FPS = 30  # frames a second of the model
WINDOW = 128  # frames it makes at a time
SEED = 16  # of them it is started from, and makes again
NEW = WINDOW - SEED  # frames a window adds
LATENT = 4  # frames of one latent
JOINTS = 55  # of its body, SMPL-X's order
SAMPLES = 533  # of a frame at 16 kHz: the whole number the model was trained with


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence to make motion for.

    Fields:
        id, avatar: utterance and entity it belongs to; a newer one of the same avatar takes its place
        key:    64 bits that its noise is drawn by, so that it comes out the same again
        audio:  (n,) f32 mono, 16 kHz, all of it
        words:  as timed, may be empty
        after:  id of the sentence it goes on from, 0: none; frame: the frame of that one that shows when it begins
        shown:  (SEED, JOINTS, 4) f32 wxyz local, what she shows instead where she moved meanwhile; empty: the mean pose
    """

    id: int
    avatar: int
    key: int
    audio: F32
    words: tuple[Word, ...] = ()
    after: int = 0
    frame: int = 0
    shown: F32 = field(default_factory=lambda: np.zeros((0, JOINTS, 4), np.float32))


@dataclass(frozen=True, slots=True)
class Window:
    """Motion that was made, in the order of its frames.

    Fields:
        sentence, avatar: what it was made for
        frame:    first of its frames, counted from the sentence's first sample at FPS
        rotation: (n, JOINTS, 4) f32 wxyz local, of the model's own body
        is_last:  nothing follows
    """

    sentence: int
    avatar: int
    frame: int
    rotation: F32
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class Lost:
    """No more motion comes for a sentence whose last window has not come. why: one line, for people.

    Whoever cancelled a sentence, or asked for a newer one in its place, gets none.
    """

    sentence: int
    avatar: int
    why: str
