"""A planted leg: the knee between a hip and an ankle that stays, and the three local rotations that put them there."""

from __future__ import annotations

import math

from . import quat
from .arrays import F64, I32
from .compiled import njit

_FLAT = 1e-12  # below this share of its length a vector lies along another


@njit(cache=True, allocates=False)
def reached(distance: float, low: float, high: float, margin: float) -> float:
    """Return the distance a limb of two bones takes for a wanted one: the same, but eased within `margin` of its ends.

    Slope 1 where the ease begins and no end to it, so that a leg is never pulled straight with a pop.

    distance: m, hip to wanted ankle; low, high: m, difference and sum of the bones' lengths
    margin: m, > 0; the ease has this length constant and begins this far from each end
    """
    if distance > high - margin:
        return high - margin * math.exp((high - margin - distance) / margin)
    if distance < low + margin:
        return low + margin * math.exp((distance - low - margin) / margin)
    return distance


@njit(cache=True, allocates=False)
def solve(hip: F64, target: F64, thigh: float, shank: float, pole: F64, reach: float, knee: F64, ankle: F64) -> float:
    """Write knee and ankle of a leg in its bend plane and return how far the ankle stays from the target, m.

    Exact while the target is within `reach` of the whole length. A target in the hip itself hangs straight down; a
    pole along the leg bends it across the leg, some way.

    hip, target: (3,) m, any one frame with +Y up
    thigh, shank: m, > 0
    pole: (3,) any length, same frame: the way the knee points; only its part across the leg counts
    reach: < 1: share of thigh + shank from which on the ankle lags behind the target (`reached`)
    knee, ankle: (3,) m, written; may be the same arrays as hip and target
    """
    hx, hy, hz = hip[0], hip[1], hip[2]
    tx, ty, tz = target[0], target[1], target[2]
    x, y, z = tx - hx, ty - hy, tz - hz
    length = thigh + shank
    wanted = math.sqrt(x * x + y * y + z * z)
    if wanted > _FLAT * length:
        x, y, z = x / wanted, y / wanted, z / wanted
    else:
        x, y, z = 0.0, -1.0, 0.0
    distance = reached(wanted, abs(thigh - shank), length, max((1.0 - reach) * length, _FLAT * length))
    # in the bend plane: `along` the line from hip to ankle, `out` from it to the knee (law of cosines)
    along = 0.5 * (distance + (thigh - shank) * length / distance)
    out = math.sqrt(max((thigh - along) * (thigh + along), 0.0))

    size = math.sqrt(pole[0] * pole[0] + pole[1] * pole[1] + pole[2] * pole[2])
    dot = x * pole[0] + y * pole[1] + z * pole[2]
    px, py, pz = pole[0] - dot * x, pole[1] - dot * y, pole[2] - dot * z
    across = math.sqrt(px * px + py * py + pz * pz)
    if not across > _FLAT * size:
        px, py, pz = (0.0, z, -y) if abs(x) < 0.5 else (-z, 0.0, x)
        across = math.sqrt(px * px + py * py + pz * pz)
    out /= across

    knee[0] = hx + along * x + out * px
    knee[1] = hy + along * y + out * py
    knee[2] = hz + along * z + out * pz
    ankle[0], ankle[1], ankle[2] = tx, ty, tz
    if distance != wanted:
        ankle[0], ankle[1], ankle[2] = hx + distance * x, hy + distance * y, hz + distance * z
    return abs(distance - wanted)


@njit(cache=True, allocates=False)
def aim(parent_world: F64, rest: F64, direction: F64, wanted: F64, out: F64) -> None:
    """Write the local rotation nearest to `rest`, so without roll about the bone, that points the bone a wanted way.

    parent_world: (4,) orientation of the joint's parent, avatar frame
    rest: (4,) local rotation the roll is counted from
    direction: (3,) the bone in the joint's own frame, any length
    wanted: (3,) avatar frame, any length; overwritten
    out: (4,) local, written; not the same array as `rest`
    """
    quat.rotate_back(parent_world, wanted, wanted)
    quat.rotate_back(rest, wanted, wanted)
    quat.arc(direction, wanted, out)
    quat.mul(rest, out, out)


