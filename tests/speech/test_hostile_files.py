"""Whatever is given for the published files: one line, nothing run, nothing half written. No torch here."""

from __future__ import annotations

import json
import os
import pickle
import pickletools
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.components.errors import ModelError
from kinesics.engine_plugin.cli import main
from kinesics.systems.speech_gesture.model import source
from kinesics.systems.speech_gesture.model.tensors import File
from kinesics.systems.speech_gesture.offline import checkpoint, pickled, vocabulary
from kinesics.systems.speech_gesture.offline.convert import convert

from . import published


@pytest.mark.parametrize("protocol", range(5))
def test_the_vocabulary_is_read_whatever_wrote_it(tmp_path: Path, protocol: int) -> None:
    words = published.WORDS | {f"word{k}": k + 8 for k in range(300)} | {"naïve": 400}
    path = published.vocabulary(tmp_path / "vocab.pkl", protocol, words)
    assert vocabulary.read(path) == words


class Bomb:
    def __reduce__(self) -> object:
        return os.system, (f"touch {os.environ['BOMB']}",)


class Nested:
    """Sets off inside the state of an object that is allowed."""

    def __init__(self) -> None:
        self.word2index = {"a": Bomb()}


def _nested() -> bytes:
    Nested.__module__, Nested.__qualname__, Nested.__name__ = "__main__", "Vocab", "Vocab"
    import sys

    sys.modules["__main__"].Vocab = Nested  # type: ignore[attr-defined]
    try:
        return pickle.dumps(Nested(), 2)
    finally:
        del sys.modules["__main__"].Vocab  # type: ignore[attr-defined]


HOSTILE = {
    "runs a command": lambda: pickle.dumps(Bomb(), 4),
    "runs it from within": _nested,
    "runs it by an old way": lambda: b"cos\nsystem\n(S'touch $BOMB'\ntR.",
    "calls eval under a name": lambda: b"\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x011\x85R.",
    "names a class of the tests": lambda: b"c__main__\nVocab2\n)R.",
    "asks for something outside": lambda: b"P123\n.",
    "makes an instance the oldest way": lambda: b"(ios\nsystem\n.",
    "is deep": lambda: b"\x80\x02" + b"]" * 20_000 + b"a" * 19_999 + b".",
    "is deep and a key": lambda: b"\x80\x02}" + b")" + b"\x85" * 20_000 + b"K\x01s.",
    "fills with itself": lambda: b"\x80\x02}q\x00h\x00h\x00s.",
    "has more text than bytes": lambda: b"\x80\x02X\xff\xff\xff\x7fabc.",
    "has a number of a gigabyte": lambda: b"\x80\x02\x8b\xff\xff\xff\x3f\x01.",
    "has no end": lambda: b"\x80\x02}q\x00",
    "pops what is not there": lambda: b"\x80\x02a.",
    "is text": lambda: b"hello there\n",
    "has words without numbers": lambda: pickle.dumps({"word2index": {"a": "b"}}),
    "has numbers below zero": lambda: pickle.dumps({"word2index": {"a": -1}}),
    "has an endless number": lambda: pickle.dumps({"a": 10**5000}),
    "has an endless number below zero": lambda: pickle.dumps({"a": -(10**5000)}),
    "is deep where a number should be": lambda: b"\x80\x02}X\x01\0\0\0a" + b"]" * 20_000 + b"a" * 19_999 + b"s.",
    "has half a character": lambda: pickle.dumps({"a\ud800": 5}),
    "has keys that fall on each other": lambda: pickle.dumps({k * (2**61 - 1): "a" for k in range(1, 9)}),
    "has no words": lambda: pickle.dumps({"index2word": {1: "a"}}),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_vocabulary_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.setenv("BOMB", str(tmp_path / "went_off"))
    path = tmp_path / "vocab.pkl"
    path.write_bytes(HOSTILE[what]())
    with pytest.raises(ModelError, match="not the vocabulary") as caught:
        vocabulary.read(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))
    assert not (tmp_path / "went_off").exists()


