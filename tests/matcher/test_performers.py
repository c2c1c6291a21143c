"""What a viewer may expect of the synthetic performers, measured on the corpus that ships and on fresh takes."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from syllables import talk

from kinesics.components.anatomy import HAND_CHANNELS, SLOT_GROUP
from kinesics.components.config.sections import Gains
from kinesics.components.corpus import FPS, Corpus
from kinesics.components.errors import CorpusError
from kinesics.systems.matcher.corpus_file import load
from kinesics.systems.matcher.offline.performers import acceptance, speak
from kinesics.systems.matcher.offline.performers.build import build, clip_seed, sentences, voice_of
from kinesics.systems.matcher.offline.performers.noise import lowpass
from kinesics.systems.matcher.offline.performers.styles import AUTHORED_GAIN, STYLES
from kinesics.systems.matcher.offline.performers.synth import Take, synth, take
from kinesics.systems.voice.analyse import analyse, feature_hash

CORPUS = Path(__file__).parents[2] / "assets" / "corpus"
VOICES = pytest.mark.skipif(
    shutil.which("flite") is None or shutil.which("espeak-ng") is None,
    reason="flite and espeak-ng speak the sentences: apt-get install flite espeak-ng",
)


@cache
def shipped() -> Corpus:
    return load(CORPUS, feature_hash())


def clips_of(style: str) -> list[tuple[np.ndarray, np.ndarray]]:
    corpus = shipped()
    return [
        (corpus.rotation[corpus.start[k] : corpus.start[k + 1]], corpus.hand[corpus.start[k] : corpus.start[k + 1]])
        for k, clip in enumerate(corpus.clips)
        if clip.performer == style
    ]


@cache
def figures(style: str) -> dict[str, float]:
    return acceptance.figures(clips_of(style))


@cache
def rows() -> acceptance.Windows:
    return acceptance.windows([rotation for style in STYLES for rotation, _ in clips_of(style)], hop=0.5)


# figure: least, most. The page of facts that these come from sets them from three recorded talkers; two were narrowed
# after looking: elbows (swivel, 55 on that page, 28 and 36 recorded) and hands that stand still in the air (float).
REQUIRED: dict[str, tuple[float, float]] = {
    "hand_cm_s_p10": (1.5, 6.0),
    "hand_cm_s_p50": (4.0, 20.0),
    "hand_cm_s_p90": (12.0, 30.0),
    "still_share": (0.0, 0.8),
    "float_share": (0.0, 0.47),
    "stroke_s": (0.3, 0.8),
    "jerk_p99": (0.0, 0.5),
    "elbow_deg_s_p95": (0.0, 90.0),
    "wrist_deg_s_p95": (0.0, 90.0),
    "mirrored_r_out": (0.3, 0.9),
    "mirrored_r_up": (0.3, 0.9),
    "mirrored_r_forward": (0.3, 0.9),
    "swivel_deg": (25.0, 44.0),
    "flexion_deg": (30.0, 80.0),
    "head_deg_s_p90": (35.0, 75.0),
    "head_reversals_pitch": (1.7, 2.9),
    "knuckle_range_deg": (20.0, 90.0),
    "knuckle_deg_s_p95": (40.0, 160.0),
    "finger_lag_ms": (20.0, 80.0),
    "hands_apart_cm": (6.0, 60.0),
}


@pytest.mark.parametrize("style", STYLES)
def test_every_performer_moves_like_a_calm_or_lively_talker_and_never_freezes(style: str) -> None:
    measured = figures(style)
    wrong = {name: measured[name] for name, (least, most) in REQUIRED.items() if not least <= measured[name] <= most}
    assert not wrong, f"{style}: {wrong}"


def test_the_six_performers_are_six_people() -> None:
    still = [figures(style)["still_share"] for style in STYLES]
    height = [figures(style)["up_cm_p50"] for style in STYLES]
    assert max(still) - min(still) >= 0.2
    assert max(height) - min(height) >= 10.0
    means = [np.mean([figures(style)[f"mirrored_r_{way}"] for way in ("out", "up", "forward")]) for style in STYLES]
    assert np.mean(means) >= 0.4


def test_a_calm_torso_is_alive() -> None:
    """A torso moves well under the head, but it moves: 1 to 7 deg, nine tenths of the time below 5 to 12 deg/s.

    The least is half of what the calmest recorded talker's does; at 3.7 she looked like a board.
    """
    for style in STYLES:
        assert 1.0 <= figures(style)["torso_deg_sd"] <= 7.0
        assert 5.0 <= figures(style)["torso_deg_s_p90"] <= 12.0


@pytest.mark.parametrize("style", STYLES)
def test_most_seconds_of_every_performer_stay_under_90_deg_s(style: str) -> None:
    assert acceptance.windows([rotation for rotation, _ in clips_of(style)], hop=0.25).legal().mean() >= 0.6


def test_from_every_second_another_60_can_be_reached() -> None:
    legal = np.flatnonzero(rows().legal())
    choices = [int((acceptance.jumps(rows().after[k], rows().first[legal]) <= 55.0).sum()) for k in legal[::7]]
    assert min(choices) >= 60


def test_600_random_picks_in_a_row_never_meet_a_dead_end() -> None:
    walked = acceptance.random_walk(rows(), 600, seed=1)
    assert walked["dead_ends"] == 0
    assert walked["fewest"] >= 60


def test_some_seconds_begin_and_end_with_hanging_arms() -> None:
    """She stands with hanging arms until she speaks: there must be something to rise from and to come back to."""
    hands = [
        acceptance.hand_of(rotation, side) for style in STYLES for rotation, _ in clips_of(style) for side in (0, 1)
    ]
    assert np.mean([h.wrist[0, 1] < -38.0 for h in hands]) >= 0.3
    assert np.mean([h.wrist[-1, 1] < -38.0 for h in hands]) >= 0.4


def test_the_corpus_that_ships_is_18_minutes_of_distinct_sentences_in_six_voices() -> None:
    corpus = shipped()
    assert corpus.start[-1] / FPS >= 18 * 60
    texts = [clip.text for clip in corpus.clips]
    assert len(set(texts)) == len(texts) == 36
    assert {clip.voice for clip in corpus.clips} == {voice.label for voice in speak.VOICES}
    assert not any("kal" in clip.voice for clip in corpus.clips)
    assert {clip.licence for clip in corpus.clips} == {"CC0-1.0"}
    assert all(clip.authored_gain == AUTHORED_GAIN for clip in corpus.clips)
    assert 0.55 <= corpus.voiced.mean() <= 0.95
    assert sum(path.stat().st_size for path in CORPUS.iterdir()) < 6e6


def test_each_performer_speaks_with_every_voice() -> None:
    for style in STYLES:
        assert {voice_of(style, number) for number in range(6)} == set(speak.VOICES)


def test_the_default_gains_show_the_performers_as_they_were_authored() -> None:
    assert {group: getattr(Gains(), group) for group in set(SLOT_GROUP)} == dict(AUTHORED_GAIN)


@cache
def fresh(style: str) -> Take:
    return take(talk(30.0), style, seed=1)


@pytest.mark.parametrize("style", STYLES)
def test_strokes_end_on_accents(style: str) -> None:
    """The median distance of a stroke's end from its accent is within a tenth of a second."""
    late = []
    for stroke in fresh(style).plan.strokes:
        for hand in stroke.hands:
            ends = np.array([m.end for m in fresh(style).plan.tracks[hand].moves if m.kind == "stroke"])
            late.append((ends - stroke.accent)[np.abs(ends - stroke.accent).argmin()])
    assert len(late) >= 4
    assert abs(np.median(late)) <= 0.1


