"""Where she looks: the head's share of a turn toward a point, and eyes that hold it whatever the head does."""

from __future__ import annotations

import math

from . import quat, rotvec, spring
from .arrays import F64, I32
from .compiled import njit

TURN = 7  # floats of the head's memory: yaw, pitch, both speeds, where motion has the head of late (2), 1 while in use
EYES = 9  # floats of the eyes' memory: shown, wanted, gap (2 each), s since a jump, s it takes, 1 once used
ROWS = 12  # of what looks are driven by: in, out, down, up of the left eye, of the right, then left, right, down, up

_RATE = 8.0  # 1/s: the head is half way after 0.21 s, nine tenths after 0.49: 40 degrees take people 0.4 to 0.6 s
_EASY_YAW, _EASY_PITCH = math.radians(8.0), math.radians(6.0)  # the eyes do alone: a third of what they can (choice)
_SHARE = 0.85  # of the rest that the head takes: people end with their eyes nearly, not quite, straight
_MOST_YAW, _MOST_PITCH = math.radians(55.0), math.radians(25.0)  # of neck and head together, comfortable
_NECK = 0.4  # of the turn; the rest is the head's: seven neck joints, the upper two turn most
_SLOW = 0.8  # 1/s, how fast "of late" follows: nods and shakes of speech stay, a head that stays turned is made up for
_STILL = 1e-5  # rad and rad/s under which a turn is over
_JUMP = math.radians(1.2)  # in a tick; the eyes follow up to 72 deg/s smoothly, faster they jump
_FIXED_S, _PER_RAD_S = 0.021, 0.0022 * 180.0 / math.pi  # s: a saccade of a degrees takes 21 + 2.2 a ms (Carpenter 1988)
_CROSS = math.radians(6.0)  # that each eye turns in at most for what is near


@njit(cache=True, allocates=False)
def turn(
    parent: I32, offset: F64, neck: int, head: int, below: I32, frame: F64, between: F64, point: F64, looks: bool,
    dt: float, memory: F64, work: F64, rotation: F64, position: F64, world: F64,
) -> None:  # fmt: skip
    """Turn neck and head toward a point, over whatever motion they have.

    parent: (J,) i32; offset: (J, 3) m; neck, head: joints, neck -1 where she has none
    below: joints that hang on the neck (the head without one), itself left out, parents first
    frame: (4,) wxyz, the head joint in the base pose, avatar frame; between: (3,) m, between her eyes, head's frame
    point: (3,) m, avatar frame; looks: False lets the head go back
    memory: (TURN,) rad and rad/s; work: (4, 4) scratch
    rotation: (J, 4) local, position: (J, 3) m, world: (J, 4), changed
    """
    facing, was, v, step = work[0], work[1], work[2], work[3]
    quat.conj(frame, step)
    quat.mul(world[head], step, facing)
    v[0] = 0.0
    v[1] = 0.0
    v[2] = 1.0
    quat.rotate(facing, v[:3], v[:3])
    keep = math.exp(-_SLOW * dt)
    yaw, pitch = math.atan2(v[0], v[2]), math.asin(min(max(v[1], -1.0), 1.0))
    if memory[6] == 0.0:
        memory[4] = 0.0
        memory[5] = 0.0
        memory[6] = 1.0
    memory[4] = yaw + (memory[4] - yaw) * keep
    memory[5] = pitch + (memory[5] - pitch) * keep
    aim_yaw, aim_pitch = 0.0, 0.0
    if looks:
        quat.rotate(world[head], between, v[:3])
        for k in range(3):
            v[k] = point[k] - position[head, k] - v[k]
        aim_yaw = _share(math.atan2(v[0], v[2]) - memory[4], _EASY_YAW, _MOST_YAW)
        aim_pitch = _share(math.atan2(v[1], math.sqrt(v[0] * v[0] + v[2] * v[2])) - memory[5], _EASY_PITCH, _MOST_PITCH)
    memory[0], memory[2] = spring.step(memory[0], memory[2], aim_yaw, _RATE, dt)
    memory[1], memory[3] = spring.step(memory[1], memory[3], aim_pitch, _RATE, dt)
    if not looks and abs(memory[0]) + abs(memory[1]) < _STILL and abs(memory[2]) + abs(memory[3]) < _STILL:
        for k in range(TURN):
            memory[k] = 0.0
        return
    _about(memory[0], memory[1], step)
    rotvec.log(step, v[:3])
    quat.mul(step, world[head], was)
    first = head
    if neck >= 0:
        first = neck
        for k in range(3):
            v[k] *= _NECK
        rotvec.exp(v[:3], step)
        _set(parent, neck, step, rotation, world)
    else:
        _set(parent, head, step, rotation, world)
    for j in below:
        p = parent[j]
        quat.rotate(world[p], offset[j], position[j])
        for k in range(3):
            position[j, k] += position[p, k]
        if j == head and first != head:
            quat.normalise(was, world[j])
            quat.between(world[p], world[j], rotation[j])
        else:
            quat.mul(world[p], rotation[j], world[j])


