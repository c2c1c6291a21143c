"""Her grades beside the fixed rules, a layer each: the only place that breaks the seals, for her and for her person."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from ...components.grading import Figures, Said
from .schema import behind
from .store import Store, figures_of

LEAST = (
    20  # grades of a layer below which nothing is said of it: its interval is then wider than 0.4 (Wilson at one half)
)
_SIGMAS = 1.959964  # of the normal distribution: 95 %
FIGURES = ("depth_p99", "depth_max", "jerk_p99", "moved_rms", "refused", "forced")


@dataclass(frozen=True, slots=True)
class Row:
    """One graded replay, unsealed. grades: the first, and the one it was changed to where it was."""

    id: int
    said: Said
    layer: str
    figures: Figures
    grades: tuple[str, ...]

    @property
    def is_good(self) -> bool:
        """Whether she calls it good: the grade that she left."""
        return self.grades[-1] == "good"


def rows(store: Store) -> list[Row]:
    """Return every graded replay with its layer, oldest first."""
    if not store.is_begun:
        return []
    asked = {one.id: one for one in store.shown() if one.grades}
    with closing(sqlite3.connect(store.path)) as db:
        names = [name for (name,) in db.execute("SELECT name FROM names")]
        kept = db.execute("SELECT asked.id, salt, seal, figures FROM asked JOIN ruled USING (id) ORDER BY asked.id")
        return [
            Row(number, asked[number].said, behind(names, salt, seal), figures_of(figures), asked[number].grades)
            for number, salt, seal, figures in kept
            if number in asked
        ]


def wilson(good: int, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927), 0..1; all of it where nothing was counted."""
    if not count:
        return 0.0, 1.0
    z2 = _SIGMAS**2
    share = good / count
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = _SIGMAS * math.sqrt(share * (1 - share) / count + z2 / (4 * count**2)) / (1 + z2 / count)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def table(store: Store) -> dict[str, Any]:
    """Return what CONTRACT calls `grade table --json`: a layer each, and whether there are enough grades to speak.

    good, good_low, good_high: share she calls good and its 95 % interval
    rules: the fixed rules on the same replays: means over them of the figures, the share that the rules call good, and
    agree, the share on which she and they say the same
    """
    found = rows(store)
    names = sorted({row.layer for row in found}, key=lambda name: ({"none": 0, "rule": 1}.get(name, 2), name))
    each = [_layer(name, [row for row in found if row.layer == name]) for name in names]
    both = {(mine, theirs): 0 for mine in ("good", "bad") for theirs in ("good", "bad")}
    for row in found:
        both["good" if row.is_good else "bad", "good" if row.figures.is_good else "bad"] += 1
    return {
        "layers": each,
        "n": len(found),
        "changed": sum(len(row.grades) > 1 for row in found),
        "waiting": len(store.waiting()),
        "agree": _share(row.is_good == row.figures.is_good for row in found),
        "both_good": both["good", "good"],
        "both_bad": both["bad", "bad"],
        "only_she_good": both["good", "bad"],
        "only_rules_good": both["bad", "good"],
        "enough": len(each) > 1 and all(one["n"] >= LEAST for one in each),
        "least": LEAST,
    }


def _layer(name: str, found: Sequence[Row]) -> dict[str, Any]:
    good = sum(row.is_good for row in found)
    low, high = wilson(good, len(found))
    rules: dict[str, float | None] = {
        figure: sum(getattr(row.figures, figure) for row in found) / len(found) for figure in FIGURES
    }
    rules["good"] = _share(row.figures.is_good for row in found)
    rules["agree"] = _share(row.is_good == row.figures.is_good for row in found)
    return {
        "layer": name,
        "n": len(found),
        "good": good / len(found),
        "good_low": low,
        "good_high": high,
        "rules": rules,
    }


def _share(facts: Any) -> float | None:
    facts = list(facts)
    return sum(facts) / len(facts) if facts else None


def as_markdown(found: dict[str, Any]) -> str:
    """Return a table as Markdown, with what can be said of it in words."""
    lines = [
        "| layer | graded | she says good | 95 % | rules say good | agree | depth p99 mm | max mm | jerk p99 | "
        "moved mm | refused | forced |",
        "|" + " --- |" * 12,
    ]
    for one in found["layers"]:
        rules = one["rules"]
        span = f"{100 * one['good_low']:.0f} to {100 * one['good_high']:.0f} %"
        shares = f"{100 * rules['good']:.0f} % | {100 * rules['agree']:.0f} %"
        depth = f"{rules['depth_p99']:.2f} | {rules['depth_max']:.2f}"
        lines.append(
            f"| {one['layer']} | {one['n']} | {100 * one['good']:.0f} % | {span} | {shares} | {depth} | "
            f"{rules['jerk_p99']:.2f} | {rules['moved_rms']:.2f} | {rules['refused']:.1f} | {rules['forced']:.2f} |"
        )
    return "\n".join([*lines, "", *_words(found), ""])


def _words(found: dict[str, Any]) -> list[str]:
    if not found["n"]:
        return ["Nothing is graded yet."]
    lines = [
        f"{found['n']} graded, {found['changed']} of them changed, {found['waiting']} waiting. She and the rules agree "
        f"on {100 * found['agree']:.0f} %: both good {found['both_good']}, both bad {found['both_bad']}, only she good "
        f"{found['only_she_good']}, only the rules good {found['only_rules_good']}."
    ]
    if not found["enough"]:
        least = found["least"]
        few = [f"{one['layer']} {one['n']}" for one in found["layers"] if one["n"] < least]
        what = ", ".join(few) if few else "one layer only"
        lines.append(f"**Too few to say anything**: it takes {least} of each layer, two at least ({what}).")
        return lines
    for k, one in enumerate(found["layers"]):
        for other in found["layers"][k + 1 :]:
            better, worse = (one, other) if one["good"] >= other["good"] else (other, one)
            apart = better["good_low"] > worse["good_high"]
            says = "is called good more often than" if apart else "cannot be told from"
            lines.append(f"{better['layer']} {says} {worse['layer']} by her grades.")
    return lines