def test_hands_are_fastest_before_the_accent_and_not_after_it() -> None:
    """Seen in the motion itself: a fifth of a second before a gestured accent hands are faster than at it or after."""
    before, at, after = [], [], []
    for style in STYLES:
        speed = [acceptance.hand_of(fresh(style).rotation, side).speed for side in (0, 1)]
        for stroke in fresh(style).plan.strokes:
            frame = round(stroke.accent * FPS)
            for hand in stroke.hands:
                before.append(speed[hand][frame - 8 : frame - 4].mean())
                at.append(speed[hand][frame + 1])
                after.append(speed[hand][frame + 5 : frame + 9].mean())
    assert np.mean(before) > 1.2 * np.mean(after)
    assert np.mean(before) > np.mean(at)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_person() -> None:
    speech = talk()
    first, again, other = (synth(speech, "open", seed) for seed in (7, 7, 8))
    assert first[0].tobytes() == again[0].tobytes()
    assert first[1].tobytes() == again[1].tobytes()
    assert np.abs(first[0] - other[0]).max() > 0.2


@pytest.mark.parametrize("style", STYLES)
def test_a_take_has_the_corpus_shapes_and_is_finite(style: str) -> None:
    rotation, hand = fresh(style).rotation, fresh(style).hand
    frames = len(rotation)
    assert frames >= 28 * FPS
    assert rotation.shape == (frames, 13, 3)
    assert hand.shape == (frames, 2, len(HAND_CHANNELS))
    assert np.isfinite(rotation).all()
    assert np.isfinite(hand).all()
    assert np.linalg.norm(rotation, axis=2).max() < 2.8  # rad, far from pi where rotation vectors jump


