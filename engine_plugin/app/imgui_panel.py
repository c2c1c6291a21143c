"""The panel with sliders, through panda3d-imgui (the extra `gui`)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .knobs import Knob
from .text_panel import Knobs, Readings

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase

WIDTH = 360  # px at a text of 15 px
_OPEN = ("Person", "Gains", "Springs", "Voice", "Motion", "Time", "State")  # headings that start unfolded


class ImguiPanel:
    """A panel at the window's left edge. Raises ImportError where the extra `gui` is not installed."""

    def __init__(self, base: ShowBase) -> None:
        import imgui_bundle  # pyright: ignore[reportMissingImports]
        import p3dimgui  # pyright: ignore[reportMissingImports]

        self._imgui: Any = imgui_bundle.imgui
        self._fonts = Path(str(imgui_bundle.__file__)).parent / "assets" / "fonts"
        self._base: Any = base
        # Its explorers open on plain letters that are keys of ours.
        p3dimgui.init(wantPlaceManager=False, wantExplorerManager=False, wantTimeSliderManager=False)
        self._gui: Any = self._base.imgui
        self._gui.hide()
        self._scale = max(1.0, base.win.getYSize() / 1080.0)
        self._shown: Readings = ()
        self._knobs: Knobs = ()
        self._width = 0.0
        try:
            self._style()
        except Exception:  # another version of imgui: nothing half of it stays, the text panel takes over
            self.remove()
            raise
        base.accept("imgui-new-frame", self._frame)

    @property
    def is_shown(self) -> bool:
        """Whether it is there."""
        return not self._gui.root.isHidden()

    @property
    def has_mouse(self) -> bool:
        """Whether the mouse is over it, so that it is not the camera's."""
        return self.is_shown and bool(self._gui.io.want_capture_mouse)

    @property
    def has_keyboard(self) -> bool:
        """Whether a value is being typed into it, so that letters are not commands."""
        return self.is_shown and bool(self._gui.io.want_text_input)

    @property
    def width(self) -> int:
        """Return the px that it takes at the left."""
        return round(self._width) + 16 if self.is_shown else 0

    def show(self, is_on: bool) -> None:
        """Show it, or take it away."""
        if is_on:
            self._gui.show()
        else:
            self._gui.hide()

    def draw(self, shown: Readings, knobs: Knobs, dt: float) -> None:
        """Take what is true now; it is drawn with the next frame."""
        self._shown, self._knobs = shown, knobs

    def remove(self) -> None:
        """Take it away for good: its tasks and its context."""
        for name in ("imgui-new-frame", "imgui-render-frame"):
            self._base.taskMgr.remove(name)
        self._base.ignore("imgui-new-frame")
        self._gui.ignoreAll()
        self._gui.root.removeNode()
        self._gui.cleanup()
        del self._base.imgui

    def _frame(self) -> None:
        gui = self._imgui
        flags = gui.WindowFlags_
        fixed = flags.no_move.value | flags.no_collapse.value | flags.no_title_bar.value | flags.no_saved_settings.value
        width = min(WIDTH * self._scale, 0.62 * self._base.win.getXSize())
        gui.set_next_window_pos((8, 8))
        gui.set_next_window_size((width, self._base.win.getYSize() - 16))
        gui.begin("kinesics", None, fixed | flags.no_resize.value)
        self._width = width
        for heading, rows in self._shown:
            if self._heading(heading):
                self._rows(rows)
        for heading, group in self._knobs:
            if self._heading(heading):
                for knob in group:
                    self._knob(heading, knob)
        gui.end()

    def _heading(self, text: str) -> bool:
        opened = self._imgui.TreeNodeFlags_.default_open.value if text in _OPEN else 0
        return bool(self._imgui.collapsing_header(text, opened))

    def _rows(self, rows: Any) -> None:
        gui = self._imgui
        if not gui.begin_table("rows", 2):
            return
        gui.table_setup_column("name", gui.TableColumnFlags_.width_fixed.value, 112 * self._scale)
        gui.table_setup_column("value", gui.TableColumnFlags_.width_stretch.value)
        for row in rows:
            gui.table_next_row()
            gui.table_next_column()
            gui.text_disabled(row.label)
            gui.table_next_column()
            if row.share is not None:
                at = gui.get_cursor_screen_pos()
                gui.progress_bar(row.share, (-1, gui.get_text_line_height()), "")
                gui.set_cursor_screen_pos((at.x + 5 * self._scale, at.y))
            if row.is_bad:
                gui.push_style_color(gui.Col_.text.value, (1.0, 0.77, 0.47, 1.0))
            gui.push_text_wrap_pos(0.0)
            gui.text_unformatted(row.text)
            gui.pop_text_wrap_pos()
            if row.is_bad:
                gui.pop_style_color()
        gui.end_table()

    def _knob(self, heading: str, knob: Knob) -> None:
        gui = self._imgui
        name, now = f"{knob.label}##{heading}", knob.value()
        gui.set_next_item_width(-118 * self._scale)
        if knob.choices is not None:
            options = knob.choices()
            values = [value for value, _ in options]
            at = values.index(now) if now in values else 0
            is_new, picked = gui.combo(name, at, [label for _, label in options])
            wanted: Any = values[picked]
        elif knob.low is None or knob.high is None:
            is_new, wanted = gui.checkbox(name, bool(now))
        else:
            unit = f" {knob.unit}".replace("%", "%%") if knob.unit else ""
            digits = 2 if knob.high <= 5.0 else 0
            is_new, wanted = gui.slider_float(name, float(now), knob.low, knob.high, f"%.{digits}f{unit}")
            wanted = round(float(wanted), digits + 1)
        if gui.is_item_hovered() and knob.note:
            gui.set_tooltip(knob.note)
        if is_new:
            knob.turn(wanted)

    def _style(self) -> None:
        """Set its colours and corners to those of the other cards."""
        gui, style = self._imgui, self._imgui.get_style()
        font = self._fonts / "DroidSans.ttf"
        if font.is_file():
            self._gui.io.fonts.clear()
            self._gui.io.fonts.add_font_from_file_ttf(str(font), 15.0 * self._scale)
        self._gui.io.set_ini_filename("")  # it would leave imgui.ini in whatever folder she was started from
        style.window_rounding, style.frame_rounding, style.grab_rounding = 10.0, 5.0, 5.0
        style.window_border_size, style.frame_border_size = 0.0, 0.0
        style.window_padding, style.frame_padding, style.item_spacing = (12, 12), (8, 4), (8, 5)
        style.scrollbar_size, style.grab_min_size = 9.0, 10.0
        accent, dark = (0.49, 0.78, 1.0), (0.075, 0.09, 0.12)
        for name, colour in (
            ("window_bg", (*dark, 0.86)),
            ("popup_bg", (*dark, 0.97)),
            ("text", (0.93, 0.945, 0.96, 1.0)),
            ("text_disabled", (0.65, 0.69, 0.745, 1.0)),
            ("frame_bg", (1.0, 1.0, 1.0, 0.07)),
            ("frame_bg_hovered", (1.0, 1.0, 1.0, 0.12)),
            ("frame_bg_active", (1.0, 1.0, 1.0, 0.16)),
            ("header", (1.0, 1.0, 1.0, 0.05)),
            ("header_hovered", (*accent, 0.20)),
            ("header_active", (*accent, 0.30)),
            ("slider_grab", (*accent, 0.75)),
            ("slider_grab_active", (*accent, 1.0)),
            ("check_mark", (*accent, 1.0)),
            ("plot_histogram", (*accent, 0.38)),
            ("button", (1.0, 1.0, 1.0, 0.08)),
            ("button_hovered", (*accent, 0.25)),
            ("button_active", (*accent, 0.40)),
            ("scrollbar_bg", (0.0, 0.0, 0.0, 0.0)),
            ("scrollbar_grab", (1.0, 1.0, 1.0, 0.14)),
        ):
            style.set_color_(getattr(gui.Col_, name).value, colour)
