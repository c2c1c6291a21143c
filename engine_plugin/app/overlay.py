"""What lies over the picture: the subtitle, messages that come and go, and the help card."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PIL import Image

from . import paint
from .captions import Caption
from .card import Card
from .paint import ACCENT, DIM, INK, WARN, Colour

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase

STAY, FADE = 5.0, 0.6  # s that a message shows, and in which it goes
MOST = 4  # messages at once
Run = tuple[str, Colour]


class Overlay:
    """Cards over the window. unit: px, the height of ordinary text, which grows with the window."""

    def __init__(self, base: ShowBase, clock: Callable[[], float] = time.monotonic) -> None:
        self._base, self._clock = base, clock
        self._subtitle = Card(base, "subtitle", 10)
        self._help = Card(base, "help", 30)
        self._notes = [Card(base, f"note {k}", 20) for k in range(MOST)]
        self._messages: list[tuple[float, str, Colour]] = []
        self._drawn: dict[str, object] = {}
        self.left = 0  # px that a panel takes at the left: the subtitle and the messages keep clear of it

    @property
    def size(self) -> tuple[int, int]:
        """Return the window's width and height, px."""
        return self._base.win.getXSize(), self._base.win.getYSize()

    @property
    def unit(self) -> int:
        width, height = self.size
        return max(12, min(round(height / 64), round(width / 32)))

    def tell(self, text: str, colour: Colour = INK) -> None:
        """Show a message for STAY s; the same one again only lives longer."""
        self._messages = [message for message in self._messages if message[1] != text][-(MOST - 1) :]
        self._messages.append((self._clock(), text, colour))

    def forget(self, text: str) -> None:
        """Take a message away that is no longer true."""
        self._messages = [message for message in self._messages if message[1] != text]

    def warn(self, text: str) -> None:
        """Show a message about something that did not work."""
        self.tell(text, WARN)

    def subtitle(self, words: Caption, layers: Sequence[str], is_shown: bool = True) -> None:
        """Show her words, the sounding one marked, over a small line of the layers that move her."""
        if not is_shown:
            self._subtitle.hide()
            return
        width, height = self.size
        seen = (words, tuple(layers), width, height, self.left)
        if self._drawn.get("subtitle") != seen:
            self._drawn["subtitle"] = seen
            self._subtitle.draw(draw_subtitle(words, layers, self.unit, width - self.left - 2 * self.unit))
        across, down = self._subtitle.size
        self._subtitle.show(self.left + (width - self.left - across) / 2, height - down - 1.5 * self.unit)

    def help(self, keys: Sequence[tuple[str, str]] | None, title: str = "") -> None:
        """Show what each key does, or with None take the card away."""
        if keys is None:
            self._help.hide()
            return
        width, height = self.size
        self._help.draw(draw_help(keys, title, self.unit, width - 2 * self.unit))
        across, down = self._help.size
        self._help.show((width - across) / 2, (height - down) / 2)

    @property
    def is_helping(self) -> bool:
        """Whether the help card is there."""
        return self._help.is_shown

    def update(self) -> None:
        """Move messages on; call once a frame."""
        now = self._clock()
        self._messages = [message for message in self._messages if now - message[0] < STAY + FADE]
        y = 1.2 * self.unit
        for k, card in enumerate(self._notes):
            if k >= len(self._messages):
                card.hide()
                continue
            began, text, colour = self._messages[k]
            seen = (text, colour, self.size, self.left)
            if self._drawn.get(f"note {k}") != seen:
                self._drawn[f"note {k}"] = seen
                card.draw(draw_note(text, colour, self.unit, self.size[0] - self.left - 2 * self.unit))
            card.show(self.left + 1.2 * self.unit, y, min(1.0, (STAY + FADE - (now - began)) / FADE))
            y += card.size[1] + 0.5 * self.unit

    def remove(self) -> None:
        """Take everything away for good."""
        for card in (self._subtitle, self._help, *self._notes):
            card.remove()


def draw_subtitle(words: Caption, layers: Sequence[str], unit: int, most: int) -> Image.Image:
    """Return the subtitle's card. unit, most: px"""
    large, small = round(1.35 * unit), round(0.82 * unit)
    runs: list[Run] = []
    for text, colour in ((words.said, INK), (words.now, ACCENT), (words.coming, DIM)):
        if text:
            runs.append((paint.readable(f" {text}" if runs else text), colour))
    lines: list[tuple[Sequence[Run], int]] = []
    if runs:
        while large > small and paint.line(runs, large) > most - 3 * large:
            large -= 1
        lines.append((runs, large))
    mixed: list[Run] = []
    for name in layers or ("no layer",):
        mixed += [(" · ", DIM), (name, DIM)] if mixed else [(name, DIM)]
    return paint.pill([*lines, (mixed, small)], most)


def draw_note(text: str, colour: Colour, unit: int, most: int) -> Image.Image:
    """Return a message's card, on as many lines as it takes."""
    size = round(0.95 * unit)
    lines = paint.wrap(paint.readable(text), size, most - 2 * unit) or [""]
    step = round(1.4 * size)
    card = paint.glass((max(paint.width(line, size) for line in lines) + 2 * unit, step * len(lines) + unit), unit // 2)
    for k, line in enumerate(lines):
        paint.write(card, (unit, unit // 2 + round((k + 0.76) * step)), line, size, colour)
    return card


def draw_help(keys: Sequence[tuple[str, str]], title: str, unit: int, most: int) -> Image.Image:
    """Return the help card: one row a key."""
    head, step, pad = round(1.3 * unit), round(1.75 * unit), round(1.6 * unit)
    left = max(paint.width(key, unit) for key, _ in keys) + round(1.6 * unit)
    right = min(max(paint.width(text, unit) for _, text in keys), most - 2 * pad - left)
    card = paint.glass((left + right + 2 * pad, 2 * head + step * len(keys) + 2 * pad - head // 2), unit)
    paint.write(card, (pad, pad + head), title, head)
    for k, (key, text) in enumerate(keys):
        y = pad + 2 * head + round((k + 0.6) * step)
        paint.write(card, (pad, y), key, unit, ACCENT)
        paint.write(card, (pad + left, y), paint.clip(text, unit, right), unit)
    return card
