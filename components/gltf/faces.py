"""Which channel of a face does what, by the names that tools give them and by the file's own map.

Known: ARKit in any case and spelling (`mouthSmile_L`, `Mouth_Smile_Left`), Oculus visemes (`viseme_PP`, `vrc.v_pp`),
VRM expressions, VRoid (`Fcl_MTH_A`), MMD (Japanese).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

import numpy as np

from ..arrays import F64
from ..face_map import EMOTIONS, LIDS, UNITS, VISEMES, VOWELS, FaceMap, Look, Pairs
from ..skin import Body, Mesh

OPEN = {"jawOpen": 0.40, "mouthLowerDownLeft": 0.20, "mouthLowerDownRight": 0.20, "mouthFunnel": 0.10}  # 15 mm on ours
SHUT = 0.4  # of a blink: eyes closed by a smile (VRoid's joy has 0.6) raise the lower lid, and no blink fits on top
SEEN = 3e-4  # of a mesh's extent: 0.1 mm on a face, 0.5 mm on a whole body, the rounding of packed files
WIDE = 0.9  # of a drawn "aa": the loudest voice, seen on a VRoid face
_VISEME = {name.lower(): name for name in VISEMES} | {"i": "ih", "o": "oh", "u": "ou"}  # RPM writes I, O, U
_PRESET = {  # VRoid's and MMD's own names of what VRM calls a preset
    "happy": ("fclalljoy", "笑顔"), "angry": ("fclallangry", "怒り"), "sad": ("fclallsorrow", "困る", "悲しい"),
    "relaxed": ("fclallfun", "なごみ"), "surprised": ("fclallsurprised", "びっくり"),
    "aa": ("fclmtha", "あ", "moutha", "a"), "ih": ("fclmthi", "い", "mouthi", "i"),
    "ou": ("fclmthu", "う", "mouthu", "u"), "ee": ("fclmthe", "え", "mouthe", "e"),
    "oh": ("fclmtho", "お", "moutho", "o"),
    "blink": ("fcleyeclose", "まばたき", "eyesclosed", "eyeclose", "eyesclose"),
    "blinkLeft": ("fcleyeclosel", "ウィンク", "winkleft", "winkl"),
    "blinkRight": ("fcleyecloser", "ウィンク右", "winkright", "winkr"),
}  # fmt: skip
_MOUTH_OPEN = ("mouthopen", "openmouth", "mouth")  # for a face with one shape for speech
_RESTING = ("sil", "neutral", "basis", "natural")  # meant to move nothing
_WORD = re.compile(r"[\W_]+")


def map_face(body: Body) -> FaceMap:
    """Return what her face can show and what it cannot."""
    still = _still(body)
    index = _index(body.morph_names, still)
    units = {unit: ((index[key], 1.0),) for unit in UNITS if (key := _unit_key(unit, index))}
    visemes: dict[str, Pairs] = {
        name: ((index[key], 1.0),)
        for key in index
        if (name := _VISEME.get(_said(key))) and (key.startswith(("viseme", "v")) or len(key) > 1)
    }
    pairs = {name: pairs for name in body.expressions if (pairs := _bound(body, name))}
    for name, known in _PRESET.items():
        key = next((key for key in known if key in index), "")
        if name not in pairs and key:
            pairs[name] = ((index[key], 1.0),)
    blink = _of(units, ("eyeBlinkLeft", "eyeBlinkRight")) or pairs.get("blink") or _of(pairs, LIDS[1:])
    kind, wide = _mouth(index, units, visemes, pairs)
    for vowel in VOWELS:  # a face of vowels alone still says them under Oculus's names
        name = "E" if vowel == "ee" else vowel
        if vowel in pairs and name not in visemes:
            visemes[name] = pairs[vowel]
    return FaceMap(
        kind=kind,
        open=wide,
        blink=blink,
        units=units,
        visemes={name: visemes[name] for name in VISEMES if name in visemes},
        expressions=_looks(body, pairs, blink),
        cannot=_cannot(kind, blink, units, visemes, pairs, still),
        digest=body.digest,
    )


def _still(body: Body) -> set[str]:
    """Return the morphs that move nothing: files fitted to a list of names fill it up with empty ones."""
    moves = set()
    for mesh in body.skin.meshes:
        extent = float(np.ptp(mesh.position, axis=0).max()) if len(mesh.position) else 0.0
        for morph in mesh.morphs:
            if len(morph.index) and float(np.abs(morph.position).max()) > SEEN * extent:
                moves.add(morph.name)
    return {name for name in body.morph_names if name not in moves and not _plain(name).endswith(_RESTING)}


def _index(names: tuple[str, ...], still: set[str]) -> dict[str, int]:
    """Return channel by plain name: the whole name, and its last part behind a `.`, `:` or `|`. The first one wins."""
    found: dict[str, int] = {}
    moving = [(channel, name) for channel, name in enumerate(names) if name not in still]
    for channel, name in moving:
        found.setdefault(_plain(name), channel)
    for channel, name in moving:
        found.setdefault(_plain(re.split(r"[.:|]", name)[-1]), channel)
    found.pop("", None)
    return found


def _plain(name: str) -> str:
    return _WORD.sub("", unicodedata.normalize("NFKC", name)).lower()


def _unit_key(unit: str, index: Mapping[str, int]) -> str:
    """Return the name under which she has an ARKit unit, "" for none."""
    key = unit.lower()
    forms = [key]
    for side in ("left", "right"):
        # mouthLeft and jawLeft move to a side, they have none; `mouthL` is in use for them too
        if key.endswith(side):
            forms.append(key[: -len(side)] + side[0])
    return next((form for form in forms if form in index), "")


def _said(key: str) -> str:
    for prefix in ("viseme", "vrcv", "v"):
        if key.startswith(prefix) and key[len(prefix) :] in _VISEME:
            return key[len(prefix) :]
    return key


def _bound(body: Body, name: str) -> Pairs:
    """Return the channels of one expression of the file's map; a morph bound on several meshes is one channel."""
    channel = {morph: k for k, morph in reversed(list(enumerate(body.morph_names)))}
    found: dict[int, float] = {}
    for _, morph, weight in body.expressions[name].binds:
        if morph in channel and weight > 0.0:
            found[channel[morph]] = max(found.get(channel[morph], 0.0), weight)
    return tuple(found.items())


