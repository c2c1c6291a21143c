"""`kinesics render`: what she looks like while she says a voice, as a video or as a strip of moments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import typer

from .first import compile_first
from .messages import say
from .options import AvatarFile, ConfigFile, CorpusFolder, Seed, WordsFile, ends_in, read_config, words_of
from .outputs import claim, claim_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...components.pose import Pose
    from ...components.speech import Speech
    from ...components.world import System
    from ...components.world import World as Store
    from ...systems.headless import World

COLUMN_SECONDS = 0.75  # s between two moments of a strip at most: a stroke lasts about half a second
MOST_COLUMNS = 8
SMALLEST, LARGEST = 64, 4096  # px: H.264's macroblocks, and what most decoders take
ENDINGS = (".png", ".mp4", ".webm", ".mov")


def render(
    wav: Annotated[Path, typer.Argument(metavar="WAV", help="What she says.")],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="OUT", help="A .mp4, .webm or .mov; a .png strip; no ending: a folder of frames."
        ),
    ],
    avatar: AvatarFile = None,
    words: WordsFile = None,
    corpus: CorpusFolder = None,
    seed: Seed = None,
    size: Annotated[str, typer.Option(metavar="WxH", help="Video: px, such as 1920x1080.")] = "1280x720",
    fps: Annotated[
        str, typer.Option(metavar="N", help="Video: frames a second, 1..120, such as 25 or 30000/1001.")
    ] = "30",
    shot: Annotated[Literal["whole", "half", "bust", "face"], typer.Option(help="Video: how much of her.")] = "half",
    alpha: Annotated[bool, typer.Option("--alpha", help="Video: nothing behind her (.webm, .mov, folder).")] = False,
    samples: Annotated[
        int, typer.Option(min=0, max=16, help="Video: a pixel, by the renderer; 0 smooths edges after it.")
    ] = 0,
    times: Annotated[
        str | None, typer.Option(metavar="S,S", help="Strip: its moments, s from the voice's start.")
    ] = None,
    face: Annotated[bool, typer.Option("--face", help="Strip: add a row with her face, near.")] = False,
    config: ConfigFile = None,
) -> None:
    """A video with her voice, or a strip of moments, front over side."""
    if out.suffix:
        ends_in(out, ENDINGS, "--out")
    is_strip = out.suffix.lower() == ".png"
    if is_strip:
        refuse(alpha, "--alpha", "a strip has a wall behind her; name a .mov, a .webm or a folder")
    else:
        refuse(times is not None or face, "--times, --face", "are for a strip; name a .png")
        refuse(alpha and out.suffix.lower() == ".mp4", "--alpha", "H.264 has none; name a .mov, a .webm or a folder")
    area, rate = pixels(size), _rate(fps)
    moments = None if times is None else _moments(times)
    inputs = [wav, avatar, words, config]
    if out.suffix:
        claim([out], inputs)
    else:
        claim_folder(out, inputs)
    settings = read_config(config, seed=seed)
    if not is_strip and out.suffix:
        from ..recorder import library

        library()
    from ...systems import headless
    from ...systems.avatar.handle import hear

    compile_first()
    world = headless.world(avatar, corpus=corpus, seed=settings.run.seed, config=settings)
    speech = hear(wav, words_of(words).get("words", ()), "")
    if is_strip:
        chosen = spread(speech.seconds) if moments is None else _inside(moments, speech.seconds)
        world.avatar.say(speech)
        strip(world, chosen, out, face)
        say(f"{out}: {len(chosen)} moments of {speech.seconds:.1f} s")
        return
    count = video(world, speech, wav, out, fps=rate, size=area, shot=shot, alpha=alpha, samples=samples)
    say(f"{out}: {speech.seconds:.1f} s, {count} frames of {area[0]} x {area[1]}")


def video(world: World, speech: Speech, wav: Path, out: Path, wait: float = 0.0, **how: Any) -> int:
    """Film her saying `speech`, which was read from the file `wav`, and return the number of frames.

    wait: s that she stands before it; how: as film.shoot
    """
    from ...systems.headless import schedule
    from ...systems.voice.files import read_audio
    from ..film import shoot

    first = world.tick + round(wait * 60.0)
    how.setdefault("systems", schedule(world))

    def each(now: Store) -> None:
        if now.tick == first:
            world.avatar.say(speech)

    with progress(out.name) as told:
        seconds = wait + speech.seconds
        return shoot(world.avatar, out, seconds, read_audio(wav), begins=wait, each=each, told=told, **how)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield what tells how much is done; on a terminal a bar on standard error shows it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def spread(seconds: float) -> Any:
    """Return moments (s) evenly over a voice of this length."""
    count = min(max(round(seconds / COLUMN_SECONDS), 2), MOST_COLUMNS)
    return np.linspace(0.0, seconds, count + 1)[1:] - 0.5 * seconds / count


def strip(
    world: World, seconds: Any, out: Path, face: bool = False, systems: Sequence[System] | None = None
) -> None:  # fmt: skip
    """Run `world` to each of these moments (s, rising) and write what she looks like there as a PNG.

    systems: what a tick runs, the schedule by default
    """
    from ...components.face import Face
    from ...components.pose import Pose
    from ...systems.headless import schedule
    from ..strips import render_strip

    her = world.avatar.entity

    def moments() -> Iterator[Pose]:
        for second in seconds:
            while world.tick <= round(second * 60.0):  # the state of tick t stands after t + 1 steps
                world.step(schedule(world) if systems is None else tuple(systems))
            yield world.get(her, Pose)

    def faces() -> Iterator[Face]:
        while True:
            yield world.get(her, Face)

    labels = [f"{second:.2f} s" for second in seconds]
    render_strip(world.avatar.body, moments(), faces(), out, labels, face_panel=face)


def refuse(is_wrong: bool, option: str, why: str) -> None:
    """End as wrong use where an option does not fit the output."""
    if is_wrong:
        raise typer.BadParameter(why, param_hint=option)


def pixels(text: str) -> tuple[int, int]:
    """Return the width and height of a size such as 1280x720, px; wrong use where a video cannot have it."""
    found = re.fullmatch(r"(\d{1,5})[xX](\d{1,5})", text.strip())
    refuse(found is None, "--size", f"'{text}' is no size; write it as 1280x720")
    assert found is not None
    width, height = int(found[1]), int(found[2])
    for side in (width, height):
        refuse(not SMALLEST <= side <= LARGEST, "--size", f"{side} px is outside {SMALLEST} to {LARGEST}")
        refuse(side % 2 == 1, "--size", f"{side} px is odd, and H.264 stores colour for two at a time; take {side + 1}")
    return width, height


def _rate(text: str) -> Fraction:
    try:
        rate = Fraction(text.strip()).limit_denominator(1001)
    except (ValueError, ZeroDivisionError):
        rate = Fraction(0)
    refuse(not 1 <= rate <= 120, "--fps", f"'{text}' is not within 1 to 120 frames a second, such as 25 or 30000/1001")
    return rate


def _moments(text: str) -> list[float]:
    try:
        found = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        found = []
    refuse(not found, "--times", f"'{text}' holds no times; write seconds with commas between, as 0.5,1.25,3")
    rising = all(a <= b for a, b in zip([0.0, *found], [*found, float("inf")], strict=True))  # NaN is neither
    refuse(not rising, "--times", f"'{text}': times rise from 0 on")
    return found


def _inside(moments: list[float], seconds: float) -> list[float]:
    refuse(moments[-1] > seconds, "--times", f"{moments[-1]:g} s is past the voice's end at {seconds:.2f} s")
    return moments
