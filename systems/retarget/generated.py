"""Motion of the sentence model's own body onto her, and what she shows back onto that body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...components.anatomy import BODY_SLOTS, FINGER_SLOTS, FINGERS, HAND_CHANNELS, SIDES, SLOTS, Anatomy
from ...components.arrays import F32, F64
from ...components.rig import Rig
from ...components.take import HandAxes
from ..kernels import retarget, rotvec
from . import smplx_body
from .fingers import channels
from .neutral import Binding, bind, show
from .recorded import finger_turns, on_neutral, orientations
from .repertoire import base_of
from .rests import Rest, rest_of

_HANDS = slice(25, 55)


@dataclass(frozen=True, slots=True)
class Onto:
    """Both bodies tied to the neutral rig, measured once on her. Root and legs are never hers to take from it."""

    rig: Rig
    anatomy: Anatomy
    hers: Binding
    model: Rest
    models: Binding
    base: F64
    axes: HandAxes
    hers_rest: Rest
    own: HandAxes

    @classmethod
    def of(cls, rig: Rig, anatomy: Anatomy) -> Onto:
        """Return what carries motion onto this avatar."""
        model = rest_of(smplx_body.body())
        rest = rest_of(rig)
        hers = bind(rest)
        own = HandAxes(hers.hinges.curl_axis, np.zeros((len(FINGER_SLOTS), 3)), hers.hinges.curl_rest, is_known=False)
        return cls(rig, anatomy, hers, model, bind(model), base_of(anatomy), smplx_body.axes(), rest, own)

    def motion(self, rotation: F32, before: F32 | None = None) -> F32:
        """Return generated rotations as she shows them: (n, 43, 3) f32 rad over her base pose, before any gain.

        rotation: (n, 55, 4) wxyz local, hands as offsets from the model's mean hand
        before:   (43, 3) rad, the frame that these follow: their vectors go on from it
        """
        turn = _with_mean(np.asarray(rotation, np.float64))
        orientation = orientations(self.model.rig.parent.tolist(), turn)
        hand = channels(finger_turns(self.model, orientation), self.axes, self.models.hinges)
        shown = show(self.hers, on_neutral(self.model, orientation), hand)
        out = np.zeros((len(shown), len(SLOTS), 3), np.float32)
        retarget.deltas(self.base, shown, np.ones(len(SLOTS)), out)
        out[:, self.anatomy.slot_joint < 0] = 0.0
        if before is not None:
            _go_on(out, np.asarray(before, np.float64))
        return out

    def back(self, rotation: F64) -> F32:
        """Return what she shows as the model's body has it, (n, 55, 4) f32 wxyz; what is not hers to tell, unturned.

        rotation: (n, J, 4) wxyz local
        """
        orientation = orientations(self.rig.parent.tolist(), rotation)
        hand = channels(finger_turns(self.hers_rest, orientation), self.own, self.hers.hinges, is_ours=True)
        shown = show(self.models, on_neutral(self.hers_rest, orientation), hand)
        out = np.zeros((len(shown), smplx_body.JOINTS, 4))
        out[..., 0] = 1.0
        for slot, name in enumerate(BODY_SLOTS):
            out[:, smplx_body.NAMES.index(name)] = shown[:, slot]
        out[:, _HANDS] = _offsets(hand, self.axes)
        return out.astype(np.float32)


def _with_mean(rotation: F64) -> F64:
    """Return rotations whose hands count from a flat hand. rotation: (n, 55, 4)."""
    out = np.ascontiguousarray(rotation)
    flat = np.ascontiguousarray(out[:, _HANDS]).reshape(-1, 4)
    vector = np.empty((len(flat), 3))
    rotvec.log_each(flat, vector)
    vector = (vector.reshape(len(out), -1, 3) + smplx_body.mean_hands()).reshape(-1, 3)
    rotvec.exp_each(np.ascontiguousarray(vector), flat)
    out[:, _HANDS] = flat.reshape(len(out), -1, 4)
    return out


def _offsets(hand: F64, axes: HandAxes) -> F64:
    """Return finger channels as the model's hands have them, (n, 30, 4) wxyz, joints 25 to 54. hand: (n, 2, 16)."""
    out = np.zeros((len(hand), len(FINGER_SLOTS), 3))
    for slot, name in enumerate(FINGER_SLOTS):
        side = next(k for k, s in enumerate(SIDES) if name.startswith(s))
        curl = _curl(hand[:, side], name.removeprefix(SIDES[side]), float(axes.shown[slot]))
        out[:, smplx_body.SLOT[slot] - 25] = (curl - axes.shown[slot])[:, None] * axes.axis[slot] + axes.zero[slot]
    out -= smplx_body.mean_hands()
    turned = np.empty((len(hand) * len(FINGER_SLOTS), 4))
    rotvec.exp_each(np.ascontiguousarray(out.reshape(-1, 3)), turned)
    return turned.reshape(len(hand), -1, 4)


def _curl(hand: F64, part: str, shown: float) -> F64:
    """Return how far one joint is curled, (n,) rad; thumbs stay as they are shown at rest."""
    for finger in FINGERS:
        if part.startswith(finger):
            return hand[:, HAND_CHANNELS.index(f"{finger} {part.removeprefix(finger)}".lower())]
    return np.full(len(hand), shown)


def _go_on(out: F32, before: F64) -> None:
    """Shift each slot's vectors by whole turns so that the first is nearest to `before`, in place."""
    turned, first = np.empty(4), np.empty(3)
    for slot in range(out.shape[1]):
        rotvec.exp(out[0, slot].astype(np.float64), turned)
        rotvec.log_near(turned, before[slot], first)
        if np.abs(first - out[0, slot]).max() > 1e-3:
            at = first
            for frame in range(len(out)):
                rotvec.exp(out[frame, slot].astype(np.float64), turned)
                rotvec.log_near(turned, at, at)
                out[frame, slot] = at
