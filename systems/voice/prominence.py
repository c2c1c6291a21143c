"""Where a known voice speaks in one breath, and which moments of it stand out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...components.arrays import F64, Bool
from ..kernels import peaks

FRAMES = 100  # a second
CENTRE = 0.016  # s from a frame's first sample to its middle

# How sound becomes events: measured on flite, espeak-ng, LibriVox and one studio speaker (1.4-1.9 accents a second).
PARAMETERS: dict[str, float] = {
    "active_mean_s": 0.07,  # mean over which loudness is judged
    "active_range_db": 30.0,  # below the loud end (p95) nothing is speech
    "active_share": 0.38,  # of the way from the floor (p4) to the loud end: flite has no true silence
    "bridge_s": 0.22,  # shorter pauses do not end a phrase
    "phrase_s": 0.12,  # shorter runs are clicks
    "loudness_hz": 7.0,
    "loudness_weight": 0.6,
    "pitch_hz": 6.0,
    "pitch_weight": 0.55,
    "pitch_strength": 0.5,  # correlation from which on a frame is voiced
    "pitch_range_semitones": 9.0,  # further from the median it is an octave error
    "mean_hz": 0.15,  # what both are compared with: the last breath, not the whole speech
    "curve_hz": 6.0,
    "height": 0.25,
    "depth": 0.35,
    "apart_s": 0.25,
    "edge_hz": 3.0,  # how soft speech begins and ends for the curve
    "edge_value": -2.0,  # its value in pauses
}


REACH = round(PARAMETERS["active_mean_s"] * FRAMES) // 2  # frames either side that decide whether one is speech


@dataclass(frozen=True, slots=True)
class Events:
    """phrase: (P, 2) s; accent: (A,) s; strength: (A,) about 0..3."""

    phrase: F64
    accent: F64
    strength: F64


def _smooth(x: F64, hertz: float) -> F64:
    """Return x at 100 Hz through a Gaussian that halves a wave of `hertz`; the ends are continued flat."""
    sigma = FRAMES * np.sqrt(2.0 * np.log(2.0)) / (2.0 * np.pi * hertz)
    reach = int(np.ceil(3.5 * sigma))
    taps = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    smooth: F64 = np.convolve(np.pad(x, reach, mode="edge"), taps / taps.sum(), mode="valid")  # pyright: ignore
    return smooth


def _mean(x: F64, seconds: float) -> F64:
    reach = round(seconds * FRAMES) // 2
    return np.convolve(np.pad(x, reach, mode="edge"), np.full(2 * reach + 1, 1.0 / (2 * reach + 1)), mode="valid")


def active(band: F64, voiced: Bool) -> Bool:
    """Return the frames that are speech. band: (F,) dB in 200-4000 Hz; voiced: (F,), the gate's word."""
    return (_mean(band, PARAMETERS["active_mean_s"]) > threshold(band, voiced)) & voiced


def threshold(band: F64, voiced: Bool) -> float:
    """Return the band power from which on a frame is speech, dB."""
    p = PARAMETERS
    if not voiced.any():
        return np.inf
    top = float(np.percentile(band[voiced], 95))  # of all frames it is a pause where she says little
    floor = float(np.percentile(_mean(band, 0.05), 4))
    return max(top - p["active_range_db"], floor + p["active_share"] * (top - floor))


def lately(band: F64, voiced: Bool, least: float, first: int) -> Bool:
    """Return `active` of the frames from `first` - REACH on, at a threshold known already."""
    begin = max(first - 2 * REACH, 0)
    now = _mean(band[begin:], PARAMETERS["active_mean_s"])[max(first - REACH, 0) - begin :]
    return (now > least) & voiced[max(first - REACH, 0) :]


