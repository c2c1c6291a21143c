"""A run is a file: played again it gives every bit, and says where it does not."""

from __future__ import annotations

import dataclasses
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import talker

from kinesics.components.config import Config
from kinesics.components.errors import ReplayError
from kinesics.components.speech import RATE
from kinesics.systems import figures, headless
from kinesics.systems.figures import replay

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def taped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A replay file of the shipped avatar speaking two seconds and being stopped."""
    path = tmp_path_factory.mktemp("tape") / "run.replay.npz"
    world = headless.world(seed=3)
    tape = headless.tape(world)
    world.avatar.say((talker.voice(2.0), RATE), words=[("one", 0.4, 0.8)], text="one")
    headless.run(world, 1.0, tape)
    world.avatar.stop()
    headless.run(world, 0.5, tape)
    replay.save(tape, path)
    return path


def test_a_replay_gives_every_bit_again(taped: Path) -> None:
    first, run = headless.replay(taped)
    assert first is None
    assert run.ticks == 90
    assert run.speaking.any()


def test_another_process_gives_the_same_bits(taped: Path) -> None:
    code = (
        "import sys; from kinesics.systems import headless;"
        "first, run = headless.replay(sys.argv[1]); print(first, run.about['digest'])"
    )
    here = headless.replay(taped)[1].about["digest"]
    there = subprocess.run(
        [sys.executable, "-c", code, str(taped)], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert there == ["None", here]


def test_a_changed_replay_names_the_tick_and_the_component(taped: Path) -> None:
    tape = replay.load(taped)
    kind = tape.kinds.index("Pose")
    row = list(tape.digests[40])
    row[kind] = "0" * len(row[kind])
    tape.digests[40] = tuple(row)
    changed = taped.with_name("changed.npz")
    replay.save(tape, changed)
    first, _ = headless.replay(changed)
    assert first == headless.Difference(40, "Pose")


def test_a_lost_event_is_found_where_it_happened(taped: Path) -> None:
    tape = replay.load(taped)
    tape.events = [(tick, event) for tick, event in tape.events if event.kind != "stop"]
    lost = taped.with_name("lost.npz")
    replay.save(tape, lost)
    first, _ = headless.replay(lost)
    assert first is not None
    assert first.tick == 60


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no", b"\x00" * 5000])
def test_what_is_no_replay_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.npz"
    path.write_bytes(content)
    with pytest.raises(ReplayError) as caught:
        replay.load(path)
    assert "\n" not in str(caught.value)
    assert "bad.npz" in str(caught.value)


def test_a_replay_of_another_avatar_is_refused(taped: Path) -> None:
    tape = dataclasses.replace(replay.load(taped), avatar_digest="f" * 32)
    path = taped.with_name("other.npz")
    replay.save(tape, path)
    with pytest.raises(ReplayError, match="its avatar has changed"):
        headless.replay(path)


def test_a_run_file_reads_back_as_it_was_written(tmp_path: Path) -> None:
    world = headless.world(talker.body(), talker.corpus(), seed=1)
    world.avatar.say((talker.voice(2.0), RATE))
    run = headless.run(world, 2.5)
    figures.write_run(run, tmp_path / "r.npz")
    back = figures.read_run(tmp_path / "r.npz")
    for name in ("rotation", "root", "position", "face", "window", "fade", "jump_deg", "forced", "tick_us"):
        assert np.array_equal(getattr(run, name), getattr(back, name)), name
    assert back.names == run.names
    assert back.audio_start_s == run.audio_start_s == 0.0
    with np.load(tmp_path / "r.npz", allow_pickle=False) as file:
        assert "about" not in file.files
        assert "depth_mm" not in file.files, "arrays of a part that is off are absent"


def test_positions_are_the_kinematics_of_the_rotations() -> None:
    """What CONTRACT says of RUN.npz: the joint's local transform is translate(rest_offset) rotate(rotation)."""
    world = headless.world(talker.body(), talker.corpus(), seed=1)
    world.avatar.say((talker.voice(2.0), RATE))
    run = headless.run(world, 1.0)
    from scipy.spatial.transform import Rotation as R

    tick = 40
    turned, placed = {}, {}
    for j, parent in enumerate(run.parent):
        local = R.from_quat(run.rotation[tick, j], scalar_first=True)
        offset = run.rest_offset[j] + (run.root[tick] if parent < 0 else 0.0)
        turned[j] = local if parent < 0 else turned[parent] * local
        placed[j] = offset if parent < 0 else placed[parent] + turned[parent].apply(offset)
    assert np.abs(np.array([placed[j] for j in range(len(run.names))]) - run.position[tick]).max() < 1e-12


