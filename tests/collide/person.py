"""A person of tubes in any build: the skin that capsules are fitted to, with the truth known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesics.components.rig import Rig
from kinesics.components.skin import Body, Material, Mesh, Skin
from kinesics.components.springs import SpringSet
from tests import talker

FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
AROUND = 24  # corners of a tube's section


@dataclass(frozen=True)
class Build:
    """How she is made. Everything at its default is a slim grown woman.

    girth: of the trunk; hips: of the hips against that; without: parts of bone names that she lacks
    skirt, hair: m, how far they hang down; swings: hair and skirt on spring joints; named: hair has its own material
    sleeve: m, radius of a sleeve at the wrist, over the arm; inner: a body below her skin
    turned: every joint has a frame of its own in rest; seed: of those
    """

    scale: float = 1.0
    girth: float = 1.0
    hips: float = 1.0
    without: tuple[str, ...] = ()
    skirt: float = 0.0
    hair: float = 0.0
    swings: bool = True
    sleeve: float = 0.0
    turned: bool = False
    inner: bool = False
    material: str = "skin"
    named: bool = False


def person(build: Build = Build()) -> Body:
    """Return her as a file would give her."""
    names, parent, position = _bones(build)
    rig = _rig(names, parent, position, build.turned)
    at = dict(zip(names, position, strict=True))
    tubes: list[tuple[str, list[np.ndarray], list[tuple[float, float]], str]] = []
    g, s = build.girth, build.scale
    trunk = [n for n in ("hips", "spine", "chest", "upperChest") if n in at]
    heights = [0.86 * s, *[at[n][1] + 0.02 * s for n in trunk[1:]], 1.38 * s]
    widths = (
        np.interp(heights, [0.86 * s, 1.0 * s, 1.1 * s, 1.3 * s, 1.38 * s], [0.165, 0.14, 0.125, 0.15, 0.13]) * g * s
    )
    widths[0] *= build.hips
    for k, name in enumerate(trunk):
        ends = [np.array([0.0, h, 0.0]) for h in (heights[k], heights[k + 1])]
        tubes.append((name, ends, [(widths[k], 0.68 * widths[k]), (widths[k + 1], 0.68 * widths[k + 1])], "x"))
    tubes.append(_tube(at, "neck", [0.0, 1.37, 0.0], [0.0, 1.47, 0.01], 0.055, 0.05, s, trunk))
    tubes.append(_tube(at, "head", [0.0, 1.46, 0.01], [0.0, 1.68, 0.01], 0.075, 0.07, s, trunk))
    for side, x in (("left", 1.0), ("right", -1.0)):
        for name, onward, r0, r1 in (
            ("UpperArm", "LowerArm", 0.048, 0.04),
            ("LowerArm", "Hand", 0.039, 0.028),
            ("UpperLeg", "LowerLeg", 0.078 * build.hips * g, 0.055),
            ("LowerLeg", "Foot", 0.054, 0.038),
        ):
            if side + name in at and side + onward in at:
                tubes.append(
                    (side + name, [at[side + name], at[side + onward]], [(r0 * s, r0 * s), (r1 * s, r1 * s)], "x")
                )
        if side + "Hand" in at:
            start = at[side + "Hand"]
            tubes.append(
                (side + "Hand", [start, start + np.array([0.09 * s * x, 0.0, 0.0])], [(0.035 * s, 0.013 * s)] * 2, "z")
            )
        for finger in FINGERS:
            chain = [n for n in names if n.startswith(side + finger)]
            for k, name in enumerate(chain):
                end = at[chain[k + 1]] if k + 1 < len(chain) else at[name] + np.array([0.02 * s * x, 0.0, 0.0])
                tubes.append((name, [at[name], end], [(0.008 * s, 0.008 * s)] * 2, "x"))
        foot = at.get(side + "Foot")
        if foot is not None:
            ends = [foot * [1, 0, 1] + [0, 0.035 * s, -0.05 * s], foot * [1, 0, 1] + [0, 0.03 * s, 0.17 * s]]
            tubes.append((side + "Foot", ends, [(0.04 * s, 0.03 * s)] * 2, "x"))
    meshes = [_mesh(names, tubes, 0)]
    if build.inner:
        meshes.append(
            _mesh(names, [(n, e, [(a - 0.02, b - 0.015) for a, b in r], w) for n, e, r, w in tubes[: len(trunk)]], 0)
        )
    if build.sleeve:
        wide = [(0.042 * s, 0.042 * s), (build.sleeve * s, build.sleeve * s)]
        bells = [(n, [at[n], at[n[:-8] + "Hand"]], wide, "x") for n in ("leftLowerArm", "rightLowerArm")]
        meshes.append(_mesh(names, bells, 0, is_open=True))
    springs = None
    loose = [name for name in names if name.startswith(("strand", "hem"))]
    if build.skirt:
        low = (0.9 - build.skirt) * s
        holder = "hem" if build.swings else "hips"
        wide = [(0.17 * g * s, 0.15 * g * s), ((0.17 + 0.35 * build.skirt) * g * s, (0.15 + 0.3 * build.skirt) * g * s)]
        meshes.append(
            _mesh(names, [(holder, [np.array([0, 0.95 * s, 0]), np.array([0, low, 0])], wide, "x")], 0, is_open=True)
        )
    if build.hair:
        holder = "strand" if build.swings else "head"
        ends = [np.array([0, 1.66 * s, -0.06 * s]), np.array([0, (1.66 - build.hair) * s, -0.12 * s])]
        meshes.append(
            _mesh(names, [(holder, ends, [(0.07 * s, 0.03 * s), (0.09 * s, 0.03 * s)], "x")], int(build.named))
        )
    if loose:
        springs = _springs(np.array(sorted(names.index(name) for name in loose)))
    world, turn = _world(rig)
    bind = np.tile(np.eye(4), (1, len(names), 1, 1))
    bind[0, :, :3, :3] = turn.transpose(0, 2, 1)
    bind[0, :, :3, 3] = -np.einsum("jba,jb->ja", turn, world)
    materials = (Material(build.material), Material("long hair"))
    return Body("person", "glTF", rig, Skin(tuple(meshes), bind, materials), (), digest="", springs=springs)


def _bones(build: Build) -> tuple[list[str], list[int], np.ndarray]:
    """Return names, parents and places in rest of the bones she has."""
    rig = talker.rig()
    place = np.zeros((len(rig.names), 3))
    for joint, offset in enumerate(rig.rest_offset):
        place[joint] = offset + (place[rig.parent[joint]] if rig.parent[joint] >= 0 else 0.0)
    kept = [k for k, name in enumerate(rig.names) if not any(part in name for part in build.without)]
    names = [rig.names[k] for k in kept]
    parent = []
    for k in kept:
        above = int(rig.parent[k])
        while above >= 0 and above not in kept:
            above = int(rig.parent[above])
        parent.append(kept.index(above) if above >= 0 else -1)
    position = list(place[kept] * build.scale)
    for name, holder, at in (("strand", "head", [0, 1.6, -0.08]), ("hem", "hips", [0, 0.9, 0.1])):
        if build.swings and (build.hair if name == "strand" else build.skirt):
            names.append(name)
            parent.append(names.index(holder))
            position.append(np.array(at) * build.scale)
    return names, parent, np.array(position)


def _rig(names: list[str], parent: list[int], position: np.ndarray, turned: bool) -> Rig:
    random = np.random.default_rng(4)
    world = np.tile([1.0, 0.0, 0.0, 0.0], (len(names), 1))
    if turned:
        world = random.normal(size=(len(names), 4))
        world /= np.linalg.norm(world, axis=1, keepdims=True)
    offset, rotation = position.copy(), world.copy()
    for k, p in enumerate(parent):
        if p >= 0:
            offset[k] = matrix(world[p]).T @ (position[k] - position[p])
            rotation[k] = times(world[p] * [1, -1, -1, -1], world[k])
    humanoid = {n: k for k, n in enumerate(names) if "Twist" not in n and n not in ("strand", "hem")}
    return Rig(tuple(names), np.arange(len(names)), np.array(parent), offset, rotation, humanoid)


def times(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the product of two wxyz quaternions."""
    w, v = a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
    return np.array([w, *v])


