"""One thread that searches beside the tick. It lets go of the interpreter while it does.

A question is answered by the tick it is due on, so what comes of it is the same whenever it comes. Only a host that
cannot wait makes a difference, and that one says so through the inbox: `unanswered`.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

from ...components.arrays import F64
from ...components.index import Index
from ...components.plan import Plan
from ...components.world import World
from .wide import TOGETHER, Question, Wide

_waiting: queue.SimpleQueue[tuple[Wide, Any, Future[Any]]] = queue.SimpleQueue()
_starting = threading.Lock()
_thread: threading.Thread | None = None


def ask(wide: Wide, question: Question | F64) -> Future[Any]:
    """Return what will be: a Found for a Question, for a pose (8, 4) the nearest row and its jump."""
    global _thread
    with _starting:
        if _thread is None or not _thread.is_alive():  # a forked process has none
            _thread = threading.Thread(target=_work, name="kinesics-search", daemon=True)
            _thread.start()
    answer: Future[Any] = Future()
    _waiting.put((wide, question, answer))
    return answer


def wait(index: Index, answer: Future[Any]) -> Iterator[None]:
    """Yield until there is an answer or it is due; then whoever asks for its result waits."""
    index.waits = answer
    while not (index.is_due or answer.done()):
        yield


def unanswered(world: World) -> list[int]:
    """Return the avatars whose pick begins on this tick while the search for it still runs.

    A host that cannot wait posts "late" for each before the tick: she then goes on in the clip that plays.
    """
    out = []
    for entity, plan, index in world.each(Plan, Index):
        is_due = plan.asked is not None and plan.asked is index.asked and plan.asked.ready <= world.tick
        if is_due and index.waits is not None and not index.waits.done():
            out.append(entity)
    return out


def _work() -> None:
    while True:
        first = _waiting.get()
        batch = [first]
        while len(batch) < TOGETHER and not _waiting.empty():
            batch.append(_waiting.get())
        batch = [one for one in batch if one[2].set_running_or_notify_cancel()]  # else nobody asks any more
        for wide in {id(one[0]): one[0] for one in batch}.values():
            _answer(wide, [(question, answer) for other, question, answer in batch if other is wide])
        first = batch = wide = None  # a thread that sleeps keeps no corpus alive


def _answer(wide: Wide, batch: list[tuple[Any, Future[Any]]]) -> None:
    """Answer questions about one repertoire; what goes wrong is raised where the answer is asked for."""
    searches = [(question, answer) for question, answer in batch if isinstance(question, Question)]
    try:
        for (_, answer), found in zip(searches, wide.best([q for q, _ in searches]) if searches else ()):
            answer.set_result(found)
        for question, answer in batch:
            if not isinstance(question, Question):
                answer.set_result(wide.nearest(question))
    except Exception as cause:
        for _, answer in batch:
            if not answer.done():
                answer.set_exception(cause)
