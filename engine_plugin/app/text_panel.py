"""The panel drawn as text, turned with the arrow keys: what there is without imgui."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from PIL import Image

from . import paint
from .card import Card
from .knobs import Knob
from .paint import ACCENT, DIM, INK, WARN, Colour
from .readings import Reading

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase

REDRAW = 0.2  # s between two drawings: faster than this nobody reads
WIDTH = 19  # units; a unit is the height of a line's text
BAR, TRACK, FILL = (126, 200, 255, 60), (255, 255, 255, 30), (126, 200, 255, 200)  # rgba
Readings = Sequence[tuple[str, Sequence[Reading]]]
Knobs = Sequence[tuple[str, Sequence[Knob]]]


class TextPanel:
    """A card at the window's left edge. width: px it takes there while it is shown."""

    def __init__(self, base: ShowBase) -> None:
        self._base, self._card = base, Card(base, "panel", 25)
        self._chosen, self._age = 0, REDRAW
        self._knobs: list[Knob] = []
        for key, by in (("arrow_up", -1), ("arrow_down", 1)):
            for event in (key, f"{key}-repeat"):
                base.accept(event, self._choose, [by])
        for key, by in (("arrow_left", -1), ("arrow_right", 1)):
            for event in (key, f"{key}-repeat"):
                base.accept(event, self._turn, [by])
            base.accept(f"shift-{key}", self._turn, [4 * by])
            base.accept(f"shift-{key}-repeat", self._turn, [4 * by])

    @property
    def is_shown(self) -> bool:
        """Whether it is there."""
        return self._card.is_shown

    @property
    def has_mouse(self) -> bool:
        """Whether the mouse is its own now: never, it is turned with keys."""
        return False

    @property
    def has_keyboard(self) -> bool:
        """Whether letters are its own now: never, it has no field to type into."""
        return False

    @property
    def width(self) -> int:
        return self._card.size[0] + self._margin() if self.is_shown else 0

    def show(self, is_on: bool) -> None:
        """Show it from the next `draw` on, or take it away."""
        self._age = REDRAW
        if is_on:
            self._card.show(self._margin(), self._margin())
        else:
            self._card.hide()

    def draw(self, shown: Readings, knobs: Knobs, dt: float) -> None:
        """Draw what is true now. dt: s since the last call."""
        self._age += dt
        if not self.is_shown or self._age < REDRAW:
            return
        self._age = 0.0
        self._knobs = [knob for _, group in knobs for knob in group]
        self._chosen = min(self._chosen, max(len(self._knobs) - 1, 0))
        height = self._base.win.getYSize() - 2 * self._margin()
        self._card.draw(draw_panel(shown, knobs, self._chosen, height))
        self._card.show(self._margin(), self._margin())

    def remove(self) -> None:
        """Take it away for good."""
        self._card.remove()

    def _margin(self) -> int:
        return max(8, self._base.win.getYSize() // 80)

    def _choose(self, by: int) -> None:
        if self.is_shown and self._knobs:
            self._chosen = (self._chosen + by) % len(self._knobs)
            self._age = REDRAW

    def _turn(self, by: int) -> None:
        if self.is_shown and self._knobs:
            self._knobs[self._chosen].step(by)
            self._age = REDRAW


def draw_panel(shown: Readings, knobs: Knobs, chosen: int, most: int) -> Image.Image:
    """Return the panel's card.

    chosen: number of the knob that the keys turn; most: px of height it may take, less than it needs shows what lies
    around that knob
    """
    unit = int(min(15.0, (most - 12) / (_count(shown, knobs, 15) * 1.36 + 1.6)))
    unit = max(unit, 7)
    count = _count(shown, knobs, unit)
    step, pad = 1.36 * unit, round(1.1 * unit)
    width = WIDTH * unit + 2 * pad
    card = _glass((width, round(count * step + 1.6 * unit)), unit)
    y = float(pad) - 0.35 * step
    for heading, rows in shown:
        y = _heading(card, heading, y, unit)
        for row in rows:
            label, colour = row.label, WARN if row.is_bad else INK
            for text in _told(row, unit):
                y = _row(card, label, text, y, unit, colour, share=row.share)
                label = ""
    number, looked_at = 0, 0.0
    for heading, group in knobs:
        y = _heading(card, heading, y, unit)
        for knob in group:
            share = None
            if knob.low is not None and knob.high is not None:
                share = min(max((knob.value() - knob.low) / (knob.high - knob.low), 0.0), 1.0)
            looked_at = y if number == chosen else looked_at
            y = _row(card, knob.label, knob.shown(), y, unit, INK, share=share, is_chosen=number == chosen)
            number += 1
    hint = "up down chooses, left right turns; with shift faster"
    card.alpha_composite(_text(hint, round(0.85 * unit), DIM), (pad, round(y + 0.35 * step)))
    if card.height <= most:
        return card
    top = round(min(max(looked_at - most / 2, 0), card.height - most))
    return card.crop((0, top, card.width, top + most))


def _count(shown: Readings, knobs: Knobs, unit: int) -> float:
    """Return how many lines the panel takes."""
    told = sum(1.35 + sum(len(_told(row, unit)) for row in rows) for _, rows in shown)
    return told + sum(1.35 + len(rows) for _, rows in knobs) + 1.2


def _told(row: Reading, unit: int) -> list[str]:
    """Return a reading's text as far as it fits beside its label; what somebody should look at is told whole below."""
    if not row.is_bad:
        return [row.text]
    size, room, text = round(0.94 * unit), WIDTH * unit, paint.readable(row.text)
    is_short = paint.width(text, size) <= room - paint.width(row.label, size) - unit
    return [row.text] if is_short else ["", *paint.wrap(text, size, room - 2 * unit)]


def _heading(card: Image.Image, text: str, y: float, unit: int) -> float:
    step = 1.36 * unit
    card.alpha_composite(_text(text, unit, ACCENT), (round(1.1 * unit), round(y + 0.35 * step)))
    return y + 1.35 * step


def _row(
    card: Image.Image, label: str, text: str, y: float, unit: int, colour: Colour, *, share: float | None = None,
    is_chosen: bool = False,
) -> float:  # fmt: skip
    step, pad, size = 1.36 * unit, round(1.1 * unit), round(0.94 * unit)
    right = card.width - pad
    if is_chosen:
        box = Image.new("RGBA", (card.width - pad, round(step)), BAR)
        card.alpha_composite(box, (pad // 2, round(y)))
    named = _text(label, size, INK if is_chosen else DIM)
    card.alpha_composite(named, (pad, round(y)))
    told = _text(paint.clip(text, size, right - pad - named.width - unit), size, colour)
    card.alpha_composite(told, (right - told.width, round(y)))
    if share is not None:
        for end, paint_ in ((right, TRACK), (pad + round(share * (right - pad)), FILL)):
            if end > pad:
                card.alpha_composite(Image.new("RGBA", (end - pad, 1), paint_), (pad, round(y + step) - 1))
    return y + step


@lru_cache(16)
def _glass_of(size: tuple[int, int], radius: int) -> Image.Image:
    return paint.glass(size, radius)


def _glass(size: tuple[int, int], radius: int) -> Image.Image:
    return _glass_of(size, radius).copy()


@lru_cache(512)
def _text(text: str, size: int, colour: Colour) -> Image.Image:
    """Return a line as a picture: most lines are the same from one drawing to the next."""
    text = paint.readable(text)
    out = Image.new("RGBA", (max(paint.width(text, size), 1), round(1.5 * size)), (*colour[:3], 0))
    paint.write(out, (0, round(1.1 * size)), text, size, colour)
    return out
