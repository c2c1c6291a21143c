"""Her mouth from her voice: the network reads on, the decoder settles on shapes, springs go from shape to shape."""

from __future__ import annotations

import math

import numpy as np

from ...components.arrays import F32, F64
from ...components.config import Config
from ...components.face_map import UNITS, VISEMES, VOWELS, FaceMap
from ...components.lips import Lips, LipsNet
from ...components.ring import RECENT
from ...components.speech import HOP, RATE
from ...components.voice import Voice
from ..kernels import mouth, viterbi
from ..kernels import net as kernel
from . import known, loudness
from . import net as weights
from . import visemes as shapes
from .known import CLOSES, PUSH, SETTLE, WEIGH, begun, between
from .known import HEAD as KNOWN

NO_NET = "lips: their weights are missing or broken, her mouth follows loudness alone; kinesics doctor says more"

HEAD = 1  # of the net's, for a live voice: 50 ms ahead, under which accuracy falls
LAG = 1  # frames a live path settles: 10 ms bring 3 points, another 10 half as much

_MOST = 16  # frames read in one tick: 0.3 ms
_BACK = RATE // 4  # samples of a microphone that are read when she begins to listen
_TICK = 1.0 / 60.0  # s
_SIL, _PP = VISEMES.index("sil"), VISEMES.index("PP")
_BASE = 4  # frames: where a voice is known a shape ends 40 ms ahead of its sound's end
_DUE = 20  # frames that are looked ahead at most: the largest lead
_LIVE = 2.2  # times the table's rates for a live voice: no lead makes up for a spring's lag there, and it must be short
# Times faster for each tick by which a microphone's blocks come further apart than ticks: what a block of 30 ms holds
# is 15 ms old on the average when it comes. 95 ms behind without, 90 at most with it.
_HURRY = 0.15
_SHUT, _SHUT_LIVE = 57.0, 90.0  # 1/s: 5 % are left after 83 and 53 ms; a live voice is missed only when it is gone
_SHUT_GONE = 140.0  # 1/s: 5 % after 34 ms; a device that is gone is missed only after another block was due
_QUIET = 0.75  # of a vowel at a loudness that hardly opens the mouth (choice: soft speech is not mumbled)
_MOUTH = tuple(unit for unit in UNITS if unit.startswith(("mouth", "jaw", "tongue", "cheekPuff")))
_YIELDS, _YIELDS_WHOLE = 0.65, 0.5  # of a mood's mouth while she speaks; of a mood that is one shape, eyes and all
_EASE = 0.2  # s in which moods step back and return
_NONE, _NO_PAST, _NO_ROWS = np.zeros(0), np.zeros(0, np.float32), np.zeros((0, 0))


def begin(face_map: FaceMap, channels: int, config: Config) -> Lips:
    """Return the lips of a new face. A table that cannot be read raises FaceError; weights that are missing do not."""
    return fitted(face_map, channels, shapes.read(config.face.visemes), weights.shipped())


def fitted(face_map: FaceMap, channels: int, visemes: shapes.Visemes, net: LipsNet | None) -> Lips:
    """Return lips for a face whose channels are known."""
    jaw = np.array([mix.get("jawOpen", 0.0) for mix in visemes.units])
    known = {channel for pairs in face_map.units.values() for channel, _ in pairs}
    moved = {channel for unit in _MOUTH for channel, _ in face_map.units.get(unit, ())}
    yields = np.array(
        [_YIELDS if c in moved else 0.0 if c in known else _YIELDS_WHOLE for c in range(channels)], np.float64
    )
    table = shapes.table(face_map, visemes, channels)
    lips = Lips(net, face_map, visemes, table, jaw / max(float(jaw.max()), 1e-6), yields)
    lips.lead = np.round(100.0 * visemes.lead).astype(np.int64)
    lips.ahead = np.zeros(_DUE + 1, np.int32)
    if face_map.kind == "VRM":
        looks = [face_map.expressions[vowel] for vowel in VOWELS if vowel in face_map.expressions]
        lips.whole = np.array(sorted({c for look in looks if look.is_binary for c, _ in look.channels}), np.int32)
    lips.work = np.zeros(kernel.WORK)
    forget(lips, -1)
    return lips


def forget(lips: Lips, source: int) -> None:
    """Begin to read another voice: nothing of the one before is left but the shape the mouth has."""
    lips.source, lips.read, lips.at, lips.quiet, lips.head = source, 0, -1.0, _NONE, HEAD
    lips.stream = np.zeros(kernel.STREAM)
    lips.dull, lips.dull_past, lips.pending = _NONE, _NO_PAST, _NO_ROWS
    lips.path = np.zeros(viterbi.STATES + viterbi.TAIL)
    lips.back = np.zeros((viterbi.KEEP, viterbi.STATES), np.int32)
    if lips.net is not None:
        lips.past = np.zeros(kernel.memory(lips.net.enter.shape[1], lips.net.gate.shape[0]), np.float32)


def move(lips: Lips, voice: Voice, tick: int, dt: float, smoothing: float) -> float:
    """Read what is due, move the shapes by a tick, and return how wide vowels are at this loudness, 0..1."""
    least = 0.0
    is_due = _known(lips, voice) if voice.current is not None else _live(lips, voice, tick)
    if not is_due:
        lips.target[:] = 0.0
        lips.target[_SIL] = 1.0
        least = _SHUT
        if voice.listening and voice.current is None:
            least = _SHUT_GONE if _is_gone(lips, tick) else _SHUT_LIVE
    elif lips.target[_SIL] >= 1.0:
        least = _SHUT
    times = (1.0 if voice.current is not None else _LIVE * (1.0 + _HURRY * min(lips.beat - 1.0, 2.0))) / smoothing
    mouth.move(lips.value, lips.velocity, lips.target, lips.visemes.rate, times, least, dt)
    heard = loudness.now(voice)
    lips.width += (_QUIET + (1.0 - _QUIET) * heard - lips.width) * (1.0 - math.exp(-30.0 * dt))
    lips.speaking += (float(is_due) - lips.speaking) * (1.0 - math.exp(-dt / _EASE))
    return lips.width


