"""Her capsules over her, and where an arm touches: what the rule sees, drawn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from direct.task import Task
from panda3d.core import (
    Geom,
    GeomNode,
    GeomTriangles,
    GeomVertexData,
    GeomVertexFormat,
    GeomVertexWriter,
    NodePath,
    PandaNode,
    TransparencyAttrib,
)

from ...components.arrays import F64, I32
from ...components.capsules import CapsuleSet
from ...components.contacts import MOST, Contacts
from ...systems.kernels import quat
from ...systems.retarget.rests import rest_of
from ..axes import points_to_panda

if TYPE_CHECKING:
    from ...components.world import World
    from ..figure import Figure
    from .window import Window

SORT = 46  # after the tick and its write-back (41), before drawing
AROUND, RINGS = 12, 3  # corners of a capsule's section, rings of each end
LIGHT = np.array([0.3, 0.8, 0.52])  # unit, where the light comes from, her frame in rest
SEEN = 0.55  # alpha: her skin shows through
# One colour a part as in CapsuleSet; grey what no arm can reach.
COLOURS = ((0.45, 0.62, 0.90), (0.45, 0.80, 0.50), (0.95, 0.80, 0.35), (0.95, 0.60, 0.35), (0.80, 0.55, 0.85))
OUT_OF_REACH = (0.55, 0.55, 0.60)
TOUCH, DEEP = (1.0, 0.85, 0.1), (1.0, 0.1, 0.1)  # a contact at its margin, and one as deep as DEEPEST
DEEPEST = 0.02  # m
DOT = 0.012  # m, radius of a contact's dot


class CapsuleView:
    """Capsules hung on the joints of whoever is on stage, contacts as dots; a task of the host's keeps them up."""

    def __init__(self, window: Window) -> None:
        """Begin; nothing is drawn before the next frame."""
        self._window = window
        self._nodes: list[NodePath] = []
        self._dots: list[NodePath] = []
        self._entity = -1
        window.base.taskMgr.add(self._follow, f"kinesics-capsules-{id(self)}", sort=SORT)
        self._is_on = True

    def remove(self) -> None:
        """Take everything away; the task ends with the next frame."""
        self._is_on = False
        for node in (*self._nodes, *self._dots):
            if not node.isEmpty():
                node.removeNode()
        self._nodes, self._dots, self._entity = [], [], -1

    def _follow(self, task: Task.Task) -> int:
        if not self._is_on or not self._window.is_open:
            return Task.done
        her, world = self._window.her, self._window.plugin.world
        if her.entity != self._entity:  # another avatar has come on stage
            for node in (*self._nodes, *self._dots):
                if not node.isEmpty():
                    node.removeNode()
            self._entity, self._nodes, self._dots = her.entity, [], []
            capsules = capsules_of(world, her.entity)
            if capsules is not None:
                figure = self._window.plugin.figure(her)
                self._nodes = hang(figure, capsules)
                self._dots = _dots(figure)
        if world.has(her.entity, Contacts):
            show_contacts(self._dots, world.get(her.entity, Contacts))
        return Task.cont


_views: WeakKeyDictionary[Window, CapsuleView] = WeakKeyDictionary()  # of the windows that show them now


def toggle(window: Window) -> None:
    """Show her capsules and contacts, or take them away; say so where she has none."""
    view = _views.pop(window, None)
    if view is not None:
        view.remove()
    elif capsules_of(window.plugin.world, window.her.entity) is None:
        window.overlay.tell("she has no capsules: her skin could not be measured")
    else:
        _views[window] = CapsuleView(window)


def capsules_of(world: World, entity: int) -> CapsuleSet | None:
    """Return an avatar's capsules, None where she has none."""
    return next((c for e, c in world.each(CapsuleSet) if e == entity), None)


def hang(figure: Figure, capsules: CapsuleSet) -> list[NodePath]:
    """Return one node a joint, hung on it, with its capsules."""
    out = []
    turned = np.empty((len(figure.rig.names), 3, 3))
    quat.to_matrix_each(rest_of(figure.rig).orientation, turned)
    for joint in np.unique(capsules.joint):
        mine = np.flatnonzero(capsules.joint == joint).astype(np.int32)
        node = GeomNode(f"capsules of {capsules.names[joint]}")
        node.addGeom(_geom(capsules, mine, turned[joint].T @ LIGHT))
        made = figure.expose(int(joint)).attachNewNode(node)
        made.setShaderOff(10)
        made.setLightOff(10)
        made.setTransparency(TransparencyAttrib.M_alpha)
        made.setDepthWrite(False)
        made.setBin("fixed", 10)
        out.append(made)
    return out


