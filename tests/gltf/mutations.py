"""Seeded damage to a good file: flipped bytes, cut ends, JSON values exchanged for what nobody should write."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np

from tests.gltf.bytes_of import glb, unpack

_ODD: list[Any] = [
    -1, 0, 1, 3, 5, 255, 65536, 2**31, 2**63, 10**30, 0.5, -0.0, 1e-300, 1e38, 1e308, True, None, "", "x", "..",
    "\ud800", "data:;base64,!!", "../../etc/passwd", "http://a/b", [], [[]], [0], [1e308] * 3, [0, 0, 0, 0], {},
    {"a": 1}, "MAT4", "SCALAR", 5120, 5125, 5126, [-1], [0] * 40, "名前\n\t", 10**400,
]  # fmt: skip


def damaged(file: bytes, seed: int) -> bytes:
    """Return the file with one kind of damage; the same seed gives the same bytes."""
    rng = np.random.default_rng(seed)
    kind = seed % 8
    if kind == 0:
        return _flipped(file, rng)
    if kind == 1:
        return file[: int(rng.integers(0, len(file)))]
    document, data = unpack(file)
    for _ in range(int(rng.integers(1, 4))):
        _edit(document, rng)
    if kind == 2:
        data = data[: int(rng.integers(0, len(data) + 1))]
    if kind == 3 and len(data):  # numbers in the buffers that no exporter writes
        raw = np.frombuffer(data, np.uint8).copy()
        at = rng.integers(0, len(raw), 40)
        raw[at] = rng.choice(np.array([0, 127, 128, 255], np.uint8), 40)
        data = raw.tobytes()
    return glb(document, data)


def _flipped(file: bytes, rng: np.random.Generator) -> bytes:
    raw = np.frombuffer(file, np.uint8).copy()
    where = int(rng.choice([20, 400, 4000, len(raw)]))
    at = rng.integers(0, min(where, len(raw)), int(rng.integers(1, 6)))
    raw[at] ^= (1 << rng.integers(0, 8, len(at))).astype(np.uint8)
    return raw.tobytes()


def _edit(document: dict[str, Any], rng: np.random.Generator) -> None:
    """Exchange, delete or double one value in the tree; every branch of it is as likely to be hit."""
    place: Any = document
    while True:
        keys = [k for k in place if k not in ("asset", "scene")] if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = keys[int(rng.integers(len(keys)))]
        if not isinstance(place[key], dict | list) or rng.random() < 0.1:
            break
        place = place[key]
    what = rng.random()
    if what < 0.15:
        del place[key]
    elif what < 0.25 and isinstance(place, list):
        place.append(copy.deepcopy(place[key]))
    elif what < 0.45 and isinstance(place[key], int | float) and not isinstance(place[key], bool):
        place[key] = place[key] + int(rng.integers(-3, 4))
    else:
        place[key] = copy.deepcopy(_ODD[int(rng.integers(len(_ODD)))])


def text_of(document: dict[str, Any]) -> bytes:
    """Return a document as .gltf text."""
    return json.dumps(document).encode()
