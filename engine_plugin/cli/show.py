"""`kinesics corpus show`: one talker's own clip on an avatar, uncut, as a video or as a strip of moments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import typer

from .first import compile_first
from .messages import say
from .options import AvatarFile, ConfigFile, CorpusFolder, ends_in, read_config
from .outputs import claim
from .render import ENDINGS, pixels, progress, refuse, strip

if TYPE_CHECKING:
    from ...components.arrays import F32
    from ...components.corpus import Clip, Corpus
    from ...systems.headless import World

COLUMNS = 10  # of a strip


def show(
    talker: Annotated[str, typer.Argument(metavar="TALKER", help="A performer, such as calm, or a clip, calm-3.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help="A .mp4, .webm or .mov, or a .png strip.")],
    corpus: CorpusFolder = None,
    avatar: AvatarFile = None,
    start: Annotated[float, typer.Option("--from", min=0.0, metavar="S", help="s of the clip to start at.")] = 0.0,
    seconds: Annotated[float, typer.Option(min=1.0, max=600.0, metavar="S", help="How much of it.")] = 10.0,
    size: Annotated[str, typer.Option(metavar="WxH", help="Video: px, such as 1920x1080.")] = "1280x720",
    shot: Annotated[Literal["whole", "half", "bust"], typer.Option(help="Video: how much of her.")] = "half",
    config: ConfigFile = None,
) -> None:
    """What a talker of a corpus looks like on her body: one clip as it was made, nothing matched, no cut."""
    ends_in(out, ENDINGS, "--out")
    is_strip, area = out.suffix.lower() == ".png", pixels(size)
    claim([out], [avatar, config])
    settings = read_config(config)
    from ...systems import headless, matcher
    from ...systems.schedule import TICK

    loaded = headless.load_corpus(corpus)
    number = clip_of(loaded, talker)
    length = float(loaded.start[number + 1] - loaded.start[number]) / 30.0
    refuse(start > length - 1.0, "--from", f"{start:g} s is past the last second of a clip of {length:.1f} s")
    seconds = min(seconds, length - start)
    compile_first()
    world = headless.world(avatar, loaded, config=settings)
    voice = voice_of(loaded.clips[number], start)
    play(world, number, start, voice)
    uncut = tuple(system for system in TICK if system is not matcher.plan)
    if is_strip:
        strip(world, np.arange(1, COLUMNS + 1) * seconds / COLUMNS, out, systems=uncut)
    else:
        from ..film import shoot

        with progress(out.name) as told:
            shoot(world.avatar, out, seconds, voice, size=area, shot=shot, told=told, systems=uncut)
    say(f"{out}: {loaded.clips[number].name}, {start:g} to {start + seconds:.1f} s{'' if voice else ', silent'}")


def clip_of(corpus: Corpus, talker: str) -> int:
    """Return the number of the clip of that name, or of a performer's first one; CorpusError if there is none."""
    from ...components.errors import CorpusError

    for names in ([clip.name for clip in corpus.clips], [clip.performer for clip in corpus.clips]):
        if talker in names:
            return names.index(talker)
    known = sorted({clip.performer for clip in corpus.clips})
    raise CorpusError(f"corpus show: no performer or clip is called '{talker}'; there are {', '.join(known)}")


def voice_of(clip: Clip, start: float) -> tuple[F32, int] | None:
    """Return what is said in a synthetic performer's clip from `start` s on, None where no program here can say it."""
    from ...components.errors import CorpusError
    from ...systems.matcher.offline.performers.speak import VOICES, speak

    voice = next((voice for voice in VOICES if voice.label == clip.voice), None)
    if voice is None:
        return None
    try:
        pcm, rate = speak(clip.text, voice)
    except CorpusError:  # it was made on another machine; she can be looked at without
        return None
    return pcm[round(start * rate) :], rate


def play(world: World, number: int, start: float, voice: tuple[F32, int] | None) -> None:
    """Put a clip of her corpus onto her plan as if it had been picked, and its voice with it."""
    from ...components.motion import Motion
    from ...components.plan import Pick, Plan

    her = world.avatar.entity
    repertoire, plan = world.get(her, Motion).repertoire, world.get(her, Plan)
    assert repertoire is not None
    row = int(np.searchsorted(repertoire.row_clip, number))
    plan.picks = [Pick(world.tick, row, number, round(start * 60.0), 0, 0.0)]
    plan.touch(world.tick)
    if voice is not None:
        world.avatar.say(voice)
