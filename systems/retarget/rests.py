"""Directions in her rest pose that every alignment starts from: arms, elbow hinges, palms. Avatar frame."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...components.anatomy import FINGERS, KNUCKLES
from ...components.arrays import F64
from ...components.rig import Rig
from ..kernels import fk, quat

SIGN = {"left": 1.0, "right": -1.0}  # of x: her left is +X

# An elbow bent less than the first angle in rest says nothing about its hinge (file noise), more than the second
# says all: choice between the 7-39 degrees of modelled A-poses and the 0-2 degrees of T-poses.
HINGE_FROM, HINGE_FULL = math.radians(4.0), math.radians(12.0)


@dataclass(frozen=True, slots=True)
class Rest:
    """Her rest pose in the avatar's frame. position: (J, 3) m; orientation: (J, 4) wxyz."""

    rig: Rig
    position: F64
    orientation: F64

    def at(self, bone: str) -> F64 | None:
        """Return a humanoid bone's position, or None where she has none."""
        joint = self.rig.humanoid.get(bone)
        return None if joint is None else self.position[joint]

    def children(self, joint: int) -> F64:
        """Return the positions of a joint's children, (C, 3) m."""
        return self.position[np.flatnonzero(self.rig.parent == joint)]


def rest_of(rig: Rig) -> Rest:
    """Return where every joint is and how it is turned in rest."""
    position, orientation = np.empty((len(rig.names), 3)), np.empty((len(rig.names), 4))
    rotation = rig.rest_rotation.copy()  # writable, as a tick's: numba compiles another version for frozen ones
    fk.world(rig.parent, rig.rest_offset, np.zeros(3), rotation, position, orientation)
    return Rest(rig, position, orientation)


def unit(v: F64) -> F64 | None:
    """Return v at length 1, or None where it has no length (under 1 um)."""
    length = float(np.linalg.norm(v))
    return v / length if length > 1e-6 else None


def toward(start: F64 | None, ends: Iterable[F64 | None]) -> F64 | None:
    """Return the direction from `start` to the first of `ends` that exists and is not the same place."""
    if start is None:
        return None
    for end in ends:
        if end is not None and (direction := unit(end - start)) is not None:
            return direction
    return None


def across(v: F64, axis: F64) -> F64 | None:
    """Return the direction of v's part across a unit axis, or None where v lies along it."""
    return unit(v - axis * float(v @ axis))


@dataclass(frozen=True, slots=True)
class Palm:
    """One hand in rest. forward: (3,) unit, wrist to middle knuckle; normal: (3,) unit, out of the palm, or None."""

    forward: F64 | None
    normal: F64 | None


def palm_of(rest: Rest, side: str) -> Palm:
    """Return a hand's axes from its knuckles; what too few fingers leave open is None."""
    wrist = rest.at(side + "Hand")
    if wrist is None:
        return Palm(None, None)
    knuckles = [knuckle_of(rest, side, finger) for finger in FINGERS]
    present = [k for k in knuckles if k is not None]
    if present:
        middle = knuckles[1] if knuckles[1] is not None else np.mean(present, axis=0)
        forward = unit(middle - wrist)
    else:
        ends = rest.children(rest.rig.humanoid[side + "Hand"])
        forward = unit(ends.mean(axis=0) - wrist) if len(ends) else None
    if forward is None:
        return Palm(None, None)
    if len(present) >= 2:
        radial = present[0] - present[-1]  # little to index: toward the thumb
    elif (thumb := toward(wrist, (rest.at(side + name) for name in ("ThumbProximal", "ThumbMetacarpal")))) is not None:
        radial = thumb
    else:
        return Palm(forward, None)
    normal = np.cross(forward, radial) * SIGN[side]
    # knuckles on one line with the wrist span no palm: under a tenth of the radial line's length is noise
    if np.linalg.norm(normal) < max(0.1 * np.linalg.norm(radial), 1e-4):
        return Palm(forward, None)
    return Palm(forward, unit(normal))


def knuckle_of(rest: Rest, side: str, finger: str) -> F64 | None:
    """Return where a finger starts: its first joint that exists."""
    places = (rest.at(side + finger + knuckle) for knuckle in KNUCKLES)
    return next((place for place in places if place is not None), None)


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm in rest, unit directions.

    upper, lower: (3,) along the bones, None where they are missing
    hinge: (3,) what the elbow bends about, across the upper arm: a turn about it brings the hand forward
    """

    upper: F64 | None
    lower: F64 | None
    hinge: F64


def arm_of(rest: Rest, side: str) -> Arm:
    """Return an arm's directions; the hinge from the elbow's own bend, or, straight, as a lowered T-pose has it."""
    shoulder, elbow, wrist = (rest.at(side + part) for part in ("UpperArm", "LowerArm", "Hand"))
    upper = toward(shoulder, (elbow, wrist))
    lower = toward(elbow, (wrist,))
    if lower is None and elbow is not None:  # a stump: any child, else straight on
        ends = rest.children(rest.rig.humanoid[side + "LowerArm"])
        lower = unit(ends.mean(axis=0) - elbow) if len(ends) else upper
    g = SIGN[side]
    if upper is None:
        return Arm(None, lower, np.array([0.0, -g, 0.0]))
    lowered = turn_between(np.array([g, 0.0, 0.0]), upper)
    hinge = lowered @ np.array([0.0, -g, 0.0])
    if lower is not None:
        bend = np.cross(upper, lower)
        size = math.atan2(float(np.linalg.norm(bend)), float(upper @ lower))
        x = min(max((size - HINGE_FROM) / (HINGE_FULL - HINGE_FROM), 0.0), 1.0)
        weight = x * x * (3.0 - 2.0 * x)
        seen = unit(bend)
        if weight > 0.0 and seen is not None:  # a forearm folded back onto the upper arm has no hinge to show
            if seen @ hinge < 0.0:  # bent backward in rest: the same hinge, seen from its other end
                seen = -seen
            blended = across((1.0 - weight) * hinge + weight * seen, upper)
            hinge = blended if blended is not None else hinge
    return Arm(upper, lower, hinge)


def turn_between(u: F64, v: F64) -> F64:
    """Return the (3, 3) matrix of the shortest turn from direction u to v."""
    q, matrix = np.empty(4), np.empty((3, 3))
    quat.arc(u, v, q)
    quat.to_matrix(q, matrix)
    return matrix


def frame(x: F64, y: F64) -> F64:
    """Return the (3, 3) columns x, y across x, and x cross y. y must not lie along x."""
    side = across(y, x)
    if side is None:
        raise ValueError("a frame needs two directions")
    return np.stack([x, side, np.cross(x, side)], axis=1)
