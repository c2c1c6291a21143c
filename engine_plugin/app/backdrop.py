"""What stands behind her: a wall with a little light on it, or a flat key colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from panda3d.core import (
    Camera,
    DisplayRegion,
    Geom,
    GeomNode,
    GeomTristrips,
    GeomVertexData,
    GeomVertexFormat,
    GeomVertexWriter,
    NodePath,
    OrthographicLens,
)

from ...components.config.sections import Window as Settings

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase

TOP, BOTTOM = 1.08, 0.84  # of the wall's colour: lighter above, as a room is; a flat grey looks like a viewport
SORT = -20  # of its region: drawn before her, whose own region is 0


class Backdrop:
    """The wall of a window."""

    def __init__(self, base: ShowBase) -> None:
        self._base = base
        self._root = NodePath("backdrop")
        lens = OrthographicLens()
        lens.setFilmSize(2, 2)
        lens.setNearFar(-10, 10)
        self._region: DisplayRegion = base.win.makeDisplayRegion()
        self._region.setSort(SORT)
        self._region.setCamera(self._root.attachNewNode(Camera("backdrop", lens)))
        self._wall = self._root.attachNewNode("wall")
        self.colour: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def show(self, settings: Settings) -> None:
        """Paint it as the settings say."""
        red, green, blue = settings.key_colour if settings.key else settings.background
        self.colour = (red, green, blue)
        self._base.setBackgroundColor(red, green, blue, 1.0)
        self._wall.removeNode()
        self._wall = self._root.attachNewNode("wall" if settings.key else _shaded(self.colour))
        self._wall.setDepthTest(False)
        self._wall.setDepthWrite(False)

    def remove(self) -> None:
        """Take it away for good; the flat colour stays."""
        self._base.win.removeDisplayRegion(self._region)
        self._root.removeNode()


def _shaded(colour: tuple[float, float, float]) -> GeomNode:
    data = GeomVertexData("wall", GeomVertexFormat.getV3c4(), Geom.UHStatic)
    place, paint = GeomVertexWriter(data, "vertex"), GeomVertexWriter(data, "color")
    strip = GeomTristrips(Geom.UHStatic)
    for row, share in ((1.0, TOP), (-0.1, 1.0), (-1.0, BOTTOM)):
        for column in (1.0, -1.0):  # the front of a strip turns counter-clockwise
            place.addData3(column, 0, row)
            red, green, blue = (min(c * share, 1.0) for c in colour)
            paint.addData4(red, green, blue, 1.0)
    strip.addConsecutiveVertices(0, 6)
    strip.closePrimitive()
    geom = Geom(data)
    geom.addPrimitive(strip)
    node = GeomNode("wall")
    node.addGeom(geom)
    return node
