"""kinesics: a speaking body for any glTF humanoid. This file holds the import name and nothing heavy."""

from pathlib import Path as _Path

__version__ = "0.1.0"

_here = _Path(__file__).parent
if not (_here / "systems").is_dir():  # a checkout: the folders lie beside this one, not inside it
    __path__.append(str(_here.parent))