def phrases(speaking: Bool, seconds: float, first: int = 0) -> F64:
    """Return (P, 2) s, start and end of each run of speech with its short pauses bridged. first: number of frame 0."""
    edge = np.diff(np.concatenate(([0], speaking.astype(np.int8), [0])))
    runs: list[list[float]] = []
    for start, stop in zip(np.flatnonzero(edge > 0) + first, np.flatnonzero(edge < 0) + first):
        begin, end = start / FRAMES + CENTRE, min(stop / FRAMES + CENTRE, seconds)
        if runs and begin - runs[-1][1] < PARAMETERS["bridge_s"]:
            runs[-1][1] = end
        else:
            runs.append([begin, end])
    return np.array([run for run in runs if run[1] - run[0] >= PARAMETERS["phrase_s"]], np.float64).reshape(-1, 2)


def _within(phrase: F64, frames: int) -> Bool:
    """Return (F,), the frames that lie in a phrase."""
    middle = np.arange(frames) / FRAMES + CENTRE
    before = np.searchsorted(phrase[:, 0], middle, side="right")
    return (before > 0) & (middle <= phrase[np.maximum(before, 1) - 1, 1])


def _semitones(hertz: F64, strength: F64, speaking: Bool) -> F64:
    """Return pitch in semitones over 100 Hz, drawn straight through what is not voiced."""
    is_voiced = (strength > PARAMETERS["pitch_strength"]) & speaking & (hertz > 0.0)
    pitch = 12.0 * np.log2(np.where(hertz > 0.0, hertz, 100.0) / 100.0)
    if is_voiced.any():
        is_voiced &= np.abs(pitch - np.median(pitch[is_voiced])) <= PARAMETERS["pitch_range_semitones"]
    at = np.flatnonzero(is_voiced)
    return np.interp(np.arange(len(pitch)), at, pitch[at]) if len(at) > 3 else np.zeros(len(pitch))


def _stands_out(x: F64, speaking: Bool) -> F64:
    """Return how far x is from its slow mean over speech, in standard deviations over speech."""
    weight = speaking.astype(np.float64)
    slow = _smooth(x * weight, PARAMETERS["mean_hz"]) / np.maximum(_smooth(weight, PARAMETERS["mean_hz"]), 0.05)
    off = x - slow
    return off / max(float(np.sqrt(np.mean(off[speaking] ** 2))), 1e-3)


def events(band: F64, hertz: F64, strength: F64, voiced: Bool, seconds: float) -> Events:
    """Return phrases and prominent moments of a whole voice.

    band: (F,) dB in 200-4000 Hz; hertz, strength: (F,) pitch and its correlation; voiced: (F,); seconds: its length
    """
    p = PARAMETERS
    speaking = active(band, voiced)
    phrase = phrases(speaking, seconds)
    if len(phrase) == 0:
        return Events(phrase, np.zeros(0), np.zeros(0))
    speaking &= _within(phrase, len(band))  # a click that made no phrase makes no accent either
    least = float(np.percentile(band[voiced], 95)) - p["active_range_db"] - 5.0  # deeper pauses weigh no more
    loud = _smooth(np.maximum(band, least), p["loudness_hz"])
    pitch = _smooth(_semitones(hertz, strength, speaking), p["pitch_hz"])
    curve = p["loudness_weight"] * _stands_out(loud, speaking) + p["pitch_weight"] * _stands_out(pitch, speaking)
    is_inside = _smooth(speaking.astype(np.float64), p["edge_hz"]) > 0.3
    curve = _smooth(np.where(is_inside, curve, p["edge_value"]), p["curve_hz"])
    is_peak = np.zeros(len(curve), np.bool_)
    peaks.mark(curve, p["height"], p["depth"], is_peak)
    found = np.flatnonzero(is_peak)
    order = found[np.argsort(-curve[found], kind="stable")].astype(np.int64)
    peaks.thin(order, round(p["apart_s"] * FRAMES), is_peak)
    at = np.flatnonzero(is_peak)
    return Events(phrase, at / FRAMES + CENTRE, curve[at])
