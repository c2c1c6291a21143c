"""Her face on the shown pose: lips, brows, eyes and moods that leave each other room, and her head's part of a look."""

from .gaze import look
from .head import turn
from .lips import begin
from .speak import speak

__all__ = ["begin", "look", "speak", "turn"]
