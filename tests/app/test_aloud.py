"""What is said to the person at the terminal arrives, whatever a sound library does to standard error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# A stand-in whose start takes a while, with standard error shut as sounddevice shuts it.
SCRIPT = """
import os, sys, threading, time, types
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "sounddevice":
            from importlib.machinery import ModuleSpec
            return ModuleSpec(name, self)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        old = os.dup(2)
        shut = os.open(os.devnull, os.O_WRONLY)
        os.dup2(shut, 2)
        starting.set()
        time.sleep(0.5)
        os.dup2(old, 2)
sys.meta_path.insert(0, Finder())
starting = threading.Event()
from kinesics.engine_plugin import sound
from kinesics.engine_plugin.app.aloud import Aloud
aloud = Aloud()
aloud.say("before")
thread = threading.Thread(target=sound.library)
thread.start()
starting.wait()
began = time.monotonic()
aloud.say("meanwhile")
aloud.update()
print(time.monotonic() - began < 0.2)
if sys.argv[1] == "frames":
    thread.join()
    aloud.update()
else:
    aloud.close()
thread.join()
"""


def said(ends: str) -> tuple[str, list[str]]:
    root = str(Path(__file__).parents[2])
    done = subprocess.run([sys.executable, "-c", SCRIPT, ends], capture_output=True, text=True, timeout=60, cwd=root)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr.splitlines()


def test_a_line_said_while_portaudio_starts_is_said_after_it_and_no_frame_waits_for_it() -> None:
    assert said("frames") == ("True", ["kinesics: before", "kinesics: meanwhile"])
    assert said("the end") == ("True", ["kinesics: before", "kinesics: meanwhile"])
