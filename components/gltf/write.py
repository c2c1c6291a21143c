"""Writes a binary glTF 2.0 file. Knows accessors, not avatars; everything it is given ends up in one buffer."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

_COMPONENT = {"int8": 5120, "uint8": 5121, "int16": 5122, "uint16": 5123, "uint32": 5125, "float32": 5126}
_SHAPE = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963


class Writer:
    """A glTF document that grows. `document` is the JSON as a dict: nodes, meshes and the rest are set directly."""

    def __init__(self, generator: str) -> None:
        self.document: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": generator},
            "accessors": [],
            "bufferViews": [],
        }
        self._buffer = bytearray()
        self._zeros: dict[tuple[int, int], int] = {}

    def accessor(
        self,
        values: npt.NDArray[Any],
        *,
        normalized: bool = False,
        bounds: bool = False,
        target: int | None = None,
    ) -> int:
        """Return the index of a new accessor over a copy of `values`.

        values: (N,) or (N, K), K of 2, 3, 4, 16 (matrices column by column); dtype as stored
        bounds: write min and max, which POSITION must have
        target: ARRAY_BUFFER for vertex attributes, ELEMENT_ARRAY_BUFFER for indices, None for anything else
        """
        entry: dict[str, Any] = {"bufferView": self._view(values, target), **_described(values)}
        if normalized:
            entry["normalized"] = True
        if bounds:
            entry["min"], entry["max"] = _bounds(values)
        return self._add(entry)

    def sparse(self, count: int, index: npt.NDArray[Any], values: npt.NDArray[np.float32]) -> int:
        """Return the index of a (count, K) f32 accessor that is zero but for `values` at the rising `index`."""
        if len(index) == 0:
            key = (count, values.shape[1])
            if key not in self._zeros:
                nothing = np.zeros((1, values.shape[1]), np.float32)
                low, high = _bounds(nothing)
                self._zeros[key] = self._add({**_described(nothing), "count": count, "min": low, "max": high})
            return self._zeros[key]
        if (np.diff(np.asarray(index, np.int64)) <= 0).any() or index[-1] >= count:
            raise ValueError("sparse indices must rise and stay below the count")
        short = np.ascontiguousarray(index, np.uint16 if count <= 0xFFFF else np.uint32)
        rest = np.zeros((0 if len(index) == count else 1, values.shape[1]), np.float32)
        low, high = _bounds(np.concatenate([values, rest]))
        return self._add(
            {
                **_described(values),
                "count": count,
                "min": low,
                "max": high,
                "sparse": {
                    "count": len(short),
                    "indices": {"bufferView": self._view(short, None), "componentType": _COMPONENT[short.dtype.name]},
                    "values": {"bufferView": self._view(values, None)},
                },
            }
        )

    def glb(self) -> bytes:
        """Return the file. The same document gives the same bytes."""
        document = {key: value for key, value in self.document.items() if value != []}
        buffer = bytes(self._buffer) + b"\0" * (-len(self._buffer) % 4)
        if buffer:
            document["buffers"] = [{"byteLength": len(buffer)}]
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        out = struct.pack("<4sIIII", b"glTF", 2, 12, len(text), 0x4E4F534A) + text
        if buffer:
            out += struct.pack("<II", len(buffer), 0x004E4942) + buffer
        return out[:8] + struct.pack("<I", len(out)) + out[12:]

    def _view(self, values: npt.NDArray[Any], target: int | None) -> int:
        self._buffer += b"\0" * (-len(self._buffer) % 4)
        data = np.ascontiguousarray(values).tobytes()
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self._buffer), "byteLength": len(data)}
        if target is not None:
            view["target"] = target
        self._buffer += data
        self.document["bufferViews"].append(view)
        return len(self.document["bufferViews"]) - 1

    def _add(self, entry: dict[str, Any]) -> int:
        self.document["accessors"].append(entry)
        return len(self.document["accessors"]) - 1


def _described(values: npt.NDArray[Any]) -> dict[str, Any]:
    width = values.shape[1] if values.ndim == 2 else 1
    return {"componentType": _COMPONENT[values.dtype.name], "count": len(values), "type": _SHAPE[width]}


def _bounds(values: npt.NDArray[Any]) -> tuple[list[float], list[float]]:
    table = values.reshape(len(values), -1)
    return table.min(axis=0).tolist(), table.max(axis=0).tolist()
