"""`kinesics corpus fetch`: recordings that their authors publish, once their licence is accepted."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .messages import say
from .options import ConfigFile, read_config
from .outputs import claim

if TYPE_CHECKING:
    from ..download import Wanted


def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A published set: beat2, cmu-talk.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="A new folder, or one that was begun.")],
    speakers: Annotated[
        str, typer.Option(metavar="2,4", help="Only these people, by their numbers; without it all.")
    ] = "",
    most: Annotated[float, typer.Option("--most", min=0.001, metavar="GB", help="Refuse what is larger.")] = 60.0,
    accept: Annotated[bool, typer.Option("--accept-licence", help="You have read it and accept it.")] = False,
    config: ConfigFile = None,
) -> None:  # fmt: skip
    """Fetch a published set of talkers: its licence is shown first. Stopped and run again, it goes on where it was."""
    from ...components.errors import DownloadError, OutputError
    from .. import published
    from .render import progress

    read_config(config)
    chosen = published.of(name)
    claim([out], [config])
    mark = out / published.MARK
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and _set_of(mark) != name):
        raise OutputError(f"{out}: holds something else than a begun '{name}'; name a new folder")
    say(f"{name}: {chosen.about}.\nLicence: {chosen.licence}.\nNot verified: {chosen.open}.")
    if not accept:
        if not sys.stdin.isatty():
            raise DownloadError(f"{name}: its licence is not accepted; read it above and add --accept-licence")
        if not typer.confirm("Do you accept this licence?", err=True):
            raise DownloadError(f"{name}: its licence is not accepted; nothing fetched")
    wanted = published.files(name, _numbers(speakers))
    total = sum(file.size for _, file in wanted)
    if total > most * 1e9:
        raise DownloadError(
            f"{name}: {total / 1e9:.1f} GB, at most {most:g} were allowed; raise --most or name fewer --speakers"
        )
    if total > (free := shutil.disk_usage(out.parent).free) + sum(_had(out, wanted)):
        raise DownloadError(f"{out}: {free / 1e9:.1f} GB free, {total / 1e9:.1f} GB are needed; make room")
    out.mkdir(exist_ok=True)
    mark.write_text(json.dumps({"set": name, "licence": chosen.licence, "from": chosen.files}, indent=1) + "\n")
    with progress(name) as told:
        published.fetch_into(out, wanted, say, lambda done: told(done, len(wanted)))
    say(f"{out}: {len(wanted)} files. Build them with: kinesics corpus build {out} -o talkers")


def _numbers(text: str) -> set[int]:
    try:
        return {int(part) for part in text.split(",") if part.strip()}
    except ValueError:
        raise typer.BadParameter(f"'{text}': wanted numbers, such as 2,4", param_hint="--speakers") from None


def _set_of(mark: Path) -> str:
    try:
        return str(json.loads(mark.read_text(encoding="utf-8"))["set"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _had(out: Path, wanted: list[tuple[Path, Wanted]]) -> list[int]:
    """Return the bytes of each file that is there already."""
    places = (out / place / file.name for place, file in wanted)
    return [place.stat().st_size for place in places if place.is_file()]
