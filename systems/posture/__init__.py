"""Held postures on her own measured body: into them, in them, out of them."""

from .hold import hold
from .kept import hold_of
from .open import open_pairs
from .plan import plan
from .reach import reach_of

__all__ = ["hold", "hold_of", "open_pairs", "plan", "reach_of"]
