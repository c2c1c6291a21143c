"""Messages between the two ends: a fixed head, raw float32, a little JSON. No pickles, no file, no socket here."""

from __future__ import annotations

import json
import math
import struct
import zlib
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from ...components.arrays import F32
from ...components.gesture import JOINTS, Sentence, Window
from ...components.speech import Word

VERSION = 1
LARGEST = 1 << 26  # bytes of one message
LONGEST = LARGEST // 8  # samples of a sentence, 8.7 minutes: half a message, its words have room in the other half
_MAGIC = b"kmp\n"
# magic, version, kind | request, sentence, avatar | key | frame | shape | flags, bytes of text | crc of all the rest
_HEAD = struct.Struct("<4sHHqqqQq4IIII")
_BARE = _HEAD.size - 4  # bytes of the head without the crc


class Kind(IntEnum):
    """What a message says."""

    HELLO = 1  # child: everything is loaded; text: what it is
    STATE = 2  # child, while it loads; text: one line
    BEAT = 3  # child, each second; text: how it is
    ASK = 4  # parent: a sentence
    WINDOW = 5  # child: motion of one
    CANCEL = 6  # parent: the avatar's sentence is wanted no more
    LOST = 7  # child: no more motion comes for a sentence; text: why
    LIPS = 8  # parent: a block of voice, or where it lies in the ring
    BROWS = 9  # parent: a block of features
    ROWS = 10  # child: the answer to one of these two
    ERROR = 11  # child: it cannot go on; text: why


class Fault(Exception):
    """Bytes that are not of this protocol. What follows them cannot be read either."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message; fields that its kind does not use are 0.

    Fields:
        request:  number of the question, given back with the answer
        sentence, avatar, key, frame: see Sentence and Window; frame: of a block, the first of it in its stream
        shape:    up to four lengths
        flags:    Window: 1 the last; LIPS: 1 it lies in the ring; ROWS: the kind of the question
        numbers:  (n,) f32, what `shape` describes
        text:     as its kind has it
    """

    kind: Kind
    request: int = 0
    sentence: int = 0
    avatar: int = 0
    key: int = 0
    frame: int = 0
    shape: tuple[int, int, int, int] = (0, 0, 0, 0)
    flags: int = 0
    numbers: F32 = field(default_factory=lambda: np.zeros(0, np.float32))
    text: str = ""

    @property
    def told(self) -> dict[str, Any]:
        """Return what its text holds; an empty one where it is not JSON's object."""
        try:
            held = json.loads(self.text)
        except (ValueError, RecursionError):
            return {}
        return held if isinstance(held, dict) else {}

    @property
    def lengths(self) -> tuple[int, ...]:
        """Return its shape without the zeros at the end."""
        used = max((i + 1 for i, length in enumerate(self.shape) if length), default=0)
        return self.shape[:used]

    @property
    def is_whole(self) -> bool:
        """Whether its numbers are as many as its shape says."""
        return math.prod(self.lengths) * bool(self.lengths) == self.numbers.size


def packed(message: Message) -> list[memoryview]:
    """Return a message as bytes, in pieces that follow each other: what is large is not copied."""
    numbers = np.ascontiguousarray(message.numbers, np.float32).data.cast("B") if message.numbers.size else b""
    text = message.text.encode("utf-8", "replace")
    head = _HEAD.pack(
        _MAGIC, VERSION, message.kind, message.request, message.sentence, message.avatar, message.key, message.frame,
        *message.shape, message.flags, len(text), 0,
    )  # fmt: skip
    # the length stands before the head, so that a reader of another version can still step over it
    crc = zlib.crc32(text, zlib.crc32(numbers, zlib.crc32(head[:_BARE])))
    length = struct.pack("<I", _HEAD.size + len(numbers) + len(text))
    parts = (length + head[:_BARE] + struct.pack("<I", crc), numbers, text)
    return [memoryview(part) for part in parts if len(part)]


