"""How far a loudness opens the mouth: all there is where the lips' weights are missing, and how wide vowels are."""

from __future__ import annotations

from ...components.voice import Voice

SILENT = -100.0  # dB, what a live voice has where it is not hers
AHEAD = 0.03  # s that the mouth leads the sound: a mouth on the sound looks late (choice)


def now(voice: Voice) -> float:
    """Return how far the voice opens the mouth now, 0..1, a little ahead of the sound where it is known."""
    if voice.current is None:
        return opening(voice.live.opening) if voice.listening and voice.live is not None else 0.0
    if voice.waited:
        return 0.0
    envelope = voice.current.speech.envelope
    at = int((voice.position + AHEAD) * 60.0)
    return opening(float(envelope[at])) if 0 <= at < envelope.shape[0] else 0.0


def level(voice: Voice) -> float:
    """Return how loud she is now, dB over her active level, SILENT where she is not."""
    if voice.current is None:
        return voice.live.opening if voice.listening and voice.live is not None else SILENT
    envelope = voice.current.speech.envelope
    at = int(voice.position * 60.0)
    return float(envelope[at]) if voice.active and 0 <= at < envelope.shape[0] else SILENT


def opening(decibels: float) -> float:
    """Return how far a loudness opens the mouth, 0..1. decibels: over her active level."""
    # -18 dB is where vowels end, +2 dB a loud one (seen on six voices)
    return min(max((decibels + 18.0) / 20.0, 0.0), 1.0) ** 0.8
