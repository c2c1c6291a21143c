"""A voice for made-up talkers."""

from __future__ import annotations

import pytest
from talker import voice

from kinesics.components.speech import Speech
from kinesics.systems.voice.analyse import analyse


@pytest.fixture(scope="session")
def buzz() -> Speech:
    """Half a minute of a syllabic buzz with pauses."""
    return analyse(voice(30.0, pauses=((5.0, 6.0), (12.0, 13.5), (20.0, 21.0))), 16_000)
