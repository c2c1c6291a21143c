"""Her face on the shown pose: lips that follow her voice, blinks, and expressions that leave each other room."""

from .lips import begin
from .speak import speak

__all__ = ["begin", "speak"]