def show_contacts(dots: list[NodePath], contacts: Contacts) -> None:
    """Put a dot where each pair touches, the redder the deeper."""
    for k, dot in enumerate(dots):
        if k >= contacts.count:
            dot.hide()
            continue
        x, y, z = points_to_panda(contacts.point[k]).tolist()
        share = min(max(float(contacts.depth[k]) / DEEPEST, 0.0), 1.0)
        dot.setPos(x, y, z)
        red, green, blue = (a + (b - a) * share for a, b in zip(TOUCH, DEEP, strict=True))
        dot.setColor(red, green, blue, 1.0)
        dot.show()


def _dots(figure: Figure) -> list[NodePath]:
    """Return hidden dots for as many contacts as are told, in her own frame."""
    parent = figure.node.attachNewNode(PandaNode("contacts"))
    point, triangle = shape(np.zeros(3), np.zeros(3), DOT)
    first = GeomNode("contact")
    first.addGeom(_write(point, triangle, np.ones((len(point), 4))))
    out = []
    for _ in range(MOST):
        dot = NodePath(first).copyTo(parent)  # of its own: one node under two paths has one place
        dot.setShaderOff(10)
        dot.setLightOff(10)
        dot.setDepthTest(False)
        dot.setBin("fixed", 20)
        dot.hide()
        out.append(dot)
    return out


def shape(start: F64, end: F64, radius: float) -> tuple[F64, I32]:
    """Return a capsule's corners, (N, 3) m, and triangles, (F, 3), its first corner at the start's pole."""
    along = end - start
    length = float(np.linalg.norm(along))
    z = along / length if length > 1e-9 else np.array([0.0, 1.0, 0.0])
    x = np.cross(z, np.array([0.0, 0.0, 1.0]) if abs(z[2]) < 0.8 else np.array([1.0, 0.0, 0.0]))
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    turn = np.arange(AROUND) * (2.0 * math.pi / AROUND)
    flat = np.cos(turn)[:, None] * x + np.sin(turn)[:, None] * y
    half = np.linspace(0.0, math.pi / 2.0, RINGS + 1)
    rows = [(start, -math.cos(a), math.sin(a)) for a in half] + [(end, math.cos(a), math.sin(a)) for a in half[::-1]]
    point = np.concatenate([at + radius * (up * z + out * flat) for at, up, out in rows])
    corner = np.arange(AROUND)
    quads = [np.stack([k * AROUND + corner, k * AROUND + (corner + 1) % AROUND], axis=1) for k in range(len(rows) - 1)]
    low = np.concatenate(quads)
    high = low + AROUND
    triangle = np.concatenate([np.c_[low[:, 0], low[:, 1], high[:, 0]], np.c_[low[:, 1], high[:, 1], high[:, 0]]])
    return point, triangle.astype(np.int32)


def _geom(capsules: CapsuleSet, rows: I32, light: F64) -> Geom:
    """Return these capsules as one mesh, shaded as they stand in rest. light: (3,) unit, the joint's frame."""
    points, triangles, colours, first = [], [], [], 0
    for row in rows:
        point, triangle = shape(capsules.start[row], capsules.end[row], float(capsules.radius[row]))
        base = np.array(COLOURS[capsules.part[row]] if capsules.tested[row] else OUT_OF_REACH)
        axis = np.repeat([capsules.start[row], capsules.end[row]], len(point) // 2, axis=0)
        lit = np.clip((point - axis) @ light / capsules.radius[row], 0.0, 1.0)
        shade = (0.9 + 0.1 * (row % 2)) * (0.45 + 0.55 * lit)  # neighbours differ
        points.append(point)
        triangles.append(triangle + first)
        colours.append(np.c_[base * shade[:, None], np.full(len(point), SEEN)])
        first += len(point)
    return _write(np.concatenate(points), np.concatenate(triangles), np.concatenate(colours))


def _write(point: F64, triangle: I32, colour: F64) -> Geom:
    """Return triangles as Panda draws them. point: (N, 3) m glTF axes; colour: (N, 4) rgba."""
    data = GeomVertexData("capsules", GeomVertexFormat.getV3c4(), Geom.UHStatic)
    data.setNumRows(len(point))
    place, paint = GeomVertexWriter(data, "vertex"), GeomVertexWriter(data, "color")
    for at, rgba in zip(points_to_panda(point).tolist(), colour.tolist(), strict=True):
        place.setData3(*at)
        paint.setData4(*rgba)
    drawn = GeomTriangles(Geom.UHStatic)
    for a, b, c in triangle.tolist():
        drawn.addVertices(a, b, c)
    made = Geom(data)
    made.addPrimitive(drawn)
    return made
