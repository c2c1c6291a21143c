"""`kinesics corpus`: talkers to match."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from .messages import print_json, say
from .options import AvatarFile, ConfigFile, Json, ends_in, read_config
from .outputs import claim, claim_folder, filling


def synth(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="A new folder.")],
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="The same seed gives the same bytes.")] = 1,
    styles: Annotated[str | None, typer.Option(metavar="A,B", help="Which performers; without it all.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="Clips a performer at most.")] = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Make the corpus of synthetic performers: spoken by free voices, moved by rule."""
    from ...systems.matcher.offline.performers.build import build

    read_config(config)
    claim_folder(out, [config])
    chosen: dict[str, Any] = {} if styles is None else {"styles": [name.strip() for name in styles.split(",")]}
    with filling(out) as partial:
        made = build(partial, seed=seed, limit=limit, report=say, **chosen)
    if as_json:
        print_json({"folder": str(out), "clips": len(made.clips), "digest": made.digest})
    else:
        say(f"{out}: {len(made.clips)} clips")


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A corpus.")],
    picture: Annotated[
        Path | None, typer.Option(metavar="P.png", help="Speeds, performers, dead ends and licences, drawn.")
    ] = None,
    avatar: AvatarFile = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """What of a corpus an avatar can show: seconds, candidates, and how many of them pass the gates."""
    from ...components import gltf
    from ...systems import headless, matcher, retarget
    from ...systems.matcher.corpus_file import made_by

    ends_in(picture, ".png", "--picture")
    claim([picture], [avatar, config])
    settings = read_config(config)
    corpus = matcher.load(folder)
    body = gltf.read(headless.AVATAR if avatar is None else avatar)
    anatomy = retarget.measure(body.rig)
    hers = retarget.repertoire(corpus, body.rig, anatomy, asdict(settings.gains), settings.matcher.hop_s)
    dead = matcher.dead_ends(hers, hers.row_speed <= settings.gates.speed_deg_s, settings.gates.jump)
    found = matcher.survey(corpus, hers, settings, dead)
    found["skipped"] = made_by(folder).get("skipped", [])
    if picture is not None:
        from ..coverage import draw

        draw(picture, folder.resolve().name, corpus, hers, anatomy, settings, dead)
    if as_json:
        print_json(found)
        return
    for name, value in found.items():
        if name != "clips":
            print(f"{name}: {value}")
    for clip in found["clips"]:
        offset = "" if not clip["offset_s"] else f"  voice {clip['offset_s']:+.2f} s"
        rows = f"{clip['legal']:5d} of {clip['windows']} rows"
        print(f"  {clip['source']:<28} {clip['seconds']:7.1f} s  {rows}  {clip['licence']}{offset}")
