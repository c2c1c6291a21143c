"""Frames for other programs: whole files, whole frames, and a reader that leaves is no end."""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from kinesics.components.errors import OutputError
from kinesics.engine_plugin.app.eye import straight
from kinesics.engine_plugin.app.frames import Folder, Pipe, open_sink
from kinesics.engine_plugin.app.pictures import over_wall


def frame(number: int = 0, size: tuple[int, int] = (6, 4)) -> np.ndarray:
    out = np.zeros((size[1], size[0], 4), np.uint8)
    out[1:3, 2:4] = (200, 100, number, 255)
    return out


def test_a_folder_holds_every_frame_in_order_with_its_alpha(tmp_path: Path) -> None:
    sink = open_sink(str(tmp_path / "frames"), print)
    assert not sink.is_live
    for k in range(5):
        assert sink.take(frame(k)) == ""
    files = sorted((tmp_path / "frames").iterdir())
    assert [f.name for f in files] == [f"{k:06d}.png" for k in range(5)]
    for k, file in enumerate(files):
        np.testing.assert_array_equal(np.asarray(Image.open(file)), frame(k))
    assert sink.close().endswith("5 frames")


def test_a_folder_with_something_in_it_a_file_and_a_link_are_refused(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.png").touch()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("full", "file", "link"):
        with pytest.raises(OutputError, match=name):
            open_sink(str(tmp_path / name), print)


def test_a_folder_that_goes_away_is_one_line(tmp_path: Path) -> None:
    sink = Folder(tmp_path / "frames")
    (tmp_path / "frames").rmdir()
    assert "cannot be written" in sink.take(frame())


def test_a_pipe_carries_whole_frames_back_to_back() -> None:
    stream = io.BytesIO()
    sink = Pipe(stream, "a pipe")
    for k in range(3):
        sink.take(frame(k))
        while not sink._waiting.empty():
            pass
    sink.close()
    held = np.frombuffer(stream.getvalue(), np.uint8).reshape(-1, 4, 6, 4)
    np.testing.assert_array_equal(held, np.stack([frame(k) for k in range(3)]))


def test_a_reader_that_leaves_is_told_and_one_that_is_slow_loses_whole_frames_only() -> None:
    read, write = os.pipe()
    sink = Pipe(os.fdopen(write, "wb", buffering=0), "the pipe")
    large = frame(1, (400, 300))
    for _ in range(20):  # far more than a pipe's 64 KiB and the queue hold: nobody reads
        assert sink.take(large) == ""
    assert sink.left_out > 0
    os.close(read)
    sink._thread.join(5.0)
    assert "the reader has gone" in sink.take(large)
    assert "left out" in sink.close()


def test_edges_get_their_colour_back_and_what_is_full_or_clear_stays() -> None:
    pixels = np.array([[[100, 50, 0, 128], [7, 8, 9, 255], [0, 0, 0, 0]]], np.uint8)
    np.testing.assert_array_equal(straight(pixels.copy())[0], [[199, 100, 0, 128], [7, 8, 9, 255], [0, 0, 0, 0]])


def test_a_picture_shows_her_before_the_wall() -> None:
    seen = over_wall(frame(9, (6, 40)), (0.5, 0.5, 0.5))
    assert seen.shape == (40, 6, 3)
    assert tuple(seen[2, 2]) == (200, 100, 9)
    assert seen[0, 0, 0] > 128 > seen[-1, 0, 0]
