"""A tree of named joints, as a BVH or a glTF clip has it, as a source rig with its motion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .....components.anatomy import KNUCKLES, THUMB
from .....components.arrays import F64
from .....components.errors import AvatarError
from .....components.gltf.document import Table
from .....components.gltf.humanoid import Humanoid, find_humanoid
from .....components.gltf.nodes import Nodes, preorder
from .....components.gltf.skeleton import build_skeleton
from .....components.gltf.stance import stand
from .....components.rig import Rig
from ....kernels import quat
from ....retarget.recorded import orientations

MANY = 4096  # joints of one skeleton

# m a unit that files are written in: metres, centimetres, millimetres, decimetres, inches, feet, the CMU library's
# 5.6444 cm, and metres scaled by 0.01 once too often
UNITS = (1.0, 0.01, 0.001, 0.1, 0.0254, 0.3048, 0.056444, 100.0)
TALL, SHORTEST, TALLEST = 1.7, 1.25, 2.3  # m: adults; a skeleton that no unit makes as tall is scaled to TALL
_LETTERED = re.compile(r"([LR])Hand([IMRPT])([123])")
_LETTERS = {"I": "Index", "M": "Middle", "R": "Ring", "P": "Little", "T": "Thumb"}
_STATURE, _TRUNKS = 1.22, 1.8  # over ankle to head joint, over hips to head joint (as in components/gltf/stance.py)


@dataclass(frozen=True, slots=True)
class Tree:
    """Joints as a file has them. N joints, parents before children.

    Fields:
        names: N str; parent: N ints, -1 for a root
        place: (N, 3) f64 file units, from the parent in the rest; turn: (N, 4) f64 wxyz, local in the rest
    """

    names: Sequence[str]
    parent: Sequence[int]
    place: F64
    turn: F64


def rig_of(tree: Tree, warnings: list[str], given: dict[str, int] | None = None) -> tuple[Rig, F64]:
    """Return the rig, in metres and facing +Z, and the (4, 4) that takes the file's world to it.

    given: VRM 1.0 bone -> joint, where the file says; without it names tell
    AvatarError: no humanoid, or not one that stands upright in this rest
    """
    nodes = _nodes(tree)
    everyone = set(range(len(tree.names)))
    if given:
        humanoid = Humanoid(dict(given), by_names=False)
        if "head" not in given:
            raise AvatarError("its bone map has no head")
    else:
        humanoid = find_humanoid(Table({}, ""), nodes, everyone, warnings)
        humanoid = Humanoid(_lettered(tree.names) | humanoid.bones, by_names=humanoid.by_names)
    unit = _unit(nodes, humanoid.bones, warnings)
    scaled = nodes.world.copy()
    scaled[:, :3, 3] *= unit
    metres = Nodes(nodes.rows, nodes.names, nodes.parent, nodes.order, nodes.enter, nodes.leave, scaled, nodes.shown)
    turn, bones = stand(metres, humanoid, warnings)
    rig = build_skeleton(metres, everyone, bones, turn, warnings).rig
    whole = turn.copy()
    whole[:3, :3] *= unit
    return rig, whole


def moved(rig: Rig, tree: Tree, turn: F64, rotation: F64, hips: F64) -> tuple[F64, F64]:
    """Return the rig's local rotations (T, J, 4) and root (T, 3) m of a motion of the file's joints.

    turn: (4, 4), of `rig_of`; rotation: (T, N, 4) wxyz local, as the file has them
    hips: (T, 3) file units, where the file's hips are in its world
    """
    frames = len(rotation)
    world, rest = orientations(tree.parent, rotation), orientations(tree.parent, tree.turn[None])
    away = np.empty(4)
    linear = turn[:3, :3] / np.linalg.norm(turn[0, :3])
    quat.from_matrix(np.ascontiguousarray(linear), away)
    back = np.empty(4)
    quat.conj(away, back)
    local = np.empty((len(rig.names), frames, 4))
    oriented = np.empty_like(local)
    stands = orientations(rig.parent.tolist(), rig.rest_rotation[None])
    for joint, node in enumerate(rig.node):
        if node < 0:
            oriented[joint] = stands[joint]
        else:
            undo = np.empty((1, 4))
            quat.conj(rest[node, 0], undo[0])
            quat.mul_each(world[node], undo, oriented[joint])
            quat.mul_each(away[None], oriented[joint], oriented[joint])
            quat.mul_each(oriented[joint], back[None], oriented[joint])
            quat.mul_each(oriented[joint], stands[joint], oriented[joint])
        above = int(rig.parent[joint])
        if above < 0:
            local[joint] = oriented[joint]
        else:
            quat.between_each(oriented[above], oriented[joint], local[joint])
    quat.normalise_each(local.reshape(-1, 4), local.reshape(-1, 4))
    wanted = hips @ turn[:3, :3].T + turn[:3, 3]
    shown = _place(rig, oriented, rig.humanoid["hips"])
    return local.transpose(1, 0, 2).copy(), wanted - shown


def place_of(tree: Tree, rotation: F64, place: F64, joint: int) -> F64:
    """Return (T, 3) where a joint is in the file's world. rotation, place: (T, N, ..) local, place in file units."""
    chain = [joint]
    while tree.parent[chain[-1]] >= 0:
        chain.append(tree.parent[chain[-1]])
    at, turned = np.zeros((len(rotation), 3)), np.tile([1.0, 0.0, 0.0, 0.0], (len(rotation), 1))
    step, out = np.empty_like(at), np.empty_like(turned)
    for link in reversed(chain):
        quat.rotate_each(turned, np.ascontiguousarray(place[:, link]), step)
        at = at + step
        quat.mul_each(turned, np.ascontiguousarray(rotation[:, link]), out)
        turned = out.copy()
    return at


