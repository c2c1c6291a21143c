"""The mouth of a voice that is known whole, read before it sounds: a tick then only looks its shapes up."""

from __future__ import annotations

import numpy as np

from ...components.arrays import F32, F64, I32
from ...components.lips import LipsNet
from ...components.speech import HOP, Speech
from ..kernels import net as kernel
from ..kernels import viterbi
from . import net as weights

HEAD = 2  # of the net's: it listens 100 ms ahead
# What each head adds, and how much a reading that hears no treble counts beside the one that does: the more, the less
# a recording at 8 kHz moves her mouth apart; from 0.5 on voices that were held out are read worse (docs/lips.md).
_SHARE, _DULL = np.array([0.2, 0.2, 0.6]), 0.45
SETTLE = 20  # frames of 10 ms a path settles, after which nothing changes any more
WEIGH, CLOSES, PUSH = 0.25, 0.4, 2.0  # of the decoder, chosen on half of the real clips; see docs/lips.md
_GAP, _INSIDE = 1.0, -2.0  # log score of silence where word times say that there is none of a word, or one (choice)
_KNOWN = kernel.MEMORY + 2  # frames from which a voice is known: 3 s, in 2 ms
_STEP = 32  # frames read at a time: with what is settled and waited for, 62 of the 128 the way back is kept for


def mouth_of(speech: Speech) -> I32:
    """Return (F,) i32, index in face_map.VISEMES of each 10 ms; empty where the lips have no weights.

    34 us a frame, in the caller's thread.
    """
    net = weights.shipped()
    if net is None:
        return np.zeros(0, np.int32)
    return whole(net, speech.audio, between(speech) if speech.words else np.zeros(0))


def whole(net: LipsNet, samples: F32, quiet: F64) -> I32:
    """Return (F,) i32 class of each 10 ms of a recording, each decided 20 to 51 frames later.

    samples: (N,) f32 at 16 kHz; quiet: (F,) as of `between`, or (0,) where no word times are known
    """
    return reading(net, samples, quiet)[0]


def reading(net: LipsNet, samples: F32, quiet: F64) -> tuple[I32, F32]:
    """Return what `whole` returns, and (F, 15) f32 log probabilities, not quite 1 in all, that it was decided on."""
    frames, delay = len(samples) // HOP, max(net.delays)
    wanted = (frames + SETTLE + delay + 1) * HOP
    audio = np.concatenate([samples, np.zeros(max(wanted - len(samples), 0), np.float32)])
    stream = begun(samples)
    dull, past, dull_past, pending = second(net, stream)
    work = np.zeros(kernel.WORK)
    path = np.zeros(viterbi.STATES + viterbi.TAIL)
    back = np.zeros((viterbi.KEEP, viterbi.STATES), np.int32)
    out, read = np.zeros(frames, np.int32), 0
    likely, heard = np.zeros((frames, viterbi.CLASSES), np.float32), 0
    for first in range(0, frames, _STEP):
        until = min((first + _STEP + SETTLE + delay) * HOP, len(audio))
        block, read = np.array(audio[read:until], np.float32), until
        said = take(net, block, stream, past, dull, dull_past, pending, quiet, path, back, work)
        fits = min(len(said), frames - heard)
        likely[heard : heard + fits] = said[:fits]
        heard += fits
        viterbi.path(path, back, first, out[first : first + _STEP])
    return out, likely


def second(net: LipsNet, stream: F64) -> tuple[F64, F32, F32, F64]:
    """Return the state of a second reading beside a stream that begins: its stream, both pasts, what is pending."""
    dull = stream.copy()
    dull[kernel.DULL] = 1.0
    past = np.zeros((2, kernel.memory(net.enter.shape[1], net.gate.shape[0])), np.float32)
    return dull, past[0], past[1], np.zeros((viterbi.SLOTS, viterbi.CLASSES))


def take(
    net: LipsNet, block: F32, stream: F64, past: F32, dull: F64, dull_past: F32, pending: F64, quiet: F64, path: F64,
    back: I32, work: F64,
) -> F32:  # fmt: skip
    """Read a known voice on: twice, once without treble, all heads heard. Returns (n, 15) f32, what they said.

    block: (n,) f32; stream, past: of `kernel.scores`; dull, dull_past, pending: as of `second`
    path, back: of the decoder; work: scratch
    """
    first = int(stream[-1])
    rows = np.empty((2, kernel.room(len(block)), len(net.left)), np.float32)
    done = kernel.scores(
        block, stream, past, net.enter, net.entered, net.gate, net.gated, net.leave, net.left, rows[0], work
    )
    kernel.scores(
        block, dull, dull_past, net.enter, net.entered, net.gate, net.gated, net.leave, net.left, rows[1], work
    )
    said = np.empty((done, viterbi.CLASSES), np.float32)
    ready = viterbi.blend(
        rows[0, :done], rows[1, :done], first, np.array(net.delays, np.int64), _SHARE, _DULL, pending, said
    )
    viterbi.take(
        said[:ready], max(first - max(net.delays), 0), 0, 0, quiet, net.prior, net.stay, net.after, WEIGH, CLOSES, PUSH,
        path, back,
    )  # fmt: skip
    return said[:ready]


def begun(samples: F32) -> F64:
    """Return the state of a stream that knows already how a recording's first seconds sound on the average."""
    stream = np.zeros(kernel.STREAM)
    kernel.know(np.array(samples[: _KNOWN * HOP], np.float32), stream, np.zeros(kernel.WORK))
    return stream


def between(speech: Speech) -> F64:
    """Return (F,) what silence gains between words and loses inside them."""
    out = np.full(len(speech.audio) // HOP, _GAP)
    for word in speech.words:
        out[round(100.0 * word.start) : round(100.0 * word.end)] = _INSIDE
    return out
