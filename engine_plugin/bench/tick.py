"""What a tick costs, beside the same arithmetic in numpy: from the plan to the pose before any rule."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from ...components import gltf
from ...components.carry import Carry
from ...components.motion import Motion
from ...components.plan import Plan
from ...components.preview import Preview
from ...systems import headless, matcher, reflex
from ...systems.avatar.handle import hear
from ...systems.matcher.blend import running, write
from ...systems.schedule import TICK
from . import entry, numpy_slot

TICKS, RUNS = 900, 3
MOTION = (matcher.refit, matcher.plan, reflex.plan, *(s for s in TICK if isinstance(s, partial)))  # plan to pose


def figures() -> list[dict[str, Any]]:
    """Return tick.p50_us and p99_us, their share of numpy, tick.whole_*, and crowd.100_ms, picks included in all.

    tick.p50_us is from the plan to the pose (without voice, hair and face); tick.whole_* is all of TICK.
    """
    world = headless.world(seed=1)
    world.avatar.say(_voice())
    for _ in range(120):
        world.step(TICK)
    quiet, reference = [], []
    for _ in range(RUNS):
        taken = np.array([_step(world) for _ in range(TICKS // RUNS)]) * 1e6
        quiet.append(np.percentile(taken, (50, 99), axis=0).ravel())
        reference.append(_numpy_us(world))
    p50, whole50, p99, whole99 = np.min(quiet, axis=0)
    numpy_us = min(reference)
    return [
        entry("tick.p50_us", float(p50), "us", goal=60.0, reference=("numpy", numpy_us)),
        entry("tick.p99_us", float(p99), "us", goal=2.0 * float(p50)),
        entry("tick.whole_p50_us", float(whole50), "us"),
        entry("tick.whole_p99_us", float(whole99), "us"),
        entry("tick.share_of_numpy", float(p50 / numpy_us), ""),
        entry("crowd.100_ms", _crowd_ms(), "ms", goal=6.0),
    ]


def _step(world: headless.World) -> tuple[float, float]:
    """Make one tick and return the seconds from the plan to the pose, and of the whole."""
    inner = 0.0
    began = time.perf_counter()
    for system in TICK:
        before = time.perf_counter()
        system(world)
        if system in MOTION:
            inner += time.perf_counter() - before
    world.tick += 1
    return inner, time.perf_counter() - began


def _voice() -> tuple[Any, int]:
    t = np.arange(25 * 16_000) / 16_000
    buzz = sum(np.sin(2 * np.pi * 190 * k * t) / k for k in range(1, 12))
    return (0.2 * buzz * np.clip(np.sin(2 * np.pi * 2.1 * t), 0.1, 1.0)).astype(np.float32), 16_000


def _numpy_us(world: headless.World) -> float:
    """Return the time of one slot in numpy, at the same moment of the same fade."""
    motion, plan = world.get(0, Motion), world.get(0, Plan)
    slot = world.get(0, Preview).slots[0]
    old, new = running(plan, world.tick)
    times_of = write(motion, old, new, world.tick)
    state = numpy_slot.State(
        world.get(0, Carry).view("corpus").copy(), world.get(0, Carry).view("corpus_velocity").copy()
    )
    cause = np.array([0.4, 0.7, 0.002, 0.001])
    times = []
    for _ in range(40):
        began = time.perf_counter()
        corpora = numpy_slot.corpus(motion, state, motion.old, motion.new, times_of, 1 / 60)
        reflexes, hips = numpy_slot.reflex(motion, cause, 0.8)
        numpy_slot.pose(motion, reflexes, hips, corpora, slot.sink)
        times.append(time.perf_counter() - began)
    return float(np.median(times)) * 1e6


def _crowd_ms() -> float:
    """Return a tick of 100 avatars that all speak, ms."""
    corpus, body = headless.load_corpus(), gltf.read(headless.AVATAR)
    world = headless.World(seed=1)
    for _ in range(100):
        headless.spawn(world, body, corpus)
    speech = hear(_voice(), (), "")
    for entity, _ in list(world.each(Motion)):
        world.inbox.post("say", entity, id=1, speech=speech, play=False)
    times = []
    for _ in range(200):
        world.step(TICK)
        times.append(world.tick_seconds)
    return float(np.percentile(times[60:], 50)) * 1e3
