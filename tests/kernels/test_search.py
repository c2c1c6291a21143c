"""The search against its plain definition: sort everything, count who is nearer, add the ranks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import config, njit
from numba.core.runtime import _nrt_python as nrt

from kinesics.systems.kernels import quat, ranks, search

LIMIT = np.radians(55.0)
seeds = st.integers(0, 2**32 - 1)


class Rows(NamedTuple):
    pose: np.ndarray
    envelope: np.ndarray
    timbre: np.ndarray
    voiced: np.ndarray
    legal: np.ndarray


class Query(NamedTuple):
    here: np.ndarray
    envelope: np.ndarray
    timbre: np.ndarray
    has_timbre: bool


def near_identity(rng: np.random.Generator, spread: float, *shape: int) -> np.ndarray:
    q = np.concatenate([np.ones((*shape, 1)), rng.normal(size=(*shape, 3)) * spread], axis=-1)
    q *= rng.choice([-1.0, 1.0], size=(*shape, 1))  # q and -q are one rotation
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def random_rows(rng: np.random.Generator, count: int, spread: float = 0.17) -> Rows:
    """Rows of which about half are in reach of no rotation at the default spread."""
    return Rows(
        near_identity(rng, spread, count, 8).astype(np.float32),
        (rng.normal(size=(count, 60)) * 6).astype(np.float32),
        rng.normal(size=(count, 13)).astype(np.float32),
        rng.random(count) < 0.9,
        rng.random(count) < 0.8,
    )


def random_query(rng: np.random.Generator) -> Query:
    return Query(near_identity(rng, 0.02, 8), rng.normal(size=60) * 6, rng.normal(size=13), True)


def jumps(pose: np.ndarray, here: np.ndarray) -> np.ndarray:
    """(W, 8) rad, by the nearer chord, in the longest float there is."""
    a, b = pose.astype(np.longdouble), here.astype(np.longdouble)
    chord = np.sqrt(np.minimum(((a - b) ** 2).sum(-1), ((a + b) ** 2).sum(-1)))
    return 4 * np.arcsin(np.minimum(chord / 2, np.sqrt(np.longdouble(0.5))))


def ranks_of(distance: np.ndarray) -> np.ndarray:
    return np.searchsorted(np.sort(distance), distance, side="left")


def summed(
    audio: np.ndarray, timbre: np.ndarray, pose: np.ndarray, voiced: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the order of the items and their (n, 3) ranks."""
    rank = np.zeros((audio.size, 3), int)
    rank[:, 0], rank[:, 2] = ranks_of(audio), ranks_of(pose)
    rank[:, 1] = max((voiced.sum() - 1) // 2, 0)
    rank[voiced, 1] = ranks_of(timbre[voiced])
    return np.lexsort((np.arange(audio.size), rank[:, 2], rank.sum(axis=1))), rank


def defined(rows: Rows, query: Query, limit: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (all eligible rows in order, their ranks, their jumps) by the definition."""
    angle = jumps(rows.pose, query.here)
    eligible = np.flatnonzero(rows.legal & (angle.max(axis=1, initial=0.0) <= limit))
    audio = ((rows.envelope[eligible].astype(np.longdouble) - query.envelope) ** 2).sum(axis=1)
    timbre = ((rows.timbre[eligible].astype(np.longdouble) - query.timbre) ** 2).sum(axis=1)
    order, rank = summed(audio, timbre, (angle[eligible] ** 2).sum(axis=1), rows.voiced[eligible] & query.has_timbre)
    return eligible[order], rank[order], angle[eligible].max(axis=1, initial=0.0)[order].astype(float)


class Found(NamedTuple):
    row: np.ndarray
    rank: np.ndarray
    jump: np.ndarray
    eligible: int
    refused: int


def packed(rows: Rows) -> search.Packed:
    return search.pack(rows.pose, rows.envelope, rows.timbre, rows.voiced, np.ones(len(rows.voiced), bool))


def found(rows: Rows, query: Query, k: int, limit: float = LIMIT) -> Found:
    row, rank, jump = np.full(k, -7, np.int32), np.full((k, 3), -7, np.int32), np.full(k, -7.0)
    count, eligible, refused = search.best(
        packed(rows), rows.legal, *query, limit, search.workspace(len(rows.voiced), k), row, rank, jump
    )
    assert (row[count:] == -7).all()
    assert count == min(k, eligible)
    return Found(row[:count], rank[:count], jump[:count], eligible, refused)


def check(rows: Rows, query: Query, k: int, limit: float = LIMIT) -> Found:
    got = found(rows, query, k, limit)
    row, rank, jump = defined(rows, query, limit)
    assert got.eligible == row.size
    assert got.refused == rows.legal.sum() - row.size
    assert got.row.tolist() == row[:k].tolist()
    assert got.rank.tolist() == rank[:k].tolist()
    assert got.jump == pytest.approx(jump[:k], abs=1e-7)
    return got


@pytest.mark.parametrize("count", [1, 2, 65, 256, 257, 4250])
@pytest.mark.parametrize("k", [1, 64, 5000])
def test_the_rows_come_in_the_order_of_the_definition(count: int, k: int) -> None:
    rng = np.random.default_rng(count)
    rows, query = random_rows(rng, count), random_query(rng)
    got = check(rows, query, k)
    if count > 1000:
        assert 0.2 * count < got.eligible < 0.7 * count  # control: the gates leave some and refuse some


def test_the_best_of_an_hour_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(1)
    assert check(random_rows(rng, 36_000, 0.08), random_query(rng), 64).eligible > 25_000


@given(seed=seeds, count=st.integers(1, 300), k=st.integers(1, 80), pool=st.integers(1, 6), levels=st.integers(1, 3))
def test_rows_that_are_equal_share_the_lower_rank(seed: int, count: int, k: int, pool: int, levels: int) -> None:
    """Few different envelopes, timbres and poses, so that nearly every distance is there many times."""
    rng = np.random.default_rng(seed)
    rows = Rows(
        near_identity(rng, 0.14, pool, 8).astype(np.float32)[rng.integers(pool, size=count)],
        np.repeat(rng.integers(levels, size=(count, 1)), 60, axis=1).astype(np.float32),
        np.repeat(rng.integers(levels, size=(count, 1)), 13, axis=1).astype(np.float32),
        rng.random(count) < rng.random(),
        rng.random(count) < 0.9,
    )
    query = Query(near_identity(rng, 0.02, 8), np.zeros(60), np.zeros(13), bool(rng.random() < 0.8))
    check(rows, query, k)


@pytest.mark.parametrize("count", [1, 300, 4250])
def test_rows_that_are_all_equal_come_in_their_own_order(count: int) -> None:
    rng = np.random.default_rng(0)
    one = random_rows(rng, 1, 0.01)
    rows = Rows(*(np.repeat(a, count, axis=0) for a in one[:3]), np.ones(count, bool), np.ones(count, bool))
    got = check(rows, random_query(rng), 64)
    assert got.row.tolist() == list(range(min(count, 64)))
    assert (got.rank == 0).all()


def test_a_query_without_timbre_ranks_by_loudness_and_pose_alone() -> None:
    rng = np.random.default_rng(2)
    rows, query = random_rows(rng, 500), random_query(rng)
    silent = check(rows, query._replace(has_timbre=False), 64)
    assert (silent.rank[:, 1] == 0).all()
    assert silent.row.tolist() != check(rows, query, 64).row.tolist()


def test_a_row_without_voice_takes_the_median_timbre_rank_of_those_with() -> None:
    rng = np.random.default_rng(3)
    rows, query = random_rows(rng, 500, 0.05), random_query(rng)
    got = check(rows, query, 500)
    with_voice = int((rows.voiced & rows.legal).sum())
    assert (got.rank[~rows.voiced[got.row], 1] == (with_voice - 1) // 2).all()
    assert (~rows.voiced[got.row]).sum() > 10
    nobody = check(rows._replace(voiced=np.zeros(500, bool)), query, 500)
    assert (nobody.rank[:, 1] == 0).all()


def test_where_nothing_may_be_shown_nothing_is_listed() -> None:
    rng = np.random.default_rng(4)
    rows, query = random_rows(rng, 500), random_query(rng)
    assert check(rows._replace(legal=np.zeros(500, bool)), query, 64).eligible == 0
    far = query._replace(here=np.tile([0.0, 1.0, 0.0, 0.0], (8, 1)))
    assert check(rows, far, 64).refused == rows.legal.sum()
    none = Rows(*(a[:0] for a in rows))
    assert found(none, query, 64).eligible == 0


@given(seed=seeds, limit=st.floats(0.0, 3.5), spread=st.floats(0.001, 3.0))
def test_no_listed_row_jumps_beyond_the_limit(seed: int, limit: float, spread: float) -> None:
    rng = np.random.default_rng(seed)
    rows, query = random_rows(rng, 60, spread), random_query(rng)
    got = check(rows, query, 60, limit)
    assert (got.jump <= limit).all()
    for row, jump in zip(got.row, got.jump):
        largest = max(quat.angle(a.astype(float), b) for a, b in zip(rows.pose[row], query.here))
        assert np.degrees(abs(largest - jump)) < 2e-5  # what float32 leaves of a unit quaternion


@given(seed=seeds)
def test_a_row_exactly_at_the_limit_is_in_reach(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, query = random_rows(rng, 20, 0.05), random_query(rng)
    everything = found(rows, query, 20, np.pi)
    at = int(rng.integers(everything.row.size)) if everything.row.size else 0
    for row, jump in list(zip(everything.row, everything.jump))[at : at + 1]:
        assert row in found(rows, query, 20, jump).row
        assert row not in found(rows, query, 20, jump * (1 - 1e-9)).row


def test_the_row_she_stands_in_is_at_no_distance() -> None:
    rng = np.random.default_rng(5)
    rows = random_rows(rng, 50)
    rows.legal[7] = True
    got = check(rows, random_query(rng)._replace(here=-rows.pose[7].astype(float)), 50)
    assert got.jump[got.row == 7] == 0.0
    assert got.rank[got.row == 7, 2] == 0


@given(seed=seeds, count=st.integers(1, 600), spread=st.floats(0.0, 3.0))
def test_a_forced_cut_takes_the_legal_row_of_the_least_jump(seed: int, count: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    rows, query = random_rows(rng, count, spread), random_query(rng)
    rows.pose[rng.integers(count, size=count // 2)] = rows.pose[0]
    row, jump = search.nearest(packed(rows), rows.legal, query.here, search.workspace(count, 1))
    if not rows.legal.any():
        assert (row, jump) == (-1, np.inf)
        return
    largest = np.where(rows.legal, jumps(rows.pose, query.here).max(axis=1), np.inf)
    assert jump == pytest.approx(float(largest.min()), abs=1e-7)
    assert largest[row] <= largest.min() + 1e-7
    equal = (rows.pose == rows.pose[row]).all(axis=(1, 2))
    assert row == np.flatnonzero(rows.legal & equal)[0]


def test_slices_give_what_the_whole_gives() -> None:
    rng = np.random.default_rng(6)
    rows, query = random_rows(rng, 2000), random_query(rng)
    pack, work = packed(rows), search.workspace(2000, 64)
    whole = found(rows, query, 64)
    count = refused = 0
    for block in range(pack[1].shape[0]):
        count, more = search.distances(pack, rows.legal, *query, LIMIT, block, block + 1, count, work)
        refused += more
    row, rank, jump = np.empty(64, np.int32), np.empty((64, 3), np.int32), np.empty(64)
    assert search.rank(count, work, row, rank, jump) == 64
    assert (count, refused) == (whole.eligible, whole.refused)
    assert row.tolist() == whole.row.tolist()
    assert jump.tolist() == whole.jump.tolist()


def test_rows_left_out_when_packing_are_never_shown() -> None:
    rng = np.random.default_rng(7)
    rows, query = random_rows(rng, 700), random_query(rng)
    rows.envelope[3, 5], rows.timbre[4, 0], rows.pose[5, 1, 1] = np.nan, np.inf, np.nan
    rows.voiced[4] = rows.legal[3] = rows.legal[4] = rows.legal[5] = True
    keep = rng.random(700) < 0.5
    keep[3:6] = True
    pack = search.pack(rows.pose, rows.envelope, rows.timbre, rows.voiced, keep)
    row, rank, jump = np.empty(700, np.int32), np.empty((700, 3), np.int32), np.empty(700)
    count, *_ = search.best(pack, rows.legal, *query, LIMIT, search.workspace(700, 700), row, rank, jump)
    shown = keep.copy()
    shown[3:6] = False
    sound = Rows(*(np.nan_to_num(a, posinf=0.0) for a in rows[:3]), rows.voiced, rows.legal & shown)
    assert row[:count].tolist() == defined(sound, query, LIMIT)[0].tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_a_query_that_is_no_number_counts_for_nothing(bad: float) -> None:
    rng = np.random.default_rng(8)
    rows, query = random_rows(rng, 300), random_query(rng)
    broken = query._replace(envelope=np.full(60, bad), timbre=np.full(13, bad))
    got = found(rows, broken, 64)
    assert got.eligible > 0
    assert (got.rank[:, :2] == 0).all()
    assert (np.diff(got.rank[:, 2]) >= 0).all()
    lost = query._replace(here=np.full((8, 4), bad))
    assert found(rows, lost, 64)[3:] == (0, rows.legal.sum())
    assert search.nearest(packed(rows), rows.legal, lost.here, search.workspace(300, 1)) == (-1, np.inf)


distances = st.one_of(st.floats(0.0, 1e300), st.floats(0.0, 1.0), st.integers(0, 3).map(float), st.just(5e-324))


@given(data=st.data(), count=st.integers(1, 80), k=st.integers(1, 90), voiced=st.sampled_from([0.0, 0.5, 1.0]))
def test_distances_of_any_size_are_ranked_as_sorting_would(
    data: st.DataObject, count: int, k: int, voiced: float
) -> None:
    rng = np.random.default_rng(data.draw(seeds))
    values = data.draw(st.lists(distances, min_size=1, max_size=12))
    lists = rng.choice(values, size=(3, count))
    heard = rng.random(count) < voiced
    lists[1, ~heard] = -1.0
    work = ranks.ranking(count, k)
    work[0][:] = lists
    items, rank = np.empty(k, np.int32), np.empty((k, 3), np.int32)
    got = ranks.least(work, count, items, rank)
    order, want = summed(*lists, heard)
    assert got == min(k, count)
    assert items[:got].tolist() == order[:k].tolist()
    assert rank[:got].tolist() == want[order[:k]].tolist()


@pytest.mark.parametrize("shape", ["one far outlier", "all but a few equal", "two heaps", "falling", "one heavy bin"])
def test_lists_that_fill_few_bins_are_still_exact(shape: str) -> None:
    rng = np.random.default_rng(9)
    count = 5000
    lists = rng.random((3, count))
    if shape == "one far outlier":
        lists[:, 17] = 1e12
    elif shape == "all but a few equal":
        lists[:, rng.random(count) < 0.99] = 0.25
    elif shape == "two heaps":
        lists[:, ::2] += 1e9
    elif shape == "falling":
        lists[:] = np.arange(count)[::-1]
    else:  # nine of ten are the 255 sampled or far above them, the others crowd in one bin
        lists[:, : count // 2] *= 1e-12
        lists[:, count // 2 :] *= 1e3
    work = ranks.ranking(count, 64)
    work[0][:] = lists
    items, rank = np.empty(64, np.int32), np.empty((64, 3), np.int32)
    assert ranks.least(work, count, items, rank) == 64
    order, want = summed(*lists, np.ones(count, bool))
    assert items.tolist() == order[:64].tolist()
    assert rank.tolist() == want[order[:64]].tolist()


def allocations(function, *arguments) -> int:  # type: ignore[no-untyped-def]
    function(*arguments)
    nrt.memsys_enable_stats()
    try:
        before = nrt.memsys_get_stats_alloc()
        function(*arguments)
        return nrt.memsys_get_stats_alloc() - before
    finally:
        nrt.memsys_disable_stats()


def test_ranking_in_parts_over_several_ticks_is_ranking_at_once() -> None:
    rng = np.random.default_rng(12)
    rows, query = random_rows(rng, 900), random_query(rng)
    pack, work, again = packed(rows), search.workspace(900, 16), search.workspace(900, 16)
    out = [(np.empty(16, np.int32), np.empty((16, 3), np.int32), np.empty(16)) for _ in range(2)]
    count = search.distances(pack, rows.legal, *query, LIMIT, 0, pack[1].shape[0], 0, work)[0]
    search.distances(pack, rows.legal, *query, LIMIT, 0, pack[1].shape[0], 0, again)
    listed = [search.rank_part(part, count, again, *out[1]) for part in range(search.PARTS)][-1]
    assert listed == search.rank(count, work, *out[0]) == 16
    for once, parts in zip(*out, strict=True):
        assert (once == parts).all()


@given(seed=seeds, clip=st.integers(-1, 5), frame=st.integers(-20, 400), length=st.integers(1, 90))
def test_the_row_that_goes_on_is_the_last_that_has_begun(seed: int, clip: int, frame: int, length: int) -> None:
    """By the definition, the rows one by one; past the end of the last, or where one is not legal, there is none."""
    rng = np.random.default_rng(seed)
    clips = np.sort(rng.integers(0, 5, 40)).astype(np.int32)
    frames = np.concatenate([6 * np.arange((clips == c).sum()) for c in range(5)]).astype(np.int32)
    legal = rng.random(40) < 0.7
    want = -1
    begun = [row for row in range(40) if clips[row] == clip and frames[row] <= frame]
    if begun and frame - frames[begun[-1]] < length:
        row = begun[-1]
        goes_into = row + 1 < 40 and clips[row + 1] == clip and frame > frames[row]
        want = row if legal[row + 1 if goes_into else row] else -1
    assert search.row_at(clips, frames, legal, clip, frame, length) == want


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="NUMBA_DISABLE_JIT is set: Python allocates as it likes")
@pytest.mark.parametrize("function", ["distances", "rank", "nearest"])
def test_a_search_allocates_nothing(function: str) -> None:
    rng = np.random.default_rng(10)
    rows, query = random_rows(rng, 1000), random_query(rng)
    pack, work = packed(rows), search.workspace(1000, 64)
    count, _ = search.distances(pack, rows.legal, *query, LIMIT, 0, pack[1].shape[0], 0, work)
    arguments = {
        "distances": (pack, rows.legal, *query, LIMIT, 0, pack[1].shape[0], 0, work),
        "rank": (count, work, np.empty(64, np.int32), np.empty((64, 3), np.int32), np.empty(64)),
        "nearest": (pack, rows.legal, query.here, work),
    }[function]
    assert allocations(getattr(search, function), *arguments) == 0
    assert allocations(njit(lambda n: np.empty(n).sum()), 9) > 0  # control: it would be seen
