"""Two parts of her are as far apart as the picture shows, every pair of them, on every tick."""

from __future__ import annotations

import math
import platform
import re
import time

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.systems.kernels import capsule, gaps
from kinesics.systems.kernels.compiled import njit

NONE = np.float32(10.0)  # allowance of a pair that is not tested
F64 = npt.NDArray[np.float64]


def _table(start: F64, axis: F64, radius: F64, lefts: int, rights: int) -> tuple[F64, npt.NDArray[np.int32]]:
    """Return (7, N) capsules in the kernels' columns and their bounds. start, axis: (n, 3), arms first."""
    fill = (-rights) % gaps.BLOCK
    body = len(start) - lefts - rights
    wide = lefts + rights + fill + body + (-body) % gaps.BLOCK
    caps = np.zeros((7, wide))
    caps[6] = -1.0
    place = np.r_[0 : lefts + rights, lefts + rights + fill : lefts + rights + fill + body]
    caps[:3, place], caps[3:6, place], caps[6, place] = start.T, axis.T, radius
    groups = (
        np.linspace(0, lefts, 4).astype(int).tolist() + (lefts + np.linspace(0, rights, 4)[1:]).astype(int).tolist()
    )
    return caps, np.array([lefts, lefts + rights, lefts + rights + fill, *groups], np.int32)


def _drawn(
    seed: int, lefts: int = 12, rights: int = 11, body: int = 50, spread: float = 0.3
) -> tuple[F64, npt.NDArray[np.int32]]:
    draw = np.random.default_rng(seed)
    count = lefts + rights + body
    start = draw.uniform(-spread, spread, (count, 3)) + np.array([0.0, 1.2, 0.0])
    axis = draw.normal(size=(count, 3)) * draw.choice([0.0, 0.02, 0.06, 0.3], (count, 1))
    axis[draw.random(count) < 0.3] = axis[0]  # parallel to each other
    return _table(start, axis, draw.uniform(0.005, 0.06, count), lefts, rights)


def _allow(caps: F64, bound: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
    allow = np.full((bound[gaps.ARMS], caps.shape[1]), NONE, np.float32)
    real = caps[6] >= 0.0
    allow[: bound[gaps.LEFTS], bound[gaps.LEFTS] :] = 0.0
    allow[bound[gaps.LEFTS] :, bound[gaps.BODY] :] = 0.0
    allow[:, ~real] = NONE
    return allow


def _exact(caps: F64, i: int, j: int) -> float:
    """Return the gap as the least over every way a nearest point can lie: at the ends, or inside both axes."""
    c = caps.astype(np.longdouble)
    p, u, q, v = c[:3, i], c[3:6, i], c[:3, j], c[3:6, j]
    r, a, e, b = p - q, u @ u, v @ v, u @ v
    tries = []
    for t in (0.0, 1.0):
        tries.append((np.clip((b * t - u @ r) / a, 0, 1) if a > 0 else 0.0, t))
    for s in (0.0, 1.0):
        tries.append((s, np.clip((b * s + v @ r) / e, 0, 1) if e > 0 else 0.0))
    det = a * e - b * b
    if det > 1e-25:
        s, t = (b * (v @ r) - (u @ r) * e) / det, (a * (v @ r) - b * (u @ r)) / det
        if 0 <= s <= 1 and 0 <= t <= 1:
            tries.append((s, t))
    return float(min(np.sqrt(((r + s * u - t * v) ** 2).sum()) for s, t in tries) - c[6, i] - c[6, j])


def _filled(caps: F64, bound: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    allow = _allow(caps, bound)
    out = np.full(allow.shape, np.nan, np.float32)
    gaps.fill(caps.astype(np.float32), allow, bound, out)
    return out, allow


@pytest.mark.parametrize("seed", range(3))
def test_every_gap_is_right_to_a_fiftieth_of_a_millimetre(seed: int) -> None:
    caps, bound = _drawn(seed)
    found, allow = _filled(caps, bound)
    single = caps.astype(np.float32).astype(np.float64)
    tested = np.argwhere(allow < 1.0)
    assert len(tested) == 12 * 61 + 11 * 50
    worst = max(abs(float(found[i, j]) - _exact(single, int(i), int(j))) for i, j in tested)
    assert worst <= 2e-5, f"{1e3 * worst:.4f} mm"


@pytest.mark.parametrize("angle", [0.0, 1e-6, 1e-4, 1e-3, 1e-2, 0.1])
def test_arms_beside_each_other_are_measured_right_at_any_angle(angle: float) -> None:
    """Axes that are nearly parallel leave single precision few digits: never more than 0.02 mm are lost."""
    draw = np.random.default_rng(3)
    count = 200
    way = draw.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    off = np.cross(way, draw.normal(size=(count, 3)))
    other = way + angle * off / np.linalg.norm(off, axis=1, keepdims=True)
    for k in range(count):
        start = np.array([0.0, 1.2, 0.1]) + np.stack([np.zeros(3), draw.uniform(-0.1, 0.1, 3)])
        caps, bound = _table(start, 0.2 * np.stack([way[k], other[k]]), np.array([0.03, 0.05]), 1, 0)
        found, _ = _filled(caps, bound)
        body = int(bound[gaps.BODY])
        exact = _exact(caps.astype(np.float32).astype(np.float64), 0, body)
        assert abs(float(found[0, body]) - exact) <= 2e-5
        assert abs(capsule.apart(caps, 0, body, np.zeros(6)) - _exact(caps, 0, body)) <= 1e-9


def test_two_fingertips_are_balls_and_one_may_be_in_the_other() -> None:
    start = np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.03]])
    caps, bound = _table(start, np.zeros((2, 3)), np.array([0.01, 0.01]), 1, 0)
    found, _ = _filled(caps, bound)
    assert abs(float(found[0, bound[gaps.BODY]]) - 0.01) < 1e-6
    caps[2, int(bound[gaps.BODY])] = 0.0
    way = np.zeros(6)
    assert abs(capsule.apart(caps, 0, int(bound[gaps.BODY]), way) + 0.02) < 1e-6
    assert np.linalg.norm(way[:3]) == pytest.approx(1.0), "a way out even where none is nearer than another"


