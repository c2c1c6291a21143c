"""A head's training: exact slopes, the same bits from the same seed, a corrected arm after a minute of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesics.components.errors import CorpusError, FenceError, GradingError
from kinesics.systems.collide.offline import motions
from kinesics.systems.collide.offline.optimum import depths
from kinesics.systems.fence.offline import evaluate, lessons, picture
from kinesics.systems.fence.offline.goal import Goal
from kinesics.systems.fence.offline.material import Clip, Material, material, quiet
from kinesics.systems.fence.offline.teacher import label
from kinesics.systems.fence.offline.train import Recipe, train
from tests.tried_body import her

torch = pytest.importorskip("torch", reason="torch is not installed: the extra 'speech'")
FRAMES = 240
TINY = Recipe(rounds=2, imitation=0.5, width=8, streams=8, windows=2)


@pytest.fixture(scope="module")
def press() -> Clip:
    """A hand that is pressed in, held and let go, without a label."""
    return Clip("press", "press", motions.press(her()[1], 0.5)[:FRAMES], np.zeros((FRAMES, 18)))


@pytest.fixture(scope="module")
def taught(press: Clip) -> Material:
    return material(her()[1], [press])


def test_depth_is_what_the_reference_finds(taught: Material, press: Clip) -> None:
    """With one contact at a time both would be equal; a norm over several is a little more, never less."""
    frame, none = np.arange(FRAMES, dtype=np.int32), np.zeros((FRAMES, 18))
    found, _ = taught.depths(frame, none, 0.0)
    asked = depths(her()[1].scene(press.rotation)).max(axis=2)
    assert asked.max() > 0.04
    assert (found >= asked - 1e-6).all()
    assert (found <= 2.5 * asked + 1e-6).all()


def test_the_slope_of_depth_is_exact(taught: Material) -> None:
    frame = np.arange(60, 160, dtype=np.int32)
    r = 0.05 * np.random.default_rng(1).standard_normal((len(frame), 18))
    slope, step = taught.depths(frame, r, 0.002)[1], 1e-6
    for k in range(18):
        more, less = r.copy(), r.copy()
        more[:, k] += step
        less[:, k] -= step
        change = (taught.depths(frame, more, 0.002)[0] - taught.depths(frame, less, 0.002)[0]) / (2.0 * step)
        assert np.percentile(np.abs(change - slope[:, :, k]), 95) < 1e-6
    assert np.abs(slope).max() > 0.1


def test_torch_goes_back_through_the_compiled_depth(taught: Material) -> None:
    from kinesics.systems.fence.offline import network

    deep = network.deep(taught, 0.002)
    frame = np.arange(100, 130, dtype=np.int32)
    r = torch.full((30, 18), 0.02, dtype=torch.float32, requires_grad=True)
    deep(r, frame).sum().backward()
    slope = taught.depths(frame, np.full((30, 18), 0.02), 0.002)[1]
    assert np.abs(r.grad.numpy() - 1e3 * slope.sum(axis=1)).max() < 1e-3


def test_quiet_is_half_a_second_to_either_side() -> None:
    deep = np.zeros(200)
    deep[100] = 0.001
    assert np.flatnonzero(~quiet(deep)).tolist() == list(range(70, 131))


def _bytes(head: Any) -> bytes:
    return b"".join(getattr(head, name).tobytes() for name in ("enter", "take", "keep", "leave", "left"))


@pytest.mark.long
def test_the_same_seed_gives_the_same_bits_also_when_it_was_stopped(taught: Material, tmp_path: Path) -> None:
    whole, course = train(taught, TINY, "a", "b")
    kept = tmp_path / "kept.npz"
    with pytest.raises(KeyboardInterrupt):
        train(taught, TINY, "a", "b", _stops_at("round 1"), kept, every=1)
    again, later = train(taught, TINY, "a", "b", checkpoint=kept)
    assert _bytes(again) == _bytes(whole)
    assert later == course
    assert _bytes(train(taught, replace(TINY, seed=2), "a", "b")[0]) != _bytes(whole)
    with pytest.raises(FenceError, match="another recipe"):
        train(taught, replace(TINY, seed=2), "a", "b", checkpoint=kept)


def _stops_at(begin: str) -> Any:
    def report(text: str) -> None:
        if text.startswith(begin):
            raise KeyboardInterrupt

    return report


@pytest.mark.long
def test_a_little_training_takes_a_pressed_hand_out_and_the_rule_has_less_to_do(press: Clip, tmp_path: Path) -> None:
    body = her()[1]
    taught = material(body, [replace(press, correction=label(body, press.rotation))])
    recipe = Recipe(rounds=60, imitation=0.5, width=32, streams=24, windows=4, goal=Goal(smooth=0.3))
    head, course = train(taught, recipe, body.rig.digest, body.capsules.digest)
    assert course[-1]["like"] < 0.5 * course[0]["like"]
    found, made = evaluate.evaluate(body, [evaluate.Motion("press", "press", press.rotation)], head)
    summary = found["summary"]
    assert summary["work_saved"] > 0.5
    assert found["performers"][0]["none"]["depth_max_mm"] > 40.0
    evaluate.dump(tmp_path / "tracks.npz", made)
    with np.load(tmp_path / "tracks.npz", allow_pickle=False) as file:
        left, rule = float(file["work"].sum()), float(file["work_rule"].sum())
        away = np.linalg.norm(file["shown"] - file["raw"], axis=-1)
        far = 1e3 * float(np.sqrt((away**2).mean()))
    assert 1.0 - left / rule == pytest.approx(summary["work_saved"], abs=1e-9)
    assert far == pytest.approx(found["performers"][0]["head_rule"]["moved_mm_rms"], rel=1e-9)
    picture.training(tmp_path / "course.png", course)
    picture.motion(tmp_path / "motion.png", evaluate.busiest(made), 2.0)
    for name in ("course.png", "motion.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_a_head_of_another_avatar_is_refused() -> None:
    from tests.fence.test_head import drawn

    with pytest.raises(FenceError, match="trained for rig"):
        evaluate.check(her()[1], drawn())


def test_no_lesson_is_read_from_a_folder_with_grades(tmp_path: Path) -> None:
    store = bytearray(100)
    store[:16], store[68:72] = b"SQLite format 3\0", (0x6B67_7264).to_bytes(4, "big")
    (tmp_path / "someone").mkdir()
    (tmp_path / "someone" / "clip.npz").write_bytes(bytes(store))
    with pytest.raises(GradingError, match="never a training input"):
        lessons.read(her()[1], tmp_path)


def test_a_folder_without_labels_says_what_makes_some(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="fence label"):
        lessons.read(her()[1], tmp_path)
