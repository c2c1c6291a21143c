"""The second of real talkers' motion that fits her voice and where she is."""

from ...components.index import Index
from .aside import unanswered
from .blend import blend
from .corpus_folder import load
from .plan import plan
from .prepare import prepare
from .refit import fit, fit_key, refit
from .survey import dead_ends, survey

__all__ = ["Index", "blend", "dead_ends", "fit", "fit_key", "load", "plan", "prepare", "refit", "survey", "unanswered"]
