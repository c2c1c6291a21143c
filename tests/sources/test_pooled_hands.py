"""Still hands curl about the axes that the same performer's other takes show, however the build is made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinesics.components.anatomy import FINGER_SLOTS
from kinesics.systems.matcher.offline import pooled, recorded
from kinesics.systems.matcher.offline.parts import Done, Options, make
from kinesics.systems.retarget import smplx_body
from kinesics.systems.retarget.curl import axes_of, borrowed, moments
from kinesics.systems.retarget.fingers import fingers
from kinesics.systems.retarget.hinges import hinges_of
from kinesics.systems.retarget.rests import rest_of

from ..retarget.shown import apart
from ..retarget.talkers import MEASURED, curls, mirrored, turns
from ..retarget.test_recorded import known
from .written import npz, wav

STILL = 4.0  # deg that a still hand's joints turn at most: under the 5 that say something


def take(path: Path, low: float, high: float, seed: int, axis: np.ndarray = MEASURED, seconds: float = 3.0) -> None:
    """Write an SMPL-X take of a talker whose fingers curl from low to high deg, and its voice."""
    turn = turns(axis, curls(round(30 * seconds), seed, low, high), seed + 1, scatter=np.radians(1.5))
    poses = np.zeros((turn.shape[1], 55, 3))
    for slot, joint in enumerate(smplx_body.SLOT):
        poses[:, joint] = turn[slot]
    poses = poses.reshape(len(poses), -1)
    npz(
        path, poses=poses, trans=np.zeros((len(poses), 3)), mocap_frame_rate=np.array(30), flat_hand_mean=np.array(True)
    )
    wav(path.with_suffix(".wav"), seconds)


def test_a_still_hand_takes_the_axes_of_the_same_side_and_keeps_its_own_where_it_moves() -> None:
    lively = moments(turns(MEASURED, curls(300, 1), 2))
    still = moments(turns(MEASURED, curls(300, 1, 0.5, STILL), 2, scatter=0.0))
    assert axes_of(still, MEASURED).share.max() == 0.0
    found = borrowed(axes_of(still, MEASURED), lively + still, MEASURED)
    assert max(apart(a, b) for a, b in zip(found.axis, MEASURED)) < 3.0
    tilted = np.roll(MEASURED, 1, axis=1)
    own = axes_of(moments(turns(tilted, curls(300, 1), 2)), tilted)
    assert np.array_equal(borrowed(own, lively, MEASURED).axis, own.axis)


def test_a_side_that_never_moves_takes_the_other_sides_axes_in_a_mirror_but_not_two_that_disagree() -> None:
    turn = turns(MEASURED, curls(300, 1), 2)
    turn[15:] = 0.0
    nothing = axes_of(np.zeros((30, 4, 3)), MEASURED)
    found = borrowed(nothing, moments(turn), MEASURED)
    want = mirrored(MEASURED[:, None])[:, 0]
    for s in range(15, 30):
        assert apart(found.axis[s], want[s]) < 4.0, FINGER_SLOTS[s]
    assert borrowed(nothing, None, MEASURED) is nothing


def test_a_still_take_is_read_along_the_pool_and_a_lively_one_along_its_own() -> None:
    hinges = hinges_of(rest_of(smplx_body.body()))
    pool = moments(turns(MEASURED, curls(300, 1), 2))
    table = known(smplx_body.AXES)
    quiet = turns(MEASURED, curls(300, 3, 0.5, STILL), 4, scatter=0.0)
    _, alone = fingers(quiet, hinges, table)
    _, lent = fingers(quiet, hinges, table, pool=pool)
    base = FINGER_SLOTS.index("leftLittleIntermediate")
    assert apart(alone.axes.axis[base], MEASURED[base]) > 8.0
    assert apart(lent.axes.axis[base], MEASURED[base]) < 3.0
    assert np.nanmin(lent.kept) > np.nanmin(alone.kept)
    _, own = fingers(turns(MEASURED, curls(300, 3), 4), hinges, table, pool=np.roll(pool, 1, axis=1))
    assert np.array_equal(own.axes.axis, table.axis)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two takes of Ann, one with still hands, and one still take of Bob, who has no other."""
    take(tmp_path / "1_ann_0_1_1.npz", 15.0, 70.0, 1)
    take(tmp_path / "1_ann_0_2_2.npz", 0.5, STILL, 5)
    take(tmp_path / "2_bob_0_1_1.npz", 0.5, STILL, 9)
    return tmp_path


def test_a_build_makes_only_the_still_take_of_who_has_another_again(folder: Path) -> None:
    parts = folder / "parts"
    parts.mkdir()
    files = sorted(folder.glob("*.npz"))
    done = [make(file, Options(), parts) for file in files]
    assert [one.reason for one in done] == [""] * 3
    asked: list[tuple[list[Path], Options]] = []

    def makes(some: list[Path], how: Options) -> list[Done]:
        asked.append((list(some), how))
        return [make(file, how, parts) for file in some]

    new = pooled.again(done, parts, Options(), makes)
    assert [some for some, _ in asked] == [[files[1]]]
    assert [a == b for a, b in zip(done, new)] == [True, False, True]
    assert new[1].key == done[1].key
    hands = [np.load(parts / one.part)["hand"] for one in (done[1], new[1])]
    assert np.abs(hands[0] - hands[1]).max() > 1e-4
    gone = [replace(one, reason="gone") for one in done]
    assert pooled.again(gone, parts, Options(), makes) == gone


@pytest.mark.long
def test_the_same_bytes_with_two_workers_and_of_pooled_hands(folder: Path) -> None:
    files = sorted(folder.glob("*.npz"))
    made = []
    for workers in (1, 2):
        out = folder / f"corpus{workers}"
        recorded.build(files, out, workers=workers)
        made.append({p.name: p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()})
    assert made[0] == made[1]
