"""The learned fence in the app: the stage that is set is asked for, and what became of it is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...components.config.sections import Fence as Settings
from ...components.fence import Fence
from ...systems.fence import SHIPPED

if TYPE_CHECKING:
    from .window import Window


def follow(window: Window, old: Settings, new: Settings) -> None:
    """Ask for the stage of new settings; one that cannot be is told. After a fallback each new choice asks again."""
    if (old.stage, old.weights) != (new.stage, new.weights):
        window.attempt(lambda: window.her.fence(new.stage, new.weights or SHIPPED))


def missed(window: Window) -> dict[str, str]:
    """Return why there is none though one is set, by the name of its line; a fallback says its own reason there."""
    wanted = window.tuner.config.fence.stage
    if wanted == "off" or window.plugin.world.has(window.her.entity, Fence):
        return {}
    return {"fence": f"off, not {wanted}: a public stream or the lack of a rule ended it; choose a stage again"}


def said(data: Mapping[str, Any]) -> str:
    """Return the line of a fallback, from its event."""
    return f"{data.get('part', '')} put back to shadow: {data.get('reason', '')}"
