"""Neutral motion onto one rig, many frames at a time: constants measured on her times the rotations of each frame."""

from __future__ import annotations

import numpy as np

from . import quat, rotvec
from .arrays import F32, F64, I32
from .compiled import njit


@njit(cache=True)
def body(neutral_parent: I32, source: I32, anchor: I32, left: F64, right: F64, rotation: F64, out: F64) -> None:
    """Write the local rotations of the body slots: left (D_anchor^-1 D_source) right, D the neutral world rotations.

    neutral_parent: (S,) i32, slot above each slot on the neutral rig, -1 at the pelvis; parents first
    source: (S,) i32, slot whose neutral world rotation each slot shows; -1: she has no such joint
    anchor: (S,) i32, source of the nearest slot above on her rig, -1 where there is none
    left, right: (S, 4)
    rotation: (F, S, 3) rad, neutral local rotation vectors
    out: (F, >= S, 4), the first S rows of each frame written
    """
    slots = neutral_parent.shape[0]
    world = np.empty((slots, 4))
    turn = np.empty(4)
    for f in range(rotation.shape[0]):
        for s in range(slots):
            rotvec.exp(rotation[f, s], turn)
            if neutral_parent[s] < 0:
                quat.copy(turn, world[s])
            else:
                quat.mul(world[neutral_parent[s]], turn, world[s])
        for s in range(slots):
            row = out[f, s]
            if source[s] < 0:
                quat.identity(row)
                continue
            if anchor[s] < 0:
                quat.copy(world[source[s]], row)
            else:
                quat.between(world[anchor[s]], world[source[s]], row)
            quat.mul(left[s], row, row)
            quat.mul(row, right[s], row)
            quat.normalise(row, row)


@njit(cache=True)
def hands(
    joint: I32,
    side: I32,
    left: F64,
    right: F64,
    curl_axis: F64,
    curl_weight: F64,
    curl_rest: F64,
    turn_axis: F64,
    turn_weight: F64,
    turn_rest: F64,
    hand: F64,
    first: int,
    out: F64,
) -> None:
    """Write the local rotations of the finger slots: left exp(turn) exp(curl) right.

    curl = (curl_weight . channels - curl_rest) about curl_axis, turn likewise: spread or opposition, after the curl.

    joint: (S,) i32, -1: she has no such joint; side: (S,) i32, 0 left, 1 right
    left, right: (S, 4); axes: (S, 3) unit; weights: (S, C); rests: (S,) rad
    hand: (F, 2, C) rad
    first: row of `out` of the first finger slot
    out: (F, >= first + S, 4), written
    """
    turn = np.empty(4)
    for f in range(hand.shape[0]):
        for s in range(joint.shape[0]):
            row = out[f, first + s]
            if joint[s] < 0:
                quat.identity(row)
                continue
            curled, turned = -curl_rest[s], -turn_rest[s]
            for c in range(hand.shape[2]):
                curled += curl_weight[s, c] * hand[f, side[s], c]
                turned += turn_weight[s, c] * hand[f, side[s], c]
            quat.about(turn_axis[s], turned, row)
            quat.about(curl_axis[s], curled, turn)
            quat.mul(row, turn, row)
            quat.mul(left[s], row, row)
            quat.mul(row, right[s], row)
            quat.normalise(row, row)


@njit(cache=True)
def deltas(base: F64, pose: F64, scale: F64, out: F32 | F64) -> None:
    """Write the rotation vectors of base^-1 pose times `scale`, each slot continuous from frame to frame.

    base: (S, 4); pose: (F, S, 4); scale: (S,); out: (F, S, 3) f32 or f64 rad
    """
    turn = np.empty(4)
    before = np.zeros(3)
    for s in range(base.shape[0]):
        before[:] = 0.0
        for f in range(pose.shape[0]):
            quat.between(base[s], pose[f, s], turn)
            rotvec.log_near(turn, before, before)
            for k in range(3):
                out[f, s, k] = before[k] * scale[s]
