"""Which key does what: the one table that binds them and that the help card shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...components.config.sections import FRAMINGS
from . import capsules, feelings, grades, postures

if TYPE_CHECKING:
    from .window import Window


@dataclass(frozen=True, slots=True)
class Key:
    """One row of the help. events: Panda's names; shown: as on the keyboard; does: what, in words."""

    events: tuple[str, ...]
    shown: str
    does: str
    call: Callable[[Window, str], object]


KEYS = (
    Key(("h", "f1"), "H", "this help", lambda w, _: w.toggle_help()),
    Key(("tab", "p"), "Tab  P", "figures and knobs", lambda w, _: w.toggle("panel")),
    Key(
        ("1", "2", "3", "4"),
        "1 2 3 4",
        "whole figure, half, bust, face",
        lambda w, k: w.frame(int(k) - 1),
    ),
    Key(("f",), "F", "the next of these", lambda w, _: w.frame(None)),
    Key(("r",), "R", "the camera back before her", lambda w, _: w.orbit.reset()),
    Key(("space",), "Space", "she says her sentence, or stops", lambda w, _: w.speak()),
    Key(("m",), "M", "a microphone is her voice, or no longer", lambda w, _: w.listen()),
    Key(("e",), "E", "her next mood", lambda w, _: feelings.next_mood(w)),
    Key(("g",), "G", "she looks at you, or no longer", lambda w, _: feelings.toggle_look(w)),
    Key(("a",), "A", "her next held posture, or none", lambda w, _: postures.next_posture(w)),
    Key(("o",), "O", "another avatar from a file", lambda w, _: w.choose_avatar()),
    Key(("shift-o",), "Shift O", "the avatar she came with", lambda w, _: w.wardrobe.wear("")),
    Key(("s", "f12"), "S  F12", "a picture of her", lambda w, _: w.take_picture()),
    Key(("k",), "K", "key colour or wall behind her", lambda w, _: w.toggle("key")),
    Key(("l",), "L", "subtitles", lambda w, _: w.toggle("subtitles")),
    Key(("t",), "T", "on top of other windows", lambda w, _: w.toggle("on_top")),
    Key(("c",), "C", "her capsules, and where an arm touches", lambda w, _: capsules.toggle(w)),
    Key(("j",), "J", "strips to grade, as a page; in training", lambda w, _: grades.show_page(w)),
    Key(("shift-c",), "Shift C", "clicks go through her", lambda w, _: w.toggle_click_through()),
    Key(("q", "escape"), "Q  Esc", "close", lambda w, _: w.close()),
)
MOUSE = (("Drag", "turn"), ("Right drag", "shift"), ("Wheel", "nearer, farther"))


def bind(window: Window) -> None:
    """Listen to every key. While a path is typed, letters are letters; escape closes a card before it closes her."""
    for key in KEYS:
        for event in key.events:
            window.base.accept(event, _press, [window, key, event])
    for event in ("enter", "backspace", "backspace-repeat"):
        window.base.accept(event, lambda event=event: window.dialog.press(event.removesuffix("-repeat")))
    for thrower in window.base.buttonThrowers or ():  # a picture in memory has none
        thrower.node().setKeystrokeEvent("keystroke")
    window.base.accept("keystroke", window.dialog.key)


def _press(window: Window, key: Key, event: str) -> None:
    if window.dialog.typing:
        window.dialog.press(event)
    elif event == "escape" and window.overlay.is_helping:
        window.toggle_help()
    elif not window.panel.has_keyboard:
        window.attempt(lambda: key.call(window, event))


def help_rows() -> list[tuple[str, str]]:
    """Return the help card's rows."""
    return [*((key.shown, key.does) for key in KEYS), *MOUSE]


assert len(FRAMINGS) == 4  # one digit each