def matrix(q: np.ndarray) -> np.ndarray:
    """Return the (3, 3) matrix of a wxyz quaternion."""
    w, v = q[0], q[1:]
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2.0 * (w * cross + cross @ cross)


def _world(rig: Rig) -> tuple[np.ndarray, np.ndarray]:
    """Return where joints are in rest and how they are turned: (J, 3), (J, 3, 3)."""
    place, turn = np.zeros((len(rig.names), 3)), np.zeros((len(rig.names), 3, 3))
    for k, p in enumerate(rig.parent):
        turn[k] = matrix(rig.rest_rotation[k]) if p < 0 else turn[p] @ matrix(rig.rest_rotation[k])
        place[k] = rig.rest_offset[k] if p < 0 else place[p] + turn[p] @ rig.rest_offset[k]
    return place, turn


def _tube(
    at: dict[str, np.ndarray], name: str, start: list[float], end: list[float], wide: float, deep: float, s: float,
    trunk: list[str],
) -> tuple[str, list[np.ndarray], list[tuple[float, float]], str]:  # fmt: skip
    """Return a tube of the neck or head; it hangs on the trunk where she has no such bone."""
    holder = name if name in at else trunk[-1]
    return holder, [np.array(start) * s, np.array(end) * s], [(wide * s, deep * s)] * 2, "x"


