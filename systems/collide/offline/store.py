"""BODY.npz: measured capsules on disk, checked when they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ....components import npz
from ....components.capsules import CapsuleSet
from ....components.errors import AvatarError
from ....components.files import whole
from ....components.rig import Rig

VERSION = 2  # of the fitter: raised when the same avatar comes out otherwise

# name -> kind of dtype and number of dimensions
_ARRAYS = {
    "names": ("U", 1), "bone": ("i", 1), "a": ("f", 2), "b": ("f", 2), "radius": ("f", 1), "part": ("i", 1),
    "pair": ("i", 2), "allowance": ("f", 1), "joined": ("i", 2), "base": ("f", 2), "left": ("i", 1),
    "tested": ("i", 1), "rig": ("U", 0), "version": ("i", 0), "body": ("U", 0),
}  # fmt: skip


def save(path: str | Path, capsules: CapsuleSet, body: str = "") -> None:
    """Write them, to a file beside it first that then takes its place. OutputError where that cannot be done.

    body: digest of the avatar file they were measured on
    """
    path = Path(path)
    arrays = arrays_of(capsules, body)
    with whole(path) as file:
        np.savez_compressed(file, **arrays)


def arrays_of(capsules: CapsuleSet, body: str = "") -> dict[str, Any]:
    """Return the arrays of a file. body: digest of the avatar file they were measured on."""
    return {
        "names": np.array(capsules.names), "bone": capsules.joint, "a": capsules.start, "b": capsules.end,
        "radius": capsules.radius, "part": capsules.part, "pair": capsules.pair, "allowance": capsules.allowance,
        "joined": capsules.joined, "base": capsules.base, "left": capsules.left, "tested": capsules.tested,
        "rig": np.array(capsules.rig), "version": np.array(VERSION, np.int32),
        "body": np.array(body),
    }  # fmt: skip


def source(path: str | Path) -> str:
    """Return the digest of the avatar file that these capsules were measured on, "" where the file does not tell."""
    arrays = _read(Path(path), ("body",))
    return str(arrays["body"]) if "body" in arrays else ""


def load(path: str | Path, rig: Rig) -> CapsuleSet:
    """Return the capsules of a file, for this rig. AvatarError with one line if it is damaged or another avatar's."""
    path = Path(path)
    return made(_read(path, tuple(_ARRAYS)), rig, path.name)


def made(arrays: dict[str, Any], rig: Rig, where: str) -> CapsuleSet:
    """Return capsules from the arrays of a file. AvatarError as `load`; where: what its line begins with."""
    fault = _fault(arrays, rig)
    if fault:
        raise AvatarError(f"{where}: {fault}; measure the avatar again with 'kinesics avatar measure'")
    return CapsuleSet(
        names=rig.names, joint=arrays["bone"], start=arrays["a"], end=arrays["b"], radius=arrays["radius"],
        part=arrays["part"], pair=arrays["pair"], allowance=arrays["allowance"], joined=arrays["joined"],
        base=arrays["base"], rig=rig.digest, left=arrays["left"], tested=arrays["tested"],
    )  # fmt: skip


def _read(path: Path, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the arrays of these names that a file has; AvatarError where it is none of numpy's."""
    try:
        held = npz.read(path)
    except ValueError as cause:
        raise AvatarError(f"{path.name}: no capsules can be read from it ({cause}); measure the avatar again") from None
    return {name: held[name] for name in names if name in held}


def _fault(arrays: dict[str, Any], rig: Rig) -> str:
    """Return what is wrong with the arrays, "" if nothing."""
    for name, (kind, dimensions) in _ARRAYS.items():
        if name not in arrays:
            return f"has no '{name}'"
        array = arrays[name]
        if array.dtype.kind != kind or array.ndim != dimensions:
            return f"'{name}' is {array.dtype} with {array.ndim} dimensions, not {kind} with {dimensions}"
        if kind == "f" and not np.isfinite(array).all():
            return f"{int((~np.isfinite(array)).sum())} values of '{name}' are not finite"
    if int(arrays["version"]) != VERSION:
        return f"is of version {int(arrays['version'])} of the fitter, this is {VERSION}"
    if str(arrays["rig"]) != rig.digest or tuple(arrays["names"].tolist()) != rig.names:
        return f"is another avatar's (rig {str(arrays['rig'])[:8]}, this one is {rig.digest[:8]})"
    count, joints = len(arrays["bone"]), len(rig.names)
    shapes = {
        "a": (count, 3), "b": (count, 3), "radius": (count,), "part": (count,), "left": (count,), "tested": (count,),
        "base": (joints, 4), "allowance": (len(arrays["pair"]),),
    }  # fmt: skip
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            return f"'{name}' has shape {arrays[name].shape}, not {shape}"
    limits = {"bone": joints, "pair": count, "joined": count, "part": 5, "left": 2, "tested": 2}
    for name, limit in limits.items():
        array = arrays[name]
        if name in ("pair", "joined") and (array.shape[1:] != (2,)):
            return f"'{name}' has shape {array.shape}, not (N, 2)"
        if array.size and (array.min() < 0 or array.max() >= limit):
            return f"'{name}' has {int(array.min())}..{int(array.max())}, allowed is 0..{limit - 1}"
    if count and arrays["radius"].min() <= 0.0:
        return f"a radius is {float(arrays['radius'].min()):g} m, more than 0 is needed"
    if np.abs(np.linalg.norm(arrays["base"], axis=1) - 1.0).max() > 1e-6:
        return "its base pose has rotations that are not unit quaternions"
    return ""
