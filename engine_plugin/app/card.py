"""One flat card over the window's picture: a texture, pixel for pixel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from panda3d.core import CardMaker, NodePath, SamplerState, Texture, TransparencyAttrib
from PIL import Image

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase


class Card:
    """A picture at a place in px from the window's upper left corner. Hidden until something is shown."""

    def __init__(self, base: ShowBase, name: str, sort: int = 0) -> None:
        self._node: NodePath = base.pixel2d.attachNewNode(name, sort)
        self._node.setTransparency(TransparencyAttrib.M_alpha)
        self._node.hide()
        self._texture = Texture(name)
        self._texture.setMinfilter(SamplerState.FT_nearest)
        self._texture.setMagfilter(SamplerState.FT_nearest)
        self._texture.setWrapU(SamplerState.WM_clamp)
        self._texture.setWrapV(SamplerState.WM_clamp)
        self.size = (0, 0)

    def draw(self, image: Image.Image) -> None:
        """Take another picture; where and whether it shows stays as it is."""
        pixels = np.asarray(image.convert("RGBA"))[::-1, :, [2, 1, 0, 3]]  # Panda: bottom row first, BGRA
        if image.size != self.size:
            self.size = image.size
            self._texture.setup2dTexture(*image.size, Texture.T_unsigned_byte, Texture.F_rgba)
            self._node.getChildren().detach()
            maker = CardMaker("card")
            maker.setFrame(0, image.width, -image.height, 0)
            self._node.attachNewNode(maker.generate()).setTexture(self._texture)
        self._texture.setRamImage(np.ascontiguousarray(pixels).tobytes())

    def show(self, x: float, y: float, alpha: float = 1.0) -> None:
        """Show it with its upper left corner here, px; alpha: 0..1."""
        self._node.setPos(round(x), 0, -round(y))
        self._node.setAlphaScale(alpha)
        self._node.show()

    def hide(self) -> None:
        """Take it away until the next `show`."""
        self._node.hide()

    @property
    def is_shown(self) -> bool:
        """Whether it is there."""
        return not self._node.isHidden()

    def remove(self) -> None:
        """Take it away for good."""
        self._node.removeNode()
