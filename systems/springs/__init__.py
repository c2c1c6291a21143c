"""Hair and cloth that follow her with a delay, as her file asks (VRM spring bones)."""

from .swing import swing

__all__ = ["swing"]
