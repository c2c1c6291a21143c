"""A file goes in, her motion comes out, and a fit of that motion finds the file again, with speech and without."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import talker

from kinesics.components.reflex import Histogram, parse, shipped
from kinesics.components.speech import Speech
from kinesics.systems.reflex.histogram import quantile
from kinesics.systems.reflex.offline import Fit, fit, stand, text
from kinesics.systems.reflex.offline.events import events
from kinesics.systems.voice.analyse import analyse

from .planted import LIVELY, Planted, file, recall, stood

pytestmark = pytest.mark.long
TALK, PAUSE = 9.0, 7.0  # s


def median(of: Histogram) -> float:
    return quantile(of, 0.5)


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory) -> tuple[Planted, Fit, dict[str, Histogram], np.ndarray]:
    path = tmp_path_factory.mktemp("silent") / "truth.toml"
    truth = file(path, LIVELY)
    planted = stood(20.0, path)
    return planted, fit(stand(planted.take)[0], shipped()), truth.histogram, truth.amplitude


def test_four_of_five_shifts_are_found_and_nine_of_ten_found_ones_are_shifts(silent) -> None:
    planted = silent[0]
    place = stand(planted.take)[0][0].pelvis[:, 0]
    found = [s.start for s in events(place).shifts]
    visible = [at for at, _, size in planted.shift if abs(size) >= 8e-3]
    assert len(visible) > 30
    assert recall(found, visible) >= 0.8
    assert recall([at for at, _, _ in planted.shift], found) >= 0.9


@pytest.mark.parametrize(
    ("name", "within"),
    [
        ("weight.dwell_s", 0.25), ("weight.sideways_mm", 0.2), ("weight.seconds", 0.25), ("lean.dwell_s", 0.35),
        ("lean.mm", 0.3), ("fidget.sideways_s", 0.25), ("fidget.mm", 0.25), ("fidget.seconds", 0.25),
        ("breath.per_min", 0.05), ("breath.out_per_in", 0.07), ("breath.depth", 0.05),
    ],
)  # fmt: skip
def test_medians_of_20_minutes_are_those_of_the_file(silent, name: str, within: float) -> None:
    _, made, truth, _ = silent
    assert name in made.fitted, made.kept.get(name)
    assert median(made.standing.histogram[name]) == pytest.approx(median(truth[name]), rel=within)


def test_the_file_that_is_written_says_what_was_fitted(silent) -> None:
    made = silent[1]
    back = parse(tomllib.loads(text(made, ["planted.npz"])), "back")
    assert back.about == "fitted to recordings"
    assert back.people == 1
    for name in made.fitted:
        if name in back.histogram:
            assert median(back.histogram[name]) == pytest.approx(median(made.standing.histogram[name]), rel=0.02)
            assert back.histogram[name].source == made.fitted[name]
    assert back.amplitude == pytest.approx(made.standing.amplitude, rel=1e-3)


def test_load_lies_to_both_sides_and_the_sway_is_as_large_as_it_was(silent) -> None:
    _, made, _, amplitude = silent
    load = made.standing.histogram["weight.load"]
    assert quantile(load, 0.2) < -0.1
    assert quantile(load, 0.8) > 0.1
    for side in range(2):
        want, found = (np.sqrt((a[side] ** 2).sum()) for a in (amplitude, made.standing.amplitude))
        assert found == pytest.approx(want, rel=0.25)


def test_mocap_noise_of_2_mm_moves_no_median_by_a_third(silent) -> None:
    planted, _, truth, _ = silent
    take, draw = planted.take, np.random.default_rng(7)
    noisy = replace(take, root=take.root + 2e-3 * draw.normal(size=take.root.shape))
    again = fit(stand(noisy)[0], shipped())
    for name in ("weight.dwell_s", "weight.sideways_mm", "fidget.mm", "breath.per_min"):
        assert name in again.fitted
        assert median(again.standing.histogram[name]) == pytest.approx(median(truth[name]), rel=0.33), name


def test_short_takes_say_the_same_of_waits_as_the_whole(silent) -> None:
    """Cut into takes of 75 s most waits of half a minute are still seen; those cut short are counted as such."""
    take = silent[0].take
    step = 75 * 60
    parts = [replace(take, rotation=take.rotation[a : a + step], root=take.root[a : a + step])
             for a in range(0, len(take.root) - step + 1, step)]  # fmt: skip
    made = fit([span for part in parts for span in stand(part)[0]], shipped())
    found = made.standing.histogram["weight.dwell_s"]
    assert "weight.dwell_s" in made.fitted
    assert median(found) == pytest.approx(median(silent[2]["weight.dwell_s"]), rel=0.35)


@pytest.fixture(scope="module")
def sentences() -> Speech:
    """Return 16 minutes of a voice that pauses."""
    once = np.concatenate([talker.voice(TALK), np.zeros(round(16_000 * PAUSE), np.float32)])
    return analyse(np.tile(once, 60), 16_000)


@pytest.mark.parametrize(("at_start", "inside"), [(0.17, 0.02), (0.0, 0.0)])
def test_the_effect_of_speech_is_found_and_none_where_there_is_none(
    sentences: Speech, tmp_path: Path, at_start: float, inside: float
) -> None:
    file(tmp_path / "truth.toml", {}, at_start=at_start, inside_per_s=inside)
    planted = stood(16.0, tmp_path / "truth.toml", voice=sentences)
    made = fit(stand(planted.take, sentences.phrase + planted.began)[0], shipped())
    assert "speech" in made.fitted, made.kept.get("speech")
    assert made.standing.number["speech.at_start"] == pytest.approx(at_start, abs=0.06)
    assert made.standing.number["speech.inside_per_s"] == pytest.approx(
        inside, abs=0.012
    )  # some 10 shifts of its own in 16 minutes
