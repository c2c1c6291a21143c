"""What her lips cost: a frame of features, network and decoder, and their part of a tick.

A known voice was read before it sounds and costs a look-up; a stream is read while it sounds, and so is a microphone.
"""

from __future__ import annotations

import time
from typing import Any, Literal

import numpy as np

from ...components.lips import Lips, LipsNet
from ...components.speech import RATE
from ...components.voice import Voice
from ...systems import headless, voice
from ...systems.avatar.handle import hear
from ...systems.face import net
from ...systems.face.lips import move
from ...systems.kernels import net as kernel
from . import Figure, best, entry

_AHEAD = RATE  # samples a stream is fed ahead of its sound, as a service that speaks faster than it is heard


def figures() -> list[Figure]:
    """Return lips.*: us a frame beside numpy's of the same arithmetic, us a tick of each kind of voice, bytes."""
    from ...systems.face.offline.evaluate import speed

    made = net.load()
    speed(made)  # compiles
    _tick("live")
    return [
        entry("lips.us_per_frame", speed(made), "us", goal=50.0, reference=("numpy", best(lambda: _numpy(made), 3))),
        entry("lips.us_per_live_tick", best(lambda: _tick("live"), 3), "us", goal=60.0),
        entry("lips.us_per_stream_tick", best(lambda: _tick("stream"), 3), "us", goal=60.0),
        entry("lips.us_per_known_tick", best(lambda: _tick("known"), 3), "us", goal=60.0),
        entry("lips.bytes", float(net.SHIPPED.stat().st_size), "bytes", goal=1e6),
    ]


def _numpy(made: LipsNet) -> float:
    """Return us a frame of log-mel, mean and network in numpy, a frame at a time as a stream has it."""
    samples = 0.1 * np.random.default_rng(1).standard_normal(RATE)
    channels, layers = made.enter.shape[1], made.gate.shape[0]
    hann, table = kernel.window()[: kernel.WINDOW], kernel.bank()
    kept: list[Any] = [[np.zeros(channels, np.float32)] * ((2 << k) + 1) for k in range(layers)]
    recent = [np.zeros(kernel.MELS, np.float32)] * 3
    mean = np.zeros(kernel.MELS)
    began = time.perf_counter()
    frames = (len(samples) - kernel.WINDOW) // kernel.HOP
    for at in range(0, frames * kernel.HOP, kernel.HOP):
        power = np.abs(np.fft.rfft(samples[at : at + kernel.WINDOW] * hann, 512)) ** 2
        mel = np.log(table @ power + kernel.FLOOR)
        mean += (mel - mean) / kernel.MEMORY
        recent = [*recent[1:], ((mel - mean) * kernel.SCALE).astype(np.float32)]
        y = np.maximum(np.concatenate(recent) @ made.enter + made.entered, 0.0)
        for k in range(layers):
            kept[k] = [*kept[k][1:], y]
            seen = np.concatenate([kept[k][0], kept[k][1 << k], y])
            z = seen @ made.gate[k] + made.gated[k]
            y = y + np.maximum(z[:channels], 0.0) / (1.0 + np.exp(-z[channels:]))
        _ = y @ made.leave + made.left
    return (time.perf_counter() - began) / frames * 1e6


def _tick(kind: Literal["live", "stream", "known"]) -> float:
    """Return us of reading and moving the lips, the median over up to four seconds of a voice."""
    world = headless.world(with_corpus=False)
    entity = world.avatar.entity
    audio = hear(headless.HELLO, (), "").audio
    stream = None
    if kind == "live":
        world.avatar.listen(True)
    elif kind == "stream":
        stream = world.avatar.begin(RATE)
        stream.feed(audio[:_AHEAD])
    else:
        world.avatar.say((audio, RATE))
    block, times = RATE // 60, []
    for at in range(0, min(len(audio), 4 * RATE) - block - _AHEAD, block):
        if kind == "live":
            world.avatar.heard(audio[at : at + block])
        elif stream is not None:
            stream.feed(audio[at + _AHEAD : at + _AHEAD + block])
        voice.listen(world)
        began = time.perf_counter()
        move(world.get(entity, Lips), world.get(entity, Voice), world.tick, world.dt, world.config.face.smoothing)
        times.append(time.perf_counter() - began)
        world.tick += 1
    return float(np.median(times)) * 1e6
