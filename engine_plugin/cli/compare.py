"""`kinesics compare`: what became worse from one run to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ...components.errors import ReplayError
from .messages import print_json
from .options import ConfigFile, Json, read_config

_REPORT = typer.Argument(metavar="R.json", help="A report of `kinesics run --report`.")


def compare(
    a: Annotated[Path, _REPORT], b: Annotated[Path, _REPORT], config: ConfigFile = None, as_json: Json = False
) -> None:
    """Name every figure in which B is worse than A; ends with 1 if there is one."""
    from ...systems import figures

    read_config(config)
    worse = figures.compare(_read(a), _read(b))
    if as_json:
        print_json({"a": str(a), "b": str(b), "worse": worse})
    else:
        for item in worse:
            print(item)
        if not worse:
            print("Nothing became worse.")
    if worse:
        raise typer.Exit(1)


def _read(path: Path) -> dict[str, Any]:
    import json

    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as cause:
        raise ReplayError(f"{path}: is no report: {cause}; make one with `kinesics run --report {path.name}`") from None
    if not isinstance(report, dict) or "ticks" not in report:
        raise ReplayError(f"{path}: is no report: it has no 'ticks'; make one with `kinesics run --report {path.name}`")
    return report
