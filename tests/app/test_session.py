"""The whole app in memory: keys, pictures, frames with alpha, another avatar while she speaks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).parents[2]


def run(script: str, *arguments: str, **how: Any) -> subprocess.CompletedProcess[str]:
    """Run a script beside this file in a process of its own."""
    code = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'tests')!r}]; import runpy"
    code += f"; runpy.run_path({str(Path(__file__).with_name(script))!r}, run_name='__main__')"
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **how)


def inside(alpha: np.ndarray, by: int = 2) -> np.ndarray:
    """Return which pixels have nothing but her around them."""
    mask = alpha > 0
    for _ in range(by):
        shrunk = mask.copy()
        for axis in (0, 1):
            for shift in (1, -1):
                shrunk &= np.roll(mask, shift, axis)
        mask = shrunk
    return mask


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory, drawing: None) -> tuple[dict[str, Any], Path]:
    folder = tmp_path_factory.mktemp("session")
    done = run("offscreen_session.py", str(folder))
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout.splitlines()[-1]) | {"stderr": done.stderr}, folder


@pytest.mark.long
def test_two_seconds_at_twenty_frames_a_second_are_forty_frames_and_a_hundred_and_twenty_ticks(session: Any) -> None:
    found, folder = session
    assert found["ticks"] == 120
    assert found["frames"] >= 40
    assert min(f.name for f in (folder / "frames").iterdir()) == "000000.png"


@pytest.mark.long
def test_a_frame_is_clear_at_its_corners_and_full_all_over_her_body(session: Any) -> None:
    _, folder = session
    for file in sorted((folder / "frames").iterdir())[::7]:
        alpha = np.asarray(Image.open(file))[..., 3]
        assert not alpha[[0, 0, -1, -1], [0, -1, 0, -1]].any()
        body = inside(alpha)[: int(0.8 * len(alpha))]  # below lies the shade, which is soft
        assert body.sum() > 1500
        assert (alpha[: len(body)][body] == 255).mean() > 0.999


@pytest.mark.long
def test_a_picture_before_a_key_colour_has_alpha_and_none_of_the_key(session: Any) -> None:
    _, folder = session
    (picture,) = (folder / "pictures").iterdir()
    pixels = np.asarray(Image.open(picture)).astype(int)
    assert pixels.shape[2] == 4
    assert not pixels[0, :, 3].any()
    seen = pixels[pixels[..., 3] > 0]
    greenness = seen[:, 1] - np.maximum(seen[:, 0], seen[:, 2])
    assert greenness.max() < 60


@pytest.mark.long
def test_keys_do_what_the_help_says(session: Any) -> None:
    found, _ = session
    assert found["helps"]
    assert found["panel"]
    assert found["framing"] == "bust"
    assert found["key"] == [0.0, 1.0, 0.0, 1.0]
    assert found["colour"] != found["key"]
    assert not found["shade"]
    assert found["mode"] == "training"  # the arrow keys turned the second knob of the panel


@pytest.mark.long
def test_a_collection_in_a_frame_looks_at_little_and_a_closed_window_leaves_nothing_aside(session: Any) -> None:
    found, _ = session
    assert found["looked_at"] < 40_000  # objects; 180 000 took 130 ms of a processor
    assert found["left"] == 0


@pytest.mark.long
def test_the_learned_fence_is_as_it_is_set_also_on_the_next_avatar(session: Any) -> None:
    found, _ = session
    assert found["fence"] == ["live", "live"]


@pytest.mark.long
def test_what_a_picture_in_memory_cannot_do_has_a_name_and_is_said_once(session: Any) -> None:
    found, _ = session
    assert found["why_not"] == {"on top": "there is no window", "click-through": "there is no window"}
    assert found["stderr"].count("does not stay on top") == 1, found["stderr"]


@pytest.mark.long
def test_another_avatar_comes_on_and_a_file_that_is_not_there_changes_nothing(session: Any) -> None:
    found, _ = session
    assert found["stayed"]
    assert found["changed"]
    assert found["follows"]
    assert found["window_avatar"].endswith("default.vrm")


@pytest.mark.long
def test_frames_to_standard_output_are_whole_and_nothing_else_is_there(tmp_path: Path, drawing: None) -> None:
    settings = tmp_path / "small.toml"
    settings.write_text("[window]\nwidth = 160\nheight = 200\nsamples = 0\n", encoding="utf-8")
    command = [sys.executable, str(ROOT / "main.py"), "run", "--seconds", "1", "--fps", "15", "--frames", "-"]
    done = subprocess.run([*command, "--config", str(settings)], capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    size = 160 * 200 * 4
    assert len(done.stdout) % size == 0
    assert len(done.stdout) >= 3 * size
    last = np.frombuffer(done.stdout[-size:], np.uint8).reshape(200, 160, 4)
    assert not last[0, 0].any()
    assert (last[..., 3] == 255).mean() > 0.05
    assert b"standard output: " in done.stderr
