"""`kinesics avatar hinges`: what her fingers bend about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from .messages import print_json
from .options import ConfigFile, Json, ends_in, read_config
from .outputs import claim


def hinges(
    file: Annotated[Path, typer.Argument(metavar="F", help="A glb, gltf or VRM file.")],
    picture: Annotated[
        Path | None, typer.Option(metavar="P.png", help="Her hands open, relaxed, curled and spread, hinges drawn.")
    ] = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Measure the axes her fingers bend about: a recorded curl is turned onto them before it reaches her."""
    from ...components.gltf import read
    from ...systems.retarget.survey import hands

    read_config(config)
    ends_in(picture, ".png", "--picture")
    claim([picture], [file, config])
    body = read(file)
    found = {"file": body.source, **hands(body.rig)}
    if picture is not None:
        from ..hands import draw

        draw(picture, body)
    if as_json:
        print_json(found)
    else:
        print("\n".join(_lines(found)))


def _lines(found: dict[str, Any]) -> Iterator[str]:
    yield f"{found['file']}: {found['fingers']} of 30 finger joints"
    if found["missing"] and found["fingers"]:
        yield f"missing: {', '.join(found['missing'])}"
    if found["mirrored_deg"] is not None:
        yield f"left and right are mirrored within {found['mirrored_deg']:.1f} deg"
    for side in ("left", "right"):
        hand = found[side]
        yield f"{side} hand: {hand['kind']}"
        if not hand["joints"]:
            continue
        heads = f"{'hinge x':>8} {'y':>7} {'z':>7} {'from middle':>12} {'rest curl':>10} {'rest spread':>12}"
        yield f"  {'joint':<20} {heads}"
        for name, joint in hand["joints"].items():
            x, y, z = joint["hinge"]
            apart = "" if joint["from_middle_deg"] is None else f"{joint['from_middle_deg']:.1f} deg"
            yield (
                f"  {name:<20} {x:8.3f} {y:7.3f} {z:7.3f} {apart:>12} {joint['rest_curl_deg']:6.1f} deg "
                f"{joint['rest_spread_deg']:8.1f} deg"
            )
