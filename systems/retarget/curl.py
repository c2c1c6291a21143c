"""What each finger joint of a source bends about, measured from its motion, and what the finger guard keeps of it.

A recorded hand need not be made as hers is: SMPL-X's little finger curls 35 degrees off its middle one, and copied
rotation for rotation that curl lands on her as a twist. So each joint's rotation vector r is read along the source's
own curl axis a: turning a onto her hinge h by the shortest arc C and keeping the part about the hinge is
(C r) . h = r . a. Base knuckles keep, besides, how far they lean sideways. Nothing keeps a roll.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...components.anatomy import FINGER_SLOTS
from ...components.arrays import F64, Bool
from ...components.take import HandAxes
from .hinges import Hinges

HALF = len(FINGER_SLOTS) // 2
LEAST_TURN = math.radians(5.0)  # a joint turned by less says nothing about its axis (facts of the first real take)
LEAST_FRAMES = 30  # that say something
LEAST_SHARE = 0.85  # of the second moment along one axis, below which there is no axis
MOST_APART = math.radians(20.0)  # of both hands' axes in a mirror, above which they are not one (same facts)
ROLLS = (
    0.25  # of a base knuckle's motion about its own bone, from which on its axis is not the hinge that the rest tells
)
SPREAD_LIMIT = math.radians(12.0)  # of a base knuckle to either side
_MIRROR = np.array([1.0, -1.0, -1.0])  # of a rotation vector, across the plane between her sides


def is_base(name: str) -> bool:
    """Return whether a finger slot is a knuckle that may spread."""
    return name.endswith("Proximal") and "Thumb" not in name


@dataclass(frozen=True, slots=True)
class Measured:
    """Curl axes found in a motion. S = 30, FINGER_SLOTS.

    Fields:
        axis:  (S, 3) f64 unit, zeros where nothing was found; seen from the side on which a curl is positive
        share: (S,) f64, of the uncentred second moment that lies along the axis
        apart: (S,) f64 rad, from the other hand's mirrored axis, NaN where only one was found
    """

    axis: F64
    share: F64
    apart: F64


def moments(turn: F64) -> F64:
    """Return each joint's uncentred second moment and mean, (S, 4, 3): rows 0..2 sum r r^T, row 3 sum r.

    Those of several takes of one rig may be added. turn: (S, T, 3) rad; turns under 5 deg are left out.
    """
    out = np.zeros((len(turn), 4, 3))
    for s, r in enumerate(turn):
        large = r[np.linalg.norm(r, axis=1) > LEAST_TURN]
        if len(large) >= LEAST_FRAMES:
            out[s, :3] = large.T @ large
            out[s, 3] = large.sum(axis=0)
    return out


def axes_of(moment: F64, toward: F64) -> Measured:
    """Return the curl axes of second moments; `share` says how much of the motion is about each.

    moment: (S, 4, 3), of `moments`
    toward: (S, 3) unit: about what a curl toward the palm is positive, roughly; decides the sign where it is within
            72 deg of the axis, else the mean of the motion does: hands curl further than they stretch
    """
    count = len(moment)
    axis, share, apart = np.zeros((count, 3)), np.zeros(count), np.full(count, np.nan)
    for s in range(count):
        total = float(np.trace(moment[s, :3]))
        if total <= 0.0:
            continue
        size, vector = np.linalg.eigh(moment[s, :3])
        found = vector[:, 2]
        lean = float(found @ toward[s])
        sign = lean if abs(lean) > 0.3 else float(found @ moment[s, 3])
        axis[s] = found if sign >= 0.0 else -found
        share[s] = size[2] / total
    for s in range(HALF):
        left, right = axis[s] * _MIRROR, axis[s + HALF]
        if left.any() and right.any():
            apart[s] = apart[s + HALF] = math.atan2(float(np.linalg.norm(np.cross(left, right))), float(left @ right))
    return Measured(axis, share, apart)


def mirrored(moment: F64) -> F64:
    """Return the second moments of the other hand's motion in a mirror, (S, 4, 3) of `moments`."""
    other = np.concatenate([moment[HALF:], moment[:HALF]])
    square = other[:, :3] * _MIRROR[:, None] * _MIRROR
    return np.concatenate([square, other[:, 3:] * _MIRROR], axis=1)


