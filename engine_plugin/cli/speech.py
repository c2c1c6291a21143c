"""`kinesics speech`: the sentence model's weights, fetched, converted and checked, and motion made with them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from .messages import print_json, say
from .options import ConfigFile, Json, WordsFile, ends_in, read_config
from .outputs import claim, claim_folder, filling

Sampler = Literal["shortcut", "meanflow"]
SamplerName = Annotated[
    Sampler | None, typer.Option("--sampler", help="What the generator learned; without it, its file name says it.")
]


def fetch(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Where the files go; what is there stays.")],
    sampler: Annotated[Sampler, typer.Option(help="Which generator: two guided steps, or one fast one.")] = "shortcut",
    accept: Annotated[bool, typer.Option("--accept-licence", help="You have read the terms and accept them.")] = False,
    mirror: Annotated[str, typer.Option(metavar="URL", help="One folder that holds all files, instead.")] = "",
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Fetch the published files from where their authors publish them; an interrupted one goes on where it ended."""
    from ...components.errors import DownloadError, OutputError
    from ...components.files import sha256
    from ...systems.speech_gesture.offline.published import TERMS, addresses
    from ..download import Wanted, fetch_all

    read_config(config)
    say(TERMS)
    if not accept:
        if not sys.stdin.isatty():
            raise DownloadError("nothing was fetched: read the terms above and add --accept-licence")
        if not typer.confirm("Do you accept these terms?", err=True):
            raise DownloadError("nothing was fetched: the terms were not accepted")
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out}: is a file; name a folder")
    out.mkdir(parents=True, exist_ok=True)
    files = fetch_all([Wanted(url, name) for url, name in addresses(sampler, mirror)], out, say)
    if as_json:
        print_json({"folder": str(out), "files": {path.name: sha256(path) for path in files}})
    else:
        say(f"{out}: {len(files)} files; next: kinesics speech convert {out} -o MODEL")


def convert(
    files: Annotated[list[Path], typer.Argument(metavar="FILES", help="The published files, or folders of them.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="A new folder.")],
    sampler: SamplerName = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Make one folder of the published files: weights without code in them, words as JSON."""
    from ...systems.speech_gesture.offline.convert import convert

    read_config(config)
    given = [path for file in files for path in (_inside(file) if file.is_dir() else [file])]
    claim_folder(out, [config, *files])
    with filling(out) as partial:
        about = convert(given, partial, sampler, say)
    if as_json:
        print_json({"folder": str(out), **about})
        return
    for source in about["made_from"].values():
        say(f"{source['sha256']}  {source['file']}")
    say(about["licence"])
    say(f"{out}: {about['words']} words, {about['sampler']}, weights {about['sha256']}")


def check(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A converted model.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="F.png", help="What she looks like while she says it.")
    ] = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Load a converted model strictly, hold it against its hashes, make a sentence twice over, measure the joins."""
    from ...systems.speech_gesture.offline.check import check

    settings = read_config(config)
    ends_in(out, ".png", "--out")
    claim([out], [config, folder])
    found = check(folder, _hello(), say)
    if out is not None:
        _picture(folder, settings, out)
        found["picture"] = str(out)
    if as_json:
        print_json(found)
        return
    for name, value in found.items():
        print(f"{name:<28} {value}")


def generate(
    wav: Annotated[Path, typer.Argument(metavar="WAV", help="The sentence.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OUT.npz", help="Rotations of SMPL-X's 55 joints.")],
    words: WordsFile = None,
    weights: Annotated[
        str,
        typer.Option(metavar="DIR", help="A converted model; by default that of [sentence], or of your data folder."),
    ] = "",
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Of the noise it begins with.")] = 1,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Make the motion of one sentence, 30 frames a second."""
    from ...systems.speech_gesture.offline.recording import generate
    from .. import weights as usual

    settings = read_config(config)
    ends_in(out, ".npz", "--out")
    claim([out], [config, wav, words])
    audio, spoken = _voice(wav, words)
    about = generate(
        usual.found(weights or settings.sentence.weights), audio, spoken, out, key=seed, device=device, report=say
    )
    if as_json:
        print_json({"file": str(out), **about})
    else:
        say(f"{out}: {about['frames']} frames")


def _picture(folder: Path, settings: Any, out: Path) -> None:
    """Write the moments of a sentence that is moved by the model, made in this process as the moments come."""
    import dataclasses

    import numpy as np

    from ...systems import headless
    from ...systems.speech_gesture.link import Here, Link
    from ...systems.speech_gesture.session import host
    from .first import compile_first
    from .render import strip

    compile_first()
    sentence = dataclasses.replace(settings.sentence, weights=str(folder))
    world = headless.world(config=dataclasses.replace(settings, sentence=sentence), with_model=False)
    link = Link(Here(host(str(folder))), waits=True)
    said = world.avatar.say(headless.HELLO)
    strip(world, np.linspace(0.4, said.seconds - 0.2, 8), out, systems=(link.before, *headless.TICK))


def _inside(folder: Path) -> list[Path]:
    """Return the files of a folder that may be meant: not hidden, not half fetched."""
    unmeant = (".partial", ".tag", ".md", ".txt")
    return sorted(p for p in folder.iterdir() if p.is_file() and p.name[0] != "." and p.suffix not in unmeant)


def _hello() -> tuple[Any, Any]:
    from ...systems import headless

    return _voice(headless.HELLO, None)


def _voice(wav: Path, words: Path | None) -> tuple[Any, Any]:
    """Return a sentence's samples at 16 kHz and its words: those of the file, or of the one beside the wav."""
    import soxr

    from ...components.speech import RATE
    from ...systems.voice.files import read_audio, read_words, words_beside

    samples, rate = read_audio(wav)
    found = words if words is not None else words_beside(wav)
    spoken = read_words(found) if found is not None else ()
    return (samples if rate == RATE else soxr.resample(samples, rate, RATE)), spoken
