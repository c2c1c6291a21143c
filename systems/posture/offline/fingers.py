"""Fingers closed on skin until they touch, then the thumb laid beside them."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from ....components.anatomy import BODY_SLOTS, FINGER_SLOTS, FINGERS, HAND_CHANNELS, KNUCKLES, SIDES, THUMB
from ....components.arrays import F64
from ...kernels import quat
from ...retarget.neutral import show
from .cover import PALMS, Cover, Target
from .shown import Shower

STEP = math.radians(3.0)
TOGETHER = np.array([1.0, 1.15, 0.7])  # how base, middle and end bend while nothing is touched
OPENED = math.radians(-12.0)  # base knuckle: where closing starts
RELAXED = np.radians([14.0, 20.0, 12.0])  # of a finger that meets nothing
MOST = np.radians([75.0, 90.0, 60.0])
ALONE = math.radians(65.0)  # most of a joint that goes on by itself
TOUCH = np.array([1.2e-3, 1.6e-3, 1.6e-3])  # m, at which a joint counts as touching: sway takes up to 0.9 mm of it
THUMB_GAP = 1.5e-3  # m
THUMB_POINTS = 450  # that stand for a thumb's skin while hundreds of its turns are tried
THUMB_CURL = np.radians([14.0, 12.0, 8.0])  # flex, end, opposition of a thumb that lies
# What is tried of its base: turned toward the fingers in the palm's plane, out of that plane, and the end's bend. Bent
# about its hinge alone a thumb stuck up like a flag; turned, it draws the ball of the hand along, up to 5 mm.
BESIDE, OUT, BENT = (
    np.radians(np.arange(a, b, c)) for a, b, c in ((-15.0, 51.0, 9.0), (-55.0, 36.0, 10.0), (2.0, 40.0, 16.0))
)
LIES = np.radians([15.0, 0.0])  # beside, out of the plane
THUMBS = [HAND_CHANNELS.index("thumb " + word) for word in ("flex", "end", "opposition")]
SPREAD = math.radians(2.0)  # fingers that hold lie together


@dataclass(frozen=True, slots=True)
class Closed:
    """Fingers of one hand.

    channels: (16,) rad HAND_CHANNELS; thumb: (3, 4) wxyz local of its joints; laid: (3,) rad beside, out and bent
    """

    channels: F64
    thumb: F64
    laid: F64


class Hand:
    """One hand of a pose, its palm where it is, fingers free to move. root: her shift; rotation: (J, 4) local."""

    def __init__(self, shower: Shower, cover: Cover, side: int, rotation: F64, rest: tuple[F64, F64, F64]) -> None:
        self.shower, self.side = shower, side
        rig = shower.arms.figure.rig
        self.rig, self.rotation = rig, rotation.copy()
        self.place, self.turn = shower.world(rotation)
        point, place, turn = rest
        arms, facing, matrix = shower.arms, np.empty(4), np.empty((3, 3))
        quat.conj(arms.neutral[side, 3], facing)
        quat.mul(self.turn[arms.joint[side, 3]], facing.copy(), facing)
        quat.to_matrix(facing, matrix)
        self.normal, self.length = -matrix[:, 1], (1.0 if side == 0 else -1.0) * matrix[:, 0]
        names = [*(f + k for f in FINGERS for k in KNUCKLES), *THUMB]
        self.joint = [rig.humanoid.get(SIDES[side] + n, -1) for n in names]
        thumb = [j for j in self.joint[12:] if j >= 0]
        own = np.flatnonzero((cover.group == PALMS[side]) & np.isin(cover.joint, thumb))
        chosen = np.zeros(len(cover.at), np.bool_)
        chosen[own[:: max(len(own) // THUMB_POINTS, 1)]] = True
        self.thumb = cover.part(chosen)
        self.skin: list[F64] = []
        own = cover.group == PALMS[side]
        for j in self.joint:
            chosen = point[own & (cover.joint == j)] if j >= 0 else np.zeros((0, 3))
            back = np.empty((3, 3))
            if j >= 0:
                quat.to_matrix(turn[j], back)
                chosen = (chosen - place[j]) @ back
            self.skin.append(chosen[:: max(len(chosen) // 150, 1)])

    def bend(self, channels: F64) -> F64:
        """Return the (15, 4) local rotations of this hand's joints: four fingers, then the thumb."""
        hand = np.zeros((1, 2, len(HAND_CHANNELS)))
        hand[0, self.side] = channels
        shown = show(self.shower.binding, np.zeros((1, len(BODY_SLOTS), 3)), hand)[0]
        first = len(BODY_SLOTS) + len(FINGER_SLOTS) // 2 * self.side
        return shown[first : first + 15]

    def thumb_gaps(self, local: F64, target: Target) -> tuple[float, float]:
        """Return how far the thumb and its end are from a skin, m: as its skin bends, for its base turns far."""
        for j, turn in zip(self.joint[12:], local, strict=True):
            if j >= 0:
                self.rotation[j] = turn
        gap = target.gaps(self.thumb.place(self.rotation, self.shower.arms.figure.anatomy.base_root))
        end = gap[self.thumb.joint == self.joint[14]]
        return float(gap.min(initial=1.0)), float(end.min(initial=1.0))

    def gaps(self, finger: int, local: F64, target: Target) -> F64:
        """Return how far the three parts of a finger are from a skin, (3,) m. local: (3, 4)."""
        out = np.full(3, 1.0)
        moved: dict[int, tuple[F64, F64]] = {}
        for k in range(3):
            row = 3 * finger + k
            j = self.joint[row]
            if j < 0:
                continue
            self.rotation[j] = local[k]
            place, turn = self._at(j, moved)
            moved[j] = (place, turn)
            matrix = np.empty((3, 3))
            quat.to_matrix(turn, matrix)
            if len(self.skin[row]):
                out[k] = target.gap(self.skin[row] @ matrix.T + place)
        return out

    def swung(self, local: F64, beside: float, out: float) -> F64:
        """Return a thumb whose base is turned about the palm's normal, then about the hand's length, (3, 4)."""
        j = self.joint[12]
        if j < 0:
            return local
        g = 1.0 if self.side == 0 else -1.0
        above = self.turn[self.rig.parent[j]]
        undo, first, both, turned = np.empty(4), np.empty(4), np.empty(4), np.empty(4)
        quat.about(self.normal, -g * beside, first)
        quat.about(self.length, g * out, both)
        quat.mul(first, both, turned)
        quat.conj(above, undo)
        quat.mul(turned, above, both)
        quat.mul(undo, both, turned)
        made = local.copy()
        quat.mul(turned, local[0], made[0])
        return made

    def _at(self, joint: int, moved: dict[int, tuple[F64, F64]]) -> tuple[F64, F64]:
        above = int(self.rig.parent[joint])
        place, turn = moved.get(above) or (self.place[above], self.turn[above])
        shift, out = np.empty(3), np.empty(4)
        quat.rotate(turn, np.ascontiguousarray(self.rig.rest_offset[joint]), shift)
        quat.mul(turn, self.rotation[joint], out)
        return place + shift, out