def _of(pairs: Mapping[str, Pairs], names: tuple[str, ...]) -> Pairs:
    return tuple(dict(pair for name in names for pair in pairs.get(name, ())).items())


def _mouth(
    index: Mapping[str, int], units: Mapping[str, Pairs], visemes: Mapping[str, Pairs], pairs: Mapping[str, Pairs]
) -> tuple[str, Pairs]:
    """Return what names her mouth goes by and how a loud voice opens it."""
    if "jawOpen" in units:
        return "ARKit", tuple((units[unit][0][0], weight) for unit, weight in OPEN.items() if unit in units)
    if "aa" in pairs:
        return "VRM", tuple((channel, WIDE * weight) for channel, weight in pairs["aa"])
    if "aa" in visemes:
        return "Oculus", tuple((channel, WIDE * weight) for channel, weight in visemes["aa"])
    key = next((key for key in _MOUTH_OPEN if key in index), "")
    return ("one shape", ((index[key], WIDE),)) if key else ("none", ())


def _looks(body: Body, pairs: Mapping[str, Pairs], blink: Pairs) -> dict[str, Look]:
    closed = _moves(body, blink)
    looks = {}
    for name, channels in pairs.items():
        given = body.expressions.get(name)
        blocks = dict(given.overrides) if given is not None else {}
        looks[name] = Look(
            channels=channels,
            is_binary=given is not None and given.is_binary,
            blink=blocks.get("blink", ""),
            mouth=blocks.get("mouth", ""),
            lids=0.0 if name in LIDS or name in VOWELS else _share(closed, _moves(body, channels)),
        )
    return looks


def _moves(body: Body, channels: Pairs) -> list[F64]:
    """Return how far each mesh's vertices go under these channels, (V, 3) m each."""
    weight = {body.morph_names[channel]: w for channel, w in channels}
    return [_move(mesh, weight) for mesh in body.skin.meshes]


def _move(mesh: Mesh, weight: Mapping[str, float]) -> F64:
    total = np.zeros((len(mesh.position) if any(m.name in weight for m in mesh.morphs) else 0, 3))
    for morph in mesh.morphs:
        if morph.name in weight and len(total):
            total[morph.index] += weight[morph.name] * morph.position.astype(np.float64)
    return total


def _share(blink: list[F64], look: list[F64]) -> float:
    """Return how far a look closes her eyes: its part along a blink over the blink itself, 1 from SHUT up.

    VRoid's joy closes the eyes by a shape of its own, and VRM 0.x has no flag that says so.
    """
    whole = sum(float((b * b).sum()) for b in blink)
    along = sum(float((b * a).sum()) for a, b in zip(look, blink) if len(a) == len(b))
    share = min(max(along / whole, 0.0), 1.0) if whole > 0.0 else 0.0
    return 1.0 if share > SHUT else round(share, 3) if share > 0.1 else 0.0


def _cannot(
    kind: str,
    blink: Pairs,
    units: Mapping[str, Pairs],
    visemes: Mapping[str, Pairs],
    pairs: Mapping[str, Pairs],
    still: set[str],
) -> tuple[str, ...]:
    said = []
    if kind == "none":
        said.append("speak with her mouth: no jawOpen, aa or other shape that opens it")
    elif not (len(visemes) > 1 or {"mouthFunnel", "mouthPucker"} & set(units)):
        said.append("round or close her lips: her mouth opens and shuts")
    if not blink:
        said.append("blink")
    if not any(unit.startswith("brow") for unit in units):
        said.append("move her brows by themselves")
    moods = [name for name in EMOTIONS if name not in pairs]
    if moods and not any(unit.startswith("mouthSmile") for unit in units):
        said.append("look " + ", ".join(moods))
    if still:
        few = ", ".join(sorted(still)[:4]) + (", .." if len(still) > 4 else "")
        said.append(f"show {len(still)} shapes that move nothing in the file: {few}")
    return tuple(said)
