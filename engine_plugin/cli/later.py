"""Commands whose part this version does not have: they say so in one line and end with 1."""

from __future__ import annotations

from collections.abc import Callable

import typer

from ...components.errors import NotBuilt

_ANYTHING = {"allow_extra_args": True, "ignore_unknown_options": True}

# group -> command -> what it will do
COMMANDS: dict[str, dict[str, str]] = {
    "fence": {
        "export": "export an avatar for the fence's trainer",
        "label": "label motion with the teacher",
        "train": "train the fence's head",
        "evaluate": "measure rule and head on held-out performers",
    },
    "grade": {
        "next": "show the next replay to grade",
        "submit": "grade a replay",
        "table": "compare grades with the fixed rules",
    },
}


def add(groups: dict[str, typer.Typer]) -> None:
    """Give each group its commands that are still to come."""
    for group, commands in COMMANDS.items():
        for name, does in commands.items():
            groups[group].command(name, help=f"Not in this version: {does}.", context_settings=_ANYTHING)(
                _teller(f"{group} {name}")
            )


def _teller(command: str) -> Callable[[], None]:
    def tell() -> None:
        raise NotBuilt(f"the command '{command}'")

    return tell
