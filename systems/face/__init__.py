"""Her face on the shown pose: a mouth that follows loudness, and blinks."""

from .mouth import find_mouth
from .speak import speak

__all__ = ["find_mouth", "speak"]
