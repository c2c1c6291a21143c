"""The panel: with sliders where imgui is installed, drawn as text where it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from .text_panel import Knobs, Readings, TextPanel

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase


class Panel(Protocol):
    """What the window asks of either."""

    @property
    def is_shown(self) -> bool: ...
    @property
    def has_mouse(self) -> bool: ...
    @property
    def has_keyboard(self) -> bool: ...
    @property
    def width(self) -> int: ...
    def show(self, is_on: bool) -> None: ...
    def draw(self, shown: Readings, knobs: Knobs, dt: float) -> None: ...
    def remove(self) -> None: ...


def open_panel(base: ShowBase, tell: Callable[[str], None]) -> Panel:
    """Return the panel that this installation can show, not shown yet."""
    try:
        from .imgui_panel import ImguiPanel

        return ImguiPanel(base)
    except ImportError:
        pass  # the extra `gui` is not installed: the text is what this version promises without it
    except Exception as cause:  # a build of imgui that this driver or Panda does not go with
        tell(f"the panel with sliders does not start ({' '.join(str(cause).split())}); it is drawn as text")
    return TextPanel(base)
