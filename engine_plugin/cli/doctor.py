"""`kinesics doctor`: what works on this machine."""

from __future__ import annotations

import dataclasses

import typer

from .messages import print_json
from .options import ConfigFile, Json, read_config


def doctor(config: ConfigFile = None, as_json: Json = False) -> None:
    """One line a part: OK, OFF or DEGRADED, why, and the cure. Ends with 0 if she can run."""
    from ..doctor import can_run, examine

    findings = examine(read_config(config).sentence.weights)
    if as_json:
        parts = [{k: v for k, v in dataclasses.asdict(finding).items() if k != "is_needed"} for finding in findings]
        print_json({"can_run": can_run(findings), "parts": parts})
    else:
        for finding in findings:
            print(finding.line())
        print("She can run." if can_run(findings) else "She cannot run: see the lines above.")
    if not can_run(findings):
        raise typer.Exit(1)
