"""The first start on a machine: her kernels are compiled once, by as many processes as it has cores."""

from __future__ import annotations

import os

from .messages import say

MOST = 4  # processes: with more, each compiles mostly what the others call too


def compile_first() -> None:
    """Compile what a run needs, if this version of the kernels never was, and say so: about a minute on two cores.

    What is done once for an avatar, later, is told as well.
    """
    from ...systems.kernels import warm
    from ..progress import listen

    listen(say)
    if not warm.is_warm():
        say("Compiling for this machine, once.")
        warm.warm_together(min(os.cpu_count() or 1, MOST))
