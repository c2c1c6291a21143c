"""The reflex's file of histograms fitted to recordings of people who stand."""

from .fit import Fit, fit
from .stance import Stand, stand
from .write import text

__all__ = ["Fit", "Stand", "fit", "stand", "text"]
