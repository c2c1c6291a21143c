"""Runs of this project: RUN.npz as `kinesics run --out` writes it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .....components.errors import CorpusError
from .....components.gltf.humanoid import BONES
from .....components.rig import Rig
from .....components.take import Take

_NEEDED = ("fps", "names", "parent", "rest_offset", "rest_rotation", "rotation", "root")


def is_run(keys: set[str]) -> bool:
    """Return whether an npz with these arrays is a run."""
    return {"names", "rest_rotation", "rotation"} <= keys


def read(path: Path, arrays: Mapping[str, Any]) -> Take:
    """Return the motion as it was shown, on the avatar that showed it. arrays: what the file at `path` holds.

    Raises:
        CorpusError: an array is missing or does not fit the others.
    """
    lost = [name for name in _NEEDED if name not in arrays]
    if lost:
        raise CorpusError(f"{path}: no '{lost[0]}' among its arrays; make it again with 'kinesics run --out'")
    names = [str(name) for name in np.asarray(arrays["names"]).ravel()]
    count = len(names)
    rotation = np.asarray(arrays["rotation"], np.float64)
    root = np.asarray(arrays["root"], np.float64)
    frames = len(rotation)
    if rotation.shape != (frames, count, 4) or root.shape != (frames, 3) or frames < 2:
        raise CorpusError(f"{path}: rotation {rotation.shape} and root {root.shape} do not fit {count} joints")
    length = np.linalg.norm(rotation, axis=2)
    if not np.isfinite(rotation).all() or not np.isfinite(root).all() or np.abs(length - 1.0).max() > 1e-3:
        raise CorpusError(f"{path}: its rotations are not all finite and of length 1; make the run again")
    fps = float(np.asarray(arrays["fps"]).ravel()[0])
    if not 5.0 <= fps <= 1000.0:
        raise CorpusError(f"{path}: fps is {fps:g}, wanted 5..1000")
    try:
        rig = Rig(
            tuple(names),
            np.asarray(arrays.get("node", np.arange(count))),
            np.asarray(arrays["parent"]),
            np.asarray(arrays["rest_offset"], np.float64),
            np.asarray(arrays["rest_rotation"], np.float64),
            {name: j for j, name in enumerate(names) if name in BONES},
        )
    except ValueError as cause:
        raise CorpusError(f"{path}: its joints make no skeleton ({cause}); make the run again") from None
    if "head" not in rig.humanoid:
        raise CorpusError(f"{path}: none of its {count} joints is a head; is it a run of an avatar?")
    return Take(path.stem, "run", "", "", "", rig, rotation / length[..., None], root, fps, is_ours=True)
