"""Morph targets, kept sparse, with the names the file gives them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arrays import F32, frozen
from ..errors import AvatarError
from ..skin import Morph
from .accessors import Accessors
from .document import Table
from .skeleton import unique

MAX_TARGETS = 2048  # of one mesh; the most seen is 124
MAX_ALL_TARGETS = 1 << 13  # of all primitives, 0.1 ms each; 870 in a VRoid file
MAX_ROWS = 1 << 23  # moved vertices kept of one file, 28 bytes each; the shipped avatar keeps 60 thousand
# Smallest share of a mesh's extent that counts as a move: 0.2 um on a person, below what f32 positions hold.
_STILL = 1e-7
_STILL_NORMAL = 1e-4


@dataclass(slots=True)
class Budget:
    """How many targets and moved vertices the file may still bring."""

    targets: int = MAX_ALL_TARGETS
    rows: int = MAX_ROWS


def target_names(mesh: Table, label: str, count: int) -> tuple[str, ...]:
    """Return `count` names, unique within the mesh: the file's own, `name#2` for a second one, `label[3]` for none.

    Names stand in `mesh.extras.targetNames`, or in the first primitive's extras (UniVRM writes them there).
    """
    given = _extras(mesh).texts("targetNames")
    if not given:
        given = next((names for row in mesh.rows("primitives") if (names := _extras(row).texts("targetNames"))), [])
    given = given[:count] + [""] * (count - len(given))
    taken, last = set[str](), dict[str, int]()
    return tuple(unique(name or f"{label}[{index}]", taken, last) for index, name in enumerate(given))


def read_morphs(
    primitive: Table, accessors: Accessors, names: tuple[str, ...], position: F32, budget: Budget
) -> tuple[Morph, ...]:
    """Return the shapes of one primitive in file order; one without any moved vertex is kept, empty."""
    count = len(position)
    extent = float((position.max(axis=0) - position.min(axis=0)).max()) if count else 0.0
    morphs = []
    targets = primitive.rows("targets")
    budget.targets -= len(targets)
    if budget.targets < 0:
        raise AvatarError(f"{primitive.where}: the file has more than {MAX_ALL_TARGETS} morph targets: not read")
    for name, target in zip(names, targets, strict=False):
        index, move, turn = _changes(target, accessors, count, extent)
        budget.rows -= len(index)
        if budget.rows < 0:
            raise AvatarError(f"{target.where}: its morphs move more than {MAX_ROWS >> 20} million vertices: not read")
        morphs.append(
            Morph(name, frozen(index, np.uint32), frozen(move, np.float32, (len(index), 3)), frozen(turn, np.float32))
        )
    return tuple(morphs)


def start_weights(node: Table, mesh: Table) -> tuple[float, ...]:
    """Return the weights that a file starts its morphs with: the node's, else its mesh's; 0 for what is no number."""
    given = (node if "weights" in node else mesh).values.get("weights")
    if not isinstance(given, list):
        return ()
    known = [
        float(w) if isinstance(w, int | float) and not isinstance(w, bool) and abs(w) < 100.0 else 0.0 for w in given
    ]
    return tuple(w if abs(w) > 1e-6 else 0.0 for w in known[:MAX_TARGETS])


def begun(
    position: F32, normal: npt.NDArray[np.floating], morphs: tuple[Morph, ...], start: tuple[float, ...]
) -> tuple[F32, npt.NDArray[np.floating], tuple[Morph, ...]]:
    """Return vertices and morphs so that a weight of 0 shows her as her file starts, and 1 the whole morph as before.

    A body shaped by morphs (bust, age) keeps its shape, and a mouth that starts half open has the other half to go.
    """
    position, normal, left = position.astype(np.float32), normal.astype(np.float64), list(morphs)
    for row, (morph, weight) in enumerate(zip(morphs, start, strict=False)):
        if weight:
            position[morph.index] += np.float32(weight) * morph.position
            normal[morph.index] += weight * morph.normal
            rest = np.float32(max(1.0 - weight, 0.0))
            left[row] = Morph(
                morph.name,
                morph.index,
                frozen(rest * morph.position, np.float32),
                frozen(rest * morph.normal, np.float32),
            )
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    return position, np.where(length > 1e-6, normal / np.maximum(length, 1e-6), normal), tuple(left)


def target_count(mesh: Table) -> int:
    """Return how many targets a mesh has: its primitives should agree, the largest count is taken."""
    count = max((len(row.rows("targets")) for row in mesh.rows("primitives")), default=0)
    if count > MAX_TARGETS:
        raise AvatarError(f"{mesh.where} has {count} morph targets, at most {MAX_TARGETS} are read")
    return count


def _extras(row: Table) -> Table:
    extras = row.values.get("extras")
    return Table(extras if isinstance(extras, dict) else {}, row.path("extras"))


def _changes(target: Table, accessors: Accessors, count: int, extent: float) -> tuple[npt.NDArray[np.intp], F32, F32]:
    """Return (K,) vertices, (K, 3) moves and (K, 3) changes of the normal."""
    moved = np.zeros(count, bool)
    rows = []
    for key, still in (("POSITION", extent * _STILL), ("NORMAL", _STILL_NORMAL)):
        at, values = np.zeros(0, np.intp), np.zeros((0, 3), np.float32)
        if key in target:
            at, values = accessors.changes(target.integer(key), count, target.path(key))
            if not np.isfinite(values).all():
                raise AvatarError(f"{target.path(key)} has values that are not finite")
            kept = np.abs(values).max(axis=1, initial=0.0) > still
            at, values = at[kept], values[kept]
        moved[at] = True
        rows.append((at, values))
    index = np.flatnonzero(moved)
    full = []
    for at, values in rows:
        wide = np.zeros((len(index), 3), np.float32)
        wide[np.searchsorted(index, at)] = values
        full.append(wide)
    return index, full[0], full[1]
