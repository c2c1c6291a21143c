"""Her window among the others: on top of them, and with clicks going through. What cannot be is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from panda3d.core import GraphicsWindow, WindowProperties

from . import x11

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase


class Desk:
    """Two switches of a window. why_not: a line a switch, by name, for what was asked for and could not be."""

    def __init__(self, base: ShowBase) -> None:
        self._base = base
        self._on_top = self._click_through = False
        self.why_not: dict[str, str] = {}

    @property
    def on_top(self) -> bool:
        """Whether the window stays above others."""
        return self._on_top

    @on_top.setter
    def on_top(self, wanted: bool) -> None:
        self.why_not.pop("on top", None)
        window = self._window()
        if wanted and window is None:
            self.why_not["on top"] = "there is no window"
            return
        if wanted and not x11.has_window_manager():
            # Asked all the same, Panda's window shows nothing at all from then on (measured under Xvfb).
            self.why_not["on top"] = "no window manager runs on this display; start one, as openbox"
            return
        if window is not None and wanted != self._on_top:
            properties = WindowProperties()
            properties.setZOrder(WindowProperties.Z_top if wanted else WindowProperties.Z_normal)
            window.requestProperties(properties)
        self._on_top = wanted

    @property
    def click_through(self) -> bool:
        """Whether the mouse reaches what lies below her."""
        return self._click_through

    @click_through.setter
    def click_through(self, wanted: bool) -> None:
        self.why_not.pop("click-through", None)
        if wanted == self._click_through:
            return
        window = self._window()
        handle = window.getWindowHandle() if window is not None else None
        if handle is None:
            self.why_not["click-through"] = "there is no window"
            return
        try:
            x11.let_clicks_through(handle.getIntHandle(), wanted)
        except x11.Unavailable as cause:
            self.why_not["click-through"] = str(cause)
            return
        self._click_through = wanted

    def _window(self) -> GraphicsWindow | None:
        window = self._base.win
        return window if isinstance(window, GraphicsWindow) else None