def close(hand: Hand, target: Target, laid: float, before: Closed | None = None) -> Closed:
    """Return a hand closed on a skin.

    laid: base knuckle's bend at which a finger gives up, rad
    before: how it lay, its thumb stays near that; None looks everywhere
    """
    channels = np.zeros(len(HAND_CHANNELS))
    channels[HAND_CHANNELS.index("spread")] = SPREAD
    channels[THUMBS] = THUMB_CURL
    met = [_finger(hand, target, channels, finger, laid) for finger in range(4)]
    if any(met) and not all(met):  # one finger straight among bent ones points at somebody
        bent = np.mean([channels[3 * k : 3 * k + 3] for k in range(4) if met[k]], axis=0)
        for finger in (k for k in range(4) if not met[k]):
            part = slice(3 * finger, 3 * finger + 3)
            for share in (1.0, 0.75, 0.5, 0.25, 0.0):
                channels[part] = RELAXED + share * (bent - RELAXED)
                if _free(hand, target, channels, finger).min() >= 0.0:
                    break
    return Closed(channels, *_thumb(hand, target, channels, before))


def _free(hand: Hand, target: Target, channels: F64, finger: int) -> F64:
    return hand.gaps(finger, hand.bend(channels)[3 * finger : 3 * finger + 3], target) - TOUCH


