"""Recorded fingers as the channels of the neutral hands: each joint read along its own axis, then guarded."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ...components.anatomy import FINGER_SLOTS, FINGERS, HAND_CHANNELS, KNUCKLES, SIDES
from ...components.arrays import F64
from ...components.take import HandAxes
from ..kernels import quat, rotvec
from .anatomy import FINGERS_HANGING
from .curl import HALF, LEAST_SHARE, axes_of, borrowed, chosen, guarded, is_base, kept, leaning, moments
from .hinges import Hinges

# How far the joints of a hand go, rad, channel by channel (low, high): a glitch in a recording breaks no finger.
# Ranges of active motion (Norkin and White, Measurement of Joint Motion) with 10 degrees to spare.
_FINGER_LIMITS = np.radians([[-30.0, 105.0], [-15.0, 120.0], [-20.0, 100.0]])
_THUMB_LIMITS = np.radians([[-40.0, 80.0], [-30.0, 95.0], [-40.0, 75.0]])
_SPREAD_LIMITS = np.radians([-8.0, 18.0])  # of the spread channel: modelled rests reach 16
_FEWEST = 5  # joints of a hand: with less (CMU has a finger and a thumb, both made up) it is shown relaxed
_FLAT = 0.05  # of the fingers' own weight: under it all are curled and nothing tells how far the hand is spread


@dataclass(frozen=True, slots=True)
class Fingers:
    """What became of each finger joint. S = 30, FINGER_SLOTS.

    Fields:
        axes:     the axes that curls were read along; source: where each is from
        share:    (S,) of the motion's second moment about the measured axis
        apart:    (S,) rad, left from mirrored right
        kept:     (S,) share of the rotation that shows, NaN where a joint is missing or never turns
        copied:   (S,) the same if rotations were copied onto a flat hand's hinges
        curl:     (S, 3) rad, p5, p50, p95 of each joint's curl
        held:     (S,) share of the frames in which a spread was held back
        moment:   (S, 4, 3) of the motion, to be pooled with those of other takes
    """

    axes: HandAxes
    source: tuple[str, ...]
    share: F64
    apart: F64
    kept: F64
    copied: F64
    curl: F64
    held: F64
    moment: F64


def fingers(
    turn: F64, hinges: Hinges, hands: HandAxes | None, *, is_ours: bool = False, pool: F64 | None = None
) -> tuple[F64, Fingers]:
    """Return HAND_CHANNELS of both hands, (T, 2, 16) f64 rad, and what became of each joint.

    turn: (30, T, 3) rad, each joint's rotation vector over its rest, on the joint above, in rest axes
    hinges: of the source's rig; hands, is_ours, pool: as in `recorded.neutral`
    """
    toward = hands.axis if hands is not None and hands.is_known else hinges.curl_axis
    moment = moments(turn)
    found = axes_of(moment, toward)
    if is_ours:
        hands = HandAxes(hinges.curl_axis, np.zeros((len(turn), 3)), hinges.curl_rest, is_known=False)
        source = ["hinge"] * len(turn)
    elif hands is None:
        hands, source = chosen(borrowed(found, pool, toward), hinges)
    else:
        source = ["given"] * len(turn)
        if hands.is_known and pool is not None:
            lent = borrowed(found, pool, toward)
            is_lent = (found.share < LEAST_SHARE) & (lent.share >= LEAST_SHARE)
            hands = replace(hands, axis=np.where(is_lent[:, None], lent.axis, hands.axis))
    hand, held, angle = _channels(turn, hands, hinges, is_ours)
    flat = np.where((hinges.joint >= 0)[:, None], hinges.curl_axis, 0.0)
    report = Fingers(
        hands,
        tuple(source),
        found.share,
        found.apart,
        _shown(turn, hands, angle),
        kept(turn, flat),
        np.percentile(angle[..., 0], (5, 50, 95), axis=1).T,
        held,
        moment,
    )
    return hand, report


def channels(turn: F64, axes: HandAxes, hinges: Hinges, *, is_ours: bool = False) -> F64:
    """Return what `fingers` does along known axes, without looking into what became of each joint: in half the time."""
    return _channels(turn, axes, hinges, is_ours)[0]


def _channels(turn: F64, axes: HandAxes, hinges: Hinges, is_ours: bool) -> tuple[F64, F64, F64]:
    """Return HAND_CHANNELS (T, 2, 16), the share of frames with a held spread (30,), and (30, T, 2) curl and lean."""
    frames = turn.shape[1]
    hand = np.tile(FINGERS_HANGING, (frames, 2, 1))
    held, angle = np.zeros(len(FINGER_SLOTS)), np.zeros((len(FINGER_SLOTS), frames, 2))
    spread = HAND_CHANNELS.index("spread")
    for number, side in enumerate(SIDES):
        rows = [s for s, name in enumerate(FINGER_SLOTS) if name.startswith(side) and hinges.joint[s] >= 0]
        if len(rows) < _FEWEST:
            continue
        leans, weights = np.zeros(frames), np.zeros(frames)
        for s in rows:
            name = FINGER_SLOTS[s]
            if name.endswith("ThumbMetacarpal") and not axes.is_known:
                angle[s] = _saddle(turn[s], hinges.curl_axis[s], hinges.turn_axis[s])
                continue
            along = (turn[s] - axes.zero[s]) @ axes.axis[s]
            if is_base(name):
                curl, lean = leaning(_pointing(turn[s], axes.axis[s], hinges, s), hinges, s)
                lean = lean + hinges.turn_rest[s]
                if not is_ours:
                    lean, over = guarded(lean, curl + axes.shown[s], float(hinges.turn_rest[s]))
                    held[s] = over.mean()
                angle[s] = np.stack([curl, lean - hinges.turn_rest[s]], axis=1)
                share = hinges.turn_weight[s, spread]
                flat = np.maximum(np.cos(curl + axes.shown[s]), 0.0) ** 2
                leans += flat * share * lean
                weights += flat * share * share
            else:
                angle[s, :, 0] = along
        if weights.any():
            hand[:, number, spread] = np.clip(leans / np.maximum(weights, _FLAT), *_SPREAD_LIMITS)
        _curls(hand[:, number], side, angle, axes, hinges)
        _thumb(hand[:, number], side, turn, angle, axes, hinges)
    return hand, held, angle


def _pointing(turn: F64, axis: F64, hinges: Hinges, s: int) -> F64:
    """Return where a base knuckle's flat bone points once its axis has been turned onto the hinge, (T, 3)."""
    onto = np.empty(4)
    quat.arc(axis, hinges.curl_axis[s], onto)
    vector = np.empty_like(turn)
    quat.rotate_each(onto[None], np.ascontiguousarray(turn), vector)
    rotation = np.empty((len(turn), 4))
    rotvec.exp_each(vector, rotation)
    normal = hinges.turn_axis[s] * (1.0 if s < HALF else -1.0)
    flat = np.cross(normal, hinges.curl_axis[s])
    out = np.empty_like(turn)
    quat.rotate_each(rotation, flat[None].copy(), out)
    return out


