"""Strips to grade from: her arms and body at the moments of a replay, one PNG from the front and one from both sides.

Camera, light and scale come from her rest pose, the moments and their order from the replay's list; so two replays of
the same motion give the same bytes, and nothing but her motion tells two draws apart.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ...components.arrays import F32, F64
from ...components.errors import OutputError
from ...components.pose import Pose
from ...components.skin import Body
from ...systems.figures.run import write_bytes
from ...systems.grading import Outcome
from ...systems.kernels import fk
from ..offscreen import BACKGROUND, Pixels, Stage
from ..scene import AIR, FLOOR, dress, framing, show
from ..strips import INK, RULE
from ..view import BEFORE, BEHIND, SIDE, View
from .ink import inked

PANEL, A_LINE = 384, 4  # px of a panel, panels a line: 1536 px, what models that look at pictures take unscaled
MIDDLE, SHARE = 0.72, 0.66  # of her height: from hanging hands to over her head (0.39 to 1.05)
VIEWS = (View(), SIDE, View(azimuth=-math.pi / 2))
SEEN_FROM = ("", "from her left", "from her right")
TEXT, EDGE = 15, 7  # px, of what stands in a panel's corner
WRITTEN = 946_684_800  # s, 1 January 2000: no strip tells when it was drawn, or how long that took


@dataclass(frozen=True, slots=True)
class Moments:
    """What strips show. K moments of one replay.

    Fields:
        seconds:  (K,) f64 s from the sentence's start
        rotation: (K, J, 4) f64 wxyz local; root: (K, 3) f64 m
        face:     (K, M) f32 0..1
    """

    seconds: F64
    rotation: F64
    root: F64
    face: F32

    @classmethod
    def of(cls, outcome: Outcome) -> Moments:
        """Return the moments of a replay that is over."""
        run, at = outcome.run, np.asarray(outcome.moments)
        return cls(at / run.fps, run.rotation[at], run.root[at], run.face[at])


def render(body: Body, outcome: Outcome, folder: str | Path) -> tuple[Path, Path]:
    """Write the front and the side strip of a replay and return their paths; in this thread, about 5 s.

    OutputError where the folder cannot be written, KinesicsError where nothing can be drawn.
    """
    return write(draw(body, Moments.of(outcome)), outcome.id, folder)


def write(pictures: Sequence[bytes], number: int, folder: str | Path) -> tuple[Path, Path]:
    """Put the two strips of a replay into a folder, each whole or not at all, and return their paths."""
    paths = names(number, folder)
    try:
        paths[0].parent.mkdir(parents=True, exist_ok=True)
        for path, picture in zip(paths, pictures, strict=True):
            write_bytes(picture, path)
            os.utime(path, (WRITTEN, WRITTEN))
    except OSError as cause:
        for path in paths:
            with contextlib.suppress(OSError):
                path.unlink()
        raise OutputError(f"{folder}: a strip cannot be written ({cause.strerror}); free some space") from None
    return paths


def names(number: int, folder: str | Path) -> tuple[Path, Path]:
    """Return where the strips of a replay lie."""
    return Path(folder) / f"{number}-front.png", Path(folder) / f"{number}-side.png"


def draw(body: Body, moments: Moments) -> tuple[bytes, bytes]:
    """Return the front and the side strip as PNG files in memory."""
    panels = list(_panels(body, moments))
    front = [panels[k : k + A_LINE] for k in range(0, len(panels), A_LINE)]
    sides = [[(panel[side],) for panel in line] for line in front for side in (1, 2)]
    return _sheet([[(panel[0],) for panel in line] for line in front]), _sheet(sides)


def _panels(body: Body, moments: Moments) -> Iterator[tuple[Image.Image, ...]]:
    """Yield the three views of each moment, labelled."""
    pose, rig = Pose.of(len(body.rig.names)), body.rig
    with Stage(VIEWS, (2 * PANEL, 2 * PANEL), samples=0, depth=True) as stage:
        figure = dress(body)
        try:
            figure.node.reparentTo(stage.root)
            top = framing(figure)[1] / (1.0 + AIR + FLOOR)
            stage.look_at(np.array([0.0, MIDDLE * top, 0.0]), SHARE * top)
            for k, second in enumerate(moments.seconds):
                pose.root[:], pose.rotation[:] = moments.root[k], moments.rotation[k]
                fk.world(
                    rig.parent, rig.rest_offset, pose.root, pose.rotation, pose.world_position, pose.world_rotation
                )
                show(figure, pose, moments.face[k].astype(np.float64))
                drawn = zip(stage.pictures(), stage.depths(), SEEN_FROM, strict=True)
                yield tuple(_labelled(inked(p, d, BEFORE + BEHIND), float(second), side) for p, d, side in drawn)
        finally:
            figure.remove()


def _labelled(picture: Pixels, second: float, side: str) -> Image.Image:
    panel = Image.fromarray(picture)
    text = f"{second:.2f} s  {side}".rstrip()
    font = ImageFont.load_default(size=TEXT)
    ImageDraw.Draw(panel).text((EDGE, PANEL - EDGE), text, fill=INK, font=font, anchor="ls")
    return panel


def _sheet(lines: Sequence[Sequence[tuple[Image.Image, ...]]]) -> bytes:
    """Return panels line by line as a PNG that holds pixels and nothing else."""
    wall = tuple(round(255 * c) for c in BACKGROUND[:3])
    sheet = Image.new("RGB", (PANEL * A_LINE, PANEL * len(lines)), wall)
    for row, line in enumerate(lines):
        for column, (panel,) in enumerate(line):
            sheet.paste(panel, (column * PANEL, row * PANEL))
    pen = ImageDraw.Draw(sheet)
    for column in range(1, A_LINE):
        pen.line([(column * PANEL, 0), (column * PANEL, sheet.height)], fill=RULE)
    for row in range(1, len(lines)):
        pen.line([(0, row * PANEL), (sheet.width, row * PANEL)], fill=RULE)
    data = io.BytesIO()
    sheet.save(data, format="PNG")
    return data.getvalue()
