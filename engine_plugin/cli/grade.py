"""`kinesics grade`: what she is shown without knowing how it was made, her grades, and the table beside the rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...components.errors import KinesicsError
from .first import compile_first
from .messages import print_json, say
from .options import AvatarFile, ConfigFile, CorpusFolder, Json, Seed, ends_in, read_config
from .outputs import claim

if TYPE_CHECKING:
    from ...components.grading import Asked
    from ...systems.grading import Store

StoreFile = Annotated[
    Path | None, typer.Option("--store", metavar="F", help="The file of draws and grades; without it the user's own.")
]


def following(store: StoreFile = None, config: ConfigFile = None, as_json: Json = False) -> None:
    """Name the next replay to grade, and its strips."""
    read_config(config)
    asked = next((one for one in _store(store).waiting() if _is_there(one)), None)
    if as_json:
        print_json(_told(asked) if asked is not None else {"id": None, "strips": []})
    elif asked is None:
        say("Nothing waits for a grade.")
    else:
        print(f"{asked.id}  {asked.said.text or '(no text)'}")
        for picture in asked.pictures:
            print(picture)


def submit(
    number: Annotated[int, typer.Argument(metavar="ID", help="As `grade next` names it.")],
    grade: Annotated[str, typer.Argument(metavar="good|bad", help="How she moved.")],
    note: Annotated[str, typer.Option(metavar="S", help="Why.")] = "",
    change: Annotated[bool, typer.Option("--change", help="Instead of the grade before; once, both are kept.")] = False,
    store: StoreFile = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Grade a replay."""
    read_config(config)
    kept = _store(store)
    kept.submit(number, grade, note, change=change)
    if as_json:
        print_json({"id": number, "grade": grade, "waiting": len(kept.waiting())})
    else:
        say(f"{number}: {grade}")


def table(
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="T.md|T.json|T.png", help="Into a file; a .png is a picture.")
    ] = None,
    store: StoreFile = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Her grades beside what the fixed rules say of the same replays, a layer each."""
    import json

    from ...systems.figures.run import write_bytes
    from ...systems.grading import as_markdown
    from ...systems.grading import table as counted

    read_config(config)
    ends_in(out, (".md", ".json", ".png"), "--out")
    kept = _store(store)
    claim([out], [kept.path, config])
    found = counted(kept)
    if out is not None and out.suffix.lower() == ".png":
        from ..grading.chart import draw

        draw(found, out)
    elif out is not None:
        is_json = out.suffix.lower() == ".json"
        write_bytes((json.dumps(found, indent=2) + "\n" if is_json else as_markdown(found)).encode(), out)
    if as_json:
        print_json(found)
    elif out is None:
        print(as_markdown(found), end="")


def aloud(
    voices: Annotated[list[Path], typer.Argument(metavar="WAV...", help="What she says, a run each.")],
    store: StoreFile = None,
    avatar: AvatarFile = None,
    corpus: CorpusFolder = None,
    seed: Seed = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Have her say voices in training without a window, and draw the strips of each replay."""
    from ..grading.sayings import say_all
    from ..grading.strips import render

    settings = read_config(config, seed=seed)
    kept = _store(store)
    compile_first()
    done: list[dict[str, Any]] = []
    for told in say_all(voices, kept, render, settings, avatar, corpus):
        say(f"{told.voice}: {f'to grade as {told.id}' if told.id else told.why}")
        done.append({"voice": str(told.voice), "id": told.id or None, "why": told.why})
    if as_json:
        print_json({"store": str(kept.path), "said": done, "waiting": len(kept.waiting())})


def page(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="P.html", help="The page.")],
    store: StoreFile = None,
    config: ConfigFile = None,
) -> None:
    """Thumbnails of all replays with their grades, for her person: nothing on it tells what was drawn."""
    from ..grading.page import write_page

    read_config(config)
    ends_in(out, ".html", "--out")
    kept = _store(store)
    claim([out], [kept.path, config])
    say(f"{write_page(kept, out)}")


def _store(path: Path | None) -> Store:
    from ...systems.grading import Store
    from ..grading.place import default_store

    if path is not None and path.is_dir():
        raise KinesicsError(f"{path}: is a folder; --store names a file")
    return Store(default_store() if path is None else path)


def _is_there(asked: Asked) -> bool:
    gone = [str(picture) for picture in asked.pictures if not picture.is_file()]
    if gone:
        say(f"{asked.id}: left out, its strips are gone: {', '.join(gone)}")
    return not gone


def _told(asked: Asked) -> dict[str, Any]:
    return {
        "id": asked.id,
        "strips": [str(picture) for picture in asked.pictures],
        "text": asked.said.text,
        "seconds": asked.said.seconds,
    }
