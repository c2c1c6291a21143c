"""Keys of her face: her next mood, and whether she looks at who watches her."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...components.face import Face

if TYPE_CHECKING:
    from .window import Window


def next_mood(window: Window) -> None:
    """Have her show the next mood that her face has, neutral after the last."""
    her = window.her
    moods = her.moods
    if len(moods) < 2:
        window.overlay.tell("her face has no shapes for moods")
        return
    now = window.plugin.world.get(her.entity, Face).mood[0] or moods[0]
    mood = moods[(moods.index(now) + 1) % len(moods)] if now in moods else moods[0]
    her.mood(mood)
    window.overlay.tell(f"mood: {mood}")


def toggle_look(window: Window) -> None:
    """Have her look at the camera, or no longer."""
    looks = window.settings().face.look == "none"
    window.set("face", "look", "camera" if looks else "none")
    window.overlay.tell("she looks at you" if looks else "she looks before herself")
