"""The kernels against the same arithmetic in numpy: what is fast must be the same."""

from __future__ import annotations

import numpy as np
import talker

from kinesics.components.motion import Motion
from kinesics.components.plan import Plan
from kinesics.components.preview import Preview
from kinesics.components.speech import RATE
from kinesics.engine_plugin.bench import numpy_slot
from kinesics.systems import headless
from kinesics.systems.matcher.blend import running, write
from kinesics.systems.schedule import TICK


def test_a_slot_is_what_numpy_makes_of_it() -> None:
    world = headless.world(talker.body(), talker.corpus(), seed=2)
    world.avatar.say((talker.voice(4.0), RATE))
    motion, state = world.get(0, Motion), numpy_slot.State()
    for tick in range(300):
        world.step(TICK)
        slot = world.get(0, Preview).slots[0]
        old, new = running(world.get(0, Plan), tick)
        times = write(motion, old, new, tick)
        corpora = numpy_slot.corpus(motion, state, motion.old, motion.new, times, 1 / 60)
        assert np.abs(corpora - slot.corpus).max() < 1e-9, f"rad, tick {tick}"
        if tick % 20 == 0:
            local, position, orientation = numpy_slot.pose(motion, slot.reflex, slot.hips, slot.corpus, slot.sink)
            assert np.abs(position - slot.position).max() < 1e-9, f"m, tick {tick}"
            assert np.abs(np.abs((local * slot.rotation).sum(axis=1)) - 1.0).max() < 1e-12
            assert np.abs(np.abs((orientation * slot.world).sum(axis=1)) - 1.0).max() < 1e-12
