"""Pictures of a fitted reflex: each histogram over the one before it, and the sway over its periods."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import wrap

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ..components.reflex import Histogram, Standing
from .strips import save

SIZE = (760, 420)  # px
_BOX = (64, 74, 736, 340)  # px, where bars stand
_FITTED, _KEPT, _BEFORE, _INK = "#2e86c1", "#b2babb", "#c0392b", "#212f3c"


def draw(folder: Path, now: Standing, before: Standing, fitted: Mapping[str, str], kept: Mapping[str, str]) -> None:
    """Write a picture a histogram, `weight.dwell_s.png`, and `sway.png`, into a folder that is there.

    fitted, kept: by name, how it was counted or why it was not. Raises OutputError where one cannot be written.
    """
    for name, one in now.histogram.items():
        note = fitted.get(name) or f"kept: {kept[name]}; {one.source}"
        picture = histogram(name, one, before.histogram[name], note, _FITTED if name in fitted else _KEPT)
        save(picture, folder / f"{name}.png")
    note = fitted.get("sway") or f"kept: {kept['sway']}"
    save(sway(now, before, note, _FITTED if "sway" in fitted else _KEPT), folder / "sway.png")


def histogram(name: str, now: Histogram, before: Histogram, note: str, colour: str) -> Image.Image:
    """Return bars of share per unit, the numbers before them as an outline, both medians marked."""
    sheet, pen, small = _sheet(name.replace("_", " "), note)
    low, high = min(now.edges[0], before.edges[0]), max(now.edges[-1], before.edges[-1])
    tall = max(float((np.diff(one.total) / np.diff(one.edges)).max()) for one in (now, before))
    left, top, right, bottom = _BOX

    def x(value: float) -> float:
        return left + (right - left) * (value - low) / max(high - low, 1e-9)

    for one, is_outline in ((now, False), (before, True)):
        density = np.diff(one.total) / np.diff(one.edges)
        for k, share in enumerate(density):
            box = (x(one.edges[k]), bottom - (bottom - top) * share / tall, x(one.edges[k + 1]), bottom)
            if is_outline:
                pen.line([(box[0], bottom), box[:2], (box[2], box[1]), (box[2], bottom)], fill=_BEFORE, width=2)
            else:
                pen.rectangle(box, fill=colour, outline="white")
    for one, ink in ((now, _INK), (before, _BEFORE)):
        middle = float(np.interp(0.5, one.total, one.edges))
        pen.line([(x(middle), top - 8), (x(middle), bottom)], fill=ink, width=1)
    pen.line([(left, bottom), (right, bottom)], fill=_INK, width=1)
    for value in np.linspace(low, high, 6):
        pen.text((x(float(value)), bottom + 4), f"{value:.3g}", fill=_INK, font=small, anchor="mt")
    middles = [float(np.interp(0.5, one.total, one.edges)) for one in (now, before)]
    pen.text((right, 14), f"median {middles[0]:.3g}, before {middles[1]:.3g}", fill=_INK, font=small, anchor="rt")
    return sheet


def sway(now: Standing, before: Standing, note: str, colour: str) -> Image.Image:
    """Return mm of the head at each period, sideways and forward, the numbers before as marks."""
    sheet, pen, small = _sheet("sway, mm of the head", note)
    left, top, right, bottom = _BOX
    tall = 1e3 * float(max(now.amplitude.max(), before.amplitude.max(), 1e-6))
    columns: list[tuple[float, float, float, str]] = []
    for side, name in enumerate(("sideways", "forward")):
        for period, one, other in _columns(now, before, side):
            columns.append((period, one, other, name))
    width = (right - left) / max(len(columns), 1)
    for k, (period, one, other, name) in enumerate(columns):
        at = left + k * width
        pen.rectangle((at + 4, bottom - (bottom - top) * one / tall, at + width - 4, bottom), fill=colour)
        mark = bottom - (bottom - top) * other / tall
        pen.line([(at + 2, mark), (at + width - 2, mark)], fill=_BEFORE, width=2)
        pen.text((at + width / 2, bottom + 4), f"{period:.3g} s", fill=_INK, font=small, anchor="mt")
        pen.text((at + width / 2, bottom + 18), name[:4], fill=_INK, font=small, anchor="mt")
    pen.text((left - 6, top), f"{tall:.2g}", fill=_INK, font=small, anchor="rt")
    pen.line([(left, bottom), (right, bottom)], fill=_INK, width=1)
    return sheet


def _columns(now: Standing, before: Standing, side: int) -> list[tuple[float, float, float]]:
    shown = np.flatnonzero((now.amplitude[side] > 0.0) | (before.amplitude[side] > 0.0))
    return [
        (float(now.period[side, k]), 1e3 * float(now.amplitude[side, k]), 1e3 * float(before.amplitude[side, k]))
        for k in shown
    ]


def _sheet(
    title: str, note: str
) -> tuple[Image.Image, ImageDraw.ImageDraw, ImageFont.FreeTypeFont | ImageFont.ImageFont]:
    sheet = Image.new("RGB", SIZE, "white")
    pen, small = ImageDraw.Draw(sheet), ImageFont.load_default(size=12)
    pen.text((14, 10), title, fill=_INK, font=ImageFont.load_default(size=18))
    pen.text((14, 36), "bars: the file; red: the numbers before it", fill=_BEFORE, font=small)
    for row, line in enumerate(wrap(note, 118)[:3]):
        pen.text((14, 372 + 15 * row), line, fill=_INK, font=small)
    return sheet, pen, small
