"""Animations of glTF, glb and VRMA files: steps, lines and cubic splines between keys, sampled at 60 Hz."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .....components.arrays import F64
from .....components.errors import AvatarError, CorpusError
from .....components.gltf.accessors import Accessors
from .....components.gltf.container import Container
from .....components.gltf.document import Table
from .....components.gltf.humanoid import BONES, find_humanoid
from .....components.gltf.nodes import Nodes, read_nodes
from .....components.take import TAKE_RATE, Take
from ....kernels import quat
from .skeleton import Tree, moved, place_of, rig_of
from .spline import along, one_side

LONGEST = 4 * 3600.0  # s
_BAKED = 12.0  # Hz: keys this close and evenly spaced are samples of a motion, whatever is said to lie between them
_EVEN = 0.02  # of the spacing, by which baked keys may lie off it
_SLOTS = {"rotation": 4, "translation": 3}


@dataclass(frozen=True, slots=True)
class Track:
    """One moving node. path: "rotation" (values wxyz) or "translation"; values: (K, C) or (K, 3, C) for a spline."""

    node: int
    path: str
    time: F64
    values: F64
    between: str


def read(path: Path) -> Take:
    """Return the longest animation of the file, at 60 Hz, on the file's own skeleton.

    Raises:
        CorpusError: nothing that can be read, no animation, no humanoid.
    """
    warnings: list[str] = []
    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            container = Container(path)
            accessors = Accessors(container)
            nodes = read_nodes(container.document, warnings)
            tree, number = _tree(nodes)
            tracks = _longest(path, container.document, accessors, warnings)
            given = _bones(container.document, nodes, warnings)
            rig, turn = rig_of(tree, warnings, {bone: number[node] for bone, node in given.items()})
    except AvatarError as cause:
        raise CorpusError(f"{path}: {cause}") from None
    start = min(float(t.time[0]) for t in tracks)
    length = max(float(t.time[-1]) for t in tracks) - start
    if not 2.0 / TAKE_RATE <= length <= LONGEST:
        raise CorpusError(f"{path}: its animation lasts {length:.3f} s, wanted {2 / TAKE_RATE:.3f} s to {LONGEST:g} s")
    time = start + np.arange(int(length * TAKE_RATE + 1e-6) + 1) / TAKE_RATE
    rotation = np.tile(tree.turn, (len(time), 1, 1))
    place = np.tile(tree.place, (len(time), 1, 1))
    scale = _scales(nodes, tree, number)
    for track in tracks:
        joint = number[track.node]
        if track.path == "rotation":
            rotation[:, joint] = sampled(track, time)
        else:
            place[:, joint] = sampled(track, time) * scale[joint]
    hips = int(rig.node[rig.humanoid["hips"]])
    local, root = moved(rig, tree, turn, rotation, place_of(tree, rotation, place, hips))
    return Take(path.stem, "clip", "", "", "", rig, local, root, float(TAKE_RATE), warnings=tuple(warnings))


def sampled(track: Track, time: F64) -> F64:
    """Return (U, C) f64: a track's values at `time` (U,) s; rotations of length 1, the ends held."""
    turns = track.path == "rotation"
    if track.between == "CUBICSPLINE":
        out = _cubic(track, time)
    elif track.between == "STEP":
        at = np.clip(np.searchsorted(track.time, time + 1e-6, side="right") - 1, 0, len(track.time) - 1)
        out = track.values[at]
    elif (step := _even(track.time)) > 0.0:
        values = one_side(track.values) if turns else track.values
        out = along(values, (time - track.time[0]) / step)
    else:
        out = _linear(track, time)
    if turns:
        length = np.linalg.norm(out, axis=1, keepdims=True)
        out = np.where(length > 1e-9, out / np.maximum(length, 1e-9), [1.0, 0.0, 0.0, 0.0])
    return out


def _even(time: F64) -> float:
    """Return the spacing of baked keys in s, 0 where they are not."""
    if len(time) < 3:
        return 0.0
    step = float(time[-1] - time[0]) / (len(time) - 1)
    off = np.abs(time - time[0] - step * np.arange(len(time))).max()
    return step if step <= 1.0 / _BAKED and off <= _EVEN * step else 0.0


def _segment(time: F64, at: F64) -> tuple[Any, F64, F64]:
    left = np.clip(np.searchsorted(time, at, side="right") - 1, 0, max(len(time) - 2, 0))
    gap = time[np.minimum(left + 1, len(time) - 1)] - time[left]
    return left, gap, np.clip((at - time[left]) / np.maximum(gap, 1e-9), 0.0, 1.0)


def _linear(track: Track, time: F64) -> F64:
    left, _, u = _segment(track.time, time)
    right = np.minimum(left + 1, len(track.time) - 1)
    a, b, u = track.values[left], track.values[right], u[:, None]
    if track.path != "rotation":
        return (1.0 - u) * a + u * b
    dot = np.einsum("uk,uk->u", a, b)[:, None]
    b = np.where(dot < 0.0, -b, b)
    half = np.arctan2(np.linalg.norm(b - a, axis=1), np.linalg.norm(b + a, axis=1))[:, None]
    omega = 2.0 * half
    near = omega < 1e-6
    sine = np.sin(np.where(near, 1.0, omega))
    return np.where(near, (1 - u) * a + u * b, (np.sin((1 - u) * omega) * a + np.sin(u * omega) * b) / sine)


