"""Compiling ahead: every kernel for the arrays a run hands it, from a list, before anything waits for it.

`python -m kinesics.systems.kernels.warm I N` does share I of N: two processes are done in half the time.
"""

from __future__ import annotations

import gc
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import numpy as np
from numba.core import errors, types
from numba.np import numpy_support

from .compiled import FOLDER, IS_CACHED, KERNELS

LIST = Path(__file__).with_name("signatures.txt")
_DONE = FOLDER / "all"  # there when every kernel of the list has been compiled into this cache
_PATIENCE = 300.0  # s a helper may take; it took 10 on two cores

log = logging.getLogger(__name__)


def is_warm() -> bool:
    """Whether the list has been compiled into the cache before: then `warm` only loads it, in a second or less."""
    return IS_CACHED and _DONE.is_file()


def listed() -> list[str]:
    """Return the shipped list: `module.function argument ...`, an argument as `f8` or `f8:2C`, `r` read-only."""
    return [line for line in LIST.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def seen() -> list[str]:
    """Return what this process has called so far, as lines of the list, those numba was asked for by name left out."""
    lines = set()
    for name, kernel in KERNELS.items():
        for signature in getattr(kernel, "nopython_signatures", ()):
            words = [_word(argument) for argument in signature.args]
            if None not in words:
                lines.add(" ".join((name, *map(str, words))))
    return sorted(lines)


def warm(lines: Iterable[str] | None = None) -> int:
    """Compile or load what is listed and return how many lines did not fit the kernels: those compile when called."""
    failed = 0
    for line in listed() if lines is None else lines:
        name, *words = line.split()
        module, _, function = name.rpartition(".")
        try:
            import_module(f".{module}", __package__)
            KERNELS[f"{module}.{function}"].compile(tuple(_type(word) for word in words))
        except Exception as cause:  # a list older than a kernel costs time at the first call, nothing else
            log.debug("%s: %s", line, cause)
            failed += 1
    if lines is None and IS_CACHED:
        _DONE.touch()
    return failed


def warm_together(processes: int) -> None:
    """Do the same with helper processes, each compiling a share into the cache, then load what they made.

    For a program that starts alone on its machine. A host that embeds her calls `warm` on a thread.
    """
    if IS_CACHED and not is_warm() and not getattr(sys, "frozen", False):
        helpers = [_helper(share, processes) for share in range(1, processes) if _share(share, processes)]
        _alone(_share(0, processes))
        for helper in helpers:
            try:
                helper.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                helper.kill()
    warm()


def _alone(lines: list[str]) -> None:
    """Compile without Python's garbage collector: it took a tenth of the time and found nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        warm(lines)
    finally:
        if was_on:
            gc.enable()


def _share(number: int, processes: int) -> list[str]:
    """Return one process's lines: modules that call each other stay together, for what is called is compiled too.

    The longest family first to whoever has least so far; lines of source stand for the time they take.
    """
    shares: list[list[str]] = [[] for _ in range(processes)]
    loads = [0] * processes
    families = _families()
    for family in sorted(families, key=lambda one: -sum(families[one].values())):
        least = loads.index(min(loads))
        shares[least] += families[family]
        loads[least] += sum(families[family].values())
    return [line for line in listed() if line.partition(".")[0] in shares[number]]


def _families() -> dict[str, dict[str, int]]:
    """Return module -> lines of source, for each group of modules that import each other."""
    sources = {path.stem: path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.py")}
    for name in ("__init__", "arrays", "compiled", "warm"):
        sources.pop(name, None)
    family = {name: name for name in sources}
    for name, source in sources.items():
        called = re.findall(r"^from \.(\w+) import", source, re.M)
        called += [
            word for words in re.findall(r"^from \. import (.+)", source, re.M) for word in re.findall(r"\w+", words)
        ]
        for other in called:
            if other in family:
                old, new = family[other], family[name]
                family = {key: new if value == old else value for key, value in family.items()}
    out: dict[str, dict[str, int]] = {}
    for name, first in sorted(family.items()):
        out.setdefault(first, {})[name] = sources[name].count("\n")
    return out


def _helper(share: int, processes: int) -> subprocess.Popen[bytes]:
    root = str(Path(import_module(__name__.partition(".")[0]).__file__ or "").parents[1])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", __name__, str(share), str(processes)]
    none = subprocess.DEVNULL
    return subprocess.Popen(command, env=os.environ | {"PYTHONPATH": path}, stdin=none, stdout=none, stderr=none)


def _word(argument: types.Type) -> str | None:
    """Return the word of an argument's type, None for one that no word says."""
    if isinstance(argument, types.Array):
        code = _word(argument.dtype)
        return code and f"{code}:{argument.ndim}{argument.layout}{'' if argument.mutable else 'r'}"
    if isinstance(argument, types.Tuple | types.UniTuple):
        words = [_word(item) for item in argument]
        return None if None in words else f"({','.join(map(str, words))})"
    try:
        return numpy_support.as_dtype(argument).str[1:]
    except errors.NumbaNotImplementedError:
        return None


def _type(word: str) -> types.Type:
    """Return the type that a word says."""
    if word.startswith("("):
        return types.Tuple([_type(item) for item in _items(word[1:-1])])
    code, _, shape = word.partition(":")
    scalar = numpy_support.from_dtype(np.dtype(code))
    if not shape:
        return scalar
    shape, is_readonly = shape.removesuffix("r"), shape.endswith("r")
    return types.Array(scalar, int(shape[:-1]), shape[-1], readonly=is_readonly)


def _items(words: str) -> list[str]:
    """Return what commas part, those inside brackets left alone."""
    out, depth = [""], 0
    for letter in words:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            out.append("")
        else:
            out[-1] += letter
    return out


if __name__ == "__main__":
    _alone(_share(int(sys.argv[1]), int(sys.argv[2])))
