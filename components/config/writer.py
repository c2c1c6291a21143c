"""TOML out: the file a person edits, each value with its unit, range and meaning beside it."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from .fields import specs
from .sections import Config

_HEAD = """\
# Settings of kinesics, as shipped. Copy what you change into a file of your own and pass it with --config;
# what is not in it keeps the value below.
"""


def as_toml(config: Config) -> str:
    """Return the text of a file that `parse` reads back as an equal Config."""
    lines = [_HEAD]
    for f in dataclasses.fields(config):
        section = getattr(config, f.name)
        lines += [f"# {(type(section).__doc__ or '').strip()}", f"[{f.name}]"]
        for name, spec in specs(type(section)).items():
            lines.append(f"{name} = {_literal(getattr(section, name))}  # {spec.limits()}: {spec.note}")
        lines.append("")
    return "\n".join(lines)


def changes(config: Config) -> str:
    """Return the text of a file that holds only what is not as shipped: later versions' defaults come through."""
    lines = []
    for f in dataclasses.fields(config):
        section, shipped = getattr(config, f.name), getattr(Config.default(), f.name)
        changed = [n for n in specs(type(section)) if getattr(section, n) != getattr(shipped, n)]
        if changed:
            lines += [f"[{f.name}]", *(f"{n} = {_literal(getattr(section, n))}" for n in changed), ""]
    return "\n".join(lines)


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML escapes as JSON does
    if isinstance(value, tuple):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    return repr(value)
