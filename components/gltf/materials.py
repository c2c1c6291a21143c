"""Materials, base colour images and where they lie on the mesh. Pictures stay encoded."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..arrays import F32
from ..errors import AvatarError
from ..skin import Image, Material
from .container import Container
from .document import Table, quoted

MAX_IMAGE_BYTES = 256 << 20  # encoded, of one file
_MAGIC = ((b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"RIFF", "image/webp"))
_KTX = b"\xabKTX"


@dataclass(frozen=True, slots=True)
class Placement:
    """How a texture lies on a mesh: TEXCOORD set and KHR_texture_transform (offset, rotation in rad, scale)."""

    uv_set: int = 0
    offset: tuple[float, float] = (0.0, 0.0)
    rotation: float = 0.0
    scale: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Looks:
    """Materials and images; the last material is for primitives that name none, if there are such."""

    materials: tuple[Material, ...]
    images: tuple[Image, ...]
    placements: tuple[Placement, ...]

    def row(self, primitive: Table) -> int:
        """Return the material of a primitive."""
        return primitive.integer("material", len(self.materials) - 1, high=len(self.materials) - 1)

    def place(self, primitive: Table) -> Placement:
        """Return how the base colour image lies on a primitive."""
        return self.placements[self.row(primitive)]


def placed_uv(place: Placement, uv: F32) -> npt.NDArray[np.floating]:
    """Return texture coordinates with the material's transform in them: offset + turn(scale * uv).

    Positive rotation turns counter-clockwise as seen with v downward (KHR_texture_transform).
    """
    if (place.offset, place.rotation, place.scale) == ((0.0, 0.0), 0.0, (1.0, 1.0)):
        return uv
    u, v = (uv.astype(np.float64) * place.scale).T
    c, s = math.cos(place.rotation), math.sin(place.rotation)
    return np.clip(np.stack([c * u + s * v, c * v - s * u], axis=1) + place.offset, -1e6, 1e6)


def read_looks(document: Table, container: Container, warnings: list[str]) -> Looks:
    """Return materials and the images their base colours use; a picture that cannot be had is a warning."""
    rows = document.rows("materials")
    toons = _toons_0x(document)
    shelf = _Shelf(document.rows("textures"), document.rows("images"), container, warnings)
    materials, places = [], []
    for row in rows:
        base = row.table("pbrMetallicRoughness").table("baseColorTexture")
        image = shelf.image(base.integer("index")) if "index" in base else -1
        materials.append(_material(row, image, toons.get(row.label("name"))))
        places.append(_placement(base))
    toon_rows = [row.table("extensions").table("VRMC_materials_mtoon") for row in rows]
    _tell_of_looks(rows, [*toons.values(), *(_toon_1(row) for row in toon_rows if row.values)], warnings)
    if any("material" not in p for mesh in document.rows("meshes") for p in mesh.rows("primitives")):
        materials.append(Material("default"))
        places.append(Placement())
    return Looks(tuple(materials), tuple(shelf.images), tuple(places))


@dataclass(frozen=True, slots=True)
class _Toon:
    """MToon as near as our shader goes. shade: linear rgb; edge: cosines where shade ends and light begins."""

    shade: tuple[float, float, float]
    edge: tuple[float, float]
    has_outline: bool


def _toons_0x(document: Table) -> dict[str, _Toon]:
    """Return material name -> MToon: VRM 0.x keeps its shader by name beside the glTF material."""
    found = {}
    for row in document.table("extensions").table("VRM").rows("materialProperties"):
        if "mtoon" not in row.label("shader").lower():
            continue
        floats, vectors = row.table("floatProperties"), row.table("vectorProperties")
        shade = vectors.numbers("_ShadeColor", 4, (1.0, 1.0, 1.0, 1.0))[:3]
        shift, toony = float(floats.number("_ShadeShift", 0.0)), float(floats.number("_ShadeToony", 0.9))
        edge = (shift, 1.0 + (shift - 1.0) * toony)  # as UniVRM carries it over to 1.0
        outline = floats.number("_OutlineWidthMode", 0.0) > 0 and floats.number("_OutlineWidth", 0.0) > 0
        found[row.label("name")] = _Toon(_colour(_linear(shade)), _edge(*edge), bool(outline))
    return found


def _toon_1(row: Table) -> _Toon:
    """Return MToon of VRM 1.0: shade blends into light where cosine + shift runs over -1 + toony .. 1 - toony."""
    shift, toony = float(row.number("shadingShiftFactor", 0.0)), float(row.number("shadingToonyFactor", 0.9))
    shade = row.numbers("shadeColorFactor", 3, (1.0, 1.0, 1.0))
    outline = row.label("outlineWidthMode") not in ("", "none") and row.number("outlineWidthFactor", 0.0) > 0
    return _Toon(_colour(shade), _edge(toony - 1.0 - shift, 1.0 - toony - shift), bool(outline))


def _edge(first: float, second: float) -> tuple[float, float]:
    first = min(max(first, -4.0), 4.0)
    return first, max(min(second, 4.0), first + 0.01)


def _colour(values: npt.ArrayLike) -> tuple[float, float, float]:
    red, green, blue = np.clip(np.asarray(values, np.float64), 0.0, 1.0).tolist()
    return red, green, blue


def _linear(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """VRM 0.x holds Unity's colours, which are sRGB (IEC 61966-2-1)."""
    values = np.clip(values, 0.0, 1.0)
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def _material(row: Table, image: int, toon: _Toon | None) -> Material:
    pbr, extensions = row.table("pbrMetallicRoughness"), row.table("extensions")
    if "VRMC_materials_mtoon" in extensions:
        toon = _toon_1(extensions.table("VRMC_materials_mtoon"))
    strength = extensions.table("KHR_materials_emissive_strength").number("emissiveStrength", 1.0)
    color = np.clip(pbr.numbers("baseColorFactor", 4, (1.0, 1.0, 1.0, 1.0)), 0.0, 1.0)
    glow = np.clip(row.numbers("emissiveFactor", 3, (0.0, 0.0, 0.0)) * strength, 0.0, 100.0)
    if "emissiveTexture" in row:  # the factor is for a picture we do not draw: alone it paints VRoid's hair white
        glow = np.zeros(3)
    alpha = row.label("alphaMode")
    return Material(
        name=row.label("name"),
        color=tuple(color.tolist()),
        roughness=1.0 if toon else min(max(float(pbr.number("roughnessFactor", 1.0)), 0.0), 1.0),
        metallic=0.0 if toon else min(max(float(pbr.number("metallicFactor", 1.0)), 0.0), 1.0),
        alpha=alpha if alpha in ("OPAQUE", "MASK", "BLEND") else "OPAQUE",
        cutoff=min(max(float(row.number("alphaCutoff", 0.5)), 0.0), 1.0),
        double_sided=row.flag("doubleSided"),
        unlit="KHR_materials_unlit" in extensions and toon is None,
        image=image,
        emissive=(float(glow[0]), float(glow[1]), float(glow[2])),
        shade=toon.shade if toon else None,
        shade_edge=toon.edge if toon else (0.0, 1.0),
    )


