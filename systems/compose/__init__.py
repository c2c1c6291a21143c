"""Layers into one pose: the preview of the next ticks, and the one that is shown."""

from .over import over
from .preview import Ahead, preview, refresh
from .stance import measure_stance

__all__ = ["Ahead", "measure_stance", "over", "preview", "refresh"]
