"""No command harms an input, follows a link or leaves half a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kinesics.components.errors import OutputError
from kinesics.engine_plugin.cli.outputs import claim, claim_folder, filling


def test_an_output_that_is_an_input_is_refused(tmp_path: Path) -> None:
    wav = tmp_path / "hello.wav"
    wav.write_bytes(b"voice")
    for target in (wav, tmp_path / "." / "hello.wav"):
        with pytest.raises(OutputError, match="is also an input"):
            claim([target], [None, wav])
    os.link(wav, tmp_path / "other name.wav")
    with pytest.raises(OutputError, match="is also an input"):
        claim([tmp_path / "other name.wav"], [wav])


def test_the_folder_one_is_in_is_no_new_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OutputError, match="name a new folder"):
        claim_folder(Path("."))


def test_a_link_is_refused_even_to_nowhere(tmp_path: Path) -> None:
    (tmp_path / "run.npz").symlink_to(tmp_path / "elsewhere.npz")
    with pytest.raises(OutputError, match="is a link to"):
        claim([tmp_path / "run.npz"])


def test_a_folder_that_is_missing_or_read_only_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OutputError, match="there is no folder"):
        claim([tmp_path / "none" / "run.npz"])

    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)  # a test run by root may write anywhere
    with pytest.raises(OutputError, match="cannot be written: Permission denied"):
        claim([tmp_path / "run.npz"])


def test_two_outputs_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="two outputs"):
        claim([tmp_path / "a.npz", None, tmp_path / "a.npz"])


def test_a_folder_appears_only_when_complete(tmp_path: Path) -> None:
    target = tmp_path / "talkers"

    def interrupted(partial: Path) -> None:
        (partial / "clip.npz").write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), filling(target) as partial:
        interrupted(partial)
    assert list(tmp_path.iterdir()) == []
    target.mkdir()
    claim_folder(target)
    with filling(target) as partial:
        (partial / "clip.npz").write_bytes(b"whole")
    assert [p.name for p in tmp_path.iterdir()] == ["talkers"]
    assert [p.name for p in target.iterdir()] == ["clip.npz"]
    with pytest.raises(OutputError, match="not empty"):
        claim_folder(target)
