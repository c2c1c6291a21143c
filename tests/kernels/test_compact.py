"""The search over millions of rows against its plain definition, on what is stored: sort all, count, add the ranks."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.systems.kernels import compact, prune

LIMIT = np.radians(55.0)
K = 16
seeds = st.integers(0, 2**32 - 1)


class Rows(NamedTuple):
    pose: np.ndarray
    envelope: np.ndarray
    timbre: np.ndarray
    voiced: np.ndarray


def random_rows(rng: np.random.Generator, count: int, *, spread: float = 0.17, coarse: bool = False) -> Rows:
    """Rows of which about half are in reach at the default spread; coarse ones are full of ties."""
    turn = rng.normal(size=(count, 8, 3)) * spread
    envelope, timbre = rng.normal(size=(count, 60)) * 6.0, rng.normal(size=(count, 13)) * 20.0
    if coarse:
        turn, envelope, timbre = np.round(turn * 4) / 4, np.round(envelope / 12) * 12, np.round(timbre / 30) * 30
        turn[:, 2:], envelope[:, 2:], timbre[:, 2:] = 0.0, 0.0, 0.0
    pose = np.concatenate([np.ones((count, 8, 1)), turn], axis=2)
    pose *= rng.choice([-1.0, 1.0], size=(count, 8, 1))  # q and -q are one rotation
    pose /= np.linalg.norm(pose, axis=2, keepdims=True)
    return Rows(
        pose.astype(np.float32), envelope.astype(np.float32), timbre.astype(np.float32), rng.random(count) < 0.9
    )


def question(rng: np.random.Generator, count: int = 1, *, limit: float = LIMIT, barred: int = 5, of: int = 100):
    here = np.concatenate([np.ones((count, 8, 1)), rng.normal(size=(count, 8, 3)) * 0.02], axis=2)
    here /= np.linalg.norm(here, axis=2, keepdims=True)
    bars = [np.unique(rng.integers(0, of, barred)).astype(np.int32) for _ in range(count)]
    return compact.questions(
        here,
        rng.normal(size=(count, 60)) * 6.0,
        rng.normal(size=(count, 13)) * 20.0,
        np.ones(count, bool),
        np.full(count, limit),
        bars,
    )


def stored(packed: compact.Compact) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    features, sound, _, row, voiced = packed
    flat = features.transpose(0, 2, 1).reshape(-1, features.shape[1])[: row.size]
    return flat[:, :32].reshape(-1, 8, 4), sound[: row.size, :60], flat[:, 32:], voiced[: row.size]


def plain(packed: compact.Compact, asked: compact.Questions, q: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return three distances of each row as the definition has them, FAR where it is none."""
    pose, envelope, timbre, voiced = stored(packed)
    here, heard, tone, hears, knows, bound, bars = (part[q] for part in asked)
    number, other = pose.astype(np.float32), here.reshape(8, 4).astype(np.float32)
    a, b, c, d = np.moveaxis(number - other, 2, 0)
    straight = (a * a + b * b) + (c * c + d * d)
    w, x, y, z = np.moveaxis(number, 2, 0)
    v = other.T
    both = np.float32(2) * ((w * w + x * x) + (y * y + z * z)) + np.float32(2) * (
        (v[0] * v[0] + v[1] * v[1]) + (v[2] * v[2] + v[3] * v[3])
    )
    chord = np.minimum(straight, both - straight)
    near = chord.max(axis=1) <= bound
    near[[r for r in bars if r < near.size]] = False
    one, two, three = compact._C
    total = np.zeros(len(pose), np.float32)
    for j in range(8):
        s = chord[:, j]
        total += s * (one + s * (two + s * three))
    far = int(compact.FAR)
    turned = np.where(near, (total * np.float32(compact.POSE_STEPS)).astype(np.int64), far)
    audio = ((envelope.astype(np.int64) - heard[:60]) ** 2).sum(axis=1) if hears else np.zeros(len(pose), np.int64)
    tones = ((timbre.astype(np.int64) - tone) ** 2).sum(axis=1)
    return np.where(near, audio, far), np.where(near & voiced & knows, tones, far), turned


