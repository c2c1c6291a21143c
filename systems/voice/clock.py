"""How far her voice has sounded: the tick's own clock, pulled toward what the sound card or the host reports."""

from __future__ import annotations

import math

from ...components.speech import RATE, Growing
from ...components.voice import Voice
from ...components.world import World

SLACK = 0.25  # s a report may be off before it is taken as a jump instead of being followed
SLEW = 0.002  # s per tick that a report moves the clock: 20 ppm are 0.3 us a tick, reports jitter by 20 ms
FOLLOW = 0.25  # share of a report's error that is followed: of 16 ms of jitter 4 show, 0.1 s off is made up in 1 s
RARE = 60  # ticks between reports that count; a host that reports once a minute is not believed more than this

FIRST = 0.06  # s of a growing voice that must be known before it sounds; 0.04 more came in, held by the resampler
LEAD = 0.1  # s of it that must be there before it goes on after a wait: rather one longer pause than a stutter
PATIENCE = (
    4  # ticks after its first chunk after which a growing voice begins with less: 83 ms with the tick it waits for
)


def start(world: World, voice: Voice) -> None:
    """Set the clock to 0: the first sample sounds on this tick."""
    voice.began, voice.position, voice.offset = world.tick, 0.0, 0.0
    voice.reported, voice.waited = -1, 0


def report(world: World, voice: Voice, seconds: float) -> None:
    """Pull the derived clock toward what really sounded. seconds: of the voice; 0 while nothing has sounded yet."""
    if not math.isfinite(seconds):
        return
    if seconds <= 0.0:
        if voice.reported < 0:
            voice.began, voice.offset = world.tick, 0.0  # a device takes up to a second to open: her lips wait for it
        return
    since = min(world.tick - voice.reported, RARE) if voice.reported >= 0 else 1
    most = SLEW * max(since, 1)
    error = seconds - (world.tick - voice.began) * world.dt - voice.offset
    voice.offset += error if abs(error) > SLACK else min(max(FOLLOW * error, -most), most)
    voice.reported = world.tick


def move(world: World, voice: Voice) -> None:
    """Advance the position by a tick, or hold it where a growing voice ends for now."""
    assert voice.current is not None
    now = (world.tick - voice.began) * world.dt + voice.offset
    if voice.is_open:
        edge = voice.current.speech.seconds
        if voice.waited and edge - voice.position < LEAD:
            voice.offset += voice.position - now
            voice.waited += 1
            return
        if now >= edge:
            voice.offset += edge - now
            now, voice.waited = edge, voice.waited + 1
        else:
            voice.waited = 0
    else:
        voice.waited = 0
    voice.position = max(voice.position, now)  # lips never run backwards


def is_ready(world: World, growing: Growing | None) -> bool:
    """Whether the next utterance can begin to sound. growing: None where it is known whole."""
    if growing is None:
        return True
    waits = world.tick - growing.since if growing.since >= 0 else 0
    return growing.samples >= FIRST * RATE or (waits >= PATIENCE and growing.samples > 0)
