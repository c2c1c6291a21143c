"""One arm of the neutral body: from hand channels to local rotations of collar, upper arm, forearm and hand.

Everything is written for the left arm of a T-pose (along +X, palm down); the right arm is its mirror image.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .....components.arrays import F64
from . import rotations as rot
from .shapes import FLEX, LIFT, PLACE, RADIAL, ROLL, SWIVEL

# m, the default avatar's proportions: collar and shoulder joint from the upper chest, segment lengths
COLLAR = np.array([0.0231, 0.2207, 0.0101])
SHOULDER = np.array([0.1289, -0.0160, 0.0012])
UPPER, FORE = 0.2282, 0.2088
MIDPOINT = np.array([0.0, COLLAR[1] + SHOULDER[1], COLLAR[2] + SHOULDER[2]])  # between the shoulder joints
# where elbows point ("straight down" is undefined for a hanging arm). Outward .46 gave elbow swivels of 40 to 52 deg,
# recorded talkers who gesture have 28 and 36: she looked as if she carried something under each arm
POLE = np.array([0.28, -0.62, -0.63])
SOFT, FULL = 0.93, 0.985  # of the arm's length: where reaching starts to give, and its end
MIRROR = np.array([1.0, -1.0, -1.0])  # a rotation vector seen in a mirror across x = 0


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm through a clip, left form. local: (4, T, 4) wxyz; elbow, wrist, shoulder: (T, 3) m, chest frame."""

    local: F64
    shoulder: F64
    elbow: F64
    wrist: F64


def collar_of(channels: F64) -> F64:
    """Return the collar's rotation (T, 4): it follows the wrist by slopes measured on a recorded talker."""
    out, up, forward = channels[:, PLACE].T
    raised = np.clip(0.5 + 0.27 * up + 0.14 * forward, -9.0, 16.0) + channels[:, LIFT]
    protracted = 0.35 * forward - 0.27 * out - 1.5
    tilted = 3.0 - 0.17 * forward - 0.10 * (up + 30.0)
    return rot.from_vector(np.radians(np.stack([tilted, -protracted, raised], axis=1)))


def solve(channels: F64) -> Arm:
    """Return the arm whose wrist is where `channels` (T, 24), cm and deg, want it, as far as it reaches."""
    collar = collar_of(channels)
    shoulder = COLLAR + rot.turn(collar, np.broadcast_to(SHOULDER, (len(collar), 3)))
    reach = channels[:, PLACE] / 100.0 + MIDPOINT - shoulder
    distance = np.linalg.norm(reach, axis=1)
    toward = reach / distance[:, None]
    whole = UPPER + FORE
    soft, rest = SOFT * whole, (FULL - SOFT) * whole
    given = np.where(distance > soft, soft + rest * (1.0 - np.exp(-np.maximum(distance - soft, 0.0) / rest)), distance)
    given = np.maximum(given, 0.14)  # m, the closest a hand comes to its own shoulder
    cosine = np.clip((UPPER**2 + given**2 - FORE**2) / (2.0 * UPPER * given), -1.0, 1.0)
    sine = np.sqrt(1.0 - cosine**2)
    back = POLE - (toward @ POLE)[:, None] * toward
    back /= np.linalg.norm(back, axis=1, keepdims=True)
    side = np.cross(toward, back)
    swivel = np.radians(np.clip(0.55 * (channels[:, 1] + 28.0) + channels[:, SWIVEL], -22.0, 40.0))[:, None]
    bent = np.cos(swivel) * back + np.sin(swivel) * side
    elbow = shoulder + UPPER * (toward * cosine[:, None] + bent * sine[:, None])
    wrist = shoulder + toward * given[:, None]
    upper, fore = (elbow - shoulder) / UPPER, (wrist - elbow) / FORE
    hinge = np.cross(toward, bent)  # the elbow flexes about its opposite; +Y of both bones
    upper_world = rot.from_axes(upper, hinge, np.cross(upper, hinge))
    fore_world = rot.from_axes(fore, hinge, np.cross(fore, hinge))
    half = _about(0, 0.5 * channels[:, ROLL])  # half of the forearm's roll lies in the elbow, half in the wrist
    bend = rot.product(_about(2, -channels[:, FLEX]), _about(1, -channels[:, RADIAL]))
    local = np.stack(
        [
            collar,
            rot.product(rot.inverse(collar), upper_world),
            rot.product(rot.product(rot.inverse(upper_world), fore_world), half),
            rot.product(half, bend),
        ]
    )
    return Arm(local, shoulder, elbow, wrist)


def _about(axis: int, degrees: F64) -> F64:
    vector = np.zeros((len(degrees), 3))
    vector[:, axis] = np.radians(degrees)
    return rot.from_vector(vector)


def speeds(arm: Arm, rate: float) -> F64:
    """Return (4, T - 1, 3) deg/s, angular velocity of each joint in its own frame, from frame to frame."""
    step = rot.product(rot.inverse(arm.local[:, :-1]), arm.local[:, 1:])
    return np.degrees(rot.to_vector(step)) * rate
