"""The likeliest path through noisy class scores, kept as it grows: no class is left before it has lasted 20 ms.

Each class is two states in a row of which the second may last. A path's newest part still changes; asked for a frame a
little later, the path has settled.
"""

from __future__ import annotations

import math

import numpy as np

from .arrays import F32, F64, I32, I64
from .compiled import njit

CLASSES = 15
STATES = 2 * CLASSES
KEEP = 128  # frames of the way back: 1.28 s
CLOSED = 1  # the class of closed lips (p, b, m)
LEAST = 3  # frames that lips stay closed, or open, once they are: 30 ms
SLOTS = 16  # frames of which some heads have spoken and others have not, at most
TAIL = 4  # floats after the scores: frames so far, lips closed 1 or 0, frames since that changed, probability of it


@njit(cache=True)
def _norm(logit: F64 | F32) -> float:
    """Return what makes logits of the classes log probabilities when it is taken off."""
    most = logit[0]
    for c in range(1, CLASSES):
        most = max(most, logit[c])
    total = 0.0
    for c in range(CLASSES):
        total += math.exp(logit[c] - most)
    return float(most + math.log(total))


@njit(cache=True)
def advance(
    logit: F64, prior: F64, stay: F64, enter: F64, weigh: float, closes: float, push: float, state: F64, back: I32
) -> None:
    """Take the scores of one more frame.

    logit: (15,), any common offset
    prior: (15,) log of how often a class is right when nothing is heard; weigh: share of it that is taken off
    stay: (15,) log probability that a class goes on; enter: (15, 15) log probability of each after each
    closes: probability from which lips count as closed, until it falls to 0.6 of that; push: log bonus while they do
    state: (STATES + TAIL,), back: (KEEP, STATES), zeros at the start
    """
    norm = _norm(logit)
    count = int(state[STATES])
    likely = math.exp(logit[CLOSED] - norm)
    state[STATES + 2] += 1.0
    is_closed = state[STATES + 1] > 0.0
    if state[STATES + 2] >= LEAST and (likely > closes if not is_closed else likely < 0.6 * closes):
        state[STATES + 1] = 0.0 if is_closed else 1.0
        state[STATES + 2] = 0.0
        is_closed = not is_closed
    state[STATES + 3] = likely
    row = back[count % KEEP]
    before = state[:STATES].copy()
    best = -1e300
    for c in range(CLASSES):
        score = max(logit[c] - norm, -11.5) - weigh * prior[c]
        if c == CLOSED:
            score += push if is_closed else -push
        last = 2 * c + 1
        if before[2 * c] >= before[last] + stay[c]:
            state[last], row[last] = before[2 * c] + score, 2 * c
        else:
            state[last], row[last] = before[last] + stay[c] + score, last
        came, origin = -1e300, 0
        for q in range(CLASSES):
            if q != c and before[2 * q + 1] + enter[q, c] > came:
                came, origin = before[2 * q + 1] + enter[q, c], 2 * q + 1
        state[2 * c], row[2 * c] = came + score, origin
        best = max(best, max(state[2 * c], state[last]))
    for s in range(STATES):
        state[s] -= best
    state[STATES] = count + 1


@njit(cache=True)
def path(state: F64, back: I32, first: int, out: I32) -> int:
    """Write the classes of frames first, first + 1, .. on the path that is likeliest by now; return frames known.

    Before the first frame is class 0, after the newest the newest is held.
    """
    count = int(state[STATES])
    at = 0
    for s in range(1, STATES):
        if state[s] > state[at]:
            at = s
    last = first + out.shape[0] - 1
    for k in range(max(count, last + 1) - 1, first - 1, -1):
        if k < first + out.shape[0]:
            out[k - first] = at // 2 if k >= 0 and count > 0 else 0
        if 0 < k < count and k > count - KEEP:
            at = back[k % KEEP, at]
    return count


@njit(cache=True)
def blend(rows: F32, dull: F32, first: int, delay: I64, share: F64, part: float, pending: F64, out: F32) -> int:
    """Write what all heads say of a frame, with and without treble, and return of how many frames all have spoken now.

    Log probabilities are averaged: a class is likely where nobody denies it.

    rows, dull: (n, 15 H) logits of both readings; first: frame of rows[0]; delay: (H,) frames each head waits < SLOTS
    share: (H,) of each head, 1 in all; part: of the dull reading, 0..1
    pending: (SLOTS, 15), zeros at the start
    out: (>= n, 15), written: frame max(first - max(delay), 0) and those after it
    """
    last = 0
    for h in range(delay.shape[0]):
        last = max(last, delay[h])
    done = 0
    for k in range(rows.shape[0]):
        for h in range(delay.shape[0]):
            frame = first + k - delay[h]
            if frame < 0:
                continue
            slot = pending[frame % SLOTS]
            for reading in range(2):
                row = rows[k] if reading == 0 else dull[k]
                said = row[h * CLASSES : (h + 1) * CLASSES]
                norm = _norm(said)
                weight = share[h] * (part if reading == 1 else 1.0 - part)
                for c in range(CLASSES):
                    slot[c] += weight * (said[c] - norm)
        if first + k >= last:
            slot = pending[(first + k - last) % SLOTS]
            for c in range(CLASSES):
                out[done, c] = slot[c]
                slot[c] = 0.0
            done += 1
    return done


@njit(cache=True)
def take(
    rows: F32, first: int, head: int, delay: int, quiet: F64, prior: F64, stay: F64, enter: F64, weigh: float,
    closes: float, push: float, state: F64, back: I32,
) -> None:  # fmt: skip
    """Take what one head of the net says.

    rows: (n, 15 H) logits; first: frame of rows[0]; delay: frames the head waits
    quiet: (F,) log score that silence is given in each frame of what is said, by word times; beyond its end none
    """
    logit = np.empty(CLASSES)
    for k in range(rows.shape[0]):
        if first + k >= delay:
            for c in range(CLASSES):
                logit[c] = rows[k, head * CLASSES + c]
            if first + k - delay < quiet.shape[0]:
                logit[0] += quiet[first + k - delay]
            advance(logit, prior, stay, enter, weigh, closes, push, state, back)


@njit(cache=True)
def follow(
    logits: F64, lag: int, prior: F64, stay: F64, enter: F64, weigh: float, closes: float, push: float, state: F64,
    back: I32, out: I32,
) -> None:  # fmt: skip
    """Write the class of each frame of a whole recording, each decided `lag` frames later. logits: (F, 15)."""
    frames = logits.shape[0]
    for k in range(frames + lag):
        if k < frames:
            advance(logits[k], prior, stay, enter, weigh, closes, push, state, back)
        if k >= lag:
            path(state, back, k - lag, out[k - lag : k - lag + 1])
