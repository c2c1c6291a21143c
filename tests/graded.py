"""What the tests of blind grading share: sentences that nobody said, and draws whose layer the test knows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kinesics.components.grading import Figures, Layer, Said
from kinesics.components.inbox import Event, Inbox
from kinesics.components.world import World
from kinesics.systems.grading import Session, Store
from kinesics.systems.schedule import TICK

TICKS = 150  # from a short sentence's start until it can be replayed
GOOD = Figures(0.2, 0.9, 0.3, 4.0, 12, 0)
DEEP = Figures(8.0, 14.0, 0.0, 0.0, 12, 0)


def said(number: int = 0) -> Said:
    """Return a sentence."""
    return Said(f"sentence {number}", 2.0, f"voice-{number}", 1, 0, 150, "digest")


def layer(name: str) -> Layer:
    """Return a layer that tells the inbox its name: a real one tells settings."""
    return Layer(name, (Event("drawn", data={"name": name}),))


def draw(store: Store, names: Sequence[str], number: int = 0) -> tuple[int, str]:
    """Draw once and return the id and what only the copy is told."""
    inbox = Inbox()
    drawn = store.draw(said(number), [layer(name) for name in names], inbox)
    (event,) = inbox.drain(0)
    return drawn, event.data["name"]


def ready(store: Store, names: Sequence[str], figures: Figures = GOOD, number: int = 0) -> tuple[int, str]:
    """Draw once, with figures and strips, so that it waits for a grade."""
    drawn, name = draw(store, names, number)
    store.finish(drawn, figures)
    pictures = [store.pictures / f"{drawn}-{side}.png" for side in ("front", "side")]
    for picture in pictures:
        picture.parent.mkdir(parents=True, exist_ok=True)
        Path(picture).write_bytes(b"strip")
    store.show(drawn, pictures)
    return drawn, name


def tick(world: World, session: Session | None, count: int = TICKS, slice_: int = 0) -> None:
    """Run a world as a host does that grades. slice_: steps of a replay a tick"""
    for _ in range(count):
        world.step(TICK)
        if session is not None:
            session.after(world)
            session.work(slice_)
