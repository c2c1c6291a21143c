"""What Panda3D cannot ask of X11: to let clicks through a window, and whether anybody manages windows."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_INPUT, _SET = 2, 0  # ShapeInput, ShapeSet: X11/extensions/shapeconst.h


class Unavailable(Exception):
    """Why not, in words a person can act on."""


@contextmanager
def _display() -> Iterator[tuple[Any, Any]]:
    """Yield libX11 and a connection of our own: requests on Panda's would cross its events."""
    if not sys.platform.startswith("linux") or not os.environ.get("DISPLAY"):
        raise Unavailable("only under X11")
    name = ctypes.util.find_library("X11")
    if name is None:
        raise Unavailable("libX11 is missing: apt install libx11-6")
    x: Any = ctypes.CDLL(name)
    x.XOpenDisplay.restype = ctypes.c_void_p
    display = x.XOpenDisplay(None)
    if not display:
        raise Unavailable(f"the display {os.environ['DISPLAY']} does not answer")
    try:
        yield x, ctypes.c_void_p(display)
    finally:
        x.XCloseDisplay(ctypes.c_void_p(display))


def has_window_manager() -> bool:
    """Whether a window manager runs: without one nothing stays on top, and asking for it leaves the window black."""
    try:
        with _display() as (x, display):
            x.XDefaultRootWindow.restype = ctypes.c_ulong
            x.XInternAtom.restype = ctypes.c_ulong
            atom = x.XInternAtom(display, b"_NET_SUPPORTING_WM_CHECK", 1)
            if not atom:
                return False
            kind, bits, count, left = ctypes.c_ulong(), ctypes.c_int(), ctypes.c_ulong(), ctypes.c_ulong()
            data = ctypes.c_void_p()
            root = ctypes.c_ulong(x.XDefaultRootWindow(display))
            x.XGetWindowProperty(
                display, root, ctypes.c_ulong(atom), ctypes.c_long(0), ctypes.c_long(1), 0, ctypes.c_ulong(0),
                ctypes.byref(kind), ctypes.byref(bits), ctypes.byref(count), ctypes.byref(left), ctypes.byref(data),
            )  # fmt: skip
            if data:
                x.XFree(data)
            return count.value > 0
    except Unavailable:
        return True  # not X11: the system's own


def let_clicks_through(window: int, is_on: bool) -> None:
    """Let the mouse reach what lies below a window, or catch it again. Raises Unavailable.

    window: its X11 number
    """
    with _shape() as (x, shape, display):
        for each in _with_frames(x, display, window):
            if is_on:
                shape.XShapeCombineRectangles(display, ctypes.c_ulong(each), _INPUT, 0, 0, None, 0, _SET, 0)
            else:
                shape.XShapeCombineMask(display, ctypes.c_ulong(each), _INPUT, 0, 0, ctypes.c_ulong(0), _SET)
        x.XSync(display, 0)


def lets_clicks_through(window: int) -> bool:
    """Whether a window's area for the mouse is empty, as the X server has it. Raises Unavailable."""
    with _shape() as (x, shape, display):
        shape.XShapeGetRectangles.restype = ctypes.c_void_p
        count, order = ctypes.c_int(), ctypes.c_int()
        held = shape.XShapeGetRectangles(
            display, ctypes.c_ulong(window), _INPUT, ctypes.byref(count), ctypes.byref(order)
        )
        if held:
            x.XFree(ctypes.c_void_p(held))
        return count.value == 0


@contextmanager
def _shape() -> Iterator[tuple[Any, Any, Any]]:
    with _display() as (x, display):
        name = ctypes.util.find_library("Xext")
        if name is None:
            raise Unavailable("libXext is missing: apt install libxext6")
        shape: Any = ctypes.CDLL(name)
        if not shape.XShapeQueryExtension(display, ctypes.byref(ctypes.c_int()), ctypes.byref(ctypes.c_int())):
            raise Unavailable("this X server has no SHAPE extension")
        yield x, shape, display


def _with_frames(x: Any, display: Any, window: int) -> list[int]:
    """Return a window and what its window manager has put around it: clicks would stop at the frame."""
    out, root = [window], ctypes.c_ulong()
    for _ in range(8):
        parent, children, count = ctypes.c_ulong(), ctypes.c_void_p(), ctypes.c_uint()
        if not x.XQueryTree(
            display, ctypes.c_ulong(out[-1]), ctypes.byref(root), ctypes.byref(parent), ctypes.byref(children),
            ctypes.byref(count),
        ):  # fmt: skip
            break
        if children:
            x.XFree(children)
        if not parent.value or parent.value == root.value:
            break
        out.append(parent.value)
    return out
