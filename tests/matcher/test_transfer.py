"""The figure for accents must find timing where it is, and none where it is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinesics.systems import headless
from kinesics.systems.matcher import timing
from kinesics.systems.matcher.offline.transfer import LAGS, Spoken, Transfer, spoken, transfer
from kinesics.systems.voice.analyse import analyse
from kinesics.systems.voice.files import read_audio

PHRASES = np.array([[0.5, 18.0], [22.0, 40.0], [45.0, 59.5]])


def talk(seed: int, timed: float, *, rests: float = 1.0) -> Spoken:
    """Return a minute of hand speed with a bump of size `timed` .23 s before each accent, resting in pauses."""
    draw = np.random.default_rng(seed)
    accent = np.sort(np.concatenate([draw.uniform(a + 0.8, b - 0.8, 8) for a, b in PHRASES]))
    t = np.arange(60 * 60) / 60.0
    noise = np.convolve(draw.standard_normal(len(t) + 200), np.hanning(30), "same")[100:-100]
    speed = 0.2 * np.exp(0.5 * noise / noise.std())
    for at in accent:
        speed += timed * 0.2 * np.exp(-0.5 * ((t - at + 0.23) / 0.08) ** 2)
    said = ((t[:, None] >= PHRASES[:, 0]) & (t[:, None] < PHRASES[:, 1])).any(axis=1)
    return Spoken(np.where(said, speed, rests * speed), PHRASES, accent)


def test_hands_that_are_fast_before_accents_are_found_at_that_lag() -> None:
    found = transfer([talk(1, 1.0), talk(2, 1.0)])
    assert found.accents == 48
    assert found.ratio > 1.5
    assert found.z > 4.0
    assert abs(LAGS[found.curve.argmax()] + 0.23) < 0.05


def test_hands_that_do_not_know_the_voice_are_not_found_even_where_they_rest_in_its_pauses() -> None:
    """Against shifts that may land in pauses any talker would look timed: 200 draws give z about 0 with spread 1."""
    z = np.array([transfer([talk(seed, 0.0, rests=0.1)], shifts=100).z for seed in range(60)])
    assert abs(z.mean()) < 0.5
    assert 0.6 < z.std() < 1.5


def test_what_was_not_recorded_does_not_count() -> None:
    one = talk(3, 1.0)
    one.speed[:900] = np.nan
    found = transfer([one])
    assert found.accents < 24
    assert np.isfinite(found.curve).all()


def heard(paths: list[Path], entries: int = 4) -> Transfer:
    """Return what accents do to her hands over these recordings, each entered at several moments of it."""
    recordings = []
    for path in paths:
        pcm, rate = read_audio(path)
        runs = []
        for k in range(entries):
            world = headless.world(seed=k + 1)
            world.avatar.say((pcm[int(0.37 * k * rate) :], rate))
            runs.append((0.37 * k, headless.run(world)))
        recordings.append(spoken(analyse(pcm, rate), runs))
    return transfer(recordings)


@pytest.mark.long
def test_her_hands_are_fastest_before_the_accents_of_two_voices_that_no_corpus_has_heard(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A man who talks freely and a reading of a sonnet: both alone beyond chance; with a pick every second neither."""
    man, woman = shared / "data" / "mocap" / "2_scott_0_1_1.wav", shared / "data" / "speech" / "sonnet1.mp3"
    for voice in (man, woman):
        found = heard([voice])
        assert found.z >= 2.0, voice.name
        assert found.share <= 0.05, voice.name
    both = heard([man, woman])
    assert both.z >= 4.0
    assert abs(LAGS[both.curve.argmax()] + 0.23) <= 0.1
    monkeypatch.setattr(timing, "WAIT", 0.0)
    assert heard([man, woman]).z < 2.5
