"""Windows of speech as another throat, pace, room noise and telephone would bring them, drawn anew for every step.

All of it is done to the power in each band, which costs a tenth of what it costs on samples.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np

from ....components.arrays import F32
from ...kernels import net

BATCH, LENGTH = 13, 320  # windows, frames each
TWINS = 4  # of the windows come twice, half of the second ones without treble, half in noise: both shall read the same
_READY = 6  # batches made ahead
_CLEAN = 0.2  # of what is learned from knows no room
_CHANGED = 0.5  # of windows have another throat, and as many another pace
_THROAT = np.linspace(0.88, 1.14, 14)  # of the formants
_PACE = (0.85, 1.2)  # of the voice's own
_LEVEL = (-1.8, 0.6)  # log of the amplitude
_STEADY, _OTHERS = 0.55, 0.15  # of windows have a steady noise, other voices behind
_RATIO, _TWIN_RATIO = (0.0, 35.0), (3.0, 20.0)  # dB of the voice over it
_LOUD, _LOUD_RATIO = 0.5, (4.0, 16.0)  # of steady noises, dB: a room that a voice has to fight with
_GOES_ON = 0.65  # of windows have a voice in them that was heard before
_HOLES = 0.3  # of windows miss one to six bands, as cheap microphones and codecs leave them
_CUT, _CUTS = 0.08, (2_800.0, 6_500.0)  # of windows end at a frequency, Hz
_NARROW, _NARROWS = 0.1, (3_350.0, 4_050.0)  # of windows come by telephone or at 8 kHz, Hz
_ALIKE = 1.9  # neighbouring bins of a spectrum that flicker as one: Hann's 1.5, zeros behind the window 1.28
_WHITE = 0.5  # of steady noises; the others have another colour


class Voice(Protocol):
    """What windows are taken from: fit.Family."""

    @property
    def mel(self) -> Any: ...
    @property
    def label(self) -> Any: ...
    @property
    def share(self) -> float: ...


def ahead(voices: Sequence[Voice], seed: int) -> Iterator[tuple[F32, Any]]:
    """Yield (T, B, 40) inputs and (T, B) labels without end, made by a thread of their own.

    The last TWINS windows are the first ones again, worse heard.
    """
    made: queue.Queue[tuple[F32, Any]] = queue.Queue(_READY)
    over = threading.Event()

    def make() -> None:
        draw = np.random.default_rng(seed)
        share = np.array([voice.share for voice in voices])
        while not over.is_set():
            batch = windows(voices, share / share.sum(), draw)
            while not over.is_set():
                try:
                    made.put(batch, timeout=0.5)
                    break
                except queue.Full:
                    continue

    maker = threading.Thread(target=make, name="batches", daemon=True)
    maker.start()
    try:
        while True:
            yield made.get()
    finally:
        over.set()


def windows(voices: Sequence[Voice], share: Any, draw: np.random.Generator) -> tuple[F32, Any]:
    """Return one batch. share: (V,) of each voice, 1 in all."""
    power = np.empty((LENGTH, BATCH, net.MELS), np.float32)
    label = np.empty((LENGTH, BATCH), np.int64)
    for k, which in enumerate(draw.choice(len(voices), BATCH - TWINS, p=share)):
        heard, label[:, k] = _spoken(voices[which], draw)
        heard *= np.exp(2.0 * draw.uniform(*_LEVEL))
        if k >= TWINS:
            kind = draw.random()
            if kind < _STEADY:
                heard += _noise(heard, draw, draw.uniform(*(_LOUD_RATIO if draw.random() < _LOUD else _RATIO)))
            elif kind < _STEADY + _OTHERS and k > 0:
                behind = power[:, draw.integers(k)]
                heard += behind * (_energy(heard) / _energy(behind) * 10.0 ** (-draw.uniform(*_RATIO) / 10.0))
            kind = draw.random()
            if kind < _CUT + _NARROW:
                heard *= _below(draw.uniform(*(_CUTS if kind < _CUT else _NARROWS)))
        power[:, k] = heard
    for k in range(TWINS):
        twin = BATCH - TWINS + k
        label[:, twin] = label[:, k]
        heard = power[:, k].copy()
        if k % 2 == 0:
            heard *= _below(draw.uniform(*_NARROWS))
        else:
            heard += _noise(heard, draw, draw.uniform(*_TWIN_RATIO))
        power[:, twin] = heard
    inputs = np.log(power + np.float32(net.FLOOR))
    _level(inputs, draw)
    for k in range(BATCH):
        if draw.random() < _HOLES:
            low = int(draw.integers(net.MELS - 6))
            inputs[:, k, low : low + int(draw.integers(1, 7))] = 0.0
    inputs += draw.standard_normal((1, BATCH, 1), np.float32) * np.float32(0.1)
    inputs += draw.standard_normal((1, BATCH, net.MELS), np.float32) * np.float32(0.05)
    return inputs, label


def _spoken(voice: Voice, draw: np.random.Generator) -> tuple[F32, Any]:
    """Return the power (T, 40) and the labels (T,) of a stretch of a voice, of another throat and pace at times."""
    pace = draw.uniform(*_PACE) if draw.random() < _CHANGED else 1.0
    wanted = int(LENGTH * pace) + 2
    copy = 0 if draw.random() < _CLEAN else int(draw.integers(1, len(voice.mel)))
    at = int(draw.integers(len(voice.label) - wanted))
    mel = voice.mel[copy, at : at + wanted].astype(np.float32)
    label = voice.label[at : at + wanted]
    if pace == 1.0:
        mel, label = mel[:LENGTH], label[:LENGTH]
    else:
        place = np.arange(LENGTH) * pace
        before = place.astype(np.int64)
        part = (place - before).astype(np.float32)[:, None]
        mel = mel[before] * (1.0 - part) + mel[before + 1] * part
        label = label[np.rint(place).astype(np.int64)]
    if draw.random() < _CHANGED:
        mel = mel @ _throats()[draw.integers(len(_THROAT))]
    return np.maximum(np.exp(mel) - np.float32(net.FLOOR), 0.0), label


def _noise(heard: F32, draw: np.random.Generator, ratio: float, coloured: float = 1.0 - _WHITE) -> F32:
    """Return the power of a steady noise so many dB under a voice; each band flickers as its width lets it."""
    colour = np.zeros(net.MELS)
    if draw.random() < coloured:
        tilt, bend = draw.uniform(-2.5, 0.5), draw.uniform(-1.0, 1.0)
        place = np.log(_centres() / 1_000.0)
        colour = tilt * place + bend * np.sin(draw.uniform(0.5, 3.0) * place + draw.uniform(0.0, 6.0))
    level = np.exp(colour)
    if draw.random() < 0.15 * coloured:
        swell = 1.0 + 0.9 * np.sin(2.0 * np.pi * draw.uniform(0.005, 0.06) * np.arange(len(heard)) + draw.uniform(0, 6))
        level = level * swell[:, None]
    shape = np.maximum(net.WIDTH / _ALIKE, 1.0)
    flicker = draw.standard_gamma(np.broadcast_to(shape, heard.shape), dtype=np.float64) / shape
    out = (level * flicker).astype(np.float32)
    return out * np.float32(_energy(heard) / _energy(out) * 10.0 ** (-ratio / 10.0))


def _energy(power: F32) -> float:
    return float((power.mean(axis=0) * net.WIDTH).sum()) + 1e-9


def _level(mel: F32, draw: np.random.Generator) -> None:
    """Take each window's mean off, as the tick does: of a voice that begins, or of one that goes on.

    mel: (T, B, 40), written
    """
    for k in range(mel.shape[1]):
        state, rows = np.zeros(net.LEVEL), mel[:, k].astype(np.float64)
        if draw.random() < _GOES_ON:
            state[: net.MELS] = rows.mean(axis=0)
            state[net.MELS] = draw.uniform(50.0, net.MEMORY)
            loud = np.log((np.exp(rows) * net.WIDTH).sum(axis=1))
            state[net.MELS + 1] = loud.max() - draw.uniform(0.0, 0.5)
        net.levels(rows, state)
        mel[:, k] = rows


def _below(hz: float) -> F32:
    """Return (40,) the part of each band that lies below a frequency."""
    left = np.clip(hz * (net.spectrum.N / net.RATE) - np.arange(net.spectrum.BINS) + 0.5, 0.0, 1.0)
    return (_bank() @ left).astype(np.float32)


@cache
def _bank() -> Any:
    return net.bank()


@cache
def _centres() -> Any:
    """Return (40,) Hz."""
    return net.bank() @ (np.arange(net.spectrum.BINS) * (net.RATE / net.spectrum.N))


@cache
def _throats() -> list[F32]:
    """Return (40, 40) for each of _THROAT: bands of a shorter or a longer throat by interpolation."""
    out = []
    centres = _centres()
    for warp in _THROAT:
        place = np.clip(np.interp(centres * warp, centres, np.arange(net.MELS)), 0.0, net.MELS - 1.001)
        low = place.astype(np.int64)
        table = np.zeros((net.MELS, net.MELS), np.float32)
        table[low, np.arange(net.MELS)] = 1.0 - (place - low)
        table[low + 1, np.arange(net.MELS)] += place - low
        out.append(table)
    return out