@pytest.mark.parametrize("style", STYLES)
def test_a_fresh_take_keeps_its_hands_apart_and_under_the_gate(style: str) -> None:
    """No two points of the hands closer than 6 cm; nine seconds of ten under 90 deg/s."""
    rotation = fresh(style).rotation
    assert acceptance.apart([acceptance.hand_of(rotation, side) for side in (0, 1)]).min() >= 6.0
    assert acceptance.windows([rotation], hop=0.25).legal().mean() >= 0.9


def test_left_and_right_are_not_exact_mirror_images() -> None:
    rotation = fresh("calm").rotation
    assert np.abs(rotation[:, 5:9] - rotation[:, 9:13] * [1.0, -1.0, -1.0]).max() > 0.05


@pytest.mark.parametrize(("style", "seconds"), [("nobody", 12.0), ("calm", 1.0)])
def test_a_wrong_request_is_refused_in_one_line(style: str, seconds: float) -> None:
    speech = analyse(np.zeros(int(16_000 * seconds), np.float32), 16_000)
    with pytest.raises(CorpusError) as caught:
        synth(speech, style, 1)
    assert "\n" not in str(caught.value)


def test_a_silent_voice_gives_a_quiet_body_that_does_not_freeze() -> None:
    speech = analyse(np.zeros(16_000 * 12, np.float32), 16_000)
    rotation, hand = synth(speech, "shy", 1)
    measured = acceptance.figures([(rotation, hand)])
    assert 0.5 <= measured["hand_cm_s_p50"] <= 6.0


def test_missing_voices_are_named_with_the_cure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CorpusError, match=r"flite.*apt-get install") as caught:
        build(tmp_path / "out")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


@VOICES
@pytest.mark.long
def test_a_corpus_is_built_twice_with_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        build(tmp_path / name, styles=("shy",), limit=1)
    for file in ("corpus.json", "corpus.bin"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


@VOICES
@pytest.mark.long
def test_the_shipped_corpus_is_what_the_command_makes(tmp_path: Path) -> None:
    """One clip a performer, rebuilt: the same numbers as shipped, wherever the same voices and numpy run."""
    made = build(tmp_path / "corpus", limit=1)
    for k, clip in enumerate(made.clips):
        at = [other.name for other in shipped().clips].index(clip.name)
        mine, theirs = slice(*made.start[k : k + 2]), slice(*shipped().start[at : at + 2])
        assert np.array_equal(made.rotation[mine], shipped().rotation[theirs]), clip.name
        assert np.array_equal(made.hand[mine], shipped().hand[theirs]), clip.name


@pytest.mark.long
def test_spectra_fall_as_a_recorded_talkers_do(shared: Path) -> None:
    """The shape of each joint's spectrum, .3 to 6 Hz, differs from a real take's by at most 4 dB; two people by 4.3."""
    signal = pytest.importorskip("scipy.signal")
    with np.load(shared / "data" / "mocap" / "2_scott_0_1_1.npz") as file:
        poses = file["poses"].reshape(-1, 55, 3).astype(np.float64)
    real = lowpass(poses[:, [12, 15, 13, 16, 18, 20, 14, 17, 19, 21]], 8.0)
    ours = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    grid = np.geomspace(0.3, 6.0, 24)

    def spectrum(x: np.ndarray) -> np.ndarray:
        hz, power = signal.welch(np.degrees(x), FPS, nperseg=256, axis=0, detrend="linear")
        return np.array([10.0 * np.log10(np.interp(grid, hz, joint) + 1e-9) for joint in power.sum(axis=2).T])

    want = spectrum(real)
    for style in STYLES:
        have = np.mean([spectrum(rotation[:, ours].astype(np.float64)) for rotation, _ in clips_of(style)], axis=0)
        assert (want - have).std(axis=1).mean() <= 4.0, style


def test_every_sentence_is_ours_and_belongs_to_a_performer() -> None:
    said = sentences()
    assert {style for style, _ in said} == set(STYLES)
    assert len({clip_seed(1, style, k) for style in STYLES for k in range(6)}) == 36
    assert all(50 <= len(text.split()) <= 110 for _, text in said)
