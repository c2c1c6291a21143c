"""`kinesics fence label`: whole files or none, the same bytes whoever makes them and however often it was stopped."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from tried_body import her

from kinesics.components.errors import CorpusError
from kinesics.engine_plugin.cli import main
from kinesics.systems import headless
from kinesics.systems.collide.offline.figure import Figure
from kinesics.systems.fence.offline import motions, shards, teacher
from kinesics.systems.fence.offline.motions import Motion

NAMES, CLIPS, SECONDS = ("idle", "person-2"), 2, 3.0
HOW = [*("--performer", NAMES[0], "--performer", NAMES[1]), "--clips", str(CLIPS), "--seconds", str(SECONDS)]


@pytest.fixture(scope="module")
def figure() -> Figure:
    return her()[1]


def _wanted(seconds: float = SECONDS) -> list[Motion]:
    return motions.library(NAMES, clips=CLIPS, seconds=seconds)


@pytest.fixture(scope="module")
def whole(figure: Figure, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that nothing interrupted."""
    out = tmp_path_factory.mktemp("labels")
    shards.label(figure, _wanted(), out)
    return out


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.*"))}


def test_a_shard_holds_the_motion_its_label_and_how_deep_it_is(figure: Figure, whole: Path) -> None:
    found = shards.paths(whole)
    assert [path.relative_to(whole).as_posix() for path in found] == [
        "idle/idle-idle-1.npz", "idle/idle-idle-2.npz", "person-2/person-2-free-1.npz", "person-2/person-2-own-2.npz",
    ]  # fmt: skip
    one = shards.read(found[0])
    assert (one.performer, one.avatar, one.capsules) == ("idle", figure.rig.digest, figure.capsules.digest)
    again = teacher.taught(figure, one.rotation.astype(np.float64))
    assert np.array_equal(one.correction, again.correction.astype(np.float32))
    assert one.depth.max() > 0.005
    assert np.array_equal(one.depth, again.depth.astype(np.float32))


def test_what_is_there_is_kept_and_what_is_torn_or_old_is_made_again(figure: Figure, whole: Path) -> None:
    before, motion = _bytes(whole), _wanted()[0]
    path = shards.place(whole, motion)
    path.write_bytes(before["idle/idle-idle-1.npz"][:5000])
    (path.parent / f"{path.stem}.123.tmp").write_bytes(b"of a run that was killed")
    done = shards.label(figure, _wanted(), whole)
    assert [one.is_old for one in done] == [False, True, True, True]
    assert _bytes(whole) == before
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(teacher, "VERSION", teacher.VERSION + 1)
        assert not shards.label(figure, [motion], whole)[0].is_old
    shards.label(figure, [motion], whole)
    assert _bytes(whole) == before


def test_a_key_names_everything_a_label_is_made_from(figure: Figure) -> None:
    one, other = _wanted()[0], _wanted()[1]
    longer = motions.library(NAMES, clips=CLIPS, seconds=4.0)[0]
    assert len({shards.key_of(figure, motion) for motion in (one, other, longer)}) == 3
    assert shards.key_of(pickle.loads(pickle.dumps(figure)), one) == shards.key_of(figure, one)


def test_what_cannot_be_used_is_told_in_one_line(
    figure: Figure, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, empty, text = tmp_path / "labels", tmp_path / "empty.npz", tmp_path / "text.npz"
    empty.touch()
    text.write_text("{}")
    for arguments, says in (
        (["--performer", "nobody"], "no performer is called 'nobody'"),
        (["--clips", "0", "--corpus", str(tmp_path / "none")], "none"),
        (["--clips", "0", "--take", str(tmp_path / "none.npz")], "none.npz: cannot be read"),
        (["--clips", "0", "--take", str(empty)], "empty.npz: not an npz file that can be read"),
        (["--clips", "0", "--take", str(text)], "text.npz: not an npz file that can be read"),
        (["--clips", "0"], "--take is needed"),
        (["--export", "e.npz", "--avatar", "a.vrm"], "--export or --avatar"),
    ):
        assert main(["fence", "label", str(out), *arguments]) != 0
        told = capsys.readouterr().err
        assert says in told
        assert "Traceback" not in told
        assert "allow_pickle" not in told
        assert not out.exists()
    with pytest.raises(CorpusError, match="asked for twice"):
        shards.label(figure, [*_wanted(), _wanted()[0]], out)
    with pytest.raises(CorpusError, match="holds no labelled motion"):
        shards.paths(tmp_path)
    torn = tmp_path / "torn.npz"
    torn.write_bytes(b"PK")
    with pytest.raises(CorpusError, match=r"torn\.npz"):
        shards.read(torn)


@pytest.mark.long
def test_killed_and_run_again_it_gives_the_same_bytes(figure: Figure, whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "labels"
    run = subprocess.Popen(
        [sys.executable, "-m", "kinesics", "fence", "label", str(out), *HOW, "--workers", "2"],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120.0
    while not list(out.glob("*/*.npz")) and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    left = len(list(out.glob("*/*.npz")))
    assert 0 < left < len(_wanted()), "it was not stopped in its middle"
    done = shards.label(figure, _wanted(), out)
    assert sum(one.is_old for one in done) == left
    assert _bytes(out) == _bytes(whole)


@pytest.mark.long
def test_a_ray_cluster_gives_the_bytes_of_one_process(whole: Path, tmp_path: Path) -> None:
    if find_spec("ray") is None:
        pytest.skip("the extra 'cluster' is not installed")
    out = tmp_path / "labels"
    run = [sys.executable, "-m", "kinesics", "fence", "label", str(out), *HOW, "--ray", "local", "--json"]
    told = subprocess.run(run, check=True, capture_output=True, timeout=300).stdout
    assert json.loads(told)["made"] == len(_wanted())
    assert _bytes(out) == _bytes(whole)


@pytest.mark.long
def test_a_users_corpus_is_labelled_too(figure: Figure, tmp_path: Path) -> None:
    clips = motions.of_corpus(headless.ASSETS / "corpus")
    short = min(clips, key=lambda motion: motion.seconds)
    (done,) = shards.label(figure, [short], tmp_path)
    assert done.reason == ""
    assert done.frames == 2 * round(short.seconds * 30) - 1


@pytest.mark.long
def test_a_recorded_take_is_labelled_too(figure: Figure, shared: Path, tmp_path: Path) -> None:
    (done,) = shards.label(figure, motions.of_take(shared / "data" / "mocap" / "2_scott_0_1_1.npz")[:1], tmp_path)
    assert done.reason == ""
    assert done.frames > 3600