def _curls(hand: F64, side: str, angle: F64, axes: HandAxes, hinges: Hinges) -> None:
    """Fill in the curls of four fingers; a joint that stands for a missing one shares its curl with it."""
    missing = []
    for number, finger in enumerate(FINGERS):
        rows = [FINGER_SLOTS.index(side + finger + knuckle) for knuckle in KNUCKLES]
        if all(hinges.joint[s] < 0 for s in rows):
            missing.append(number)
        for s in rows:
            if hinges.joint[s] < 0:
                continue
            channels = np.flatnonzero(hinges.curl_weight[s])
            shown = angle[s, :, 0] + axes.shown[s]
            for c in channels:
                hand[:, c] = np.clip(shown / len(channels), *_FINGER_LIMITS[c % 3])
    for number in missing:  # a hand of three fingers: the fourth goes with its neighbour
        there = [k for k in range(len(FINGERS)) if k not in missing]
        if there:
            nearest = min(there, key=lambda k: abs(k - number))
            hand[:, 3 * number : 3 * number + 3] = hand[:, 3 * nearest : 3 * nearest + 3]


def _thumb(hand: F64, side: str, turn: F64, angle: F64, axes: HandAxes, hinges: Hinges) -> None:
    """Fill in the thumb's flexion, end and opposition."""
    flex, end, opposition = (HAND_CHANNELS.index("thumb " + word) for word in ("flex", "end", "opposition"))
    total, weights = np.zeros(len(hand)), 0.0
    for part in ("ThumbMetacarpal", "ThumbProximal", "ThumbDistal"):
        s = FINGER_SLOTS.index(side + part)
        if hinges.joint[s] < 0:
            continue
        curl = angle[s, :, 0]
        if hinges.turn_weight[s, opposition]:
            lean = angle[s, :, 1]
            if part == "ThumbMetacarpal" and axes.is_known:
                moved = _saddle(turn[s] - axes.zero[s], hinges.curl_axis[s], hinges.turn_axis[s])
                curl, lean = moved[:, 0], moved[:, 1] + FINGERS_HANGING[opposition]
            hand[:, opposition] = np.clip(lean + hinges.turn_rest[s], *_THUMB_LIMITS[2])
        weight = hinges.curl_weight[s]
        if weight[end]:
            hand[:, end] = np.clip((curl + axes.shown[s]) / weight[end], *_THUMB_LIMITS[1])
        else:
            total += weight[flex] * (curl + axes.shown[s])
            weights += weight[flex] ** 2
    if weights > 0.0:
        hand[:, flex] = np.clip(total / weights, *_THUMB_LIMITS[0])


