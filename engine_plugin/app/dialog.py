"""Asking for a file: the desktop's own dialog in a process of its own, or a line to type the path into."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from panda3d.core import ClockObject

from . import paint
from .card import Card
from .paint import ACCENT, DIM, INK

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase

TITLE = "An avatar: glTF, glb or VRM"
_TK = (
    "import tkinter,tkinter.filedialog as f;r=tkinter.Tk();r.withdraw();"
    f"print(f.askopenfilename(title={TITLE!r},filetypes=[('Avatars','*.vrm *.glb *.gltf'),('All','*')]) or '')"
)


def desktop_dialog() -> list[str] | None:
    """Return the command that shows the desktop's own dialog and prints a path, None where there is none."""
    if shutil.which("zenity"):
        return ["zenity", "--file-selection", f"--title={TITLE}", "--file-filter=Avatars | *.vrm *.glb *.gltf"]
    if shutil.which("kdialog"):
        return ["kdialog", "--title", TITLE, "--getopenfilename", str(Path.home()), "*.vrm *.glb *.gltf"]
    try:
        import tkinter  # noqa: F401
    except ImportError:
        return None
    return [sys.executable, "-c", _TK]


class Dialog:
    """One question at a time. typing: the line shows, so that letters are not commands."""

    def __init__(self, base: ShowBase, answer: Callable[[str], None]) -> None:
        """answer: called with a path, from any thread, or not at all."""
        self._base, self._answer = base, answer
        self._line = Card(base, "path", 40)
        self._text = ""
        self._began = -1  # frame on which the line opened: the key that opened it is not typed
        self._thread: threading.Thread | None = None
        self.typing = False

    def ask(self, command: list[str] | None) -> None:
        """Ask for a file with this command (`desktop_dialog`), or where it is None with a line in the window."""
        if command is None:
            self._begin()
        elif self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._wait, args=(command,), name="kinesics-dialog", daemon=True)
            self._thread.start()

    def key(self, character: str) -> None:
        """Take a typed character."""
        is_late = ClockObject.getGlobalClock().getFrameCount() > self._began
        if self.typing and is_late and character.isprintable():
            self._text += character
            self._draw()

    def press(self, key: str) -> None:
        """Take a key that types nothing: enter, escape, backspace, tab (completes)."""
        if not self.typing:
            return
        if key == "backspace":
            self._text = self._text[:-1]
        elif key == "tab":
            self._text = complete(self._text)
        else:
            self.typing = False
            self._line.hide()
            if key == "enter" and self._text.strip():
                self._answer(self._text.strip())
            return
        self._draw()

    def remove(self) -> None:
        """Take the line away for good."""
        self.typing = False
        self._line.remove()

    def _begin(self) -> None:
        self.typing, self._text = True, ""
        self._began = ClockObject.getGlobalClock().getFrameCount()
        self._draw()

    def _wait(self, command: list[str]) -> None:
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError:
            return
        path = done.stdout.strip()
        if done.returncode == 0 and path:
            self._answer(path)

    def _draw(self) -> None:
        width, height = self._base.win.getXSize(), self._base.win.getYSize()
        unit = max(12, height // 64)
        card = paint.glass((width - 4 * unit, round(3.9 * unit)), unit // 2)
        paint.write(card, (unit, round(1.5 * unit)), "An avatar's file: Tab completes, Esc leaves", unit - 2, DIM)
        text = self._text
        while text and paint.width(text, unit) > card.width - 3 * unit:
            text = text[1:]  # the end is what is being typed
        end = paint.write(card, (unit, 3 * unit), text, unit, INK)
        paint.write(card, (end, 3 * unit), "|", unit, ACCENT)
        self._line.draw(card)
        self._line.show(2 * unit, height - card.height - 2 * unit)


def complete(text: str) -> str:
    """Return a path with as much more of it as only one can follow."""
    path = Path(text).expanduser()
    folder, start = (path, "") if text.endswith("/") else (path.parent, path.name)
    try:
        names = [entry.name + "/" * entry.is_dir() for entry in folder.iterdir() if entry.name.startswith(start)]
    except OSError:
        return text
    if not names:
        return text
    shared = min(names)
    while not all(name.startswith(shared) for name in names):
        shared = shared[:-1]
    return text[: len(text) - len(start)] + shared