def _finger(hand: Hand, target: Target, channels: F64, finger: int, laid: float) -> bool:
    """Bend one finger's joints together until one touches, those beyond it alone; return whether it met anything."""
    part = slice(3 * finger, 3 * finger + 3)

    def free(bend: F64) -> F64:
        channels[part] = bend
        return _free(hand, target, channels, finger)

    def up_to(start: F64, end: F64, first: int) -> F64:
        low, high = 0.0, 1.0
        for _ in range(5):
            middle = 0.5 * (low + high)
            if free(start + middle * (end - start))[first:].min() < 0.0:
                high = middle
            else:
                low = middle
        return start + low * (end - start)

    bend, touched = np.array([OPENED, 0.0, 0.0]), -1
    gap = free(bend)
    while gap.min() < 0.0 and bend[0] > math.radians(-20.0):  # opened on only while that helps, or it ends as a claw
        wider = bend - np.array([STEP, 0.0, 0.0])
        other = free(wider)
        if other.min() < gap.min() + 1e-4:
            break
        bend, gap = wider, other
    if gap.min() < 0.0:
        touched = int(np.argmin(gap))
    else:
        while bend[0] < laid:
            further = np.minimum(bend + STEP * TOGETHER, MOST)
            gap = free(further)
            if gap.min() < 0.0:
                touched = int(np.argmin(gap))
                bend = up_to(bend, further, 0)
                break
            bend = further
    for k in range(touched + 1 if touched >= 0 else 3, 3):
        before, met = bend.copy(), False
        while bend[k] < min(MOST[k], ALONE):
            further = bend.copy()
            further[k:] = np.minimum(further[k:] + STEP, MOST[k:])
            if free(further)[k:].min() < 0.0:
                bend, met = up_to(bend, further, k), True
                break
            bend = further
        if not met:
            bend[k:] = np.maximum(before[k:], RELAXED[k:])
    channels[part] = RELAXED if touched < 0 else bend
    return touched >= 0


def _thumb(hand: Hand, target: Target, channels: F64, before: Closed | None) -> tuple[F64, F64]:
    """Return the thumb laid near the skin, near how a thumb lies, (3, 4) and (3,): a coarse look, then fine ones."""
    end, least = HAND_CHANNELS.index("thumb end"), math.inf
    best = np.array([LIES[0], LIES[1], BENT[0]]) if before is None else before.laid
    chosen = hand.bend(channels)[12:]
    for step in (0.0, 3.0, 1.5) if before is None else (5.0, 2.5):
        near = np.radians([-step, 0.0, step])
        tries = (BESIDE, OUT, BENT) if not step else tuple(best[k] + near for k in range(3))
        order = sorted(((_unlike(*each), *each) for each in itertools.product(*tries)), key=lambda each: each[0])
        bends: dict[float, F64] = {}
        for unlike, beside, out, bent in order:
            if unlike >= least:  # her skin can only add to it
                break
            if bent not in bends:
                channels[end] = bent
                bends[bent] = hand.bend(channels)[12:].copy()
            swung = hand.swung(bends[bent], beside, out)
            gap, tip = hand.thumb_gaps(swung, target)
            cost = 4e5 * max(0.0, THUMB_GAP - gap) ** 2 + 40.0 * min(max(0.0, tip - THUMB_GAP), 0.03) + unlike
            if cost < least:
                least, chosen, best = cost, swung, np.array([beside, out, bent])
    channels[end] = best[2]
    return chosen, best


def _unlike(beside: float, out: float, bent: float) -> float:
    """Return what a thumb costs that lies otherwise than thumbs do."""
    return 0.8 * float((beside - LIES[0]) ** 2 + (out - LIES[1]) ** 2) + 0.3 * (bent - 0.2) ** 2
