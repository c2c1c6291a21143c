"""Strips and portraits: what she looked like, as one PNG, seen from the front and from her left."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from ..components.arrays import F64
from ..components.errors import OutputError
from ..components.face import Face
from ..components.pose import Pose
from ..components.skin import Body
from .offscreen import BACKGROUND, Pixels, Stage
from .scene import BUST_HEIGHT, FACE_HEIGHT, dress, framing, head_centre, show
from .view import FRONT, NEAR, PORTRAIT, SIDE, View

PANEL = (300, 400)  # px, one moment from one side
INK, RULE = (40, 44, 52), (160, 166, 176)
LINE, TEXT = 30, 15  # px, of the line of labels


def render_strip(
    body: Body,
    poses: Iterable[Pose],
    faces: Iterable[Face | F64 | None] | None,
    path: str | Path,
    labels: Sequence[str] = (),
    panel: tuple[int, int] = PANEL,
    face_panel: bool = False,
) -> Path:
    """Write a PNG with one column a moment, front view over side view, all framed alike, and return its path.

    poses: one a column; a generator may step a world between two of them, each is drawn as it comes
    faces: as many, read after the pose of the same column, or None for a face at rest; a Face or (M,) weights 0..1
    labels: text under each column
    panel: px of one view; face_panel: adds a row with her face, near
    Raises OutputError where the picture cannot be written, KinesicsError where nothing can be drawn.
    """
    target = checked(path)
    columns = []
    given = chain(faces or (), repeat(None))
    with Stage((FRONT, SIDE, NEAR) if face_panel else (FRONT, SIDE), panel) as stage:
        figure = dress(body)
        try:
            figure.node.reparentTo(stage.root)
            centre, height = framing(figure)
            stage.look_at(centre, height)
            for pose in poses:
                show(figure, pose, next(given))
                if face_panel:
                    stage.look_at(head_centre(figure, height), FACE_HEIGHT * height, panels=(2,))
                columns.append(stage.pictures())
        finally:
            figure.remove()
    if not columns:
        raise OutputError(f"{target}: a strip needs at least one moment and none came; ask for one inside the run")
    return save(_sheet(columns, labels), target)


def portrait(
    body: Body,
    path: str | Path,
    pose: Pose | None = None,
    face: Face | F64 | None = None,
    view: View = PORTRAIT,
    size: tuple[int, int] = (800, 1000),
    near: bool = False,
) -> Path:
    """Write a PNG of one moment and return its path. Raises as `render_strip`.

    pose: default the file's rest pose; face: default at rest
    view: default 20 degrees to her left, through a long lens; size: px
    near: head and shoulders instead of the whole figure
    """
    target = checked(path)
    with Stage((view,), size) as stage:
        figure = dress(body)
        try:
            figure.node.reparentTo(stage.root)
            centre, height = framing(figure)
            show(figure, pose, face)
            if near:
                centre, height = head_centre(figure, height), BUST_HEIGHT * height
            stage.look_at(centre, height)
            picture = stage.pictures()[0]
        finally:
            figure.remove()
    return save(Image.fromarray(picture[..., :3]), target)


def checked(path: str | Path) -> Path:
    """Return a place that a picture can be written to, or raise OutputError before any work is done."""
    target = Path(path)
    if target.is_symlink() or target.is_dir():
        kind = "a link" if target.is_symlink() else "a folder"
        raise OutputError(f"{target}: {kind} is in the way; name another file or remove it")
    if not target.parent.is_dir() or not os.access(target.parent, os.W_OK):
        raise OutputError(f"{target}: folder {target.parent} is not there or cannot be written; name another")
    return target


def save(image: Image.Image, target: Path) -> Path:
    """Write a picture beside its place and move it there, so that nobody ever reads half of one."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        image.save(part, format="PNG")
        part.replace(target)
    except OSError as fault:
        raise OutputError(f"{target}: cannot be written ({fault.strerror}); free some space or name another") from None
    finally:
        part.unlink(missing_ok=True)
    return target


def _sheet(columns: list[list[Pixels]], labels: Sequence[str]) -> Image.Image:
    """Return columns side by side with a line of text under them where there are labels."""
    height, width = columns[0][0].shape[:2]
    rows = len(columns[0])
    wall = tuple(round(255 * c) for c in BACKGROUND[:3])
    sheet = Image.new("RGB", (width * len(columns), height * rows + (LINE if any(labels) else 0)), wall)
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=TEXT)
    for k, pictures in enumerate(columns):
        for row, picture in enumerate(pictures):
            sheet.paste(Image.fromarray(picture[..., :3]), (k * width, row * height))
        if k < len(labels):
            pen.text((k * width + 8, rows * height + 6), labels[k], fill=INK, font=font)
        if k:
            pen.line([(k * width, 0), (k * width, sheet.height)], fill=RULE)
    return sheet
