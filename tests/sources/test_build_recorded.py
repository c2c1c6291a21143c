"""A corpus of recordings: whole or not there, the same bytes however it was made, everything it was made from kept."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import talker

from kinesics.components import mapped
from kinesics.components.config import Config
from kinesics.components.errors import CorpusError
from kinesics.engine_plugin.cli import main
from kinesics.systems import matcher, retarget
from kinesics.systems.matcher.offline import cluster, parts, recorded, sources
from kinesics.systems.voice.analyse import analyse, feature_hash

from .test_other_files import beat
from .written import bvh, shown, talk, wav, without_armature

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three takes with voices, one without, one that is broken."""
    here = tmp_path_factory.mktemp("talkers")
    rig = without_armature()
    for k in range(2):
        (here / f"talk{k}.bvh").write_text(bvh(rig, shown(rig, *talk())[k * 20 :]))
        wav(here / f"talk{k}.wav", 4.0)
    beat(here / "1_ann_0_1_1.npz", flat_hand_mean=True)
    wav(here / "1_ann_0_1_1.wav", 4.0)
    (here / "talk1.words.json").write_text(
        '[{"text": "so", "start": 0.4, "end": 0.6}, {"text": "I", "start": 1, "end": 2}]'
    )
    beat(here / "mute.npz")
    (here / "broken.bvh").write_text("HIERARCHY\n")
    return here


