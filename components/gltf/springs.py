"""Spring bones of VRM 1.0 (VRMC_springBone) and VRM 0.x (secondaryAnimation) as one set of chains."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from ..arrays import F64
from ..errors import AvatarError
from ..springs import SpringSet
from .document import Table
from .nodes import Nodes
from .skeleton import Skeleton

LARGEST = 1e4  # m, m/s: whatever is larger is a broken number
MOST = 1024  # spring joints; a skirt and long hair of a detailed avatar have 200
LEAF = 0.07  # m past the last joint, where VRM 0.x says nothing (UniVRM's own choice)


@dataclass(slots=True)
class _Link:
    """One spring joint as the file has it. tail: (3,) m, her frame in rest; groups: rows of colliders it meets."""

    tail: F64
    stiffness: float
    gravity: F64
    drag: float
    radius: float
    center: int
    groups: list[int]


@dataclass(slots=True)
class _Found:
    links: dict[int, _Link] = field(default_factory=dict)  # by joint
    colliders: list[tuple[int, F64, F64, float]] = field(default_factory=list)  # joint, ends in her frame, radius
    groups: list[list[int]] = field(default_factory=list)
    lost: int = 0


def spring_nodes(document: Table, nodes: Nodes, joints: set[int]) -> set[int]:
    """Return the nodes below `joints` that springs turn: they become joints even where no vertex hangs on them."""
    extensions, count = document.table("extensions"), len(nodes.rows)
    asked: set[int] = set()
    try:
        for spring in extensions.table("VRMC_springBone").rows("springs"):
            asked |= {joint.integer("node", high=count - 1) for joint in spring.rows("joints")[:-1]}
        for group in extensions.table("VRM").table("secondaryAnimation").rows("boneGroups"):
            for top in group.indices("bones", count):
                tree = nodes.order[nodes.enter[top] : nodes.leave[top]]
                asked |= {node for node in tree if "children" in nodes.rows[node]}  # a bare end carries nothing
    except AvatarError:
        return set()  # `read_springs` says what is wrong
    found, held = set(), set(joints)
    for node in nodes.order:
        if nodes.parent[node] in held:
            held.add(node)
            if node in asked:
                found.add(node)
    return found if len(found) <= MOST else set()


def read_springs(document: Table, nodes: Nodes, skeleton: Skeleton, warnings: list[str]) -> SpringSet | None:
    """Return the springs, None where the file has none or none that can be run; what is dropped is warned of."""
    extensions = document.table("extensions")
    found = _Found()
    try:
        if "VRMC_springBone" in extensions:
            _vrm1(extensions.table("VRMC_springBone"), nodes, skeleton, found)
        elif "VRM" in extensions:
            _vrm0(extensions.table("VRM").table("secondaryAnimation"), nodes, skeleton, found)
    except AvatarError as error:  # hair that hangs still is no reason to refuse her
        warnings.append(f"hair and cloth hang still: {error}")
        return None
    if found.lost:
        warnings.append(f"{found.lost} spring joints were dropped: they have no length or belong to no joint")
    if len(found.links) > MOST:
        warnings.append(f"hair and cloth hang still: {len(found.links)} spring joints, at most {MOST} are run")
        return None
    return _set(found, skeleton) if found.links else None


def _point(skeleton: Skeleton, node: int, offset: F64) -> F64:
    """Return where a point of a node's frame lies in her frame in rest."""
    place = skeleton.true[node]
    return np.asarray(place[:3, :3] @ offset + place[:3, 3])


def _scale(skeleton: Skeleton, node: int) -> float:
    return float(np.linalg.norm(skeleton.true[node][:3, :3], axis=0).mean())


def _add(found: _Found, skeleton: Skeleton, node: int, link: _Link) -> None:
    joint = skeleton.joint.get(node, -1)
    away = float(np.linalg.norm(link.tail - skeleton.true[node][:3, 3])) if node >= 0 else 0.0
    if joint < 1 or not 1e-5 < away < 1e3 or joint in found.links:  # the root hangs on nothing that it could lag behind
        found.lost += joint not in found.links
    else:
        found.links[joint] = link


def _vrm1(table: Table, nodes: Nodes, skeleton: Skeleton, found: _Found) -> None:
    count = len(nodes.rows)
    for row in table.rows("colliders"):
        node = row.integer("node", high=count - 1)
        shape = row.table("shape")
        ball = shape.table("capsule") if "capsule" in shape else shape.table("sphere")
        start = ball.numbers("offset", 3, [0.0, 0.0, 0.0])
        end = ball.numbers("tail", 3, start.tolist())
        radius = ball.number("radius", 0.0) * _scale(skeleton, node)
        place = _point(skeleton, node, start), _point(skeleton, node, end)
        found.colliders.append((skeleton.on[node], *place, radius))
    for row in table.rows("colliderGroups"):
        found.groups.append(row.indices("colliders", len(found.colliders)))
    for spring in table.rows("springs"):
        groups = spring.indices("colliderGroups", len(found.groups))
        center = spring.integer("center", -1, high=count - 1)
        joints = spring.rows("joints")
        for row, after in pairwise(joints):
            node, next_ = (joint.integer("node", high=count - 1) for joint in (row, after))
            link = _Link(
                skeleton.true[next_][:3, 3],
                row.number("stiffness", 1.0),
                row.numbers("gravityDir", 3, [0.0, -1.0, 0.0]) * row.number("gravityPower", 0.0),
                row.number("dragForce", 0.5),
                row.number("hitRadius", 0.0),
                skeleton.on[center] if center >= 0 else -1,
                groups,
            )
            _add(found, skeleton, node, link)


