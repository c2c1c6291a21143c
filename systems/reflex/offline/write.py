"""A fitted reflex as the readable file that the reflex reads: the shipped file's words, other numbers."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable

from ....components.errors import ConfigError
from ....components.reflex import SHIPPED, Standing, parse
from .fit import Fit

_KEY = re.compile(r"^(\w+)( = )(.*?)(\s+#.*)?$")
_SECTION = re.compile(r"^\[([\w.]+)\]")


def text(fit: Fit, made_from: Iterable[str]) -> str:
    """Return the file. made_from: one line each, what was read, written above the numbers.

    The shipped file's comments stay where they are, so that a fitted file reads like it.
    """
    shipped = SHIPPED.read_text(encoding="utf-8")
    source = {
        **{section: tomllib.loads(shipped)[section]["source"] for section in ("speech", "sway")},
        **{name: one.source for name, one in fit.standing.histogram.items()},
    }
    for name in ("speech", "sway"):
        source[name] = fit.fitted.get(name, source[name])
    for name, why in fit.kept.items():
        source[name] = f"{source[name].split('; kept, ')[0]}; kept, not fitted: {why.removeprefix('not fitted: ')}"
    lines = [
        *(line for line in shipped.split("about = ")[0].splitlines() if line),
        f"# Made by kinesics reflex fit from {fit.spans} spans of standing, {fit.seconds / 60.0:.1f} min, "
        f"{fit.speech / 60.0:.1f} min of them speech:",
        *(f"#   {_plain(line)}" for line in made_from),
    ]
    section = ""
    for line in ("about = " + shipped.split("about = ", 1)[1]).splitlines():
        found = _SECTION.match(line)
        section = found.group(1) if found else section
        key = _KEY.match(line)
        if key is None:
            lines.append(line)
        else:
            value = _value(fit.standing, section, key.group(1), source)
            lines.append(f"{key.group(1)} = {value}{key.group(4) or ''}")
    out = "\n".join(lines) + "\n"
    again = parse(tomllib.loads(out), "the fitted file")
    if again.number.keys() != fit.standing.number.keys():
        raise ConfigError("reflex fit: what was written does not read back; report it with the recordings' names")
    return out


def _value(standing: Standing, section: str, key: str, source: dict[str, str]) -> str:
    if not section:
        return json.dumps(standing.about, ensure_ascii=False) if key == "about" else str(standing.people)
    if key == "source":
        return json.dumps(source[section], ensure_ascii=False)
    if section == "speech":
        return f"{standing.number[f'speech.{key}']:g}"
    if section == "sway":
        row = 0 if key.startswith("sideways") else 1
        kept = standing.amplitude[row] > 0.0
        values = standing.period[row][kept] if key.endswith("_s") else 1e3 * standing.amplitude[row][kept]
        return _list([f"{v:.4g}" for v in values])
    one = standing.histogram[section]
    if key == "edges":
        return _list([f"{v:.5g}" for v in one.edges])
    return _list([f"{max(b - a, 0.0):.3f}" for a, b in zip(one.total[:-1], one.total[1:], strict=True)])


def _list(numbers: list[str]) -> str:
    return f"[{', '.join(numbers)}]"


def _plain(line: str) -> str:
    """Return a line without what would end a TOML comment or may not stand in one."""
    return "".join(c if c.isprintable() else "?" for c in line)