def read(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


@pytest.fixture(scope="module")
def whole(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("once") / "corpus"
    recorded.build(sources.files([folder]), out)
    assert [p.name for p in out.parent.iterdir()] == ["corpus"]  # nothing of the work is left
    return read(out)


def test_everything_a_clip_is_from_is_kept_with_it(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    options = recorded.Options(licence="CC0-1.0")
    made, done = recorded.build(sources.files([folder]), out, options=options)
    corpus = matcher.load(out, feature_hash())
    assert corpus.digest == made.digest
    clips = {clip.name: clip for clip in corpus.clips}
    assert set(clips) == {"1_ann_0_1_1", "talk0", "talk1"}
    assert clips["1_ann_0_1_1"].performer == "ann"
    assert clips["talk0"].performer == folder.name
    assert (clips["talk0"].text, clips["talk1"].text) == ("", "so I")
    assert {clip.licence for clip in corpus.clips} == {"CC0-1.0"}
    assert len({clip.source for clip in corpus.clips}) == 3
    assert all(clip.voice.split()[0].endswith(".wav") for clip in corpus.clips)
    header = json.loads((out / "corpus.json").read_text())
    assert {row["source"] for row in header["made_by"]["skipped"]} == {"mute.npz", "broken.bvh"}
    assert str(folder) not in (out / "corpus.json").read_text()  # no machine's paths
    assert {one.source.name: bool(one.reason) for one in done}["mute.npz"]


def test_a_licence_or_performer_changes_the_digest(folder: Path, tmp_path: Path) -> None:
    files = [folder / "talk0.bvh"]
    digests = set()
    for k, options in enumerate((recorded.Options(), recorded.Options(licence="MIT"), recorded.Options(performer="x"))):
        made, _ = recorded.build(files, tmp_path / str(k), options=options)
        digests.add(made.digest)
    assert len(digests) == 3


def test_motion_and_voice_are_those_of_the_files(folder: Path, tmp_path: Path) -> None:
    made, _ = recorded.build([folder / "talk0.bvh"], tmp_path / "corpus")
    take = sources.read(folder / "talk0.bvh")
    speech = analyse(take.audio, take.rate)
    frames = made.start[-1]
    assert np.degrees(np.abs(made.rotation - talk()[0][: 2 * frames : 2]).max()) < 0.02
    assert np.abs(made.envelope - speech.envelope[: 2 * frames]).max() <= 2.0**-7  # half a step of the file's rounding
    assert len(made.envelope) == 2 * frames


@pytest.mark.long
def test_two_workers_give_the_bytes_of_one(folder: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    recorded.build(sources.files([folder]), tmp_path / "corpus", workers=2)
    assert read(tmp_path / "corpus") == whole


class Stop(BaseException):
    """Somebody pulls the plug."""


@pytest.mark.parametrize("after", [1, 2, 4])
def test_stopped_and_run_again_it_goes_on_and_equals(
    folder: Path, whole: dict[str, bytes], tmp_path: Path, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, seen = tmp_path / "corpus", []

    def stop(one: recorded.Done) -> None:
        seen.append(one)
        if len(seen) == after:
            raise Stop

    with pytest.raises(Stop):
        recorded.build(sources.files([folder]), out, report=stop)
    assert not out.exists()
    good = sum(not one.reason for one in seen)
    work = []
    made = parts.part_of
    monkeypatch.setattr(parts, "part_of", lambda *a: (work.append(a), made(*a))[1])
    recorded.build(sources.files([folder]), out)
    assert len(work) == 5 - good  # finished clips are not made again; the two unusable ones are looked at again
    assert read(out) == whole


def test_a_torn_part_is_made_again(folder: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    with pytest.raises(Stop):
        recorded.build(sources.files([folder]), out, report=lambda one: (_ for _ in ()).throw(Stop()))
    for part in (tmp_path / ".corpus.parts").iterdir():
        part.write_bytes(part.read_bytes()[:1000])
    recorded.build(sources.files([folder]), out)
    assert read(out) == whole


def test_another_file_of_that_name_is_not_taken_for_the_old_one(folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "talk0.bvh"
    source.write_bytes((folder / "talk0.bvh").read_bytes())
    wav(tmp_path / "talk0.wav", 4.0)
    first, _ = recorded.build([source], tmp_path / "a")
    wav(tmp_path / "talk0.wav", 3.9)
    second, _ = recorded.build([source], tmp_path / "b")
    assert first.digest != second.digest


def test_a_full_disk_leaves_nothing_half_written(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    out = tmp_path / "corpus"
    monkeypatch.setattr(mapped.Growing, "append", full)
    assert main(["corpus", "build", str(folder / "talk0.bvh"), "-o", str(out)]) == 1
    assert "No space left" in capsys.readouterr().err
    assert not out.exists()
    assert not list(tmp_path.glob("*.partial"))


def test_the_command_says_what_it_left_out_and_why(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "corpus"
    assert main(["corpus", "build", str(folder), "-o", str(out), "--workers", "1", "--json"]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert (found["clips"], len(found["skipped"])) == (3, 2)
    assert "left out" in said.err
    assert main(["corpus", "build", str(folder / "mute.npz"), "-o", str(tmp_path / "x")]) == 1
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert "none of 1 sources can be used" in last
    assert "reflex fit" in last
    assert not (tmp_path / "x").exists()
    empty = tmp_path / "empty"
    empty.mkdir()
    assert main(["corpus", "build", str(empty), "-o", str(tmp_path / "x")]) == 1
    assert "no motion in this folder" in capsys.readouterr().err
    assert main(["corpus", "build", str(folder), "-o", str(out)]) == 0  # it is there already
    assert "is built already" in capsys.readouterr().err
    assert main(["corpus", "build", str(folder), "-o", str(out), "--licence", "MIT"]) == 1  # another one is there
    assert main(["corpus", "build", str(folder), "-o", str(tmp_path / "y"), "--audio", "a.wav"]) == 2


def test_a_build_of_nothing_usable_says_why(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="none of 2 sources"):
        recorded.build([folder / "mute.npz", folder / "broken.bvh"], tmp_path / "corpus")
    assert not list(tmp_path.iterdir())


def test_what_is_built_already_is_known_again_and_what_was_left_of_the_work_goes(folder: Path, tmp_path: Path) -> None:
    """Killed after its last step but one: the corpus is there, and so are its parts."""
    files, out = [folder / "talk0.bvh"], tmp_path / "corpus"
    made, _ = recorded.build(files, out)
    before = read(out)
    (tmp_path / ".corpus.parts").mkdir()
    found = recorded.built(files, out, recorded.Options())
    assert found is not None
    assert found.digest == made.digest
    assert read(out) == before
    assert [path.name for path in tmp_path.iterdir()] == ["corpus"]
    assert recorded.built(files, out, recorded.Options(licence="MIT")) is None
    assert recorded.built([folder / "talk1.bvh"], out, recorded.Options()) is None
    assert recorded.built(files, tmp_path / "other", recorded.Options()) is None


def test_what_a_killed_build_had_half_written_goes_and_what_a_running_one_writes_stays(
    folder: Path, tmp_path: Path
) -> None:
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    dead, live = (tmp_path / f".corpus.{number}.partial" for number in (int(gone.stdout), os.getppid()))
    for partial in (dead, live):
        partial.mkdir()
        (partial / "rotation.npy").write_bytes(b"half")
    recorded.build([folder / "talk0.bvh"], tmp_path / "corpus")
    assert {path.name for path in tmp_path.iterdir()} == {"corpus", live.name}


def test_takes_as_beat2_lays_them_out_find_their_voice_and_words(folder: Path, tmp_path: Path) -> None:
    root = tmp_path / "beat_english_v2.0.0"
    for name, kind in (("smplxflame_30", "npz"), ("wave16k", "wav")):
        (root / name).mkdir(parents=True)
        (root / name / f"1_ann_0_1_1.{kind}").write_bytes((folder / f"1_ann_0_1_1.{kind}").read_bytes())
    (root / "textgrid").mkdir()
    (root / "textgrid" / "1_ann_0_1_1.TextGrid").write_text(
        'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = 4\ntiers? <exists>\nsize = 1\n'
        'item []:\n    item [1]:\n        class = "IntervalTier"\n        name = "words"\n        xmin = 0\n'
        "        xmax = 4\n        intervals: size = 1\n        intervals [1]:\n            xmin = 1\n"
        '            xmax = 2\n            text = "hello"\n'
    )
    made, done = recorded.build(sources.files([root]), tmp_path / "corpus")
    assert [(clip.name, clip.performer, clip.text) for clip in made.clips] == [("1_ann_0_1_1", "ann", "hello")]
    assert made.clips[0].voice.startswith("1_ann_0_1_1.wav ")
    assert not done[0].reason


def test_the_report_says_by_how_much_a_voice_is_late_and_nothing_where_nothing_shows(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for told in (0.9, None):
        monkeypatch.setattr(sources, "offset", lambda *_, told=told: (told, ""))
        out = tmp_path / str(told)
        recorded.build([folder / "talk0.bvh"], out)
        corpus = matcher.load(out, feature_hash())
        assert corpus.clips[0].offset_s == told
        rig = talker.rig()
        hers = retarget.repertoire(corpus, rig, retarget.measure(rig), {})
        assert matcher.survey(corpus, hers, Config.default())["clips"][0]["offset_s"] == told


def test_ray_is_asked_for_where_it_is_missing_and_where_nobody_answers(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["corpus", "build", str(folder / "talk0.bvh"), "-o", str(tmp_path / "corpus"), "--ray"]
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main([*command, "auto"]) == 1
    assert "kinesics[cluster]" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "ray", types.ModuleType("ray"))
    for address, says in (("127.0.0.1:1", "no cluster there"), ("nowhere", "wanted HOST:PORT")):
        assert main([*command, address]) == 1
        assert says in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_node_that_sees_another_file_makes_nothing(folder: Path, tmp_path: Path) -> None:
    """A part made of other bytes than the ones it is named after would be a silent mistake in everybody's corpus."""
    file = folder / "talk0.bvh"
    key, _ = parts.key_of(file, recorded.Options())
    data, reason, _ = cluster.remote_part(str(file), recorded.Options(), key)
    assert not reason
    local = parts.make(file, recorded.Options(), tmp_path)
    assert (tmp_path / local.part).read_bytes() == data
    for there, says in ((folder / "talk1.bvh", "contents differ"), (tmp_path / "talk0.bvh", "cannot be read")):
        with pytest.raises(RuntimeError, match=says):
            cluster.remote_part(str(there), recorded.Options(), key)


@pytest.mark.long
def test_a_ray_cluster_gives_the_bytes_of_one_process(folder: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="the extra 'cluster' is not installed")
    out = tmp_path / "corpus"
    command = [sys.executable, "-m", "kinesics", "corpus", "build", str(folder), "-o", str(out), "--ray", "local"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=180)
    assert said.returncode == 0, said.stderr
    assert said.stderr.count("left out") == 2 + 1  # the two unusable ones, and the count at the end
    assert read(out) == whole
    assert [path.name for path in tmp_path.iterdir()] == ["corpus"]


@pytest.mark.long
@pytest.mark.parametrize("blocks", [4, 48])
def test_on_a_disk_that_is_full_it_ends_with_one_true_line(folder: Path, tmp_path: Path, blocks: int) -> None:
    """No file may grow past so many KB: the first stops at a part, the second where the corpus is put together."""
    out = tmp_path / "corpus"
    command = [sys.executable, "-m", "kinesics", "corpus", "build", str(folder), "-o", str(out), "--workers", "1"]
    said = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (blocks << 10, resource.RLIM_INFINITY)),
    )  # fmt: skip
    assert said.returncode == 1, said.stderr
    last = said.stderr.strip().splitlines()[-1]
    assert "File too large" in last
    assert "run it again" in last
    assert "Traceback" not in said.stderr
    assert [path.name for path in tmp_path.iterdir()] in ([".corpus.parts"], [])
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["corpus"]


@pytest.mark.long
def test_killed_again_and_again_at_any_moment_it_completes_and_equals(
    folder: Path, whole: dict[str, bytes], tmp_path: Path
) -> None:
    out = tmp_path / "corpus"
    command = [sys.executable, "-m", "kinesics", "corpus", "build", str(folder), "-o", str(out), "--workers", "2"]
    draw = np.random.default_rng(1)
    began = time.monotonic()
    for _ in range(2):
        run = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(float(draw.uniform(0.5, 4.0)))
        run.kill()  # the parent alone: its workers have to notice
        run.wait()
        assert not out.exists() or read(out) == whole
        until = time.monotonic() + 20
        while _in_group(run.pid) and time.monotonic() < until:
            time.sleep(0.05)
        assert not _in_group(run.pid), "workers outlive a parent that was killed"
    assert subprocess.run(command, cwd=ROOT, stderr=subprocess.DEVNULL, check=False).returncode == 0
    assert read(out) == whole
    assert [path.name for path in tmp_path.iterdir()] == ["corpus"], f"after {time.monotonic() - began:.1f} s"


def _in_group(group: int) -> list[int]:
    """Return the processes of a group that still run."""
    out = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group = stat.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(its_group) == group and state not in "ZX":
            out.append(int(stat.parent.name))
    return out


@pytest.mark.long
def test_killed_it_goes_on_and_equals(folder: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    """A kill -9 of the whole process group, as soon as one part is there."""
    out = tmp_path / "corpus"
    command = [sys.executable, "-m", "kinesics", "corpus", "build", str(folder), "-o", str(out), "--workers", "2"]
    run = subprocess.Popen(command, cwd=ROOT, start_new_session=True, stderr=subprocess.DEVNULL)
    parts = tmp_path / ".corpus.parts"
    until = time.monotonic() + 60
    while not (parts.is_dir() and list(parts.glob("*.npz"))) and time.monotonic() < until:
        time.sleep(0.002)
    os.killpg(run.pid, signal.SIGKILL)
    assert run.wait() == -signal.SIGKILL
    assert not out.exists()
    assert subprocess.run(command, cwd=ROOT, stderr=subprocess.DEVNULL, check=False).returncode == 0
    assert read(out) == whole


def _heeds_ctrl_c() -> None:
    """A shell that starts the tests in the background has Ctrl-C ignored, and so would what they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.long
def test_ctrl_c_ends_with_130_at_once_and_keeps_what_is_finished(folder: Path, tmp_path: Path) -> None:
    talkers = tmp_path / "many"
    talkers.mkdir()
    for k in range(24):
        for ending in ("bvh", "wav"):
            (talkers / f"t{k}.{ending}").write_bytes((folder / f"talk0.{ending}").read_bytes() + b" " * k)
    out = tmp_path / "corpus"
    command = [sys.executable, "-m", "kinesics", "corpus", "build", str(talkers), "-o", str(out), "--workers", "2"]
    outside: dict[str, Any] = {"stderr": subprocess.PIPE, "text": True, "preexec_fn": _heeds_ctrl_c}
    run = subprocess.Popen(command, cwd=ROOT, start_new_session=True, **outside)
    parts, until = tmp_path / ".corpus.parts", time.monotonic() + 60
    while not list(parts.glob("*.npz")) and time.monotonic() < until:
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGINT)
    said = run.communicate(timeout=60)[1]
    assert run.returncode == 130
    assert "Traceback" not in said
    assert not out.exists()
    assert 1 <= len(list(parts.iterdir())) < 20
    assert all(part.suffix == ".npz" for part in parts.iterdir())
