"""Chains of hair and cloth that swing: the motion of VRM spring bones, solved instead of stepped.

A VRM tail moves by v <- (1 - drag) v + (stiffness axis + gravity), x <- x + v / 60 each 1/60 s and is put back to its
length from the joint (VRMC_springBone 1.0). That is one step of x'' = -c x' + (c / drag) (stiffness axis + gravity)
with c = -60 ln(1 - drag) on a sphere. Here the angle to the balance of all forces follows the closed form of a damped
oscillator, so the settled shape does not depend on the step, and the motion hardly does; no step can blow up.
"""

from __future__ import annotations

import math
from typing import Any

from . import quat
from .arrays import F64, I32, Bool
from .compiled import njit

STEP = 1.0 / 60.0  # s, the step in which VRM's drag is a share
LEAP = 20.0  # m/s: a joint that moves faster has been put elsewhere; a thrown ball's speed, no head reaches it
LOOSEST, TIGHTEST = 1e-6, 0.999  # of drag: at 0 and 1 the formulas divide by zero
_TINY = 1e-12


@njit(cache=True, allocates=False)
def swing(
    parent: I32, offset: F64, rest: F64, below: I32, row: I32, tail_of: F64, pull: F64, gravity: F64, drag: F64,
    radius: F64, center: I32, first: I32, count: I32, touch: I32, collider: I32, start: F64, end: F64, size: F64,
    tail: F64, velocity: F64, head: F64, aim: F64, fresh: Bool, work: F64, place: F64,
    rotation: F64, position: F64, world: F64, dt: float,
) -> int:  # fmt: skip
    """Turn spring joints so that their tails follow, carry what hangs on them; return how many were put to rest.

    parent, offset, rest: Rig.parent, rest_offset, rest_rotation
    below .. size: as in SpringSet (`pull` is its stiffness, `tail_of` its tail)
    tail, velocity, head, aim, fresh, work, place: as in Springs, written
    rotation, position, world: Pose.rotation, world_position, world_rotation, written for the joints of `below`
    dt: s, > 0
    """
    resets = 0
    # views made here once: making them for each joint was half of the time
    axis, p, force, wind, now, before, pushed = work[0], work[1], work[2], work[3], work[4], work[5], work[6]
    for c in range(collider.shape[0]):
        j = collider[c]
        turn = world[j]
        quat.rotate(turn, start[c], axis)
        quat.rotate(turn, end[c], p)
        for i in range(3):
            place[c, 0, i] = axis[i] + position[j, i]
            place[c, 1, i] = p[i] + position[j, i]
    for b in range(below.shape[0]):
        j = below[b]
        above, at, turn = world[parent[j]], position[j], world[j]
        quat.rotate(above, offset[j], at)
        for i in range(3):
            at[i] += position[parent[j], i]
        k = row[b]
        if k < 0:
            quat.mul(above, rotation[j], turn)
            continue
        quat.mul(above, rest[j], turn)
        resets += _one(
            k, at, turn, tail_of, pull[k], gravity, drag[k], radius[k], center[k], first[k], count[k], touch, size,
            tail, velocity, head, aim, fresh, axis, p, force, wind, now, before, pushed, place, position, world, dt,
        )  # fmt: skip
        quat.between(above, turn, rotation[j])
        quat.normalise(rotation[j], rotation[j])
    return resets


