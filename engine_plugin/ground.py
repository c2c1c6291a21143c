"""The soft shade under her feet."""

from __future__ import annotations

from panda3d.core import CardMaker, NodePath, TransparencyAttrib

from . import shaders
from .figure import Figure

RADIUS = 0.42  # m, of an adult's stance with the feet a hip's width apart, by eye
LIFT = 0.002  # m above the floor, so that a host's floor does not swallow it


def attach(figure: Figure) -> None:
    """Lay a shade under a figure; `follow` keeps it beneath her hips."""
    card = CardMaker("contact shade")
    card.setFrame(-RADIUS, RADIUS, -RADIUS * 0.75, RADIUS * 0.75)
    shade: NodePath = figure.node.attachNewNode(card.generate())
    shade.setP(-90)
    shade.setZ(LIFT)
    shade.setShader(shaders.pair("shade"))
    shade.setTransparency(TransparencyAttrib.M_alpha)
    shade.setDepthWrite(False)
    shade.setBin("transparent", -10)
    figure.shade = shade


def follow(figure: Figure) -> None:
    """Move the shade to where the root joint stands on this tick."""
    if figure.shade is not None:
        x, y = figure.joints.array[0, 3, :2].tolist()
        figure.shade.setPos(x, y, LIFT)
