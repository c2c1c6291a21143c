"""`kinesics reflex fit`: how people stand, from recordings, as the file that her reflex reads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .messages import print_json, say
from .options import ConfigFile, Json, ends_in, read_config
from .outputs import claim, claim_folder, filling


def fit(
    sources: Annotated[
        list[Path], typer.Argument(metavar="SRC...", help="SMPL-X npz, .bvh, .glb, .gltf, .vrma, RUN.npz, or folders.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="F.toml", help="The file for [reflex] file.")],
    pictures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A new folder: a picture of each histogram.")
    ] = None,
    performer: Annotated[str, typer.Option(help="Who stands; without it a BEAT name's, else the folder's name.")] = "",
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Fit weight shifts, leans, fidgets, breath and sway to people who stand, and what speech does to them."""
    from ...components.errors import CorpusError
    from ...components.reflex import load
    from ...systems.figures.run import write_bytes
    from ...systems.matcher.offline import sources as motion
    from ...systems.reflex import offline
    from .render import progress

    settings = read_config(config)
    ends_in(out, ".toml", "--out")
    claim([out], [*sources, config, settings.reflex.file or None])
    if pictures is not None:
        claim_folder(pictures, [*sources, config, out])
    files = [file for file in motion.files(sources) if file.resolve() != out.resolve()]
    before = load(settings.reflex.file)
    stands: list[Any] = []
    read: list[str] = []
    skipped: list[dict[str, str]] = []
    with progress("reading") as told:
        for number, file in enumerate(files):
            try:
                spans, line = _spans(file, performer)
                stands += spans
                read.append(line)
            except (CorpusError, *motion.UNFORESEEN) as cause:
                reason = str(cause) if isinstance(cause, CorpusError) else motion.unforeseen(file, cause)
                say(f"left out: {reason}")
                skipped.append({"source": str(file), "reason": reason})
            told(number + 1, len(files))
    if not stands:
        raise CorpusError(
            f"reflex fit: in none of {len(files)} files does somebody stand; the first: {_first(skipped)}"
        )
    with progress("fitting") as told:
        found = offline.fit(stands, before, told)
    write_bytes(offline.text(found, read).encode(), out)
    if pictures is not None:
        from ..histograms import draw

        with filling(pictures) as partial:
            draw(partial, found.standing, before, found.fitted, found.kept)
    if as_json:
        print_json(_said(found, out, skipped))
        return
    for name, how in found.fitted.items():
        print(f"{name}: {how}")
    for name, why in found.kept.items():
        print(f"{name}: kept, {why}")
    say(
        f"{out}: {len(found.fitted)} fitted, {len(found.kept)} kept, from {found.seconds / 60.0:.1f} min of standing; "
        f"{len(skipped)} of {len(files)} files left out"
    )


def _spans(file: Path, performer: str) -> tuple[list[Any], str]:
    """Return the spans of standing of one file, and the line that says so in the fitted file."""
    from ...components.errors import AudioError
    from ...systems.matcher.offline import sources as motion
    from ...systems.reflex import offline
    from ...systems.voice.analyse import analyse

    take = motion.read(file, performer=performer)
    phrases = None
    if take.audio is not None:
        try:
            phrases = analyse(take.audio, take.rate).phrase
        except AudioError as cause:
            say(f"{file.name}: its voice: {cause}; taken as silent")
    spans, lost = offline.stand(take, phrases)
    voice = "with its voice" if phrases is not None else "no voice beside it, taken as silent"
    if lost >= 1.0:
        say(f"{file.name}: {lost:.1f} s left out, in which somebody steps")
    seconds = sum(one.seconds for one in spans)
    return spans, f"{file.name} ({take.source[:12]}), {take.performer}: {seconds:.1f} s, {lost:.1f} s left out, {voice}"


def _first(skipped: list[dict[str, str]]) -> str:
    return skipped[0]["reason"] if skipped else "no files"


def _said(found: Any, out: Path, skipped: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "file": str(out),
        "seconds": round(found.seconds, 1),
        "speech_s": round(found.speech, 1),
        "people": found.people,
        "spans": found.spans,
        "fitted": found.fitted,
        "kept": found.kept,
        "skipped": skipped,
    }