@njit(cache=True, allocates=False)
def _one(
    k: Any, at: F64, turn: F64, tail_of: F64, pull: Any, gravity: F64, drag: Any, radius: Any, center: Any,
    first: Any, count: Any, touch: I32, size: F64, tail: F64, velocity: F64, head: F64, aim: F64, fresh: Bool,
    axis: F64, p: F64, force: F64, wind: F64, now: F64, before: F64, pushed: F64, place: F64, position: F64,
    world: F64, dt: float,
) -> int:  # fmt: skip
    """Move one tail, write where the joint turns (`turn`, avatar frame, its rest on entry); 1 if it was put to rest."""
    length = 0.0
    for i in range(3):
        axis[i] = tail_of[k, i]
        length += axis[i] * axis[i]
    length = math.sqrt(length)
    quat.rotate(turn, axis, axis)
    for i in range(3):
        axis[i] /= length
        p[i] = at[i]
        force[i] = pull * axis[i] + gravity[k, i]
    if not math.isfinite(p[0] + p[1] + p[2] + axis[0] + axis[1] + axis[2]):
        fresh[k] = True  # the pose is broken: nothing of it may be remembered
        return 1
    if center >= 0:
        for i in range(3):
            p[i] -= position[center, i]
        quat.rotate_back(world[center], p, p)
        quat.rotate_back(world[center], force, force)
    loss = min(max(drag, LOOSEST), TIGHTEST)
    c = -math.log(1.0 - loss) / STEP
    moved = 0.0
    for i in range(3):
        wind[i] = (p[i] - head[k, i]) / dt  # the joint's own way through the air
        moved += wind[i] * wind[i]
    reset = fresh[k] or not moved < LEAP * LEAP
    if not reset:
        for i in range(3):
            now[i] = tail[k, i] - head[k, i]
            before[i] = velocity[k, i] - wind[i]
            # the mean of then and now: with the force of now alone 60 steps a second differ by 4 mm from 960
            pushed[i] = c / loss * 0.5 * (force[i] + aim[k, i]) - c * wind[i]
        _follow(now, before, pushed, length, c, dt)
        for i in range(3):
            before[i] += wind[i]
        reset = not math.isfinite(now[0] + now[1] + now[2] + before[0] + before[1] + before[2])
    if reset:
        strong = math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2)
        if not strong > _TINY:  # nothing pulls it: its rest
            for i in range(3):
                force[i] = axis[i]
            if center >= 0:
                quat.rotate_back(world[center], force, force)
            for i in range(3):
                now[i] = force[i]
                force[i] = 0.0
        else:
            for i in range(3):
                now[i] = force[i] / strong
        for i in range(3):
            before[i] = wind[i] = 0.0
    for i in range(3):
        now[i] *= length
    if count > 0:
        _collide(now, before, wind, at, length, radius, center, first, count, touch, size, place, world, pushed)
    for i in range(3):
        head[k, i] = p[i]
        aim[k, i] = force[i]
        tail[k, i] = p[i] + now[i]
        velocity[k, i] = before[i]
    fresh[k] = False
    if center >= 0:
        quat.rotate(world[center], now, now)
    quat.arc(axis, now, pushed)
    quat.mul(pushed, turn, turn)
    return 1 if reset else 0


@njit(cache=True, allocates=False)
def _follow(way: F64, speed: F64, force: F64, length: float, c: float, dt: float) -> None:
    """Write the unit direction and the velocity, m/s, of a tail after dt under a constant force.

    way: (3+,) m, joint to tail, written as unit; speed: (3+,) m/s, against the joint, written
    force: (3+,) m/s^2; length: m; c: 1/s

    The balance e is the force's direction. The tail n leans from it by `lean` toward t; the vector lean t in the plane
    across e (the sphere's exponential map) is what oscillates, its two components alike.
    """
    size = math.sqrt(way[0] ** 2 + way[1] ** 2 + way[2] ** 2)
    nx, ny, nz = way[0] / size, way[1] / size, way[2] / size
    out = speed[0] * nx + speed[1] * ny + speed[2] * nz
    vx, vy, vz = (speed[0] - out * nx) / length, (speed[1] - out * ny) / length, (speed[2] - out * nz) / length
    strong = math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2)
    ex, ey, ez = nx, ny, nz
    if strong > _TINY:
        ex, ey, ez = force[0] / strong, force[1] / strong, force[2] / strong
    cosine = ex * nx + ey * ny + ez * nz
    tx, ty, tz = nx - cosine * ex, ny - cosine * ey, nz - cosine * ez
    sine = math.sqrt(tx * tx + ty * ty + tz * tz)
    lean = math.atan2(sine, cosine)
    if sine < 1e-9:  # at the balance or opposite it: the way it moves
        part = vx * ex + vy * ey + vz * ez
        tx, ty, tz = vx - part * ex, vy - part * ey, vz - part * ez
        if tx * tx + ty * ty + tz * tz < 1e-18:
            tx, ty, tz = (0.0, ez, -ey) if abs(ex) < 0.7 else (-ez, 0.0, ex)
        sine = math.sqrt(tx * tx + ty * ty + tz * tz)
    tx, ty, tz = tx / sine, ty / sine, tz / sine
    bx, by, bz = ey * tz - ez * ty, ez * tx - ex * tz, ex * ty - ey * tx
    sine = math.sin(lean)
    # where a full circle is short, near the point opposite the balance, turning round it must not count for more
    wide = lean / sine if lean < 3.0 and sine > 1e-9 else 1.0
    along = vx * (cosine * tx - sine * ex) + vy * (cosine * ty - sine * ey) + vz * (cosine * tz - sine * ez)
    round_ = (vx * bx + vy * by + vz * bz) * wide
    stay, carry, slow, back = _oscillator(strong / length * max(1.0 / wide, 0.0), c, dt)
    x, y = lean * stay + along * carry, round_ * carry
    along, round_ = along * slow + lean * back, round_ * slow
    lean = math.sqrt(x * x + y * y)
    u, w = (x / lean, y / lean) if lean > _TINY else (1.0, 0.0)
    tx, ty, tz, bx, by, bz = (
        u * tx + w * bx, u * ty + w * by, u * tz + w * bz, u * bx - w * tx, u * by - w * ty, u * bz - w * tz,
    )  # fmt: skip
    sine, cosine = math.sin(lean), math.cos(lean)
    along, round_ = along * u + round_ * w, (round_ * u - along * w) * (sine / lean if lean > 1e-9 else 1.0)
    way[0], way[1], way[2] = cosine * ex + sine * tx, cosine * ey + sine * ty, cosine * ez + sine * tz
    speed[0] = length * (along * (cosine * tx - sine * ex) + round_ * bx)
    speed[1] = length * (along * (cosine * ty - sine * ey) + round_ * by)
    speed[2] = length * (along * (cosine * tz - sine * ez) + round_ * bz)


