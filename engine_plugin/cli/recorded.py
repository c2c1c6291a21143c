"""`kinesics corpus build`: recorded talkers into a corpus."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from .messages import print_json, say
from .options import ConfigFile, Json, read_config
from .outputs import claim_folder

MOST_WORKERS = 256


def build(
    sources: Annotated[
        list[Path], typer.Argument(metavar="SRC...", help="SMPL-X npz, .bvh, .glb, .gltf, .vrma, RUN.npz, or folders.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="A new folder.")],
    workers: Annotated[
        int | None, typer.Option(min=1, max=MOST_WORKERS, metavar="N", help="Processes; without it one a core.")
    ] = None,
    audio: Annotated[
        Path | None, typer.Option(metavar="F", help="The voice of a single source, if it is not of the same stem.")
    ] = None,
    hand_mean: Annotated[
        str | None, typer.Option(metavar="in|out|F.npz", help="SMPL-X hands: mean included, left out, or the model's.")
    ] = None,
    performer: Annotated[str, typer.Option(help="Who talks; without it a BEAT name's, else the folder's name.")] = "",
    licence: Annotated[str, typer.Option(help="What may be done with the recordings; kept with each clip.")] = "",
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Build a corpus of recorded talkers. Stopped at any moment and run again, it goes on where it was."""
    from ...components.errors import CorpusError
    from ...systems.matcher.offline import recorded
    from ...systems.matcher.offline import sources as motion

    read_config(config)
    claim_folder(out, [*sources, audio, config])
    files = motion.files(sources)
    if audio is not None and len(files) != 1:
        raise typer.BadParameter(f"is for one source, {len(files)} were given", param_hint="--audio")
    if audio is not None and not audio.is_file():
        raise CorpusError(f"{audio}: no such file; check --audio")
    mean = hand_mean if hand_mean in (None, "in", "out") else Path(hand_mean)
    if isinstance(mean, Path) and not mean.is_file():
        raise CorpusError(f"{mean}: no such file; --hand-mean is in, out or the SMPL-X model's npz")
    options = recorded.Options(mean, performer, licence, audio)
    from .render import progress

    count = min(workers or os.cpu_count() or 1, len(files))
    with progress(out.name) as told:
        finished = 0

        def report(one: recorded.Done) -> None:
            nonlocal finished
            finished += 1
            told(finished, len(files))
            if one.reason:
                say(f"left out: {one.reason}")
            for warning in one.warnings:
                say(f"{one.source.name}: {warning}")

        made, done = recorded.build(files, out, options=options, workers=count, report=report)
    seconds = round(float(made.start[-1]) / 30.0, 3)
    skipped = [{"source": str(one.source), "reason": one.reason} for one in done if one.reason]
    if as_json:
        print_json(
            {
                "folder": str(out),
                "clips": len(made.clips),
                "seconds": seconds,
                "digest": made.digest,
                "skipped": skipped,
            }
        )
    else:
        say(f"{out}: {len(made.clips)} clips, {seconds:.1f} s; {len(skipped)} of {len(files)} sources left out")