def _place(rig: Rig, oriented: F64, joint: int) -> F64:
    """Return (T, 3) m: where a joint is with the root at rest."""
    at = np.zeros((oriented.shape[1], 3))
    part = np.empty_like(at)
    while rig.parent[joint] >= 0:
        above = int(rig.parent[joint])
        quat.rotate_each(oriented[above], rig.rest_offset[joint][None].copy(), part)
        at += part
        joint = above
    return at + rig.rest_offset[joint]


def _lettered(names: Sequence[str]) -> dict[str, int]:
    """Return the fingers of a BEAT skeleton, which has letters for them: LHandI1 is the left index finger's base."""
    out: dict[str, int] = {}
    for joint, name in enumerate(names):
        found = _LETTERED.fullmatch(name)
        if found:
            side, finger, number = {"L": "left", "R": "right"}[found[1]], _LETTERS[found[2]], int(found[3]) - 1
            out[side + (THUMB[number] if finger == "Thumb" else finger + KNUCKLES[number])] = joint
    return out


def _nodes(tree: Tree) -> Nodes:
    count = len(tree.names)
    if not 0 < count <= MANY:
        raise AvatarError(f"its skeleton has {count} joints, wanted 1..{MANY}")
    children: list[list[int]] = [[] for _ in range(count)]
    for node, above in enumerate(tree.parent):
        if above >= 0:
            children[above].append(node)
    order, enter, leave = preorder(list(tree.parent), children)
    local = np.tile(np.eye(4), (count, 1, 1))
    linear = np.empty((count, 3, 3))
    quat.to_matrix_each(np.ascontiguousarray(tree.turn), linear)
    local[:, :3, :3], local[:, :3, 3] = linear, tree.place
    world = local.copy()
    for node in order:
        if tree.parent[node] >= 0:
            world[node] = world[tree.parent[node]] @ local[node]
    rows = [Table({}, f"joint {node}") for node in range(count)]
    return Nodes(rows, list(tree.names), list(tree.parent), order, enter, leave, world, frozenset(order))


def _unit(nodes: Nodes, bones: dict[str, int], warnings: list[str]) -> float:
    """Return m a file unit: the known unit in which this skeleton is nearest to a person's height."""
    at = {bone: nodes.world[node, :3, 3] for bone, node in bones.items()}
    trunk = at["head"] - at["hips"]
    length = float(np.linalg.norm(trunk))
    if not 1e-9 < length < 1e12:
        raise AvatarError(f"its head lies {length:.3g} units from its hips")
    feet = [at[side + "Foot"] for side in ("left", "right") if side + "Foot" in at]
    tall = _STATURE * abs(float((at["head"] - np.mean(feet, axis=0)) @ trunk)) / length if feet else _TRUNKS * length
    unit = min(UNITS, key=lambda u: abs(np.log(max(u * tall, 1e-12) / TALL)))
    if SHORTEST <= unit * tall <= TALLEST:
        if unit not in (1.0, 0.01):
            warnings.append(f"she is {tall:.4g} units tall: read as {unit:g} m a unit")
        return unit
    warnings.append(f"she is {tall:.4g} units tall, which fits no unit: scaled to {TALL} m")
    return TALL / max(tall, 1e-9)
