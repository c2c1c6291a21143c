"""The fence's head on one tick: her arms as they are seen from chest, hips and thighs in, a proposal out.

A dense layer, a gated recurrent unit and a linear layer, each a product with plain weights. What it proposed on the
tick before is one of its inputs. The order of all sums is fixed: the same poses give the same bits.
"""

from __future__ import annotations

import math

from . import quat
from .arrays import F32, F64, I32
from .compiled import njit

HIDDEN = 64  # floats that it remembers by
CORRECTION = 18  # rad, six rotation vectors, as in Contacts
# Places in `joints`; an arm's eight follow each other, left first
CHEST, HIPS, HEAD, THIGH, ARM = 0, 1, 2, 3, 5
COLLAR, UPPER, LOWER, HAND, KNUCKLE, FINGER, THUMB = 0, 1, 2, 3, 4, 5, 6  # of an arm
OF_ARM = 7
JOINTS = ARM + 2 * OF_ARM
_FROM_CHEST = (UPPER, LOWER, HAND, KNUCKLE, FINGER, THUMB)  # points looked at from the chest
_FROM_HIPS = (LOWER, HAND, KNUCKLE, FINGER)
_FROM_THIGH = (HAND, KNUCKLE, FINGER, THUMB)
_TURNS = (UPPER, LOWER, HAND)
_MOVING = (LOWER, HAND, KNUCKLE)
SEEN = (
    2 * 3 * (6 + 4 + 4 + 2 * 3 + 3) + 2 * 6 + 4
)  # floats of a pose: points, turns, speeds; hips and head; hands apart
INPUTS = SEEN + CORRECTION
RATE = 60.0  # Hz, of the ticks it was trained on
LAST, PLACES, KNOWN = (
    HIDDEN,
    HIDDEN + CORRECTION,
    HIDDEN + CORRECTION + 18,
)  # places in a memory, after the hidden state
STATE = KNOWN + 1
OUTPUTS = CORRECTION + 2  # with how open each arm's gate is
_METRE = 4.0  # 1/m: a hand's places differ by a quarter of a metre
ROOM = 24  # floats to look at a pose in


@njit(cache=True, allocates=False)
def propose(
    world: F64, position: F64, joints: I32, enter: F32, entered: F32, take: F32, taken: F32, keep: F32, kept: F32,
    leave: F32, left: F32, seen: F64, work: F32, memory: F64, out: F64,
) -> None:  # fmt: skip
    """Write the correction that is proposed for this pose, and remember what the next tick asks for.

    world: (J, 4) wxyz, position: (J, 3) m, avatar frame: the pose before any correction
    joints: (JOINTS,) i32; enter, entered: (INPUTS, E), (E,); take, taken: (E, 3 HIDDEN), (3 HIDDEN,)
    keep, kept: (HIDDEN, 3 HIDDEN), (3 HIDDEN,); leave, left: (HIDDEN, OUTPUTS), (OUTPUTS,)
    seen: (SEEN + ROOM,), work: (INPUTS + E + 6 HIDDEN + HIDDEN + OUTPUTS,): room to work in
    memory: (STATE,), zeros after a spawn, changed; out: (18,) rad, written
    """
    see(world, position, joints, memory, seen)
    width = entered.shape[0]
    x, e = work[:INPUTS], work[INPUTS : INPUTS + width]
    first = INPUTS + width
    own, past = work[first : first + 3 * HIDDEN], work[first + 3 * HIDDEN : first + 6 * HIDDEN]
    h = work[first + 6 * HIDDEN : first + 7 * HIDDEN]
    y = work[first + 7 * HIDDEN : first + 7 * HIDDEN + OUTPUTS]
    for k in range(SEEN):
        x[k] = seen[k]
    for k in range(CORRECTION):
        x[SEEN + k] = memory[LAST + k]
    for k in range(HIDDEN):
        h[k] = memory[k]
    _product(enter, entered, x, e)
    for k in range(width):
        if e[k] < 0.0:
            e[k] = 0.0
    _product(take, taken, e, own)
    _product(keep, kept, h, past)
    for k in range(2 * HIDDEN):
        own[k] = 0.5 + 0.5 * _tanh(0.5 * (own[k] + past[k]))  # reset, hold
    for k in range(HIDDEN):
        own[2 * HIDDEN + k] = _tanh(own[2 * HIDDEN + k] + own[k] * past[2 * HIDDEN + k])
    for k in range(HIDDEN):
        memory[k] = own[2 * HIDDEN + k] + own[HIDDEN + k] * (memory[k] - own[2 * HIDDEN + k])
        h[k] = memory[k]
    _product(leave, left, h, y)
    for side in range(2):
        gate = 0.5 + 0.5 * _tanh(0.5 * y[CORRECTION + side])
        for k in range(9 * side, 9 * side + 9):
            out[k] = gate * y[k]
            memory[LAST + k] = out[k]


