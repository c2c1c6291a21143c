"""Skips where this machine cannot draw a picture."""

from hosts import drawing  # noqa: F401 - a fixture
