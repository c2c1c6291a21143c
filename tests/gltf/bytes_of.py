"""The bytes of a small glTF file: accessors in every layout the format allows, packed as .glb or as text."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

import numpy as np


class Writer:
    """Buffer views and accessors of one file."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def view(self, data: bytes, stride: int = 0) -> int:
        self.data += b"\0" * (-len(self.data) % 4)
        entry = {"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data)}
        self.views.append(entry | ({"byteStride": stride} if stride else {}))
        self.data += data
        return len(self.views) - 1

    def entry(self, array: np.ndarray, **more: Any) -> dict[str, Any]:
        component = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}[array.dtype.str[1:]]
        kind = "SCALAR" if array.ndim == 1 else {2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}[array.shape[1]]
        return {"componentType": component, "count": len(array), "type": kind} | more

    def add(self, array: np.ndarray, **more: Any) -> int:
        array = np.ascontiguousarray(array)
        self.accessors.append(self.entry(array, bufferView=self.view(array.tobytes()), **more))
        return len(self.accessors) - 1

    def interleave(self, columns: dict[str, tuple[np.ndarray, dict[str, Any]]]) -> dict[str, int]:
        """One buffer view for all, each element padded to 4 bytes."""
        parts, at = [], 0
        offsets = {}
        for key, (array, _) in columns.items():
            raw = np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)
            raw = np.pad(raw, ((0, 0), (0, -raw.shape[1] % 4)))
            offsets[key] = at
            at += raw.shape[1]
            parts.append(raw)
        view = self.view(np.concatenate(parts, axis=1).tobytes(), at)
        found = {}
        for key, (array, more) in columns.items():
            self.accessors.append(self.entry(array, bufferView=view, byteOffset=offsets[key], **more))
            found[key] = len(self.accessors) - 1
        return found

    def sparse(self, array: np.ndarray, base: bool) -> int:
        rows = np.flatnonzero((array != 0).any(axis=1)).astype(np.uint16)
        more: dict[str, Any] = {"sparse": {
            "count": len(rows),
            "indices": {"bufferView": self.view(rows.tobytes()), "componentType": 5123},
            "values": {"bufferView": self.view(array[rows].tobytes())},
        }}  # fmt: skip
        if base:
            more["bufferView"] = self.view(np.zeros_like(array).tobytes())
        self.accessors.append(self.entry(array, **more))
        return len(self.accessors) - 1


def pack(document: dict[str, Any], out: Writer, text: bool = False) -> bytes:
    """Return a .glb, or a .gltf with a data URI."""
    data = bytes(out.data) + b"\0" * (-len(out.data) % 4)
    document = document | {"bufferViews": out.views, "accessors": out.accessors, "buffers": [{"byteLength": len(data)}]}
    if text:
        document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
        return json.dumps(document, ensure_ascii=False).encode()
    return glb(document, data)


def glb(document: dict[str, Any], data: bytes) -> bytes:
    """Return a .glb of a document and its binary chunk."""
    head = json.dumps(document).encode()
    head += b" " * (-len(head) % 4)
    chunks = struct.pack("<II", len(head), 0x4E4F534A) + head + struct.pack("<II", len(data), 0x004E4942) + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def unpack(file: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the document and the binary chunk of a .glb."""
    size = struct.unpack_from("<I", file, 12)[0]
    return json.loads(file[20 : 20 + size]), file[28 + size :]
