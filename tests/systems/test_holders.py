"""Which layer holds which bone: what a panel and a report say is what the layers did."""

from __future__ import annotations

import numpy as np
import pytest
import talker

from kinesics.components.anatomy import SLOTS
from kinesics.components.motion import Motion
from kinesics.components.plan import NEVER, Plan
from kinesics.components.preview import Preview
from kinesics.systems import headless
from kinesics.systems.figures import report
from kinesics.systems.figures.layers import LAYERS, holders
from kinesics.systems.figures.live import live
from kinesics.systems.schedule import TICK


def test_alone_the_reflex_holds_what_it_turns_and_nothing_holds_a_finger() -> None:
    world = headless.world(talker.body(), with_corpus=False)
    plan = world.get(0, Plan)
    plan.due, plan.next_due = [NEVER] * len(plan.due), NEVER
    plan.moves[:2, 2:] = [[1.0, 1.0], [0.05, 0.05]]
    for _ in range(30):
        world.step(TICK)
    held = holders(world, 0)
    assert set(held) <= {*SLOTS, "hips"} | {s + p for s in ("left", "right") for p in ("UpperLeg", "LowerLeg", "Foot")}
    assert held["hips"]["reflex"] == pytest.approx(6.7, abs=0.7), "deg: the pelvis over one foot"
    assert held["rightLowerLeg"]["reflex"] > 8.0, "deg: the free knee"
    assert held["leftIndexProximal"] == {}
    assert all(set(layers) <= {"reflex"} for layers in held.values())


def test_in_speech_the_corpus_holds_the_arms_and_the_strongest_layer_comes_first() -> None:
    world = headless.world(talker.body(), talker.corpus())
    world.avatar.say((talker.voice(4.0), 16_000))
    made = headless.run(world, 4.0)
    slot, motion = world.get(0, Preview).slots[0], world.get(0, Motion)
    held = holders(world, 0)
    elbow = SLOTS.index("leftLowerArm")
    assert held["leftLowerArm"]["corpus"] == pytest.approx(np.degrees(np.linalg.norm(slot.corpus[elbow])))
    for layers in held.values():
        assert list(layers.values()) == sorted(layers.values(), reverse=True)
    assert live(world, 0)["holders"] == held
    means = report(made)["layers_deg"]
    assert means["elbow"]["corpus"] > 5.0 > 0.1 > means["elbow"]["reflex"]
    assert means["legs"]["reflex"] > 1.0
    assert set(means["torso"]) == set(LAYERS)
    assert motion.layers >= set(LAYERS)
