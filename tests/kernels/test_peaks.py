"""Which peaks stand out, against scipy and against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.systems.kernels import peaks


def curve(seed: int, n: int = 300):
    return np.cumsum(np.random.default_rng(seed).standard_normal(n)) * 0.3


def marked(x, height=-1.0, prominence=0.5):
    is_peak = np.zeros(len(x), np.bool_)
    peaks.mark(x, height, prominence, is_peak)
    return is_peak


@given(seed=st.integers(0, 9999))
@settings(max_examples=50)
def test_peaks_are_those_of_scipy(seed):
    signal = pytest.importorskip("scipy.signal", reason="scipy, the oracle, is not installed (extra: dev)")
    x = curve(seed)
    want, _ = signal.find_peaks(x, height=-1.0, prominence=0.5)
    np.testing.assert_array_equal(np.flatnonzero(marked(x)), want)


@given(seed=st.integers(0, 9999), apart=st.integers(1, 60))
@settings(max_examples=50)
def test_of_two_that_are_too_close_the_higher_stays(seed, apart):
    x = curve(seed)
    before = marked(x)
    after = before.copy()
    found = np.flatnonzero(before)
    peaks.thin(found[np.argsort(-x[found], kind="stable")].astype(np.int64), apart, after)
    kept = np.flatnonzero(after)
    assert (np.diff(kept) >= apart).all()
    for gone in np.flatnonzero(before & ~after):
        near = kept[np.abs(kept - gone) < apart]
        assert len(near) > 0
        assert x[near].max() >= x[gone]


@pytest.mark.parametrize("n", [0, 1, 2])
def test_a_curve_too_short_for_a_peak_has_none(n):
    assert not marked(np.ones(n)).any()