@njit(cache=True, allocates=False)
def eyes(
    parent: I32, offset: F64, head: int, eye: I32, below: I32, frame: F64, place: F64, point: F64, looks: bool,
    shift: F64, limit: F64, channel: I32, row: I32, per: F64, dt: float, memory: F64, work: F64,
    rotation: F64, position: F64, world: F64, weight: F64,
) -> float:  # fmt: skip
    """Point the eyes, joints or shapes, at a point or straight ahead, and return how far they jump now, rad, 0 mostly.

    parent, offset, head, frame: as in `turn`; eye: (2,) joints, left and right, or -1; below: joints that hang on them
    place: (2, 3) m, each eye in the head's frame; point: (3,) m, avatar frame; looks: False is straight ahead
    shift: (2,) rad, yaw to her left and pitch up beside that; limit: (4,) rad of gaze: in, out, down, up
    channel, row, per: (K,) her shapes, what drives each (ROWS), 1/rad
    memory: (EYES,); work: (8, 4) scratch; rotation, position, world: changed in her eyes
    weight: (M,) 0..1, a shape is raised to what the eyes ask for
    """
    facing, back, v, q, drive = work[0], work[1], work[2], work[3], work[4:7].reshape(12)
    quat.conj(frame, q)
    quat.mul(world[head], q, facing)
    quat.conj(facing, back)
    angle = work[7]  # yaw and pitch of the left eye, of the right
    for k in range(4):
        angle[k] = 0.0
    if looks:
        for side in range(2):
            quat.rotate(world[head], place[side], v[:3])
            for k in range(3):
                v[k] = point[k] - position[head, k] - v[k]
            quat.rotate(back, v[:3], v[:3])
            angle[2 * side] = math.atan2(v[0], v[2])
            angle[2 * side + 1] = math.atan2(v[1], math.sqrt(v[0] * v[0] + v[2] * v[2]))
    cross = min(max(0.5 * (angle[2] - angle[0]), 0.0), _CROSS)
    wide = min(limit[0], limit[1])
    yaw = min(max(0.5 * (angle[0] + angle[2]) + shift[0], -wide), wide)
    pitch = min(max(0.5 * (angle[1] + angle[3]) + shift[1], -limit[2]), limit[3])
    jumped = _jump(yaw, pitch, dt, memory)
    for side in range(2):
        toward = memory[0] - cross if side == 0 else memory[0] + cross  # positive to her left
        out = toward if side == 0 else -toward
        drive[4 * side] = min(max(-out, 0.0), limit[0])
        drive[4 * side + 1] = min(max(out, 0.0), limit[1])
        drive[4 * side + 2] = max(-memory[1], 0.0)
        drive[4 * side + 3] = max(memory[1], 0.0)
        j = eye[side]
        if j >= 0:
            out = drive[4 * side + 1] - drive[4 * side]
            _about(out if side == 0 else -out, memory[1], v)
            quat.mul(facing, v, q)
            quat.mul(q, back, v)
            _set(parent, j, v, rotation, world)
    for j in below:
        p = parent[j]
        quat.rotate(world[p], offset[j], position[j])
        for k in range(3):
            position[j, k] += position[p, k]
        quat.mul(world[p], rotation[j], world[j])
    drive[8] = max(memory[0], 0.0)
    drive[9] = max(-memory[0], 0.0)
    drive[10] = drive[2]
    drive[11] = drive[3]
    for k in range(channel.shape[0]):
        c = channel[k]
        weight[c] = max(weight[c], min(drive[row[k]] * per[k], 1.0))
    return jumped


@njit(cache=True, allocates=False)
def _jump(yaw: float, pitch: float, dt: float, memory: F64) -> float:
    """Follow the wanted direction: smoothly where it is slow, in one jump as fast as eyes are where it is not."""
    far = 0.0
    if memory[8] == 0.0:
        memory[8] = 1.0
    elif abs(yaw - memory[2]) + abs(pitch - memory[3]) > _JUMP:
        memory[4] = memory[0] - yaw
        memory[5] = memory[1] - pitch
        memory[6] = 0.0
        far = math.sqrt(memory[4] * memory[4] + memory[5] * memory[5])
        memory[7] = _FIXED_S + _PER_RAD_S * far
    memory[2] = yaw
    memory[3] = pitch
    memory[6] += dt
    left = 0.0
    if memory[6] < memory[7]:
        x = memory[6] / memory[7]
        left = 1.0 - x * x * x * (10.0 - x * (15.0 - 6.0 * x))
    memory[0] = yaw + memory[4] * left
    memory[1] = pitch + memory[5] * left
    return far


@njit(cache=True, allocates=False)
def _share(angle: float, easy: float, most: float) -> float:
    """Return how far the head turns for a gaze so far off: nothing where it is easy for the eyes."""
    beyond = (abs(angle) - easy) * _SHARE
    if beyond <= 0.0:
        return 0.0
    return math.copysign(min(beyond, most), angle)


@njit(cache=True, allocates=False)
def _about(yaw: float, pitch: float, out: F64) -> None:
    """Write a turn to her left by `yaw` after one upward by `pitch`, rad. out: (4,)."""
    cy, sy, cp, sp = math.cos(0.5 * yaw), math.sin(0.5 * yaw), math.cos(0.5 * pitch), -math.sin(0.5 * pitch)
    out[0] = cy * cp
    out[1] = cy * sp
    out[2] = sy * cp
    out[3] = -sy * sp


@njit(cache=True, allocates=False)
def _set(parent: I32, joint: int, turned: F64, rotation: F64, world: F64) -> None:
    """Turn one joint, avatar frame, without those below it."""
    quat.mul(turned, world[joint], world[joint])
    quat.normalise(world[joint], world[joint])
    if parent[joint] < 0:
        quat.copy(world[joint], rotation[joint])
    else:
        quat.between(world[parent[joint]], world[joint], rotation[joint])
