"""Moving pictures into a file: H.264, VP9 or ProRes through PyAV, or one PNG a frame; her voice beside them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import soundfile
import soxr
from PIL import Image

from ..components.arrays import F32
from ..components.errors import OutputError

AUDIO_RATE = 48_000  # Hz, in every file: AAC and Opus both take it as it is
CURE = 'pip install "kinesics[video]"'


@dataclass(frozen=True, slots=True)
class Format:
    """What a file's ending stands for. alpha: pixel format with transparency, "" where there is none."""

    container: str
    codec: str
    plain: str
    alpha: str
    options: dict[str, str]
    audio: str
    sample: str


# Presets: of x264's, `veryfast` is the last that costs less than drawing a frame does on a CPU; crf 20 shows no blocks.
FORMATS = {
    ".mp4": Format(
        "mp4", "libx264", "yuv420p", "", {"preset": "veryfast", "crf": "20", "movflags": "+faststart"}, "aac", "fltp"
    ),
    ".webm": Format(
        "webm",
        "libvpx-vp9",
        "yuv420p",
        "yuva420p",
        {"deadline": "realtime", "cpu-used": "7", "crf": "24", "b": "0", "row-mt": "1", "auto-alt-ref": "0"},
        "libopus",
        "flt",
    ),
    ".mov": Format("mov", "prores_ks", "yuv444p10le", "yuva444p10le", {"profile": "4444"}, "pcm_s16le", "s16"),
}


class Recorder(Protocol):
    """What frames and sound are given to. frame: (H, W, 4) u8, blue first, straight alpha; pcm: (n,) f32."""

    def frame(self, picture: npt.NDArray[np.uint8]) -> None: ...

    def sound(self, pcm: F32) -> None: ...


@contextmanager
def recording(target: Path, size: tuple[int, int], fps: Fraction, alpha: bool = False) -> Iterator[Recorder]:
    """Yield a recorder; what it was given stands at `target` once the block has ended well, and nothing otherwise.

    target: .mp4, .webm or .mov; a name without ending becomes a folder of PNG files and voice.wav
    size: px, both even; alpha: keep the background transparent (not in .mp4)
    OutputError where PyAV is missing or the file cannot be written.
    """
    if not target.suffix:
        part = target.with_name(f".{target.name}.{os.getpid()}.partial")
        part.mkdir()
        try:
            sheets = _Sheets(part, alpha)
            yield sheets
            sheets.close()
            if target.is_dir():
                target.rmdir()  # empty, or this says so
            part.replace(target)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        return
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        film = _Film(part, FORMATS[target.suffix.lower()], size, fps, alpha)
        try:
            yield film
            film.finish()
        finally:
            film.close()
        part.replace(target)
    except OSError as cause:  # PyAV's own errors are some of these
        raise OutputError(f"{target}: cannot be written ({cause.strerror or cause}); free some space") from None
    finally:
        part.unlink(missing_ok=True)


def library() -> Any:
    """Return the module av; OutputError with the cure where it is not installed."""
    try:
        return import_module("av")
    except ImportError:
        raise OutputError(f"a video needs PyAV, which is not installed; {CURE}, or name a .png or a folder") from None


class _Film:
    """One video file."""

    def __init__(self, path: Path, made: Format, size: tuple[int, int], fps: Fraction, alpha: bool) -> None:
        self._av = library()
        self._file = self._av.open(str(path), "w", format=made.container)
        self._video = self._file.add_stream(made.codec, rate=fps)
        self._video.width, self._video.height = size
        self._video.pix_fmt = made.alpha if alpha else made.plain
        self._video.thread_type = "AUTO"
        self._video.options = made.options
        # BT.709, as every player takes a picture of this size to be unless it is told otherwise.
        self._video.codec_context.colorspace = self._video.codec_context.color_primaries = 1
        self._video.codec_context.color_trc = 1
        self._video.codec_context.color_range = 1
        self._audio = self._file.add_stream(made.audio, rate=AUDIO_RATE)
        self._audio.layout = "mono"
        self._sample = made.sample
        self._base, self._frames, self._samples = 1 / fps, 0, 0

    def frame(self, picture: npt.NDArray[np.uint8]) -> None:
        frame = self._av.VideoFrame.from_ndarray(picture, format="bgra")
        frame = frame.reformat(format=self._video.pix_fmt, dst_colorspace="ITU709", dst_color_range="MPEG")
        frame.pts, frame.time_base = self._frames, self._base
        self._frames += 1
        self._file.mux(self._video.encode(frame))

    def sound(self, pcm: F32) -> None:
        whole = np.round(np.clip(pcm, -1.0, 1.0) * 32767.0).astype(np.int16) if self._sample == "s16" else pcm
        frame = self._av.AudioFrame.from_ndarray(np.ascontiguousarray(whole[None]), format=self._sample, layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = AUDIO_RATE, self._samples, Fraction(1, AUDIO_RATE)
        self._samples += len(pcm)
        self._file.mux(self._audio.encode(frame))

    def finish(self) -> None:
        for stream in (self._video, self._audio):
            self._file.mux(stream.encode(None))

    def close(self) -> None:
        self._file.close()


class _Sheets:
    """A folder of frames."""

    def __init__(self, folder: Path, alpha: bool) -> None:
        self._folder, self._alpha, self._frames = folder, alpha, 0
        self._pcm: list[F32] = []

    def frame(self, picture: npt.NDArray[np.uint8]) -> None:
        channels = [2, 1, 0, 3] if self._alpha else [2, 1, 0]
        image = Image.fromarray(np.ascontiguousarray(picture[..., channels]))
        image.save(self._folder / f"{self._frames:06d}.png", compress_level=1)
        self._frames += 1

    def sound(self, pcm: F32) -> None:
        self._pcm.append(pcm)

    def close(self) -> None:
        soundfile.write(self._folder / "voice.wav", np.concatenate(self._pcm or [np.zeros(0, np.float32)]), AUDIO_RATE)


def track(pcm: F32, rate: int, seconds: float, begins: float = 0.0) -> F32:
    """Return a voice at AUDIO_RATE as a track of exactly `seconds`, silent before `begins` and after its end."""
    out = np.zeros(round(seconds * AUDIO_RATE), np.float32)
    voice = pcm if rate == AUDIO_RATE else soxr.resample(pcm, rate, AUDIO_RATE, quality="HQ")
    first = round(begins * AUDIO_RATE)
    held = voice[: max(0, len(out) - first)]
    out[first : first + len(held)] = held
    return out
