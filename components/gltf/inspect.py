"""What was found in an avatar file, in the words of the command line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..rig import Rig
from ..skin import Body
from .humanoid import BONES, SIDES
from .skeleton import rest_frames, rest_vertices

_T_DEG, _A_DEG = 20.0, 75.0  # below the horizontal: T-poses seen lie at 0..4, A-poses at 38..63, hanging arms above 80


def inspect(body: Body) -> dict[str, Any]:
    """Return what `avatar inspect --json` prints.

    bones: VRM 1.0 name -> node name; missing: of the 55 bones of VRM 1.0; skins: sets of binds, one a glTF skin or
    mesh without one; rest_pose: by how far the upper arms hang; height_m: from the soles to the highest vertex
    """
    rig, meshes = body.rig, body.skin.meshes
    names = body.node_names or rig.names
    return {
        "file": body.source,
        "format": body.format,
        "bones": {bone: names[rig.humanoid[bone]] for bone in BONES if bone in rig.humanoid},
        "missing": [bone for bone in BONES if bone not in rig.humanoid],
        "joints": len(rig.names),
        "skins": len(body.skin.bind),
        "vertices": sum(len(mesh.position) for mesh in meshes),
        "triangles": sum(len(mesh.triangle) for mesh in meshes),
        "morphs": list(body.morph_names),
        "expressions": list(body.expressions),
        "rest_pose": rest_pose(rig),
        "height_m": round(_height(body), 3),
        "warnings": list(body.warnings),
    }


def rest_pose(rig: Rig) -> str:
    """Return "T", "A" or "other" by the mean angle of both upper arms below the horizontal."""
    at = rest_frames(rig)[:, :3, 3]
    below = []
    for side in SIDES:
        if side + "UpperArm" in rig.humanoid and side + "LowerArm" in rig.humanoid:
            arm = at[rig.humanoid[side + "LowerArm"]] - at[rig.humanoid[side + "UpperArm"]]
            below.append(math.degrees(math.atan2(-arm[1], math.hypot(arm[0], arm[2]))))
    mean = float(np.mean(below)) if below else 90.0
    return "T" if abs(mean) < _T_DEG else "A" if 0.0 < mean < _A_DEG else "other"


def _height(body: Body) -> float:
    tops = [float(rest_vertices(body.rig, body.skin, mesh)[:, 1].max()) for mesh in body.skin.meshes]
    return max(tops, default=float(rest_frames(body.rig)[:, 1, 3].max()))
