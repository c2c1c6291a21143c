"""Held postures: what was found for one body, frozen, and what she is told to hold."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np

from .anatomy import FINGER_SLOTS
from .arrays import F64, I32, frozen

HOLDS = ("clasped", "crossed", "hands_on_hips", "behind_back")
TRUNK, UPPER, HAND = 0, 1, 3  # what a hand lies on: her trunk, or that link of the other arm


@dataclass(frozen=True, slots=True)
class Hold:
    """A hold on one body with the way into it, F frames at 60 Hz from hanging arms, m, base pose, avatar frame.

    Fields:
        name, first: one of HOLDS; side whose hand is placed first
        wrist:    (F, 2, 3) m; hand: (F, 2, 4) wxyz over the neutral T-pose; swivel: (F, 2) rad; girdle: (F, 2, 2) rad
        closed:   (F, 2) 0..1, how far the fingers have closed and the hand has come to rest on what it holds
        finger:   (30, 4) wxyz local, fingers as they lie, FINGER_SLOTS
        on:       (2,) i32, TRUNK, UPPER or HAND; at: (2, 3) m, where on her trunk
        tie, share: (2, 4) i32 and f64, joints that move that place, and how much
        links:    (2, 4, 3, 3) and joints: (2, 3, 3) m, both arms in the hold
        pair:     (K, 2) i32 capsules that touch in it; allowance: (K,) f64 m, by how much they may overlap then
        told:     (4,) least and greatest m of air at what is held, least gap elsewhere, share of the wrist ellipse
    """

    name: str
    first: int
    wrist: F64
    hand: F64
    swivel: F64
    girdle: F64
    closed: F64
    finger: F64
    on: I32
    at: F64
    tie: I32
    share: F64
    links: F64
    joints: F64
    pair: I32
    allowance: F64
    told: F64
    digest: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        count, put = len(self.wrist), object.__setattr__
        for name, shape in (
            ("wrist", (count, 2, 3)), ("hand", (count, 2, 4)), ("swivel", (count, 2)), ("girdle", (count, 2, 2)),
            ("closed", (count, 2)), ("finger", (len(FINGER_SLOTS), 4)), ("at", (2, 3)), ("share", (2, 4)),
            ("links", (2, 4, 3, 3)), ("joints", (2, 3, 3)), ("allowance", (None,)), ("told", (4,)),
        ):  # fmt: skip
            put(self, name, frozen(getattr(self, name), np.float64, shape))
        for name, whole in (("on", (2,)), ("tie", (2, 4)), ("pair", (None, 2))):
            put(self, name, frozen(getattr(self, name), np.int32, whole))
        h = hashlib.blake2b(f"{self.name}{self.first}".encode(), digest_size=16)
        for name in ARRAYS:
            h.update(np.ascontiguousarray(getattr(self, name)).tobytes())
        put(self, "digest", h.hexdigest())

    @property
    def seconds(self) -> float:
        """Return how long the way into it takes, s."""
        return (len(self.wrist) - 1) / 60.0


ARRAYS = (
    "wrist", "hand", "swivel", "girdle", "closed", "finger", "on", "at", "tie", "share", "links", "joints", "pair",
    "allowance", "told",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reach:
    """Her arms as a hold moves them, m, base pose, avatar frame.

    Fields:
        collar, hang: (2, 3) collar joints, and from there to the upper arms; length: (2, 2) upper arm and forearm
        neutral: (2, 4, 4) wxyz, collar, upper arm, forearm, hand in the neutral T-pose; joint: (2, 4) i32, -1 none
        turn, place: (J, 4) wxyz and (J, 3) of the base pose; carrier: (2,) i32, joint that each arm hangs on
        below:   joints from the collar bones down, parents first
        finger:  (30,) i32, FINGER_SLOTS or -1
    """

    collar: F64
    hang: F64
    length: F64
    neutral: F64
    joint: I32
    turn: F64
    place: F64
    carrier: I32
    below: I32
    finger: I32


@dataclass(slots=True)
class Posture:
    """What she holds.

    wanted: as asked, "" nothing; shown: what she is in, or on her way into or out of; into: which way
    since: tick since which nothing has wanted her arms; held: tick on which `wanted` was asked
    chosen: whether `wanted` is her own choice, in a long silence
    """

    wanted: str = ""
    shown: str = ""
    into: bool = False
    since: int = 0
    held: int = 0
    chosen: bool = False
