"""Her settings from one start to the next: a TOML file in the user's own folder. A broken one costs one message."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import platformdirs

from ...components.config import Config, changes
from ...components.errors import ConfigError

_HEAD = "# What the desktop app remembers: only what is not as shipped. Edit it while she runs, or delete it.\n\n"


def remembered() -> Path:
    """Return where the app keeps its settings; the file need not be there."""
    return platformdirs.user_config_path("kinesics") / "settings.toml"


def recall(path: Path, tell: Callable[[str], None]) -> Config:
    """Return the remembered settings; the shipped ones where there are none, or after setting a broken file aside."""
    if not path.exists():
        return Config.default()
    try:
        return Config.load(path)
    except ConfigError as cause:
        aside = path.with_name(path.name + ".broken")
        try:
            path.replace(aside)
            where = f"it is kept as {aside}, and she starts as shipped"
        except OSError as fault:
            where = f"she starts as shipped, and it stays ({fault.strerror})"
        tell(f"{cause}; {where}")
        return Config.default()


def remember(config: Config, path: Path, tell: Callable[[str], None]) -> str:
    """Write what is not as shipped, whole or not at all, and return the text; a fault is told and is no end."""
    text = _HEAD + changes(config)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except (OSError, UnicodeEncodeError) as fault:
        reason = getattr(fault, "strerror", None) or "a name that is no text"
        tell(f"{path}: her settings cannot be kept ({reason}); they hold until she is closed")
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    return text