def test_a_worse_run_is_named_with_its_figure() -> None:
    good = {"hip_step_mm_max": 0.5, "wrist_jerk": {"p99": 0.4}, "forced_cuts": 0, "depth_mm": None, "degraded": []}
    assert figures.compare(good, dict(good)) == []
    bad = {"hip_step_mm_max": 1.5, "wrist_jerk": {"p99": 0.9}, "forced_cuts": 1, "depth_mm": None, "degraded": ["mic"]}
    worse = figures.compare(good, bad)
    assert [line.split(":")[0] for line in worse] == ["wrist_jerk.p99", "forced_cuts", "hip_step_mm_max", "degraded"]


def test_a_motion_that_goes_deeper_is_no_worse_rule() -> None:
    before = {"depth_mm": {"raw_max": 9.0, "p99": 0.1, "max": 0.4}}
    assert figures.compare(before, {"depth_mm": {"raw_max": 19.0, "p99": 0.1, "max": 0.4}}) == []
    worse = figures.compare(before, {"depth_mm": {"raw_max": 9.0, "p99": 1.1, "max": 3.0}})
    assert [line.split(":")[0] for line in worse] == ["depth_mm.p99", "depth_mm.max"]


@pytest.mark.parametrize("value", ["deep", [1.0], math.nan, True])
def test_a_figure_that_is_no_number_is_named_in_one_line(value: object) -> None:
    good = {"depth_mm": {"p99": 0.1}, "forced_cuts": 0, "degraded": "mic"}
    assert figures.compare(good, good) == []
    for bad in ({"depth_mm": {"p99": value}, "forced_cuts": 0}, {"depth_mm": {"p99": 0.1}, "forced_cuts": value}):
        with pytest.raises(ReplayError, match=r"a report's (depth_mm.p99|forced_cuts) is .*, not a number"):
            figures.compare(good, bad)


def test_another_reflex_file_than_then_is_named(tmp_path: Path) -> None:
    shipped = (Path(headless.__file__).parents[1] / "assets" / "reflex.toml").read_text(encoding="utf-8")
    calm = tmp_path / "calm.toml"
    calm.write_text(shipped, encoding="utf-8")
    config = Config.default()
    config = dataclasses.replace(config, reflex=dataclasses.replace(config.reflex, file=str(calm)))
    world = headless.world(seed=3, config=config, with_corpus=False)
    tape = headless.tape(world)
    headless.run(world, 0.1, tape)
    replay.save(tape, tmp_path / "run.npz")
    assert headless.replay(tmp_path / "run.npz")[0] is None
    calm.write_text(shipped.replace("at_start =", "at_start = 0.123 #", 1), encoding="utf-8")
    with pytest.raises(ReplayError, match=r"its \[reflex\] file has changed"):
        headless.replay(tmp_path / "run.npz")


def test_the_audio_starts_where_a_slow_sound_card_has_let_it_start() -> None:
    world = headless.world(talker.body(), talker.corpus(), seed=1, with_corpus=False)
    u = world.avatar.say((talker.voice(2.0), RATE), play=False)

    def card(world: headless.World) -> None:
        u.position(max(0.0, (world.tick - 30) / 60.0))  # half a second to open

    assert headless.run(world, 1.5, before=card).audio_start_s == pytest.approx(0.5, abs=0.02)
