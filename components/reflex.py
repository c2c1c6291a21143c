"""How a person stands: histograms of weight, breath and sway, read strictly from one TOML file. Frozen."""

from __future__ import annotations

import difflib
import hashlib
import math
import tomllib
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .arrays import F64
from .carry import SWAYS
from .errors import ConfigError

SHIPPED = Path(__file__).parents[1] / "assets" / "reflex.toml"


@dataclass(frozen=True, slots=True)
class Histogram:
    """What is drawn from. edges: (K + 1,) f64, rising; total: (K + 1,) f64, 0..1, share below each edge."""

    edges: F64
    total: F64
    source: str


@dataclass(frozen=True, slots=True)
class Standing:
    """One file. Fields: histograms by `section.name`, in the file's unit; numbers likewise; sways.

    Fields:
        about, people: what the numbers come from: the literature, or so many recorded people
        histogram: by name, as `weight.dwell_s`
        number:    by name, as `speech.at_start`
        period:    (2, 8) f64 s, of the sways sideways and forward; amplitude: (2, 8) f64 m, of the head
        digest:    of all of it
    """

    about: str
    people: int
    histogram: dict[str, Histogram]
    number: dict[str, float]
    period: F64
    amplitude: F64
    digest: str = field(default="")


# section -> key -> lowest and highest edge; what is not listed is refused
_HISTOGRAMS: dict[str, dict[str, tuple[float, float]]] = {
    "weight": {"dwell_s": (1, 7200), "load": (-1, 1), "sideways_mm": (0, 90), "seconds": (0.8, 20)},
    "lean": {"dwell_s": (1, 7200), "mm": (0, 60), "seconds": (0.8, 20)},
    "fidget": {"sideways_s": (1, 7200), "forward_s": (1, 7200), "mm": (0, 40), "seconds": (0.8, 20)},
    "drift": {"sideways_s": (1, 7200), "forward_s": (1, 7200), "mm": (0, 60), "seconds": (5, 600)},
    "breath": {"per_min": (4, 40), "out_per_in": (0.5, 4), "depth": (0, 3)},
}
_NUMBERS: dict[str, tuple[float, float]] = {"at_start": (0, 1), "inside_per_s": (0, 1), "pause_s": (0, 10)}
_SWAYS: dict[str, tuple[float, float]] = {
    **{"sideways_s": (0.5, 200), "sideways_mm": (0, 20)},
    **{"forward_s": (0.5, 200), "forward_mm": (0, 20)},
}
_TOP = ("about", "people", *_HISTOGRAMS, "speech", "sway")


def load(path: str | Path = "") -> Standing:
    """Return what a file says, the shipped one for "". ConfigError, one line, for anything it cannot be."""
    path = Path(path) if path else SHIPPED
    try:
        text = path.read_text(encoding="utf-8")
        tree = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as cause:
        reason = getattr(cause, "strerror", None) or "not UTF-8 text"
        raise ConfigError(f"{path}: cannot be read: {reason}. [reflex] file empty takes the shipped one") from None
    except tomllib.TOMLDecodeError as cause:
        raise ConfigError(f"{path.name}: not TOML: {cause}") from None
    return parse(tree, path.name)


@cache
def shipped() -> Standing:
    """Return what assets/reflex.toml says, read once."""
    return load()


def parse(tree: dict[str, Any], name: str) -> Standing:
    """Return what this TOML tree says; `name` stands for the file in messages."""
    _same_keys(tree, _TOP, name)
    about, people = tree["about"], tree["people"]
    if not isinstance(about, str) or type(people) is not int or people < 0:
        raise ConfigError(f"{name}: about = {about!r}, people = {people!r}: wanted a text and a count, 0 or more")
    histogram = {}
    for section, keys in _HISTOGRAMS.items():
        _same_keys(tree[section], tuple(keys), f"{name}: [{section}]")
        for key, limits in keys.items():
            where = f"{name}: [{section}.{key}]"
            histogram[f"{section}.{key}"] = _histogram(tree[section][key], where, limits)
    where = f"{name}: [speech]"
    _same_keys(tree["speech"], (*_NUMBERS, "source"), where)
    number = {}
    for key, limits in _NUMBERS.items():
        number[f"speech.{key}"] = _numbers([tree["speech"][key]], f"{where} {key}", limits)[0]
    period, amplitude = _sways(tree["sway"], f"{name}: [sway]")
    made = Standing(about, people, histogram, number, period, amplitude)
    object.__setattr__(made, "digest", _digest(made))
    return made


