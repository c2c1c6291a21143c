"""Motion of the neutral rig onto any avatar: what is measured on her once, and the poses that come of it."""

from .anatomy import measure
from .generated import Onto
from .neutral import neutral_frames, wrist_frames
from .repertoire import repertoire

__all__ = ["Onto", "measure", "neutral_frames", "repertoire", "wrist_frames"]