def brute(distances: tuple[np.ndarray, ...], k: int = K) -> tuple[np.ndarray, np.ndarray]:
    """Return the first packed rows and their ranks by sorting everything."""
    audio, timbre, pose = distances
    far = int(compact.FAR)
    near = np.flatnonzero(pose != far)
    heard = np.sort(timbre[timbre != far])
    ranks = np.empty((near.size, 3), np.int64)
    ranks[:, 0] = np.searchsorted(np.sort(audio[near]), audio[near])
    ranks[:, 1] = np.where(
        timbre[near] == far, max((heard.size - 1) // 2, 0), np.searchsorted(heard, timbre[near], side="left")
    )
    ranks[:, 2] = np.searchsorted(np.sort(pose[near]), pose[near])
    order = np.lexsort((near, ranks[:, 2], ranks.sum(axis=1)))[:k]
    return near[order], ranks[order]


def searched(
    packed: compact.Compact, asked: compact.Questions, q: int, limit: np.ndarray, pieces: int = 1, k: int = K
) -> tuple[int, np.ndarray, np.ndarray]:
    count, blocks = packed[3].size, packed[0].shape[0]
    held, work, ranked = prune.kept(1, count), compact.scratch(), prune.ranker(count, k)
    alone = tuple(part[q : q + 1] for part in asked)
    held[3][0] = limit
    cuts = np.linspace(0, blocks, pieces + 1).astype(int)
    for first, stop in pairwise(cuts.tolist()):
        prune.sweep(packed, alone, first, stop, work, held)
    rows, ranks = np.full(k, -1, np.int32), np.full((k, 3), -1, np.int32)
    lists, candidate, counted, most = (part[0] for part in held)
    return prune.first_of(packed, lists, candidate, counted, most, ranked, rows, ranks), rows, ranks


def everything() -> np.ndarray:
    return np.array([compact.FAR - 1] * 3 + [1], np.int32)


def limits(packed: compact.Compact, asked: compact.Questions, q: int, widen: float = 1.0, k: int = K) -> np.ndarray:
    out, count = np.zeros(4, np.int32), packed[3].size
    prune.limits(
        prune.sampled(packed), count, asked, q, k, widen, compact.scratch(), prune.ranker(count, k), out
    )  # fmt: skip
    return out


def pack(rows: Rows, keep: np.ndarray | None = None) -> compact.Compact:
    return compact.pack(*rows, np.ones(len(rows.pose), bool) if keep is None else keep)


@settings(deadline=None, max_examples=20)
@given(
    seed=seeds, count=st.sampled_from([0, 1, 15, 255, 256, 257, 700]), coarse=st.booleans(),
    reach=st.sampled_from([-1.0, 1e-3, 40.0, 55.0, 70.0, 180.0]), voiced=st.sampled_from([None, False, True]),
    pieces=st.integers(1, 3),
)  # fmt: skip
def test_the_first_rows_are_those_of_sorting_everything(seed, count, coarse, reach, voiced, pieces):
    """With none, one or all eligible, with ties, with no voice, in one piece or several."""
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, count, coarse=coarse)
    if voiced is not None:
        rows = rows._replace(voiced=np.full(count, voiced))
    packed = pack(rows, rng.random(count) < 0.9)
    asked = question(rng, limit=np.radians(min(reach, 60.0)))  # beyond 63 degrees the definition has another formula
    got, found, ranks = searched(packed, asked, 0, everything(), pieces)
    want, want_ranks = brute(plain(packed, asked, 0))
    assert got == want.size
    np.testing.assert_array_equal(found[:got], packed[3][want])
    np.testing.assert_array_equal(ranks[:got], want_ranks)


@settings(deadline=None, max_examples=12)
@given(seed=seeds, shares=st.tuples(*[st.floats(0.01, 1.0)] * 3), mute=st.booleans(), coarse=st.booleans())
def test_what_was_kept_proves_the_result_or_asks_for_more(seed, shares, mute, coarse):
    rng = np.random.default_rng(seed)
    packed = pack(random_rows(rng, 3000, coarse=coarse))
    asked = question(rng)
    distances = plain(packed, asked, 0)
    most = [int(np.quantile(d[d < int(compact.FAR)], share)) for d, share in zip(distances, shares)]
    got, found, ranks = searched(packed, asked, 0, np.array([*most, mute], np.int32))
    if got >= 0:
        want, want_ranks = brute(distances)
        np.testing.assert_array_equal(found, packed[3][want])
        np.testing.assert_array_equal(ranks, want_ranks)
    if min(shares) > 0.9 and mute and not coarse:
        assert got == K


