"""What her brows go by: accents known ahead, accents caught as they sound, and the ends of questions."""

from __future__ import annotations

import math
import re

import numpy as np

from ...components.arrays import F32
from ...components.brows import Brows
from ...components.ring import RECENT
from ...components.speech import RATE, Speech
from ...components.voice import Voice
from ..kernels import pitch

AHEAD = 0.45  # s that a known accent is told before it sounds: a raise begins up to 0.1 s before a word of 0.3 s
STREAM = 0.12  # s that a stream is listened to before it sounds, where so much has come in: a raise takes 0.18
_EVERY = 2  # ticks between two looks at a live voice: syllables last 150 ms
_SPAN = 1152  # samples (72 ms) looked at: what pitch needs around its 32 ms
_LEVEL = 480  # samples (30 ms) whose loudness counts
_MEMORY = 90.0  # looks: 3 s of speech
_LOUD, _PITCH = 0.6, 0.55  # weights, those of voice.prominence
_PERIODIC = 0.5  # correlation from which on it is voiced, as there
_LEAST_DB, _LEAST_ST = 3.0, 1.5  # deviations are never taken to be smaller: a monotone voice has no accents (choice)
_SMOOTH = 0.6  # of each look's news that is believed: 0.05 s
# Deviations from which on an accent begins, and under which the next one may. On seven voices: 6 of 10 strong accents
# are found, 0.05 s before their peak, and 17 of 20 that are found are accents.
_OPEN, _SHUT = 0.7, 0.2
_AS_KNOWN = 0.3  # added, for an accent caught on its way up to be as strong as one that is known
_ASKS = re.compile(
    r"^(who|whom|whose|what|which|where|when|why|how|is it|(are|do|did|can|could|would|will) you)\b",
    re.IGNORECASE,
)
_ENDS, _CLOSES = (".", "!", "?", "…"), "\"')]"  # of a sentence, and what may stand after them
_TAIL, _AFTER = 0.9, 0.25  # s before the end of a question in which brows go up, and after it in which they stay


def listen(brows: Brows, voice: Voice, tick: int, dt: float) -> None:
    """Write what is heard now: Heard.accent, strength and question."""
    heard = brows.heard
    heard.question = 0.0
    said = voice.current
    if said is None:
        if brows.said > 0:
            brows.said, brows.questions = -1, None
        ring = voice.live
        if voice.active and ring is not None and tick - brows.read >= _EVERY and ring.heard >= _SPAN:
            brows.said = 0
            _catch(brows, ring.recent[np.arange(ring.heard - _SPAN, ring.heard) % RECENT], tick, 0.0)
        return
    speech = said.speech
    if brows.said != said.id:
        brows.said, brows.next, brows.armed, brows.stands = said.id, 0, True, 0.0
        brows.questions = None
    if voice.waited:
        return
    if voice.is_open:
        if voice.active and tick - brows.read >= _EVERY:
            end = min(int((voice.position + STREAM) * RATE), len(speech.audio))
            if end >= _SPAN:
                _catch(brows, speech.audio[end - _SPAN : end], tick, end / RATE - voice.position)
    else:
        if brows.questions is None:  # of a stream once it has all come: nobody knows before where in it the words are
            brows.questions = questions(speech)
        _known(brows, speech, voice)
    for begin, end in brows.questions or ():
        if begin <= voice.position < end + _AFTER:
            heard.question = min((voice.position - begin) / max(end - begin, dt), 1.0)


def _known(brows: Brows, speech: Speech, voice: Voice) -> None:
    """Tell the next accent as soon as it is near, counted from the beginning of its word."""
    accents = speech.accent
    while brows.next < len(accents):
        at = float(accents[brows.next])
        if at - AHEAD > voice.position:
            return
        brows.next += 1
        if at < voice.position - 0.1:
            continue  # a stream has ended, or the voice was put on: those are over
        brows.heard.strength = float(speech.strength[brows.next - 1])
        brows.heard.accent = _word_at(speech, voice, at) - voice.position
        return