def test_a_vocabulary_of_more_than_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its bytes would be a list of 70."""
    monkeypatch.setattr(pickled, "_MOST", 1000)
    assert pickled.read(b"]" * 999 + b".", lambda module, name: False) == []
    with pytest.raises(pickled.Refused, match="more than 1000 instructions"):
        pickled.read(b"]" * 1000 + b".", lambda module, name: False)


@settings(max_examples=50)
@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_plain(data: bytes) -> None:
    try:
        found = pickled.read(data, lambda module, name: False)
    except ValueError:
        return
    assert found is None or isinstance(found, str | int | float | bytes | bytearray | list | dict | tuple)


@settings(max_examples=25)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text() | st.binary(),
                    lambda kept: st.lists(kept, max_size=4) | st.dictionaries(st.text(), kept, max_size=4)),
       st.integers(0, 5))  # fmt: skip
def test_plain_data_come_back_as_they_were(value: object, protocol: int) -> None:
    data = pickle.dumps(value, protocol)
    if protocol < 3 and any(op.name == "GLOBAL" for op, _, _ in pickletools.genops(data)):
        return  # bytes, which such an old pickle makes by calling
    assert pickled.read(data, lambda module, name: False) == value


def _tensors(head: object, numbers: bytes = bytes(16)) -> bytes:
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    return len(text).to_bytes(8, "little") + text + numbers


_ROW = {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}


def test_weights_are_read_as_their_own_library_wrote_them(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    values = np.arange(4, dtype="<f4").reshape(2, 2)
    path.write_bytes(_tensors({"__metadata__": {"format": "pt"}, "a": _ROW}, values.tobytes()))
    file = File(path, "cure")
    assert file.shapes == {"a": (2, 2)}
    assert np.array_equal(file.read("a"), values)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"short",
        (1 << 60).to_bytes(8, "little") + b"{}",
        _tensors(b"{" * 5000),
        _tensors(b"[" * 100_000),
        _tensors([1, 2]),
        _tensors({"a": 3}),
        _tensors({"a": _ROW | {"dtype": "I64"}}),
        _tensors({"a": _ROW | {"shape": [1 << 40]}}),
        _tensors({"a": _ROW | {"shape": [-2, -2]}}),
        _tensors({"a": _ROW | {"data_offsets": [-16, 0]}}),
        _tensors({"a": _ROW | {"data_offsets": [16, 32]}}),
        _tensors({"a": _ROW}, bytes(15)),
    ],
)
def test_weights_that_are_none_are_one_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "weights.safetensors"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=r"; cure$") as caught:
        File(path, "cure")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "said", ["[" * 100_000, '{"format": 1, "sha256": "", "sampler": "shortcut", "steps": Infinity}']
)
def test_a_model_that_says_strange_things_is_one_line(tmp_path: Path, said: str) -> None:
    (tmp_path / source.ABOUT).write_text(said)
    with pytest.raises(ModelError) as caught:
        source.Converted(tmp_path)
    assert "\n" not in str(caught.value)


def test_archives_that_torch_never_writes_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "net_300000_upper.pth"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("net/data/0", bytes(5_000_000))  # 5 MB in 5 kB
    with pytest.raises(ModelError, match="packed, as torch never writes"):
        checkpoint.read(path)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ModelError, match="not all of it"):
        checkpoint.read(path)


WRONG = {
    "empty": ("shortcut_reflow.bin", lambda path: path.write_bytes(b""), "0 bytes"),
    "a page in place of the file": (
        "meanflow.pth",
        lambda path: path.write_bytes(b"<!DOCTYPE html><html>"),
        "not what its name says",
    ),
    "objects for statistics": (
        "beatx_2_330_mean.npy",
        lambda path: np.save(path, np.array([{}], object)),
        "cannot be read",
    ),
    "statistics of another body": ("beatx_2_330_mean.npy", lambda path: np.save(path, np.zeros(12)), "wanted"),
    "statistics that are not finite": (
        "beatx_2_330_std.npy",
        lambda path: np.save(path, np.full(330, np.nan)),
        "wanted finite",
    ),
    "statistics cut off": (
        "beatx_2_trans_std.npy",
        lambda path: (np.save(path, np.zeros(3)), path.write_bytes(path.read_bytes()[:100])),
        "cannot be read",
    ),
    "statistics renamed": ("numbers.npy", lambda path: np.save(path, np.zeros(330)), "only the name tells"),
    "a spread below 0": ("beatx_2_330_std.npy", lambda path: np.save(path, np.full(330, -1.0)), "is it the mean"),
    "not there": ("vocab.pkl", lambda path: None, "No such file"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_file_is_one_line_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    name, write, said = WRONG[what]
    write(tmp_path / name)
    assert main(["speech", "convert", str(tmp_path / name), "-o", str(tmp_path / "model")]) == 1
    error = capsys.readouterr().err.strip().splitlines()
    assert len(error) == 1
    assert said in error[0]
    assert [p.name for p in tmp_path.iterdir() if p.name != name] == []


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    files = [*published.statistics(tmp_path), published.vocabulary(tmp_path / "vocab.pkl")]
    with pytest.raises(ModelError, match=r"4 of 9 files missing: generator .*upper.*hands.*lower"):
        convert(files, tmp_path / "out")
    with pytest.raises(ModelError, match="a second mean"):
        convert([files[0], files[0]], tmp_path / "out")
