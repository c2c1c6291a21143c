"""How she stands in the file: up, facing, left and right, unit; and whether this is somebody who stands at all."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import F64
from ..errors import AvatarError
from .humanoid import SIDES, Humanoid
from .nodes import Nodes

# Between trunk (hips to shoulders) and legs: 168..180 deg on seven people, the Fox 111. A seated rest is about 90.
_UPRIGHT_DEG = 130.0
_SNAP_DEG = 30.0  # an arm or a hip out of line turns the measured facing by a few degrees, never by 30
_HEAD_TO_STATURE = 1.22  # over ankle to head joint: 1.16..1.25 on five people, CesiumMan 1.36
_METRES, _CENTIMETRES, _FOLDED = (0.04, 20.0), (20.0, 400.0), (4e-4, 0.04)


def stand(nodes: Nodes, humanoid: Humanoid, warnings: list[str]) -> tuple[F64, dict[str, int]]:
    """Return the (4, 4) f64 that takes the file's world to her frame (metres, +Y up, facing +Z), and her bones.

    Left and right change places where only names told them and the feet say otherwise. The height of the soles is
    not settled here. Raises AvatarError for four-legged, folded or point-like figures.
    """
    bones = dict(humanoid.bones)
    at = {bone: nodes.world[node, :3, 3] for bone, node in bones.items()}
    up, tall = _trunk(at)
    left = _left(at, up)
    forward = np.cross(left, up)
    ahead = _ahead(nodes, bones, at, up)
    if humanoid.by_names and ahead @ forward < -0.5 * float(np.linalg.norm(ahead)):
        swap = {"left": "right", "right": "left"}
        bones = {_other(bone, swap): node for bone, node in bones.items()}
        forward = -forward
        warnings.append("her toes point to where her back is by the names of left and right: the sides are swapped")
    up, forward = _snapped(up, np.zeros(3)), _snapped(forward, _snapped(up, np.zeros(3)))
    turn = np.eye(4)
    turn[:3, :3] = np.stack([np.cross(up, forward), up, forward])
    turn[:3, :3] *= _unit(tall, warnings)
    if abs(up[1]) < 0.99:
        warnings.append("she lies or leans in the file; stood up along her spine")
    yaw = math.degrees(math.atan2(forward[0], forward[2]))
    if abs(up[1]) > 0.99 and abs(yaw) > 1.0 and abs(abs(yaw) - 180.0) > 1.0:
        warnings.append(f"she faces {yaw:.0f} deg off the front in the file; turned to the front")
    hips = turn[:3, :3] @ at["hips"]
    if math.hypot(hips[0], hips[2]) > 0.5:  # m
        turn[[0, 2], 3] = -hips[[0, 2]]
        warnings.append(f"she stands {math.hypot(hips[0], hips[2]):.2f} m off the file's origin; moved there")
    return turn, bones


def _other(bone: str, swap: dict[str, str]) -> str:
    side = next((s for s in SIDES if bone.startswith(s)), "")
    return swap[side] + bone[len(side) :] if side else bone


def _pair(at: dict[str, F64], *parts: str) -> list[F64]:
    """Middle of left and right of the first part she has on both sides; empty for none."""
    return [
        0.5 * (at["left" + part] + at["right" + part]) for part in parts if "left" + part in at and "right" + part in at
    ][:1]


def _trunk(at: dict[str, F64]) -> tuple[F64, float]:
    """Return her up and how tall she is in file units; raises AvatarError where legs do not carry on from the trunk."""
    trunk = at["head"] - at["hips"]
    length = float(np.linalg.norm(trunk))
    if not 1e-9 < length < 1e9:
        raise AvatarError(f"not a humanoid: her head lies {length:.3g} units from her hips")
    feet, thighs = _pair(at, "Foot", "LowerLeg"), _pair(at, "UpperLeg")
    if not feet or not thighs:
        return trunk / length, 1.8 * length
    legs, spine = feet[0] - thighs[0], _pair(at, "UpperArm")[0] - at["hips"]
    reach, back = float(np.linalg.norm(legs)), float(np.linalg.norm(spine))
    if min(reach, back) < 0.05 * length:
        raise AvatarError("not a humanoid: her feet or her shoulders lie on her hips")
    angle = math.degrees(math.acos(float(np.clip(legs @ spine / (reach * back), -1.0, 1.0))))
    if angle < _UPRIGHT_DEG:
        raise AvatarError(
            f"not a standing humanoid: its legs leave its spine at {angle:.0f} deg, wanted {_UPRIGHT_DEG:.0f} or more "
            "(an animal on four legs, or somebody seated)"
        )
    return trunk / length, _HEAD_TO_STATURE * float((at["head"] - feet[0]) @ trunk) / length


def _left(at: dict[str, F64], up: F64) -> F64:
    """Return the unit direction to her left, across `up`, from every pair of limbs that has two sides."""
    across = np.zeros(3)
    for part in ("UpperLeg", "UpperArm", "Shoulder", "LowerLeg", "LowerArm"):
        if "left" + part in at and "right" + part in at:
            gap = at["left" + part] - at["right" + part]
            across += gap / max(float(np.linalg.norm(gap)), 1e-30)
    across -= up * (across @ up)
    size = float(np.linalg.norm(across))
    if size < 0.2:  # of at least 2 when all pairs agree
        raise AvatarError("not a humanoid that can be told: her left and right limbs lie on one another")
    return across / size


def _ahead(nodes: Nodes, bones: dict[str, int], at: dict[str, F64], up: F64) -> F64:
    """Return where her feet point, across `up`; zeros where no joint lies before an ankle."""
    total = np.zeros(3)
    for side in SIDES:
        foot = bones.get(side + "Foot", -1)
        if foot < 0:
            continue
        beyond = nodes.order[nodes.enter[foot] + 1 : nodes.leave[foot]]
        if beyond:
            total += nodes.world[beyond, :3, 3].mean(axis=0) - at[side + "Foot"]
    return total - up * (total @ up)


def _snapped(direction: F64, across: F64) -> F64:
    """Return the file axis nearest to a direction, or the direction, made square to `across`, if none is near."""
    direction = direction - across * (direction @ across)
    direction = direction / float(np.linalg.norm(direction))
    axis = np.zeros(3)
    axis[np.abs(direction).argmax()] = np.sign(direction[np.abs(direction).argmax()])
    near = float(direction @ axis) > math.cos(math.radians(_SNAP_DEG)) and abs(float(axis @ across)) < 1e-6
    return axis if near else direction


def _unit(tall: float, warnings: list[str]) -> float:
    """Return metres for one file unit, judged by her height in file units."""
    if _METRES[0] <= tall < _METRES[1]:
        return 1.0
    if _CENTIMETRES[0] <= tall <= _CENTIMETRES[1]:
        warnings.append(f"she is {tall:.0f} units tall: read as centimetres")
        return 0.01
    if _FOLDED[0] <= tall < _FOLDED[1]:
        warnings.append(f"she is {tall:.4f} units tall: read as scaled by 0.01 once too often")
        return 100.0
    raise AvatarError(
        f"she is {tall:.3g} units tall, wanted {_METRES[0]}..{_METRES[1]:.0f} metres or up to "
        f"{_CENTIMETRES[1]:.0f} centimetres; apply the scale in the modelling tool"
    )
