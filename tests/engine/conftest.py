"""Panda3D for tests: no window, or pictures in memory where this machine can draw."""

from __future__ import annotations

import pytest
from card import clock  # noqa: F401 - a fixture
from hosts import base, drawing, pulse  # noqa: F401 - fixtures

from kinesics.components import gltf
from kinesics.components.corpus import Corpus
from kinesics.components.skin import Body
from kinesics.systems import headless, matcher


@pytest.fixture(scope="session")
def her_body() -> Body:
    """The shipped woman."""
    return gltf.read(headless.AVATAR)


@pytest.fixture(scope="session")
def talkers() -> Corpus:
    """The shipped corpus."""
    return matcher.load(headless.CORPUS)
