"""What a tick costs, beside the same arithmetic in numpy: from the plan to the pose before any rule."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ...components import gltf
from ...components.carry import Carry
from ...components.motion import Motion
from ...components.plan import Plan
from ...components.preview import Preview
from ...systems import headless, matcher
from ...systems.avatar.handle import hear
from ...systems.matcher.blend import place, running
from ...systems.schedule import TICK
from . import entry, numpy_slot

TICKS, RUNS = 900, 3


def figures() -> list[dict[str, Any]]:
    """Return tick.p50_us, tick.p99_us of ticks without a pick, tick.pick_us, tick.ratio and crowd.100_ms."""
    world = headless.world(seed=1)
    world.avatar.say(_voice())
    for _ in range(120):
        world.step(TICK)
    quiet, picks, reference = [], [], []
    for _ in range(RUNS):
        plain, picked = [], []
        for _ in range(TICKS // RUNS):
            before = len(world.get(0, Plan).recent), world.get(0, Plan).picks[-1:]
            world.step(TICK)
            after = len(world.get(0, Plan).recent), world.get(0, Plan).picks[-1:]
            (plain if before == after else picked).append(world.tick_seconds * 1e6)
        quiet.append((np.percentile(plain, 50), np.percentile(plain, 99)))
        picks += picked
        reference.append(_numpy_us(world))
    p50, p99 = min(q[0] for q in quiet), min(q[1] for q in quiet)
    numpy_us = min(reference)
    return [
        entry("tick.p50_us", float(p50), "us", goal=60.0, reference=("numpy", numpy_us)),
        entry("tick.p99_us", float(p99), "us", goal=2.0 * float(p50)),
        entry("tick.pick_us", float(np.median(picks)) if picks else 0.0, "us"),
        entry("tick.share_of_numpy", float(p50 / numpy_us), ""),
        entry("crowd.100_ms", _crowd_ms(), "ms", goal=6.0),
    ]


def _voice() -> tuple[Any, int]:
    t = np.arange(25 * 16_000) / 16_000
    buzz = sum(np.sin(2 * np.pi * 190 * k * t) / k for k in range(1, 12))
    return (0.2 * buzz * np.clip(np.sin(2 * np.pi * 2.1 * t), 0.1, 1.0)).astype(np.float32), 16_000


def _numpy_us(world: headless.World) -> float:
    """Return the time of one slot in numpy, at the same moment of the same fade."""
    motion, plan = world.get(0, Motion), world.get(0, Plan)
    slot = world.get(0, Preview).slots[0]
    old, new = running(plan, world.tick)
    place(motion, old, new, motion.old)
    place(motion, new, new, motion.new)
    state = numpy_slot.State(
        world.get(0, Carry).view("corpus").copy(), world.get(0, Carry).view("corpus_velocity").copy()
    )
    since, fade = float(world.tick - new.tick) if new else 0.0, float(new.fade) if new else 0.0
    cause = np.array([0.4, 0.7, 0.002, 0.001])
    times = []
    for _ in range(40):
        began = time.perf_counter()
        corpora = numpy_slot.corpus(motion, state, motion.old, motion.new, fade, since, 1 / 60)
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
