"""The VRM 1.0 part of the file: who may use her, which node is which bone, what her face can show."""

from __future__ import annotations

from typing import Any

from .expressions import UNITS, presets

_CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"


def meta(name: str, version: str) -> dict[str, Any]:
    """Return the licence block. Her data is CC0, so everything is allowed and no credit is asked."""
    return {
        "name": name,
        "version": version,
        "authors": ["MakeHuman community data, built by kinesics"],
        "licenseUrl": "https://vrm.dev/licenses/1.0/",
        "otherLicenseUrl": _CC0,
        "avatarPermission": "everyone",
        "allowExcessivelyViolentUsage": True,
        "allowExcessivelySexualUsage": True,
        "commercialUsage": "corporation",
        "allowPoliticalOrReligiousUsage": True,
        "allowAntisocialOrHateUsage": True,
        "creditNotation": "unnecessary",
        "allowRedistribution": True,
        "modification": "allowModificationRedistribution",
    }


def humanoid(names: tuple[str, ...]) -> dict[str, Any]:
    """Return the bone map of joints that are nodes 0.. in this order; twist and swinging joints are in none."""
    bones = {name: {"node": node} for node, name in enumerate(names)}
    return {"humanBones": {name: bone for name, bone in bones.items() if not (name.endswith("Twist") or "_" in name)}}


def expressions(face_node: int) -> dict[str, Any]:
    """Return the presets and the 52 face units as custom expressions, all bound to one mesh node."""

    def bound(mix: dict[str, float]) -> dict[str, Any]:
        binds = [{"node": face_node, "index": UNITS.index(unit), "weight": weight} for unit, weight in mix.items()]
        return {"isBinary": False, "morphTargetBinds": binds} if binds else {"isBinary": False}

    table = {name: bound(mix) for name, mix in presets().items()}
    for name in ("happy", "surprised", "relaxed"):
        table[name]["overrideBlink"] = "blend"  # a smiling eye that also blinks closes past its lid
    return {"preset": table, "custom": {unit: bound({unit: 1.0}) for unit in UNITS}}


def look_at() -> dict[str, Any]:
    """Return how far her eye bones turn: degrees of gaze in, degrees of eyeball out."""
    return {
        "offsetFromHeadBone": [0.0, 0.03, 0.08],
        "type": "bone",
        "rangeMapHorizontalInner": {"inputMaxValue": 90.0, "outputScale": 28.0},
        "rangeMapHorizontalOuter": {"inputMaxValue": 90.0, "outputScale": 32.0},
        "rangeMapVerticalDown": {"inputMaxValue": 90.0, "outputScale": 22.0},
        "rangeMapVerticalUp": {"inputMaxValue": 90.0, "outputScale": 20.0},
    }
