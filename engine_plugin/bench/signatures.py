"""Which kernels a run calls, and with which arrays: what systems/kernels/warm.py compiles ahead.

python -m kinesics.engine_plugin.bench.signatures > list, then move `list` to systems/kernels/signatures.txt
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...components.config import Config
from ...components.gesture import JOINTS, NEW, SEED
from ...components.motion import Motion
from ...components.pose import Pose
from ...components.speech import RATE
from ...components.world import World
from ...systems import headless, matcher
from ...systems.avatar.handle import hear
from ...systems.kernels import warm
from ...systems.matcher import aside, wide
from ...systems.retarget import Onto
from ...systems.schedule import TICK
from .fence import stand_in

_HEAD = "# What warm.py compiles ahead. Written by: python -m kinesics.engine_plugin.bench.signatures"
_TICKS = 900  # she says the bundled sentence and is silent long enough to let her arms down
_HELD = 600  # she is in it
_BLOCK = RATE // 60  # samples a tick


def collect() -> list[str]:
    """Return the lines of the list: she says a sentence, known, streamed, by microphone, is silent, holds, is drawn."""
    from ..strips import render_strip

    world = headless.world()
    world.avatar.say(headless.HELLO)
    world.avatar.look_at((0.5, 1.5, 1.5))
    for _ in range(_TICKS):
        world.step(TICK)
    audio = hear(headless.HELLO, (), "").audio
    stream = world.avatar.begin(RATE)
    for at in range(0, 2 * RATE, _BLOCK):
        stream.feed(audio[at : at + _BLOCK])
        world.step(TICK)
    stream.end()
    world.avatar.stop()
    world.avatar.listen()
    for at in range(0, 2 * RATE, _BLOCK):
        world.avatar.heard(audio[at : at + _BLOCK])
        world.step(TICK)
    _search_aside(world)
    _sentence()
    _ahead()
    world.avatar.listen(False)
    _fence(world)
    world.avatar.hold("crossed")
    for _ in range(_HELD):
        world.step(TICK)
    with tempfile.TemporaryDirectory() as folder:
        render_strip(world.avatar.body, [world.get(world.avatar.entity, Pose)], None, Path(folder) / "her.png")
    return warm.seen()


def _fence(world: World) -> None:
    """Let a head propose, live and then no longer: what it holds goes over to the rule."""
    for stage in ("live", "off"):
        world.inbox.post("fence", 0, stage=stage, head=stand_in(world) if stage == "live" else None)
        for _ in range(60):
            world.step(TICK)


def _ahead() -> None:
    """Let her stand and know what comes."""
    config = Config.default()
    world = headless.world(config=replace(config, run=replace(config.run, lookahead=18)), with_corpus=False)
    for _ in range(3):
        world.step(TICK)


def _sentence() -> None:
    """Let motion of a sentence come to her, as the model's process sends it, and what she shows go back to it."""
    config = Config.default()
    config = replace(config, sentence=replace(config.sentence, weights="filled"))
    world = headless.world(config=config)
    motion, her = world.get(0, Motion), world.avatar
    onto = Onto.of(motion.rig, motion.anatomy)
    still = np.zeros((NEW, JOINTS, 4), np.float32)
    still[..., 0] = 1.0
    number = her.say(headless.HELLO).id
    last = None
    for tick in range(_TICKS):
        if tick in (24, 48):
            made = onto.motion(still, last)
            last = made[-1]
            world.inbox.post(
                "motion", 0, id=number, frame=NEW * (tick // 24 - 1) - SEED, motion=made, is_last=tick == 48
            )
        world.step(headless.TICK)
    onto.back(np.repeat(world.get(0, Pose).rotation[None], SEED, axis=0))


def _search_aside(world: World) -> None:
    """Let a thread search once, as it does in a large corpus, and find the nearest row."""
    motion = world.get(0, Motion)
    assert motion.repertoire is not None
    store = matcher.prepare(motion.repertoire, motion.anatomy, world.config, large=0).wide
    here = motion.repertoire.row_pose[0].astype(np.float64)
    for question in (wide.Question(here, np.zeros(60), np.zeros(13), True, 0.9, wide.NONE), here):
        aside.ask(store, question).result()


if __name__ == "__main__":
    if sys.argv[1:] != ["--compiled"]:
        collect()  # what is compiled here drags in the kernels it calls; from the cache it does not
        sys.exit(subprocess.run([sys.executable, "-m", __spec__.name, "--compiled"], check=False).returncode)
    print(_HEAD, *collect(), sep="\n")
