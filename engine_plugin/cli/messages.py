"""Messages go to standard error, what was asked for to standard output: `--json` prints one object there, no more."""

from __future__ import annotations

import json
import math
import sys
from typing import Any


def say(text: str) -> None:
    """Tell the person at the terminal something."""
    print(text, file=sys.stderr, flush=True)


def complain(text: str) -> None:
    """Say why it ended: one line, whatever the text holds."""
    say("kinesics: " + " ".join(text.split()))


def print_json(value: Any) -> None:
    """Print one JSON object; numbers that JSON cannot hold become null."""
    print(json.dumps(plain(value), ensure_ascii=False, indent=2))


def plain(value: Any) -> Any:
    """Return numpy's numbers, tuples and paths as what JSON knows."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
