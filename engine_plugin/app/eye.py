"""A second look at her, in memory: she alone, without wall and writing, with alpha."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from panda3d.core import (
    Camera,
    FrameBufferProperties,
    GraphicsOutput,
    GraphicsPipe,
    PerspectiveLens,
    Texture,
    WindowProperties,
)

from ...components.errors import KinesicsError
from .. import memory
from ..offscreen import Pixels

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase


class Eye:
    """A camera beside the window's. camera: aim it before each frame; size: px, width and height, for good."""

    def __init__(self, base: ShowBase, size: tuple[int, int], samples: int = 4) -> None:
        """Open it. Raises KinesicsError where the graphics driver refuses a picture in memory."""
        self._base, self.size = base, size
        self._buffer = _buffer(base, size, samples)
        self._texture = Texture("eye")
        self._buffer.addRenderTexture(self._texture, GraphicsOutput.RTM_copy_ram)
        self._buffer.setClearColor((0, 0, 0, 0))
        self._buffer.setActive(False)
        self.camera = base.render.attachNewNode(Camera("eye", PerspectiveLens()))
        self._buffer.makeDisplayRegion().setCamera(self.camera)

    @property
    def is_open(self) -> bool:
        """Whether it sees on every frame that is drawn."""
        return self._buffer.isActive()

    @is_open.setter
    def is_open(self, is_on: bool) -> None:
        self._buffer.setActive(is_on)

    def look(self) -> Pixels:
        """Draw a frame now and return it. -> (H, W, 4) u8 rgba, top row first, straight alpha: 0 around her."""
        was, self.is_open = self.is_open, True
        self._base.graphicsEngine.renderFrame()
        self.is_open = was
        seen = self.seen()
        assert seen is not None  # it has just been drawn
        return seen

    def seen(self) -> Pixels | None:
        """Return the last frame that was drawn while it was open, as `look` does; None before the first."""
        if not self._texture.hasRamImage():
            return None
        raw = memory.view(self._texture.getRamImage(), np.uint8).reshape(self.size[1], self.size[0], 4)
        return straight(raw[::-1, :, [2, 1, 0, 3]])

    def close(self) -> None:
        """Give the buffer back. Safe to call twice."""
        if not self.camera.isEmpty():
            self.camera.removeNode()
            self._base.graphicsEngine.removeWindow(self._buffer)


def straight(pixels: Pixels) -> Pixels:
    """Return colours as they are under their alpha; drawn over nothing, an edge has been mixed with black.

    pixels: (H, W, 4) u8 rgba, premultiplied; PNG and video programs read straight ones
    """
    out = np.ascontiguousarray(pixels)
    alpha = out[..., 3]
    soft = (alpha > 0) & (alpha < 255)
    share = alpha[soft].astype(np.float32)[:, None] / 255.0
    out[soft, :3] = np.minimum(np.rint(out[soft, :3] / share), 255.0).astype(np.uint8)
    return out


def _buffer(base: ShowBase, size: tuple[int, int], samples: int) -> GraphicsOutput:
    for wanted in dict.fromkeys((samples, 0)):
        bits = FrameBufferProperties()
        bits.setRgbaBits(8, 8, 8, 8)
        bits.setDepthBits(24)
        bits.setMultisamples(wanted)
        window: Any = base.win
        of_size: Any = WindowProperties.size  # the stubs know the property alone, not the constructor of that name
        made = base.graphicsEngine.makeOutput(
            window.getPipe(), "eye", -10, bits, of_size(*size), GraphicsPipe.BF_refuse_window,
            window.getGsg(), window,
        )  # fmt: skip
        if made is not None:
            return made
    raise KinesicsError(
        f"pictures with alpha: the graphics driver gives no buffer of {size[0]} x {size[1]} px; "
        "make the window smaller, or update the driver"
    )