def _saddle(turn: F64, flexion: F64, opposition: F64) -> F64:
    """Return (T, 2) rad: the angles about two axes, exp(opposition) exp(flexion), that come nearest to a rotation."""
    basis = np.stack([flexion, opposition], axis=1)
    angle = turn @ np.linalg.pinv(basis).T
    wanted = np.empty((len(turn), 4))
    rotvec.exp_each(np.ascontiguousarray(turn), wanted)
    first, second, made = np.empty_like(wanted), np.empty_like(wanted), np.empty_like(wanted)
    error, carried = np.empty_like(turn), np.empty_like(turn)
    for _ in range(6):  # Gauss-Newton; three rounds reach 1e-9 rad on turns under 90 degrees
        rotvec.exp_each(angle[:, :1] * flexion, first)
        rotvec.exp_each(angle[:, 1:] * opposition, second)
        quat.mul_each(second, first, made)
        quat.between_each(made, wanted, made)
        rotvec.log_each(made, error)
        quat.conj_each(first, first)
        quat.rotate_each(first, opposition[None].copy(), carried)
        cross = carried @ flexion
        ef, eo = error @ flexion, np.einsum("tk,tk->t", error, carried)
        scale = 1.0 / np.maximum(1.0 - cross * cross, 1e-3)
        angle = angle + np.stack([(ef - cross * eo) * scale, (eo - cross * ef) * scale], axis=1)
    return np.clip(angle, -math.pi, math.pi)


def _shown(turn: F64, axes: HandAxes, angle: F64) -> F64:
    """Return the share of each joint's rotation that is kept: about its axis, and what a base knuckle leans."""
    along = np.abs(np.einsum("stk,sk->st", turn, axes.axis))
    for s, name in enumerate(FINGER_SLOTS):
        if is_base(name) or (name.endswith("ThumbMetacarpal") and not axes.is_known):
            along[s] = np.hypot(angle[s, :, 0], angle[s, :, 1])
    whole = np.linalg.norm(turn, axis=2).sum(axis=1)
    return np.where(whole > 1e-9, np.minimum(along.sum(axis=1) / np.maximum(whole, 1e-9), 1.0), np.nan)
