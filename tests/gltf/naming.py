"""Names that tools give to the same skeleton: VRM 1.0 bone -> node name, and joints a tool puts in between."""

from __future__ import annotations

from collections.abc import Callable

FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
KNUCKLES = dict.fromkeys(FINGERS, ("Proximal", "Intermediate", "Distal"))
KNUCKLES["Thumb"] = ("Metacarpal", "Proximal", "Distal")
_TRUNK = ("hips", "spine", "chest", "upperChest", "neck", "head", "jaw")
_LIMB = ("Eye", "Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes")


def _scheme(
    trunk: str, limb: str, side: Callable[[str, str], str], finger: Callable[[int, str, int], str]
) -> dict[str, str]:
    """`trunk` and `limb` in the order above; `side(word, "left")`; `finger(which, "left", knuckle from 1)`."""
    names = dict(zip(_TRUNK, trunk.split("|"), strict=True))
    for s in ("left", "right"):
        names |= {s + part: side(word, s) for part, word in zip(_LIMB, limb.split("|"), strict=True)}
        for which, f in enumerate(FINGERS):
            names |= {s + f + k: finger(which, s, n) for n, k in enumerate(KNUCKLES[f], 1)}
    return names


def _mixamo(prefix: str) -> dict[str, str]:
    word = ("Thumb", "Index", "Middle", "Ring", "Pinky")
    names = _scheme(
        "Hips|Spine|Spine1|Spine2|Neck|Head|Jaw",
        "Eye|Shoulder|Arm|ForeArm|Hand|UpLeg|Leg|Foot|ToeBase",
        lambda w, s: s.title() + w,
        lambda w, s, n: f"{s.title()}Hand{word[w]}{n}",
    )
    return {bone: prefix + name for bone, name in names.items()}


_DOT = {"left": ".L", "right": ".R"}
_LOW = {"left": "l", "right": "r"}
_JP = {"left": "左", "right": "右"}
_RIGIFY_FINGER = ("thumb", "f_index", "f_middle", "f_ring", "f_pinky")
_UE_FINGER = ("thumb", "index", "middle", "ring", "pinky")
_DAZ_FINGER = ("Thumb", "Index", "Mid", "Ring", "Pinky")
_JP_FINGER = ("親指", "人指", "中指", "薬指", "小指")

