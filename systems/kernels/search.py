"""Which rows of a repertoire continue best from where she is: three distances each, then the least sum of ranks.

Poses come first: the audio of a block of rows is read only if one of them is in reach.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from .arrays import F64, I32, Bool
from .compiled import njit
from .ranks import AUDIO, POSE, TIMBRE, Ranking, least_part, ranking
from .ranks import PARTS as PARTS
from .rows import AUDIO_AT, BLOCK, JOINTS, LARGEST, TIMBRE_AT, Packed, angle, apart, chords, is_usable
from .rows import POSE as POSE_ROW
from .rows import pack as pack
from .rows import pose as pose_distance

Workspace: TypeAlias = "tuple[I32, F64, F64, I32, Ranking]"


def workspace(rows: int, k: int) -> Workspace:
    """Return the arrays that one search at a time works in. rows: of the packed repertoire; k: results asked for."""
    return (
        np.zeros(rows, np.int32),  # eligible rows
        np.zeros(rows),  # square of the largest chord of each
        np.zeros((JOINTS + 4, BLOCK)),  # one block's: chords, largest, pose, envelope, timbre
        np.zeros(BLOCK, np.int32),  # its eligible rows
        ranking(max(rows, 1), max(k, 1)),
    )


@njit(cache=True, allocates=False)
def _square_of(limit: float) -> float:
    """Return the largest square of a chord whose `angle` is within the limit, to the last digit; -1 for none."""
    if not limit >= 0.0:
        return -1.0
    if limit >= math.pi:
        return math.inf
    square = 4.0 * math.sin(0.25 * limit) ** 2 * (1.0 + 1e-15)
    for _ in range(64):  # about 10 steps of the last digit; a square too small for digits ends at 0
        if angle(square) <= limit:
            return square
        square *= 1.0 - 1.2e-16
    return 0.0


@njit(cache=True, allocates=False, nogil=True)
def distances(
    packed: Packed,
    legal: Bool,
    here: F64,
    envelope: F64,
    timbre: F64,
    has_timbre: bool,
    limit: float,
    first: int,
    stop: int,
    count: int,
    work: Workspace,
) -> tuple[int, int]:
    """Add the eligible ones of some packed rows to `work`; return (how many so far, legal rows refused for jump).

    Eligible = legal and the largest of the 8 angles within the limit. All may be done in slices, in order.

    packed: from `pack`; legal: (W,) of all rows; here: (8, 4) wxyz unit, where she is; envelope: (60,) dB, mean
    removed; timbre: (13,); limit: rad; first, stop: packed rows; count: eligible ones before them, 0 at first

    An envelope or a timbre that is not finite counts for nothing, all rows are equally far; a `here` that is not
    finite reaches nothing.
    """
    block, row, voiced = packed
    eligible, square, scratch, chosen, lists = work
    distance = lists[0]
    bound = _square_of(limit)
    if not is_usable(here.reshape(4 * JOINTS)):
        bound = -1.0
    hears, knows = is_usable(envelope), has_timbre and is_usable(timbre)
    refused = 0
    largest, pose, audio, tone = scratch[LARGEST], scratch[POSE_ROW], scratch[JOINTS + 2], scratch[JOINTS + 3]
    start = first
    while start < stop:
        b, at = start // BLOCK, start % BLOCK
        n = min(BLOCK - at, stop - start)
        chords(block[b], at, n, here, scratch)
        reached, banned = 0, 0
        for e in range(n):  # without a branch: which rows pass is as good as random
            allowed = legal[row[start + e]]
            chosen[reached] = e
            reached += allowed & (largest[e] <= bound)
            banned += not allowed
        refused += n - banned - reached
        if reached == 0:
            start += n
            continue
        pose_distance(n, bound, scratch)
        if hears:
            apart(block[b, AUDIO_AT:TIMBRE_AT], at, n, envelope, audio)
        if knows:
            apart(block[b, TIMBRE_AT:], at, n, timbre, tone)
        for i in range(reached):
            e = chosen[i]
            eligible[count + i] = row[start + e]
            square[count + i] = largest[e]
            distance[POSE, count + i] = pose[e]
            distance[AUDIO, count + i] = audio[e] if hears else 0.0
            distance[TIMBRE, count + i] = tone[e] if knows and voiced[start + e] else -1.0
        count += reached
        start += n
    return count, refused


@njit(cache=True, allocates=False, nogil=True)
def rank(count: int, work: Workspace, rows: I32, ranks: I32, jump: F64) -> int:
    """Write the first K eligible rows by rank sum and return how many there are (`ranks.least`).

    count: from `distances`; rows: (K,) i32 repertoire rows; ranks: (K, 3) i32 audio, timbre, pose; jump: (K,) rad
    """
    listed = 0
    for part in range(PARTS):
        listed = rank_part(part, count, work, rows, ranks, jump)
    return listed


@njit(cache=True, allocates=False, nogil=True)
def rank_part(part: int, count: int, work: Workspace, rows: I32, ranks: I32, jump: F64) -> int:
    """Do one of the PARTS of `rank`, in order, for a tick that has time for no more; the last returns what it does."""
    eligible, square, _, _, lists = work
    listed = least_part(part, lists, count, rows, ranks)
    if part == PARTS - 1:
        for i in range(listed):
            e = rows[i]
            rows[i] = eligible[e]
            jump[i] = angle(float(square[e]))
    return listed


@njit(cache=True, allocates=False, nogil=True)
def nearest(packed: Packed, legal: Bool, here: F64, work: Workspace) -> tuple[int, float]:
    """Return the legal row of the least jump, the first of equals, and that jump in rad; (-1, inf) if there is none.

    For a forced cut: no limit holds. packed, legal, here, work as in `distances`.
    """
    block, row, _ = packed
    scratch = work[2]
    found, least_square = -1, math.inf
    if is_usable(here.reshape(4 * JOINTS)):
        for b in range(block.shape[0]):
            start = b * BLOCK
            n = min(BLOCK, row.shape[0] - start)
            chords(block[b], 0, n, here, scratch)
            for e in range(n):
                if scratch[LARGEST, e] < least_square and legal[row[start + e]]:
                    found, least_square = row[start + e], scratch[LARGEST, e]
    return found, angle(least_square) if found >= 0 else math.inf


@njit(cache=True, allocates=False)
def row_at(clips: I32, frames: I32, legal: Bool, clip: int, frame: int, length: int) -> int:
    """Return the last row of a clip that begins at or before a frame, -1 if it ends before or is not legal.

    Between two rows the end of one is played and the beginning of the next: both must be legal.

    clips, frames: (W,) i32, of each row, both rising; legal: (W,); length: frames of a row
    """
    low, high = 0, clips.shape[0]
    while low < high:
        middle = (low + high) // 2
        if clips[middle] < clip or (clips[middle] == clip and frames[middle] <= frame):
            low = middle + 1
        else:
            high = middle
    row = low - 1
    if row < 0 or clips[row] != clip or frame - frames[row] >= length:
        return -1
    later = row
    if low < clips.shape[0] and clips[low] == clip and frame > frames[row]:
        later = low
    return row if legal[later] else -1


def best(
    packed: Packed,
    legal: Bool,
    here: F64,
    envelope: F64,
    timbre: F64,
    has_timbre: bool,
    limit: float,
    work: Workspace,
    rows: I32,
    ranks: I32,
    jump: F64,
) -> tuple[int, int, int]:
    """Write the K best rows in order and return (how many, how many were eligible, how many refused for jump).

    Order: sum of the three ranks, then pose rank, then row; ranks among the eligible only. Arguments as in
    `distances` and `rank`.
    """
    count, refused = distances(packed, legal, here, envelope, timbre, has_timbre, limit, 0, packed[1].shape[0], 0, work)
    return rank(count, work, rows, ranks, jump), count, refused
