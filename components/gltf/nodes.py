"""The node tree: parents, order, names and rest transforms in the file's own world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import F64
from ..errors import AvatarError
from .document import Table

MAX_NODES = 20_000  # the largest avatar seen has 250; loops over nodes are Python


@dataclass(frozen=True, slots=True)
class Nodes:
    """Every node of a file.

    Fields:
        rows:   N objects of the file
        names:  N str as the file has them, "" where it has none
        parent: N ints, -1 for a root
        order:  N ints, each parent before its children, children in file order (preorder)
        enter, leave: N ints; b lies in a's tree (a included) where enter[a] <= enter[b] < leave[a]
        world:  (N, 4, 4) f64, node -> file world in rest
        shown:  nodes reachable from the scene that is shown
    """

    rows: list[Table]
    names: list[str]
    parent: list[int]
    order: list[int]
    enter: list[int]
    leave: list[int]
    world: F64
    shown: frozenset[int]

    def below(self, ancestor: int, node: int) -> bool:
        """Return whether `node` is `ancestor` or lies under it."""
        return self.enter[ancestor] <= self.enter[node] < self.leave[ancestor]

    def common(self, nodes: list[int]) -> int:
        """Return the deepest node that has all of these in its tree, -1 for none."""
        first, last = min(self.enter[n] for n in nodes), max(self.enter[n] for n in nodes)
        top = nodes[0]
        while top >= 0 and not (self.enter[top] <= first and last < self.leave[top]):
            top = self.parent[top]
        return top

    def path(self, ancestor: int, node: int) -> list[int]:
        """Return the nodes from `ancestor` down to `node`, both included; empty where it is no ancestor."""
        chain = []
        while node >= 0:
            chain.append(node)
            if node == ancestor:
                return chain[::-1]
            node = self.parent[node]
        return []


def read_nodes(document: Table, warnings: list[str]) -> Nodes:
    """Return the node tree; raises AvatarError for cycles, shared children and transforms that are not finite."""
    rows = document.rows("nodes")
    count = len(rows)
    if not 0 < count <= MAX_NODES:
        raise AvatarError(f"it has {count} nodes, wanted 1..{MAX_NODES}")
    parent = [-1] * count
    children = [row.indices("children", count) for row in rows]
    for index, below in enumerate(children):
        for child in below:
            if parent[child] >= 0 or child == index:
                raise AvatarError(f"nodes[{child}] is a child of nodes[{index}] and of nodes[{parent[child]}]")
            parent[child] = index
    order, enter, leave = preorder(parent, children)
    if len(order) < count:
        raise AvatarError(f"its node tree runs in a circle: {count - len(order)} of {count} nodes have no root")

    local = _local(rows, warnings)
    world = np.empty_like(local)
    for node in order:
        world[node] = local[node] if parent[node] < 0 else world[parent[node]] @ local[node]
    if not np.isfinite(world).all():
        raise AvatarError("its node transforms multiply to values that are not finite")
    names = [row.label("name") for row in rows]
    return Nodes(rows, names, parent, order, enter, leave, world, _shown(document, order, enter, leave))


def topmost(nodes: Nodes, chosen: set[int]) -> list[int]:
    """Return those of the chosen nodes that lie below no other of them."""
    tops: list[int] = []
    for node in nodes.order:
        if node in chosen and not (tops and nodes.below(tops[-1], node)):
            tops.append(node)
    return tops


def preorder(parent: list[int], children: list[list[int]]) -> tuple[list[int], list[int], list[int]]:
    """Return the nodes parents first, and where each one's tree begins and ends in that order; no recursion."""
    # a chain of thousands of nodes must not end in a traceback
    order: list[int] = []
    enter, leave = [0] * len(parent), [0] * len(parent)
    stack = [node for node in reversed(range(len(parent))) if parent[node] < 0]
    while stack:
        node = stack.pop()
        if node < 0:
            leave[~node] = len(order)
            continue
        enter[node] = len(order)
        order.append(node)
        stack.append(~node)
        stack.extend(reversed(children[node]))
    return order, enter, leave


def _local(rows: list[Table], warnings: list[str]) -> F64:
    """Return (N, 4, 4) f64, node -> parent in rest."""
    local = np.tile(np.eye(4), (len(rows), 1, 1))
    broken = 0
    for row, matrix in zip(rows, local, strict=True):
        if "matrix" in row:
            matrix[:] = row.numbers("matrix", 16).reshape(4, 4).T
            matrix[3] = 0.0, 0.0, 0.0, 1.0
            continue
        if "rotation" in row:
            x, y, z, w = row.numbers("rotation", 4)
            length = float(np.sqrt(x * x + y * y + z * z + w * w))
            if np.isfinite(length) and length > 1e-6:
                x, y, z, w = x / length, y / length, z / length, w / length
                matrix[0, :3] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
                matrix[1, :3] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
                matrix[2, :3] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
            else:
                broken += 1
        if "scale" in row:
            matrix[:3, :3] *= row.numbers("scale", 3)
        if "translation" in row:
            matrix[:3, 3] = row.numbers("translation", 3)
    if broken:
        warnings.append(f"{broken} nodes have a rotation of length zero, read as none")
    return local


def _shown(document: Table, order: list[int], enter: list[int], leave: list[int]) -> frozenset[int]:
    scenes = document.rows("scenes")
    if not scenes:
        return frozenset(order)
    scene = scenes[document.integer("scene", 0, high=len(scenes) - 1)]
    return frozenset(n for top in scene.indices("nodes", len(order)) for n in order[enter[top] : leave[top]])
