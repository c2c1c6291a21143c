"""`kinesics bench`: every published figure beside its reference."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from .messages import print_json, say
from .options import ConfigFile, Json, read_config


def bench(
    names: Annotated[list[str] | None, typer.Argument(help="Parts or figures; without any, all.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Also what takes minutes and gigabytes: whole corpora.")] = False,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Measure every published figure, each beside its reference in the same run."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")  # references run on one thread too; read when numpy loads
    from ..bench import line, measure

    read_config(config)
    result = measure(names, say, full=full)
    if as_json:
        print_json(result)
        return
    for figure in result["figures"]:
        print(line(figure))
    for part in result["skipped"]:
        print(f"{part['name']:<28} skipped: {part['reason']}")
