"""The process that draws strips: a body and moments come in on standard input, pictures go out, nothing touches a disk.

It is gone when whoever started it is: its input ends then. What it prints goes to standard error.
"""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
from typing import IO, Any

NICE = 10  # it must not take a core from her window; a sentence waits a second longer instead


def main() -> None:
    """Answer until standard input ends: ("body", Body) is drawn from then on, ("draw", id, Moments) gives pictures.

    An answer is (id, (front, side) as PNG files) or (id, one line that says why there are none).
    """
    answers, questions = os.fdopen(os.dup(1), "wb"), sys.stdin.buffer
    os.dup2(2, 1)  # a driver that prints must not do so between two answers
    if hasattr(os, "nice"):
        os.nice(NICE)
    live(questions, answers)


def live(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer questions from one file on another; when the first ends, so does this process, whatever it draws."""
    asked: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()

    def listen() -> None:
        while True:
            try:
                asked.put(pickle.load(questions))
            except Exception:  # its end, or half of a question: whoever asked is gone
                os._exit(0)

    threading.Thread(target=listen, name="listen", daemon=True).start()
    body: Any = None
    while True:
        kind, *rest = asked.get()
        if kind == "body":
            body = rest[0]
            continue
        number, moments = rest
        try:
            from .strips import draw

            answer: Any = draw(body, moments)
        except Exception as cause:  # whatever a driver makes of it: that sentence has no strips, she goes on
            answer = " ".join(f"{cause or type(cause).__name__}".split())[:300]
        try:
            pickle.dump((number, answer), answers, protocol=pickle.HIGHEST_PROTOCOL)
            answers.flush()
        except OSError:
            os._exit(0)
