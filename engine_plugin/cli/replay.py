"""`kinesics replay`: a recorded run again, held against itself."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from .first import compile_first
from .messages import print_json
from .options import ConfigFile, Json, read_config


def replay(
    file: Annotated[Path, typer.Argument(metavar="P.npz", help="A file of `kinesics run --replay-out`.")],
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Run a recording again and name the first tick and component that differ; ends with 1 if any does."""
    from ...systems import headless

    read_config(config)
    compile_first()
    first, done = headless.replay(file)
    if as_json:
        print_json({"file": str(file), "ticks": done.ticks, "equal": first is None, "first": first and asdict(first)})
    elif first is None:
        print(f"The same bits in {done.ticks} ticks.")
    else:
        print(f"Differs first at tick {first.tick} ({first.tick / 60:.2f} s) in {first.component}.")
    if first is not None:
        raise typer.Exit(1)
