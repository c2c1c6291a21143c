"""Breath, weight and sway under everything else."""

from .choose import begin
from .plan import plan
from .sway import sway

__all__ = ["begin", "plan", "sway"]