def claim(lips: Lips) -> float:
    """Return how much of her moods' mouth her speech takes now, 0..1: all of it where lips must touch."""
    return max(lips.speaking, float(lips.value[_PP]))


def show(lips: Lips, amount: float, part: float, weight: F64) -> float:
    """Add the shapes to her channels and return how far they open her mouth, 0..1 of an open vowel.

    amount: of the shapes, 0..1.5; part: what expressions leave of her speech, 0..1; weight: (M,) 0..1
    """
    return mouth.show(lips.value, amount, part, lips.table, lips.jaw, lips.whole, weight)


def _known(lips: Lips, voice: Voice) -> bool:
    """Write the shapes that are due in a voice whose sound is at hand; False where it waits."""
    assert voice.current is not None
    if lips.source != voice.current.id:
        forget(lips, voice.current.id)
        if not voice.is_open:
            lips.head = KNOWN
            if lips.net is not None and not len(voice.current.speech.mouth):
                lips.stream = begun(voice.current.speech.audio)
                lips.dull, lips.past, lips.dull_past, lips.pending = known.second(lips.net, lips.stream)
        if voice.current.speech.words and not voice.is_open:
            lips.quiet = between(voice.current.speech)
    if voice.waited:
        return False
    speech = voice.current.speech
    audio, first = speech.audio, int(voice.position * 100.0)
    if len(speech.mouth):
        lips.ahead[:] = _SIL
        told = speech.mouth[first : first + len(lips.ahead)]
        lips.ahead[: len(told)] = told
        mouth.due(lips.ahead, lips.lead, _BASE, lips.target)
        return True
    _read(lips, audio, first + _DUE + _delay(lips) + SETTLE, is_whole=not voice.is_open)
    viterbi.path(lips.path, lips.back, first, lips.ahead)
    ends = len(audio) // HOP - first
    if not voice.is_open and ends < len(lips.ahead):
        lips.ahead[max(ends, 0) :] = _SIL
    mouth.due(lips.ahead, lips.lead, _BASE, lips.target)
    return True


def _live(lips: Lips, voice: Voice, tick: int) -> bool:
    """Write the shapes of what a microphone has just heard; False where it is not her voice or brings nothing."""
    ring = voice.live
    if not voice.listening or ring is None:
        lips.source = -1
        return False
    if lips.source != 0:
        forget(lips, 0)
        lips.read = max(ring.heard - _BACK, 0)
        lips.since, lips.beat = tick, 1.0
    if ring.heard > lips.read:
        lips.beat = min(max(float(tick - lips.since), lips.beat - 0.02), 6.0)
        lips.since = tick
        lips.read = max(lips.read, ring.heard - RECENT)
        _take(lips, ring.recent[np.arange(lips.read, ring.heard) % RECENT])
        lips.read = ring.heard
    known = float(lips.path[viterbi.STATES]) - 1.0 - LAG
    # a block brings several frames: they are shown one after the other, hurried on where more than one waits
    lips.at = min(max(lips.at + 100.0 * _TICK, known - 1.0), known)
    if ring.opening <= loudness.SILENT or _is_gone(lips, tick):
        return False
    viterbi.path(lips.path, lips.back, int(lips.at), lips.ahead[:1])
    lips.target[:] = 0.0
    lips.target[lips.ahead[0]] = 1.0
    return True


def _is_gone(lips: Lips, tick: int) -> bool:
    """Whether a microphone is late by more than a tick against the beat of its blocks."""
    return tick - lips.since > lips.beat + 1.0


def _delay(lips: Lips) -> int:
    return lips.net.delays[lips.head] if lips.net is not None else 0


def _read(lips: Lips, audio: F32, frame: int, *, is_whole: bool) -> None:
    """Read a voice on until `frame` is finished, silence after its end, at most _MOST frames."""
    wanted = (frame + 1) * HOP - lips.read
    if wanted <= 0:
        return
    block = audio[lips.read : lips.read + min(wanted, _MOST * HOP)]
    if is_whole and len(block) < wanted and len(block) < _MOST * HOP:
        block = np.concatenate([block, np.zeros(min(wanted, _MOST * HOP) - len(block), np.float32)])
    lips.read += len(block)
    _take(lips, block)


def _take(lips: Lips, block: F32) -> None:
    made = lips.net
    if made is None or len(block) == 0:
        return
    if lips.head == KNOWN:
        known.take(
            made, np.array(block, np.float32), lips.stream, lips.past, lips.dull, lips.dull_past, lips.pending,
            lips.quiet, lips.path, lips.back, lips.work,
        )  # fmt: skip
        return
    rows = np.empty((kernel.room(len(block)), len(made.left)), np.float32)
    first = int(lips.stream[-1])
    done = kernel.scores(
        np.array(block, np.float32), lips.stream, lips.past, made.enter, made.entered, made.gate, made.gated,
        made.leave, made.left, rows, lips.work,
    )  # fmt: skip
    viterbi.take(
        rows[:done], first, lips.head, made.delays[lips.head], lips.quiet, made.prior, made.stay, made.after, WEIGH,
        CLOSES, PUSH, lips.path, lips.back,
    )  # fmt: skip
