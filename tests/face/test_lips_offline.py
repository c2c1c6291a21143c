"""How lips are made and measured: figures that mean what they say, sentences kept apart, a command that trains."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from kinesics.components.face_map import VISEMES
from kinesics.systems.face import net
from kinesics.systems.face.offline import batches, data, features, fit, gaussians, real, score, sentences
from kinesics.systems.face.offline.train import habits
from kinesics.systems.kernels import net as kernel
from kinesics.systems.voice import phones

PP = VISEMES.index("PP")


def track(true: np.ndarray, found: np.ndarray) -> score.Track:
    return score.Track("made", true, found, np.eye(15)[found], np.ones(len(true), np.bool_))


def closings(*events: tuple[int, int], frames: int = 100) -> np.ndarray:
    out = np.full(frames, VISEMES.index("aa"), np.int32)
    for a, b in events:
        out[a:b] = PP
    return out


def test_a_perfect_track_has_perfect_figures() -> None:
    true = closings((10, 18), (40, 50), frames=600)
    got = score.figures([track(true, true)], draws=5)
    assert (got["frame_accuracy"], got["closure_recall"], got["closure_precision"], got["switch_ratio"]) == (1, 1, 1, 1)
    assert got["closure_p90_ms"] == 0.0
    assert got["closures"] == 2
    assert got["seconds"] == 6.0


def test_closures_are_found_missed_and_made_up() -> None:
    true = closings((10, 18), (40, 50), (70, 78))
    found = closings((13, 20), (60, 63), (71, 78))
    got = score.closures(found, true)
    assert (got["there"], got["hit"], got["shown"], got["right"]) == (3, 2, 3, 2)
    assert sorted(got["errors"]) == [10.0, 30.0]


def test_what_could_not_be_aligned_counts_neither_way() -> None:
    true, found = closings((10, 18)), closings((10, 18), (60, 70))
    known = np.arange(100) < 50
    one = score.Track("made", true, found, np.eye(15)[found], known)
    got = score.figures([one], draws=2)
    assert (got["frame_accuracy"], got["closure_precision"], got["seconds"]) == (1, 1, 0.5)


def test_an_interval_holds_its_figure_and_narrows_with_more_speech() -> None:
    draw = np.random.default_rng(1)
    true = draw.integers(0, 15, 40_000).astype(np.int32)
    found = np.where(draw.random(40_000) < 0.6, true, 0).astype(np.int32)
    long, short = (score.figures([track(true[:n], found[:n])], draws=200) for n in (40_000, 4_000))
    for got in (long, short):
        assert got["frame_accuracy_low"] <= got["frame_accuracy"] <= got["frame_accuracy_high"]
    width = [got["frame_accuracy_high"] - got["frame_accuracy_low"] for got in (long, short)]
    assert width[0] < width[1]


def test_no_sentence_is_both_learnt_and_measured() -> None:
    learnt, kept = set(sentences.sentences(2_000, 1)), set(sentences.sentences(300, 2, held_out=True))
    assert not learnt & kept
    assert len(learnt) > 1_600
    assert sentences.sentences(5, 3) == sentences.sentences(5, 3)


def test_inputs_of_a_recording_are_those_of_the_kernel() -> None:
    samples = (0.1 * np.random.default_rng(2).standard_normal(16_000)).astype(np.float32)
    mel = features.log_mel(samples)
    padded = np.concatenate([np.zeros(240), samples.astype(np.float64)])
    frame = padded[160 * 20 : 160 * 20 + 400] * kernel.window()[:400]
    want = np.log(kernel.bank() @ (np.abs(np.fft.rfft(frame, 512)) ** 2) + kernel.FLOOR)
    np.testing.assert_allclose(mel[20], want, atol=1e-3)
    assert len(mel) == 100


def test_a_voice_in_the_world_is_as_long_as_before_and_finite() -> None:
    draw = np.random.default_rng(3)
    samples = (0.1 * draw.standard_normal(8_000)).astype(np.float32)
    babble = (0.1 * draw.standard_normal(20_000)).astype(np.float32)
    for _ in range(30):
        out = features.in_the_world(samples, draw, babble)
        assert len(out) == len(samples)
        assert np.isfinite(out).all()
        assert 1e-4 < np.abs(out).max() < 30.0


@dataclass(frozen=True)
class Spoken:
    """A voice of numbers to draw windows from."""

    mel: np.ndarray
    label: np.ndarray
    share: float = 1.0


def spoken(frames: int = 3_000, seed: int = 5) -> Spoken:
    draw = np.random.default_rng(seed)
    mel = (draw.standard_normal((3, frames, 40)) * 2.0 - 3.0).astype(np.float16)
    return Spoken(mel, np.arange(frames) // 20 % 15)


def test_windows_come_twice_once_as_all_is_heard_and_once_without_treble_or_in_noise() -> None:
    draw, is_narrow = np.random.default_rng(6), []
    for _ in range(8):
        inputs, label = batches.windows([spoken()], np.ones(1), draw)
        assert inputs.shape == (batches.LENGTH, batches.BATCH, 40)
        assert np.isfinite(inputs).all()
        np.testing.assert_array_equal(label[:, : batches.TWINS], label[:, -batches.TWINS :])
        treble = inputs[:, :, -1].std(axis=0)
        assert treble[: batches.TWINS].min() > 0.05
        is_narrow += (treble[-batches.TWINS :] < 1e-3).tolist()
    assert 0.3 < np.mean(is_narrow) < 0.9


def test_a_telephone_leaves_the_bands_below_its_end_and_a_part_of_those_it_cuts() -> None:
    left = batches._below(3_700.0)
    assert left[:20].min() > 0.999
    assert left[-8:].max() == 0.0
    assert ((left > 0.01) & (left < 0.99)).sum() in (1, 2, 3)


def test_a_voice_that_tells_its_phones_late_is_learnt_as_it_sounds() -> None:
    samples = (np.random.default_rng(9).standard_normal(16_000) * 3_000.0).astype(np.int16)
    label = (np.arange(100, dtype=np.int32) // 10) % 15
    pack = data.Pack(samples, label, np.zeros(1, np.int32))
    asked, late = (fit.prepare("made", pack, 1.0, 1, late) for late in (0, 2))
    np.testing.assert_array_equal(late.label[-100:-2], asked.label[-98:])
    np.testing.assert_array_equal(late.mel, asked.mel)


def test_windows_lose_their_mean_as_the_tick_takes_it_off() -> None:
    mel = np.random.default_rng(7).standard_normal((400, 2, 40)).astype(np.float32)
    want = np.stack([features.without_mean(mel[:, k].copy()) for k in range(2)], axis=1)
    batches._level(mel, np.random.default_rng(5))  # which draws two voices that begin
    np.testing.assert_allclose(mel, want, atol=1e-4)


def test_noise_in_the_bands_is_as_loud_as_noise_in_the_samples() -> None:
    draw = np.random.default_rng(8)
    voice = (0.05 * draw.standard_normal(32_000) * (1.0 + np.sin(np.arange(32_000) / 800.0))).astype(np.float32)
    want = features.log_mel(real.noisy(voice, 10.0))
    power = np.exp(features.log_mel(voice)) - np.float32(kernel.FLOOR)
    noise = np.mean([batches._noise(power, np.random.default_rng(k), 10.0, 0.0).mean(axis=0) for k in range(5)], axis=0)
    got = np.log(power + noise)
    assert np.abs((got - want)[10:].mean(axis=0)).max() < 0.35  # of a neper in power: 1.5 dB


def test_habits_are_those_of_what_was_said() -> None:
    label = np.array([0] * 10 + [1] * 5 + [0] * 10 + [2] * 5, np.int32)
    got = habits([label])
    assert np.exp(got["prior"][0]) == pytest.approx(20 / 30)
    assert np.exp(got["stay"][0]) == pytest.approx(1.0 - 1.0 / 9.0)
    assert got["after"][1].argmax() == 0


def test_one_gaussian_a_shape_tells_two_sounds_apart() -> None:
    draw = np.random.default_rng(4)
    inputs = draw.standard_normal((600, 40)).astype(np.float32)
    label = np.repeat(np.arange(15), 40)
    inputs += np.eye(15)[label] @ draw.standard_normal((15, 40)) * 3.0
    model = gaussians.learn([inputs], [label])
    assert (gaussians.likely(model, inputs).argmax(axis=1) == label).mean() > 0.8


def test_every_class_is_the_shape_of_some_phone() -> None:
    assert set(phones.SHAPE.values()) - {""} == set(VISEMES)


@pytest.mark.long
def test_the_shipped_lips_read_people_nobody_trained_them_on(shared: Path) -> None:
    """Floors under what docs/lips.md reports, on the half of the clips that chose nothing."""
    from kinesics.systems.face.offline import evaluate, real

    made = net.load()
    found = [p for p in evaluate.pieces(real.clips(shared / "data" / "speech")) if p[0] not in real.SETTINGS]
    got = score.figures([evaluate.track(made, piece) for piece in found], draws=50)
    assert got["seconds"] > 50.0
    assert got["frame_accuracy"] >= FLOORS["frame_accuracy"], got
    assert got["closure_recall"] >= FLOORS["closure_recall"], got
    assert got["closure_precision"] >= FLOORS["closure_precision"], got
    assert got["jaw_r"] >= FLOORS["jaw_r"], got
    assert got["rounding_r"] >= 0.71, got
    assert got["switch_ratio"] <= 1.3, got
    assert evaluate.speed(made) <= 50.0  # us a frame


FLOORS = {"frame_accuracy": 0.63, "closure_recall": 0.80, "closure_precision": 0.56, "jaw_r": 0.87}


@pytest.mark.long
def test_the_command_trains_lips_that_learn_something() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("scipy")
    if shutil.which("flite") is None:
        pytest.skip("no flite on PATH: nobody to learn from")
    import tempfile

    from kinesics.systems.face.offline import evaluate, train, voices

    told: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        data = train.train(minutes=0.4, speech=0.04, report=told.append, cache=Path(folder) / "voices")
        path = Path(folder) / "lips.npz"
        path.write_bytes(data)
        made = net.load(path)
    assert any("steps" in line for line in told)
    heard = next(iter(voices.flite("slt")(["My mother put a big brown map upon the table."], random.Random(1))))
    from kinesics.systems.face.offline.data import at_16k

    samples = at_16k(heard.samples, heard.rate)
    true = phones.labels(heard.segments, len(samples) // 160)
    got = evaluate.track(made, ("slt", samples, true, np.ones(len(true), np.bool_)))
    assert (got.found == true).mean() > 0.25  # the commonest class alone has 0.2