def _tell_of_looks(rows: list[Table], toons: list[_Toon], warnings: list[str]) -> None:
    """One line for what of her materials is not drawn."""
    lost = Counter[str]()
    for row in rows:
        lost["normal maps"] += "normalTexture" in row
        lost["glowing pictures"] += "emissiveTexture" in row
        lost["metal and roughness maps"] += "metallicRoughnessTexture" in row.table("pbrMetallicRoughness")
    lost["toon outlines"] += sum(toon.has_outline for toon in toons)
    parts = [f"{what} of {count}" for what, count in lost.items() if count]
    if parts:
        warnings.append(f"not drawn of her {len(rows)} materials: {', '.join(parts)}")


def _placement(texture: Table) -> Placement:
    moved = texture.table("extensions").table("KHR_texture_transform")
    offset, scale = moved.numbers("offset", 2, (0.0, 0.0)), moved.numbers("scale", 2, (1.0, 1.0))
    uv_set = moved.integer("texCoord", texture.integer("texCoord", 0, high=7), high=7)
    return Placement(uv_set, tuple(offset.tolist()), float(moved.number("rotation", 0.0)), tuple(scale.tolist()))


@dataclass(slots=True)
class _Shelf:
    """Images taken so far, each once."""

    textures: list[Table]
    sources: list[Table]
    container: Container
    warnings: list[str]
    row_of: dict[int, int] = field(default_factory=dict)
    images: list[Image] = field(default_factory=list)

    def image(self, texture: int) -> int:
        """Return the row of a texture's image, -1 where it cannot be had."""
        if texture >= len(self.textures):
            raise AvatarError(f"a material names texture {texture}, the file has {len(self.textures)}")
        row = self.textures[texture]
        webp = row.table("extensions").table("EXT_texture_webp")
        source = row if "source" in row else webp
        if "source" not in source:
            self.warnings.append(f"{row.where} has no png, jpeg or webp picture; drawn in its plain colour")
            return -1
        index = source.integer("source", high=len(self.sources) - 1)
        if index not in self.row_of:
            self.row_of[index] = self._read(self.sources[index])
        return self.row_of[index]

    def _read(self, row: Table) -> int:
        name = row.label("name") or quoted(row.label("uri")[:40]) or row.where
        try:
            if "bufferView" in row:
                data: bytes | memoryview = self.container.view(row.integer("bufferView"), row.where)[0]
            else:
                data = self.container.outside(row.text("uri"), row.path("uri"))
        except AvatarError as error:
            if "leaves the avatar's folder" in str(error):
                raise
            self.warnings.append(f"{error}; drawn in its plain colour")
            return -1
        head = bytes(data[:16])
        mime = next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")
        if not mime:
            what = "a KTX2 picture" if head.startswith(_KTX) else "no png, jpeg or webp picture"
            self.warnings.append(f"image {name[:40]!r} is {what}; drawn in its plain colour")
            return -1
        if sum(len(image.data) for image in self.images) + len(data) > MAX_IMAGE_BYTES:
            raise AvatarError(f"its pictures take more than {MAX_IMAGE_BYTES >> 20} MB")
        self.images.append(Image(name, mime, bytes(data)))
        return len(self.images) - 1
