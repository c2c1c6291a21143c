"""What tests that need a machine share: a host without a window, whether pictures can be drawn, a sound server."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("panda3d.core", reason="panda3d is not installed")

from panda3d.core import ClockObject, loadPrcFileData

loadPrcFileData("tests", "window-type none\naudio-library-name null\nkinesics-sound false\nnotify-level-device fatal")

ROOT = Path(__file__).parents[1]
# norewinds: without it a null sink makes sound in blocks of 2 s until a player asks for less, as no device does.
SERVER = """
load-module module-native-protocol-unix
load-module module-null-sink sink_name=speaker rate=48000 channels=1 norewinds=1
load-module module-remap-source master=speaker.monitor source_name=microphone
set-default-sink speaker
set-default-source microphone
"""


@pytest.fixture
def base() -> Iterator[Any]:
    """A host without a window whose frames last exactly 1/60 s; `base.frames(n)` runs some."""
    from direct.showbase.ShowBase import ShowBase

    host = ShowBase()
    clock = ClockObject.getGlobalClock()
    clock.setMode(ClockObject.MNonRealTime)
    clock.setDt(1 / 60)

    def frames(count: int) -> None:
        for _ in range(count):
            host.taskMgr.step()

    host.frames = frames
    yield host
    clock.setMode(ClockObject.MNormal)
    host.destroy()


@pytest.fixture(scope="session")
def drawing() -> None:
    """Skips where this machine cannot draw a picture."""
    from kinesics.components.errors import KinesicsError
    from kinesics.engine_plugin.offscreen import Stage

    try:
        Stage(size=(16, 16)).close()
    except KinesicsError as cause:
        pytest.skip(str(cause))


@pytest.fixture
def pulse(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, str]]]:
    """A PulseAudio whose microphone hears what is played into its sink: the process, and the environment to use it in.

    Only child processes can: PortAudio lists the devices it finds when it starts.
    """
    if not sys.platform.startswith("linux"):
        pytest.skip("PulseAudio is tested on Linux only")
    if not all(map(shutil.which, ("pulseaudio", "pactl", "paplay"))):
        pytest.skip("PulseAudio is not installed (apt install pulseaudio pulseaudio-utils)")
    tmp_path.chmod(0o700)
    env = os.environ | dict.fromkeys(("XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH", "HOME"), str(tmp_path))
    env.pop("PULSE_SERVER", None)
    env.setdefault("XDG_CACHE_HOME", str(Path.home() / ".cache"))  # compiled kernels stay where they are
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    script = tmp_path / "server.pa"
    script.write_text(SERVER)
    command = ["pulseaudio", "-n", "-F", str(script), "--daemonize=no", "--exit-idle-time=-1"]
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    socket, end = tmp_path / "native", time.monotonic() + 10.0
    while not socket.exists() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.5)
    if process.poll() is not None or not socket.exists():
        pytest.skip("PulseAudio does not start here")
    yield process, env
    process.terminate()
    process.wait(10)


def in_child(program: str, env: dict[str, str], *arguments: str, seconds: float = 120.0) -> str:
    """Return what a program printed, run by its text; skips where PortAudio is missing."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    if "PortAudio library not found" in done.stderr:
        pytest.skip("PortAudio is not installed (apt install libportaudio2)")
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
