"""Skips where this machine cannot draw a picture."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def drawing() -> None:
    from kinesics.components.errors import KinesicsError
    from kinesics.engine_plugin.offscreen import Stage

    try:
        Stage(size=(16, 16)).close()
    except KinesicsError as cause:
        pytest.skip(str(cause))