SCHEMES: dict[str, dict[str, str]] = {
    "mixamo": _mixamo("mixamorig:"),
    "mixamo1": _mixamo("mixamorig1:"),
    "mixamo_underscore": _mixamo("mixamorig_"),
    "character1": _mixamo("Character1_"),
    "ready_player_me": _mixamo(""),
    "rigify": _scheme(
        "DEF-spine|DEF-spine.001|DEF-spine.002|DEF-spine.003|DEF-spine.004|DEF-spine.006|DEF-jaw",
        "DEF-eye|DEF-shoulder|DEF-upper_arm|DEF-forearm|DEF-hand|DEF-thigh|DEF-shin|DEF-foot|DEF-toe",
        lambda w, s: w + _DOT[s],
        lambda w, s, n: f"DEF-{_RIGIFY_FINGER[w]}.0{n}{_DOT[s]}",
    ),
    "unreal": _scheme(
        "pelvis|spine_01|spine_02|spine_03|neck_01|head|jaw",
        "eye|clavicle|upperarm|lowerarm|hand|thigh|calf|foot|ball",
        lambda w, s: f"{w}_{_LOW[s]}",
        lambda w, s, n: f"{_UE_FINGER[w]}_0{n}_{_LOW[s]}",
    ),
    "makehuman": _scheme(
        "root|spine05|spine03|spine01|neck01|head|jaw",
        "eye|clavicle|upperarm01|lowerarm01|wrist|upperleg01|lowerleg01|foot|toe1-1",
        lambda w, s: w + _DOT[s],
        lambda w, s, n: f"finger{w + 1}-{n}{_DOT[s]}",
    ),
    "blender": _scheme(
        "Hips|Spine|Chest|UpperChest|Neck|Head|Jaw",
        "Eye|Shoulder|UpperArm|LowerArm|Hand|UpperLeg|LowerLeg|Foot|Toes",
        lambda w, s: w + _DOT[s],
        lambda w, s, n: f"{FINGERS[w]}{KNUCKLES[FINGERS[w]][n - 1]}{_DOT[s]}",
    ),
    "unity_spaces": _scheme(
        "Hips|Spine|Chest|Upper Chest|Neck|Head|Jaw",
        "Eye|shoulder|arm|elbow|wrist|leg|knee|ankle|toe",
        lambda w, s: f"{s.title()} {w}",
        lambda w, s, n: f"{FINGERS[w]}Finger{n}_{_LOW[s].upper()}",
    ),
    "unity": _scheme(
        "Hips|Spine|Chest|UpperChest|Neck|Head|Jaw",
        "Eye|Shoulder|Upper Arm|Lower Arm|Hand|Upper Leg|Lower Leg|Foot|Toes",
        lambda w, s: f"{s.title()} {w}",
        lambda w, s, n: f"{s.title()} {FINGERS[w]} {('Proximal', 'Intermediate', 'Distal')[n - 1]}",
    ),
    "vroid": _scheme(
        "J_Bip_C_Hips|J_Bip_C_Spine|J_Bip_C_Chest|J_Bip_C_UpperChest|J_Bip_C_Neck|J_Bip_C_Head|J_Bip_C_Jaw",
        "FaceEye|Shoulder|UpperArm|LowerArm|Hand|UpperLeg|LowerLeg|Foot|ToeBase",
        lambda w, s: ("J_Adj_" if w == "FaceEye" else "J_Bip_") + f"{_LOW[s].upper()}_{w}",
        lambda w, s, n: f"J_Bip_{_LOW[s].upper()}_{FINGERS[w]}{n}",
    ),
    "biped": _scheme(
        "Bip01 Pelvis|Bip01 Spine|Bip01 Spine1|Bip01 Spine2|Bip01 Neck|Bip01 Head|Bip01 Jaw",
        "Eye|Clavicle|UpperArm|Forearm|Hand|Thigh|Calf|Foot|Toe0",
        lambda w, s: f"Bip01 {_LOW[s].upper()} {w}",
        lambda w, s, n: f"Bip01 {_LOW[s].upper()} Finger{w}{n - 1 if n > 1 else ''}",
    ),
    "daz": _scheme(
        "hip|abdomenLower|chestLower|chestUpper|neckLower|head|lowerJaw",
        "Eye|Collar|ShldrBend|ForearmBend|Hand|ThighBend|Shin|Foot|Toe",
        lambda w, s: _LOW[s] + w,
        lambda w, s, n: f"{_LOW[s]}{_DAZ_FINGER[w]}{n}",
    ),
    "character_creator": _scheme(
        "CC_Base_Hip|CC_Base_Waist|CC_Base_Spine01|CC_Base_Spine02|CC_Base_NeckTwist01|CC_Base_Head|CC_Base_JawRoot",
        "Eye|Clavicle|Upperarm|Forearm|Hand|Thigh|Calf|Foot|ToeBase",
        lambda w, s: f"CC_Base_{_LOW[s].upper()}_{w}",
        lambda w, s, n: f"CC_Base_{_LOW[s].upper()}_{_DAZ_FINGER[w]}{n}",
    ),
    "smpl": _scheme(
        "pelvis|spine1|spine2|spine3|neck|head|jaw",
        "eye|collar|shoulder|elbow|wrist|hip|knee|ankle|foot",
        lambda w, s: f"{s}_{w}",
        lambda w, s, n: f"{s}_{_UE_FINGER[w]}{n}",
    ),
    "mmd": _scheme(
        "センター|上半身|上半身2|上半身3|首|頭|あご",
        "目|肩|腕|ひじ|手首|足|ひざ|足首|つま先",
        lambda w, s: _JP[s] + w,
        lambda w, s, n: f"{_JP[s]}{_JP_FINGER[w]}{'０１２３'[n]}",
    ),
}

BETWEEN: dict[str, dict[str, str]] = {
    "makehuman": {
        f"{s}{part}": f"{name}{_DOT[s]}"
        for s in ("left", "right")
        for part, name in {
            "UpperLeg": "pelvis", "UpperArm": "shoulder01", "LowerArm": "upperarm02", "Hand": "lowerarm02",
            "LowerLeg": "upperleg02", "Foot": "lowerleg02", "IndexProximal": "metacarpal1",
        }.items()
    }
    | {"chest": "spine04", "upperChest": "spine02", "head": "neck02"},
    "unreal": {
        f"{s}{f}Proximal": f"{f.lower()}_metacarpal_{_LOW[s]}" for s in _LOW for f in ("Index", "Middle", "Ring")
    },
    "rigify": {"head": "DEF-spine.005", "leftLowerArm": "DEF-upper_arm.L.001", "rightLowerArm": "DEF-upper_arm.R.001"},
    "daz": {"chest": "abdomenUpper", "head": "neckUpper", "leftLowerArm": "lShldrTwist", "leftUpperLeg": "pelvis"},
    "mmd": {"leftLowerArm": "左腕捩", "rightLowerArm": "右腕捩", "leftUpperLeg": "下半身"},
}  # fmt: skip
"""Scheme -> {bone: name of a joint that lies between it and the bone it moves with}."""
