"""Options that several commands share, each spelled once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

if TYPE_CHECKING:
    from ...components.config import Config

ConfigFile: TypeAlias = Annotated[
    Path | None, typer.Option("--config", metavar="F.toml", help="Settings over the shipped ones.")
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON object on standard output, nothing else.")]
AvatarFile: TypeAlias = Annotated[
    Path | None, typer.Option("--avatar", metavar="F", help="glTF, glb or VRM file; without it the shipped woman.")
]
CorpusFolder: TypeAlias = Annotated[
    Path | None, typer.Option("--corpus", metavar="DIR", help="Talkers to match; without it the shipped ones.")
]
WordsFile: TypeAlias = Annotated[
    Path | None, typer.Option("--words", metavar="F", help="When each word sounds; found by itself beside the wav.")
]
Seed: TypeAlias = Annotated[int | None, typer.Option(min=0, max=2**31 - 1, help="Same seed, same voice: same motion.")]
ModeName: TypeAlias = Literal["private", "training", "public"]


def read_config(path: Path | None, **overrides: Any) -> Config:
    """Return the settings of a file, or the shipped ones, with the command line's own over the section [run]."""
    import dataclasses

    from ...components.config import Config

    config = Config.default() if path is None else Config.load(path)
    given = {name: value for name, value in overrides.items() if value is not None}
    return dataclasses.replace(config, run=dataclasses.replace(config.run, **given)) if given else config


def ends_in(path: Path | None, endings: str | tuple[str, ...], option: str) -> None:
    """Refuse, as wrong use, an output whose name has another ending than what will be in it."""
    if path is not None and not path.name.lower().endswith(endings):
        wanted = endings if isinstance(endings, str) else " or ".join(endings)
        raise typer.BadParameter(f"{path}: the name must end in {wanted}", param_hint=option)


def words_of(path: Path | None) -> dict[str, Any]:
    """Return what `say` is told about words: those of a file, or nothing, and it looks beside the voice."""
    if path is None:
        return {}
    from ...systems.voice.files import read_words

    return {"words": read_words(path)}
