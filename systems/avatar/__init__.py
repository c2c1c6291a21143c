"""The handle a host holds: everything it does goes through the Inbox, so it may be called from any thread."""

from .handle import Avatar, Utterance
from .stream import Sound, Stream

__all__ = ["Avatar", "Sound", "Stream", "Utterance"]
