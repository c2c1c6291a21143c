"""A second of a voice against numpy: the same numbers to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesics.systems.kernels import sound

FLOOR = -30.0


def by_numpy(
    envelope: np.ndarray, coefficient: np.ndarray, voiced: np.ndarray, first: int, frame: int, is_open: bool
) -> tuple[np.ndarray, np.ndarray, int]:
    shape = np.full(60, FLOOR)
    a, b = max(first, 0), min(first + 60, len(envelope))
    if b > a:
        shape[a - first : b - first] = envelope[a:b]
        if is_open:
            shape[b - first :] = shape[a - first : b - first].mean()
    shape -= shape.mean()
    frames = slice(max(frame, 0), max(frame + 100, 0))
    heard = coefficient[frames][voiced[frames]]
    return shape, heard.mean(axis=0).astype(np.float64) if len(heard) else np.zeros(13), len(heard)


@given(
    seed=st.integers(0, 2**32 - 1), seconds=st.floats(0.0, 3.0), at=st.floats(-1.5, 3.5), is_open=st.booleans(),
    share=st.floats(0.0, 1.0),
)  # fmt: skip
def test_a_second_is_that_of_numpy_bit_for_bit(
    seed: int, seconds: float, at: float, is_open: bool, share: float
) -> None:
    rng = np.random.default_rng(seed)
    envelope = (rng.normal(size=round(60 * seconds)) * 8).astype(np.float32)
    frames = round(100 * seconds)
    coefficient, voiced = (rng.normal(size=(frames, 13)) * 20).astype(np.float32), rng.random(frames) < share
    shape, timbre = np.full(60, np.nan), np.full(13, np.nan)
    asked = envelope, coefficient, voiced, round(60 * at), round(100 * at), is_open
    count = sound.second(*asked, FLOOR, shape, timbre)
    want = by_numpy(*asked)
    assert count == want[2]
    assert shape.tolist() == want[0].tolist()
    assert timbre.tolist() == want[1].tolist()


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 60, 127, 128])
def test_a_sum_is_that_of_numpy_bit_for_bit(n: int) -> None:
    values = np.random.default_rng(n).normal(size=n + 5) * 1e3
    assert sound.total(values, 3, n) == values[3 : 3 + n].sum()
