"""Which node is which bone: the file's own VRM map, else names put in order along the node tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import AvatarError
from .bone_names import Word, words
from .by_shape import by_shape
from .document import Table, quoted
from .nodes import Nodes, topmost

SIDES = ("left", "right")
_FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
_LIMB = ("Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes", "Eye")

BONES: tuple[str, ...] = (
    *("hips", "spine", "chest", "upperChest", "neck", "head", "jaw"),
    *(side + part for side in SIDES for part in _LIMB),
    *(
        side + finger + knuckle
        for side in SIDES
        for finger in _FINGERS
        for knuckle in (
            ("Metacarpal", "Proximal", "Distal") if finger == "Thumb" else ("Proximal", "Intermediate", "Distal")
        )
    ),
)  # the 55 bones of VRM 1.0
REQUIRED: tuple[str, ...] = ("hips", "head", *(side + part for side in SIDES for part in ("UpperArm", "LowerArm")))
_THUMB_0X = {"ThumbProximal": "ThumbMetacarpal", "ThumbIntermediate": "ThumbProximal"}  # VRM 0.x names one off

_PARENTS = {  # the bone below which each bone must lie, nearest first; the first one she has is checked
    "spine": ("hips",), "chest": ("spine",), "upperChest": ("chest",),
    "neck": ("upperChest", "chest", "spine", "hips"), "head": ("neck", "upperChest", "chest", "spine", "hips"),
    "jaw": ("head",), "Eye": ("head",), "Shoulder": ("spine", "hips"),
    "UpperArm": ("Shoulder", "spine", "hips"), "LowerArm": ("UpperArm",), "Hand": ("LowerArm",),
    "UpperLeg": ("hips",), "LowerLeg": ("UpperLeg",), "Foot": ("LowerLeg",), "Toes": ("Foot",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Humanoid:
    """VRM 1.0 bone name -> node, and where it is from: the file's map may not be second-guessed, names may."""

    bones: dict[str, int]
    by_names: bool


def find_humanoid(
    document: Table, nodes: Nodes, joints: set[int], warnings: list[str], given: Mapping[str, int] | None = None
) -> Humanoid:
    """Return the bones of a file; raises AvatarError with the reason where it holds no humanoid.

    joints: nodes that are joints of a skin in use
    given: bone -> node, -1 for none: what the user says over what the file says and names tell
    """
    given = given or {}
    sure = {bone: node for bone, node in given.items() if node >= 0}
    extensions = document.table("extensions")
    mapped: dict[str, int] = {}
    if "VRMC_vrm" in extensions:
        mapped = _vrm1(extensions.table("VRMC_vrm").table("humanoid").table("humanBones"), len(nodes.rows), warnings)
    elif "VRM" in extensions:
        mapped = _vrm0(extensions.table("VRM").table("humanoid").rows("humanBones"), len(nodes.rows), warnings)
    mapped = _in_order(_with_given(_no_node_twice(mapped, warnings), given), nodes, warnings)
    if all(bone in mapped for bone in REQUIRED):
        return Humanoid(_kept(mapped, sure, nodes), by_names=False)
    if mapped and not sure:
        lost = [bone for bone in REQUIRED if bone not in mapped]
        warnings.append(f"its VRM map has no {', '.join(lost)}; bones are found by their names instead")
    bones = _in_order(_with_given(_told(nodes, joints, bool(sure), warnings), given), nodes, warnings)
    bones = _kept(bones, sure, nodes)
    lost = [bone for bone in REQUIRED if bone not in bones]
    if lost:
        why = f"; {warnings[-1]}" if warnings else ""
        raise AvatarError(f"not a humanoid: its {', '.join(lost)} do not hang together{why}")
    return Humanoid(bones, by_names=not sure)


def _with_given(bones: dict[str, int], given: Mapping[str, int]) -> dict[str, int]:
    """Return bones with the user's in their places; a node that the user gives to one bone is no other bone."""
    taken = set(given.values())
    kept = {bone: node for bone, node in bones.items() if bone not in given and node not in taken}
    return kept | {bone: node for bone, node in given.items() if node >= 0}


def _kept(bones: dict[str, int], sure: Mapping[str, int], nodes: Nodes) -> dict[str, int]:
    """Return the bones, or raise AvatarError for one the user gave that cannot be what it is said to be."""
    lost = next((bone for bone in sure if bone not in bones), "")
    if lost:
        name = quoted(nodes.names[sure[lost]]) if nodes.names[sure[lost]] else sure[lost]
        raise AvatarError(f"the bone map says {lost} = {name}, which does not lie below the bone it moves with")
    return bones


def _told(nodes: Nodes, joints: set[int], is_mapped: bool, warnings: list[str]) -> dict[str, int]:
    """Return the bones by names, or by shape where names tell too little; with a user's map what is found, or nothing.

    One skeleton at a time, the largest first: trousers with bones of their own would lend her their legs.
    """
    trees = [{n for n in joints if nodes.below(top, n)} for top in topmost(nodes, joints)]
    for tree in sorted(trees, key=len, reverse=True) if 1 < len(trees) < 20 else ():
        try:
            return _by_names(nodes, tree)
        except AvatarError:
            continue
    try:
        return _by_names(nodes, joints)
    except AvatarError as by_names:
        try:
            bones = by_shape(nodes, joints)
        except AvatarError as shape:
            if is_mapped:
                return {}
            raise (by_names if _has_names(nodes, joints) else shape) from None
    if not is_mapped:
        warnings.append("its joints' names tell no body: bones are told by their places; a bone map makes them sure")
    return bones


