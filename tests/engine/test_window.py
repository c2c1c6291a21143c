"""The desktop app in a real window, on a display of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def display() -> Iterator[str]:
    """An X display without a screen; skips where Xvfb is not installed."""
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed: apt-get install xvfb")
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24", "+extension", "GLX"]
    server = subprocess.Popen(command, pass_fds=(write,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    if not number:
        pytest.skip("Xvfb did not start")
    yield f":{number}"
    server.terminate()
    server.wait(10)


@pytest.mark.long
def test_she_runs_in_a_window_for_as_long_as_asked_and_leaves_a_file(display: str, tmp_path: Path) -> None:
    settings = tmp_path / "small.toml"
    settings.write_text("[window]\nwidth = 240\nheight = 320\nsamples = 0\n", encoding="utf-8")
    out = tmp_path / "run.npz"
    command = [
        sys.executable,
        str(ROOT / "main.py"),
        "run",
        "--seconds",
        "2",
        "--config",
        str(settings),
        "--out",
        str(out),
    ]
    done = subprocess.run(command, env=os.environ | {"DISPLAY": display}, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    with np.load(out) as run:
        assert len(run["rotation"]) == pytest.approx(120, abs=8)
        assert np.isfinite(run["rotation"]).all()


@pytest.mark.long
def test_a_display_that_is_not_there_is_one_line_and_no_traceback(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "main.py"), "run", "--seconds", "1"]
    done = subprocess.run(command, env=os.environ | {"DISPLAY": ":987"}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "no window could be opened" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def managed(display: str) -> Iterator[str]:
    """The same display with a window manager on it."""
    if shutil.which("openbox") is None:
        pytest.skip("openbox is not installed: apt-get install openbox")
    manager = subprocess.Popen(
        ["openbox"], env=os.environ | {"DISPLAY": display}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(1.0)
    yield display
    manager.terminate()
    manager.wait(10)


def session(display: str, folder: Path) -> dict[str, Any]:
    """Run the scripted window and return what it saw."""
    if shutil.which("xdotool") is None:
        pytest.skip("xdotool is not installed: apt-get install xdotool")
    script = ROOT / "tests" / "app" / "window_session.py"
    code = f"import sys, runpy; sys.path[:0] = [{str(ROOT)!r}]; runpy.run_path({str(script)!r}, run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        env=os.environ | {"DISPLAY": display},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout.splitlines()[-1]) | {"stderr": done.stderr}


@pytest.mark.long
def test_real_keys_frame_help_and_close_her_and_clicks_go_through_and_come_back(managed: str, tmp_path: Path) -> None:
    found = session(managed, tmp_path)
    assert found["manager"]
    assert found["framing"] == "bust"
    assert found["on_top"]
    assert found["through"]
    assert found["server_through"]
    assert found["server_back"]
    assert found["api_back"]
    assert found["helps"]
    assert found["open"]
    assert found["closed_by_key"]
    assert found["grabbed"]
    assert found["spread"] > 0.2  # she, not one flat colour
    assert found["why_not"] == {}


@pytest.mark.long
def test_without_a_window_manager_on_top_is_a_state_with_a_cure_and_the_window_still_shows_her(
    display: str, tmp_path: Path
) -> None:
    found = session(display, tmp_path)
    assert not found["manager"]
    assert not found["on_top"]
    assert "no window manager" in found["why_not"]["on top"]
    assert found["stderr"].count("does not stay on top") == 1
    assert found["grabbed"]
    assert found["spread"] > 0.2


@pytest.mark.long
def test_settings_edited_while_she_runs_are_taken_and_a_bad_value_is_one_line(display: str, tmp_path: Path) -> None:
    """Through the command line, by its words on standard error and the replay it leaves."""
    settings = tmp_path / "small.toml"
    text = "[window]\nwidth = 200\nheight = 260\nsamples = 0\n"
    settings.write_text(text, encoding="utf-8")
    kept = tmp_path / "kept.npz"
    command = [sys.executable, str(ROOT / "main.py"), "run", "--seconds", "9", "--config", str(settings)]
    child = subprocess.Popen(
        [*command, "--replay-out", str(kept)],
        env=os.environ | {"DISPLAY": display},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stderr is not None
        told = ""
        ends = time.monotonic() + 200.0
        edit = 0
        time.sleep(5.0)  # a bad value that she starts with is refused, rightly
        while child.poll() is None and time.monotonic() < ends:
            # It starts when it starts: good and bad edits are made again and again, so that each is seen at least once.
            edit += 1
            head = 40.0 if edit % 2 else 0.4 + 0.01 * edit
            settings.write_text(f"{text}[gains]\nhead = {head}\n", encoding="utf-8")
            time.sleep(0.9)
        told = child.stderr.read()
    finally:
        child.kill()
        child.wait(10)
    assert child.returncode == 0, told
    assert "small.toml:6: [gains] head = 40" in told
    assert "the old settings stay" in told
    assert "Traceback" not in told
    again = subprocess.run(
        [sys.executable, str(ROOT / "main.py"), "replay", str(kept)], capture_output=True, text=True, timeout=200
    )
    assert again.returncode == 0, again.stdout + again.stderr
    with np.load(kept) as held:
        assert b'"kind": "config"' in held["head"].tobytes()
