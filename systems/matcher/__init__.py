"""The second of real talkers' motion that fits her voice and where she is."""

from ...components.index import Index
from .blend import blend
from .corpus_file import load
from .plan import plan
from .prepare import prepare
from .refit import fit, fit_key, refit
from .survey import survey

__all__ = ["Index", "blend", "fit", "fit_key", "load", "plan", "prepare", "refit", "survey"]