@njit(cache=True, allocates=False)
def _oscillator(stiff: float, c: float, dt: float) -> tuple[float, float, float, float]:
    """Return how y'' = -c y' - stiff y goes on after dt: y = y0 a + v0 b, v = v0 d + y0 e, as (a, b, d, e)."""
    half = 0.5 * c
    gap = stiff - half * half
    if gap > 1e-6:
        w, decay = math.sqrt(gap), math.exp(-half * dt)
        even, odd = decay * math.cos(w * dt), decay * math.sin(w * dt) / w
    elif gap < -1e-6:
        w = math.sqrt(-gap)
        slow, fast = math.exp((w - half) * dt), math.exp(-(w + half) * dt)
        even, odd = 0.5 * (slow + fast), 0.5 * (slow - fast) / w
    else:
        decay = math.exp(-half * dt)
        even, odd = decay, decay * dt
    return even + half * odd, odd, even - half * odd, -stiff * odd


@njit(cache=True, allocates=False)
def _collide(
    way: F64, speed: F64, wind: F64, at: F64, length: float, radius: float, center: int, first: int, count: int,
    touch: I32, size: F64, place: F64, world: F64, push: F64,
) -> None:  # fmt: skip
    """Turn a tail out of its colliders at constant length, and stop what of its speed goes into them.

    way, speed, wind: m and m/s in the center's frame; place: collider ends, avatar frame
    """
    if center >= 0:
        quat.rotate(world[center], way, way)
    for _ in range(2):  # out of one may be into the next
        hit = False
        for n in range(first, first + count):
            c = touch[n]
            ax, ay, az = place[c, 0, 0], place[c, 0, 1], place[c, 0, 2]
            dx, dy, dz = place[c, 1, 0] - ax, place[c, 1, 1] - ay, place[c, 1, 2] - az
            rx, ry, rz = at[0] + way[0] - ax, at[1] + way[1] - ay, at[2] + way[2] - az
            square = dx * dx + dy * dy + dz * dz
            t = 0.0
            if square > _TINY:
                t = min(max((rx * dx + ry * dy + rz * dz) / square, 0.0), 1.0)
            rx, ry, rz = rx - t * dx, ry - t * dy, rz - t * dz
            away = math.sqrt(rx * rx + ry * ry + rz * rz)
            deep = size[c] + radius - away
            if not deep > 0.0 or away < 1e-9:
                continue
            hit = True
            push[0], push[1], push[2] = rx / away, ry / away, rz / away
            for i in range(3):
                way[i] += deep * push[i]
            far = math.sqrt(way[0] ** 2 + way[1] ** 2 + way[2] ** 2)
            if far > 1e-9:
                for i in range(3):
                    way[i] *= length / far
            if center >= 0:
                quat.rotate_back(world[center], push, push)
            into = 0.0
            for i in range(3):
                into += (speed[i] - wind[i]) * push[i]
            if into < 0.0:
                for i in range(3):
                    speed[i] -= into * push[i]
        if not hit:
            break
    if center >= 0:
        quat.rotate_back(world[center], way, way)
