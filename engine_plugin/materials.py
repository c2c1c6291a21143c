"""glTF materials and pictures as Panda states: base colour, roughness, metal, alpha, sides."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from panda3d.core import (
    AlphaTestAttrib,
    ColorAttrib,
    MaterialAttrib,
    NodePath,
    RenderAttrib,
    SamplerState,
    Shader,
    ShaderAttrib,
    Texture,
    TransparencyAttrib,
)
from panda3d.core import Material as PandaMaterial
from PIL import Image as Picture
from PIL import UnidentifiedImageError

from ..components.errors import AvatarError
from ..components.skin import Image, Material
from . import shaders

SKIN_WORDS = ("skin", "face", "body", "head", "hand", "lip", "ear", "neck")  # a glTF material has no "is skin" field
NOT_SKIN_WORDS = ("eye", "hair", "brow", "lash", "teeth", "tooth", "cloth", "shirt", "dress", "shoe", "outfit", "top")
HAIR_WORDS = ("hair",)
CLOTH_WORDS = ("cloth", "fabric", "trouser", "shirt", "dress", "skirt", "pants", "tops", "bottoms")  # VRoid's last two


def texture(image: Image, source: str) -> Texture:
    """Return a decoded picture, colours marked as sRGB so that a shader reads them linear.

    source: the avatar's file, for the message
    Raises AvatarError where Pillow cannot read the picture.
    """
    try:
        with Picture.open(io.BytesIO(image.data)) as opened:
            pixels = np.asarray(opened.convert("RGBA"))
    except (UnidentifiedImageError, OSError, ValueError, Picture.DecompressionBombError) as fault:
        raise AvatarError(
            f"{source}: image '{image.name}' ({image.mime}, {len(image.data)} bytes) cannot be decoded ({fault}); "
            "save the avatar again with PNG or JPEG textures"
        ) from None
    out = Texture(image.name)
    height, width = pixels.shape[:2]
    out.setup2dTexture(width, height, Texture.T_unsigned_byte, Texture.F_srgb_alpha)
    out.setRamImage(np.ascontiguousarray(pixels[::-1, :, [2, 1, 0, 3]]).tobytes())  # Panda: bottom row first, BGRA
    out.setMinfilter(SamplerState.FT_linear_mipmap_linear)
    out.setMagfilter(SamplerState.FT_linear)
    out.setAnisotropicDegree(4)
    return out


def is_skin(material: Material) -> bool:
    """Whether light should bleed softly into this material's shade, by its name."""
    name = material.name.lower()
    return any(word in name for word in SKIN_WORDS) and not any(word in name for word in NOT_SKIN_WORDS)


def variant(material: Material) -> tuple[str, ...]:
    """Return the words that figure.frag is made with for this material.

    A CPU renderer runs both sides of every branch: one shader for all took twice as long.
    """
    name = material.name.lower()
    textured = ("TEXTURED",) if material.image >= 0 else ()
    if material.unlit:
        return ("UNLIT", *textured)
    if material.shade is not None:
        return ("TOON", *textured)
    if any(word in name for word in HAIR_WORDS):
        return ("HAIR", *textured)
    if any(word in name for word in CLOTH_WORDS):
        return ("CLOTH", *textured)
    return ("SKIN", *textured) if is_skin(material) else textured


def apply(path: NodePath, material: Material, textures: Sequence[Texture], shader: Shader | None) -> None:
    """Dress one part: standard Panda attributes, which a host's own shader reads too, and inputs of ours.

    path: the part; textures: one for each row of Skin.images; shader: ours, or None to be lit by the host's
    """
    panda = PandaMaterial(material.name)
    panda.setBaseColor(material.color)
    panda.setRoughness(material.roughness)
    panda.setMetallic(material.metallic)
    panda.setEmission((*material.emissive, 1.0))
    path.node().setAttrib(MaterialAttrib.make(panda))
    path.node().setAttrib(ColorAttrib.makeVertex())
    if material.image >= 0:
        path.setTexture(textures[material.image])
    if material.double_sided:
        path.setTwoSided(True)
    if material.alpha == "MASK":
        path.node().setAttrib(AlphaTestAttrib.make(RenderAttrib.M_greater_equal, material.cutoff))
    elif material.alpha == "BLEND":
        path.setTransparency(TransparencyAttrib.M_dual)  # opaque parts first: hair strips then sort among themselves
    look = (
        1.0 if is_skin(material) else 0.0,
        material.cutoff if material.alpha == "MASK" else 0.0,
        1.0 if material.unlit else 0.0,
        0.0 if material.alpha == "OPAQUE" else 1.0,
    )
    # the shade's own texture is nearly always the base one: what is left is the ratio of the two colours
    ratio = [s / max(c, 1e-3) for s, c in zip(material.shade or (1.0, 1.0, 1.0), material.color)]
    shade = (*(min(r, 4.0) for r in ratio), 0.0 if material.shade is None else 1.0)
    if shader is not None and shader is shaders.pair("figure"):
        shader = shaders.pair("figure", *variant(material))
    drawn = ShaderAttrib.make() if shader is None else ShaderAttrib.make(shader)
    drawn = drawn.setShaderInput("kinesics_look", look).setShaderInput("kinesics_shade", shade)
    path.node().setAttrib(drawn.setShaderInput("kinesics_edge", material.shade_edge))
