"""A made-up body for the engine's tests: every freedom a file has, no file."""

from __future__ import annotations

import numpy as np

from kinesics.components.rig import Rig
from kinesics.components.skin import Body, Material, Mesh, Morph, Skin
from kinesics.systems.kernels import fk


def matrix(position: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Return (..., 4, 4) column-vector transforms of positions (m) and wxyz quaternions, in float64, the plain way."""
    w, x, y, z = np.moveaxis(rotation, -1, 0)
    out = np.zeros((*position.shape[:-1], 4, 4))
    out[..., 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1)
    out[..., 1, :3] = np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1)
    out[..., 2, :3] = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1)
    out[..., :3, 3] = position
    out[..., 3, 3] = 1
    return out


def quaternions(rng: np.random.Generator, count: int, angle: float) -> np.ndarray:
    """Return (count, 4) unit quaternions up to about `angle` rad from none."""
    vector = rng.normal(size=(count, 3)) * angle / 4
    out = np.concatenate([np.ones((count, 1)), vector], axis=1)
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def world(body: Body, rotation: np.ndarray, root: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return world positions and rotations of a local pose."""
    rig = body.rig
    position, orientation = np.empty((len(rig.names), 3)), np.empty((len(rig.names), 4))
    fk.world(rig.parent, rig.rest_offset, np.zeros(3) if root is None else root, rotation, position, orientation)
    return position, orientation


def skinned(body: Body, position: np.ndarray, rotation: np.ndarray, weight: np.ndarray) -> list[np.ndarray]:
    """Return every mesh's vertices in float64 by the sum in Mesh's docstring: the reference for read-backs."""
    joints = matrix(position, rotation)
    out = []
    for mesh in body.skin.meshes:
        points = mesh.position.astype(np.float64)
        for morph in mesh.morphs:
            points[morph.index] += weight[body.morph_names.index(morph.name)] * morph.position.astype(np.float64)
        points = np.concatenate([points, np.ones((len(points), 1))], axis=1)
        bone = joints @ body.skin.bind[mesh.skin]
        each = np.einsum("vkij,vj->vki", bone[mesh.joint], points)
        out.append(np.einsum("vk,vki->vi", mesh.weight.astype(np.float64), each)[:, :3])
    return out


def body(joints: int = 60, morphs: int = 52, rows: int = 40, seed: int = 1) -> Body:
    """Return a body with two skins of different scale and bind pose, shapes with dots in their names, a rigid part.

    joints: of the rig; morphs: shapes; rows: vertices along one side of the square grids it is made of
    """
    rng = np.random.default_rng(seed)
    parent = np.array([-1, *(rng.integers(max(0, j - 4), j) for j in range(1, joints))], dtype=np.int32)
    offset = rng.normal(size=(joints, 3)) * (0.06 if joints <= 60 else 0.03)  # m: every joint stays below 2 m
    offset[0] = (0, 0.9, 0)
    rig = Rig(
        names=tuple(f"bone.{j}" for j in range(joints)),
        node=np.arange(joints),
        parent=parent,
        rest_offset=offset,
        rest_rotation=quaternions(rng, joints, 0.6),
        humanoid={"hips": 0},
    )
    empty = Body("made-up", "glTF", rig, Skin((), np.zeros((0, joints, 4, 4)), ()), ())
    at, turned = world(empty, rig.rest_rotation)
    rest = matrix(at, turned)
    centimetres = np.diag([0.01, 0.01, 0.01, 1.0])
    other = matrix(at + rng.normal(size=at.shape) * 0.02, quaternions(rng, joints, 0.3))  # bind pose is not the rest
    bind = np.stack([np.linalg.inv(rest), np.linalg.inv(other) @ centimetres])
    names = tuple(f"bs.{m:02d}" for m in range(morphs))
    meshes = (
        grid("body", rows, (0, 0.9, 0), 1.0, rng, joints, 0, 0, ()),
        grid("face", rows, (0, 150, 6), 14.0, rng, joints, 1, 1, names),
        grid("face.eye", 8, (0, 1.5, 0.1), 0.03, rng, 1, 0, 2, ()),
        grid("all in one", rows, (0.6, 0.9, 0), 0.3, rng, joints, 0, 1, names[: min(3, morphs)], corner=True),
    )
    materials = (
        Material("cloth", (0.2, 0.3, 0.5, 1)),
        Material("skin", (0.8, 0.6, 0.5, 1), double_sided=True),
        Material("eye", (0.9, 0.9, 0.9, 1), roughness=0.2, alpha="MASK"),
    )
    return Body("made-up", "glTF", rig, Skin(meshes, bind, materials), names)


def grid(
    name: str,
    rows: int,
    centre: tuple[float, float, float],
    size: float,
    rng: np.random.Generator,
    joints: int,
    skin: int,
    material: int,
    shapes: tuple[str, ...],
    corner: bool = False,
) -> Mesh:
    """Return a square in the XY plane facing +Z; `corner` keeps the shapes to one eighth of it."""
    u, v = np.meshgrid(np.linspace(0, 1, rows), np.linspace(0, 1, rows))
    flat = np.stack([u.ravel() - 0.5, v.ravel() - 0.5, np.zeros(rows * rows)], axis=1)
    count = len(flat)
    a = (np.arange(rows - 1)[:, None] * rows + np.arange(rows - 1)).ravel()
    triangle = np.concatenate([np.stack([a, a + 1, a + rows + 1], 1), np.stack([a, a + rows + 1, a + rows], 1)])
    weight = rng.random((count, 4)).astype(np.float32)
    weight /= weight.sum(axis=1, keepdims=True)
    if joints == 1:
        weight[:] = (1, 0, 0, 0)
    movable = np.arange(count // 8) if corner else np.arange(count)
    morphs = []
    for shape in shapes:
        index = np.sort(rng.choice(movable, size=max(1, len(movable) // 4), replace=False)).astype(np.uint32)
        delta = (rng.normal(size=(len(index), 3)) * 0.02 * size).astype(np.float32)
        morphs.append(Morph(shape, index, delta, np.zeros_like(delta)))
    return Mesh(
        name=name,
        position=(flat * size + centre).astype(np.float32),
        normal=np.tile(np.float32([0, 0, 1]), (count, 1)),
        uv=np.stack([u.ravel(), 1 - v.ravel()], 1).astype(np.float32),
        color=np.ones((count, 4), dtype=np.float32),
        joint=rng.integers(0, joints, (count, 4)).astype(np.uint16),
        weight=weight,
        triangle=triangle.astype(np.uint32),
        skin=skin,
        material=material,
        morphs=tuple(morphs),
    )
