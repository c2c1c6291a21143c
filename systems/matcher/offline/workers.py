"""Who does the tasks of a build: this process or several; remote.py has them done by a Ray cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from ....components.errors import CorpusError

Task = TypeVar("Task")
Result = TypeVar("Result")


def each(
    call: Callable[[Task], Result], tasks: Sequence[Task], workers: int, *, command: str, kept: str
) -> Generator[Result, None, None]:
    """Yield what `call` makes of each task, as it is finished.

    call: what can be sent to a process: a function of a module, or a partial of one
    command, kept: what a message calls the build and that which it finds again
    CorpusError: a worker was killed.
    """
    if workers <= 1 or len(tasks) < 2:
        for task in tasks:
            yield call(task)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(tasks)), mp_context=context, initializer=_end_with_parent) as pool:
        waiting = [pool.submit(call, task) for task in tasks]
        try:
            for future in as_completed(waiting):
                yield future.result()
        except BrokenProcessPool:
            raise CorpusError(
                f"{command}: a worker was killed (out of memory?); run it again with fewer --workers, "
                f"finished {kept} are kept"
            ) from None
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)  # the pool's own exit would let them all finish
            raise


def _end_with_parent() -> None:
    """End a worker whose parent was killed: it would wait for work for ever, each side holds the pipe open.

    Ctrl-C reaches the whole group: it is the parent's to answer, a worker said it too, with a traceback.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
