"""Whose turn it is: utterances begin, wait, are fed, cut short and end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...components.mode import Mode
from ...components.outbox import Outbox
from ...components.plan import Plan
from ...components.speech import Growing, Speech
from ...components.voice import Utterance, Voice
from ...components.world import World
from . import clock, stream


def say(world: World, entity: int, voice: Voice, data: dict[str, Any]) -> None:
    """Queue a voice that is known whole."""
    _queue(world, entity, voice, data, data["speech"])


def begin(world: World, entity: int, voice: Voice, data: dict[str, Any]) -> None:
    """Queue a voice that will be fed."""
    _queue(world, entity, voice, data, stream.nothing(data["text"]))
    voice.streams[data["id"]] = Growing(data["text"])


def feed(world: World, voice: Voice, data: dict[str, Any]) -> None:
    """Take a chunk of a voice; one for an utterance that was stopped meanwhile is no fault."""
    growing = voice.streams.get(data["id"])
    if growing is None:
        return
    if growing.since < 0 and data["sounds"]:
        growing.since = world.tick
    stream.grow(
        growing, data["samples"], data["coefficient"], data["loudness"], data["band"], data["words"]
    )  # fmt: skip


def end(voice: Voice, data: dict[str, Any]) -> None:
    """A voice was fed to its end. speech: all of it, None if nothing came."""
    growing = voice.streams.pop(data["id"], None)
    if growing is not None:
        _replace(voice, data["id"], data["speech"] or stream.nothing(growing.text))


def look(voice: Voice) -> None:
    """Measure what came in of growing voices since the last tick."""
    for number, growing in voice.streams.items():
        if growing.is_fresh:
            growing.is_fresh = False
            _replace(voice, number, stream.so_far(growing))


def stop(world: World, entity: int, voice: Voice, which: int) -> None:
    """End one utterance, or with 0 all of them: the mouth closes and the body eases to the reflex."""
    gone = [u for u in voice.queue if which in (0, u.id)]
    voice.queue = [u for u in voice.queue if which not in (0, u.id)]
    if voice.current is not None and which in (0, voice.current.id):
        gone.insert(0, voice.current)
        voice.current = None
        voice.active = False
    for utterance in gone:
        voice.streams.pop(utterance.id, None)
        world.get(entity, Outbox).say(world.tick, "interrupted", id=utterance.id)
    if gone:
        world.get(entity, Plan).touch(world.tick)


def advance(world: World, entity: int, voice: Voice, outbox: Outbox) -> None:
    """Move the voice on by a tick: end what is over, begin what is next, announce the words that sound."""
    if voice.current is not None:
        clock.move(world, voice)
        if not voice.is_open and voice.position >= voice.current.speech.seconds:
            outbox.say(world.tick, "finished", id=voice.current.id)
            voice.current = None
    is_free = voice.current is None and bool(voice.queue)
    if is_free and clock.is_ready(world, voice.streams.get(voice.queue[0].id)) and not _leads(world, entity, voice):
        voice.current = voice.queue.pop(0)
        clock.start(world, voice)
        voice.word = -1
        outbox.say(world.tick, "started", id=voice.current.id)
        world.get(entity, Plan).touch(world.tick)
    if voice.current is not None:
        words = voice.current.speech.words
        while voice.word + 1 < len(words) and words[voice.word + 1].start <= voice.position:
            voice.word += 1
            outbox.say(world.tick, "word", id=voice.current.id, text=words[voice.word].text)


def _leads(world: World, entity: int, voice: Voice) -> bool:
    """Return whether a voice that is known whole waits for the first motion of its sentence (`[sentence] lead_ms`)."""
    lead, sentences, head = world.config.sentence.lead_ms, world.get(entity, Plan).sentences, voice.queue[0]
    if lead <= 0.0 or sentences is None or head.id in voice.streams:
        return False
    if world.mode is Mode.PUBLIC or voice.listening:
        return False  # nothing is asked for
    if head.id > sentences.asked:
        return True  # it is on this tick
    has_motion = sentences.waiting is not None and sentences.waiting.id == head.id
    is_over = (world.tick - sentences.asked_at) * world.dt * 1e3 >= lead
    return head.id == sentences.asked and not has_motion and not is_over


def is_sounding(voice: Voice) -> bool:
    """Return whether she is inside a phrase: the loudness gate holds 0.2 s too long to tell when she stops."""
    if voice.current is None or voice.waited:
        return False
    now = voice.position
    for start, stop in voice.current.speech.phrases:  # noqa: SIM110 - a generator costs ten times as much a tick
        if start <= now < stop:
            return True
    return False


def _queue(world: World, entity: int, voice: Voice, data: dict[str, Any], speech: Speech) -> None:
    if data.get("interrupt"):
        stop(world, entity, voice, 0)
    tags = tuple((str(kind), str(value), int(word)) for kind, value, word in data.get("tags", ()))
    voice.queue.append(Utterance(data["id"], speech, data.get("play", True), speech.digest, tags))
    voice.last_id = data["id"]


def _replace(voice: Voice, number: int, speech: Speech) -> None:
    if voice.current is not None and voice.current.id == number:
        voice.current = replace(voice.current, speech=speech, digest=speech.digest)
    voice.queue = [
        replace(u, speech=speech, digest=speech.digest) if u.id == number else u for u in voice.queue
    ]  # fmt: skip