def _cubic(track: Track, time: F64) -> F64:
    """Hermite splines of glTF: each key has an in-tangent, a value, an out-tangent, a second."""
    left, gap, u = _segment(track.time, time)
    right = np.minimum(left + 1, len(track.time) - 1)
    u, gap = u[:, None], gap[:, None]
    h00, h10 = 2 * u**3 - 3 * u**2 + 1, u**3 - 2 * u**2 + u
    h01, h11 = -2 * u**3 + 3 * u**2, u**3 - u**2
    v = track.values
    return h00 * v[left, 1] + h10 * gap * v[left, 2] + h01 * v[right, 1] + h11 * gap * v[right, 0]


def _longest(path: Path, document: Table, accessors: Accessors, warnings: list[str]) -> list[Track]:
    animations = document.rows("animations")
    found: list[tuple[float, str, list[Track]]] = []
    for animation in animations:
        tracks = _tracks(animation, accessors, len(document.rows("nodes")))
        if any(t.path == "rotation" for t in tracks):
            length = max(float(t.time[-1]) for t in tracks) - min(float(t.time[0]) for t in tracks)
            found.append((length, animation.label("name"), tracks))
    if not found:
        raise CorpusError(f"{path}: none of its {len(animations)} animations turns a joint; give a file with a motion")
    length, name, tracks = max(found, key=lambda f: f[0])
    if len(found) > 1:
        warnings.append(f"of its {len(found)} animations the longest is taken: {name[:40]!r}, {length:.1f} s")
    return tracks


def _tracks(animation: Table, accessors: Accessors, nodes: int) -> list[Track]:
    samplers = animation.rows("samplers")
    out = []
    for channel in animation.rows("channels"):
        target = channel.table("target")
        node, path = target.integer("node", -1, low=-1, high=nodes - 1), target.label("path")
        if node < 0 or path not in _SLOTS or "sampler" not in channel:
            continue
        row = samplers[channel.integer("sampler", high=len(samplers) - 1)]
        between = row.text("interpolation", "LINEAR")
        time = accessors.floats(row.integer("input"), (1,), f"{row.where}.input")[:, 0].astype(np.float64)
        values = accessors.floats(row.integer("output"), (_SLOTS[path],), f"{row.where}.output").astype(np.float64)
        keys = 3 * len(time) if between == "CUBICSPLINE" else len(time)
        if not len(time) or len(values) != keys:
            raise AvatarError(f"{row.where} has {len(time)} times and {len(values)} values, wanted {keys}")
        if not np.isfinite(time).all() or not np.isfinite(values).all() or (np.diff(time) < 0.0).any():
            raise AvatarError(f"{row.where} has times or values that are not finite or do not rise")
        if path == "rotation":
            values = values[:, [3, 0, 1, 2]]
        if between == "CUBICSPLINE":
            values = values.reshape(len(time), 3, -1)
        out.append(Track(node, path, time, values, between))
    return out


def _bones(document: Table, nodes: Nodes, warnings: list[str]) -> dict[str, int]:
    """Return VRM 1.0 bone -> node: a VRMA's own map, a VRM's, or what names tell."""
    extensions = document.table("extensions")
    if "VRMC_vrm_animation" in extensions:
        table = extensions.table("VRMC_vrm_animation").table("humanoid").table("humanBones")
        return {b: table.table(b).integer("node", high=len(nodes.rows) - 1) for b in BONES if b in table}
    skins = document.rows("skins")
    joints = {n for skin in skins for n in skin.indices("joints", len(nodes.rows))}
    return find_humanoid(document, nodes, joints, warnings).bones


def _tree(nodes: Nodes) -> tuple[Tree, list[int]]:
    """Return the nodes as rigid joints, parents first, and the place of each node among them."""
    count = len(nodes.order)
    number = [0] * count
    for place, node in enumerate(nodes.order):
        number[node] = place
    parent = [number[nodes.parent[node]] if nodes.parent[node] >= 0 else -1 for node in nodes.order]
    turn, offset, world = np.empty((count, 4)), np.empty((count, 3)), np.empty((count, 4))
    for place, node in enumerate(nodes.order):
        turn[place] = _own_turn(nodes, node)
        at = nodes.world[node, :3, 3]
        above = parent[place]
        if above < 0:
            world[place], offset[place] = turn[place], at
        else:
            quat.mul(world[above], turn[place], world[place])
            quat.rotate_back(world[above], at - nodes.world[nodes.order[above], :3, 3], offset[place])
    return Tree([nodes.names[node] for node in nodes.order], parent, offset, turn), number


def _own_turn(nodes: Nodes, node: int) -> F64:
    row, out = nodes.rows[node], np.array([1.0, 0.0, 0.0, 0.0])
    if "matrix" in row:
        linear = row.numbers("matrix", 16).reshape(4, 4).T[:3, :3]
        u, _, v = np.linalg.svd(linear)
        u[:, 2] *= np.sign(np.linalg.det(u @ v))
        quat.from_matrix(np.ascontiguousarray(u @ v), out)
    elif "rotation" in row:
        x, y, z, w = row.numbers("rotation", 4)
        length = float(np.sqrt(w * w + x * x + y * y + z * z))
        if length > 1e-6:
            out[:] = np.array([w, x, y, z]) / length
    return out


def _scales(nodes: Nodes, tree: Tree, number: list[int]) -> F64:
    """Return what a node's own translation is scaled by in the file's world, (N,)."""
    out = np.ones(len(number))
    for node, place in enumerate(number):
        if tree.parent[place] >= 0:
            above = nodes.world[nodes.parent[node], :3, :3]
            out[place] = abs(float(np.linalg.det(above))) ** (1.0 / 3.0)
    return out
