"""The microphone's part of a tick: what was just heard, in the terms in which she is moved."""

from __future__ import annotations

import numpy as np

from ...components.arrays import F32
from ...components.speech import HOP
from ...components.voice import Voice
from ...components.world import World
from . import live
from . import loudness as level

GAP = 6  # ticks (0.1 s) without a block after which she is taken to be silent: drivers deliver every 8 to 64 ms
LEAST_VOICED = 0.2  # s of a second without which its timbre says nothing
SILENT = -100.0  # dB
NOISY = -30.0  # dB, noise that a room is taken to have until it was heard to be quieter, which takes 0.1 s: a fan at
# -50 dB is no voice from the first moment on, and a voice that is there already shows in its first gap (tried: ROOM's
# -60 dB has her mouth open for 6 s at every fan)


def switch(voice: Voice, on: bool) -> None:
    """Begin or cease to listen. What is known of the speaker and her room stays for the next time."""
    if on and not voice.listening:
        known = voice.live
        mean = live.AVERAGE_SPEAKER if known is None else known.mean
        voice.live = live.fresh(mean=mean, floor=NOISY)
        voice.last_heard = -1
    voice.listening = on


def hear(world: World, voice: Voice, samples: F32) -> None:
    """Take a block of the microphone, (n,) f32 at 16 kHz."""
    if not voice.listening or voice.live is None or len(samples) == 0:
        return
    live.push(voice.live, samples)
    voice.last_heard = world.tick


def judge(world: World, voice: Voice) -> None:
    """Write what was just heard into the ring's fields for the systems that move her."""
    ring = voice.live
    if ring is None:
        return
    ring.opening = SILENT
    if not is_speaking(world, voice):
        return
    if voice.last_heard == world.tick:
        second = live.envelope(ring).astype(np.float64)
        ring.second = second - second.mean()
        timbre, seconds = live.timbre(ring)
        ring.has_timbre = seconds >= LEAST_VOICED
        ring.timbre = timbre.astype(np.float64) if ring.has_timbre else np.zeros(13)
    ring.opening = _newest(ring)


def is_speaking(world: World, voice: Voice) -> bool:
    """Return whether her live voice sounds: its gate holds 0.2 s over stops, and a device that is gone is silence."""
    ring = voice.live
    if not voice.listening or ring is None or voice.last_heard < 0:
        return False
    return world.tick - voice.last_heard <= GAP and live.is_voiced(ring)


def _newest(ring: live.Ring) -> float:
    """Return dB of the newest 10 ms over her active level, SILENT at the noise: a frame of 32 ms would close late."""
    held = int(ring.stream[0])
    newest = ring.passed[max(held - HOP, 0) : held]
    decibels = 10.0 * np.log10(max(float(np.mean(newest * newest)) if held else 0.0, 1e-10))
    floor = ring.floor[(ring.count - 1) % len(ring.floor)]
    return float(decibels - live.active_level(ring)) if decibels > floor + level.OVER_FLOOR else SILENT
