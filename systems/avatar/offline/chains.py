"""The joints on which her hair and the skirt of her tunic swing: where they are, what hangs on them, how they move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....components.arrays import F64
from .mesh import Index
from .part import Part
from .skeleton import Skeleton

# chain -> degrees from the front, to her left positive; locks before the ears, sides, back
HAIR = {
    "frontLeft": 70.0, "frontRight": -70.0, "sideLeft": 116.0, "sideRight": -116.0, "backLeft": 158.0,
    "backRight": -158.0,
}  # fmt: skip
SKIRT = {
    "frontLeft": 35.0, "frontRight": -35.0, "sideLeft": 90.0, "sideRight": -90.0, "backLeft": 145.0,
    "backRight": -145.0,
}  # fmt: skip
LOCK_EDGE = 92.0  # deg: hair before this hangs on the locks' chains alone
NEAR = 12.0  # deg: hair and cloth about this near show where a chain runs
# stiffness and gravity m/s, drag 0..1 (VRMC_springBone): tuned by eye on a nod and a step; gravity is small because the
# shapes are already drawn hanging
HAIR_MOVES = {"stiffness": 0.22, "gravityPower": 0.02, "dragForce": 0.30, "hitRadius": 0.006}
SKIRT_MOVES = {"stiffness": 3.5, "gravityPower": 0.20, "dragForce": 0.60, "hitRadius": 0.005}
SKIRT_SHARE = 0.40  # of the hem; the rest stays with hips and thighs, as cloth that clings


@dataclass(frozen=True, slots=True)
class Chains:
    """Her skeleton with swinging joints after the 58, and what the file says of them.

    Fields:
        ends:   name of a joint -> (3,) m, where its chain ends: a node without a joint
        chains: name -> its joints, first to last
    """

    skeleton: Skeleton
    ends: dict[str, F64]
    chains: dict[str, tuple[str, ...]]

    def extension(self, node_of: dict[str, int]) -> dict[str, Any]:
        """Return VRMC_springBone. node_of: joint name, or `name_end`, -> node."""
        colliders, groups = _colliders(self.skeleton, node_of)
        springs = []
        for name, joints in self.chains.items():
            moves = HAIR_MOVES if name.startswith("hair") else SKIRT_MOVES
            rows = [{"node": node_of[joint], **moves, "gravityDir": [0.0, -1.0, 0.0]} for joint in joints]
            rows.append({"node": node_of[joints[-1] + "_end"]})
            springs.append({"name": name, "joints": rows, "colliderGroups": [0 if name.startswith("hair") else 1]})
        return {"specVersion": "1.0", "colliders": colliders, "colliderGroups": groups, "springs": springs}


def _colliders(skeleton: Skeleton, node_of: dict[str, int]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return capsules of neck, shoulders and thighs. Thin enough to touch nothing while she stands."""
    at = skeleton.at
    hair = [("neck", at("neck"), at("head"), 0.040)]
    skirt = []
    for side in ("left", "right"):
        hair.append((side + "Shoulder", at(side + "Shoulder") - [0.0, 0.012, 0.0], at(side + "UpperArm"), 0.040))
        hip, knee = at(side + "UpperLeg"), at(side + "LowerLeg")
        skirt.append((side + "UpperLeg", hip, 0.5 * hip + 0.5 * knee, 0.055))
    colliders = [
        {
            "node": node_of[name],
            "shape": {"capsule": {"offset": _rounded(a - at(name)), "radius": radius, "tail": _rounded(b - at(name))}},
        }
        for name, a, b, radius in (*hair, *skirt)
    ]
    first = list(range(len(hair)))
    second = list(range(len(hair), len(colliders)))
    return colliders, [{"name": "neck and shoulders", "colliders": first}, {"name": "thighs", "colliders": second}]


def _rounded(point: F64) -> list[float]:
    return [round(float(x), 5) + 0.0 for x in point]


