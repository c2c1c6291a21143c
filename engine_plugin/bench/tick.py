"""What a tick costs, beside the same arithmetic in numpy: from the plan to the pose before any rule."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...components import gltf
from ...components.anatomy import SLOTS
from ...components.arrays import F64
from ...components.carry import Carry
from ...components.config import Config
from ...components.motion import Motion
from ...components.plan import Plan
from ...components.preview import Preview
from ...components.speech import RATE
from ...components.world import World
from ...systems import headless, matcher, reflex
from ...systems.avatar.handle import hear
from ...systems.matcher.blend import running, write
from ...systems.schedule import TICK
from ...systems.speech_gesture.plan import plan as plan_sentences
from . import entry, fence, numpy_slot
from .repeat import noise, times

TICKS, RUNS = 20_000, 8  # 5.5 minutes of speech
WARM = 120  # ticks before the first that counts: she is in her second row then
# from the plan to the pose
MOTION = (plan_sentences, matcher.refit, matcher.plan, reflex.plan, *(s for s in TICK if isinstance(s, partial)))
SPEECH = 11  # s of the bundled sentence, about: it is said again and again


def figures() -> list[dict[str, Any]]:
    """Return tick.*, one avatar's, and crowd.*, a hundred's, picks included in all.

    From the plan to the pose (without voice, rule, hair and face), or whole: all of TICK. Both of the least time that
    each tick took in RUNS equal runs; beside p99 stands that of the median single run, and tick.noise is what the
    machine made of a loop that does the same each time.
    """
    voice = hear(headless.HELLO, (), "")
    speech = hear((np.tile(voice.audio, 1 + TICKS // (60 * SPEECH)), RATE), (), "")
    fresh = headless.world(seed=1)

    def begin() -> World:
        world = fresh.copy()
        world.inbox.post("say", 0, id=1, speech=speech, play=False)
        for _ in range(WARM):
            world.step(TICK)
        return world

    parts = tuple((system,) for system in TICK)
    taken = times(begin, parts, TICKS, RUNS)
    inner = taken[:, :, [system in MOTION for system in TICK]].sum(axis=2)
    whole = taken.sum(axis=2)
    (p50, p99, once), (whole50, whole99, whole_once) = _spread(inner), _spread(whole)
    numpy_us = min(_numpy_us(begin()) for _ in range(3))
    shadow, live = fence.added_us()
    crowd, crowd_whole = _crowd()
    return [
        entry("tick.p50_us", p50, "us", goal=60.0, reference=("numpy", numpy_us)),
        entry("tick.p99_us", p99, "us", goal=2.0 * p50, reference=("one run", once)),
        entry("tick.whole_p50_us", whole50, "us", goal=80.0),
        entry("tick.whole_p99_us", whole99, "us", goal=2.0 * whole50, reference=("one run", whole_once)),
        entry("tick.noise", noise(p50, TICKS), "x p99 over p50"),
        entry("tick.share_of_numpy", p50 / numpy_us, ""),
        entry("tick.sentence_us", sentence_us(), "us", goal=8.0),
        entry("tick.shadow_us", shadow, "us", goal=14.0),
        entry("tick.live_us", live, "us", goal=14.0),
        entry("crowd.100_ms", crowd, "ms", goal=6.0),
        entry("crowd.whole_100_ms", crowd_whole, "ms", goal=12.0),
    ]


def sentence_us() -> float:
    """Return what the sentence layer adds to a tick from the plan to the pose while its motion plays, us, median."""
    shipped = Config.default()
    chosen = replace(shipped, sentence=replace(shipped.sentence, weights="made here"))
    sway = np.sin(np.arange(400)[:, None, None] * np.linspace(0.05, 0.15, len(SLOTS))[None, :, None])
    motion = (0.05 * sway * np.array([0.2, 0.3, 1.0])).astype(np.float32)  # small, so that the rule has no work
    speech, found = hear(headless.HELLO, (), ""), []
    for config in (shipped, chosen):
        fresh = headless.world(seed=1, config=config, with_model=False)

        def begin(fresh: World = fresh) -> World:
            world = fresh.copy()
            world.inbox.post("say", 0, id=1, speech=speech, play=False)
            world.step(TICK)
            world.inbox.post("motion", 0, id=1, frame=0, motion=motion, is_last=True)
            for _ in range(WARM):
                world.step(TICK)
            return world

        taken = times(begin, tuple((system,) for system in TICK), 400, RUNS).min(axis=0)
        found.append(float(np.median(taken[:, [s in MOTION for s in TICK]].sum(axis=1))))
    return found[1] - found[0]


def _spread(taken: F64) -> tuple[float, float, float]:
    """Return p50 and p99 of the least times, and the p99 of the median run, us. taken: (runs, ticks)."""
    p50, p99 = np.percentile(taken.min(axis=0), (50, 99))
    return float(p50), float(p99), float(np.median(np.percentile(taken, 99, axis=1)))


def _voice() -> tuple[Any, int]:
    t = np.arange(25 * 16_000) / 16_000
    buzz = sum(np.sin(2 * np.pi * 190 * k * t) / k for k in range(1, 12))
    return (0.2 * buzz * np.clip(np.sin(2 * np.pi * 2.1 * t), 0.1, 1.0)).astype(np.float32), 16_000


def _numpy_us(world: World) -> float:
    """Return the time of one slot in numpy, at the same moment of the same fade."""
    motion, plan = world.get(0, Motion), world.get(0, Plan)
    slot = world.get(0, Preview).slots[0]
    old, new = running(plan, world.tick)
    times_of = write(motion, old, new, world.tick)
    state = numpy_slot.State(
        world.get(0, Carry).view("corpus").copy(), world.get(0, Carry).view("corpus_velocity").copy()
    )
    cause = np.array([0.4, 0.7, 0.002, 0.001])
    taken = []
    for _ in range(40):
        began = time.perf_counter()
        corpora = numpy_slot.corpus(motion, state, motion.old, motion.new, times_of, 1 / 60)
        reflexes, hips = numpy_slot.reflex(motion, cause, 0.8)
        numpy_slot.pose(motion, reflexes, hips, corpora, slot.sink)
        taken.append(time.perf_counter() - began)
    return float(np.median(taken)) * 1e6


def _crowd() -> tuple[float, float]:
    """Return a tick of 100 avatars that all speak, from plan to pose and whole, ms of the thread's own time."""
    corpus, body = headless.load_corpus(), gltf.read(headless.AVATAR)
    fresh = headless.World(seed=1)
    for _ in range(100):
        headless.spawn(fresh, body, corpus)
    speech = hear(_voice(), (), "")

    def begin() -> World:
        world = fresh.copy()
        for entity, _ in list(world.each(Motion)):
            world.inbox.post("say", entity, id=1, speech=speech, play=False)
        for _ in range(60):
            world.step(TICK)
        return world

    taken = times(begin, tuple((system,) for system in TICK), 140, RUNS, time.thread_time).min(axis=0) * 1e-3
    inner = taken[:, [system in MOTION for system in TICK]].sum(axis=1)
    return float(np.median(inner)), float(np.median(taken.sum(axis=1)))
