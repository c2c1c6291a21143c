"""A picture of her hands: open, relaxed, curled and spread, her hinges drawn on them. Palm and little finger's side."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from ..components.anatomy import BODY_SLOTS, FINGER_SLOTS, FINGERS, HAND_CHANNELS, SIDES, Anatomy
from ..components.arrays import F64
from ..components.pose import Pose
from ..components.rig import Rig
from ..components.skin import Body
from ..systems import retarget
from ..systems.kernels import fk, quat, rotvec
from ..systems.retarget.anatomy import FINGERS_HANGING
from ..systems.retarget.hinges import hinges_of
from ..systems.retarget.neutral import pose
from ..systems.retarget.rests import rest_of
from .offscreen import Stage
from .scene import dress, show
from .strips import checked, save
from .view import View

PANEL = 300  # px
ACROSS = 0.24  # m that a panel shows
REACH = 0.012  # m, half a hinge's line
LABELS = ("open", "relaxed", "curled", "spread")
COLOURS = {"Thumb": "#c0392b", "Index": "#b9770e", "Middle": "#1e8449", "Ring": "#2471a3", "Little": "#7d3c98"}
_CURLED = np.radians([70.0, 80.0, 45.0])  # base, middle and end joint
_SPREAD = math.radians(10.0)


def draw(path: Path, body: Body) -> None:
    """Write the picture. Raises OutputError where it cannot be written, KinesicsError where nothing can be drawn."""
    target = checked(path)
    anatomy = retarget.measure(body.rig)
    local = pose(body.rig, anatomy, np.tile(_raised(), (len(LABELS), 1, 1)), _hands())
    hinges = hinges_of(rest_of(body.rig))
    columns = []
    views = {side: (View(elevation=0.0), View(azimuth=g * math.radians(75.0), elevation=0.0))
             for side, g in zip(SIDES, (1.0, -1.0))}  # fmt: skip
    with Stage([view for side in SIDES for view in views[side]], (PANEL, PANEL)) as stage:
        figure = dress(body, shade=False)
        try:
            figure.node.reparentTo(stage.root)
            for slots in local:
                shown = _posed(body.rig, anatomy, slots)
                show(figure, shown)
                middles = {side: _middle(body.rig, shown, side) for side in SIDES}
                for k, side in enumerate(SIDES):
                    stage.look_at(middles[side], ACROSS, panels=(2 * k, 2 * k + 1))
                pictures = [Image.fromarray(picture[..., :3]) for picture in stage.pictures()]
                for k, side in enumerate(SIDES):
                    for view, picture in zip(views[side], pictures[2 * k : 2 * k + 2]):
                        _mark(picture, view, middles[side], side, body.rig, shown, hinges.curl_axis)
                columns.append(pictures)
        finally:
            figure.remove()
    save(_sheet(columns), target)


def _raised() -> F64:
    """Return (13, 3) neutral motion with both hands up, palms to the viewer."""
    out = np.zeros((len(BODY_SLOTS), 3))
    turn = np.empty(4)
    for side, g in zip(SIDES, (1.0, -1.0)):
        # columns: where the arm's own +X (the neutral left arm), +Y and +Z go
        down = np.stack([[0.35, -0.94 * g, 0.0], [0.94 * g, 0.35, 0.0], [0.0, 0.0, 1.0]], axis=1)
        up = np.stack([[0.0, g, 0.0], [0.0, 0.0, -1.0], [-g, 0.0, 0.0]], axis=1)
        before = np.eye(3)
        for part, matrix in (("UpperArm", down), ("LowerArm", up), ("Hand", up)):
            own = before.T @ matrix
            u, _, v = np.linalg.svd(own)
            quat.from_matrix(np.ascontiguousarray(u @ v), turn)
            rotvec.log(turn, out[BODY_SLOTS.index(side + part)])
            before = matrix
    return out


def _hands() -> F64:
    """Return (4, 2, 16): open, relaxed, curled, spread."""
    out = np.zeros((len(LABELS), 2, len(HAND_CHANNELS)))
    out[1] = FINGERS_HANGING
    out[2] = FINGERS_HANGING
    out[2, :, :12] = np.tile(_CURLED, 4)
    out[3, :, HAND_CHANNELS.index("spread")] = _SPREAD
    return out


def _posed(rig: Rig, anatomy: Anatomy, slots: F64) -> Pose:
    out = Pose.of(len(rig.names))
    out.rotation[:] = anatomy.base
    has = anatomy.slot_joint >= 0
    out.rotation[anatomy.slot_joint[has]] = slots[has]
    out.root[:] = anatomy.base_root
    fk.world(rig.parent, rig.rest_offset, out.root, out.rotation, out.world_position, out.world_rotation)
    return out


def _middle(rig: Rig, shown: Pose, side: str) -> F64:
    """Return where a panel of a hand looks: a little above its knuckles."""
    joint = next((rig.humanoid[side + part] for part in ("MiddleProximal", "Hand", "LowerArm")
                  if side + part in rig.humanoid), 0)  # fmt: skip
    return shown.world_position[joint] + np.array([0.0, 0.015, 0.0])


def _mark(picture: Image.Image, view: View, middle: F64, side: str, rig: Rig, shown: Pose, axis: F64) -> None:
    """Draw each finger joint's hinge as a line through it, as that joint is turned now."""
    ink = ImageDraw.Draw(picture)
    level = math.cos(view.elevation)
    away = np.array([math.sin(view.azimuth) * level, math.sin(view.elevation), math.cos(view.azimuth) * level])
    right = np.cross([0.0, 1.0, 0.0], away)
    right /= np.linalg.norm(right)
    up = np.cross(away, right)
    rest = rest_of(rig)
    scale, line = PANEL / ACROSS, np.empty(3)
    for s, name in enumerate(FINGER_SLOTS):
        joint = rig.humanoid.get(name, -1)
        if joint < 0 or not name.startswith(side):
            continue
        quat.rotate_back(rest.orientation[joint], axis[s], line)
        quat.rotate(shown.world_rotation[joint], line.copy(), line)
        at = shown.world_position[joint] - middle
        ends = [at - REACH * line, at + REACH * line]
        points = [(PANEL / 2 + float(p @ right) * scale, PANEL / 2 - float(p @ up) * scale) for p in ends]
        finger = next(f for f in ("Thumb", *FINGERS) if f in name)
        ink.line(points, fill=COLOURS[finger], width=3)


def _sheet(columns: list[list[Image.Image]]) -> Image.Image:
    rows = len(columns[0])
    sheet = Image.new("RGB", (PANEL * len(columns), PANEL * rows + 24), "white")
    ink = ImageDraw.Draw(sheet)
    for x, (label, pictures) in enumerate(zip(LABELS, columns)):
        for y, picture in enumerate(pictures):
            sheet.paste(picture, (PANEL * x, PANEL * y))
        ink.text((PANEL * x + 8, PANEL * rows + 6), label, fill="#282c34")
    for y, text in enumerate(f"{side}, {view}" for side in SIDES for view in ("palm", "little finger's side")):
        ink.text((8, PANEL * y + 6), text, fill="#282c34")
    return sheet
