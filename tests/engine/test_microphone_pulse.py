"""A microphone through a real PulseAudio: speech in, motion out; the source taken away for 5 s and back."""

from __future__ import annotations

import json

import pytest
from hosts import in_child

pytestmark = [pytest.mark.long, pytest.mark.alone]

CHILD = """
import json, subprocess, sys, time
import numpy as np, soundfile, talker
from kinesics.components.speech import RATE
from kinesics.components.voice import Voice
from kinesics.components.face import Face
from kinesics.engine_plugin.microphone import Microphone
from kinesics.systems import figures, headless
from kinesics.systems.schedule import TICK

wav = sys.argv[1]
soundfile.write(wav, talker.voice(7.0, pauses=()), RATE)
run = lambda *command: subprocess.run(command, check=True, capture_output=True, text=True).stdout
def unplug():
    for line in reversed(run("pactl", "list", "short", "modules").splitlines()):
        if "null-sink" in line or "remap-source" in line:
            run("pactl", "unload-module", line.split()[0])
def plug():
    run("pactl", "load-module", "module-null-sink", "sink_name=speaker", "rate=48000", "channels=1", "norewinds=1")
    run("pactl", "load-module", "module-remap-source", "master=speaker.monitor", "source_name=microphone")
    run("pactl", "set-default-sink", "speaker"); run("pactl", "set-default-source", "microphone")

players = []
def play():
    players.append(subprocess.Popen(["paplay", "--latency-msec=20", "--device=speaker", wav]))

world = headless.world(talker.body(), talker.corpus(), seed=2)
her = world.avatar
first = headless.world(talker.body(), talker.corpus(), seed=2)  # every kernel is there before time counts
first.avatar.say((talker.voice(2.0), RATE)); first.avatar.listen(); first.avatar.heard(talker.voice(1.0))
headless.run(first, 3.0)
microphone = Microphone()
while microphone.state.name == "opening":
    time.sleep(0.01)
her.listen()
plan = [(3.0, play), (11.0, unplug), (16.0, plug), (16.05, play)]
recorder, states, mouth = figures.Recorder(world), [], []
began = time.monotonic()
late, heard = 0.0, [0.0, 0.0]
for tick in range(int(22.0 * 60)):
    while plan and tick / 60 >= plan[0][0]:
        plan.pop(0)[1]()
    wait = began + tick / 60 - time.monotonic()
    late = max(late, -wait)
    if wait > 0:
        time.sleep(wait)
    samples = microphone.read()
    if len(samples):
        her.heard(samples)
        heard[0] += len(samples) / RATE
        heard[1] = max(heard[1], float(np.abs(samples).max()))
    world.step(TICK)
    recorder.record(world)
    states.append(microphone.state.name)
    mouth.append(world.get(0, Face).openness)
microphone.close()
for player in players:
    player.terminate()
    player.wait(5)
run_ = recorder.run()
hands = [run_.joint("leftHand"), run_.joint("rightHand")]
speed = np.linalg.norm(np.diff(run_.position[:, hands], axis=0), axis=2).mean(axis=1) * 60e3
spoke = np.flatnonzero(run_.speaking) / 60.0
first = lambda after: float(next((s for s in spoke if s >= after), 99.0))
print(json.dumps({
    "quiet_mm_s": float(speed[60:170].mean()), "talk_mm_s": float(speed[5*60:10*60].mean()),
    "answer_s": first(3.0) - 3.0, "mouth": max(mouth[4*60:10*60]), "mouth_quiet": max(mouth[:170]),
    "idle_mm_s": float(speed[14*60:16*60].mean()), "idle_speaking": bool(run_.speaking[13*60:16*60].any()),
    "lost": any(s not in ("ok", "opening") for s in states[11*60:16*60]), "last": states[-1],
    "again_s": first(16.0) - 16.0, "again_mm_s": float(speed[18*60:21*60].mean()),
    "late_s": late, "overflows": microphone.overflows, "states": {s: states.count(s) for s in set(states)},
    "heard": heard,
    "corpus_speed": figures.report(run_)["corpus_speed_deg_s_max"],
}))
"""


def test_speech_in_is_motion_out_and_five_seconds_without_a_source_are_survived(pulse, tmp_path):
    seen = json.loads(in_child(CHILD, pulse[1], str(tmp_path / "voice.wav")).splitlines()[-1])
    print(seen)
    assert seen["talk_mm_s"] > 3.0 * seen["quiet_mm_s"], seen
    assert seen["answer_s"] <= 1.5, seen  # a player's start and the first syllable included
    assert seen["mouth"] > 0.3, seen
    assert seen["mouth_quiet"] == 0.0, seen
    assert seen["lost"], seen
    assert not seen["idle_speaking"], seen
    assert seen["idle_mm_s"] < 30.0, seen  # she breathes and sways
    assert seen["again_s"] <= 2.0, seen
    assert seen["again_mm_s"] > 3.0 * seen["quiet_mm_s"], seen
    assert seen["last"] == "ok", seen
    assert seen["corpus_speed"] <= 90.0 + 1e-3, seen
