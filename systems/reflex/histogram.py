"""Drawing from histograms, and telling where in one a value lies."""

from __future__ import annotations

import numpy as np

from ...components.reflex import Histogram


def quantile(histogram: Histogram, share: float) -> float:
    """Return the value below which `share` (0..1) of the histogram lies; a uniform share draws from it."""
    return float(np.interp(share, histogram.total, histogram.edges))


def rank(histogram: Histogram, value: float) -> float:
    """Return which share, 0..1, of the histogram lies below a value; `quantile` turned round."""
    return float(np.interp(value, histogram.edges, histogram.total))


def opposite(share: float, jitter: float) -> float:
    """Return a share half-way round from another, give or take: uniform wherever the first one was.

    A step round a circle keeps a uniform law, so a chain of these draws visits every bin as often as its share says
    and still hardly ever stays on one side.

    share: 0..1; jitter: -0.5..0.5
    """
    return (share + 0.5 + jitter) % 1.0


def near(share: float, jitter: float) -> float:
    """Return a share within `jitter` of another, turned back at 0 and 1: uniform if the first one is."""
    return 1.0 - abs(1.0 - abs(share + jitter))
