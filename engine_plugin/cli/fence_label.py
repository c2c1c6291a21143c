"""`kinesics fence label`: motion with what a proposal should have been at each tick of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from .fence_train import figure_of
from .messages import print_json, say
from .options import AvatarFile, ConfigFile, Json, read_config


def label(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, or one that was begun.")],
    export: Annotated[
        Path | None, typer.Option(metavar="E.npz", help="The avatar, as 'fence export' wrote her; or --avatar.")
    ] = None,
    avatar: AvatarFile = None,
    performer: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A made-up one, several times; without any all of them.")
    ] = None,
    clips: Annotated[int, typer.Option(min=0, max=10_000, help="Of each made-up performer; 0: of none.")] = 6,
    seconds: Annotated[float, typer.Option(min=2, max=600, help="Of each of them.")] = 40.0,
    corpus: Annotated[
        list[Path] | None, typer.Option(metavar="DIR", help="A corpus of talkers, all its clips; several times.")
    ] = None,
    take: Annotated[
        list[Path] | None, typer.Option(metavar="F.npz", help="A recorded talker (SMPL-X), at her gains and at gain 1.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Of what is made up.")] = 1,
    workers: Annotated[
        int | None, typer.Option(min=1, max=256, metavar="N", help="Processes; without it one a core.")
    ] = None,
    ray: Annotated[
        str, typer.Option(metavar="ADDRESS", help="A Ray cluster instead: HOST:PORT, ray://HOST:PORT, auto or local.")
    ] = "",
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Label motion for the fence's trainer. Stopped at any moment and run again, it goes on where it was."""
    from ...components.errors import CorpusError
    from ...components.grading import refuse_grades
    from ...systems.fence.offline import motions, shards
    from ...systems.fence.offline.bodies import exported
    from ...systems.fence.offline.export import load
    from .render import progress

    read_config(config)
    refuse_grades(export, *(corpus or ()), *(take or ()))
    if export is not None and avatar is not None:
        raise typer.BadParameter("name the avatar once: --export or --avatar", param_hint="--export")
    if out.exists() and not out.is_dir():
        raise CorpusError(f"{out}: is a file; name a folder")
    wanted = motions.library(performer or (), clips=clips, seconds=seconds, seed=seed) if clips else []
    wanted += [motion for folder in corpus or () for motion in motions.of_corpus(folder)]
    wanted += [motion for file in take or () for motion in motions.of_take(file)]
    if not wanted:
        raise typer.BadParameter("without clips of made-up performers a --corpus or a --take is needed")
    body = exported(load(export)) if export is not None else figure_of(avatar)
    with progress(out.name) as told:
        finished = 0

        def report(one: shards.Done) -> None:
            nonlocal finished
            finished += 1
            told(finished, len(wanted))
            if one.reason:
                say(f"left out: {one.reason}")

        done = shards.label(body, wanted, out, workers=workers or os.cpu_count() or 1, ray=ray, report=report)
    good = [one for one in done if not one.reason]
    frames, held = sum(one.frames for one in good), sorted({one.motion.performer for one in good if one.motion.is_held})
    if as_json:
        print_json({
            "folder": str(out), "avatar": body.rig.digest, "capsules": body.capsules.digest, "clips": len(good),
            "made": sum(not one.is_old for one in good), "frames": frames, "held": held,
            "left_out": [{"clip": one.motion.clip, "reason": one.reason} for one in done if one.reason],
        })  # fmt: skip
    else:
        say(
            f"{out}: {len(good)} clips, {frames / 3600:.1f} min; kept back from training: {', '.join(held) or 'nobody'}"
        )
    if not good:
        raise typer.Exit(1)
