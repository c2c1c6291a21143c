"""The desktop app in a real window, on a display of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

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