@pytest.mark.parametrize("spread", [0.1, 0.226])
def test_a_large_repertoire_needs_a_fraction_and_gives_the_same(spread: float) -> None:
    """All rows in reach, and a quarter: a tenth or so of the distances is kept, and nothing is found twice."""
    rng = np.random.default_rng(3)
    packed = pack(random_rows(rng, 20_000, spread=spread))
    asked = question(rng, 3)
    for q in range(3):
        most = limits(packed, asked, q)
        distances = plain(packed, asked, q)
        near = distances[2] < int(compact.FAR)
        assert all((d[near] <= m).mean() < 0.5 for d, m in zip(distances, most))
        got, found, ranks = searched(packed, asked, q, most)
        want, want_ranks = brute(distances)
        assert got == K
        np.testing.assert_array_equal(found, packed[3][want])
        np.testing.assert_array_equal(ranks, want_ranks)


def test_questions_in_one_pass_get_what_each_gets_alone() -> None:
    rng = np.random.default_rng(4)
    packed = pack(random_rows(rng, 2000))
    asked = question(rng, 5)
    held, work, ranked = prune.kept(5, 2000), compact.scratch(), prune.ranker(2000, K)
    held[3][:] = [limits(packed, asked, q) for q in range(5)]
    prune.sweep(packed, asked, 0, packed[0].shape[0], work, held)
    for q in range(5):
        rows, ranks = np.zeros(K, np.int32), np.zeros((K, 3), np.int32)
        got = prune.first_of(packed, *(part[q] for part in held), ranked, rows, ranks)
        alone = searched(packed, asked, q, limits(packed, asked, q))
        assert got == alone[0]
        np.testing.assert_array_equal(rows, alone[1])
        np.testing.assert_array_equal(ranks, alone[2])


def test_no_row_is_in_reach_that_jumps_farther_than_the_limit() -> None:
    """A stored angle is off by less than ROUNDING, and that much is taken off the limit."""
    rng = np.random.default_rng(5)
    rows = random_rows(rng, 4000, spread=0.2)
    packed = pack(rows)
    here = rows.pose[0].astype(np.float64)
    for limit in (20.0, 55.0, 63.0, 90.0):
        asked = compact.questions(
            here[None],
            np.zeros((1, 60)),
            np.zeros((1, 13)),
            np.zeros(1, bool),
            np.radians([limit]),
            [np.zeros(0, np.int32)],
        )
        held, work = prune.kept(1, 4000), compact.scratch()
        held[3][0] = everything()
        prune.sweep(packed, asked, 0, packed[0].shape[0], work, held)
        picked = held[1][0, 0, : held[2][0, prune.CANDIDATES]]
        a, b = rows.pose.astype(np.longdouble), here.astype(np.longdouble)
        chord = np.sqrt(np.minimum(((a - b) ** 2).sum(-1), ((a + b) ** 2).sum(-1)))
        jump = np.degrees(4.0 * np.arcsin(np.minimum(chord / 2, np.sqrt(0.5)))).max(axis=1).astype(float)
        assert jump[picked].max() <= limit
        assert abs(picked.size - (jump <= limit).sum()) <= 10
        assert 0 in picked


