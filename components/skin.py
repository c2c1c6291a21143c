"""What is drawn of an avatar: meshes bound to the rig, materials, images and expressions. Frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from .arrays import F32, F64
from .rig import Rig
from .springs import SpringSet


@dataclass(frozen=True, slots=True)
class Morph:
    """One shape of one mesh, sparse.

    Fields:
        name:     as the file names it, unique within the mesh
        index:    (K,) u32, vertices it moves
        position: (K, 3) f32 m, mesh frame
        normal:   (K, 3) f32, mesh frame; zeros where the file has none
    """

    name: str
    index: npt.NDArray[np.uint32]
    position: F32
    normal: F32


@dataclass(frozen=True, slots=True)
class Mesh:
    """One primitive: triangles of one material.

    A vertex is drawn at sum_k weight[k] * world(joint[k]) @ bind[skin, joint[k]] @ position.

    Fields:
        position, normal: (V, 3) f32 m and unit, mesh frame
        uv:       (V, 2) f32, glTF convention (v down); zeros where the file has none
        color:    (V, 4) f32 linear 0..1; ones where the file has none
        joint:    (V, 4) u16 into Rig, weight: (V, 4) f32, sums to 1
        triangle: (F, 3) u32
        skin:     row of Skin.bind
        material: row of Skin.materials
        morphs:   in file order
    """

    name: str
    position: F32
    normal: F32
    uv: F32
    color: F32
    joint: npt.NDArray[np.uint16]
    weight: F32
    triangle: npt.NDArray[np.uint32]
    skin: int
    material: int
    morphs: tuple[Morph, ...] = ()


@dataclass(frozen=True, slots=True)
class Material:
    """What our shader uses of a glTF material. color: linear rgba 0..1; image: row of Skin.images or -1.

    shade: of toon shading, linear rgb 0..1 of what light does not reach, in place of color; None for plain light
    shade_edge: cosines between normal and light: shade alone up to the first, color alone from the second
    """

    name: str = ""
    color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    roughness: float = 0.8
    metallic: float = 0.0
    alpha: Literal["OPAQUE", "MASK", "BLEND"] = "OPAQUE"
    cutoff: float = 0.5
    double_sided: bool = False
    unlit: bool = False
    image: int = -1
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)
    shade: tuple[float, float, float] | None = None
    shade_edge: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Image:
    """An encoded picture (png, jpeg, webp) as the file holds it; decoded only by who draws it."""

    name: str
    mime: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Expression:
    """A named face in the file's own map: `binds` are (mesh or -1 for every mesh, morph name, weight 0..1).

    overrides: (what it takes over: "blink", "look" or "mouth", how: "block" or "blend"), VRM 1.0 only
    """

    name: str
    binds: tuple[tuple[int, str, float], ...]
    is_binary: bool = False
    overrides: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Skin:
    """Every mesh of an avatar.

    Fields:
        bind: (S, J, 4, 4) f64, column-vector affine: mesh frame -> joint frame, one row a glTF skin or rigid mesh;
              identity for joints a skin does not use
    """

    meshes: tuple[Mesh, ...]
    bind: F64
    materials: tuple[Material, ...]
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class EyeRange:
    """How far the file's author lets its eyes turn: inward, outward, down, up.

    Fields:
        by_shape: its look shapes move the eyes; False: its eye bones do
        gaze:     deg of gaze from which on nothing more is shown
        eye:      what is shown then: 0..1 of the shape, or deg of the bone
    """

    by_shape: bool
    gaze: tuple[float, ...]
    eye: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Body:
    """One avatar file, read.

    Fields:
        source:      the file's name without its folder
        format:      what the file is
        morph_names: every distinct morph name over all meshes, in file order: the face's channels
        expressions: the file's own expression map (VRM), by VRM 1.0 preset or custom name
        warnings:    one line each: what was folded, dropped or guessed
        digest:      hash of the file's bytes
        node_names:  J str, each joint's name in the file
        springs:     hair and cloth that swing, None where the file has none
        eyes:        how far they may turn, None where the file does not say
    """

    source: str
    format: Literal["glTF", "VRM 0.x", "VRM 1.0"]
    rig: Rig
    skin: Skin
    morph_names: tuple[str, ...]
    expressions: Mapping[str, Expression] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    digest: str = ""
    node_names: tuple[str, ...] = ()
    springs: SpringSet | None = None
    eyes: EyeRange | None = None
