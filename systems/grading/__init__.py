"""Blind grading: what she said again on a copy nobody sees, through a layer drawn at random, kept beside her grade.

Nothing here ticks in her world. Who trains imports nothing of this folder: grades are never a training input.
"""

from .layers import layers
from .moments import moments
from .outcome import Outcome
from .session import Session
from .store import Store
from .table import as_markdown, table

__all__ = ["Outcome", "Session", "Store", "as_markdown", "layers", "moments", "table"]
