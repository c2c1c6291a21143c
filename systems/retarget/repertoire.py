"""A corpus as one avatar shows it: deltas over her base pose, and what the matcher ranks and gates rows by."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

import numpy as np

from ...components.anatomy import ARM_SLOTS, SLOT_GROUP, SLOTS, Anatomy
from ...components.arrays import F32, F64, I32, Bool, frozen
from ...components.corpus import FPS, Corpus, Repertoire, clip_arrays, hash_of
from ...components.errors import ConfigError, CorpusError
from ...components.mapped import Arrays, Layout, release
from ...components.rig import Rig
from ..kernels import quat, retarget, rotvec
from ..kernels.sample import sample, shown_angles
from . import kept
from .neutral import bind, show
from .rests import rest_of

ROW = 60  # 60 Hz frames in a row: one second
VOICED_FRAMES = 6  # 30 Hz frames, 0.2 s: with less of a voice a row has no timbre
# deg/s, mean speed of the fastest arm joint in a row: up to the first it only sways, from the second it is fully busy
# (choice; on the shipped corpus 5 % of the rows lie below 21 and half below 36)
STILL, BUSY = 10.0, 50.0
LARGE = 20_000  # frames (11 min) of a mapped corpus from which on what is turned onto her is kept: below it takes .2 s
MOTION: Layout = {"delta": ("f4", (len(SLOTS), 3)), "arms": ("f4", (len(ARM_SLOTS), 3))}
ROWS: Layout = {
    "row_clip": ("i4", ()),
    "row_frame": ("i4", ()),
    "row_envelope": ("f4", (ROW,)),
    "row_timbre": ("f4", (13,)),
    "row_voiced": ("?", ()),
    "row_pose": ("f4", (len(ARM_SLOTS), 4)),
    "row_speed": ("f4", ()),
    "row_busy": ("f4", ()),
}
_OTHERS = ("pelvis", "legs")  # gains that no corpus slot has; accepted, for they stand in the same table


def repertoire(
    corpus: Corpus, rig: Rig, anatomy: Anatomy, gains: Mapping[str, float], hop_s: float = 0.1
) -> Repertoire:
    """Return the corpus on this avatar at these gains.

    A stored delta is the rotation from her base pose divided by the gain it was authored for, so that gain * delta
    shows it as authored when the gain is that one. A row starts every `hop_s` of a clip as long as its second fits.

    gains: group name (SLOT_GROUP) -> gain; a group that is not named shows as authored for 1
    hop_s: s between rows, rounded to 1/60 s

    Raises:
        ConfigError: an unknown group or a gain below 0.
        CorpusError: a clip's gain or frames make no sense, or no clip is a second long.
    """
    gain = _of_groups(gains, "gain", ConfigError, zero=True)
    hop = round(hop_s * ROW)
    if hop < 1:
        raise ConfigError(f"row hop {hop_s} s: wanted at least {1 / ROW:.3f} s; leave it at 0.1")
    _check(corpus)
    if not _counts(corpus.start, hop).any():
        raise CorpusError(f"none of the {len(corpus.clips)} clips is 1 s long, so there is no row; add longer clips")
    motion, rows = _turned(corpus, rig, anatomy, gain, hop)
    h = hashlib.blake2b(f"{corpus.digest} {rig.digest} {anatomy.digest} {hop}".encode(), digest_size=16)
    h.update(gain.tobytes())
    return Repertoire(start=corpus.start, gain=frozen(gain, np.float64), **motion, **rows, digest=h.hexdigest())


def _turned(
    corpus: Corpus, rig: Rig, anatomy: Anatomy, gain: F64, hop: int
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return delta and arms, and all that is known of rows: in memory, or mapped where the corpus is a large one."""

    def motion_pieces() -> Iterator[Arrays]:
        kept.log.info("Turning %.1f h of talkers onto her, once.", corpus.start[-1] / FPS / 3600.0)
        return _motion(corpus, rig, anatomy)

    def row_pieces() -> Iterator[Arrays]:
        return _row_pieces(corpus, motion["arms"], gain, anatomy, hop)

    if not corpus.where or corpus.start[-1] < LARGE:
        motion = kept.in_memory(MOTION, _motion(corpus, rig, anatomy))
        return motion, kept.in_memory(ROWS, row_pieces())
    hers = f"{corpus.digest} {rig.digest} {anatomy.digest}"
    motion = kept.arrays("motion", hers, MOTION, motion_pieces)
    return motion, kept.arrays("rows", f"{hers} {hop} {gain.tolist()}", ROWS, row_pieces)


