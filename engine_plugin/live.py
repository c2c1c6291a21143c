"""A microphone as her voice with no window: the world ticks as time passes."""

from __future__ import annotations

import time

from ..components.errors import AudioError
from ..components.outbox import Outbox
from ..systems import headless
from ..systems.figures import Run
from ..systems.figures.replay import Tape
from .microphone import Microphone
from .sound import OPENING


def live(world: headless.World, seconds: float | None, tape: Tape | None = None) -> Run:
    """Return `seconds` of her with the microphone of the settings as her voice, in real time.

    seconds: s, from the moment the microphone delivers; without it the run ends 1 s after what she says
    AudioError, with the cure, where no microphone can be opened at all.
    """
    her = world.avatar
    outbox = world.get(her.entity, Outbox)
    microphone = Microphone(world.config.sound.input or None)
    try:
        while microphone.state == OPENING:
            time.sleep(0.01)
        if not microphone.state.is_heard:
            state = microphone.state
            raise AudioError(f"microphone: {state.name} ({state.detail}); {state.cure}")
        microphone.read()
        her.listen()
        began = time.monotonic()

        def hear(_: object) -> None:
            wait = began + world.tick * world.dt - time.monotonic()
            if wait > 0.0:
                time.sleep(wait)
            samples = microphone.read()
            if len(samples):
                her.heard(samples)
            state = microphone.state
            if not state.is_heard:
                outbox.degrade(world.tick, f"microphone: {state.name}; {state.cure}")

        return headless.run(world, seconds, tape, hear)
    finally:
        microphone.close()