class Reader:
    """Puts a stream's bytes together to messages."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes | memoryview) -> list[Message]:
        """Return the messages that are whole now, in their order; Fault where the stream cannot be read."""
        self._held += data
        made, at = [], 0
        while len(self._held) - at >= 4:
            (length,) = struct.unpack_from("<I", self._held, at)
            if not _HEAD.size <= length <= LARGEST:
                raise Fault(f"a message of {length} bytes; one has {_HEAD.size} to {LARGEST}")
            if len(self._held) - at - 4 < length:
                break
            made.append(_read(bytes(memoryview(self._held)[at + 4 : at + 4 + length])))
            at += 4 + length
        if at:
            del self._held[:at]
        return made


def _read(data: bytes) -> Message:
    magic, version, kind, request, sentence, avatar, key, frame, *shape, flags, text, crc = _HEAD.unpack_from(data)
    if magic != _MAGIC:
        raise Fault("these are no messages of a model process")
    if version != VERSION:
        raise Fault(f"it speaks version {version} of the protocol, this is version {VERSION}")
    body = memoryview(data)[_HEAD.size :]
    if text > len(body) or (len(body) - text) % 4:
        raise Fault(f"a message with {text} of {len(body)} bytes of text")
    if zlib.crc32(body, zlib.crc32(memoryview(data)[:_BARE])) != crc:
        raise Fault("a message that was damaged on its way")
    try:
        known = Kind(kind)
    except ValueError:
        raise Fault(f"a message of the unknown kind {kind}") from None
    end = len(body) - text
    a, b, c, d = shape
    return Message(
        known, request, sentence, avatar, key, frame, (a, b, c, d), flags,
        np.frombuffer(body[:end], np.float32), bytes(body[end:]).decode("utf-8", "replace"),
    )  # fmt: skip


def ask(request: int, sentence: Sentence) -> Message:
    """Return the question for a sentence's motion."""
    words = [[word.text, word.start, word.end] for word in sentence.words]
    audio, shown = np.asarray(sentence.audio, np.float32), np.asarray(sentence.shown, np.float32)
    # the audio is what is large, and it goes alone where nothing was shown: then nothing is copied
    numbers = np.concatenate([audio, shown.ravel()]) if shown.size else audio
    return Message(
        Kind.ASK, request, sentence.id, sentence.avatar, sentence.key, sentence.frame, (len(audio), len(shown), 0, 0),
        numbers=numbers, text=json.dumps({"words": words, "after": sentence.after}),
    )  # fmt: skip


def sentence(message: Message) -> Sentence:
    """Return the sentence that is asked for; Fault where the message holds none."""
    audio, shown = message.shape[:2]
    if message.numbers.size != audio + shown * JOINTS * 4:
        raise Fault(f"a sentence of {message.numbers.size} numbers; its head tells of {audio} and {shown} frames")
    try:
        words = tuple(Word(str(text), float(start), float(end)) for text, start, end in message.told["words"])
        after = int(message.told["after"])
    except (KeyError, TypeError, ValueError):
        raise Fault("a sentence whose words cannot be read") from None
    return Sentence(
        message.sentence, message.avatar, message.key, message.numbers[:audio], words, after, message.frame,
        message.numbers[audio:].reshape(shown, JOINTS, 4),
    )  # fmt: skip


def answer(request: int, window: Window) -> Message:
    """Return a window's message."""
    rotation = np.asarray(window.rotation, np.float32)
    a, b, c, d = (*rotation.shape, 0, 0, 0, 0)[:4]
    return Message(
        Kind.WINDOW, request, window.sentence, window.avatar, frame=window.frame, shape=(a, b, c, d),
        flags=int(window.is_last), numbers=rotation.ravel(),
    )  # fmt: skip


def window(message: Message) -> Window:
    """Return the motion that a whole message brings, of whatever shape it has; read-only."""
    rotation = message.numbers.reshape(message.lengths)
    return Window(message.sentence, message.avatar, message.frame, rotation, bool(message.flags & 1))


def block(kind: Kind, request: int, avatar: int, first: int, numbers: F32, flags: int = 0) -> Message:
    """Return a block for lips or brows, or the answer to one. numbers: (n,) or (n, k) f32"""
    rows = np.asarray(numbers, np.float32)
    rows = rows[:, None] if rows.ndim == 1 else rows
    count, width = rows.shape
    shape = (count, width, 0, 0)
    return Message(kind, request, avatar=avatar, frame=first, shape=shape, flags=flags, numbers=rows.ravel())