def borrowed(own: Measured, pool: F64 | None, toward: F64) -> Measured:
    """Return the axes of the takes of one performer where this one's hands move too little to tell.

    Of the same side where that tells, else of both sides in a mirror if they lie within 20 deg of each other.

    pool: (S, 4, 3), the sum of `moments` over those takes, None: there are no others; toward: as in `axes_of`
    """
    if pool is None:
        return own
    axis, share = own.axis.copy(), own.share.copy()
    one, both = axes_of(pool, toward), axes_of(pool + mirrored(pool), toward)
    for s in range(len(axis)):
        if share[s] >= LEAST_SHARE:
            continue
        is_pair = both.share[s] >= LEAST_SHARE and not one.apart[s] > MOST_APART
        found = one if one.share[s] >= LEAST_SHARE else both if is_pair else None
        if found is not None:
            axis[s], share[s] = found.axis[s], found.share[s]
    return Measured(axis, share, own.apart)


def chosen(measured: Measured, hinges: Hinges) -> tuple[HandAxes, list[str]]:
    """Return the axis that each joint is read along, and where each comes from: "hinge", "measured" or "other hand".

    The measured one, else the other hand's mirrored, else the hinge that the rest tells.
    """
    axis = np.where((hinges.joint >= 0)[:, None], hinges.curl_axis, 0.0)
    source = ["hinge"] * len(axis)
    for s, name in enumerate(FINGER_SLOTS):
        if hinges.joint[s] < 0 or name.endswith("ThumbMetacarpal"):  # a saddle joint has two axes and keeps both
            continue
        other = (s + HALF) % (2 * HALF)
        candidates = ((measured.axis[s], measured.share[s], "measured"),)
        candidates += ((measured.axis[other] * _MIRROR, measured.share[other], "other hand"),)
        for found, share, where in candidates:
            if share < LEAST_SHARE:
                continue
            if is_base(name) and abs(found @ np.cross(hinges.turn_axis[s], hinges.curl_axis[s])) <= ROLLS:
                break  # it only bends and spreads: the hinge is right, and how far it spreads is kept
            axis[s], source[s] = found, where
            break
    return HandAxes(axis, np.zeros((len(axis), 3)), hinges.curl_rest.copy(), is_known=False), source


def kept(turn: F64, axis: F64) -> F64:
    """Return the share of each joint's rotation that lies about an axis, (S,); NaN where it never turns.

    turn: (S, T, 3) rad; axis: (S, 3) unit
    """
    along = np.abs(np.einsum("stk,sk->st", turn, axis)).sum(axis=1)
    whole = np.linalg.norm(turn, axis=2).sum(axis=1)
    return np.where(whole > 1e-9, along / np.maximum(whole, 1e-9), np.nan)


def leaning(direction: F64, hinges: Hinges, s: int) -> tuple[F64, F64]:
    """Return a base knuckle's curl and spread from where its bone points, (T,) rad each.

    direction: (T, 3) unit, where the rest's flat bone has gone
    """
    hinge, turn_axis = hinges.curl_axis[s], hinges.turn_axis[s]
    sign = 1.0 if s < HALF else -1.0
    normal = turn_axis * sign
    flat = np.cross(normal, hinge)
    up, side, along = direction @ normal, -(direction @ hinge), direction @ flat
    raised = np.arcsin(np.clip(up, -1.0, 1.0))
    past = along < 0.0  # curled past a right angle
    curl = np.where(past, math.pi - raised, raised)
    turn = np.where(past, np.arctan2(-side, -along), np.arctan2(side, along))
    return curl, sign * turn


def guarded(lean: F64, curl: F64, rest: float) -> tuple[F64, Bool]:
    """Return a spread within what a knuckle allows, less as it curls, and where it was held back. (T,) rad each.

    lean: absolute, 0 beside the middle finger; rest: rad, the source's own, which is always allowed on a flat hand
    """
    limit = max(SPREAD_LIMIT, abs(rest)) * np.maximum(np.cos(curl), 0.0)
    return np.clip(lean, -limit, limit), np.abs(lean) > limit + 1e-9
