"""The sentence model filled with numbers, made once for all tests that look into it."""

from __future__ import annotations

from typing import Any

import pytest

from kinesics.systems.speech_gesture.model import layout, source
from kinesics.systems.speech_gesture.model.tensors import Lazily

NO_TORCH = "torch is not installed: pip install 'kinesics[speech]'"


@pytest.fixture(scope="session")
def torch() -> Any:
    """Return torch, on one thread."""
    module = pytest.importorskip("torch", reason=NO_TORCH)
    module.set_num_threads(1)
    return module


@pytest.fixture(scope="session")
def weights(torch: Any) -> dict[str, Lazily]:
    """Part -> its filled tensors."""
    made = source.Filled()
    held = {part: dict(made.tensors(part)) for part in ("generator", *layout.PARTS)}
    return {part: Lazily(tensors, tensors.__getitem__) for part, tensors in held.items()}
