"""Playback through a real PulseAudio with a sink that nobody hears: clicks are recorded where the position says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        shutil.which("pulseaudio") is None, reason="PulseAudio is not installed (apt install pulseaudio)"
    ),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="PulseAudio is tested on Linux only"),
]

SCRIPT = """
load-module module-native-protocol-unix
load-module module-null-sink sink_name=speaker rate=48000 channels=2
load-module module-remap-source master=speaker.monitor source_name=microphone
set-default-sink speaker
set-default-source microphone
"""

# In a child process: PortAudio lists the devices it finds when it starts, and only the child has this PulseAudio.
CLICKS = """
import time
from pathlib import Path
import numpy as np, sounddevice
from kinesics.engine_plugin.playback import Player

rate, clicks = 16000, np.arange(0.5, 4.8, 0.5)
voice = np.zeros(5 * rate, np.float32)
for at in clicks:
    voice[int(at * rate) : int(at * rate) + 8] = 0.8
blocks, stamps = [], []
def record(data, frames, now, status):
    blocks.append(data[:, 0].copy()); stamps.append(now.inputBufferAdcTime)
ears = sounddevice.InputStream(samplerate=48000, channels=1, blocksize=480, callback=record)
ears.start()
time.sleep(3.0)  # a fresh sink takes up to 2 s until its stamps settle
player = Player()
began = time.monotonic()
player.start(voice, rate)
returned = time.monotonic() - began
log = []
while not player.is_done and time.monotonic() - began < 12.0:
    log.append((ears.time, player.position_s)); time.sleep(0.008)
name = player.state.name
time.sleep(0.5); ears.stop(); player.close()
log, first = np.array(log), np.cumsum([0] + [len(b) for b in blocks])
sound = np.concatenate(blocks)
hit = np.flatnonzero((np.abs(sound[1:]) > 0.3) & (np.abs(sound[:-1]) <= 0.3))
hit = hit[np.concatenate([[True], np.diff(hit) > 4800])]
block = np.searchsorted(first, hit, side="right") - 1
heard = np.array(stamps)[block] + (hit - first[block]) / 48000
error = np.interp(heard, log[:, 0], log[:, 1])[: len(clicks)] - clicks[: len(hit)]
print(name, len(hit), len(clicks), returned, np.diff(log[:, 1]).min(), np.abs(error).max(), np.ptp(np.diff(hit)) / 48)
"""

LOST = """
import os, signal, sys, time
import numpy as np
from kinesics.engine_plugin.playback import Player

player = Player()
player.start(np.full(8 * 16000, 0.1, np.float32), 16000)
player.wait(5.0)
began = time.monotonic()
while player.position_s < 0.5 and time.monotonic() - began < 6.0:
    time.sleep(0.01)
before = player.state.name
os.kill(int(sys.argv[1]), signal.SIGTERM)
time.sleep(6.0)
after, at = player.state.name, player.position_s
time.sleep(0.5)
print(before, after, player.position_s - at)
player.close()
"""


@pytest.fixture
def pulse(tmp_path):
    """Yield a PulseAudio process with a null sink, and the environment in which it is the default."""
    tmp_path.chmod(0o700)
    env = os.environ | dict.fromkeys(("XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH", "HOME"), str(tmp_path))
    env.pop("PULSE_SERVER", None)
    script = tmp_path / "null.pa"
    script.write_text(SCRIPT)
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


def _child(text, env, *arguments):
    root = str(Path(__file__).parents[2])
    out = subprocess.run(
        [sys.executable, "-c", text, *arguments],
        env=env,
        cwd=root,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if "PortAudio library not found" in out.stderr:
        pytest.skip("PortAudio is not installed (apt install libportaudio2)")
    assert out.returncode == 0, out.stderr[-2000:]
    return out.stdout.split()


def test_clicks_are_recorded_within_40_ms_of_where_the_position_says(pulse):
    name, heard, given, returned, step, error, spread = _child(CLICKS, pulse[1])
    assert name == "ok"
    assert heard == given
    assert float(returned) < 0.1  # s, start() does not wait for the device
    assert float(step) >= 0.0
    assert float(error) < 0.04  # s, the recorder's own delay included
    assert float(spread) < 5.0  # ms, between clicks half a second apart


def test_when_the_sound_server_dies_she_goes_on_by_the_clock(pulse):
    process, env = pulse
    before, after, passed = _child(LOST, env, str(process.pid))
    assert before == "ok"
    assert after == "lost"
    assert float(passed) == pytest.approx(0.5, abs=0.1)
