"""`kinesics corpus build`: recorded talkers into a corpus."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .messages import print_json, say
from .options import ConfigFile, Json, read_config
from .outputs import claim_folder

if TYPE_CHECKING:
    from ...components.corpus import Corpus

MOST_WORKERS = 256


def build(
    sources: Annotated[
        list[Path], typer.Argument(metavar="SRC...", help="SMPL-X npz, .bvh, .glb, .gltf, .vrma, RUN.npz, or folders.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="A new folder.")],
    workers: Annotated[
        int | None, typer.Option(min=1, max=MOST_WORKERS, metavar="N", help="Processes; without it one a core.")
    ] = None,
    ray: Annotated[
        str, typer.Option(metavar="ADDRESS", help="A Ray cluster instead: HOST:PORT, ray://HOST:PORT, auto or local.")
    ] = "",
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
    from ...systems.matcher.corpus_file import made_by
    from ...systems.matcher.offline import recorded
    from ...systems.matcher.offline import sources as motion

    read_config(config)
    files = motion.files(sources)
    if audio is not None and len(files) != 1:
        raise typer.BadParameter(f"is for one source, {len(files)} were given", param_hint="--audio")
    if audio is not None and not audio.is_file():
        raise CorpusError(f"{audio}: no such file; check --audio")
    mean = hand_mean if hand_mean in (None, "in", "out") else Path(hand_mean)
    if isinstance(mean, Path) and not mean.is_file():
        raise CorpusError(f"{mean}: no such file; --hand-mean is in, out or the SMPL-X model's npz")
    options = recorded.Options(mean, performer, licence, audio)
    if (found := recorded.built(files, out, options)) is not None:
        say(f"{out}: is built already, of these files")
        _tell(out, found, made_by(out)["skipped"], as_json)
        return
    claim_folder(out, [*sources, audio, config])
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

        made, done = recorded.build(files, out, options=options, workers=count, ray=ray, report=report)
    _tell(out, made, [{"source": str(one.source), "reason": one.reason} for one in done if one.reason], as_json)


def _tell(out: Path, made: Corpus, skipped: list[dict[str, str]], as_json: bool) -> None:
    clips, seconds = len(made.clips), round(float(made.start[-1]) / 30.0, 3)
    if as_json:
        print_json({"folder": str(out), "clips": clips, "seconds": seconds, "digest": made.digest, "skipped": skipped})
    else:
        say(f"{out}: {clips} clips, {seconds:.1f} s; {len(skipped)} of {clips + len(skipped)} sources left out")
