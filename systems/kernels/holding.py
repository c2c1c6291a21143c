"""Her arms in a held posture on one tick: along the way into it, and where they lie as the trunk breathes and sways."""

from __future__ import annotations

import numpy as np

from . import placing, quat, twist, vec
from .arrays import F64, I32
from .compiled import njit


@njit(cache=True)
def pose(
    parent: I32, offset: F64, rest: F64, twists: I32, twist_axis: F64, twist_share: F64, below: I32,
    collar: F64, hang: F64, length: F64, neutral: F64, turn: F64, place: F64, joint: I32, carrier: I32, fingers: I32,
    path_wrist: F64, path_hand: F64, path_swivel: F64, path_girdle: F64, path_closed: F64, finger: F64, on: I32,
    at: F64, tie: I32, share: F64, end_links: F64, end_joints: F64, first: int, frame: float, weight: float,
    rotation: F64, position: F64, world: F64,
) -> None:  # fmt: skip
    """Put both arms where a hold has them, over a pose that is composed already.

    parent .. twist_share: as in Rig and Anatomy; below .. fingers: as in Reach; path_wrist .. end_joints: as in Hold
    frame: of the way, 0 hanging; weight: 0..1 how much of this shows beside what the arms did
    rotation: (J, 4) local, position: (J, 3) m, world: (J, 4), changed
    """
    wrist, hand = np.empty((2, 3)), np.empty((2, 3, 3))
    swivel, girdle, closed = np.empty(2), np.empty((2, 2)), np.empty(2)
    links, joints, told = np.zeros((2, 4, 3, 3)), np.zeros((2, 3, 3)), np.zeros((2, 6))
    k = min(int(frame), path_wrist.shape[0] - 2)
    t = min(frame - k, 1.0)
    q = np.empty(4)
    for s in range(2):
        swivel[s] = path_swivel[k, s] + t * (path_swivel[k + 1, s] - path_swivel[k, s])
        closed[s] = path_closed[k, s] + t * (path_closed[k + 1, s] - path_closed[k, s])
        for i in range(3):
            wrist[s, i] = path_wrist[k, s, i] + t * (path_wrist[k + 1, s, i] - path_wrist[k, s, i])
        for i in range(2):
            girdle[s, i] = path_girdle[k, s, i] + t * (path_girdle[k + 1, s, i] - path_girdle[k, s, i])
        quat.slerp(path_hand[k, s], path_hand[k + 1, s], t, q)
        quat.to_matrix(q, hand[s])
    for step in range(2):
        s = first if step == 0 else 1 - first
        if closed[s] > 0.0:
            if on[s] == 0:
                _on_trunk(
                    carrier[s], turn, place, at[s], tie[s], share[s], closed[s], position, world, wrist[s], hand[s]
                )
            elif step == 1:
                link = on[s]
                _on_arm(links[first, link], joints[first, link - 1], end_links[first, link],
                        end_joints[first, link - 1], closed[s], wrist[s], hand[s])  # fmt: skip
        placing.arm(s, collar, hang, length, wrist, hand, swivel, girdle, links, joints, told)
    work = np.empty((5, 4))
    _write(parent, neutral, turn, joint, links, weight, work, rotation)
    _close(fingers, finger, closed, weight, rotation)
    if twists.shape[0] > 0:
        twist.share(parent, rest, twists, twist_axis, twist_share, work, rotation)
    _place(parent, offset, below, rotation, position, world, work[0, :3])


