"""Joints from nodes: rigid rest frames with armature transforms and scales baked in, and the binds that undo it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import F64
from ..errors import AvatarError
from ..rig import Rig
from ..skin import Mesh, Skin
from .nodes import Nodes, topmost

MAX_JOINTS = 4096  # the largest avatar seen has 244; binds take 128 bytes a joint and skin


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A rig and how the file's nodes lie on it.

    Fields:
        joint: node -> joint, for nodes that are joints
        on:    N ints, the joint a node hangs on: itself or its nearest ancestor that is one, -1 for none
        true:  (N, 4, 4) f64, node -> her frame in rest, scales and all
        rigid: (J, 4, 4) f64, joint -> her frame in rest
        off:   joints of worn skeletons that do not stand where hers do: their skin is set onto hers
    """

    rig: Rig
    joint: dict[int, int]
    on: list[int]
    true: F64
    rigid: F64
    off: frozenset[int] = frozenset()

    def frames(self, listed: list[int]) -> F64:
        """Return (K, 4, 4) f64: the rigid rest frame that each listed node's skin is bound in."""
        frames = self.rigid[[self.on[node] for node in listed]]
        for place, node in enumerate(listed):
            if node in self.off:
                frames[place, :3, 3] = self.true[node, :3, 3]
                frames[place, :3, :3] = _rotations(self.true[node : node + 1, :3, :3])[0]
        return frames


def build_skeleton(
    nodes: Nodes,
    joints: Iterable[int],
    bones: dict[str, int],
    turn: F64,
    warnings: list[str],
    off: frozenset[int] = frozenset(),
) -> Skeleton:
    """Return the rig of these joints and bones, in the rest the nodes stand in (not the bind pose).

    A joint's rigid frame has its node's position and the rotation nearest to its node's; the node's scale, mirror and
    shear go into the bind. Nodes between two joints are folded into the lower one's rest.

    turn: (4, 4) f64, file world -> her frame
    """
    true = turn @ nodes.world
    if not np.isfinite(true).all():
        raise AvatarError("its node transforms multiply to values that are not finite")
    chosen = set(joints) | set(bones.values())
    tops = topmost(nodes, chosen)
    if len(tops) > 1:
        common = nodes.common(tops)
        chosen |= {common} if common >= 0 else set()
        tops = topmost(nodes, chosen)
    if len(chosen) > MAX_JOINTS:
        raise AvatarError(f"it has {len(chosen)} joints, at most {MAX_JOINTS} are read")
    order = [node for node in nodes.order if node in chosen]
    added = 1 if len(tops) > 1 else 0  # trees with no node above them get one joint at the origin
    joint = {node: added + index for index, node in enumerate(order)}
    on = [-1] * len(nodes.rows)
    for node in nodes.order:
        above = nodes.parent[node]
        on[node] = joint.get(node, on[above] if above >= 0 else -1)
    above = [on[nodes.parent[node]] if nodes.parent[node] >= 0 else -1 for node in order]
    parent = [-1] * added + [max(joint, added - 1) for joint in above]

    rigid = np.tile(np.eye(4), (added + len(order), 1, 1))
    rigid[added:, :3, 3] = true[order, :3, 3]
    rigid[added:, :3, :3] = _rotations(true[order, :3, :3])
    _warn_of_scales(nodes, order, true, warnings)
    local = rigid.copy()
    child = np.flatnonzero(np.array(parent) >= 0)
    base = rigid[np.array(parent)[child]]
    back = base[:, :3, :3].transpose(0, 2, 1)
    local[child, :3, :3] = back @ rigid[child, :3, :3]
    local[child, :3, 3] = np.einsum("nij,nj->ni", back, rigid[child, :3, 3] - base[:, :3, 3])
    rig = Rig(
        names=_names(nodes, order, bones, added),
        node=np.array([-1] * added + order, np.int32),
        parent=np.array(parent, np.int32),
        rest_offset=local[:, :3, 3],
        rest_rotation=_quaternions(local[:, :3, :3]),
        humanoid={bone: joint[node] for bone, node in bones.items()},
    )
    return Skeleton(rig, joint, on, true, rigid, off)


def stand_on_floor(skeleton: Skeleton, skin: Skin, warnings: list[str]) -> Rig:
    """Return the rig moved along y so that her soles are on y = 0: the lowest vertex of her feet, else lowest joint."""
    rig = skeleton.rig
    feet = [rig.humanoid[side + "Foot"] for side in ("left", "right") if side + "Foot" in rig.humanoid]
    under = np.zeros(len(rig.names), bool)
    for joint in range(len(rig.names)):
        under[joint] = joint in feet or (rig.parent[joint] >= 0 and under[rig.parent[joint]])
    lowest = [float(_rest(skeleton.rigid, skin, mesh, at)[:, 1].min()) for mesh, at in _on(skin, under) if at.size]
    if not lowest and not feet:  # no legs: whatever is lowest
        lowest = [float(_rest(skeleton.rigid, skin, mesh)[:, 1].min()) for mesh in skin.meshes]
    floor = min(lowest) if lowest else float(skeleton.rigid[under if feet else slice(None), 1, 3].min())
    if abs(floor) > 0.05:  # m; shoes and heels lie within this
        warnings.append(f"moved {'up' if floor < 0 else 'down'} by {abs(floor):.3f} m so that her soles are on y = 0")
    offset = rig.rest_offset.copy()
    offset[0, 1] -= floor
    if not abs(floor) < 1e6:
        raise AvatarError(f"her soles lie {floor:.3g} m from the origin")
    return replace(rig, rest_offset=offset, digest="")


