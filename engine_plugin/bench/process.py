"""What the model process costs who asks: a round trip beside a plain pipe, a question, 20 deaths while she speaks."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from ...components.anatomy import SIDES
from ...components.arrays import F32
from ...components.config import Config
from ...components.errors import ModelError
from ...components.gesture import JOINTS, NEW, SAMPLES, Sentence, Window
from ...components.motion import Motion
from ...components.plan import Plan
from ...components.pose import Pose
from ...components.speech import RATE
from ...systems import headless
from ...systems.model_process import protocol
from ...systems.model_process.parent import ModelProcess
from ...systems.model_process.protocol import Kind, Message
from ...systems.model_process.settings import Named, Settings
from ...systems.schedule import TICK
from ...systems.speech_gesture.link import Link
from . import Figure, best, entry

_BLOCK = (64, 330)  # f32, 84 kB: a second or two of motion as a network has it
_TRIPS = 400
_DEATHS, _TICKS = 20, 60  # of the child; ticks between two of them, and as many again without
_PAUSE = 0.7  # s between two windows of the child that is killed: it has some still to make
_ARM = ("Shoulder", "UpperArm", "LowerArm", "Hand")


def figures() -> list[Figure]:
    """Return process.*: us of a round trip and of a question, and what killing the child does to the tick beside it."""
    block = np.random.default_rng(1).normal(size=_BLOCK).astype(np.float32)
    message = protocol.block(Kind.LIPS, 1, 0, 0, block)
    raw = block.tobytes()
    with _Echo("messages") as ours, _Echo("pipe") as plain:
        pipe = Connection(os.dup(plain.channel.fileno()))
        trips = [
            (_us(lambda: _there_and_back(ours.channel, message)), _us(lambda: _plain(pipe, raw))) for _ in range(3)
        ]
        pipe.close()
    through, asked = _through(block)
    killed, alone, turned, known = _deaths()
    return [
        entry(
            "process.round_trip_us",
            min(a for a, _ in trips),
            "us",
            reference=("Pipe.send_bytes", min(b for _, b in trips)),
        ),
        entry("process.through_us", through, "us", goal=1000.0),
        entry("process.ask_us", asked, "us", goal=100.0),
        entry(
            "process.killed_p99_us", killed, "us", goal=1.1 * alone, reference=("same ticks, child left alone", alone)
        ),
        entry("process.killed_turn_deg", turned, "deg a tick", goal=55.0),
        entry("process.killed_known_ms", known, "ms", goal=200.0),
    ]


def _there_and_back(channel: socket.socket, message: Message) -> None:
    for part in protocol.packed(message):
        channel.sendall(part)
    reader, made = protocol.Reader(), []
    while not made:
        made = reader.feed(channel.recv(1 << 18))
    _ = made[0].numbers.reshape(_BLOCK)


def _plain(pipe: Connection, raw: bytes) -> None:
    pipe.send_bytes(raw)
    _ = np.frombuffer(pipe.recv_bytes(), np.float32).reshape(_BLOCK)


def _us(trip: Callable[[], None]) -> float:
    """Return the median of one round trip, us."""
    taken = []
    for _ in range(_TRIPS):
        began = time.perf_counter()
        trip()
        taken.append(time.perf_counter() - began)
    return float(np.median(taken)) * 1e6


class _Echo:
    """A child that sends back what it gets: "messages" in our protocol, "pipe" as bytes of a Connection."""

    def __init__(self, kind: str) -> None:
        self.channel, theirs = socket.socketpair()
        code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import echo; echo({theirs.fileno()}, {kind!r})"
        self._process = subprocess.Popen([sys.executable, "-c", code], pass_fds=(theirs.fileno(),))
        theirs.close()

    def __enter__(self) -> _Echo:
        return self

    def __exit__(self, *exception: object) -> None:
        self.channel.close()
        self._process.kill()
        self._process.wait()


def echo(fd: int, kind: str) -> None:
    """Send back what comes, until the other end is closed."""
    try:
        if kind == "pipe":
            pipe = Connection(fd)
            while True:
                pipe.send_bytes(pipe.recv_bytes())
        channel, reader = socket.socket(fileno=fd), protocol.Reader()
        while data := channel.recv(1 << 18):
            for message in reader.feed(data):
                for part in protocol.packed(message):
                    channel.sendall(part)
    except (EOFError, OSError):
        pass


class Given:
    """A model that costs nothing: rows are given back, motion hardly stirs. It is hosted in the child."""

    digest = "given"

    def rows(self, avatar: int, first: int, block: F32) -> tuple[int, F32]:
        return first, block

    def begin(self, sentence: Sentence, is_left: Callable[[], bool]) -> Iterator[Window | None]:
        frames = max(len(sentence.audio) // SAMPLES, 1)
        for first in range(0, frames, NEW):
            half = 0.05 * np.sin(0.1 * (first + np.arange(NEW)))
            rotation = np.zeros((NEW, JOINTS, 4), np.float32)
            rotation[..., 0], rotation[..., 1] = np.cos(half)[:, None], np.sin(half)[:, None]
            yield Window(sentence.id, sentence.avatar, first, rotation, first + NEW >= frames)
            time.sleep(_PAUSE)


def _hosted(**limits: Any) -> ModelProcess:
    given = Named(f"{__name__}:Given")
    process = ModelProcess(Settings(gesture=given, lips=given, silent_s=30.0, **limits))
    process.start()
    _until(lambda: process.state == "ready")
    return process


def _until(fact: Callable[[], bool]) -> None:
    end = time.monotonic() + 60.0
    while not fact():
        if time.monotonic() > end:
            raise ModelError("the model process of the bench did nothing for 60 s; close what else runs, try again")
        time.sleep(0.002)


def _through(block: F32) -> tuple[float, float]:
    """Return us from a question at the parent's end to its answer there, and us that asking keeps who asks."""
    process = _hosted()

    def trip() -> None:
        process.lips(0, 0, block)
        while not process.poll():
            process.wait(1.0)

    def ask() -> float:
        began = time.thread_time()
        for number in range(100):
            process.ask(Sentence(number, 0, 0, audio))
            process.poll()
        return (time.thread_time() - began) / 100 * 1e6

    audio = np.zeros(5 * RATE, np.float32)
    made = best(lambda: _us(trip), 3), best(ask, 5)
    process.close()
    return made


