"""Curves of a training and of a motion in three ways, as a PNG to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....components.arrays import F64
from ....components.errors import OutputError
from .evaluate import Three

WIDE, TALL, EDGE = 1200, 190, 44  # px of a panel
COLOURS = ((40, 90, 170), (200, 90, 40), (50, 140, 80), (140, 70, 150), (120, 120, 120), (180, 150, 30))
RATE = 60  # Hz


def training(path: str | Path, course: Sequence[Mapping[str, float]]) -> None:
    """Write the losses over the rounds, one panel each, on a logarithmic scale. OutputError."""
    names = list(dict.fromkeys(name for row in course for name in row))
    panels = []
    for name in names:
        values = np.array([row.get(name, np.nan) for row in course])
        panels.append((f"{name}, log10", {name: np.log10(np.maximum(values, 1e-6))}, "", 0.0))
    _write(path, panels, "rounds")


def motion(path: str | Path, made: Sequence[Three], seconds: float = 20.0) -> None:
    """Write, for each motion, how deep it is and how far wrists are held away, by rule and by proposal. OutputError."""
    panels = []
    for one in made:
        first = _busiest(one.none.depth, round(seconds * RATE))
        part = slice(first, first + round(seconds * RATE))
        away = {
            "rule alone": one.rule.shown[part] - one.none.shown[part],
            "proposal": one.both.proposed[part] - one.none.shown[part],
            "head and rule": one.both.shown[part] - one.none.shown[part],
        }
        title = f"{one.motion.performer}: {one.motion.name}"
        deep = {
            "inside before, mm": 1e3 * one.none.depth[part],
            "rule alone": 1e3 * one.rule.depth[part],
            "head and rule": 1e3 * one.both.depth[part],
        }
        panels.append((title, deep, "mm", seconds))
        for side, name in enumerate(("left wrist", "right wrist")):
            lines = {key: 1e3 * np.linalg.norm(value[:, side], axis=1) for key, value in away.items()}
            lines["left to the rule"] = one.both.work[part, side]
            panels.append((f"{name}, mm from the motion", lines, "mm", seconds))
    _write(path, panels, "s")


def _busiest(depth: F64, count: int) -> int:
    """Return where the `count` frames begin in which most is inside."""
    if len(depth) <= count:
        return 0
    total = np.concatenate([[0.0], np.cumsum(depth)])
    return int(np.argmax(total[count:] - total[:-count]))


def _write(path: str | Path, panels: Sequence[tuple[str, Mapping[str, Any], str, float]], across: str) -> None:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (WIDE, TALL * len(panels)), (255, 255, 255))
    pen = ImageDraw.Draw(image)
    for number, (title, lines, unit, span) in enumerate(panels):
        _panel(pen, number * TALL, title, lines, unit, span, across)
    try:
        image.save(Path(path))
    except OSError as cause:
        raise OutputError(f"{path}: cannot be written ({cause.strerror or cause}); choose another folder") from None


def _panel(pen: Any, top: int, title: str, lines: Mapping[str, Any], unit: str, span: float, across: str) -> None:
    left, right, high, low = EDGE, WIDE - 12, top + 24, top + TALL - 20
    every = np.concatenate([np.asarray(v)[np.isfinite(v)] for v in lines.values()] or [np.zeros(1)])
    least, most = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)
    if unit == "mm":
        least = 0.0
    most = max(most, least + 1e-3)
    pen.rectangle((left, high, right, low), outline=(200, 200, 200))
    pen.text((left, top + 6), title, fill=(0, 0, 0))
    for value, y in ((most, high), (least, low - 10)):
        pen.text((4, y), f"{value:.2f}"[:6], fill=(90, 90, 90))
    count = max(len(v) for v in lines.values())
    pen.text((right - 90, low + 4), f"{span if across == 's' else count:.0f} {across}", fill=(90, 90, 90))
    at = left + 330
    for (name, values), colour in zip(lines.items(), COLOURS, strict=False):
        x = left + (right - left) * np.arange(len(values)) / max(len(values) - 1, 1)
        y = low - (low - high) * (np.asarray(values) - least) / (most - least)
        points = [(float(a), float(b)) for a, b in zip(x, y, strict=True) if np.isfinite(b)]
        if len(points) > 1:
            pen.line(points, fill=colour, width=2)
        pen.text((at, top + 6), name, fill=colour)
        at += 9 * len(name) + 20