def _mesh(
    names: list[str],
    tubes: list[tuple[str, list[np.ndarray], list[tuple[float, float]], str]],
    material: int,
    is_open: bool = False,
) -> Mesh:
    """Return tubes, closed unless they are open, each on one bone.

    A tube: bone, ends, (half width, half depth) at each, direction of width.
    """
    points, normals, joints, triangles, first = [], [], [], [], 0
    for bone, (start, end), sizes, wide in tubes:
        z = (end - start) / np.linalg.norm(end - start)
        x = np.array([1.0, 0, 0]) if wide == "x" else np.array([0, 0, 1.0])
        if abs(x @ z) > 0.9:
            x = np.array([0.0, 1.0, 0.0])
        x = x - (x @ z) * z
        x /= np.linalg.norm(x)
        y = np.cross(z, x)
        turn = np.arange(AROUND) * 2.0 * np.pi / AROUND
        rings = 9
        for k in range(rings):
            t = k / (rings - 1)
            a, b = ((1 - t) * sizes[0][i] + t * sizes[1][i] for i in (0, 1))
            way = np.cos(turn)[:, None] * x * a + np.sin(turn)[:, None] * y * b
            points.append(start + t * (end - start) + way)
            flat = np.cos(turn)[:, None] * x / a + np.sin(turn)[:, None] * y / b
            normals.append(flat / np.linalg.norm(flat, axis=1, keepdims=True))
        corner = np.arange(AROUND)
        for k in range(rings - 1):
            low, on = first + k * AROUND + corner, first + k * AROUND + (corner + 1) % AROUND
            triangles += [np.c_[low, on, low + AROUND], np.c_[on, on + AROUND, low + AROUND]]
        count = rings * AROUND
        for place, way, ring in () if is_open else ((start, -z, 0), (end, z, rings - 1)):
            points.append(place[None])
            normals.append(way[None])
            ring_corner = first + ring * AROUND + corner
            triangles.append(
                np.c_[np.full(AROUND, first + count), ring_corner, first + ring * AROUND + (corner + 1) % AROUND]
            )
            count += 1
        joints.append(np.full(count, names.index(bone)))
        first += count
    position, joint = np.concatenate(points).astype(np.float32), np.concatenate(joints)
    weight = np.zeros((len(position), 4), np.float32)
    weight[:, 0] = 1.0
    held = np.zeros((len(position), 4), np.uint16)
    held[:, 0] = joint
    normal = np.concatenate(normals).astype(np.float32)
    return Mesh(
        "body", position, normal, np.zeros((len(position), 2), np.float32), np.ones((len(position), 4), np.float32),
        held, weight, np.concatenate(triangles).astype(np.uint32), 0, material,
    )  # fmt: skip


def _springs(joint: np.ndarray) -> SpringSet:
    k = len(joint)
    one, none = np.ones(k), np.zeros(k, np.int32)
    return SpringSet(
        joint, np.tile([0.0, -0.1, 0.0], (k, 1)), one, np.zeros((k, 3)), 0.4 * one, 0.02 * one, none - 1, none, none,
        np.zeros(0), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), joint, np.arange(k),
    )  # fmt: skip
