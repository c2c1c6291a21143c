"""What a bone's name says: its side and its part of the body, in the name families people export.

Covered: VRM and Unity (with or without spaces), Mixamo with any prefix, Ready Player Me, Rigify DEF-, Unreal,
MakeHuman's default rig, 3ds Max Biped, Daz, Character Creator, SMPL, VRoid, Blender's .L/.R, MMD (Japanese).
The names are those the tools write; the order along a limb is left to the node tree (humanoid.py).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

# words that belong to a tool or a rig, not to the body
_NOISE = frozenset(
    """
    mixamorig mixamo bip biped valve valvebiped j b c def cc base skeleton skel armature joint jnt bone bones bn sk
    rig character char bind geo deform ex adj
    """.split()  # noqa: SIM905 - one word a line takes three screens
)
# nodes that follow a bone or hold something, never the bone itself
_FOLLOWERS = frozenset(
    """
    twist roll ik fk pole target ctrl control controller helper end nub tip leaf effector slot weapon prop attach
    socket jiggle phys sec mch org wgt vis goal corrective muscle volume hair skirt bust breast top site offset half
    捩 先 補助 操作 親 スカート 髪
    """.split()  # noqa: SIM905 - one word a line takes three screens
)
_SIDES: dict[str, str] = {
    "left": "left", "l": "left", "lft": "left", "lt": "left", "左": "left",
    "right": "right", "r": "right", "rgt": "right", "rt": "right", "右": "right",
}  # fmt: skip
_PARTS = {
    "hips": "hips hip pelvis センター 腰 cog",
    "torso": "spine chest upperchest torso abdomen waist 上半身",
    "neck": "neck necklower necktwist 首",
    "head": "head 頭",
    "collar": "clavicle collar collarbone",
    "shoulder": "shoulder 肩",  # a collar bone where an upper arm follows, else the upper arm
    "upper_arm": "upperarm uparm armupper shldr shldrbend bicep",
    "arm": "arm 腕",  # the upper arm, or any joint of an arm whose joints are only numbered
    "lower_arm": "lowerarm forearm lowarm armlower elbow forearmbend ひじ 肘",
    "hand": "hand wrist 手首",
    "upper_leg": "upperleg upleg thigh legupper thighbend femur 足",
    "leg": "leg",  # the shin where a thigh is above it, else the thigh, or any joint of a numbered leg
    "lower_leg": "lowerleg lowleg leglower shin calf knee tibia ひざ 膝",
    "ankle": "ankle 足首",
    "foot": "foot",  # the ankle, or the ball of the foot under an ankle (SMPL)
    "toes": "toe toes toebase ball football つま つま先 足先",
    "eye": "eye faceeye eyeball 目",
    "jaw": "jaw jawroot lowerjaw あご 顎",
}
_PART_OF = {word: part for part, words in _PARTS.items() for word in words.split()}
_FINGERS = (
    ("Thumb", ("thumb", "親指")),
    ("Index", ("index", "人指", "人差指", "人差し指", "pointer")),
    ("Middle", ("middle", "mid", "中指")),
    ("Ring", ("ring", "薬指")),
    ("Little", ("pinky", "little", "pinkie", "pinkey", "小指")),
)
_FINGER_ORDER = tuple(name for name, _ in _FINGERS)
_SPLIT = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


@dataclass(frozen=True, slots=True)
class Word:
    """What a name says.

    Fields:
        side:   "left", "right" or ""
        part:   a key of the parts, a finger's name, "" for nothing known
        palm:   a bone within the palm
        number: the number behind the name, -1 for none
    """

    side: str
    part: str
    palm: bool = False
    number: int = -1


def words(names: list[str]) -> list[Word]:
    """Return what each name says, given all names of the skeleton: a word nearly all share is a prefix."""
    split = [_tokens(name) for name in names]
    shared = Counter(token for tokens in split for token in set(tokens) if not token.isdigit())
    common = {token for token, many in shared.items() if many > 0.8 * len(names) > 4} - set(_SIDES)
    numbered = [[t for t in tokens if t not in common and t not in _NOISE] for tokens in split]
    zero = any(t == "finger" and d[:1] == "0" for tokens in split for t, d in pairwise(tokens))
    return [_word(tokens, zero) for tokens in numbered]


def _tokens(name: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", name)
    plain = re.split(r"[:|]", plain)[-1]  # namespaces: `mixamorig:LeftArm`
    tokens = [token.lower() for token in _SPLIT.findall(plain)]
    result = []
    for token in tokens:
        if token[:1] in "左右":
            result += [token[0], *_japanese(token[1:])]
        elif not token.isascii():
            result += _japanese(token)
        else:
            side = next((s for s in ("left", "right") if token.startswith(s) and len(token) > len(s) + 2), "")
            result += [side, token[len(side) :]] if side else [token]
    return [token for token in result if token]


def _japanese(token: str) -> list[str]:
    """Split off what MMD writes behind a bone's name: 腕捩 (arm twist), つま先 keeps its 先 (toe tip)."""
    for follower in ("捩", "先", "補助", "操作", "親"):
        if token.endswith(follower) and token not in _PART_OF and len(token) > len(follower):
            return [token[: -len(follower)], follower]
    return [token]


def _word(tokens: list[str], fingers_from_zero: bool) -> Word:
    side = next((_SIDES[t] for t in tokens if t in ("left", "right")), "")
    if not side:
        side = next((_SIDES[t] for t in tokens if t in _SIDES), "")
    letters = [t for t in tokens if not t.isdigit() and t not in _SIDES]
    joined = "".join(letters)
    digits = [int(t[:6]) for t in tokens if t.isdigit()]
    if any(t in _FOLLOWERS for t in letters) and joined != "necktwist":
        return Word(side, "")
    if joined in _PART_OF:
        part = _PART_OF[joined]
        if side and part == "hips":
            part = "upper_leg" if joined == "hip" else ""  # SMPL's left_hip is a thigh; pelvis.L is no bone of ours
        return Word(side, part, number=digits[0] if digits else -1)
    palm = any(t in ("metacarpal", "carpal", "palm") for t in letters)
    if side:
        finger = next((name for name, forms in _FINGERS if any(f in letters or _within(f, joined) for f in forms)), "")
        if finger:
            return Word(side, finger, palm, digits[-1] if digits else -1)
        if "finger" in letters:
            return _numbered_finger(tokens, side, fingers_from_zero)
    return Word(side, "", palm)


def _within(form: str, joined: str) -> bool:
    """`ring` and `mid` are parts of other words; they count only where they begin or end the name."""
    if form in ("ring", "mid"):
        return joined.startswith((form, "hand" + form, "f" + form))
    return form in joined


def _numbered_finger(tokens: list[str], side: str, from_zero: bool) -> Word:
    """`finger1-2` (MakeHuman, thumb is 1) and `Finger01` (Biped, thumb is 0, the second digit the knuckle)."""
    digits = [t for t in tokens[tokens.index("finger") + 1 :] if t.isdigit()]
    if not digits:
        return Word(side, "")
    which = int(digits[0][0]) - (0 if from_zero else 1)
    rest = digits[1] if len(digits) > 1 else digits[0][1:]
    if not 0 <= which < 5:
        return Word(side, "")
    return Word(side, _FINGER_ORDER[which], number=int(rest[:6]) if rest else 0)
