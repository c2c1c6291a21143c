"""Messages come out as they went in, however the stream is cut; anything else is refused."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.components.gesture import JOINTS, SEED, Sentence, Window
from kinesics.components.speech import Word
from kinesics.systems.model_process import protocol
from kinesics.systems.model_process.protocol import Fault, Kind, Message, Reader

_I64 = st.integers(-(2**63), 2**63 - 1)
_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


def _bytes(*messages: Message) -> bytes:
    return b"".join(bytes(part) for message in messages for part in protocol.packed(message))


@settings(max_examples=40)
@given(
    words=st.lists(st.tuples(_TEXT, st.floats(0, 1e4), st.floats(0, 1e4)), max_size=5),
    audio=st.lists(st.floats(-1, 1, width=32), max_size=50), shown=st.booleans(), ids=st.tuples(_I64, _I64, _I64, _I64),
    key=st.integers(0, 2**64 - 1), cuts=st.lists(st.integers(1, 400), max_size=20),
)  # fmt: skip
def test_a_sentence_arrives_bit_for_bit_however_the_stream_is_cut(words, audio, shown, ids, key, cuts) -> None:
    pose = np.random.default_rng(1).normal(size=(SEED if shown else 0, JOINTS, 4)).astype(np.float32)
    said = Sentence(
        ids[0], ids[1], key, np.array(audio, np.float32), tuple(Word(*w) for w in words), ids[2], ids[3], pose
    )
    data, reader, came, at = _bytes(protocol.ask(77, said)), Reader(), [], 0
    for cut in [*cuts, len(data)]:
        came += reader.feed(data[at : at + cut])
        at += cut
    assert [m.request for m in came] == [77]
    heard = protocol.sentence(came[0])
    for name in ("id", "avatar", "key", "words", "after", "frame"):
        assert getattr(heard, name) == getattr(said, name)
    assert heard.audio.tobytes() == said.audio.tobytes()
    assert heard.shown.shape == pose.shape
    assert heard.shown.tobytes() == pose.tobytes()


def test_a_window_arrives_bit_for_bit() -> None:
    made = Window(5, 2, 112, np.random.default_rng(2).normal(size=(112, JOINTS, 4)).astype(np.float32), True)
    (message,) = Reader().feed(_bytes(protocol.answer(9, made)))
    came = protocol.window(message)
    assert (came.sentence, came.avatar, came.frame, came.is_last, message.request) == (5, 2, 112, True, 9)
    assert came.rotation.tobytes() == made.rotation.tobytes()
    assert not came.rotation.flags.writeable


@pytest.mark.parametrize("shape", [(0, JOINTS, 4), (5, 4), (3,), (2, 3, 4, 5)])
def test_motion_of_a_wrong_shape_arrives_as_it_is_so_that_it_can_be_refused(shape: tuple[int, ...]) -> None:
    (message,) = Reader().feed(_bytes(protocol.answer(1, Window(1, 0, 0, np.zeros(shape, np.float32)))))
    assert message.is_whole
    assert protocol.window(message).rotation.shape == shape


def test_a_block_arrives_as_rows() -> None:
    numbers = np.arange(12, dtype=np.float32).reshape(4, 3)
    (message,) = Reader().feed(_bytes(protocol.block(Kind.BROWS, 3, 1, 40, numbers)))
    assert (message.kind, message.avatar, message.frame, message.lengths) == (Kind.BROWS, 1, 40, (4, 3))
    assert np.array_equal(message.numbers.reshape(message.lengths), numbers)


@settings(max_examples=60)
@given(at=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_one_turned_bit_is_never_taken_for_a_message(at: int, bit: int) -> None:
    whole = protocol.answer(1, Window(1, 0, 0, np.zeros((1, JOINTS, 4), np.float32)))
    data = bytearray(_bytes(whole))
    at %= len(data)
    data[at] ^= 1 << bit
    reader, came = Reader(), []
    try:
        came = reader.feed(data)
    except Fault:
        return
    assert came == []
    assert at < 4  # a length that has grown: it waits for bytes that do not come, and the parent for a sign of life


def test_another_version_is_named() -> None:
    data = bytearray(_bytes(Message(Kind.BEAT)))
    struct.pack_into("<H", data, 8, 2)
    with pytest.raises(Fault, match="version 2 of the protocol, this is version 1"):
        Reader().feed(data)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (Message(Kind.ASK, shape=(5, 0, 0, 0), text='{"words": [], "after": 0}'), "tells of 5"),
        (Message(Kind.ASK, text='{"words": [["a", 1]], "after": 0}'), "words cannot be read"),
        (Message(Kind.ASK, text="[1"), "words cannot be read"),
    ],
)
def test_a_sentence_that_contradicts_itself_is_refused(message: Message, why: str) -> None:
    with pytest.raises(Fault, match=why):
        protocol.sentence(message)
