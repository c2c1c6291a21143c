"""Bones of a skeleton whose names tell nothing, from where its joints lie: two legs down, two arms out, a head on top.

The file's +Y is up, as the format has it. Strict on purpose: whoever does not fit is refused, not guessed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import F64
from ..errors import AvatarError
from .nodes import Nodes

_ALIKE = 0.06  # of the stature: how far a limb may lie from its mirrored twin
_DOWN = 0.3  # of the stature: a leg reaches at least this far down (people 0.45..0.5, CesiumMan 0.4)
_COLLAR = 0.75  # collar bone over upper arm: 0.3..0.5 on eight people; an upper arm over a forearm is 0.9..1.2


@dataclass(frozen=True, slots=True)
class _Tree:
    """The joints alone: children of each, and where they are."""

    children: dict[int, list[int]]
    parent: dict[int, int]
    at: F64
    tall: float


def by_shape(nodes: Nodes, joints: set[int]) -> dict[str, int]:
    """Return VRM 1.0 bone -> node: trunk, head, arms and legs, no fingers; AvatarError where it is no such figure."""
    if len(joints) < 8:
        raise AvatarError(f"not a humanoid: its {len(joints)} joints tell no body, and neither do names or a VRM map")
    tree = _tree(nodes, joints)
    pairs = _pairs(tree)
    legs = [pair for pair in pairs if _drop(tree, pair) > _DOWN * tree.tall and len(pair[0]) >= 3]
    if not legs:
        raise AvatarError(f"not a humanoid that can be told: no two legs alike among its {len(joints)} nameless joints")
    leg = min(legs, key=lambda pair: min(tree.at[n, 1] for chain in pair for n in chain))
    used = {n for chain in leg for n in chain}
    arms = [
        pair
        for pair in pairs
        if not used & {n for chain in pair for n in chain}
        and tree.at[pair[0][0], 1] > max(tree.at[chain[0], 1] for chain in leg)
        and len(pair[0]) >= 2
    ]
    if not arms:
        raise AvatarError(f"not a humanoid that can be told: no two arms alike among its {len(joints)} nameless joints")
    arm = max(arms, key=lambda pair: _reach(tree, pair))
    branch = tree.parent[arm[0][0]]
    hips = nodes.common([leg[0][0], leg[1][0], branch])
    if hips not in joints or hips == branch or branch < 0:
        raise AvatarError("not a humanoid that can be told: its legs and its arms do not hang on one spine")
    trunk = _spine(tree, hips, branch) | _head(tree, branch, {chain[0] for chain in arm})
    ahead = _ahead(tree, leg)
    left = np.cross((0.0, 1.0, 0.0), ahead)
    found = trunk
    for chain_pair, name in ((leg, _leg), (arm, _arm)):
        one, two = chain_pair
        if (tree.at[one[0]] - tree.at[two[0]]) @ left < 0.0:
            one, two = two, one
        count = min(len(one), len(two))
        for side, chain in (("left", one), ("right", two)):
            found |= {side + part: node for part, node in name(tree, chain[:count]).items()}
    return found


def _tree(nodes: Nodes, joints: set[int]) -> _Tree:
    children: dict[int, list[int]] = {node: [] for node in joints}
    parent: dict[int, int] = {}
    for node in nodes.order:
        if node not in joints:
            continue
        above = nodes.parent[node]
        while above >= 0 and above not in joints:
            above = nodes.parent[above]
        parent[node] = above
        if above >= 0:
            children[above].append(node)
    at = nodes.world[:, :3, 3]
    heights = at[list(joints), 1]
    tall = float(heights.max() - heights.min())
    if not tall > 1e-6:
        raise AvatarError("not a humanoid: its joints lie in one plane")
    return _Tree(children, parent, at, tall)


def _pairs(tree: _Tree) -> list[tuple[list[int], list[int]]]:
    """Return the limbs of which there are two alike, mirrored through the joint they hang on."""
    found = []
    for node, below in tree.children.items():
        chains = [_chain(tree, child) for child in below]
        for k, one in enumerate(chains):
            for two in chains[k + 1 :]:
                if _mirrored(tree, node, one, two):
                    found.append((one, two))
    return found


def _chain(tree: _Tree, node: int) -> list[int]:
    """Return the joints of a limb in their order, to the first that has three or more below it: a hand."""
    chain = [node]
    while len(tree.children[chain[-1]]) in (1, 2) and len(chain) < 12:
        chain.append(
            max(tree.children[chain[-1]], key=lambda n: float(np.linalg.norm(tree.at[n] - tree.at[chain[-1]])))
        )
    return chain


def _mirrored(tree: _Tree, node: int, one: list[int], two: list[int]) -> bool:
    count = min(len(one), len(two))
    a, b = tree.at[one[:count]] - tree.at[node], tree.at[two[:count]] - tree.at[node]
    across = (a - b).sum(axis=0)
    across[1] = 0.0
    size = float(np.linalg.norm(across))
    if count < 2 or size < 0.02 * tree.tall * count:
        return False
    across /= size
    return bool(np.linalg.norm(a - 2.0 * np.outer(a @ across, across) - b, axis=1).max() < _ALIKE * tree.tall)


def _drop(tree: _Tree, pair: tuple[list[int], list[int]]) -> float:
    return min(float(tree.at[chain[0], 1] - min(tree.at[n, 1] for n in chain)) for chain in pair)


def _reach(tree: _Tree, pair: tuple[list[int], list[int]]) -> float:
    return min(float(np.linalg.norm(tree.at[chain[-1]] - tree.at[chain[0]])) for chain in pair)


def _spine(tree: _Tree, hips: int, branch: int) -> dict[str, int]:
    path = [branch]
    while tree.parent[path[-1]] != hips:
        path.append(tree.parent[path[-1]])
    path = path[::-1]
    if len(path) > 3:
        path = [path[0], path[len(path) // 2], path[-1]]
    return {"hips": hips} | dict(zip(("spine", "chest", "upperChest"), path, strict=False))


def _head(tree: _Tree, branch: int, arms: set[int]) -> dict[str, int]:
    rest = [n for n in tree.children[branch] if n not in arms and tree.at[n, 1] > tree.at[branch, 1]]
    if not rest:
        raise AvatarError("not a humanoid that can be told: no head above its arms")
    chain = [max(rest, key=lambda n: float(tree.at[n, 1]))]
    while len(tree.children[chain[-1]]) == 1 and len(chain) < 3:
        chain.append(tree.children[chain[-1]][0])
    return {"head": chain[0]} if len(chain) == 1 else {"neck": chain[0], "head": chain[1]}


def _leg(tree: _Tree, chain: list[int]) -> dict[str, int]:
    return dict(zip(("UpperLeg", "LowerLeg", "Foot", "Toes"), chain, strict=False))


def _arm(tree: _Tree, chain: list[int]) -> dict[str, int]:
    """A short first bone before a long one is a collar bone."""
    parts = ["UpperArm", "LowerArm", "Hand"]
    if len(chain) > 2:
        first, second = (float(np.linalg.norm(tree.at[chain[k + 1]] - tree.at[chain[k]])) for k in (0, 1))
        if first < _COLLAR * second:
            parts.insert(0, "Shoulder")
    return dict(zip(parts, chain, strict=False))


def _ahead(tree: _Tree, leg: tuple[list[int], list[int]]) -> F64:
    """Return the way the toes point, level; the format's own front, +Z, where there are none."""
    total = sum((tree.at[chain[3]] - tree.at[chain[2]] for chain in leg if len(chain) > 3), np.zeros(3))
    total[1] = 0.0
    size = float(np.linalg.norm(total))
    return total / size if size > 0.02 * tree.tall else np.array([0.0, 0.0, 1.0])
