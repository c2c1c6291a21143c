"""Her voice: what arrived since the last tick becomes what she is saying and how far it has sounded."""

from __future__ import annotations

from ...components.config import Config
from ...components.inbox import Event
from ...components.mode import Mode
from ...components.outbox import Outbox
from ...components.persona import Persona
from ...components.plan import Plan
from ...components.preview import Preview
from ...components.voice import Utterance, Voice
from ...components.world import World

_SLACK = 0.25  # s a report may be off before it is taken as a jump instead of being followed
_SLEW = 0.002  # s per tick that a report moves the clock: 20 ppm are 0.3 us a tick, reports jitter by 20 ms


def listen(world: World) -> None:
    """Take what arrived, start, advance and end utterances.

    Reads Inbox, World.tick; writes Voice, Persona, World.mode, World.config, Outbox, Plan.changed.
    """
    for event in world.inbox.drain(world.tick):
        if event.avatar < 0:
            _to_world(world, event)
            continue
        try:
            voice = world.get(event.avatar, Voice)
        except KeyError:
            continue  # she was removed while the message was on its way
        _to_avatar(world, event, voice)
    for entity, voice, outbox in world.each(Voice, Outbox):
        _advance(world, entity, voice, outbox)


def _to_world(world: World, event: Event) -> None:
    if event.kind == "mode":
        world.mode = Mode(event.data["mode"])
    elif event.kind == "config":
        config = event.data["config"]
        assert isinstance(config, Config)
        world.config = config
        for _, preview in world.each(Preview):
            preview.drop()


def _to_avatar(world: World, event: Event, voice: Voice) -> None:
    outbox = world.get(event.avatar, Outbox)
    data = event.data
    if event.kind == "say":
        if data.get("interrupt"):
            _stop(world, event.avatar, voice, outbox, 0)
        voice.queue.append(Utterance(data["id"], data["speech"], data.get("play", True), data["speech"].digest))
        voice.last_id = data["id"]
    elif event.kind == "stop":
        _stop(world, event.avatar, voice, outbox, data.get("id", 0))
    elif event.kind == "position":
        if voice.current is not None and voice.current.id == data["id"]:
            _report(world, voice, float(data["seconds"]))
    elif event.kind == "stillness":
        world.get(event.avatar, Persona).stillness = min(max(float(data["value"]), 0.0), 1.0)
        world.get(event.avatar, Plan).touch(world.tick)


def _stop(world: World, entity: int, voice: Voice, outbox: Outbox, which: int) -> None:
    """End one utterance, or with 0 all of them: the mouth closes and the body eases to the reflex."""
    gone = [u for u in voice.queue if which in (0, u.id)]
    voice.queue = [u for u in voice.queue if which not in (0, u.id)]
    if voice.current is not None and which in (0, voice.current.id):
        gone.insert(0, voice.current)
        voice.current = None
        voice.active = False
    for utterance in gone:
        outbox.say(world.tick, "interrupted", id=utterance.id)
    if gone:
        world.get(entity, Plan).touch(world.tick)


def _report(world: World, voice: Voice, seconds: float) -> None:
    """Pull the derived clock toward what really sounded."""
    error = seconds - (world.tick - voice.began) * world.dt - voice.offset
    voice.offset += error if abs(error) > _SLACK else min(max(error, -_SLEW), _SLEW)


def _advance(world: World, entity: int, voice: Voice, outbox: Outbox) -> None:
    current = voice.current
    if current is not None:
        now = (world.tick - voice.began) * world.dt + voice.offset
        voice.position = max(voice.position, now)  # lips never run backwards
        if voice.position >= current.speech.seconds:
            outbox.say(world.tick, "finished", id=current.id)
            voice.current = None
    if voice.current is None and voice.queue:
        voice.current = voice.queue.pop(0)
        voice.began, voice.position, voice.offset, voice.word = world.tick, 0.0, 0.0, -1
        outbox.say(world.tick, "started", id=voice.current.id)
        world.get(entity, Plan).touch(world.tick)
    if voice.current is not None:
        words = voice.current.speech.words
        while voice.word + 1 < len(words) and words[voice.word + 1].start <= voice.position:
            voice.word += 1
            outbox.say(world.tick, "word", id=voice.current.id, text=words[voice.word].text)
    voice.active = _sounding(voice)


def _sounding(voice: Voice) -> bool:
    """Return whether she is inside a phrase: the loudness gate holds 0.2 s too long to tell when she stops."""
    if voice.current is None:
        return False
    now = voice.position
    return any(start <= now < stop for start, stop in voice.current.speech.phrases)
