"""A corpus as one avatar shows it: deltas over her base pose, and what the matcher ranks and gates rows by."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

from ...components.anatomy import ARM_SLOTS, SLOT_GROUP, SLOTS, Anatomy
from ...components.arrays import F32, F64, I32, Bool, frozen
from ...components.corpus import FPS, Corpus, Repertoire
from ...components.errors import ConfigError, CorpusError
from ...components.rig import Rig
from ..kernels import quat, retarget, rotvec
from ..kernels.sample import sample, shown_angles
from .neutral import pose

ROW = 60  # 60 Hz frames in a row: one second
VOICED_FRAMES = 6  # 30 Hz frames, 0.2 s: with less of a voice a row has no timbre
# deg/s, mean speed of the fastest arm joint in a row: up to the first it only sways, from the second it is fully busy
# (choice; on the shipped corpus 5 % of the rows lie below 21 and half below 36)
STILL, BUSY = 10.0, 50.0
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
    delta = _deltas(corpus, rig, anatomy)
    row_clip, row_frame = _rows(corpus.start, hop)
    if not len(row_clip):
        raise CorpusError(f"none of the {len(corpus.clips)} clips is 1 s long, so there is no row; add longer clips")
    speed, busy = _speeds(corpus.start, delta, gain, row_clip, row_frame)
    envelope, timbre, voiced = _voice(corpus, row_clip, row_frame)
    h = hashlib.blake2b(f"{corpus.digest} {rig.digest} {anatomy.digest} {hop}".encode(), digest_size=16)
    h.update(gain.tobytes())
    return Repertoire(
        start=corpus.start,
        delta=_read_only(delta),
        gain=frozen(gain, np.float64),
        row_clip=_read_only(row_clip),
        row_frame=_read_only(row_frame),
        row_envelope=_read_only(envelope),
        row_timbre=_read_only(timbre),
        row_voiced=_read_only(voiced),
        row_pose=_read_only(_poses(corpus.start, delta, gain, anatomy, row_clip, row_frame)),
        row_speed=_read_only(speed),
        row_busy=_read_only(busy),
        digest=h.hexdigest(),
    )


def base_of(anatomy: Anatomy) -> F64:
    """Return the base pose of the 43 slots, (43, 4) wxyz local; no rotation where she has no joint."""
    base = np.zeros((len(SLOTS), 4))
    base[:, 0] = 1.0
    has = anatomy.slot_joint >= 0
    base[has] = anatomy.base[anatomy.slot_joint[has]]
    return base


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


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
    if not (np.isfinite(corpus.rotation).all() and np.isfinite(corpus.hand).all()):
        raise CorpusError("the corpus holds rotations that are not finite; build it again")


def _deltas(corpus: Corpus, rig: Rig, anatomy: Anatomy) -> F32:
    """Return (F, 43, 3) f32 rad, continuous along each clip."""
    shown = pose(rig, anatomy, corpus.rotation, corpus.hand)
    base = base_of(anatomy)
    out = np.zeros((len(shown), len(SLOTS), 3), np.float32)
    for number, clip in enumerate(corpus.clips):
        authored = _of_groups(clip.authored_gain, f"{clip.name}: authored gain", CorpusError, zero=False)
        first, last = corpus.start[number], corpus.start[number + 1]
        retarget.deltas(base, shown[first:last], 1.0 / authored, out[first:last])
    out[:, anatomy.slot_joint < 0] = 0.0
    return out


def _rows(start: I32, hop: int) -> tuple[I32, I32]:
    """Return the clip and first 60 Hz frame of each row."""
    clips, frames = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
    for clip, length in enumerate(2 * np.diff(start)):
        at = np.arange(0, int(length) - ROW + 1, hop, dtype=np.int32)
        clips.append(np.full(len(at), clip, np.int32))
        frames.append(at)
    return np.concatenate(clips), np.concatenate(frames)


def _speeds(start: I32, delta: F32, gain: F64, row_clip: I32, row_frame: I32) -> tuple[F32, F32]:
    """Return each row's fastest arm joint in deg/s, and how busy its arms are."""
    arms = np.ascontiguousarray(delta[:, ARM_SLOTS[0] : ARM_SLOTS[-1] + 1])
    arm_gain = np.ascontiguousarray(gain[list(ARM_SLOTS)])
    speed, busy = np.empty(len(row_clip), np.float32), np.empty(len(row_clip), np.float32)
    count = len(ARM_SLOTS)
    moved, before, after = np.empty((count, 3)), np.empty((count, 4)), np.empty((count, 4))
    for clip in range(len(start) - 1):
        rows = np.flatnonzero(row_clip == clip)
        if not len(rows):
            continue
        first, last = int(start[clip]), int(start[clip + 1])
        angles = np.empty((2 * (last - first), count))
        shown_angles(arms, arm_gain, first, last, moved, before, after, angles)
        fastest = np.degrees(angles.max(axis=1)) * ROW
        window = np.lib.stride_tricks.sliding_window_view(fastest, ROW)[row_frame[rows]]
        speed[rows] = window.max(axis=1)
        busy[rows] = np.clip((window.mean(axis=1) - STILL) / (BUSY - STILL), 0.0, 1.0)
    return speed, busy


def _poses(start: I32, delta: F32, gain: F64, anatomy: Anatomy, row_clip: I32, row_frame: I32) -> F32:
    """Return (W, 8, 4) f32: the gated joints in each row's first frame, after the gains, w >= 0."""
    arms = np.ascontiguousarray(delta[:, ARM_SLOTS[0] : ARM_SLOTS[-1] + 1])
    base = base_of(anatomy)[list(ARM_SLOTS)]
    arm_gain = gain[list(ARM_SLOTS), None]
    moved, turned = np.empty((len(ARM_SLOTS), 3)), np.empty((len(ARM_SLOTS), 4))
    out = np.empty((len(row_clip), len(ARM_SLOTS), 4), np.float32)
    for row, (clip, frame) in enumerate(zip(row_clip, row_frame)):
        sample(arms, int(start[clip]), int(start[clip + 1]), float(frame), moved)
        rotvec.apply_each(base, moved * arm_gain, turned)
        quat.normalise_each(turned, turned)
        out[row] = turned
    out[out[..., 0] < 0.0] *= -1.0
    return out


def _voice(corpus: Corpus, row_clip: I32, row_frame: I32) -> tuple[F32, F32, Bool]:
    """Return each row's loudness by shape, mean timbre over its voiced frames, and whether it has one."""
    start = corpus.start[row_clip].astype(np.int64)
    at = (2 * start + row_frame)[:, None] + np.arange(ROW)
    envelope = corpus.envelope[at].astype(np.float32)
    envelope -= envelope.mean(axis=1, keepdims=True)
    frames = (start + row_frame // 2)[:, None] + np.arange(FPS)
    voiced = corpus.voiced[frames]
    count = voiced.sum(axis=1)
    total = np.einsum("wf,wfk->wk", voiced.astype(np.float32), corpus.coefficient[frames])
    has = count >= VOICED_FRAMES
    timbre = np.where(has[:, None], total / np.maximum(count, 1)[:, None], 0.0).astype(np.float32)
    return envelope, timbre, has
