"""How the process ends: with its parent, by itself, and without a trace."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from kinesics.systems.model_process.parent import ModelProcess
from kinesics.systems.model_process.settings import Named, Settings

from .conftest import answers, said, until

Host = Callable[..., ModelProcess]
ROOT = Path(__file__).parents[2]
SHARED = Path("/dev/shm")
pytestmark = pytest.mark.long


def script(folder: Path, text: str) -> subprocess.Popen[str]:
    """Start a host's main script, without a guard, as many are."""
    path = folder / "host.py"
    path.write_text(textwrap.dedent(text))
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    return subprocess.Popen(
        [sys.executable, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
    )


START = """
import sys, time
import numpy as np
from kinesics.components.gesture import Sentence
from kinesics.systems.model_process.parent import ModelProcess
from kinesics.systems.model_process.settings import Named, Settings
with open("ran", "a") as file:
    file.write("x")
process = ModelProcess(Settings(gesture=Named("made_up_models:smooth", {given})))
process.start()
process.ask(Sentence(1, 0, 0, np.zeros(160000, np.float32)))
while process.state != "busy":
    time.sleep(0.01)
"""


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/maps").is_file(), reason="needs /proc")
@pytest.mark.parametrize("doing", ["{'step_s': 100.0}", "{'wrong': 'hang'}", "{'step_s': 0.1, 'steps': 5}"])
def test_it_dies_with_a_parent_that_is_killed_and_leaves_no_shared_memory(tmp_path: Path, doing: str) -> None:
    before = set(SHARED.iterdir()) if SHARED.is_dir() else set()
    host = script(tmp_path, START.replace("{given}", doing) + "print(process.pid, flush=True)\ntime.sleep(1e6)\n")
    assert host.stdout is not None
    child = int(host.stdout.readline())
    assert is_alive(child)
    for pid in (host.pid, child):  # what has no name there cannot be left there
        assert not [line for line in Path(f"/proc/{pid}/maps").read_text().splitlines() if "/dev/shm/" in line]
    host.send_signal(signal.SIGKILL)
    host.wait()
    host.stdout.close()
    until(lambda: not is_alive(child), "the child outlived its parent")
    left = {p for p in SHARED.iterdir()} - before if SHARED.is_dir() else set()
    assert not [p for p in left if p.name.startswith(("psm_", "kinesics"))]


def test_a_host_that_forgets_to_close_leaves_nothing_and_its_main_script_runs_once(tmp_path: Path) -> None:
    end = """
    heavy = [name for name in ("torch", "numba", "made_up_models", "panda3d") if name in sys.modules]
    print(process.pid, *heavy, flush=True)
    """
    host = script(tmp_path, START.replace("{given}", "{'step_s': 100.0}") + textwrap.dedent(end))
    said_, _ = host.communicate(timeout=300)
    assert host.returncode == 0
    child, *heavy = said_.split()
    assert heavy == []
    until(lambda: not is_alive(int(child)), "the child outlived its parent")
    assert (tmp_path / "ran").read_text() == "x"


def test_ctrl_c_does_not_reach_the_child(host: Host) -> None:
    process = host({"step_s": 0.2})
    until(lambda: process.state == "ready", "it did not start")
    assert os.getpgid(process.pid) != os.getpgid(0)
    process.ask(said(1))
    os.kill(process.pid, signal.SIGINT)
    windows, lost = answers(process, 1)
    assert (len(windows), lost) == (3, None)
    assert process.figures().get("deaths", 0) == 0


def test_closing_leaves_no_process_thread_or_descriptor(host: Host) -> None:
    import threading

    host().close()  # what is opened once and kept
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0
    for doing in ({}, {"step_s": 100.0}, {"wrong": "stop"}):
        process = host(doing)
        process.ask(said(1))
        until(lambda: process.state in ("ready", "busy"), "it did not start")  # noqa: B023
        pid = process.pid
        process.close()
        process.close()
        assert not is_alive(pid)
    assert threading.active_count() == threads
    if files:
        assert len(os.listdir("/proc/self/fd")) == files


def test_one_that_is_forgotten_is_closed() -> None:
    """A world that is dropped takes its model process along: a test suite makes hundreds of them."""
    made = [ModelProcess(Settings(gesture=Named("made_up_models:smooth"), nice=0))]
    made[0].start()
    until(lambda: made[0].state == "ready", "it did not start")
    pid = made[0].pid
    made.clear()
    gc.collect()
    assert not is_alive(pid)


def test_it_works_at_a_lower_priority_and_on_one_thread(host: Host) -> None:
    process = host(nice=Settings().nice)
    until(lambda: process.state == "ready", "it did not start")
    assert os.getpriority(os.PRIO_PROCESS, process.pid) == min(os.getpriority(os.PRIO_PROCESS, 0) + 5, 19)
    environment = Path(f"/proc/{process.pid}/environ")
    if environment.is_file():
        assert b"OMP_NUM_THREADS=1\0" in environment.read_bytes()
