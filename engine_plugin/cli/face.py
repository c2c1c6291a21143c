"""`kinesics face`: her lips, trained and measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .messages import print_json, say
from .options import ConfigFile, Json, ends_in, read_config
from .outputs import claim


def train(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="F.npz", help="The weights file.")],
    minutes: Annotated[float, typer.Option(min=0.01, max=600, help="Of training; longer where cores are busy.")] = 22.0,
    speech: Annotated[float, typer.Option(min=0.01, max=10, help="Times the usual amount of speech.")] = 1.0,
    voices: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep what the voices say here for another training.")
    ] = None,
    styles: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Kokoro's styles (.bin), as `npm pack kokoro-js` holds them.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Of what is drawn.")] = 1,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Train the lips' network on synthetic voices; those that are not installed are told and left out."""
    from ...systems.face.offline.train import train
    from ...systems.figures.run import write_bytes

    read_config(config)
    ends_in(out, ".npz", "--out")
    claim([out], [config])
    data = train(minutes=minutes, speech=speech, report=say, cache=voices, styles=styles, seed=seed)
    write_bytes(data, out)
    if as_json:
        print_json({"file": str(out), "bytes": len(data)})
    else:
        say(f"{out}: {len(data)} bytes")


def evaluate(
    weights: Annotated[
        Path | None, typer.Option("--weights", metavar="F.npz", help="Weights; without it the shipped ones.")
    ] = None,
    clips: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="People's recordings with a manifest.json."),
    ] = None,
    styles: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Kokoro's styles: those never trained are measured too.")
    ] = None,
    dump: Annotated[
        Path | None, typer.Option(metavar="F.npz", help="Every frame's truth and what the lips made of it.")
    ] = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Measure the lips on voices nobody trained them on, beside one Gaussian a shape on the same voices."""
    from ...systems.face import net
    from ...systems.face.offline.evaluate import evaluate

    read_config(config)
    ends_in(dump, ".npz", "--dump")
    claim([dump], [weights, config])
    if clips is None:
        say("no recordings of people: --clips names a folder of them; synthetic voices alone")
    path = net.SHIPPED if weights is None else weights
    found = evaluate(net.load(path), path.stat().st_size, clips, dump, say, styles)
    if as_json:
        print_json(found)
        return
    for name, figures in {**found["sets"], **found["sources"]}.items():
        print(_line(name, figures))
    for name, figures in found["baseline"].items():
        if figures is not None:
            print(_line(f"Gaussians, {name}", figures))
    if found["known_words"] is not None:
        print(_line("known words, aligned", found["known_words"]))
    print(f"{found['us_per_frame']} us a frame, {found['bytes']} bytes")


def align(
    wav: Annotated[Path, typer.Argument(metavar="WAV", help="A recording.")],
    text: Annotated[str | None, typer.Option(metavar="S", help="What is said; else the words file beside it.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="F.json", help="Without it WAV's stem and .phones.json.")
    ] = None,
    config: ConfigFile = None,
) -> None:
    """Find when each phone of a known text sounds; her lips follow the file that lies beside a recording."""
    import json

    from ...components.errors import FaceError
    from ...systems.face.offline.align import told
    from ...systems.figures.run import write_bytes
    from ...systems.voice.files import read_audio, read_words, words_beside
    from ...systems.voice.pcm import inside

    read_config(config)
    target = out if out is not None else wav.with_name(wav.stem + ".phones.json")
    claim([target], [wav, config])
    if text is None:
        beside = words_beside(wav)
        if beside is None:
            raise FaceError(f"{wav}: what is said in it? give --text, or a words file beside it")
        text = " ".join(word.text for word in read_words(beside))
    rows = told(inside(*read_audio(wav)), text)
    write_bytes((json.dumps(rows) + "\n").encode(), target)
    say(f"{target}: {len(rows)} phones")


def _line(name: str, figures: dict[str, Any]) -> str:
    def shown(key: str) -> str:
        return "  - " if figures.get(key) is None else f"{figures[key]:.3f}"

    return (
        f"{name:<34} {figures['seconds']:6.1f} s  frames {shown('frame_accuracy')} "
        f"({shown('frame_accuracy_low')}-{shown('frame_accuracy_high')})  groups {shown('group_accuracy')}  "
        f"closures {shown('closure_recall')} / {shown('closure_precision')}  switches {shown('switch_ratio')}  "
        f"jaw {shown('jaw_r')}  rounding {shown('rounding_r')}"
    )
