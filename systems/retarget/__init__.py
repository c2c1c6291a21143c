"""Motion of the neutral rig onto any avatar: what is measured on her once, and the poses that come of it."""

from .anatomy import measure
from .neutral import wrist_frames
from .repertoire import repertoire

__all__ = ["measure", "repertoire", "wrist_frames"]
