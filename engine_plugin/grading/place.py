"""Where her grades are kept if nobody names another place, and whether they can be."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from ...components.errors import GradingError
from ...systems.grading import Store


def default_store() -> Path:
    """Return the file of the store, in the user's own folder of data; it need not be there."""
    return platformdirs.user_data_path("kinesics") / "grades.sqlite"


def health() -> tuple[bool, str, str]:
    """Return whether grades can be kept there, what was found, and what cures it."""
    path = default_store()
    try:
        shown = Store(path).shown()
    except GradingError as cause:
        return False, str(cause), f"move {path} away"
    folder = next(parent for parent in path.parents if parent.exists())
    if not os.access(path if path.exists() else folder, os.W_OK):
        return False, f"{path} cannot be written", f"give yourself the right to write {folder}"
    waiting = sum(not one.grades for one in shown)
    found = f"{len(shown) - waiting} graded, {waiting} waiting" if shown else "nothing said in training yet"
    return True, f"{found}; kept in {path}", ""
