"""What her own voice asks for: whether she speaks, for how long, and the sound of one second of it."""

from __future__ import annotations

import numpy as np

from ...components.arrays import F64
from ...components.plan import Plan
from ...components.speech import ENVELOPE_RATE, Speech
from ...components.voice import Voice
from ...components.world import World
from ..kernels import sound

FLOOR_DB = -30.0  # what the envelope is where there is no voice
LEAST_VOICED = 20  # frames of 10 ms: a second with less has no timbre
BRIDGED = 0.8  # s of pause that her hands talk through (choice)
HELD = 0.3  # s that she goes on after a voice of which nobody knows whether it goes on (choice, as the reflex's)
FOREVER = 1e9  # s: nobody knows how long a live voice goes on

Heard = tuple[F64, F64, bool]


def speaks(world: World, plan: Plan, voice: Voice) -> bool:
    """Return whether she is in a phrase or so near the next one that she does not stop for the pause."""
    if voice.current is None:
        return voice.listening and plan.speaking_from <= world.tick < plan.speaking_to
    now, speech = voice.position, voice.current.speech
    for start, stop in speech.phrases:
        if start - BRIDGED <= now < stop:
            return voice.waited * world.dt < HELD
    if not voice.is_open or not speech.phrases:
        return False
    # still being fed: a pause that may yet turn out to be one she talks through
    over = speech.phrases[-1][1]
    silent = now - over + voice.waited * world.dt
    return speech.seconds - over < BRIDGED and 0.0 <= silent < HELD


def left(voice: Voice) -> float:
    """Return how long she speaks on before she stops, s; pauses that are talked through count as speech."""
    if voice.current is None:
        return FOREVER if voice.listening else 0.0
    end = voice.position
    for start, stop in voice.current.speech.phrases:
        if start - BRIDGED <= end < stop:
            end = stop
    if voice.is_open and voice.current.speech.seconds - end < BRIDGED:
        return FOREVER
    return end - voice.position


def heard(voice: Voice, wait: float) -> Heard:
    """Return what she will sound like in the second that begins in `wait` s, or has sounded like on a live voice."""
    if voice.current is not None:
        at = voice.position + wait
        if voice.is_open:  # of a growing voice the newest second that is known
            at = min(at, max(voice.current.speech.seconds - 1.0, 0.0))
        return second_to_come(voice.current.speech, at, is_open=voice.is_open)
    if voice.listening and voice.live is not None:
        return voice.live.second.copy(), voice.live.timbre.copy(), voice.live.has_timbre
    return silence()


def second_to_come(speech: Speech, position: float, *, is_open: bool = False) -> Heard:
    """Return what a known voice sounds like in the second from `position` s on.

    envelope: (60,) f64 dB, mean removed; timbre: (13,) f64; has_timbre: at least 0.2 s of it are voiced
    """
    envelope, timbre = np.empty(ENVELOPE_RATE), np.empty(13)
    # one kernel: numpy's functions, called once a second and so never in the cache, took 50 us of one tick
    voiced = sound.second(
        speech.envelope, speech.coefficient, speech.voiced, round(position * ENVELOPE_RATE), round(position * 100.0),
        is_open, FLOOR_DB, envelope, timbre,
    )  # fmt: skip
    if voiced < LEAST_VOICED:
        return envelope, np.zeros(13), False
    return envelope, timbre, True


def silence() -> Heard:
    """Return what no voice sounds like."""
    return np.zeros(ENVELOPE_RATE), np.zeros(13), False