@njit(cache=True, allocates=False)
def see(world: F64, position: F64, joints: I32, memory: F64, seen: F64) -> None:
    """Write what the head sees of a pose, SEEN floats near 1, and where the arms are into the memory.

    seen: (SEEN + ROOM,); memory: its PLACES and KNOWN are read and changed
    """
    chest, count = joints[CHEST], 0
    q, v, far = seen[SEEN : SEEN + 4], seen[SEEN + 4 : SEEN + 7], seen[SEEN + 8 : SEEN + 20]
    for side in range(2):
        arm = joints[ARM + OF_ARM * side : ARM + OF_ARM * side + OF_ARM]
        for point in _FROM_CHEST:
            count = _place(world, position, chest, arm[point], v, seen, count)
        for point in _FROM_HIPS:
            count = _place(world, position, joints[HIPS], arm[point], v, seen, count)
        for point in _FROM_THIGH:
            count = _place(world, position, joints[THIGH + side], arm[point], v, seen, count)
        for point in _TURNS:
            count = _turn(world, chest, arm[point], q, seen, count)
        for which in range(3):
            at, j = PLACES + 9 * side + 3 * which, arm[_MOVING[which]]
            for k in range(3):
                far[k] = position[j, k] - position[chest, k]
            quat.rotate_back(world[chest], far[:3], v)
            for k in range(3):
                seen[count] = RATE * (v[k] - memory[at + k]) if memory[KNOWN] > 0.0 else 0.0
                memory[at + k] = v[k]
                count += 1
    for j in (joints[HIPS], joints[HEAD]):
        count = _turn(world, chest, j, q, seen, count)
    for point in (HAND, KNUCKLE, FINGER, THUMB):
        square = 0.0
        for k in range(3):
            step = position[joints[ARM + point], k] - position[joints[ARM + OF_ARM + point], k]
            square += step * step
        seen[count] = _METRE * math.sqrt(square)
        count += 1
    memory[KNOWN] = 1.0


@njit(cache=True, allocates=False)
def see_each(world: F64, position: F64, joints: I32, memory: F64, room: F64, out: F32) -> None:
    """Write what the head sees of successive poses. world: (F, J, 4), position: (F, J, 3); out: (F, SEEN)."""
    for f in range(world.shape[0]):
        see(world[f], position[f], joints, memory, room)
        for k in range(SEEN):
            out[f, k] = room[k]


@njit(cache=True, allocates=False)
def _place(world: F64, position: F64, frame: int, joint: int, v: F64, seen: F64, count: int) -> int:
    """Append where a joint is as seen from another one."""
    to = seen[count : count + 3]
    for k in range(3):
        v[k] = position[joint, k] - position[frame, k]
    quat.rotate_back(world[frame], v, to)
    for k in range(3):
        to[k] *= _METRE
    return count + 3


@njit(cache=True, allocates=False)
def _turn(world: F64, frame: int, joint: int, q: F64, seen: F64, count: int) -> int:
    """Append the first two columns of a joint's rotation as seen from another one."""
    quat.between(world[frame], world[joint], q)
    w, x, y, z = q[0], q[1], q[2], q[3]
    seen[count], seen[count + 1] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)
    seen[count + 2], seen[count + 3] = 2.0 * (x * z - w * y), 2.0 * (x * y - w * z)
    seen[count + 4], seen[count + 5] = 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)
    return count + 6


@njit(cache=True, allocates=False)
def _tanh(x: float) -> float:
    """Return the hyperbolic tangent to 1e-8, without a branch: sixteen at once, where the C library's is one by one.

    Lambert's continued fraction at a quarter of the angle, doubled twice.
    """
    x = min(max(0.25 * x, -4.0), 4.0)
    s = x * x
    t = x * (135135.0 + s * (17325.0 + s * (378.0 + s))) / (135135.0 + s * (62370.0 + s * (3150.0 + s * 28.0)))
    t = 2.0 * t / (1.0 + t * t)
    return 2.0 * t / (1.0 + t * t)


@njit(cache=True, allocates=False)
def _product(weight: F32, bias: F32, x: F32, out: F32) -> None:
    """Write x @ weight + bias. weight: (inputs, outputs), inputs a multiple of 4."""
    for i in range(out.shape[0]):
        out[i] = bias[i]
    for j in range(0, weight.shape[0], 4):
        a, b, c, d = x[j], x[j + 1], x[j + 2], x[j + 3]
        for i in range(out.shape[0]):
            out[i] += (weight[j, i] * a + weight[j + 1, i] * b) + (weight[j + 2, i] * c + weight[j + 3, i] * d)
