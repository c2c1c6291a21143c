"""Models for the model process that need no torch: smooth motion made of numbers, and every way of going wrong."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kinesics.components.gesture import JOINTS, NEW, SAMPLES, Sentence, Window
from kinesics.systems.model_process import protocol
from kinesics.systems.model_process.protocol import Kind, Message


def motion(key: int, first: int, count: int) -> Any:
    """Return (count, JOINTS, 4) f32: every joint swings by up to 20 deg, twice a second at most."""
    rng = np.random.default_rng(key)
    axis = rng.normal(size=(JOINTS, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    rate = rng.uniform(0.2, 2.0, JOINTS)
    half = np.radians(10.0) * np.sin(2.0 * np.pi * rate * (first + np.arange(count))[:, None] / 30.0)
    return np.concatenate([np.cos(half)[..., None], np.sin(half)[..., None] * axis], axis=2).astype(np.float32)


class Smooth:
    """A sentence model. Each window takes `step_s`, in `steps` pieces between which it may be left.

    wrong: what becomes of the window `wrong_at` of each sentence; with `once`, a file, only until that file is there
    """

    def __init__(self, step_s: float, steps: int, wrong: str, wrong_at: int, once: str) -> None:
        self.digest = "smooth-1"
        self._step_s, self._steps, self._wrong, self._wrong_at, self._once = step_s, steps, wrong, wrong_at, once

    def begin(self, sentence: Sentence, is_left: Callable[[], bool]) -> Iterator[Window | None]:
        count = max(-(-len(sentence.audio) // SAMPLES), 1)
        for number, first in enumerate(range(0, count, NEW)):
            for _ in range(self._steps):
                time.sleep(self._step_s / self._steps)
                yield None
            rotation = motion(sentence.key, first, NEW)
            if self._wrong and number == self._wrong_at and self._is_due():
                rotation = self._spoiled(rotation)
            yield Window(sentence.id, sentence.avatar, first, rotation, first + NEW >= count)

    def _is_due(self) -> bool:
        if not self._once:
            return True
        if os.path.exists(self._once):
            return False
        with open(self._once, "w"):
            return True

    def _spoiled(self, rotation: Any) -> Any:
        if self._wrong == "nan":
            rotation[3, 5, 1] = np.nan
        elif self._wrong == "shape":
            rotation = rotation[:, :54]
        elif self._wrong == "length":
            rotation = rotation * np.float32(1.01)
        elif self._wrong == "far":
            rotation[60:] = rotation[60:, :, [1, 0, 2, 3]]  # half a turn from one frame to the next
        elif self._wrong == "raise":
            raise ValueError("the kernel gave\nup")
        elif self._wrong == "hang":
            time.sleep(1e6)
        elif self._wrong == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        elif self._wrong == "exit":
            os._exit(7)
        elif self._wrong == "flood":
            while True:
                shout(Message(Kind.STATE, text="{}"))
        elif self._wrong == "stale":  # of a question that was asked long ago
            for _ in range(5):
                shout(protocol.answer(10**6, Window(1, 0, 0, motion(1, 0, NEW))))
        elif self._wrong == "noise":
            shout(Message(Kind.BEAT), turn=30)
        return rotation


def shout(message: Message, turn: int = -1) -> None:
    """Send a message behind the worker's back, with the byte `turn` of it changed."""
    data = bytearray(b"".join(bytes(part) for part in protocol.packed(message)))
    if turn >= 0:
        data[turn] ^= 1
    with socket.socket(fileno=os.dup(json.loads(sys.argv[1])["socket"])) as channel:
        channel.sendall(data)


def smooth(step_s: float = 0.0, steps: int = 1, wrong: str = "", wrong_at: int = 0, once: str = "") -> Smooth:
    return Smooth(step_s, steps, wrong, wrong_at, once)


class Sums:
    """A model of blocks: each row is the sum of what came before it in the stream."""

    digest = "sums-1"

    def __init__(self) -> None:
        self._sum: dict[int, Any] = {}

    def rows(self, avatar: int, first: int, block: Any) -> tuple[int, Any]:
        before = self._sum.get(avatar, 0.0) if first else 0.0
        rows = before + np.cumsum(block, axis=0, dtype=np.float64)
        self._sum[avatar] = rows[-1] if len(rows) else before
        return first, rows.astype(np.float32)


def broken(why: str) -> Any:
    """Fail to load as real models do."""
    if why == "torch":
        raise ModuleNotFoundError("No module named 'torch'", name="torch")
    if why == "version":
        shout(Message(Kind.STATE, text="{}"), turn=8)
    if why in ("slow", "version"):
        time.sleep(1e6)
    raise OSError(why)


def chatty() -> Smooth:
    """Print, as libraries do, to the place where messages must not go."""
    print("a library greets you")
    threading.Thread(target=lambda: print("and again", file=sys.stderr)).start()
    return Smooth(0.0, 1, "", 0, "")


def talking(step_s: float = 0.0) -> Any:
    """Return sessions on smooth_model's talking; a window takes `step_s`."""
    from smooth_model import SmoothModel

    from kinesics.systems.speech_gesture.session import Sessions

    class Slow(SmoothModel):
        def window(self, *given: Any, **named: Any) -> Any:
            time.sleep(step_s)
            return super().window(*given, **named)

    return Sessions(Slow())
