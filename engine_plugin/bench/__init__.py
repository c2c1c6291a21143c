"""Every published figure, each measured beside its reference in the same run: figures of other runs do not compare."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ...components.errors import KinesicsError

# part of a figure's name -> module with figures() -> list of what `entry` returns, or {name, skipped: why}
PARTS = {
    "features": "features",
    "search": "search",
    "search_full": "search_full",
    "writeback": "writeback",
    "lips": "lips",
    "collide": "collide",
    "rule": "rule",
    "head": "head",
    "tick": "tick",
    "crowd": "tick",
    "ahead": "ahead",
    "teacher": "teacher",
    "process": "process",
    "speech": "speech",
    "start": "start",
}

FULL = {"search": "search_full"}  # parts that take minutes and gigabytes: measured by name, or with `full`

Figure = dict[str, Any]


def entry(
    name: str, value: float, unit: str, *, goal: float | None = None, reference: tuple[str, float] | None = None
) -> Figure:
    """Return one figure; `goal` is the most it may be, `reference` the name and value of what does the same work."""
    figure: Figure = {"name": name, "value": value, "unit": unit}
    if reference is not None:
        figure["reference"] = {"name": reference[0], "value": reference[1]}
    if goal is not None:
        figure |= {"goal": goal, "met": value <= goal}
    return figure


def best(work: Callable[[], float], runs: int = 5) -> float:
    """Return the least of several measurements: what else runs on the machine only ever adds."""
    return min(work() for _ in range(runs))


def measure(
    names: list[str] | None = None, say: Callable[[str], None] = lambda text: None, *, full: bool = False
) -> dict[str, Any]:
    """Return {machine, figures, skipped}.

    names: parts ("tick") or figures ("tick.p50_us"); None for all but FULL. full: what takes minutes too
    """
    wanted = list(names) if names else [part for part in PARTS if part not in FULL.values()]
    if full:
        wanted += [FULL[name] for name in wanted if name in FULL]
    unknown = [name for name in wanted if name.partition(".")[0] not in PARTS]
    if unknown:
        raise KinesicsError(f"there is no figure '{unknown[0]}'; parts are {', '.join(PARTS)}")
    figures: list[Figure] = []
    skipped: list[dict[str, str]] = []
    for module in dict.fromkeys(PARTS[name.partition(".")[0]] for name in wanted):
        say(f"measuring {module}")
        try:
            made = import_module(f".{module}", __name__).figures()
        except ImportError as cause:  # a reference library that is not installed
            skipped.append({"name": module, "reason": str(cause)})
            continue
        for figure in made:
            if "skipped" in figure:
                skipped.append({"name": figure["name"], "reason": figure["skipped"]})
            elif figure["name"] in wanted or figure["name"].partition(".")[0] in wanted:
                figures.append(figure)
    return {"machine": machine(), "figures": figures, "skipped": skipped}


def machine() -> dict[str, Any]:
    """Return what the figures were measured on."""
    import numba
    import numpy

    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
    }


def line(figure: Figure) -> str:
    """Return one figure as people read it."""
    text = f"{figure['name']:<28} {figure['value']:>10.4g} {figure['unit']}"
    if "reference" in figure:
        text += f"   {figure['reference']['name']} {figure['reference']['value']:.4g} {figure['unit']}"
    if "goal" in figure:
        text += f"   goal {figure['goal']:g}: {'met' if figure['met'] else 'MISSED'}"
    return text
