"""Breath, weight and sway under everything else."""

from .plan import plan
from .sway import sway

__all__ = ["plan", "sway"]
