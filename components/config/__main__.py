"""Prints the shipped settings: python -m kinesics.components.config > assets/default.toml."""

from . import Config, as_toml

print(as_toml(Config.default()), end="")