def _word_at(speech: Speech, voice: Voice, at: float) -> float:
    """Return when the word that an accent lies in begins, s; the accent itself where no word is known there."""
    for word in speech.words[max(voice.word, 0) : max(voice.word, 0) + 8]:
        if word.start <= at <= word.end + 0.03:
            return max(word.start, at - 0.35)
    return at - 0.05


def _catch(brows: Brows, audio: F32, tick: int, ahead: float) -> None:
    """Tell an accent of a voice as it comes: loudness and pitch that stand out of its last three seconds.

    audio: (_SPAN,) f32, the newest; ahead: s until its end sounds
    """
    is_new = tick - brows.read > 60
    brows.read = tick
    newest = audio[-_LEVEL:].astype(np.float64)
    loud = 10.0 * math.log10(float(np.mean(newest * newest)) + 1e-10)
    half = np.empty(_SPAN // 2 + 1)
    hertz, strength = np.zeros(4), np.zeros(4)
    power = pitch.halve(np.array(audio, np.float32), half)
    pitch.track(half, power, hertz, strength, np.empty(pitch.WORK))
    best = int(strength.argmax())
    semitones = 12.0 * math.log2(float(hertz[best]) / 100.0) if strength[best] > _PERIODIC else math.nan
    if is_new or not brows.loud.any():
        brows.loud[:] = loud, _LEAST_DB**2
        brows.pitch[:] = semitones if math.isfinite(semitones) else math.nan, _LEAST_ST**2
        brows.stands, brows.armed = 0.0, True
        return
    out = _LOUD * _deviates(brows.loud, loud, _LEAST_DB)
    if math.isfinite(semitones):
        if not math.isfinite(brows.pitch[0]):
            brows.pitch[0] = semitones
        out += _PITCH * min(max(_deviates(brows.pitch, semitones, _LEAST_ST), -2.5), 2.5)
    brows.stands += _SMOOTH * (out - brows.stands)
    if brows.armed and brows.stands > _OPEN:
        brows.armed = False
        brows.heard.strength, brows.heard.accent = brows.stands + _AS_KNOWN, ahead
    elif brows.stands < _SHUT:
        brows.armed = True


def _deviates(known: np.ndarray, value: float, least: float) -> float:
    """Return how many deviations a value is off, and learn it. known: (2,) mean and variance."""
    off = value - float(known[0])
    deviation = max(math.sqrt(float(known[1])), least)
    known[0] += off / _MEMORY
    known[1] += (off * off - float(known[1])) / _MEMORY
    return off / deviation


def questions(speech: Speech) -> tuple[tuple[float, float], ...]:
    """Return (s, s) of the end of each question in what is said: by its mark, or a first word that asks."""
    tokens = speech.text.split()
    out, first = [], 0
    for k, token in enumerate(tokens):
        is_last = k == len(tokens) - 1
        ends = token.rstrip(_CLOSES).endswith(_ENDS)
        if not (ends or is_last):
            continue
        asks = "?" in token or (not ends and bool(_ASKS.match(" ".join(tokens[first : k + 1]))))
        if asks:
            begin, end = _when(speech, first, len(tokens))[0], _when(speech, k, len(tokens))[1]
            out.append((max(begin, end - _TAIL), end))
        first = k + 1
    return tuple(out)


def _when(speech: Speech, token: int, count: int) -> tuple[float, float]:
    """Return when a word of the text sounds, (s, s): its own time, or where it stands among the others."""
    words = speech.words
    if words:
        word = words[min(token if len(words) == count else token * len(words) // count, len(words) - 1)]
        return word.start, word.end
    begin, end = (speech.phrases[0][0], speech.phrases[-1][1]) if speech.phrases else (0.0, speech.seconds)
    return begin + (end - begin) * token / count, begin + (end - begin) * (token + 1) / count
