"""Clothes exported with a skeleton of their own: its joints become hers where they have the same names.

Without this a coat stands still while she moves.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np

from .document import quoted
from .nodes import Nodes, preorder

_NEAR = 0.02  # m in her size, between two joints of one name: where the same bone was exported twice
_OTHER = 0.3  # m; a coat is worn, a second person stands beside her
_COPY = re.compile(r"([._ #-]\d{1,3})$")  # what tools append to a second node of one name


def wear(
    nodes: Nodes, joints: set[int], bones: dict[str, int], skins: list[list[int]], unit: float, warnings: list[str]
) -> tuple[Nodes, set[int], set[int]]:
    """Return the node tree with other skeletons' joints hung below hers, those joints, and those not in their places.

    joints: of skins in use; skins: the joints of each of them
    unit: m of one file unit
    """
    found = _same(nodes, joints, bones, skins)
    off = {
        node: float(np.linalg.norm(nodes.world[node, :3, 3] - nodes.world[own, :3, 3])) for node, own in found.items()
    }
    if len(found) < 2 or float(np.median(list(off.values()))) * unit > _OTHER:
        return nodes, set(), set()  # a prop that is called `head`, or a second person
    parent = list(nodes.parent)
    for node in nodes.order:
        if node in found:
            parent[node] = found[node]
        elif nodes.parent[node] in found:
            parent[node] = found[nodes.parent[node]]  # a skirt's own joints hang on her hips now
    children: list[list[int]] = [[] for _ in parent]
    for node in nodes.order:
        if parent[node] >= 0:
            children[parent[node]].append(node)
    order, enter, leave = preorder(parent, children)
    example = quoted(nodes.names[next(iter(found))], 40)
    warnings.append(f"{len(found)} joints of a second skeleton ({example} first) are taken as hers of the same names")
    far = {node for node, distance in off.items() if distance * unit > _NEAR}
    if far:
        most = max(off.values()) * unit
        warnings.append(f"{len(far)} of them stand up to {most:.2f} m off hers; what hangs on them is set onto hers")
    return replace(nodes, parent=parent, order=order, enter=enter, leave=leave), set(found), far


def _same(nodes: Nodes, joints: set[int], bones: dict[str, int], skins: list[list[int]]) -> dict[int, int]:
    """Return joint of another skeleton -> the node of hers with its name."""
    hips = bones["hips"]
    hers = set(nodes.order[nodes.enter[hips] : nodes.leave[hips]])
    while hips >= 0:
        hers.add(hips)
        hips = nodes.parent[hips]
    by_name: dict[str, int] = {}
    for node in nodes.order:
        if node in hers and (node in joints or node in bones.values()):
            by_name.setdefault(_plain(nodes.names[node]), node)
    by_name.pop("", None)
    found = {
        node: by_name[name]
        for node in nodes.order
        if node in joints and node not in hers and (name := _plain(nodes.names[node])) in by_name
    }
    for listed in skins:  # one skin cannot hold the same joint under two binds
        own = Counter(found.get(node, node) for node in set(listed))
        for node in listed:
            if node in found and own[found[node]] > 1:
                del found[node]
    return found


def _plain(name: str) -> str:
    return _COPY.sub("", name).casefold()