def base_of(anatomy: Anatomy) -> F64:
    """Return the base pose of the 43 slots, (43, 4) wxyz local; no rotation where she has no joint."""
    base = np.zeros((len(SLOTS), 4))
    base[:, 0] = 1.0
    has = anatomy.slot_joint >= 0
    base[has] = anatomy.base[anatomy.slot_joint[has]]
    return base


def _of_groups(values: Mapping[str, float], what: str, error: type[Exception], zero: bool) -> F64:
    """Return (43,) f64 from a mapping of groups; a group that is not named has 1."""
    for name, value in values.items():
        if name not in SLOT_GROUP and name not in _OTHERS:
            raise error(f"{what} '{name}' is no group of joints; there are: {', '.join(dict.fromkeys(SLOT_GROUP))}")
        if not np.isfinite(value) or value < 0.0 or (value == 0.0 and not zero):
            raise error(f"{what} '{name}' is {value}: wanted a number {'from' if zero else 'above'} 0")
    return np.array([float(values.get(group, 1.0)) for group in SLOT_GROUP])


def _check(corpus: Corpus) -> None:
    frames = len(corpus.rotation)
    start = corpus.start
    if len(start) != len(corpus.clips) + 1 or start[0] != 0 or start[-1] != frames or (np.diff(start) < 1).any():
        raise CorpusError(f"the {len(corpus.clips)} clips do not divide the corpus's {frames} frames; build it again")


def _motion(corpus: Corpus, rig: Rig, anatomy: Anatomy) -> Iterator[Arrays]:
    """Yield each clip's (F, 43, 3) f32 rad, continuous along it, and its arms alone."""
    if [int(j) for j in anatomy.slot_joint] != [rig.humanoid.get(name, -1) for name in SLOTS]:
        raise ValueError("this anatomy was measured on another rig")
    binding, base = bind(rest_of(rig)), base_of(anatomy)
    for number, clip in enumerate(corpus.clips):
        authored = _of_groups(clip.authored_gain, f"{clip.name}: authored gain", CorpusError, zero=False)
        frames = slice(int(corpus.start[number]), int(corpus.start[number + 1]))
        rotation, hand = corpus.rotation[frames], corpus.hand[frames]
        _check_clip(corpus, number)
        shown = show(binding, rotation, hand)
        delta = np.zeros((len(shown), len(SLOTS), 3), np.float32)
        retarget.deltas(base, shown, 1.0 / authored, delta)
        delta[:, anatomy.slot_joint < 0] = 0.0
        yield {"delta": delta, "arms": delta[:, ARM_SLOTS[0] : ARM_SLOTS[-1] + 1]}
        if corpus.where:
            release(corpus.rotation, corpus.hand, corpus.envelope, corpus.coefficient, corpus.voiced)


def _check_clip(corpus: Corpus, number: int) -> None:
    """Refuse a clip that is not what was written when the corpus was built, or not finite."""
    clip = corpus.clips[number]
    if clip.check and clip.check != hash_of(clip_arrays(corpus, number)):
        raise CorpusError(f"{corpus.where}: clip '{clip.name}' was changed since the corpus was built; build it again")
    for name, array in clip_arrays(corpus, number).items():
        if not np.isfinite(array).all():
            raise CorpusError(f"the corpus holds a {name} that is not finite, in clip '{clip.name}'; build it again")