def test_poses_rank_as_their_angles_do() -> None:
    """What is stored is rounded and the series is cut: neither moves a pose past one a thousandth farther away."""
    rng = np.random.default_rng(6)
    rows = random_rows(rng, 3000, spread=0.35)
    packed = pack(rows)
    asked = question(rng, limit=np.pi, barred=0)
    work = compact.scratch()
    square, got = np.zeros(3000), np.zeros(3000)
    for b in range(packed[0].shape[0]):
        compact.unpack(packed[0][b], work[0], work[1])
        compact.distances(packed, asked, 0, b, work)
        n = min(compact.BLOCK, 3000 - b * compact.BLOCK)
        got[b * compact.BLOCK :][:n] = work[3][2, :n] / compact.POSE_STEPS
    here = asked[0][0].reshape(8, 4) / compact.ONE
    a, b2 = rows.pose.astype(np.float64), here / np.linalg.norm(here, axis=1, keepdims=True)
    chord = np.sqrt(np.minimum(((a - b2) ** 2).sum(-1), ((a + b2) ** 2).sum(-1)))
    square = (4.0 * np.arcsin(np.minimum(chord / 2, np.sqrt(0.5))) ** 2 * 4.0).sum(axis=1)
    assert np.degrees(4.0 * np.arcsin(chord.max() / 2)) > 63.0
    np.testing.assert_allclose(got, square, rtol=1e-3)


def test_rows_that_are_not_finite_are_left_out_and_questions_that_are_not_reach_nothing() -> None:
    rng = np.random.default_rng(7)
    rows = random_rows(rng, 300)
    rows.pose[3, 0, 0], rows.envelope[5, 7], rows.timbre[8, 2] = np.nan, np.inf, np.nan
    rows.voiced[8], rows.voiced[9] = True, False
    rows.timbre[9] = np.nan  # a voiceless row's timbre is never read
    packed = pack(rows)
    assert {3, 5, 8}.isdisjoint(packed[3].tolist())
    assert 9 in packed[3]
    here = np.tile([1.0, 0.0, 0.0, 0.0], (2, 8, 1))
    here[1, 4, 2] = np.nan
    asked = compact.questions(
        here,
        np.full((2, 60), np.nan),
        np.full((2, 13), np.inf),
        np.ones(2, bool),
        np.full(2, LIMIT),
        [np.zeros(0, np.int32)] * 2,
    )
    got, _, ranks = searched(packed, asked, 0, everything())
    assert got == K
    assert (ranks[:, :2] == 0).all(), "a voice that is no number makes all rows equally far"
    assert searched(packed, asked, 1, everything())[0] == 0


def test_the_nearest_is_the_least_jump_and_the_first_of_equals() -> None:
    rng = np.random.default_rng(8)
    rows = random_rows(rng, 600, spread=0.6)
    rows.pose[500] = rows.pose[40]
    packed = pack(rows)
    here = compact.quaternions(rows.pose[40]).reshape(-1)
    row, square = compact.nearest(packed, here, compact.scratch())
    assert (row, square) == (40, 0.0)
    assert compact.nearest(pack(rows, np.zeros(600, bool)), here, compact.scratch()) == (-1, np.inf)


def test_a_search_allocates_nothing_and_lets_other_threads_run() -> None:
    from kinesics.systems.kernels.compiled import KERNELS

    for name in ("compact.distances", "compact.nearest", "prune.limits", "prune.sweep", "prune.first_of"):
        options = getattr(KERNELS[name], "targetoptions", None)
        if options is not None:
            assert options["nogil"], name
            assert not options["_nrt"], name


def test_distances_measured_before_are_ranked_as_those_of_one_pass() -> None:
    rng = np.random.default_rng(9)
    packed = pack(random_rows(rng, 3000))
    asked = question(rng)
    lists = np.empty((3, len(packed[4])), np.int32)
    compact.measure(packed, asked, 0, 0, packed[0].shape[0], compact.scratch(), lists)
    for got, want in zip(lists[:, :3000], plain(packed, asked, 0)):
        np.testing.assert_array_equal(got, want)
    assert (lists[:, 3000:] == compact.FAR).all()
    held, ranked = prune.kept(1, 3000), prune.ranker(3000, K)
    held[3][0] = most = limits(packed, asked, 0)
    prune.sift(lists, int((lists[2] < compact.FAR).sum()), int((lists[1] < compact.FAR).sum()), compact.scratch(), held)
    found, ranks = np.zeros(K, np.int32), np.zeros((K, 3), np.int32)
    assert prune.first_of(packed, *(part[0] for part in held), ranked, found, ranks) == K
    np.testing.assert_array_equal(found, searched(packed, asked, 0, most)[1])
