"""Ten minutes of talk on the shipped body and corpus: what must hold on every tick."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import talker

from kinesics.components.motion import Motion
from kinesics.components.plan import Pick, Plan
from kinesics.components.speech import RATE
from kinesics.components.world import World
from kinesics.systems import figures, headless
from kinesics.systems.matcher.offline.against import against, at_the_arms_fade
from kinesics.systems.voice.files import read_audio

pytestmark = pytest.mark.long


def check(run: figures.Run) -> None:
    shown = figures.report(run)
    inside_forced = np.zeros(run.ticks, bool)
    is_forced = False
    for tick in range(run.ticks):
        if run.jump_deg[tick] > 0.0 or run.forced[tick]:
            is_forced = bool(run.forced[tick])
        inside_forced[tick] = is_forced and run.fade[tick] < 1.0
    assert run.corpus_speed_deg_s[~inside_forced].max() <= 90.0 + 1e-3, "deg/s"
    assert shown["jump_deg_max"] <= 55.0, "deg"
    assert shown["fades_interrupted"] == 0
    assert shown["non_finite"] == 0
    assert shown["hip_step_mm_max"] <= 2.0, "mm a tick"
    assert shown["foot_slide_mm_max"] <= 1.0, "mm"
    assert shown["forced_cuts"] <= run.ticks / 3600.0, "one a minute"


def test_ten_minutes_of_voices_of_numbers() -> None:
    world = headless.world(seed=1)
    for k in range(20):
        pauses = ((4.0, 4.5), (9.0, 11.0), (18.0, 18.4)) if k % 2 else ((6.0, 9.5),)
        world.avatar.say((talker.voice(30.0, pauses=pauses, seed=k), RATE))
    check(headless.run(world, 600.0))


def test_ten_minutes_of_real_voices(shared: Path) -> None:
    world = headless.world(seed=2)
    names = ["mocap/2_scott_0_1_1.wav", "mocap/2_scott_0_2_2.wav", "speech/sonnet1.mp3", "speech/LJ050-0131.wav"]
    names += [f"speech/{n}.wav" for n in ("ss_0870", "ss_0890", "ss_0920", "cards_005", "flite_slt")]
    while sum(u.speech.seconds for u in world_queue(world)) < 600.0:
        for name in names:
            world.avatar.say(read_audio(shared / "data" / name))
        world.step(headless.TICK)
    seen: dict[int, Pick] = {}

    def keep(world: World) -> None:
        seen.update({pick.tick: pick for pick in world.get(0, Plan).picks})

    check(headless.run(world, 600.0, before=keep))
    check_her_head(world.get(0, Motion), [seen[tick] for tick in sorted(seen)])


def check_her_head(motion: Motion, picks: list[Pick]) -> None:
    """Cuts turn her head against her rows about once a second, and hardly ever with the slow spring and fade."""
    shown = against(motion, picks, 36_000, motion.config.springs.torso)
    assert shown.turns_per_s <= 0.05, "a second"
    assert shown.authored >= 0.85, "of the size that her performers were made to be seen at"
    bare = at_the_arms_fade(picks)
    assert against(motion, bare, 36_000, None).turns_per_s >= 0.8, "the control"
    assert against(motion, bare, 36_000, motion.config.springs.torso).turns_per_s > 0.05, "without the slow fade"
    assert against(motion, picks, 36_000, motion.config.springs.arms).turns_per_s > 0.05, "without the slow spring"


def world_queue(world: headless.World) -> list:
    from kinesics.components.voice import Voice

    voice = world.get(0, Voice)
    return voice.queue + ([voice.current] if voice.current else [])
