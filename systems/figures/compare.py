"""Where one run's figures are worse than another's."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any

from ...components.errors import ReplayError

# figure -> (share it may grow by, absolute slack in its unit): run-to-run differences of equal quality
_SLACK: dict[str, tuple[float, float]] = {
    "depth_mm": (0.05, 0.05),
    "wrist_jerk": (0.10, 0.05),
    "wrist_moved_mm_rms": (0.05, 0.2),
    "arm_speed_deg_s": (0.10, 5.0),
    "corpus_speed_deg_s_max": (0.0, 0.5),
    "jump_deg_max": (0.0, 0.5),
    "fades_interrupted": (0.0, 0.0),
    "forced_cuts": (0.0, 0.0),
    "reuse.share": (0.10, 0.05),
    "head_reversals_per_s": (0.10, 0.1),
    "frechet.pose_deg": (0.10, 1.0),
    "frechet.velocity_deg_s": (0.10, 2.0),
    "hip_step_mm_max": (0.05, 0.05),
    "foot_slide_mm_max": (0.05, 0.05),
    "non_finite": (0.0, 0.0),
    "tick_us": (1.0, 50.0),  # machines swing threefold; only a doubling is news
}
# figure -> absolute slack: the ones of which less is worse
_LESS: dict[str, float] = {"beats.z": 2.0}


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return one line for each figure of `after` (R.json) that got worse than in `before`; empty if none did.

    ReplayError where a figure is neither a number nor null.
    """
    worse = []
    for name, (share, slack) in _SLACK.items():
        for path, a, b in _pairs(name, _at(before, name), _at(after, name)):
            if a is not None and b is None:
                worse.append(f"{path}: {a:g} before, not measured now")
            elif a is not None and b is not None and b > a * (1.0 + share) + slack:
                worse.append(f"{path}: {a:.3f} -> {b:.3f}")
    for name, slack in _LESS.items():
        first, second = _at(before, name), _at(after, name)
        if first is not None and second is None:
            worse.append(f"{name}: {first:g} before, not measured now")
        elif first is not None and second is not None and second < first - slack:
            worse.append(f"{name}: {first:.3f} -> {second:.3f}")
    new = sorted(_said(after) - _said(before))
    return worse + [f"degraded: {what}" for what in new]


def _said(report: Mapping[str, Any]) -> set[str]:
    """Return what a run said it did without."""
    value = report.get("degraded")
    return {str(what) for what in value} if isinstance(value, list) else set()


def _at(report: Mapping[str, Any], name: str) -> Any:
    """Return a figure by its name, `reuse.share` of a table; None where the report has none."""
    value: Any = report
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping):
        return _number(name, value)
    return value


def _number(name: str, value: Any) -> Any:
    if value is not None and not (isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)):
        raise ReplayError(f"a report's {name} is {str(value)[:40]!r}, not a number; make the report anew")
    return value


def _pairs(name: str, a: Any, b: Any) -> Iterator[tuple[str, float | None, float | None]]:
    if isinstance(a, Mapping) or isinstance(b, Mapping):
        first, second = (x if isinstance(x, Mapping) else {} for x in (a, b))
        for key in dict.fromkeys((*first, *second)):
            if key.startswith("raw_"):  # before the rule: another motion, not a worse one
                continue
            path = f"{name}.{key}"
            yield path, _number(path, first.get(key)), _number(path, second.get(key))
    else:
        yield name, a, b
