"""Pictures without a window and without a ShowBase: an engine of its own on EGL, or on what the system draws with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from panda3d.core import (
    AntialiasAttrib,
    Camera,
    FrameBufferProperties,
    GraphicsEngine,
    GraphicsOutput,
    GraphicsPipe,
    GraphicsPipeSelection,
    GraphicsStateGuardian,
    NodePath,
    Texture,
    WindowProperties,
    loadPrcFileData,
    unloadPrcFile,
)

from ..components.arrays import F32, F64
from ..components.errors import KinesicsError
from . import memory
from .view import FRONT, SIDE, View, lens, point

BACKGROUND = (0.73, 0.77, 0.82, 1.0)  # a cool grey wall: skin and dark hair both stand out
Pixels = npt.NDArray[np.uint8]


class Stage:
    """A place to draw in memory: panels side by side or stacked, one camera each. Use as a context manager.

    root: reparent what shall be seen to it
    """

    def __init__(
        self,
        views: Sequence[View] = (FRONT, SIDE),
        size: tuple[int, int] = (300, 348),
        background: tuple[float, float, float, float] = BACKGROUND,
        samples: int = 4,
        depth: bool = False,
    ) -> None:
        """Open it.

        size: px of one panel, width and height
        background: rgba 0..1
        samples: a pixel, for smooth edges
        depth: keep what `depths` returns; with samples 0
        Raises KinesicsError where this machine can draw nothing.
        """
        self.root = NodePath("stage")
        self.root.setAntialias(AntialiasAttrib.M_multisample)
        self.views = tuple(views)
        self._width, self._height = size
        self._buffer: GraphicsOutput | None = _buffer((size[0], size[1] * len(self.views)), samples)
        _open.add(id(self))
        self._texture = Texture("stage")
        self._buffer.addRenderTexture(self._texture, GraphicsOutput.RTM_copy_ram)
        self._depth: Texture | None = None
        if depth:
            self._depth = Texture("depth")
            self._depth.setFormat(Texture.F_depth_component)
            self._depth.setComponentType(Texture.T_float)
            self._buffer.addRenderTexture(self._depth, GraphicsOutput.RTM_copy_ram, GraphicsOutput.RTP_depth)
        self._buffer.setClearColor(background)
        self._buffer.setActive(False)
        self._cameras = []
        for k, view in enumerate(self.views):
            top = 1.0 - k / len(self.views)
            region = self._buffer.makeDisplayRegion(0, 1, top - 1.0 / len(self.views), top)
            camera = self.root.attachNewNode(Camera(f"panel {k}", lens(view)))
            region.setCamera(camera)
            self._cameras.append(camera)
        self.look_at(np.array([0.0, 0.85, 0.0]), 1.9)

    def look_at(self, centre: F64, height: float, panels: Sequence[int] | None = None) -> None:
        """Point cameras.

        centre: (3,) m, glTF axes, middle of a panel; height: m, what a panel shows there; panels: default all
        """
        for k in range(len(self.views)) if panels is None else panels:
            point(self._cameras[k], self.views[k], centre, height, self._width / self._height)

    def pictures(self) -> list[Pixels]:
        """Return what each panel shows now. -> (H, W, 4) u8 rgba, one a view; premultiplied over a clear background."""
        whole = self.frame()[..., [2, 1, 0, 3]]
        return [np.ascontiguousarray(panel) for panel in np.split(whole, len(self.views))]

    def depths(self) -> list[F32]:
        """Return how far what the last picture shows lies, (H, W) f32 a view: 0 at the nearest that is drawn .. 1."""
        assert self._depth is not None, "the stage was opened without depth"
        whole = memory.view(self._depth.getRamImage(), np.float32).reshape(-1, self._width)[::-1]
        return [np.ascontiguousarray(panel) for panel in np.split(whole, len(self.views))]

    def frame(self) -> Pixels:
        """Return all panels as one picture, as Panda holds it: (H, W, 4) u8 bgra; valid until the next one is drawn."""
        engine, _ = _machine()
        assert self._buffer is not None, "the stage is closed"
        self._buffer.setActive(True)
        engine.renderFrame()
        self._buffer.setActive(False)
        raw = memory.view(self._texture.getRamImage(), np.uint8)
        return raw.reshape(self._height * len(self.views), self._width, 4)[::-1]

    def close(self) -> None:
        """Give the buffer back. Safe to call twice."""
        if self._buffer is not None:
            engine, _ = _machine()
            engine.removeWindow(self._buffer)
            self._buffer = None
            _open.discard(id(self))
            self.root.removeNode()

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_drawer: list[tuple[GraphicsStateGuardian, int]] = []  # what draws for all stages, and the samples it was made for
_open: set[int] = set()  # stages that are


@cache
def _machine() -> tuple[GraphicsEngine, GraphicsPipe]:
    """Return an engine of our own, so that a strip does not draw a host's windows once more, and one way to draw.

    EGL without a display first, then what Panda is configured for. One a process: a second pipe closes the first's EGL.
    """
    selection = GraphicsPipeSelection.getGlobalPtr()
    # EGL tries a display before the surfaceless way and warns about the first even when the second works.
    page = loadPrcFileData("kinesics offscreen", "notify-level-egldisplay error")
    try:
        pipe = selection.makeModulePipe("p3headlessgl") or selection.makeDefaultPipe()
    finally:
        unloadPrcFile(page)
    if pipe is None or not pipe.isValid():
        raise KinesicsError(_NO_PIPE)
    return GraphicsEngine(), pipe


def _buffer(size: tuple[int, int], samples: int) -> GraphicsOutput:
    engine, pipe = _machine()
    for wanted in dict.fromkeys((samples, 0)):
        bits = FrameBufferProperties()
        bits.setRgbaBits(8, 8, 8, 8)
        bits.setDepthBits(24)
        bits.setMultisamples(wanted)
        window = WindowProperties()
        window.setSize(*size)
        # One drawer for all stages: two of them mixed up their matrices when drawn in turn, and compile twice. It keeps
        # the samples of its first buffer whatever a later one asks for, so a film would cost three times as much.
        if _drawer and not _open and _drawer[0][1] != samples:
            _drawer.clear()
        drawer: dict[str, Any] = {"gsg": _drawer[0][0]} if _drawer else {}
        buffer = engine.makeOutput(pipe, "kinesics", 0, bits, window, GraphicsPipe.BF_refuse_window, **drawer)
        if buffer is not None:
            _drawer[:] = _drawer or [(buffer.getGsg(), samples)]
            return buffer
    raise KinesicsError(_NO_PIPE)


_NO_PIPE = (
    "no picture can be drawn: neither EGL nor a display's OpenGL opened a buffer. "
    "On Debian: apt-get install libegl1 libgl1 libgl1-mesa-dri; without a picture use 'kinesics run --headless'"
)