def test_axes_that_cross_are_pushed_apart_to_the_side_they_came_from() -> None:
    start = np.array([[-0.1, 1.0, 0.02], [0.0, 0.9, 0.0]])
    axis = np.array([[0.2, 0.0, -0.02], [0.0, 0.2, 0.0]])
    caps, bound = _table(start, axis, np.array([0.03, 0.05]), 1, 0)
    way, j = np.zeros(6), int(bound[gaps.BODY])
    for ahead in (1.0, -1.0):
        caps[2, 0], caps[5, 0] = 0.0, 0.0
        caps[2, j], caps[5, j] = -0.02 * ahead, 0.04 * ahead  # its middle lies at the crossing
        caps[2, j] -= 1e-9 * ahead
        gap = capsule.apart(caps, 0, j, way)
        assert gap == pytest.approx(-0.08, abs=1e-6)
        assert np.isfinite(way).all()
        assert abs(way[0]) < 1e-6, "across both axes, not along the arm"
        assert way[2] * ahead > 0.9, "to the side its middle is on"
        assert np.linalg.norm(way[:3]) == pytest.approx(1.0)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**31), reach=st.floats(0.0, 0.1), spread=st.sampled_from([0.15, 0.4, 1.0]))
def test_leaving_out_what_is_far_finds_the_same_contacts(seed: int, reach: float, spread: float) -> None:
    caps, bound = _drawn(seed, spread=spread)
    found, allow = _filled(caps, bound)
    everything, less = (np.zeros((found.size + 1, 2), np.int32) for _ in range(2))
    count = gaps.among(found, bound, reach, 2 * reach, everything)
    hull = np.zeros((4, 6 + (caps.shape[1] - bound[gaps.LEFTS]) // gaps.BLOCK), np.float32)
    room = np.zeros_like(found)
    other = gaps.near(caps.astype(np.float32), allow, bound, reach, 2 * reach, hull, room, less)
    assert other == count
    assert sorted(map(tuple, less[:other])) == sorted(map(tuple, everything[:count]))
    if spread == 0.15:
        assert count > 0


def test_leaving_out_leaves_out() -> None:
    """Arms in front of her: the blocks behind them are not measured at all, or it would be no gain."""
    caps, bound = _drawn(1)
    caps[2, : int(bound[gaps.BODY])] += 5.0
    allow = _allow(caps, bound)
    room = np.full(allow.shape, 7.0, np.float32)
    hull = np.zeros((4, 6 + (caps.shape[1] - bound[gaps.LEFTS]) // gaps.BLOCK), np.float32)
    pair = np.zeros((allow.size, 2), np.int32)
    gaps.near(caps.astype(np.float32), allow, bound, 0.02, 0.02, hull, room, pair)
    body = room[:, bound[gaps.BODY] :]
    assert ((body == 7.0) | np.isnan(body)).all()


def test_a_capsule_that_is_nowhere_is_no_contact_and_does_not_become_a_number() -> None:
    """Arithmetic that takes every value for a number would make of it a gap of 0, and an arm would be thrown."""
    caps, bound = _drawn(2)
    caps[1, 3] = np.nan
    found, allow = _filled(caps, bound)
    assert np.isnan(found[3][allow[3] < 1.0]).all()
    pair = np.zeros((found.size, 2), np.int32)
    count = gaps.among(found, bound, 1.0, 1.0, pair)
    assert 3 not in pair[:count, 0]


@pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64"), reason="reads x86 assembler")
def test_the_pass_is_vector_code() -> None:
    """Eight pairs at once: lost by one look into an array inside the loop, and nobody sees it but the clock."""
    row = njit(cache=False, allocates=False, fastmath=gaps.FAST, error_model="numpy")(gaps._row.py_func)
    caps, bound = _drawn(1)
    out = np.zeros((int(bound[gaps.ARMS]), caps.shape[1]), np.float32)
    row(caps.astype(np.float32), 0, int(bound[gaps.BODY]), caps.shape[1], _allow(caps, bound), out)
    code = "\n".join(row.inspect_asm().values())
    assert _packed(code), "one pair at a time"


def _packed(code: str) -> bool:
    """Tell whether roots are taken of several values at once: of 8 or 16 where the machine has such registers."""
    return bool(re.search(r"v?sqrtps[^\n]*[yz]mm" if "ymm" in code else r"\bsqrtps", code))


@pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64"), reason="reads x86 assembler")
def test_the_reader_of_vector_code_knows_code_that_is_none() -> None:
    @njit(cache=False, allocates=False, fastmath=gaps.FAST, error_model="numpy")
    def one_by_one(values: npt.NDArray[np.float32], out: npt.NDArray[np.int32]) -> int:
        count = 0
        for k in range(values.shape[0]):
            if math.sqrt(values[k]) < 0.5:
                out[count] = k
                count += 1
        return count

    one_by_one(np.ones(64, np.float32), np.zeros(64, np.int32))
    assert not _packed("\n".join(one_by_one.inspect_asm().values()))


def test_relaxed_arithmetic_is_only_what_keeps_not_a_number() -> None:
    assert {"contract", "nsz", "arcp", "reassoc", "afn"} == gaps.FAST


@pytest.mark.long
def test_the_pass_is_four_times_as_fast_as_numpy() -> None:
    caps, bound = _drawn(4, 29, 29, 116)
    single, allow = caps.astype(np.float32), _allow(caps, bound)
    out, pair = np.zeros(allow.shape, np.float32), np.zeros((allow.size, 2), np.int32)

    def ours() -> None:
        gaps.fill(single, allow, bound, out)
        gaps.among(out, bound, 0.0, 0.0, pair)

    ours()
    assert _least(lambda: _numpy(single, bound)) >= 4.0 * _least(ours)


def _numpy(caps: npt.NDArray[np.float32], bound: npt.NDArray[np.int32]) -> npt.NDArray[np.intp]:
    from kinesics.engine_plugin.bench.collide import numpy_contacts

    return numpy_contacts(caps, bound)


def _least(work: object, runs: int = 300) -> float:
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work()  # type: ignore[operator]
        times.append(time.perf_counter() - began)
    return min(times)
