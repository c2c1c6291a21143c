"""A hold when it is asked for: the shipped one, one found on an earlier day, or found now."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path
from typing import Any

import numpy as np

from ...components import npz
from ...components.anatomy import Anatomy
from ...components.capsules import CapsuleSet
from ...components.errors import OutputError, PostureError
from ...components.files import whole
from ...components.holds import ARRAYS, HOLDS, Hold
from ...components.skin import Body
from ..kernels.compiled import FOLDER

SHIPPED = Path(__file__).parents[2] / "assets" / "avatar" / "default.holds.npz"  # of the avatar beside it
KEPT = FOLDER.parent / "holds"  # of avatars that were asked here
VERSION = 3  # of the search: raised when the same avatar comes out otherwise

log = logging.getLogger(__name__)  # INFO: one line before a hold is looked for, for a progress line


def hold_of(body: Body, anatomy: Anatomy, capsules: CapsuleSet, name: str, first: int | None = None) -> Hold:
    """Return one of HOLDS on this body; looked for once, about 5 s, then kept. PostureError where it cannot be.

    first: side of the hand that goes first (the lower arm of crossed ones), 0 left, 1 right; None as most people do
    """
    if name not in HOLDS:
        raise PostureError(f"hold: no posture '{name[:40]}'; there are {', '.join(HOLDS)}")
    key = key_of(body, anatomy, capsules, name, first)
    for path in (SHIPPED, KEPT / f"{key}.npz"):
        if body.digest and path.is_file():
            try:
                return load(path, key)
            except PostureError as cause:
                log.debug("%s", cause)  # another avatar's, of another version, or damaged: looked for again
    return _found(body, anatomy, capsules, name, first, key)


def _found(body: Body, anatomy: Anatomy, capsules: CapsuleSet, name: str, first: int | None, key: str) -> Hold:
    from .offline.solve import find

    log.info("Looking for '%s' on the skin of %s, once.", name.replace("_", " "), body.source)
    try:
        hold = find(body, anatomy, capsules, name, first)
    except (ValueError, ArithmeticError, LookupError) as cause:  # numpy's, of a mesh that nobody has thought of
        said = f"{type(cause).__name__}: {cause}"
        raise PostureError(f"{body.source}: '{name}' cannot be found on its skin ({said})") from cause
    if body.digest:
        try:
            save(KEPT / f"{key}.npz", {key: hold})
        except OutputError as cause:  # no home or a full disk: it is looked for at each start
            log.debug("%s", cause)
    return hold


def save(path: Path, holds: dict[str, Hold]) -> None:
    """Write holds by their keys, beside the file first, then in its place. OutputError where it cannot be."""
    arrays: dict[str, Any] = {}
    for key, hold in holds.items():
        arrays[f"{key}/name"], arrays[f"{key}/first"] = np.array(hold.name), np.array(hold.first, np.int32)
        arrays |= {f"{key}/{name}": getattr(hold, name) for name in ARRAYS}
    with whole(path) as file:
        np.savez_compressed(file, **arrays)


def load(path: Path, key: str) -> Hold:
    """Return the hold of a key from a file. PostureError where it has none, or is damaged."""
    try:
        held = npz.read(path, [f"{key}/{name}" for name in ("name", "first", *ARRAYS)])
        name, first, *arrays = held.values()
        hold = Hold(str(name), int(first), *arrays)
    except (ValueError, TypeError) as cause:
        raise PostureError(f"{path.name}: this hold cannot be read from it ({cause})") from None
    if not all(np.isfinite(getattr(hold, name)).all() for name in ARRAYS) or len(hold.wrist) < 2:
        raise PostureError(f"{path.name}: this hold has values that are not finite")
    return hold


def names_in(path: Path) -> list[str]:
    """Return the names of the holds in a file, in order. PostureError where it cannot be read."""
    try:
        keys = [name.removesuffix("/name") for name in npz.read(path) if name.endswith("/name")]
    except ValueError as cause:
        raise PostureError(f"{path.name}: cannot be read ({cause})") from None
    return sorted(load(path, key).name for key in keys)


def key_of(body: Body, anatomy: Anatomy, capsules: CapsuleSet, name: str, first: int | None = None) -> str:
    """Return what a hold of this body is kept under: her file, her bones, her capsules, what was asked, VERSION."""
    parts = (body.digest, body.rig.digest, anatomy.digest, capsules.digest, name, str(first), str(VERSION))
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()
