"""`kinesics render`: what she looks like while she says a voice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from ...components.errors import NotBuilt
from .first import compile_first
from .messages import say
from .options import AvatarFile, ConfigFile, CorpusFolder, Seed, WordsFile, ends_in, read_config, words_of
from .outputs import claim

if TYPE_CHECKING:
    from ...components.pose import Pose
    from ...systems.headless import World

COLUMN_SECONDS = 0.75  # s between two moments of a strip at most: a stroke lasts about half a second
MOST_COLUMNS = 8


def render(
    wav: Annotated[Path, typer.Argument(metavar="WAV", help="What she says.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help="A .png strip, front over side.")],
    avatar: AvatarFile = None,
    words: WordsFile = None,
    corpus: CorpusFolder = None,
    seed: Seed = None,
    face: Annotated[bool, typer.Option("--face", help="Add a row with her face, near.")] = False,
    config: ConfigFile = None,
) -> None:
    """A strip of moments, front over side, of her saying a voice."""
    ends_in(out, (".png", ".mp4"), "--out")
    if out.suffix.lower() == ".mp4":
        raise NotBuilt("video (render to .mp4)")
    claim([out], [wav, avatar, words, config])
    settings = read_config(config, seed=seed)
    from ...systems import headless

    compile_first()
    world = headless.world(avatar, corpus=corpus, seed=settings.run.seed, config=settings)
    said = world.avatar.say(wav, **words_of(words))
    count = min(max(round(said.seconds / COLUMN_SECONDS), 2), MOST_COLUMNS)
    strip(world, np.linspace(0.0, said.seconds, count + 1)[1:] - 0.5 * said.seconds / count, out, face)
    say(f"{out}: {count} moments of {said.seconds:.1f} s")


def strip(world: World, seconds: Any, out: Path, face: bool = False) -> None:
    """Run `world` to each of these moments (s, rising) and write what she looks like there as a PNG."""
    from ...components.face import Face
    from ...components.pose import Pose
    from ...systems.schedule import TICK
    from ..strips import render_strip

    her = world.avatar.entity

    def moments() -> Iterator[Pose]:
        for second in seconds:
            while world.tick < round(second * 60.0):
                world.step(TICK)
            yield world.get(her, Pose)

    def faces() -> Iterator[Face]:
        while True:
            yield world.get(her, Face)

    labels = [f"{second:.2f} s" for second in seconds]
    render_strip(world.avatar.body, moments(), faces(), out, labels, face_panel=face)
