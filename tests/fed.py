"""A made voice handed over in pieces, and what is seen of her meanwhile: shared by the tests of streams."""

from __future__ import annotations

import dataclasses

import numpy as np
import talker

from kinesics.components.face import Face
from kinesics.components.speech import RATE
from kinesics.systems import figures, headless
from kinesics.systems.schedule import TICK

TTS = 24_000  # Hz


def spoken(seconds: float = 6.0, rate: int = TTS, **how: object) -> np.ndarray:
    """Return the numbers' voice at the rate of a speech synthesis."""
    at16 = talker.voice(seconds, **how)
    t = np.arange(round(len(at16) * rate / RATE)) * RATE / rate
    return np.interp(t, np.arange(len(at16)), at16).astype(np.float32)


def fresh(corpus: bool = True) -> headless.World:
    return headless.world(talker.body(), talker.corpus(), seed=3, with_corpus=corpus)


def watched(world: headless.World, ticks: int, before=lambda tick: None) -> figures.Run:
    """Return what was seen of so many ticks; before: called with the tick's number ahead of each."""
    recorder, opened = figures.Recorder(world), []
    for tick in range(ticks):
        before(tick)
        world.step(TICK)
        recorder.record(world)
        opened.append(mouth(world))
    run = recorder.run()
    run.about["open"] = np.array(opened)
    return run


def mouth(world: headless.World) -> float:
    return float(world.get(0, Face).openness)


def said(world: headless.World) -> list[tuple[str, int]]:
    """Return what became of her utterances since the last call: (event, number)."""
    return [(name, data["id"]) for _, name, data in world.avatar.deliver() if "id" in data]


def equal(a: object, b: object) -> None:
    for field in dataclasses.fields(a):  # type: ignore[arg-type]
        np.testing.assert_array_equal(getattr(a, field.name), getattr(b, field.name), err_msg=field.name)


def live_feed(
    world: headless.World,
    pcm: np.ndarray,
    chunk_s: float = 0.02,
    pace: float = 1.0,
    ahead: float = 0.0,
    rate: int = TTS,
):
    """Return what feeds 20 ms chunks as a synthesis does that runs at `pace` times real time, and the stream."""
    u = world.avatar.begin(rate)
    size = round(chunk_s * rate)
    state = {"at": 0}

    def before(tick: int) -> None:
        while state["at"] < len(pcm) and state["at"] / rate <= tick / 60.0 * pace + ahead:
            u.feed(pcm[state["at"] : state["at"] + size])
            state["at"] += size
            if state["at"] >= len(pcm):
                u.end()

    return u, before
