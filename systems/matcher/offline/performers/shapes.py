"""Where hands go: the 24 channels of a hand, hand shapes, resting places and gesture families. Numbers only.

A hand is described in its own chest frame: origin midway between the shoulder joints, turning with the upper chest;
`out` toward the hand's own side, `up`, `forward`. Both hands use the same numbers; the right one is mirrored last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .....components.anatomy import HAND_CHANNELS
from .....components.arrays import F64

PLACE = slice(0, 3)  # out, up, forward, cm
ROLL, FLEX, RADIAL = 3, 4, 5  # deg; roll 0 = handshake, + palm down; flexion + toward the palm; radial + to the thumb
SWIVEL, LIFT = 6, 7  # deg; elbow turned outward; collar raised
BODY = slice(0, 8)
CURL = slice(8, 20)  # deg, base, middle, end knuckle of index .. little
FINGERS = slice(8, 24)  # deg, HAND_CHANNELS
CHANNELS = 8 + len(HAND_CHANNELS)


def _shape(index: str, middle: str, ring: str, little: str, thumb: str, spread: float) -> F64:
    rows = " ".join((index, middle, ring, little, thumb)).split()
    return np.array([*map(float, rows), spread])


# deg: base middle end knuckle of four fingers; thumb flex, end, opposition; spread (absolute, 0 = fingers parallel)
SHAPES: Mapping[str, F64] = {
    "relax": _shape("22 26 12", "28 30 14", "31 32 15", "30 30 14", "12 14 10", 4),
    "soft": _shape("14 20 8", "19 23 10", "23 25 11", "24 24 11", "10 12 6", 6),
    "open": _shape("4 10 4", "7 12 5", "9 13 6", "8 12 6", "2 6 -4", 10),
    "flat": _shape("8 8 3", "10 9 4", "11 10 4", "12 11 5", "8 8 6", 3),
    "ball": _shape("22 26 13", "20 25 13", "23 26 13", "27 28 13", "8 14 16", 10),
    "pinch": _shape("47 42 18", "36 33 16", "26 29 14", "20 26 12", "14 18 31", 5),
    "hang": _shape("20 22 10", "27 28 13", "31 31 14", "32 30 14", "14 16 10", 3),
}


def pose(
    out: float, up: float, forward: float, roll: float, flex: float, radial: float, shape: str,
    swivel: float = 0.0, lift: float = 0.0,
) -> F64:  # fmt: skip
    """Return the (24,) channels of one hand pose, cm and deg."""
    return np.concatenate([[out, up, forward, roll, flex, radial, swivel, lift], SHAPES[shape]])


HOMES: Mapping[str, F64] = {
    "hang": pose(27.0, -42.4, 8.5, 2, -2, 2, "hang", swivel=6),
    "low": pose(17.5, -33.5, 18.5, 22, -6, 3, "relax", swivel=4),
    "front": pose(14.5, -31, 26, 18, -4, 4, "relax", swivel=4),
}
# cm in the left hand's frame: wrist, palm, middle, and the tips of relaxed index and little fingers
POINTS = np.array([[0.0, 0.0, 0.0], [8.7, 0.0, 0.0], [12.0, -2.5, 0.0], [13.5, -5.0, 3.0], [12.0, -5.0, -3.0]])
SHOULDER = np.array([15.2, 0.0, 0.1])  # cm, the shoulder joint with the collar at rest
BENT = 38.5  # cm from it to the wrist, .88 of the arm: further out a talking arm looks like a held-up stick (seen)
MIDDLE = np.array([18.0, -30.0, 25.0])  # cm, where small gestures shrink to


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of gesture: where the stroke ends, where it starts from, how slow it is against the duration law."""

    stroke: F64
    prep: F64 | None = None
    slow: float = 1.0
    one_sided: bool = False  # rarely made with both hands at once


FAMILIES: Mapping[str, Family] = {
    "offer": Family(pose(22, -25, 28, -76, -10, -2, "open", 4, 1.5), pose(14, -24, 23, 10, 8, 2, "relax")),
    "sweep": Family(
        pose(34, -23, 26, -22, -8, -3, "open", 12, 1.5), pose(6, -24, 27, 15, 4, 4, "relax"), 1.12, one_sided=True
    ),
    "contrast": Family(pose(29, -23, 27, -36, -6, 0, "open", 4, 1), one_sided=True),
    "pinch": Family(
        pose(19, -19, 28, 2, -14, 6, "pinch", 0, 1), pose(18, -14, 26, 0, -6, 6, "pinch", 0, 2), one_sided=True
    ),
    "press": Family(pose(23, -30, 29, 56, -16, 2, "flat", 16), pose(19, -19, 25, 46, 14, 2, "soft", 14, 2)),
    "ball": Family(pose(15.5, -25, 29, -6, -6, 4, "ball", 8, 0.5)),
    "shrug": Family(pose(29, -24, 25, -70, -16, -4, "open", 0, 9)),
    "self": Family(pose(9, -19, 20, 0, 16, 4, "relax", 12, 1), one_sided=True),
}  # and "beat", which starts from wherever the hand is

BEATS: Mapping[str, tuple[F64, float]] = {  # direction of a beat (out, up, forward) and how often it is chosen
    "down": (np.array([0.15, -1.0, 0.35]), 0.60),
    "out": (np.array([0.90, -0.45, 0.10]), 0.22),
    "forward": (np.array([0.10, -0.50, 0.90]), 0.18),
}
