"""A picture of what an avatar can show of a corpus: how fast its rows are, who has how many, dead ends, licences."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ..components.anatomy import ARM_SLOTS, Anatomy
from ..components.arrays import Bool
from ..components.config import Config
from ..components.corpus import FPS, Corpus, Repertoire
from ..systems.retarget.repertoire import base_of
from .strips import checked, save

SIZE = (1120, 760)  # px
MOST = 14  # performers and licences that have a line of their own
FASTEST, STEP = 400.0, 10.0  # deg/s, of the histogram; what is faster stands in its last bar
_CAN, _FAST, _DEAD, _INK, _FAINT = "#2e86c1", "#b2babb", "#c0392b", "#212f3c", "#d5d8dc"

Font = Any  # Pillow's two kinds have no common name


def draw(
    path: Path, name: str, corpus: Corpus, repertoire: Repertoire, anatomy: Anatomy, config: Config, dead: Bool
) -> None:
    """Write the picture.

    name: of the corpus; dead: (W,) bool, legal rows without a way out (`matcher.dead_ends`)
    Raises OutputError where it cannot be written.
    """
    target = checked(path)
    legal = repertoire.row_speed <= config.gates.speed_deg_s
    sheet = Image.new("RGB", SIZE, "white")
    pen = ImageDraw.Draw(sheet)
    small, large = ImageFont.load_default(size=13), ImageFont.load_default(size=20)
    hours, count = float(corpus.start[-1]) / FPS / 3600.0, max(legal.size, 1)
    length = f"{hours:.1f} h" if hours >= 1.0 else f"{60.0 * hours:.1f} min"
    pen.text((24, 16), f"{name}: {length}, {len(corpus.clips)} clips, {legal.size} rows", fill=_INK, font=large)
    said = (
        (f"{legal.sum() / count:.1%} can be shown", _CAN),
        (f"{1.0 - legal.sum() / count:.1%} too fast at these gains", _FAST),
        (f"{int(dead.sum())} dead ends: nothing begins near enough to where they end", _DEAD),
    )
    at = 24.0
    for text, colour in said:
        pen.rectangle((at, 50, at + 12, 62), fill=colour)
        pen.text((at + 18, 48), text, fill=_INK, font=small)
        at += 40.0 + pen.textlength(text, font=small)
    gate = config.gates.speed_deg_s
    _bars(
        pen, (60, 110, 540, 330), "fastest arm joint of a row, deg/s", np.minimum(repertoire.row_speed, FASTEST - 1e-3),
        np.arange(0.0, FASTEST + STEP, STEP), ((~legal, _FAST), (legal & ~dead, _CAN), (dead, _DEAD)), small,
        ("gate", gate),
    )  # fmt: skip
    away = _away(repertoire, anatomy)
    _bars(
        pen, (60, 410, 540, 630), "where they start: furthest arm joint from hanging, deg", away[legal],
        np.arange(0.0, 185.0, 5.0), ((~dead[legal], _CAN), (dead[legal], _DEAD)), small,
        ("a pick jumps at most", config.gates.jump_deg),
    )  # fmt: skip
    clip = np.asarray(repertoire.row_clip)
    _people(pen, 600, 92, corpus, clip, legal, dead, small)
    _licences(pen, 600, 480, corpus, small)
    save(sheet, target)


def _bars(
    pen: ImageDraw.ImageDraw,
    box: tuple[float, float, float, float],
    title: str,
    values: np.ndarray,
    edges: np.ndarray,
    parts: tuple[tuple[np.ndarray, str], ...],
    font: Font,
    gate: tuple[str, float],
) -> None:
    """Draw stacked bars of how many values each part of them has, and a gate as a line."""
    left, top, right, bottom = box
    pen.text((left, top - 24), title, fill=_INK, font=font)
    counts = [np.histogram(values[mask], edges)[0] for mask, _ in parts]
    tall = max(int(np.sum(counts, axis=0).max(initial=0)), 1)
    across = (right - left) / (edges[-1] - edges[0])
    for bar in range(len(edges) - 1):
        foot = bottom
        for number, (_, colour) in zip(counts, parts):
            head = foot - (bottom - top) * number[bar] / tall
            if number[bar]:
                x = left + across * (edges[bar] - edges[0])
                # a share too small for a pixel is drawn as one: a dead end must be seen
                pen.rectangle(
                    (x, min(head, foot - 1), x + across * (edges[bar + 1] - edges[bar]) - 1, foot), fill=colour
                )
            foot = head
    pen.line([(left, bottom), (right, bottom)], fill=_INK)
    for value in np.linspace(edges[0], edges[-1], 9 if edges[-1] > 180.0 else 7):
        pen.text((left + across * (value - edges[0]), bottom + 5), f"{value:.0f}", fill=_INK, font=font, anchor="mt")
    pen.text((left - 6, top), f"{tall}", fill=_INK, font=font, anchor="rt")
    x = left + across * (gate[1] - edges[0])
    if x <= right:
        pen.line([(x, top - 6), (x, bottom)], fill=_INK, width=2)
        pen.text((right, top - 24), f"{gate[0]} {gate[1]:.0f}", fill=_INK, font=font, anchor="ra")


def _people(
    pen: ImageDraw.ImageDraw, x: float, y: float, corpus: Corpus, clip: np.ndarray, legal: Bool, dead: Bool, font: Font
) -> None:
    """Draw a bar for each performer: minutes of what can be shown, is too fast, ends nowhere."""
    minutes = _minutes(corpus, [c.performer for c in corpus.clips])
    names = sorted(minutes, key=lambda name: -minutes[name])
    place = {name: row for row, name in enumerate(names)}
    of = np.array([place[c.performer] for c in corpus.clips])[clip]  # numbers: millions of rows have no room for names
    longest, width = max(minutes.values(), default=1.0), 280.0
    pen.text((x, y - 6), f"performers ({len(names)})", fill=_INK, font=font)
    for row, name in enumerate(names[:MOST]):
        mine = of == row
        rows = max(int(mine.sum()), 1)
        top, start, whole = y + 18 + 22 * row, x + 110, width * minutes[name] / longest
        pen.text((x, top), _short(pen, name, 104, font), fill=_INK, font=font)
        for mask, colour in ((legal & ~dead & mine, _CAN), (dead & mine, _DEAD), (~legal & mine, _FAST)):
            size = whole * float(mask.sum()) / rows
            if mask.any():
                pen.rectangle((start, top + 2, start + max(size, 1.0), top + 14), fill=colour)
            start += size
        share = float((legal & mine).sum()) / rows
        pen.text((x + 118 + whole, top), f"{minutes[name]:.1f} min, {share:.0%}", fill=_INK, font=font)
    if len(names) > MOST:
        rest = sum(minutes[name] for name in names[MOST:])
        pen.text((x, y + 18 + 22 * MOST), f"and {len(names) - MOST} more, {rest:.1f} min", fill=_INK, font=font)


def _minutes(corpus: Corpus, of: list[str]) -> dict[str, float]:
    """Return min by whom or what each clip is of, in the order they come."""
    out: dict[str, float] = defaultdict(float)
    for name, frames in zip(of, np.diff(corpus.start), strict=True):
        out[name] += float(frames) / FPS / 60.0
    return out


def _licences(pen: ImageDraw.ImageDraw, x: float, y: float, corpus: Corpus, font: Font) -> None:
    minutes = _minutes(corpus, [clip.licence for clip in corpus.clips])
    pen.text((x, y), f"licences ({len(minutes)})", fill=_INK, font=font)
    pen.line([(x, y + 20), (SIZE[0] - 24, y + 20)], fill=_FAINT)
    for row, (name, long) in enumerate(sorted(minutes.items(), key=lambda item: -item[1])[:8]):
        text = f"{long:7.1f} min  {name}"
        pen.text((x, y + 28 + 22 * row), _short(pen, text, SIZE[0] - 24 - x, font), fill=_INK, font=font)
    if len(minutes) > 8:
        pen.text((x, y + 28 + 22 * 8), f"and {len(minutes) - 8} more", fill=_INK, font=font)


def _short(pen: ImageDraw.ImageDraw, text: str, width: float, font: Font) -> str:
    text = " ".join(text[:200].split())
    if pen.textlength(text, font=font) <= width:
        return text
    while text and pen.textlength(text + "...", font=font) > width:
        text = text[:-1]
    return text + "..."


def _away(repertoire: Repertoire, anatomy: Anatomy) -> np.ndarray:
    """Return (W,) deg: the largest angle of the arm joints in a row's first frame from her base pose."""
    base = base_of(anatomy)[list(ARM_SLOTS)]
    out = np.empty(len(repertoire.row_pose))
    for first in range(0, len(out), 50_000):
        pose = repertoire.row_pose[first : first + 50_000].astype(np.float64)
        chord = np.abs(np.einsum("wjk,jk->wj", pose, base)).min(axis=1)
        out[first : first + len(pose)] = np.degrees(2.0 * np.arccos(np.minimum(chord, 1.0)))
    return out
