"""What a viewer of a rendered video sees and hears: her voice, her mouth with it, no flash, nothing behind her."""

from __future__ import annotations

import dataclasses
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import talker
from PIL import Image

from kinesics.components.config import Config
from kinesics.components.errors import OutputError
from kinesics.components.skin import Body
from kinesics.engine_plugin import edges, film, recorder
from kinesics.engine_plugin.cli import main
from kinesics.engine_plugin.offscreen import Stage
from kinesics.systems import headless

pytestmark = pytest.mark.usefixtures("drawing")
av: Any = pytest.importorskip("av", reason="PyAV is not installed (the extra `video`)")

SIZE = (320, 180)
PCM = talker.voice(3.0), 16_000
Said = pytest.CaptureFixture[str]


def her(body: Body, layers: tuple[str, ...] = ("face",)) -> Any:
    """Return her with her head held still, so that nothing but her face moves in the picture."""
    config = Config.default()
    config = dataclasses.replace(config, run=dataclasses.replace(config.run, layers=layers))
    world = headless.world(body, talker.corpus(), config=config)
    return world.avatar


@pytest.fixture(scope="module")
def mp4(her_body: Body, drawing: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three seconds of her face while she says something."""
    target = tmp_path_factory.mktemp("film") / "her.mp4"
    woman = her(her_body)
    said = woman.say(PCM)
    assert film.shoot(woman, target, said.seconds, PCM, size=SIZE, shot="face") == 90
    assert [path.name for path in target.parent.iterdir()] == ["her.mp4"]
    return target


def heard(path: Path) -> tuple[np.ndarray, int, float]:
    """Return the sound of a file, its rate and when its first sample sounds."""
    with av.open(str(path)) as file:
        frames = list(file.decode(audio=0))
        return np.concatenate([f.to_ndarray().mean(axis=0) for f in frames]), frames[0].sample_rate, frames[0].time


def seen(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the grey pictures (T, H, W) 0..255 of a file and their times, s."""
    with av.open(str(path)) as file:
        frames = list(file.decode(video=0))
        return np.stack([f.to_ndarray(format="gray") for f in frames]).astype(np.float32), np.array(
            [f.time for f in frames]
        )


def lag(a: np.ndarray, b: np.ndarray, most: int) -> tuple[int, float]:
    """Return by how many samples `a` is late against `b`, and their correlation there."""
    a, b = (a - a.mean()) / a.std(), (b - b.mean()) / b.std()
    n = len(a)
    found = [
        (float(np.mean(a[max(0, k) : n + min(0, k)] * b[max(0, -k) : n - max(0, k)])), k)
        for k in range(-most, most + 1)
    ]
    best = max(found)
    return best[1], best[0]


@pytest.mark.long
def test_sound_and_picture_are_as_long_as_the_voice_to_a_tenth_of_a_second(mp4: Path) -> None:
    with av.open(str(mp4)) as file:
        picture, sound = file.streams.video[0], file.streams.audio[0]
        assert (picture.codec_context.name, picture.codec_context.pix_fmt) == ("h264", "yuv420p")
        assert (sound.codec_context.name, picture.width, picture.height) == ("aac", *SIZE)
        for stream in (picture, sound):
            assert float(stream.duration * stream.time_base) == pytest.approx(3.0, abs=0.1)


@pytest.mark.long
def test_the_sound_is_her_voice_from_its_first_sample(mp4: Path) -> None:
    pcm, rate, begins = heard(mp4)
    voice = recorder.track(*PCM, 3.0)[:: recorder.AUDIO_RATE // 8000]
    pcm = pcm[:: rate // 8000][: len(voice)]
    late, correlation = lag(pcm, voice[: len(pcm)], 200)
    assert correlation > 0.9
    assert abs(late / 8000 + begins) < 0.003


@pytest.mark.long
def test_her_mouth_and_her_voice_are_within_60_ms_of_each_other(mp4: Path) -> None:
    pictures, times = seen(mp4)
    pcm, rate, _ = heard(mp4)
    # What changes in the lower half of a still head is the mouth; how far it is from the closed one is its opening.
    mouth = np.abs(pictures[:, SIZE[1] // 2 :] - pictures[0, SIZE[1] // 2 :]).mean(axis=(1, 2))
    fine = np.arange(0.0, times[-1], 0.005)
    around = (np.arange(-400, 400) * rate) // 24_000
    at = np.clip((fine[:, None] * rate).astype(int) + around, 0, len(pcm) - 1)
    loud = np.maximum(20 * np.log10(np.sqrt((pcm[at] ** 2).mean(axis=1)) + 1e-5), -40.0)
    late, correlation = lag(np.interp(fine, times, mouth), loud, 60)
    assert correlation > 0.6  # a hummed m is loud and its lips are shut: more than loudness moves her mouth
    assert abs(late) * 5 <= 60


@pytest.mark.long
def test_no_frame_flashes(mp4: Path) -> None:
    pictures, _ = seen(mp4)
    assert np.abs(np.diff(pictures.mean(axis=(1, 2)))).max() < 1.0  # of 255


def test_25_frames_a_second_move_evenly_though_ticks_are_60(her_body: Body, tmp_path: Path) -> None:
    """Frames that took the nearest tick would step by 2, 2, 3, 2, 3 ticks: seen as judder."""
    shown = []
    woman = her(her_body)

    class Tween(film._Between):
        def write(self, figure: Any, share: float) -> None:
            shown.append((woman.world.tick - 2 + share) / 60)
            super().write(figure, share)

    film._Between, kept = Tween, film._Between
    try:
        film.shoot(woman, tmp_path / "frames", 0.4, fps=Fraction(25), size=(64, 64))
    finally:
        film._Between = kept
    np.testing.assert_allclose(shown, np.arange(10) / 25, atol=1e-9)


def test_nothing_is_behind_her_in_a_folder_of_frames_and_her_voice_lies_beside(her_body: Body, tmp_path: Path) -> None:
    folder = tmp_path / "frames"
    film.shoot(her(her_body), folder, 0.1, PCM, size=SIZE, shot="bust", alpha=True)
    assert sorted(path.name for path in folder.iterdir()) == ["000000.png", "000001.png", "000002.png", "voice.wav"]
    picture = np.asarray(Image.open(folder / "000002.png"))
    assert picture.shape == (SIZE[1], SIZE[0], 4)
    assert picture[2, 2].tolist() == [0, 0, 0, 0]
    assert picture[-4, SIZE[0] // 2, 3] == 255
    pcm, rate = soundfile.read(folder / "voice.wav")
    assert len(pcm) / rate == pytest.approx(0.1)


@pytest.mark.parametrize(("name", "codec", "pixels"), [("a.webm", "vp9", ""), ("a.mov", "prores", "yuva")])
def test_editors_get_an_alpha_channel(her_body: Body, tmp_path: Path, name: str, codec: str, pixels: str) -> None:
    film.shoot(her(her_body), tmp_path / name, 0.1, PCM, size=SIZE, alpha=True)
    with av.open(str(tmp_path / name)) as file:
        stream = file.streams.video[0]
        assert stream.codec_context.name == codec
        assert stream.codec_context.pix_fmt.startswith(pixels)
        assert codec != "vp9" or stream.metadata["alpha_mode"] == "1"  # its second layer is not shown by PyAV
        assert len(file.streams.audio) == 1


def test_colours_are_no_longer_darkened_by_their_alpha(her_body: Body) -> None:
    half = np.array([[[50, 25, 0, 128]]], dtype=np.uint8)  # premultiplied
    assert film.straight(half)[0, 0].tolist() == [100, 50, 0, 128]
    assert film.straight(np.zeros((1, 1, 4), np.uint8)).max() == 0


def test_a_film_that_is_broken_off_leaves_nothing(her_body: Body, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    for name in ("a.mp4", "frames"):
        with pytest.raises(KeyboardInterrupt):
            film.shoot(her(her_body), tmp_path / name, 1.0, PCM, size=SIZE, told=stop)
        assert not list(tmp_path.iterdir())


def test_stairs_along_an_edge_become_smooth_and_flat_parts_stay() -> None:
    row, column = np.mgrid[:60, :80]
    stairs = np.where(column > row // 3 + 20, 200, 40).astype(np.uint8)
    picture = np.repeat(stairs[..., None], 4, axis=2)
    smooth = edges.softened(picture)
    ideal = np.clip((column - (row / 3 + 20)) * 160 + 120 - 53, 40, 200)
    inner = np.s_[2:-2, 2:-2]
    before = np.abs(picture[..., 0][inner] - ideal[inner]).mean()
    assert np.abs(smooth[..., 0][inner] - ideal[inner]).mean() < 0.9 * before
    np.testing.assert_array_equal(smooth[:, 60:], picture[:, 60:])
    assert picture.max() == 200
    assert smooth.max() <= 200
    assert smooth.min() >= 40


def test_without_pyav_one_line_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Said
) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(recorder, "import_module", missing)
    with pytest.raises(OutputError, match=r'pip install "kinesics\[video\]"'):
        recorder.library()
    assert main(["render", str(headless.HELLO), "-o", str(tmp_path / "a.mp4")]) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("kinesics: ")]
    assert len(said) == 1
    assert "kinesics[video]" in said[0]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "wrong",
    [
        ["a.mp4", "--alpha"],
        ["a.mp4", "--times", "1"],
        ["a.mp4", "--size", "1281x720"],
        ["a.mp4", "--size", "big"],
        ["a.mp4", "--fps", "0"],
        ["a.mp4", "--shot", "feet"],
        ["a.png", "--alpha"],
        ["a.png", "--times", "2,1"],
        ["a.png", "--times", "nan"],
        ["a.avi"],
    ],
    ids=" ".join,
)
def test_what_does_not_fit_is_refused_before_any_work(wrong: list[str], tmp_path: Path, capsys: Said) -> None:
    out, *options = wrong
    assert main(["render", str(headless.HELLO), "-o", str(tmp_path / out), *options]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_strip_shows_the_moments_that_were_asked_for(tmp_path: Path, capsys: Said) -> None:
    assert main(["render", str(headless.HELLO), "-o", str(tmp_path / "a.png"), "--times", "0.5,2"]) == 0
    assert "2 moments" in capsys.readouterr().err
    assert Image.open(tmp_path / "a.png").size[0] == 600


@pytest.mark.long
def test_nine_seconds_at_720p_cost_at_most_three_seconds_of_one_core_each(tmp_path: Path, capsys: Said) -> None:
    """Time of this process, so that a busy machine does not fail it; on two free cores the clock shows about half."""
    wav = tmp_path / "nine.wav"
    soundfile.write(wav, talker.voice(9.0), 16_000)
    began, used = time.perf_counter(), time.process_time()
    assert main(["render", str(wav), "-o", str(tmp_path / "nine.mp4")]) == 0
    took, used = time.perf_counter() - began, time.process_time() - used
    print(f"{took / 9:.2f} times real time by the clock, {used / 9:.2f} s of one core a second")
    assert used < 27.0
    with av.open(str(tmp_path / "nine.mp4")) as file:
        assert float(file.duration / 1e6) == pytest.approx(9.0, abs=0.1)
        assert file.streams.video[0].width == 1280


def test_a_stage_draws_with_the_samples_it_asked_for_after_another_was_closed() -> None:
    """Four samples a pixel kept from a strip made the film after it three times as slow."""
    for samples in (4, 0, 4):
        with Stage(size=(16, 16), samples=samples) as stage:
            assert stage._buffer is not None
            assert stage._buffer.getFbProperties().getMultisamples() == samples
