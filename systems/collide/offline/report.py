"""How well capsules stand for her skin, in mm, on samples that they were not fitted to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .parts import Parts
from .refine import Fitted, Skin, gaps, probes
from .samples import Samples

COVERED = 0.005  # m, that a sample may be outside of the nearest capsule
PROBES = 200  # points on each capsule
NEAR = 6  # samples whose normals say which side of the skin a point is on


@dataclass(frozen=True, slots=True)
class Report:
    """A fit in figures.

    Fields:
        capsules, bones, joined_pairs, allowed_pairs: counts
        covered_5mm:       0..1, samples within 5 mm of a capsule or inside one
        protrusion_p95_mm: how far the capsules' outside stands out of the skin
        base_inside_mm:    deepest contact left in the base pose; base_turned_deg: largest turn that cleared it
        seconds:           what measuring took
        uncovered:         bone -> share of its samples that are not covered, worst first
        notes:             one line each: what is not as it should be
    """

    capsules: int
    bones: int
    joined_pairs: int
    allowed_pairs: int
    covered_5mm: float
    protrusion_p95_mm: float
    base_inside_mm: float
    base_turned_deg: float
    seconds: float
    uncovered: dict[str, float]
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return asdict(self)


def quality(fit: Fitted, samples: Samples, skin: Skin, count: int) -> tuple[float, float]:
    """Return the share of samples that are covered and how far capsules stand out of the skin, p95 in m.

    count: points on each capsule that tell the latter
    """
    covered = float((gaps(samples.point, fit)[1] < COVERED).mean())
    return covered, float(np.percentile(skin.out_of(probes(fit, count, 1)[0], NEAR), 95.0))


def uncovered(fit: Fitted, parts: Parts, samples: Samples) -> dict[str, float]:
    """Return the share of each bone's samples that are not covered, of those that lack any, worst bone first."""
    lacks = gaps(samples.point, fit)[1] >= COVERED
    count = np.bincount(samples.holder, minlength=len(parts.names))
    missed = np.bincount(samples.holder, lacks, len(parts.names))
    return {parts.names[k]: float(missed[k] / count[k]) for k in np.argsort(-missed, kind="stable") if missed[k]}
