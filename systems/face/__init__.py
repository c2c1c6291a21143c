"""Her face on the shown pose: a mouth that follows loudness, blinks, and expressions that leave each other room."""

from .speak import speak

__all__ = ["speak"]