def _deaths() -> tuple[float, float, float, float]:
    """Return us of CPU that a tick's thread takes, p99, with the child killed and without, deg and ms.

    deg: the most that a joint of her arms turns in one tick while it is dead; ms: until it is known to be
    Stretches with and without take turns: what else runs on the machine meets both.
    """
    process = _hosted(back_off_s=0.01, longest_s=0.01, starts=1000)
    config = Config.default()
    config = replace(config, sentence=replace(config.sentence, weights="given"))
    world = headless.world(config=config, with_model=False)
    link, her = Link(process, waits=False), world.avatar.entity
    sentences, pose = world.get(her, Plan).sentences, world.get(her, Pose)
    assert sentences is not None
    arm = [world.get(her, Motion).rig.names.index(side + bone) for side in SIDES for bone in _ARM]
    spent: dict[bool, list[float]] = {False: [], True: []}
    known, turned = [0.0], 0.0
    for stretch in range(-2, 2 * _DEATHS):
        is_killed, died = stretch % 2 == 1, 0.0
        said = world.avatar.say(headless.HELLO)
        for _ in range(_TICKS):
            began, cpu, before = time.perf_counter(), time.thread_time(), pose.rotation[arm].copy()
            link.before(world)
            world.step(TICK)
            if stretch >= 0:  # the first two warm up
                spent[is_killed].append(time.thread_time() - cpu)
            if died:
                dot = np.abs(np.einsum("jk,jk->j", before, pose.rotation[arm])).clip(0.0, 1.0)
                turned = max(turned, float(np.degrees(2.0 * np.arccos(dot)).max()))
            elif is_killed and sentences.is_on and process.state == "busy":
                os.kill(process.pid, signal.SIGKILL)
                died = time.perf_counter()
                _until(lambda: process.state in ("dead", "starting", "off"))
                known.append(time.perf_counter() - died)
            time.sleep(max(1.0 / 60.0 - (time.perf_counter() - began), 0.0))
        said.stop()
        _until(lambda: process.state == "ready")
    process.close()
    killed, alone = (float(np.percentile(spent[k], 99)) * 1e6 for k in (True, False))
    return killed, alone, turned, max(known) * 1e3