def _vrm0(table: Table, nodes: Nodes, skeleton: Skeleton, found: _Found) -> None:
    count = len(nodes.rows)
    for row in table.rows("colliderGroups"):
        node, group = row.integer("node", high=count - 1), list[int]()
        for ball in row.rows("colliders"):
            at = ball.table("offset")
            offset = np.array([at.number(k, 0.0) for k in "xyz"]) * [1.0, 1.0, -1.0]  # 0.x writes it left-handed
            place = _point(skeleton, node, offset)
            group.append(len(found.colliders))
            radius = ball.number("radius", 0.0) * _scale(skeleton, node)
            found.colliders.append((skeleton.on[node], place, place, radius))
        found.groups.append(group)
    for row in table.rows("boneGroups"):
        way = row.table("gravityDir")
        gravity = np.array([way.number(k, -1.0 if k == "y" else 0.0) for k in "xyz"]) * row.number("gravityPower", 0.0)
        center = row.integer("center", -1, low=-1, high=count - 1)
        groups = row.indices("colliderGroups", len(found.groups))
        given = (row.number("stiffiness", 1.0), gravity, row.number("dragForce", 0.5), row.number("hitRadius", 0.0))
        for top in row.indices("bones", count):
            for node in filter(skeleton.joint.__contains__, nodes.order[nodes.enter[top] : nodes.leave[top]]):
                link = _Link(_tail0(nodes, skeleton, node), *given, skeleton.on[center] if center >= 0 else -1, groups)
                _add(found, skeleton, node, link)


def _tail0(nodes: Nodes, skeleton: Skeleton, node: int) -> F64:
    """Return the first child's place, or straight on from the parent where there is none."""
    here = skeleton.true[node][:3, 3]
    child = next(iter(nodes.rows[node].indices("children", len(nodes.rows))), -1)
    if child >= 0:
        return skeleton.true[child][:3, 3]
    along = here - skeleton.true[nodes.parent[node]][:3, 3] if nodes.parent[node] >= 0 else np.zeros(3)
    length = float(np.linalg.norm(along))
    return here + along * (LEAF / length) if length > 1e-9 else here


def _set(found: _Found, skeleton: Skeleton) -> SpringSet:
    order = sorted(found.links)
    links = [found.links[joint] for joint in order]
    sound = (c for c, row in enumerate(found.colliders) if row[0] >= 0 and _is_sound(*row[1:]))
    kept = {c: n for n, c in enumerate(sound)}
    runs = [list(dict.fromkeys(kept[c] for g in link.groups for c in found.groups[g] if c in kept)) for link in links]
    colliders = [found.colliders[c] for c in kept]
    parent, row = skeleton.rig.parent, {joint: k for k, joint in enumerate(order)}
    moved = np.zeros(len(parent), bool)
    for joint in range(len(parent)):
        moved[joint] = joint in row or (parent[joint] >= 0 and moved[parent[joint]])
    below = np.flatnonzero(moved)
    count = np.array([len(run) for run in runs])
    return SpringSet(
        joint=np.array(order),
        tail=np.array([_local(skeleton, j, link.tail) for j, link in zip(order, links, strict=True)]),
        stiffness=np.clip([link.stiffness for link in links], 0.0, LARGEST),
        gravity=np.clip([link.gravity for link in links], -LARGEST, LARGEST),
        drag=np.clip([link.drag for link in links], 0.0, 1.0),
        radius=np.clip([link.radius for link in links], 0.0, LARGEST),
        center=np.array([-1 if link.center >= 0 and moved[link.center] else link.center for link in links]),
        first=np.cumsum(count) - count,
        count=count,
        touch=np.array([c for run in runs for c in run], np.int32),
        collider=np.array([joint for joint, *_ in colliders], np.int32),
        start=np.array([_local(skeleton, j, a) for j, a, _, _ in colliders]).reshape(-1, 3),
        end=np.array([_local(skeleton, j, b) for j, _, b, _ in colliders]).reshape(-1, 3),
        size=np.array([radius for *_, radius in colliders]),
        below=np.asarray(below, np.int32),
        row=np.array([row.get(int(joint), -1) for joint in below]),
    )


def _is_sound(start: F64, end: F64, radius: float) -> bool:
    return 0.0 <= radius < LARGEST and bool((np.abs([start, end]) < LARGEST).all())


def _local(skeleton: Skeleton, joint: int, point: F64) -> F64:
    frame = skeleton.rigid[joint]
    return np.asarray(frame[:3, :3].T @ (point - frame[:3, 3]))