def _counts(start: I32, hop: int) -> I32:
    """Return how many rows each clip has, (C,)."""
    frames = 2 * np.diff(start)
    return np.where(frames >= ROW, (frames - ROW) // hop + 1, 0).astype(np.int32)


def _row_pieces(corpus: Corpus, arms: F32, gain: F64, anatomy: Anatomy, hop: int) -> Iterator[Arrays]:
    """Yield what is known of each clip's rows."""
    arm_gain, base = gain[list(ARM_SLOTS)].copy(), base_of(anatomy)[list(ARM_SLOTS)]
    for number, count in enumerate(_counts(corpus.start, hop)):
        if not count:
            continue
        first, last = int(corpus.start[number]), int(corpus.start[number + 1])
        mine = np.ascontiguousarray(arms[first:last])
        at = np.arange(count, dtype=np.int32) * np.int32(hop)
        speed, busy = _speeds(mine, arm_gain, at)
        envelope, timbre, voiced = _voice(corpus, first, at)
        yield {
            "row_clip": np.full(count, number, np.int32),
            "row_frame": at,
            "row_envelope": envelope,
            "row_timbre": timbre,
            "row_voiced": voiced,
            "row_pose": _poses(mine, arm_gain, base, at),
            "row_speed": speed,
            "row_busy": busy,
        }
        if corpus.where:
            release(arms, corpus.envelope, corpus.coefficient, corpus.voiced)


def _speeds(arms: F32, gain: F64, at: I32) -> tuple[F32, F32]:
    """Return each row's fastest arm joint in deg/s, and how busy its arms are. at: first 60 Hz frame of each row."""
    count = len(ARM_SLOTS)
    moved, before, after = np.empty((count, 3)), np.empty((count, 4)), np.empty((count, 4))
    angles = np.empty((2 * len(arms), count))
    shown_angles(arms, gain, 0, len(arms), moved, before, after, angles)
    fastest = np.degrees(angles.max(axis=1)) * ROW
    window = np.lib.stride_tricks.sliding_window_view(fastest, ROW)[at]
    busy = np.clip((window.mean(axis=1) - STILL) / (BUSY - STILL), 0.0, 1.0)
    return window.max(axis=1).astype(np.float32), busy.astype(np.float32)


def _poses(arms: F32, gain: F64, base: F64, at: I32) -> F32:
    """Return (W, 8, 4) f32: the gated joints in each row's first frame, after the gains, w >= 0."""
    moved, turned = np.empty((len(ARM_SLOTS), 3)), np.empty((len(ARM_SLOTS), 4))
    out = np.empty((len(at), len(ARM_SLOTS), 4), np.float32)
    for row, frame in enumerate(at):
        sample(arms, 0, len(arms), float(frame), moved)
        rotvec.apply_each(base, moved * gain[:, None], turned)
        quat.normalise_each(turned, turned)
        out[row] = turned
    out[out[..., 0] < 0.0] *= -1.0
    return out


def _voice(corpus: Corpus, start: int, row_frame: I32) -> tuple[F32, F32, Bool]:
    """Return each row's loudness by shape, mean timbre over its voiced frames, and whether it has one."""
    at = (2 * start + row_frame.astype(np.int64))[:, None] + np.arange(ROW)
    envelope = corpus.envelope[at].astype(np.float32)
    envelope -= envelope.mean(axis=1, keepdims=True)
    frames = (start + row_frame.astype(np.int64) // 2)[:, None] + np.arange(FPS)
    voiced = corpus.voiced[frames]
    count = voiced.sum(axis=1)
    total = np.einsum("wf,wfk->wk", voiced.astype(np.float32), corpus.coefficient[frames])
    has = count >= VOICED_FRAMES
    timbre = np.where(has[:, None], total / np.maximum(count, 1)[:, None], 0.0).astype(np.float32)
    return envelope, timbre, has