def _vrm1(bones: Table, count: int, warnings: list[str]) -> dict[str, int]:
    known = {bone: bones.table(bone).integer("node", high=count - 1) for bone in BONES if bone in bones}
    odd = [bone for bone in bones if bone not in BONES]
    if odd:
        warnings.append(f"its VRM map names bones that VRM 1.0 does not know: {quoted(', '.join(odd))}")
    return known


def _vrm0(rows: list[Table], count: int, warnings: list[str]) -> dict[str, int]:
    known: dict[str, int] = {}
    for row in rows:
        bone, node = row.label("bone"), row.integer("node", -1, low=-1, high=count - 1)
        side = next((s for s in SIDES if bone.startswith(s)), "")
        bone = side + _THUMB_0X.get(bone[len(side) :], bone[len(side) :])
        if node >= 0 and bone in BONES and bone not in known:
            known[bone] = node
    return known


def _no_node_twice(bones: dict[str, int], warnings: list[str]) -> dict[str, int]:
    taken: dict[int, str] = {}
    for bone, node in bones.items():
        if node in taken:
            warnings.append(f"its VRM map gives nodes[{node}] to {taken[node]} and to {bone}; the second is dropped")
        else:
            taken[node] = bone
    return {bone: node for node, bone in taken.items()}


def _in_order(bones: dict[str, int], nodes: Nodes, warnings: list[str]) -> dict[str, int]:
    """Drop bones that do not lie below the bone they move with: moving the parent would leave them behind."""
    kept: dict[str, int] = {}
    for bone in BONES:
        if bone not in bones:
            continue
        side = next((s for s in SIDES if bone.startswith(s)), "")
        part = bone[len(side) :]
        above = [name for p in _PARENTS.get(part, ("Hand",) if side else ()) for name in (side + p, p) if name in kept]
        if above and (bones[bone] == kept[above[0]] or not nodes.below(kept[above[0]], bones[bone])):
            name = quoted(nodes.names[bones[bone]])
            warnings.append(f"{name} is named as {bone} but does not lie below {above[0]}; not used as that")
        elif above or bone == "hips" or "hips" in kept:
            kept[bone] = bones[bone]
    return kept


def _by_names(nodes: Nodes, joints: set[int]) -> dict[str, int]:
    """Return the bones that names tell; raises AvatarError where they tell too little."""
    bare = [n for n in nodes.order if "mesh" not in nodes.rows[n]]
    pool = bare
    if joints:  # bones that hold no skin (hips, eyes in some exports) lie above, between or below the joints
        below = set(joints)
        for node in bare:  # parents come first
            if nodes.parent[node] in below:
                below.add(node)
        above = _ancestors(nodes, list(joints))
        pool = [n for n in nodes.order if n in below or n in above]
    shown = [n for n in pool if n in joints] or pool
    said = dict(zip(pool, words([nodes.names[n] for n in pool]), strict=True))
    found: dict[str, int] = {}
    for side in SIDES:
        ours = {n: w for n, w in said.items() if w.side == side}
        found |= {side + part: node for part, node in _arm(nodes, ours).items()}
        found |= {side + part: node for part, node in _leg(nodes, ours).items()}
        if side + "Hand" in found:
            found |= {side + part: node for part, node in _fingers(nodes, ours, found[side + "Hand"]).items()}
    found |= _trunk(nodes, said, found)
    if "head" in found:
        for node, word in said.items():
            part = {"eye": word.side + "Eye", "jaw": "jaw"}.get(word.part, "")
            if part in BONES and part not in found and node != found["head"] and nodes.below(found["head"], node):
                found[part] = node
    lost = [bone for bone in REQUIRED if bone not in found]
    if lost:
        example = ", ".join(quoted(nodes.names[n], 24) for n in shown[:4])
        raise AvatarError(f"no humanoid by its names: no {', '.join(lost)} among {len(shown)} joints ({example}, ..)")
    return found


def _has_names(nodes: Nodes, joints: set[int]) -> bool:
    shown = joints or {n for n in nodes.order if "mesh" not in nodes.rows[n]}
    return any(any(letter.isalpha() for letter in nodes.names[n]) for n in shown)


def _ancestors(nodes: Nodes, below: list[int]) -> set[int]:
    found: set[int] = set()
    for start in below:
        node = nodes.parent[start]
        while node >= 0 and node not in found:
            found.add(node)
            node = nodes.parent[node]
    return found


def _first(said: dict[int, Word], *parts: str) -> int:
    return next((node for node, word in said.items() if word.part in parts), -1)


def _below(nodes: Nodes, said: dict[int, Word], node: int) -> dict[int, Word]:
    return {n: w for n, w in said.items() if n != node and nodes.below(node, n)}


