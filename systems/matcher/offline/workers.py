"""Who makes the parts of a build: this process, several, or a Ray cluster. The parts are the same."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from ....components.errors import CorpusError
from .parts import Done, Options, make


def each(files: Sequence[Path], options: Options, folder: Path, workers: int) -> Generator[Done, None, None]:
    """Yield what becomes of each source, as it is finished."""
    if workers <= 1 or len(files) < 2:
        for file in files:
            yield make(file, options, folder)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(files)), mp_context=context, initializer=_end_with_parent) as pool:
        waiting = [pool.submit(make, file, options, folder) for file in files]
        try:
            for future in as_completed(waiting):
                yield future.result()
        except BrokenProcessPool:
            raise CorpusError(
                "corpus build: a worker was killed (out of memory?); run it again with fewer --workers, "
                "finished clips are kept"
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
