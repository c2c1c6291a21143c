"""The voice beside a motion: the audio file of the same stem, and whether the two can belong together."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from .....components.arrays import F64
from .....components.errors import AudioError, CorpusError
from .....components.speech import ENVELOPE_RATE, Speech
from .....components.take import Take
from ....kernels import quat
from ....voice.files import read_audio, read_words, words_beside

ENDINGS = (".wav", ".flac", ".ogg", ".opus", ".mp3")
# folder of BEAT2 -> the folders beside it that hold the rest of a take of the same stem
BEAT2 = {"smplxflame_30": ("wave16k",), "wave16k": ("textgrid",)}
STANDARD = (24.0, 25.0, 30.0, 50.0, 60.0, 90.0, 100.0, 120.0, 240.0)  # frames a second that cameras have
OFF = 0.15  # of its length by which motion and voice differ, from which on the frame time is doubted
NEAR = 0.03  # of its length within which another frame time explains the difference
SOON = 0.3  # s, a difference in length that is not worth a word

LAGS = 2.0  # s to either side at which a shifted start is looked for
SMOOTH = 0.4  # s
# What a lag must reach to be told of: a talker's arms correlate with her own voice by 0.1 to 0.3 at no lag at all, and
# a chance peak within 2 s is nearly as high, so only a clear one is.
CLEAR, BETTER, APART = 0.45, 0.2, 0.3  # correlation, by how much over none, s


def beside(path: Path) -> Path | None:
    """Return the audio file of a motion file's stem in its folder, or where BEAT2 has it, or None."""
    for folder in (path.parent, *(path.parent.parent / name for name in BEAT2.get(path.parent.name, ()))):
        found = (folder / (path.stem + ending) for ending in (*ENDINGS, *(e.upper() for e in ENDINGS)))
        if (audio := next((file for file in found if file.is_file()), None)) is not None:
            return audio
    return None


def said_beside(audio: Path) -> Path | None:
    """Return the words file of a voice's stem in its folder, or where BEAT2 has it, or None."""
    found = words_beside(audio)
    for name in BEAT2.get(audio.parent.name, ()):
        found = found or words_beside(audio.parent.parent / name / audio.name)
    return found


def with_voice(take: Take, audio: Path | None) -> Take:
    """Return the take with its voice, trimmed to the shorter of the two; without one where there is none to be had.

    A frame time that the voice's length contradicts is replaced by the standard one that fits, and this is said.
    """
    if audio is None:
        return take
    try:
        samples, rate = read_audio(audio)
        digest = hashlib.blake2b(audio.read_bytes(), digest_size=8).hexdigest()
    except (AudioError, OSError) as cause:
        return replace(take, warnings=(*take.warnings, f"no voice: {cause}"))
    warnings: list[str] = []
    text = _said(audio, warnings)
    heard, frames = len(samples) / rate, len(take.rotation)
    fps = _rate(take, frames, heard, warnings)
    moved = frames / fps
    if abs(moved - heard) > SOON:
        longer, by = ("voice", heard - moved) if heard > moved else ("motion", moved - heard)
        warnings.append(f"its {longer} is {by:.2f} s longer and is cut there")
    keep = max(2, min(frames, int(heard * fps)))
    return replace(
        take,
        rotation=take.rotation[:keep],
        root=take.root[:keep],
        fps=fps,
        audio=samples[: round(keep / fps * rate)],
        rate=rate,
        voice=f"{audio.name} {digest}",
        text=text,
        warnings=(*take.warnings, *warnings),
    )


def _said(audio: Path, warnings: list[str]) -> str:
    """Return the words of the file beside the voice, "" without one."""
    words = said_beside(audio)
    if words is None:
        return ""
    try:
        return " ".join(word.text for word in read_words(words))
    except AudioError as cause:
        warnings.append(f"its words are left out: {cause}")
        return ""


def _rate(take: Take, frames: int, heard: float, warnings: list[str]) -> float:
    """Return the take's frames a second, or the standard rate that the voice's length asks for."""
    if abs(frames / take.fps / heard - 1.0) <= OFF:
        return take.fps
    fits = [rate for rate in STANDARD if abs(frames / rate / heard - 1.0) <= NEAR]
    if not fits:
        return take.fps
    best = min(fits, key=lambda rate: abs(frames / rate - heard))
    warnings.append(
        f"its frame time says {take.fps:.4g} frames a second and {frames / take.fps:.1f} s, its voice lasts "
        f"{heard:.1f} s: read as {best:g} a second"
    )
    return best


def shift(take: Take, speech: Speech) -> tuple[float, float, float]:
    """Return the lag in s at which arms and voice go together best (positive: the voice is late), and two correlations.

    The second number is the correlation at that lag, the third at none.
    """
    activity = _busy(take)
    count = min(len(activity), len(speech.envelope))
    if count < 4 * LAGS * ENVELOPE_RATE:
        return 0.0, 0.0, 0.0
    a = _smooth(activity[:count])
    b = _smooth(np.asarray(speech.envelope[:count], np.float64))
    most = round(LAGS * ENVELOPE_RATE)
    middle = a[most:-most]
    curve = np.array([_correlation(middle, b[most + k : count - most + k]) for k in range(-most, most + 1)])
    best = int(curve.argmax())
    return (best - most) / ENVELOPE_RATE, float(curve[best]), float(curve[most])


def offset(take: Take, speech: Speech) -> tuple[float | None, str]:
    """Return by how many s the voice is late against the motion, and what is wrong with that, "" for nothing.

    None where arms and voice show nothing of it: most talkers' do not go together so clearly, at any shift.
    """
    lag, there, here = shift(take, speech)
    if there < CLEAR:
        return None, ""
    if abs(lag) < APART:
        return lag, ""
    if there - here < BETTER:  # as it is they go together nearly as well
        return 0.0, ""
    side = "late" if lag > 0 else "early"
    return lag, f"its voice fits its arms best {abs(lag):.2f} s {side} (correlation {there:.2f}, {here:.2f} as it is)"


def _busy(take: Take) -> F64:
    """Return (T,) rad a frame: how fast both arms turn. The take is at ENVELOPE_RATE."""
    if take.fps != ENVELOPE_RATE:
        raise CorpusError(f"{take.name}: at {take.fps:g} frames a second, wanted {ENVELOPE_RATE}")
    out = np.zeros(len(take.rotation))
    step = np.empty(len(out) - 1)
    for side in ("left", "right"):
        for part in ("UpperArm", "LowerArm"):
            if side + part in take.rig.humanoid:
                turn = np.ascontiguousarray(take.rotation[:, take.rig.humanoid[side + part]])
                quat.angle_each(turn[1:], turn[:-1], step)
                out[1:] += step
    return out


def _smooth(values: F64) -> F64:
    window = np.hanning(round(SMOOTH * ENVELOPE_RATE) + 2)[1:-1].astype(np.float64)
    return np.asarray(np.convolve(values, window / window.sum(), mode="same"), np.float64)


def _correlation(a: F64, b: F64) -> float:
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size > 1e-12 else 0.0
