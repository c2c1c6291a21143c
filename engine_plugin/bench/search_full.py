"""What a pick costs in a corpus of many hours, off the tick: beside sorting and faiss, with all and a tenth in reach.

Rows are made up, features as wide as a real corpus' ones: nothing of the search depends on whose they are, but on how
many are in reach. Times are of the thread that searches, the least of several.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ...components.arrays import F32, F64, I32
from ...systems import headless
from ...systems.kernels import compact, prune
from ...systems.matcher import aside, near
from ...systems.matcher.wide import NONE, TOGETHER, Question, Wide
from ...systems.schedule import TICK
from . import Figure, entry

SIZES = (("10h", 360_000, 15.0), ("76h_hop_half", 547_200, 40.0), ("76h", 2_736_000, 250.0))  # rows, ms at most
STALL_AT = 360_000
NEAR_AT = 547_200  # rows of which faiss looks up near ones: its index of millions takes minutes to make
_K = 64  # rows asked for
_PIECE = 256 * compact.BLOCK
_LIMIT = np.radians(55.0)
_TENTH = 0.1
_TICKS, _PAIRS = 400, 4  # ticks of a run, and runs without a search and with one, in turn


def figures() -> list[Figure]:
    """Return search_full.*: ms of one search, of ranking alone, of faiss and sorting; ms a tick is held up."""
    made: list[Figure] = []
    for name, count, goal in SIZES:
        store, flat = _store(count)
        for share, suffix in ((1.0, ""), (_TENTH, "_tenth")):
            made += _measured(f"search_full.{name}{suffix}", store, flat, share, goal)
        if count == STALL_AT:
            made += [_crowd(store), *_stalls(store)]
        if count == NEAR_AT:
            made += _near(store)
        del store, flat
    return made


def _store(count: int) -> tuple[Wide, Any]:
    """Return so many made-up rows, and faiss' flat index of all their features, None where that is not installed."""
    rng = np.random.default_rng(count)
    blocks = -(-count // compact.BLOCK)
    features = np.zeros((blocks, 45, compact.BLOCK), np.int16)
    sound = np.zeros((blocks * compact.BLOCK, compact.SOUNDS), np.int16)
    try:
        import faiss  # pyright: ignore[reportMissingImports]

        faiss.omp_set_num_threads(1)
        flat = faiss.IndexFlatL2(105)
    except ImportError:
        flat = None
    for at in range(0, count, _PIECE):
        n = min(_PIECE, count - at)
        turn = 0.1 * rng.standard_normal((n, 8, 3), np.float32)
        pose = np.concatenate([np.ones((n, 8, 1), np.float32), turn], axis=2)
        pose /= np.linalg.norm(pose, axis=2, keepdims=True)
        envelope, timbre = (
            6.0 * rng.standard_normal((n, 60), np.float32),
            20.0 * rng.standard_normal((n, 13), np.float32),
        )
        every = np.ones(n, bool)
        some = compact.pack(pose, envelope, timbre, every, every)
        features[at // compact.BLOCK :][: len(some[0])], sound[at:][: len(some[1])] = some[0], some[1]
        if flat is not None:
            flat.add(_side_by_side(pose, envelope, timbre))
    row: I32 = np.arange(count, dtype=np.int32)
    voiced = compact.padded(np.ones(count, bool))
    nobody = np.zeros(0, bool)
    none = compact.pack(
        np.zeros((0, 8, 4), np.float32), np.zeros((0, 60), np.float32), np.zeros((0, 13), np.float32), nobody, nobody
    )
    return Wide((features, sound, sound.view(np.int32), row, voiced), none, _K), flat


def _side_by_side(pose: F32, envelope: F32, timbre: F32) -> F32:
    parts = (pose.reshape(len(pose), 32) * 10.0, envelope / 6.0, timbre / 20.0)  # each of unit spread
    return np.concatenate(parts, axis=1).astype(np.float32)


def _question(limit: float, seed: int = 1) -> Question:
    rng = np.random.default_rng(seed)
    here = np.tile([1.0, 0.0, 0.0, 0.0], (8, 1))
    return Question(here, rng.normal(size=60) * 6.0, rng.normal(size=13) * 20.0, True, limit, NONE)


def _limit(store: Wide, share: float) -> float:
    """Return the jump within which a share of the rows is, rad."""
    if share >= 1.0:
        return _LIMIT
    work, here = compact.scratch(), compact.quaternions(_question(_LIMIT).here).reshape(-1)
    chords = []
    for b in range(0, len(store.choice[0]) - 1, 16):
        compact.unpack(store.choice[0][b], work[0], work[1])
        compact.chords(work[0], work[1], here, work[2][0], work[2][1])
        chords.append(work[2][1].copy())
    square = np.quantile(np.concatenate(chords), share) / compact.ONE**2
    return float(4.0 * np.arcsin(0.5 * np.sqrt(square))) + compact.ROUNDING


def _measured(name: str, store: Wide, flat: Any, share: float, goal: float) -> list[Figure]:
    count = store.rows
    runs = 7 if count < 1_000_000 else 4
    question = _question(_limit(store, share))
    whole = _ms(lambda: store.best([question]), runs)
    lists, counted = _lists(store, question)
    some = [one[lists[2] < compact.FAR] for one in lists]
    sorting = _ms(lambda: [np.argsort(one) for one in some], 3)
    held, ranked, work = prune.kept(1, store.rows), prune.ranker(store.rows, _K), compact.scratch()
    rows, ranks = np.zeros(_K, np.int32), np.zeros((_K, 3), np.int32)
    asked = _asked(question)

    def rank() -> None:
        held[2][:] = 0
        prune.limits(store.sample, store.rows, asked, 0, _K, 1.0, work, ranked, held[3][0])
        prune.sift(lists, counted[0], counted[1], work, held)
        kept, candidate, counts, most = held
        prune.first_of(store.choice, kept[0], candidate[0], counts[0], most[0], ranked, rows, ranks)

    ranking = _ms(rank, runs)
    goal_of_ranking = sorting / 10.0 if share == 1.0 else None
    out = [
        entry(f"{name}_ms", whole, "ms", goal=goal, reference=("3 np.argsort, distances not counted", sorting)),
        entry(f"{name}_rank_ms", ranking, "ms", goal=goal_of_ranking, reference=("3 np.argsort", sorting)),
        entry(f"{name}_in_reach", 100.0 * counted[0] / store.rows, "%"),
    ]
    if share < 1.0:
        return out
    if flat is None:
        return [*out, {"name": f"{name}_faiss_ms", "skipped": "faiss is not installed: pip install kinesics[faiss]"}]
    query = _side_by_side(
        *(part.astype(np.float32)[None] for part in (question.here, question.envelope, question.timbre))
    )
    nearest = _ms(lambda: flat.search(query, _K), 2)
    reference = ("faiss flat, one list where three are ranked", nearest)
    return [*out, entry(f"{name}_beside_faiss_ms", whole, "ms", reference=reference)]


def _asked(question: Question) -> compact.Questions:
    return compact.questions(
        question.here[None], question.envelope[None], question.timbre[None], np.ones(1, bool),
        np.array([question.limit]), [NONE],
    )  # fmt: skip


def _lists(store: Wide, question: Question) -> tuple[I32, tuple[int, int]]:
    """Return all distances of a question, and how many are in reach and have a timbre."""
    lists = np.empty((3, len(store.choice[4])), np.int32)
    compact.measure(store.choice, _asked(question), 0, 0, len(store.choice[0]), compact.scratch(), lists)
    return lists, (int((lists[2] < compact.FAR).sum()), int((lists[1] < compact.FAR).sum()))


def _crowd(store: Wide) -> Figure:
    questions = [_question(_LIMIT, seed) for seed in range(TOGETHER)]
    whole = _ms(lambda: store.best(questions), 4) / TOGETHER
    alone = _ms(lambda: store.best(questions[:1]), 4)
    return entry(f"search_full.10h_{TOGETHER}_ms", whole, "ms an avatar", goal=5.0, reference=("one alone", alone))


def _stalls(store: Wide) -> list[Figure]:
    """Return how long a tick is held up by a thread that searches all the time, beside ticks without one."""
    fresh = headless.world(seed=1)
    fresh.avatar.say(headless.HELLO)
    for _ in range(120):
        fresh.step(TICK)
    spread: dict[bool, list[F64]] = {False: [], True: []}
    for is_busy in (False, True) * _PAIRS:
        world, reply, ticks = fresh.copy(), None, np.empty(_TICKS)
        for k in range(_TICKS):
            if is_busy and (reply is None or reply.done()):
                reply = aside.ask(store, _question(_LIMIT))
            began = time.perf_counter()
            world.step(TICK)
            took = time.perf_counter() - began
            ticks[k] = took * 1e3
            time.sleep(max(1 / 60 - took, 0.0) / 4.0)
        if reply is not None:
            reply.result()
        spread[is_busy].append(np.percentile(ticks, (50, 99)))
    quiet, busy = (np.min(spread[key], axis=0) for key in (False, True))  # of each percentile its least run
    reference = ("p99 of a tick without", float(quiet[1]))
    return [
        entry("search_full.stall_p99_ms", float(busy[1] - quiet[1]), "ms", goal=0.5, reference=reference),
        entry("search_full.stall_p50_ms", float(busy[0] - quiet[0]), "ms", reference=("a tick", float(quiet[0]))),
    ]


def _near(store: Wide) -> list[Figure]:
    """Return how often faiss' near rows hold the row that the exact search finds, and what a search takes with them."""
    found = near.built(store.choice)
    if found is None:
        return [{"name": "search_full.near_recall", "skipped": "faiss is not installed: pip install kinesics[faiss]"}]
    some = Wide(store.choice, store.others, store.listed, found)
    questions = [_question(_LIMIT, seed) for seed in range(2 * TOGETHER)]
    exact = [one for at in range(0, len(questions), TOGETHER) for one in store.best(questions[at : at + TOGETHER])]
    close = some.best(questions)
    first = np.mean([one.rows[0] == other.rows[0] for one, other in zip(exact, close)])
    held = np.mean([one.rows[0] in found.rows(_asked(q), 0) for one, q in zip(exact, questions)])
    spent = _ms(lambda: some.best(questions[:1]), 3)
    return [
        entry("search_full.near_ms", spent, "ms", reference=("exact", _ms(lambda: store.best(questions[:1]), 3))),
        entry("search_full.near_recall", 100.0 * float(first), "% same first row"),
        entry("search_full.near_held", 100.0 * float(held), "% of the exact first rows among the near"),
    ]


def _ms(work: Callable[[], object], runs: int) -> float:
    best = np.inf
    for _ in range(runs + 1):
        began = time.thread_time()
        work()
        best = min(best, time.thread_time() - began)
    return best * 1e3
