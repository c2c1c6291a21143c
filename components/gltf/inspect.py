"""What was found in an avatar file, in the words of the command line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..face_map import Look
from ..rig import Rig
from ..skin import Body
from .faces import map_face
from .humanoid import BONES, SIDES
from .skeleton import rest_frames, rest_vertices

_LOST: tuple[tuple[tuple[str, ...], str], ...] = (
    (("spine", "chest", "upperChest"), "her torso bends at the joints that are left, by as much in all"),
    (("neck",), "what it turns shows at her head"),
    (("leftShoulder", "rightShoulder"), "no shrug; her upper arms keep their directions"),
    (("leftHand", "rightHand"), "no wrist: her forearm ends stiff"),
    (tuple(side + part for side in SIDES for part in ("UpperLeg", "LowerLeg", "Foot")), "no weight shift on that leg"),
    (("leftEye", "rightEye"), "her eyes stay where they are in her head"),
    (
        tuple(
            b for b in BONES if b.startswith(SIDES) and b.endswith(("Metacarpal", "Proximal", "Intermediate", "Distal"))
        ),
        "those fingers stay as they rest",
    ),
)
_T_DEG, _A_DEG = 20.0, 75.0  # below the horizontal: T-poses seen lie at 0..4, A-poses at 38..63, hanging arms above 80


def inspect(body: Body) -> dict[str, Any]:
    """Return what `avatar inspect --json` prints.

    bones: VRM 1.0 name -> node name, `nodes[7]` where it has none; missing: of the 55 bones of VRM 1.0; skins: sets of
    binds, one a glTF skin or mesh without one; rest_pose: by how far the upper arms hang; height_m: from the soles to
    the highest vertex; face: what it can show; degrades: what is not moved or moves otherwise, and why
    """
    rig, meshes = body.rig, body.skin.meshes
    given = body.node_names or rig.names
    names = [name or f"nodes[{node}]" for name, node in zip(given, rig.node, strict=True)]
    face = map_face(body)
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
        "face": {
            "mouth": face.kind,
            "speaks": bool(face.open),
            "blinks": bool(face.blink),
            "units": [*face.units],
            "visemes": [*face.visemes],
            "expressions": {name: _how(look) for name, look in face.expressions.items()},
            "cannot": list(face.cannot),
        },
        "degrades": [*_degrades(rig), *(f"her face cannot {what}" for what in face.cannot)],
    }


def _how(look: Look) -> str:
    """Return the rules of one expression in words, "" for plain."""
    parts = ["all or nothing"] if look.is_binary else []
    for what, how in (("blinks", look.blink), ("speech", look.mouth)):
        parts += [{"block": f"stops {what}", "blend": f"weakens {what}"}[how]] if how else []
    if look.lids and look.blink != "block":
        parts.append("closes her eyes" if look.lids >= 1.0 else f"closes her eyes by {look.lids:.0%}")
    return ", ".join(parts)


def _degrades(rig: Rig) -> list[str]:
    """Return one line for each part of the body whose bones are missing: what becomes of its motion."""
    said = []
    for bones, what in _LOST:
        lost = [bone for bone in bones if bone not in rig.humanoid]
        if lost:
            said.append(f"{', '.join(lost) if len(lost) < 5 else f'{len(lost)} of {len(bones)} bones'}: {what}")
    return said


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
