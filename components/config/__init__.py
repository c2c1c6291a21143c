"""Settings as frozen dataclasses: sections.py holds every default, TOML files change them, nothing else does."""

from .reader import load, parse
from .sections import Config
from .writer import as_toml, changes

__all__ = ["Config", "as_toml", "changes", "load", "parse"]
