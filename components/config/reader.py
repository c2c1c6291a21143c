"""TOML in: strict, every complaint one line with the file, the line, what stands there and what may."""

from __future__ import annotations

import dataclasses
import difflib
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_type_hints

from ..errors import ConfigError
from .fields import specs
from .sections import Config


def load(path: str | Path) -> Config:
    """Return the defaults changed by this file."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as cause:
        reason = getattr(cause, "strerror", None) or "not UTF-8 text"
        raise ConfigError(f"{path}: cannot be read: {reason}. `kinesics doctor` names the shipped defaults") from None
    return parse(text, path.name)


def parse(text: str, name: str) -> Config:
    """Return the defaults changed by this TOML text; `name` stands for it in messages."""
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as cause:
        raise ConfigError(f"{name}: not TOML: {cause}") from None
    sections = get_type_hints(Config)
    changed: dict[str, Any] = {}
    for title, table in tree.items():
        if title not in sections:
            what = "section" if isinstance(table, dict) else "key outside a section"
            raise ConfigError(f"{_at(text, name, '', title)}: unknown {what} '{title}'{_nearest(title, sections)}")
        if not isinstance(table, dict):
            raise ConfigError(f"{_at(text, name, '', title)}: '{title}' is a section: write [{title}]")
        values = _values(text, name, title, table, sections[title])
        try:
            changed[title] = sections[title](**values)
        except ConfigError as cause:  # values that are each in range and do not fit together
            raise ConfigError(f"{name}: {cause}") from None
    return dataclasses.replace(Config.default(), **changed)


def _values(text: str, name: str, title: str, table: dict[str, Any], section: type) -> dict[str, Any]:
    known = specs(section)
    for key, value in table.items():
        at = _at(text, name, title, key)
        if key not in known:
            raise ConfigError(f"{at}: [{title}] has no key '{key}'{_nearest(key, known)}")
        known[key].accepted(value, f"{at}: [{title}] {key}")
    return table


def _nearest(word: str, known: Iterable[str]) -> str:
    known = list(known)
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f"; did you mean '{close[0]}'? It has {', '.join(known)}" if close else f"; it has {', '.join(known)}"


def _at(text: str, name: str, title: str, key: str) -> str:
    """Return `file:line` of a key; tomllib does not tell, so the line is looked for as people write it."""
    current = ""
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[+\s*([\w-]+)", line)
        if header:
            current = header[1]
            if not title and current == key:
                return f"{name}:{number}"
        elif current == title and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[.=]", line):
            return f"{name}:{number}"
    return name
