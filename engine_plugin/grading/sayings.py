"""Voices said in training without a window: each in a world of its own, replayed on its copy, drawn, kept.

Each run is kept as a replay file beside the store, so that what was graded can be run again. Stopped at any moment and
begun again, it goes on with the first voice that was not shown yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...components import gltf
from ...components.config import Config
from ...components.corpus import Corpus
from ...components.mode import Mode
from ...components.skin import Body
from ...systems import headless
from ...systems.avatar import Avatar
from ...systems.avatar.handle import hear
from ...systems.figures.replay import save
from ...systems.grading import Outcome, Session, Store

Draw = Callable[[Body, Outcome, Path], Sequence[Path]]
_AT_ONCE = 600  # ticks between two looks at whether somebody wants it to stop
_PAST = 45  # ticks past the voice that a run lasts: as long as what is replayed, and a little


@dataclass(frozen=True, slots=True)
class Told:
    """What became of one voice. id: what to grade it by, 0 where there is nothing to grade, and then `why`."""

    voice: Path
    id: int
    why: str = ""


def say_all(
    voices: Iterable[Path],
    store: Store,
    draw: Draw,
    settings: Config,
    avatar: Path | Body | None = None,
    corpus: Path | Corpus | None = None,
) -> Iterator[Told]:
    """Yield what became of each voice, once its strips are there.

    draw: writes the strips of a replay into a folder and returns their paths
    """
    settings = replace(settings, run=replace(settings.run, mode=Mode.TRAINING.value))
    body = avatar if isinstance(avatar, Body) else gltf.read(headless.AVATAR if avatar is None else avatar)
    talkers = corpus if isinstance(corpus, Corpus) else headless.load_corpus(corpus)
    names = _named(avatar), _named(corpus)
    first: headless.World | None = None
    for path in voices:
        speech = hear(path, (), "")
        if store.has(speech.digest, settings.run.seed):
            yield Told(path, 0, "was said before")
            continue
        world = headless.World(seed=settings.run.seed, config=settings)
        world.avatar = headless.spawn(world, body, talkers, first)
        first = first or world
        kept = store.path.with_suffix("") / "replays" / f"{speech.digest[:16]}-{settings.run.seed}.npz"
        session = _said(world, world.avatar, path, store, kept, names)
        yield _drawn(session, store, draw, body, path)


def _named(given: object) -> str:
    """Return what a replay file names: a file or folder in full, "" for the shipped one."""
    return str(given.resolve()) if isinstance(given, Path) else ""


def _said(world: headless.World, her: Avatar, path: Path, store: Store, kept: Path, names: tuple[str, str]) -> Session:
    """Have her say one voice and keep the run; return the session that captured it."""
    world.link = headless.open_link(world.config, waits=True)
    session = Session(world, store, her.entity, str(kept.resolve()))
    tape = headless.tape(world, *names)
    try:
        utterance = her.say(path)
        headless.run(world, utterance.seconds + _PAST / 60.0, tape, before=session.after)
        session.after(world)
    finally:
        if world.link is not None:
            world.link.close()
    kept.parent.mkdir(parents=True, exist_ok=True)
    save(tape, kept)
    return session


def _drawn(session: Session, store: Store, draw: Draw, body: Body, path: Path) -> Told:
    while session.work(_AT_ONCE):
        pass
    number = 0
    for outcome in session.outcomes:
        session.show(outcome.id, draw(body, outcome, store.pictures))
        number = outcome.id
    why = ", ".join(session.missed)
    session.outcomes.clear()
    session.end()
    return Told(path, number, why)
