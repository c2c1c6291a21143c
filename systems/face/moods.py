"""Moods: which of a face's own shapes show each, from a table people can change, and who asks for which."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...components.errors import FaceError
from ...components.face import Face
from ...components.face_map import EMOTIONS, GAZE, LIDS, PRESETS, UNITS, VOWELS, FaceMap, Look, Pairs
from ...components.outbox import Outbox
from ...components.voice import Utterance, Voice
from ...components.world import World

SHIPPED = Path(__file__).parents[2] / "assets" / "moods.toml"
NEUTRAL = "neutral"
TAGGED = 0.8  # of a mood that a tag asks for: in full they are masks (choice)
STAYS = 90  # ticks (1.5 s) that a tag's mood outlives her voice: a language model's next sentence may be on its way
_LIDS = {"eyeBlink": 1.0, "eyeSquint": 0.3}  # how far units close her eyes by themselves
_SIDES = ("Left", "Right")


def read(path: str | Path | None = None) -> dict[str, dict[str, Any]]:
    """Return a table of moods: name -> also, arkit, vrm. FaceError: file, mood, what is wrong, what it may be."""
    path = SHIPPED if not path else Path(path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as cause:
        raise FaceError(f"{path}: cannot be read ({cause.strerror}); check [face] moods") from None
    except (ValueError, RecursionError) as cause:  # numbers of 5000 digits and 1000 brackets are no TOMLDecodeError
        raise _wrong(path, f"not TOML: {cause}") from None
    out = {}
    for name, row in data.items():
        extra = sorted(set(row) - {"also", "arkit", "vrm"}) if isinstance(row, dict) else ["nothing"]
        if extra or name.lower() == NEUTRAL:
            what = f"[{name}] holds '{extra[0]}'" if extra else f"[{name}] cannot be changed"
            raise _wrong(path, f"{what}; a mood holds also, arkit, vrm")
        also = row.get("also", [])
        if not isinstance(also, list) or not all(isinstance(word, str) for word in also):
            raise _wrong(path, f"[{name}] also = {also!r:.40}: wanted a list of words")
        mixes = {"arkit": set(UNITS), "vrm": set(PRESETS)}
        out[name] = {
            "also": also,
            **{key: _mix(path, name, key, row.get(key, {}), known) for key, known in mixes.items()},
        }
    return out


def _wrong(path: Path, what: str) -> FaceError:
    """Return the error in one line: a name in TOML may hold several."""
    return FaceError(f"{path}: {' '.join(what.split())}")


def _mix(path: Path, mood: str, key: str, value: Any, known: set[str]) -> dict[str, float]:
    """Return a mix with both sides of a unit where its name has none."""
    if not isinstance(value, dict):
        raise _wrong(path, f"[{mood}] {key} = {value!r:.40}: wanted names with weights, {{ mouthSmile = 0.6 }}")
    out: dict[str, float] = {}
    for name, weight in value.items():
        is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if not is_number or not 0.0 <= weight <= 1.0:
            raise _wrong(path, f"[{mood}] {key}.{name} = {weight!r:.40}: wanted a number, 0..1")
        both = [name + side for side in _SIDES]
        for one in [name] if name in known else both:
            if one not in known:
                what = "ARKit's 52 face units, without a side for both" if key == "arkit" else ", ".join(PRESETS)
                raise _wrong(path, f"[{mood}] {key} has no '{name}'; names are those of {what}")
            out[one] = float(weight)
    return out


def added(face_map: FaceMap, table: Mapping[str, Mapping[str, Any]]) -> FaceMap:
    """Return what a face can show with the moods of a table that her file does not have, and the words for each."""
    looks = dict(face_map.expressions)
    for name, row in table.items():
        if name in looks:
            continue
        pairs, lids = _of_units(face_map, row["arkit"])
        if not pairs:
            mix = [(looks[one], weight) for one, weight in row["vrm"].items() if one in looks]
            pairs = tuple((channel, weight * full) for look, weight in mix for channel, full in look.channels)
            lids = max((weight for one, weight in row["vrm"].items() if one in LIDS), default=0.0)
        if pairs:
            looks[name] = Look(pairs, lids=lids)
    own = [name for name in looks if name not in (*VOWELS, *LIDS, *GAZE, *UNITS, *table, NEUTRAL)]
    words = {NEUTRAL: ""} | {name: name for name in (*EMOTIONS, *table, *own) if name in looks}
    for name, row in table.items():
        if name in looks:
            words |= {word.lower(): name for word in row["also"] if word.lower() not in words}
    return replace(face_map, expressions=looks, moods=words)


def _of_units(face_map: FaceMap, mix: Mapping[str, float]) -> tuple[Pairs, float]:
    pairs = tuple(
        (channel, weight * full) for unit, weight in mix.items() for channel, full in face_map.units.get(unit, ())
    )
    lids = sum(0.5 * share * mix.get(unit + side, 0.0) for unit, share in _LIDS.items() for side in _SIDES)
    has_lids = all(unit in face_map.units for unit in ("eyeBlinkLeft", "eyeBlinkRight"))
    return pairs, min(lids, 1.0) if has_lids else 0.0


def meant(face_map: FaceMap, word: str) -> str:
    """Return the expression that a word means, "" for neutral. FaceError names what there is."""
    words = face_map.moods
    found = words.get(word, words.get(word.lower())) if isinstance(word, str) else None
    if found is None:
        raise FaceError(f"mood: she has no '{word!s:.40}'; there are {', '.join(moods_of(face_map))}")
    return found


def moods_of(face_map: FaceMap) -> list[str]:
    """Return the moods a face can show, without other words for them."""
    return [word for word, name in face_map.moods.items() if name in ("", word)]


def feel(world: World, entity: int, face: Face, face_map: FaceMap, voice: Voice) -> None:
    """Ask her face for the mood of the tag that her voice has come to, or for the one she has without tags."""
    tick = world.tick
    said = voice.current
    if face.is_new:
        face.is_new, face.tagged = False, None
        want(face, *face.mood)
    if said is not None:
        face.felt = tick + STAYS
        if said.tags:
            _act(world, entity, face, face_map, said, voice)
    elif voice.queue:
        face.felt = tick + STAYS
    elif face.tagged is not None and tick >= face.felt:
        face.tagged = None
        want(face, *face.mood)


def _act(world: World, entity: int, face: Face, face_map: FaceMap, said: Utterance, voice: Voice) -> None:
    """Do what the tags say whose word begins to sound."""
    if face.tags_of != said.id:
        face.tags_of, face.tags_done = said.id, 0
    while face.tags_done < len(said.tags):
        kind, value, word = said.tags[face.tags_done]
        if not _is_due(said, voice, word):
            return
        face.tags_done += 1
        if kind != "face":
            _once(world, entity, f"tags like [{kind}:{value}] are passed over: she acts on [face:...]")
            continue
        try:
            name = meant(face_map, value)
        except FaceError as cause:
            _once(world, entity, f"tag [face:{value}]: {cause}")
            continue
        face.tagged = name
        want(face, name, TAGGED)


def _is_due(said: Utterance, voice: Voice, word: int) -> bool:
    """Whether a tag before this word, counted from 0, has come: without word times, by where it stands in the text."""
    speech = said.speech
    if speech.words:
        return voice.word >= min(word, len(speech.words) - 1) or (word == 0 and voice.position >= 0.0)
    if voice.is_open:
        return True  # nobody knows where in it the words are
    return voice.position >= speech.seconds * word / max(len(speech.text.split()), 1)


def _once(world: World, entity: int, what: str) -> None:
    outbox = world.get(entity, Outbox)
    if what not in outbox.degraded and len(outbox.degraded) < 100:  # a language model makes up tags without end
        outbox.degrade(world.tick, what)


def want(face: Face, name: str, amount: float) -> None:
    """Have her face show one mood, "" for none, in place of the one it was asked for before."""
    for other in face.moods:
        face.asked[other] = 0.0
    face.moods = (name,) if name else ()
    if name:
        face.asked[name] = amount