@njit(cache=True, allocates=False)
def _span(parent: I32, offset: F64, rotation: F64, top: int, bottom: int, place: F64, turn: F64) -> None:
    """Write where `bottom` is (3,) and how its parent is turned (4,) in the frame of its ancestor `top`.

    Some rigs cut a thigh or a shank into two joints in a row; those between keep their local rotation.
    """
    for k in range(3):
        place[k] = offset[bottom, k]
    quat.identity(turn)
    j = parent[bottom]
    while j != top:
        quat.rotate(rotation[j], place, place)
        for k in range(3):
            place[k] += offset[j, k]
        quat.mul(rotation[j], turn, turn)
        j = parent[j]


@njit(cache=True, allocates=False)
def plant(
    parent: I32,
    offset: F64,
    base: F64,
    world_position: F64,
    world_orientation: F64,
    rotation: F64,
    upper: int,
    lower: int,
    foot: int,
    ankle_target: F64,
    foot_world: F64,
    pole: F64,
    reach: float = 0.9985,
) -> float:
    """Write the leg that keeps a foot where it stands, and return how far its ankle stays from the target, m.

    Reads the world rows of the upper leg's parent; writes the local and world rows of upper leg, lower leg and foot,
    nothing else: whatever hangs below them, and joints between them, still wait for `fk.world`.

    parent: (J,) i32; offset: (J, 3) m, Rig.rest_offset; base: (J, 4) local, what the roll is counted from
    world_position: (J, 3) m, world_orientation: (J, 4) wxyz, avatar frame
    rotation: (J, 4) wxyz local
    upper, lower, foot: joints, each below the one before
    ankle_target: (3,) m, foot_world: (4,) wxyz, pole: (3,) the way the knee points; all in the avatar frame
    reach: 0.9 .. 1, share of the leg's length from which on a target is only neared (`reached`); 0.9985 lets the
        knee of a 0.8 m leg keep 2 cm of bend where the ease begins
    """
    hip, knee, ankle = world_position[upper], world_position[lower], world_position[foot]
    above, thigh, shank = world_orientation[upper], world_orientation[lower], world_orientation[foot]
    fw, fx, fy, fz = foot_world[0], foot_world[1], foot_world[2], foot_world[3]
    if parent[upper] >= 0:
        quat.copy(world_orientation[parent[upper]], above)
        quat.rotate(above, offset[upper], hip)
        for k in range(3):
            hip[k] += world_position[parent[upper], k]
    else:
        quat.identity(above)

    # rows that are written last hold the vectors until then: nothing is allocated in a tick
    bone, way = rotation[foot, :3], shank[:3]
    _span(parent, offset, rotation, lower, foot, bone, thigh)
    shank_length = math.sqrt(bone[0] * bone[0] + bone[1] * bone[1] + bone[2] * bone[2])
    _span(parent, offset, rotation, upper, lower, bone, thigh)
    thigh_length = math.sqrt(bone[0] * bone[0] + bone[1] * bone[1] + bone[2] * bone[2])
    short = solve(hip, ankle_target, thigh_length, shank_length, pole, reach, knee, ankle)

    for k in range(3):
        way[k] = knee[k] - hip[k]
    aim(above, base[upper], bone, way, rotation[upper])
    quat.mul(above, rotation[upper], above)
    quat.mul(above, thigh, thigh)  # the lower leg's parent

    _span(parent, offset, rotation, lower, foot, bone, shank)
    for k in range(3):
        way[k] = ankle[k] - knee[k]
    aim(thigh, base[lower], bone, way, rotation[lower])
    quat.mul(thigh, rotation[lower], thigh)

    _span(parent, offset, rotation, lower, foot, bone, shank)
    quat.mul(thigh, shank, shank)  # the foot's parent
    quat.conj(shank, rotation[foot])
    shank[0], shank[1], shank[2], shank[3] = fw, fx, fy, fz
    quat.mul(rotation[foot], shank, rotation[foot])
    return short


@njit(cache=True, allocates=False)
def drop(hip: F64, ankle: F64, length: float, reach: float) -> float:
    """Return how far the hip must sink, m, until the ankle is within reach; negative: so much it may still rise.

    An ankle out of reach to the side even then gives the height of the hip above it, the best that sinking can do.

    hip, ankle: (3,) m, +Y up; length: m, thigh + shank; reach: share of it that shall suffice
    """
    x, z = ankle[0] - hip[0], ankle[2] - hip[2]
    most = reach * length
    return hip[1] - ankle[1] - math.sqrt(max(most * most - x * x - z * z, 0.0))
