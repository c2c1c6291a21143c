"""Playback through a real PulseAudio with a sink that nobody hears: clicks are recorded where the position says."""

from __future__ import annotations

import json
import statistics

import pytest
from hosts import in_child

pytestmark = [pytest.mark.long, pytest.mark.alone]

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


# Tones as a synthesis gives them that runs at real time: 20 ms at a time, the first of them 0.4 s after `begin`.
HEARD = """
import json, threading, time
import numpy as np, sounddevice, talker
from kinesics.components.speech import RATE
from kinesics.engine_plugin.her_sound import HerSound
from kinesics.systems import headless
from kinesics.systems.schedule import TICK

first = headless.world(talker.body(), talker.corpus(), seed=2)  # every kernel is there before time counts
with first.avatar.begin(24000) as warm:
    warm.feed(np.zeros(24000, np.float32))
headless.run(first, 2.0)
blocks, stamps, fed, ran_dry = [], [], [], []
def record(data, frames, now, status):
    blocks.append(data[:, 0].copy()); stamps.append(now.inputBufferAdcTime)
ears = sounddevice.InputStream(samplerate=48000, channels=1, blocksize=256, latency=0.01, callback=record)
ears.start()
time.sleep(2.0)  # a fresh sink takes up to 2 s until its stamps settle
world = headless.world(talker.body(), talker.corpus(), seed=2)
her, tone = world.avatar, (0.4 * np.sign(np.sin(np.arange(24000) * 0.0576))).astype(np.float32)
sound = HerSound(her)
def synthesis(u):
    time.sleep(0.4)
    began = time.monotonic()
    fed.append(ears.time)
    for k in range(0, len(tone), 480):
        time.sleep(max(0.0, began + k / 24000 - time.monotonic()))
        u.feed(tone[k : k + 480])
    u.end()
due = time.monotonic()
for _ in range(5):
    u = her.begin(24000)
    talking = threading.Thread(target=synthesis, args=(u,))
    talking.start()
    for _ in range(120):
        sound.report(); world.step(TICK)
        for _, name, data in her.deliver():
            if name in ("started", "finished"):
                sound.tell(name, data["id"])
        list(sound.follow())
        due = max(due + 1 / 60, time.monotonic() - 0.1)
        time.sleep(max(0.0, due - time.monotonic()))
    talking.join()
    ran_dry.append(sound.player.underruns)
state = sound.player.state.name
ears.stop(); sound.close()
loud = np.abs(np.concatenate(blocks)) > 0.1
when = np.concatenate([s + np.arange(len(b)) / 48000 for s, b in zip(stamps, blocks)])
heard = [float(when[loud & (when > t - 0.05)][0] - t) for t in fed]
print(json.dumps({"state": state, "ran_dry": ran_dry, "heard": heard}))
"""


def test_a_voice_that_streams_in_is_heard_100_ms_after_its_first_chunk_and_200_on_a_card_that_ran_dry(pulse):
    for _ in range(3):  # a crowded machine only ever delays
        seen = json.loads(in_child(HEARD, pulse[1]))
        heard, dry = seen["heard"], seen["ran_dry"]
        # After a stream in which the card ran dry the next ask it for twice the time: 85 ms until heard become 113
        calm = next((k + 1 for k, times in enumerate(dry) if times), len(dry))
        if statistics.median(heard[:calm]) <= 0.1 and max(heard) <= 0.2 and sum(map(bool, dry)) <= 2:
            break
    assert seen["state"] == "ok"
    assert min(heard) > 0.02, seen  # s: something is wrong with the stamps
    assert statistics.median(heard[:calm]) <= 0.1, seen
    assert max(heard) <= 0.2, seen
    assert sum(map(bool, dry)) <= 2, seen


def test_clicks_are_recorded_within_40_ms_of_where_the_position_says(pulse):
    for _ in range(3):  # a crowded machine delays the recorder, and only ever delays it
        name, heard, given, returned, step, error, spread = in_child(CLICKS, pulse[1]).split()
        assert name == "ok"
        if float(error) < 0.04:
            break
    assert heard == given
    assert float(returned) < 0.1  # s, start() does not wait for the device
    assert float(step) >= 0.0
    assert float(error) < 0.04  # s, the recorder's own delay included
    assert float(spread) < 5.0  # ms, between clicks half a second apart


def test_when_the_sound_server_dies_she_goes_on_by_the_clock(pulse):
    process, env = pulse
    before, after, passed = in_child(LOST, env, str(process.pid)).split()
    assert before == "ok"
    assert after == "lost"
    assert float(passed) == pytest.approx(0.5, abs=0.1)