@njit(cache=True, allocates=False)
def _close(fingers: I32, finger: F64, closed: F64, weight: float, rotation: F64) -> None:
    """Close the fingers of each hand as far as it has come to rest."""
    for f in range(fingers.shape[0]):
        if fingers[f] >= 0:
            part = weight * closed[f // 15]
            if part > 0.0:
                quat.slerp(rotation[fingers[f]], finger[f], part, rotation[fingers[f]])


@njit(cache=True, allocates=False)
def _place(parent: I32, offset: F64, below: I32, rotation: F64, position: F64, world: F64, shift: F64) -> None:
    """Place the joints from the collar bones down anew."""
    for n in range(below.shape[0]):
        j = below[n]
        above = parent[j]
        quat.mul(world[above], rotation[j], world[j])
        quat.rotate(world[above], offset[j], shift)
        for i in range(3):
            position[j, i] = position[above, i] + shift[i]


@njit(cache=True)
def _on_trunk(
    carrier: int, turn: F64, place: F64, at: F64, tie: I32, share: F64, close: float, position: F64, world: F64,
    wrist: F64, hand: F64,
) -> None:  # fmt: skip
    """Move a hand with the place of her trunk that it lies on, seen from the joint her arm hangs on."""
    total, q, undo, one = np.zeros(4), np.empty(4), np.empty(4), np.empty(3)
    moved = np.zeros(3)
    for n in range(tie.shape[0]):
        j = tie[n]
        if share[n] <= 0.0:
            continue
        quat.conj(turn[j], undo)
        quat.mul(world[j], undo, q)
        sign = 1.0 if q[0] * total[0] + q[1] * total[1] + q[2] * total[2] + q[3] * total[3] >= 0.0 else -1.0
        quat.rotate(q, at - place[j], one)
        for i in range(3):
            moved[i] += share[n] * (position[j, i] + one[i])
        for i in range(4):
            total[i] += sign * share[n] * q[i]
    quat.normalise(total, total)
    quat.conj(turn[carrier], undo)
    quat.mul(world[carrier], undo, q)
    quat.rotate_back(q, moved - position[carrier], one)
    for i in range(3):
        moved[i] = place[carrier, i] + one[i]
    quat.between(q, total, undo)
    by = np.empty((3, 3))
    quat.to_matrix(undo, by)
    _carry(by, moved + vec.apply(by, wrist - at), close, wrist, hand)


@njit(cache=True)
def _on_arm(link: F64, joint: F64, end_link: F64, end_joint: F64, close: float, wrist: F64, hand: F64) -> None:
    """Move a hand with the link of the other arm that it lies on."""
    by = vec.product(link, end_link.T)
    _carry(by, joint + vec.apply(by, wrist - end_joint), close, wrist, hand)


@njit(cache=True)
def _carry(by: F64, moved: F64, close: float, wrist: F64, hand: F64) -> None:
    """Take a hand along by a turn and to a place, as far as it has come to rest."""
    turned, q, p = vec.product(by, hand), np.empty(4), np.empty(4)
    quat.from_matrix(hand, q)
    quat.from_matrix(turned, p)
    quat.slerp(q, p, close, q)
    quat.to_matrix(q, hand)
    for i in range(3):
        wrist[i] += close * (moved[i] - wrist[i])


@njit(cache=True, allocates=False)
def _write(
    parent: I32, neutral: F64, turn: F64, joint: I32, links: F64, weight: float, work: F64, rotation: F64
) -> None:  # fmt: skip
    """Write the local rotations of both arms, seen from the base pose's trunk. work: (5, 4), room."""
    above, wanted, local, q, before = work[0], work[1], work[2], work[3], work[4]
    for s in range(2):
        last = -1
        for k in range(4):
            j = joint[s, k]
            if j < 0:
                continue
            quat.from_matrix(links[s, k], q)
            quat.mul(q, turn[j] if k == 0 else neutral[s, k], wanted)
            if last < 0:
                quat.copy(turn[parent[j]], above)
            else:
                quat.identity(q)
                p = parent[j]
                while p != last and p >= 0:  # a twist joint on the chain
                    quat.mul(rotation[p], q, q)
                    p = parent[p]
                quat.mul(before, q, above)
            quat.between(above, wanted, local)
            if weight < 1.0:
                quat.slerp(rotation[j], local, weight, rotation[j])
            else:
                quat.copy(local, rotation[j])
            quat.copy(wanted, before)
            last = j