def chained(skeleton: Skeleton, meshes: dict[str, list[Part]], skull: F64) -> Chains:
    """Return the skeleton with swinging joints; hair and tunic are bound to them in place.

    skull: (3,) m, the middle of her head
    """
    hair, tunic = meshes["Hair"][0], meshes["Clothes"][0]
    names, parents, places = list(skeleton.names), list(skeleton.parent), list(skeleton.position)
    ends: dict[str, F64] = {}
    chains: dict[str, tuple[str, ...]] = {}

    def add(
        kind: str, parent: str, table: dict[str, float], points: F64, middle: F64, levels: dict[str, list[float]]
    ) -> None:
        angle = np.degrees(np.arctan2(points[:, 0] - middle[0], points[:, 2] - middle[2]))
        for name, azimuth in table.items():
            heights = levels[name] if name in levels else levels[""]
            joints, above = [], names.index(parent)
            for number, height in enumerate(heights):
                away = np.abs((angle - azimuth + 180.0) % 360.0 - 180.0)
                near = np.exp(-((away / NEAR) ** 2) - ((points[:, 1] - height) / 0.012) ** 2)
                out = near @ np.linalg.norm((points - middle)[:, [0, 2]], axis=1) / near.sum()
                turn = np.radians(azimuth)
                place = np.array([middle[0] + out * np.sin(turn), height, middle[2] + out * np.cos(turn)])
                if number == len(heights) - 1:
                    ends[joints[-1]] = place
                    break
                joints.append(f"{kind}_{name}{number + 1}")
                names.append(joints[-1])
                parents.append(above)
                places.append(place)
                above = len(names) - 1
            chains[f"{kind}_{name}"] = tuple(joints)

    eye = float(skeleton.at("leftEye")[1])
    # Roots below the eyes: what she is measured by ends at her eye joints.
    low = float(hair.position[:, 1].min())
    lock = [eye - 0.020, eye - 0.060, eye - 0.100]
    drop = [eye - 0.035, 0.5 * (eye - 0.035 + low), low + 0.006]
    add("hair", "head", HAIR, hair.position, skull, {"": drop, "frontLeft": lock, "frontRight": lock})
    hem, top = float(tunic.position[_torso(tunic, names), 1].min()), skeleton.at("spine")[1] - 0.020
    torso = tunic.position[_torso(tunic, names)]
    add("skirt", "hips", SKIRT, torso, np.array([0.0, 0.0, skeleton.at("hips")[2]]), {"": [top, hem + 0.004]})
    grown = Skeleton(tuple(names), np.array(parents, np.int32), np.array(places), _padded(skeleton.weight, len(names)))
    for parts in meshes.values():
        for part in parts:
            part.weight = _padded(part.weight, len(names))
    _bind_hair(hair, grown, skull, chains)
    _bind_skirt(tunic, grown, top, hem)
    return Chains(grown, ends, chains)


def _padded(weight: F64, count: int) -> F64:
    return np.concatenate([weight, np.zeros((len(weight), count - weight.shape[1]))], axis=1)


def _torso(tunic: Part, names: list[str]) -> Index:
    arms = [k for k, name in enumerate(names[: tunic.weight.shape[1]]) if "Arm" in name or "Hand" in name]
    return np.flatnonzero(tunic.weight[:, arms].sum(axis=1) < 0.2)


def _shares(angle: F64, table: dict[str, float]) -> F64:
    """Return (V, N) how much each chain holds at these azimuths in deg: linear between the two neighbours."""
    order = sorted(table, key=lambda name: table[name])
    stops = np.array([table[name] for name in order])
    ring = np.concatenate([stops[-1:] - 360.0, stops, stops[:1] + 360.0])
    after = np.clip(np.searchsorted(ring, angle), 1, len(ring) - 1)
    share = (angle - ring[after - 1]) / (ring[after] - ring[after - 1])
    out = np.zeros((len(angle), len(table)))
    column = np.array([list(table).index(name) for name in (order[-1], *order, order[0])])
    np.add.at(out, (np.arange(len(angle)), column[after - 1]), 1.0 - share)
    np.add.at(out, (np.arange(len(angle)), column[after]), share)
    return out


def _bind_hair(part: Part, skeleton: Skeleton, skull: F64, chains: dict[str, tuple[str, ...]]) -> None:
    angle = np.degrees(np.arctan2(part.position[:, 0] - skull[0], part.position[:, 2] - skull[2]))
    behind = {name: azimuth for name, azimuth in HAIR.items() if not name.startswith("front")}
    share = np.zeros((len(angle), len(HAIR)))
    share[:, [list(HAIR).index(name) for name in behind]] = _shares(angle, behind)
    lock = np.abs(angle) < LOCK_EDGE
    share[lock] = 0.0
    share[lock, np.where(angle[lock] > 0.0, 0, 1)] = 1.0
    weight = np.zeros_like(part.weight)
    for k, name in enumerate(HAIR):
        first, second = (skeleton.names.index(joint) for joint in chains["hair_" + name])
        y0, y1 = skeleton.position[first, 1], skeleton.position[second, 1]
        # A joint's turn shows below it: half at the joint, all of it a third of a joint further down.
        soft = (y0 - y1) / 3.0
        one = np.clip((y0 + soft - part.position[:, 1]) / (2.0 * soft), 0.0, 1.0)
        two = np.clip((y1 + soft - part.position[:, 1]) / (2.0 * soft), 0.0, 1.0)
        weight[:, first] += share[:, k] * (one - two)
        weight[:, second] += share[:, k] * two
    weight[:, skeleton.names.index("head")] = 1.0 - weight.sum(axis=1)
    part.weight = weight


def _bind_skirt(part: Part, skeleton: Skeleton, top: float, hem: float) -> None:
    middle = skeleton.at("hips")
    angle = np.degrees(np.arctan2(part.position[:, 0], part.position[:, 2] - middle[2]))
    torso = np.zeros(len(angle))
    torso[_torso(part, list(skeleton.names))] = 1.0
    fall = SKIRT_SHARE * torso * np.clip((top - part.position[:, 1]) / (top - hem), 0.0, 1.0) ** 1.3
    columns = [skeleton.names.index(f"skirt_{name}1") for name in SKIRT]
    part.weight = part.weight * (1.0 - fall)[:, None]
    part.weight[:, columns] += fall[:, None] * _shares(angle, SKIRT)
