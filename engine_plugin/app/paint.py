"""Flat things over the picture, as Pillow draws them: fonts, glass, lines of text. Nothing here needs an engine."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, TypeAlias

from PIL import Image, ImageDraw, ImageFont

Colour: TypeAlias = "tuple[int, int, int, int]"
INK: Colour = (238, 241, 245, 255)
DIM: Colour = (166, 176, 190, 255)
ACCENT: Colour = (126, 200, 255, 255)
WARN: Colour = (255, 196, 120, 255)
GLASS: Colour = (19, 23, 31, 214)  # light text on it keeps a contrast above 10 : 1 over the wall and over a key
EDGE: Colour = (255, 255, 255, 26)
ROUND = 4  # corners are drawn this many times too large and shrunk: Pillow's own are not smooth

# Pillow brings a fine small font that knows English alone; these are what systems bring for the rest of the world.
_SYSTEM = (
    "DejaVuSans.ttf", "NotoSans-Regular.ttf", "arial.ttf", "Arial.ttf", "LiberationSans-Regular.ttf",
    "NotoSansCJK-Regular.ttc", "msgothic.ttc", "Hiragino Sans GB.ttc", "NotoSansArabic-Regular.ttf",
)  # fmt: skip
_NOBODY = "\U000fffff"  # a character no font has: what is drawn for it is what is drawn for any that is missing


@cache
def _face(name: str, size: int) -> Any:
    """Return a font, None where the system has none of this name; "" is Pillow's own."""
    if not name:
        return ImageFont.load_default(size=size)
    try:
        return ImageFont.truetype(name, size)
    except OSError:
        return None


@cache
def _has(name: str, character: str) -> bool:
    face = _face(name, 24)
    if character.isspace():
        return True
    return bytes(face.getmask(character)) != bytes(face.getmask(_NOBODY))


def font(size: int, text: str = "") -> Any:
    """Return a font of this height, px, that has every character of the text, or the one that lacks least."""
    wanted = set(text)
    best, least = "", len(wanted) + 1
    for name in ("", *_SYSTEM):
        if _face(name, size) is None:
            continue
        lacks = sum(not _has(name, character) for character in wanted)
        if lacks == 0:
            return _face(name, size)
        if lacks < least:
            best, least = name, lacks
    return _face(best, size)


def readable(text: str) -> str:
    """Return a text without what none of this system's fonts can draw: accents go first, then a question mark."""
    names = [name for name in ("", *_SYSTEM) if _face(name, 24) is not None]
    out = []
    for character in text:
        if any(_has(name, character) for name in names):
            out.append(character)
        else:
            plain = unicodedata.normalize("NFKD", character)[:1]
            out.append(plain if plain and _has("", plain) else "?")
    return "".join(out)


def width(text: str, size: int) -> int:
    """Return how wide a line is, px."""
    return round(font(size, text).getlength(text))


def clip(text: str, size: int, most: int) -> str:
    """Return a line that is at most `most` px wide: what does not fit gives way to three dots."""
    if width(text, size) <= most:
        return text
    while text and width(text + "...", size) > most:
        text = text[:-1]
    return text.rstrip() + "..."


def wrap(text: str, size: int, most: int) -> list[str]:
    """Return lines of at most `most` px, broken between words."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width(longer, size) <= most:
            lines[-1] = longer
        else:
            lines.append(clip(word, size, most))
    return lines


def glass(size: tuple[int, int], radius: int, fill: Colour = GLASS) -> Image.Image:
    """Return a dark, translucent card with round corners and a thin light edge. size: px."""
    large = (size[0] * ROUND, size[1] * ROUND)
    shape = Image.new("L", large, 0)
    box = (0, 0, large[0] - 1, large[1] - 1)
    ImageDraw.Draw(shape).rounded_rectangle(box, radius * ROUND, fill=255)
    inner = Image.new("L", large, 0)
    inset = (ROUND, ROUND, large[0] - 1 - ROUND, large[1] - 1 - ROUND)
    ImageDraw.Draw(inner).rounded_rectangle(inset, (radius - 1) * ROUND, fill=255)
    shape, inner = (mask.resize(size, Image.Resampling.BOX) for mask in (shape, inner))
    card = Image.new("RGBA", size, (*fill[:3], 0))
    card.putalpha(shape.point([v * fill[3] // 255 for v in range(256)]))
    edge = Image.new("RGBA", size, (*EDGE[:3], 0))
    edge.putalpha(
        Image.composite(Image.new("L", size, 0), shape, inner).point([v * EDGE[3] // 255 for v in range(256)])
    )
    card.alpha_composite(edge)
    return card


def write(card: Image.Image, at: tuple[int, int], text: str, size: int, colour: Colour = INK) -> int:
    """Draw one line on a card and return where it ends, px. at: left end of its baseline."""
    ImageDraw.Draw(card).text(at, text, font=font(size, text), fill=colour, anchor="ls")
    return at[0] + width(text, size)


def line(runs: Iterable[tuple[str, Colour]], size: int) -> int:
    """Return how wide runs of text one after the other are, px."""
    return sum(width(text, size) for text, _ in runs)


def pill(lines: Sequence[tuple[Sequence[tuple[str, Colour]], int]], most: int) -> Image.Image:
    """Return a card around centred lines. lines: (runs of (text, colour), size px) each; most: px, the card's width."""
    tall = [round(size * 1.45) for _, size in lines]
    pad = round(1.1 * max(size for _, size in lines))
    inside = max(min(max(line(runs, size) for runs, size in lines), most - 2 * pad), 1)
    size = (inside + 2 * pad, sum(tall) + pad)
    card = glass(size, min(pad, size[1] // 2))
    y = pad // 2
    for (runs, height), step in zip(lines, tall, strict=True):
        x = (size[0] - min(line(runs, height), inside)) // 2
        for text, colour in runs:
            x = write(card, (x, y + round(0.74 * step)), text, height, colour)
        y += step
    return card
