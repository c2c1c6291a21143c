"""`kinesics run`: one run, in the window or headless."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .first import compile_first
from .messages import print_json, say
from .options import (
    AvatarFile,
    ConfigFile,
    CorpusFolder,
    Json,
    ModeName,
    Seed,
    WordsFile,
    ends_in,
    read_config,
    words_of,
)
from .outputs import claim

if TYPE_CHECKING:
    from ...components.config import Config
    from ...systems.figures import Run

_LAYERS = ("reflex", "corpus", "sentence", "posture", "rule", "fence", "face")


def run(
    headless: Annotated[bool, typer.Option("--headless", help="No window, no sound: as fast as it goes.")] = False,
    avatar: AvatarFile = None,
    wav: Annotated[Path | None, typer.Option(metavar="F", help="What she says: wav, flac or ogg.")] = None,
    words: WordsFile = None,
    text: Annotated[
        str | None, typer.Option(metavar="S", help="What the voice says; without --wav an installed voice speaks it.")
    ] = None,
    mic: Annotated[bool, typer.Option("--mic", help="A live microphone is her voice; it runs in real time.")] = False,
    seconds: Annotated[
        float | None, typer.Option(min=0.0, max=86_400.0, metavar="S", help="Without it: 1 s past the voice.")
    ] = None,
    seed: Seed = None,
    mode: Annotated[ModeName | None, typer.Option(help="Public is a live stream, nothing else is.")] = None,
    fps: Annotated[
        float, typer.Option(min=1.0, max=1000.0, help="Drawn frames a second; the tick stays 60 Hz.")
    ] = 60.0,
    lookahead: Annotated[int | None, typer.Option(min=0, max=31, metavar="N", help="Ticks planned ahead.")] = None,
    layers: Annotated[
        str | None, typer.Option(metavar="A,B", help=f"What is mixed, of {','.join(_LAYERS)}; fence as --fence live.")
    ] = None,
    rule: Annotated[
        Literal["projection", "growth"] | None, typer.Option(help="How her arms are kept out of her body.")
    ] = None,
    fence: Annotated[
        Literal["off", "shadow", "live"] | None,
        typer.Option(help="The learned proposal before the rule: measured, or put in. Never in public."),
    ] = None,
    corpus: CorpusFolder = None,
    weights: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The sentence model's, from `kinesics speech convert`.")
    ] = None,
    posture: Annotated[
        Literal["clasped", "crossed", "hands_on_hips", "behind_back"] | None,
        typer.Option(help="What she holds while she is quiet; found on her skin the first time."),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="RUN.npz", help="Every tick's pose.")] = None,
    raw: Annotated[bool, typer.Option("--raw", help="In RUN.npz also the pose before the rule.")] = False,
    report: Annotated[Path | None, typer.Option(metavar="R.json", help="What the run looked like, in figures.")] = None,
    replay_out: Annotated[Path | None, typer.Option(metavar="P.npz", help="A file that `replay` runs again.")] = None,
    frames: Annotated[
        str | None,
        typer.Option("--frames", metavar="DIR|-", help="Every picture of her with alpha: PNGs, or raw RGBA to a pipe."),
    ] = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """One run: she stands, breathes and says a wav."""
    if raw and not (headless and out is not None and not mic):
        raise typer.BadParameter("goes with --headless and --out, and without --mic", param_hint="--raw")
    for path, ending, option in (
        (out, ".npz", "--out"),
        (report, ".json", "--report"),
        (replay_out, ".npz", "--replay-out"),
    ):
        ends_in(path, ending, option)
    claim([out, report, replay_out], [avatar, wav, words, config])
    mixed = None if layers is None else _named(layers)
    if mixed is not None and "fence" in mixed:
        mixed, fence = tuple(name for name in mixed if name != "fence"), fence or "live"
    if frames is not None and (headless or (frames == "-" and as_json)):
        other = "--headless: without a window there are no pictures" if headless else "--json: both are standard output"
        raise typer.BadParameter(f"does not go with {other}", param_hint="--frames")
    settings = read_config(
        config, seed=seed, mode=mode, layers=mixed, **{"lookahead_live" if mic else "lookahead": lookahead}
    )
    if rule is not None:
        settings = dataclasses.replace(settings, rule=dataclasses.replace(settings.rule, method=rule))
    if fence not in (None, "off") and settings.run.mode == "public":
        raise typer.BadParameter("does not go with a public stream, which has no head", param_hint="--fence")
    if fence is not None:
        settings = dataclasses.replace(settings, fence=dataclasses.replace(settings.fence, stage=fence))
    if weights is not None:
        sentence = dataclasses.replace(settings.sentence, weights=str(weights))
        settings = dataclasses.replace(settings, sentence=sentence)
    said = None if wav is None else {"voice": wav, "text": text or "", **words_of(words)}
    if wav is None and text is not None:
        said = _spoken(text, settings)
    if headless:
        done = _headless(settings, avatar, corpus, said, seconds, replay_out, mic, raw, posture)
    else:
        from ..app import run_window

        is_kept = out is not None or report is not None or as_json
        done = run_window(
            settings, avatar, corpus, said, seconds, fps, is_kept, replay_out, config_file=config, frames=frames,
            mic=mic, posture=posture or "",
        )  # fmt: skip
    if done is not None:
        _keep(done, out, report, as_json)


def _spoken(text: str, settings: Config) -> dict[str, Any]:
    """Return what `say` is told of a text that a voice of this machine has spoken."""
    from ..voices import speak

    spoken = speak(text, settings.voice)
    say(f"spoken by {spoken.by}")
    return {"voice": (spoken.pcm, spoken.rate), "words": spoken.timings, "text": text}


def _headless(
    settings: Config,
    avatar: Path | None,
    corpus: Path | None,
    said: dict[str, Any] | None,
    seconds: float | None,
    replay_out: Path | None,
    mic: bool,
    raw: bool,
    posture: str | None,
) -> Run:
    from ...systems import headless
    from ...systems.figures.replay import save

    compile_first()
    world = headless.world(avatar, corpus=corpus, seed=settings.run.seed, config=settings)
    tape = None
    if replay_out is not None:  # a replay may be started from any folder, so its files are named in full
        tape = headless.tape(world, avatar and avatar.resolve(), corpus and corpus.resolve())
    if posture is not None:
        world.avatar.hold(posture)
    if said is not None:
        world.avatar.say(**said)
    if mic:
        from ..live import live

        done = live(world, seconds, tape)
    else:
        done = headless.run(world, seconds, tape, raw=raw)
    if world.link is not None:
        world.link.close()
    if tape is not None and replay_out is not None:
        save(tape, replay_out)
    return done


def _keep(done: Run, out: Path | None, report: Path | None, as_json: bool) -> None:
    from ...systems import figures

    if out is not None:
        figures.write_run(done, out)
    if report is not None:
        figures.write_report(done, report)
    found = figures.report(done)
    if as_json:
        print_json(found)
    else:
        say(f"{found['ticks']} ticks, digest {found['digest']}")
        fence = found["fence"]
        if fence is not None and fence["reason"]:
            say(f"fence: {fence['stage']} instead of {fence['asked']}: {fence['reason']}")
        for part in found["degraded"]:
            say(f"degraded: {part}")


def _named(layers: str) -> tuple[str, ...]:
    """Return the layers named, in the words of the command line."""
    names = tuple(name.strip() for name in layers.split(",") if name.strip())
    for name in names:
        if name not in _LAYERS:
            raise typer.BadParameter(f"'{name}' is no layer; there are {', '.join(_LAYERS)}", param_hint="--layers")
    return names