def _arm(nodes: Nodes, said: dict[int, Word]) -> dict[str, int]:
    """One side's arm, in tree order: `shoulder` and `arm` mean what the joints around them leave for them to mean."""
    collar = _first(said, "collar", "shoulder")
    upper = _first(said, "upper_arm")
    if upper < 0:
        upper = _first(said, "arm")
    if upper < 0:
        shoulders = [n for n, w in said.items() if w.part == "shoulder"]
        upper = next((n for n in shoulders if n != collar), collar)
    if upper < 0:
        return {}
    if collar == upper or (collar >= 0 and not nodes.below(collar, upper)):
        collar = -1
    rest = _below(nodes, said, upper)
    generic = [n for n, w in rest.items() if w.part == "arm"]
    lower, hand = _first(rest, "lower_arm"), _first(rest, "hand")
    if lower < 0 and generic:
        lower = generic.pop(0)
    if hand < 0 and generic:
        hand = generic[-1] if generic[-1] != lower else -1
    found = {"Shoulder": collar, "UpperArm": upper, "LowerArm": lower, "Hand": hand}
    return {part: node for part, node in found.items() if node >= 0}


def _leg(nodes: Nodes, said: dict[int, Word]) -> dict[str, int]:
    """One side's leg: `leg` is the shin under a thigh (Mixamo) and the thigh above a knee (Unity)."""
    upper = _first(said, "upper_leg")
    if upper < 0:
        upper = _first(said, "leg")
    if upper < 0:
        return {}
    rest = _below(nodes, said, upper)
    generic = [n for n, w in rest.items() if w.part == "leg"]
    lower, foot = _first(rest, "lower_leg"), _first(rest, "ankle", "foot")
    if lower < 0 and generic:
        lower = generic.pop(0)
    if foot < 0 and generic:
        foot = generic.pop(0)
    toes = _first(_below(nodes, rest, foot), "toes", "foot", "leg") if foot >= 0 else -1
    found = {"UpperLeg": upper, "LowerLeg": lower, "Foot": foot, "Toes": toes}
    return {part: node for part, node in found.items() if node >= 0}


def _fingers(nodes: Nodes, said: dict[int, Word], hand: int) -> dict[str, int]:
    """One hand's fingers by their order from the hand out; a fourth joint is the tip, one in the palm is skipped."""
    found: dict[str, int] = {}
    under = _below(nodes, said, hand)
    for finger in _FINGERS:
        thumb = finger == "Thumb"
        chain: list[int] = []
        for node, word in under.items():
            if word.part == finger and (thumb or not word.palm) and (not chain or nodes.below(chain[-1], node)):
                chain.append(node)
        if len(chain) > 3 and not thumb and said[chain[0]].number == 0:
            chain = chain[1:]
        knuckles = ("Metacarpal", "Proximal", "Distal") if thumb else ("Proximal", "Intermediate", "Distal")
        if thumb and len(chain) < 3:
            knuckles = knuckles[1:]
        found |= {finger + knuckle: node for knuckle, node in zip(knuckles, chain, strict=False)}
    return found


def _trunk(nodes: Nodes, said: dict[int, Word], found: dict[str, int]) -> dict[str, int]:
    """Hips, torso, neck and head from where the limbs branch off: spines are numbered in more ways than limbs."""
    middle = {n: w for n, w in said.items() if not w.side}
    arms = [found[side + part] for side in SIDES for part in ("Shoulder", "UpperArm") if side + part in found]
    legs = [found[side + "UpperLeg"] for side in SIDES if side + "UpperLeg" in found]
    if len(arms) < 2:
        return {}
    branch = nodes.common(arms)
    head = _first(middle, "head")
    if head < 0 and branch >= 0:  # Rigify's metarig: spine.006 is the head
        head = next((n for n in reversed(middle) if middle[n].part in ("torso", "neck") and nodes.below(branch, n)), -1)
    if branch < 0 or head < 0 or head == branch:
        return {}
    branch = nodes.common([*arms, head])
    hips = nodes.common([*legs, head, branch]) if len(legs) == 2 else -1
    if hips < 0:
        hips = _first(middle, "hips")
    if hips < 0:
        hips = next((n for n, w in middle.items() if w.part == "torso"), -1)
    if hips < 0:
        return {"head": head}
    torso = nodes.path(hips, branch)[1:]
    between = nodes.path(branch, head)[1:-1]
    neck = next((n for n in between if n in said and said[n].part == "neck"), -1)
    if neck < 0 and torso and torso[-1] in said and said[torso[-1]].part == "neck":  # arms that hang on the neck
        neck = torso.pop()
    elif neck < 0 and between:  # Rigify's metarig: spine.004
        neck = between[0]
    trunk = {"hips": hips, "head": head} | ({"neck": neck} if neck >= 0 else {})
    if len(torso) > 3:  # spine 1..5: the bones between move with their neighbours
        torso = [torso[0], torso[len(torso) // 2], torso[-1]]
    return trunk | dict(zip(("spine", "chest", "upperChest"), torso, strict=False))