def rest_frames(rig: Rig) -> F64:
    """Return (J, 4, 4) f64, joint -> her frame in rest, from the rig alone."""
    world = np.tile(np.eye(4), (len(rig.names), 1, 1))
    world[:, :3, :3] = _matrices(rig.rest_rotation)
    world[:, :3, 3] = rig.rest_offset
    for joint in range(1, len(rig.names)):
        world[joint] = world[rig.parent[joint]] @ world[joint]
    return world


def rest_vertices(rig: Rig, skin: Skin, mesh: Mesh) -> F64:
    """Return (V, 3) f64 m, her frame: where a mesh's vertices stand in rest."""
    return _rest(rest_frames(rig), skin, mesh)


def _rest(rigid: F64, skin: Skin, mesh: Mesh, rows: np.ndarray | slice = slice(None)) -> F64:
    place = (rigid @ skin.bind[mesh.skin])[:, :3]
    points = mesh.position[rows].astype(np.float64)
    weight, joint = mesh.weight[rows].astype(np.float64), mesh.joint[rows]
    weight = weight / weight.sum(axis=1, keepdims=True)  # f32 weights sum to 1 within 1e-7 only
    total = np.zeros_like(points)
    for start in range(0, len(points), 1 << 16):  # the gathered matrices take 96 bytes a vertex
        part = slice(start, start + (1 << 16))
        for slot in range(4):
            at = place[joint[part, slot]]
            moved = np.einsum("nij,nj->ni", at[:, :, :3], points[part]) + at[:, :, 3]
            total[part] += weight[part, slot, None] * moved
    return total


def _on(skin: Skin, wanted: np.ndarray) -> list[tuple[Mesh, np.ndarray]]:
    """Return each mesh with the vertices whose strongest joint is a wanted one."""
    found = []
    for mesh in skin.meshes:
        strongest = mesh.joint[np.arange(len(mesh.joint)), mesh.weight.argmax(axis=1)]
        found.append((mesh, np.flatnonzero(wanted[strongest])))
    return found


def _names(nodes: Nodes, order: list[int], bones: dict[str, int], added: int) -> tuple[str, ...]:
    """VRM names first, so that a stray node called `head` never takes the name of the head."""
    bone_of = {node: bone for bone, node in bones.items()}
    taken, last = set(bones), dict[str, int]()
    names = ["root"] * added
    taken |= set(names)
    for node in order:
        names.append(bone_of.get(node) or unique(nodes.names[node] or f"node{node}", taken, last))
    return tuple(names)


def unique(name: str, taken: set[str], last: dict[str, int]) -> str:
    """Return the name, `name#2` where it is taken, and take it. `last`: numbers given so far, kept by the caller."""
    found = name
    while found in taken:
        last[name] = last.get(name, 1) + 1
        found = f"{name}#{last[name]}"
    taken.add(found)
    return found


def _warn_of_scales(nodes: Nodes, order: list[int], true: F64, warnings: list[str]) -> None:
    linear = true[order, :3, :3]
    size = np.linalg.norm(linear, axis=1)
    largest = np.maximum(size.max(axis=1), 1e-12)
    uneven = (largest - size.min(axis=1)) / largest > 0.01
    square = np.abs(np.einsum("nki,nkj->nij", linear, linear) / largest[:, None, None] ** 2)
    sheared = square[:, [0, 0, 1], [1, 2, 2]].max(axis=1) > 0.01
    if (uneven | sheared).any():
        first = nodes.names[order[int(np.flatnonzero(uneven | sheared)[0])]]
        warnings.append(
            f"{int((uneven | sheared).sum())} joints are scaled unevenly ({first[:40]!r} first): right in rest, "
            "their skin may stretch when they turn"
        )


def _rotations(linear: F64) -> F64:
    """Return the rotation nearest to each (N, 3, 3); a mirrored frame counts with all three axes flipped."""
    # unit columns first: a scale of 0.01 or 1e-20 must not decide what counts as singular
    size = np.linalg.norm(linear, axis=1, keepdims=True)
    scaled = np.where(size > 1e-300, linear / np.maximum(size, 1e-300), 0.0)
    scaled = np.where(np.linalg.det(scaled)[:, None, None] < 0.0, -scaled, scaled)
    u, _, v = np.linalg.svd(scaled)
    turn = u @ v
    u[np.linalg.det(turn) < 0.0, :, 2] *= -1.0
    return u @ v


def _quaternions(turn: F64) -> F64:
    """Return (N, 4) wxyz, w >= 0, of (N, 3, 3) rotations (Shepperd's choice of the largest component)."""
    m = turn
    trace = np.einsum("nii->n", m)
    pick = np.stack([trace, m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]], axis=1).argmax(axis=1)
    q = np.empty((len(m), 4))
    for which in range(4):
        rows = pick == which
        r = m[rows]
        if which == 0:
            q[rows, 0] = 1.0 + trace[rows]
            q[rows, 1:] = r[:, [2, 0, 1], [1, 2, 0]] - r[:, [1, 2, 0], [2, 0, 1]]
            continue
        i = which - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        q[rows, 0] = r[:, k, j] - r[:, j, k]
        q[rows, 1 + i] = 1.0 + r[:, i, i] - r[:, j, j] - r[:, k, k]
        q[rows, 1 + j] = r[:, j, i] + r[:, i, j]
        q[rows, 1 + k] = r[:, k, i] + r[:, i, k]
    q *= np.where(q[:, :1] < 0.0, -1.0, 1.0)
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def _matrices(q: F64) -> F64:
    w, x, y, z = q.T
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=1),
            np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=1),
            np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1),
        ],
        axis=1,
    )
