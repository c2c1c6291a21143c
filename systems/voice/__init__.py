"""Her voice: what arrived since the last tick becomes what she is saying and how far it has sounded."""

from __future__ import annotations

from ...components.config import Config
from ...components.face import Face
from ...components.fence import Asked
from ...components.gaze import Gaze
from ...components.inbox import Event
from ...components.mode import Mode
from ...components.outbox import Outbox
from ...components.persona import Persona
from ...components.plan import Plan
from ...components.preview import Preview
from ...components.voice import Voice
from ...components.world import World
from . import clock, ears, turn
from .posture import ask


def listen(world: World) -> None:
    """Take what arrived, start, advance and end utterances.

    Reads Inbox, World.tick; writes Voice, Persona, Gaze, Face.mood, World.mode, World.config, Outbox, Plan.changed,
    Plan.late, Plan.sentences (motion that came), Asked.
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
        turn.look(voice)
        turn.advance(world, entity, voice, outbox)
        ears.judge(world, voice)
        voice.active = turn.is_sounding(voice) if voice.current is not None else ears.is_speaking(world, voice)


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
    kind, data, entity = event.kind, event.data, event.avatar
    if kind == "audio":
        ears.hear(world, voice, data["samples"])
    elif kind == "say":
        turn.say(world, entity, voice, data)
    elif kind == "begin":
        turn.begin(world, entity, voice, data)
    elif kind == "feed":
        turn.feed(world, voice, data)
    elif kind == "end":
        turn.end(voice, data)
    elif kind == "stop":
        turn.stop(world, entity, voice, data.get("id", 0))
    elif kind == "position":
        if voice.current is not None and voice.current.id == data["id"]:
            clock.report(world, voice, float(data["seconds"]))
    elif kind == "listen":
        ears.switch(voice, bool(data["on"]))
    elif kind == "mood":
        face = world.get(entity, Face)
        face.mood, face.is_new = (str(data["name"]), float(data["amount"])), True
    elif kind in ("look", "viewer"):
        gaze = world.get(entity, Gaze)
        point = data["point"]
        setattr(gaze, "asked" if kind == "look" else "viewer", None if point is None else tuple(map(float, point)))
        gaze.due = world.tick
    elif kind == "fence":
        world.put(entity, Asked(str(data["stage"]), data["head"]))
    elif kind in ("hold", "release"):
        ask(world, entity, kind, data)
    elif kind == "motion":
        sentences = world.get(entity, Plan).sentences
        if sentences is not None:
            sentences.arrived.append((data["id"], data["frame"], data["motion"], bool(data["is_last"])))
    elif kind == "late":
        world.get(entity, Plan).late = world.tick
    elif kind == "stillness":
        world.get(entity, Persona).stillness = min(max(float(data["value"]), 0.0), 1.0)
        world.get(entity, Plan).touch(world.tick)
