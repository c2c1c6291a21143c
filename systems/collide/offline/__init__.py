"""Her visible skin measured into capsules, once an avatar: what the rule keeps her arms out of."""

from .measure import measure
from .report import Report

__all__ = ["Report", "measure"]
