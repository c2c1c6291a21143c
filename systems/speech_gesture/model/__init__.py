"""GestureLSM (https://github.com/andypinxinliu/GestureLSM), written anew from a description of it; takes its weights.

Nothing here but `model` and `network/` needs torch, and they are imported when a model is made.
"""

from __future__ import annotations

from ....components.errors import ModelError
from .model import FILLED, Model, filled_model, load_model
from .sound import condition
from .words import marked, word_ids

__all__ = ["FILLED", "Model", "ModelError", "condition", "filled_model", "load_model", "marked", "word_ids"]
