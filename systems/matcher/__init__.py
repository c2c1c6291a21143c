"""The second of real talkers' motion that fits her voice and where she is."""

from ...components.index import Index
from .blend import blend
from .choose import prepare
from .corpus_file import load
from .plan import plan
from .survey import survey

__all__ = ["Index", "blend", "load", "plan", "prepare", "survey"]