def limits(name: str) -> tuple[float, float]:
    """Return the lowest and highest edge that a histogram may have, in its unit. name: as `weight.dwell_s`."""
    section, key = name.split(".")
    return _HISTOGRAMS[section][key]


def _sways(table: Any, where: str) -> tuple[F64, F64]:
    _same_keys(table, (*_SWAYS, "source"), where)
    out = np.zeros((2, 2, SWAYS))  # period or amplitude, sideways or forward
    out[0] = 1.0
    for row, side in enumerate(("sideways", "forward")):
        periods = _numbers(table[f"{side}_s"], f"{where} {side}_s", _SWAYS[f"{side}_s"])
        sizes = _numbers(table[f"{side}_mm"], f"{where} {side}_mm", _SWAYS[f"{side}_mm"])
        if len(periods) != len(sizes) or len(periods) > SWAYS:
            raise ConfigError(
                f"{where} {side}_s has {len(periods)} and {side}_mm {len(sizes)} numbers: "
                f"wanted as many of both, {SWAYS} at most"
            )
        out[0, row, : len(periods)] = periods
        out[1, row, : len(sizes)] = np.array(sizes) * 1e-3
    out.flags.writeable = False
    return out[0], out[1]


def _histogram(table: Any, where: str, limits: tuple[float, float]) -> Histogram:
    _same_keys(table, ("edges", "share", "source"), where)
    edges = np.array(_numbers(table["edges"], f"{where} edges", limits))
    share = np.array(_numbers(table["share"], f"{where} share", (0.0, math.inf)))
    if len(edges) < 2 or len(share) != len(edges) - 1 or share.sum() <= 0.0 or (np.diff(edges) <= 0.0).any():
        raise ConfigError(
            f"{where} has {len(edges)} edges and {len(share)} shares: "
            "wanted rising edges, one share between each two, and not all shares 0"
        )
    total = np.concatenate([[0.0], np.cumsum(share) / share.sum()])
    for array in (edges, total):
        array.flags.writeable = False
    return Histogram(edges, total, str(table["source"]))


def _numbers(values: Any, where: str, limits: tuple[float, float]) -> list[float]:
    if not isinstance(values, list) or not values:
        raise ConfigError(f"{where} = {values!r}: wanted a list of numbers")
    for value in values:
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if not is_number or not limits[0] <= value <= limits[1]:
            raise ConfigError(f"{where}: {value!r} is outside {limits[0]:g}..{limits[1]:g}")
    return [float(value) for value in values]


def _same_keys(table: Any, wanted: tuple[str, ...], where: str) -> None:
    if not isinstance(table, dict):
        raise ConfigError(f"{where} = {table!r}: wanted a table with {', '.join(wanted)}")
    for key in table:
        if key not in wanted:
            close = difflib.get_close_matches(key, wanted, n=1, cutoff=0.5)
            hint = f"; did you mean '{close[0]}'?" if close else ";"
            raise ConfigError(f"{where}: unknown '{key}'{hint} It has {', '.join(wanted)}")
    for key in wanted:
        if key not in table:
            raise ConfigError(f"{where}: '{key}' is missing; assets/reflex.toml shows a whole file")


def _digest(made: Standing) -> str:
    h = hashlib.blake2b(digest_size=16)
    for f in fields(made):
        value = getattr(made, f.name)
        if f.name == "histogram":
            value = [(key, one.edges.tolist(), one.total.tolist(), one.source) for key, one in value.items()]
        h.update(repr(value.tolist() if isinstance(value, np.ndarray) else value).encode())
    return h.hexdigest()
