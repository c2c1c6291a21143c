"""Reads a .glb with json and struct alone, so that the shipped file is judged by nothing of ours."""

from __future__ import annotations

import json
import struct
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

TYPE = {5121: "u1", 5123: "u2", 5125: "u4", 5126: "f4"}
WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Glb:
    """One file: `document` is its JSON, `accessor(i)` one of its arrays as f64."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        magic, version, length, size, kind = struct.unpack("<4sIIII", data[:20])
        assert (magic, version, length, kind) == (b"glTF", 2, len(data), 0x4E4F534A)
        self.document: dict[str, Any] = json.loads(data[20 : 20 + size])
        self._buffer = data[28 + size :]

    def _raw(self, view: int, component: int, count: int, width: int) -> np.ndarray:
        start = self.document["bufferViews"][view].get("byteOffset", 0)
        return np.frombuffer(self._buffer, "<" + TYPE[component], count * width, start).reshape(count, width)

    def accessor(self, index: int) -> np.ndarray:
        entry = self.document["accessors"][index]
        count, width, component = entry["count"], WIDTH[entry["type"]], entry["componentType"]
        out = np.zeros((count, width))
        if "bufferView" in entry:
            out[:] = self._raw(entry["bufferView"], component, count, width)
        if "sparse" in entry:
            sparse = entry["sparse"]
            places = self._raw(sparse["indices"]["bufferView"], sparse["indices"]["componentType"], sparse["count"], 1)
            out[places[:, 0]] = self._raw(sparse["values"]["bufferView"], component, sparse["count"], width)
        return out / (np.iinfo(TYPE[component]).max if entry.get("normalized") else 1.0)

    @cached_property
    def joints(self) -> list[str]:
        nodes = self.document["nodes"]
        return [nodes[k]["name"] for k in self.document["skins"][0]["joints"]]

    @cached_property
    def places(self) -> dict[str, np.ndarray]:
        """World rest position of every node, m; only translations are allowed."""
        nodes = self.document["nodes"]
        out: dict[str, np.ndarray] = {}

        def walk(index: int, origin: np.ndarray) -> None:
            node = nodes[index]
            assert not {"rotation", "scale", "matrix"} & set(node), f"{node['name']} is not at identity rest"
            here = origin + np.array(node.get("translation", (0.0, 0.0, 0.0)))
            out[node["name"]] = here
            for child in node.get("children", ()):
                walk(child, here)

        for root in self.document["scenes"][0]["nodes"]:
            walk(root, np.zeros(3))
        return out

    @cached_property
    def primitives(self) -> list[dict[str, Any]]:
        """Every primitive with its attributes read and the name of its mesh and material."""
        out = []
        for mesh in self.document["meshes"]:
            for primitive in mesh["primitives"]:
                part = {name: self.accessor(index) for name, index in primitive["attributes"].items()}
                part["triangle"] = self.accessor(primitive["indices"]).astype(np.int64).reshape(-1, 3)
                part["mesh"], part["targets"] = mesh["name"], primitive.get("targets", [])
                part["material"] = self.document["materials"][primitive["material"]]["name"]
                out.append(part)
        return out
