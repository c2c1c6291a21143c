"""Finger axes over all takes of a performer: who hardly moves a hand in one take shows in another what it bends about.

A part holds the second moments of its finger joints. Parts in which a joint says too little, and whose performer's
other takes on the same skeleton say enough, are made again with the sum; all others stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ....components.arrays import F64
from ...retarget.curl import LEAST_SHARE, axes_of, borrowed
from .parts import Done, Options, load

Makes = Callable[[Sequence[Path], Options], Iterable[Done]]


@dataclass
class _Group:
    """The takes of one performer on one skeleton. moment: their sum; weak: those with a joint that says too little."""

    moment: F64
    takes: int
    weak: list[Done]


def again(done: Sequence[Done], folder: Path, options: Options, makes: Makes) -> list[Done]:
    """Return `done` with the parts in it that gain by their performer's other takes made again.

    The same whatever the order in which parts were made. makes: makes the parts of these sources by these options
    """
    groups: dict[tuple[str, str], _Group] = {}
    for one in done:
        if not one.reason:
            _count(groups, one, folder / one.part)
    new: dict[Path, Done] = {}
    for group in groups.values():
        if group.takes < 2 or not group.weak:
            continue
        gains = [one for one in group.weak if _gains(_moment(folder / one.part)[0], group.moment)]
        pool = tuple(float(x) for x in group.moment.ravel())
        known = {one.source: one for one in gains}
        for one in makes(list(known), replace(options, pool=pool)) if gains else ():
            # what it is made from is still what it was first called after: the pool is made of the other sources
            new[one.source] = replace(one, key=known[one.source].key)
    return [new.get(one.source, one) for one in done]


def _count(groups: dict[tuple[str, str], _Group], one: Done, part: Path) -> None:
    moment, performer, rig = _moment(part)
    if not len(moment):
        return
    group = groups.setdefault((performer, rig), _Group(np.zeros_like(moment), 0, []))
    group.moment += moment
    group.takes += 1
    if (axes_of(moment, _toward(moment)).share < LEAST_SHARE).any():
        group.weak.append(one)


def _moment(part: Path) -> tuple[F64, str, str]:
    held = load(part, ("moment", "clip", "rig"))
    assert held is not None
    return held["moment"], str(held["clip"][1]), str(held["rig"])


def _gains(moment: F64, pool: F64) -> bool:
    """Return whether a joint that says too little in one take says enough in all of them."""
    toward = _toward(moment)
    own = axes_of(moment, toward)
    return bool(((own.share < LEAST_SHARE) & (borrowed(own, pool, toward).share >= LEAST_SHARE)).any())


def _toward(moment: F64) -> F64:
    """Return any directions: which way round an axis lies is of no matter here."""
    return np.tile([1.0, 0.0, 0.0], (len(moment), 1))
