"""However far is looked ahead, she does what she is told on the tick it arrives, and no dropped future is ever seen."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from tried_body import her

from kinesics.components.anatomy import SLOTS
from kinesics.components.arrays import F64
from kinesics.components.carry import Carry
from kinesics.components.config import Config
from kinesics.components.contacts import Contacts
from kinesics.components.face import Face
from kinesics.components.fence import Fence
from kinesics.components.head import load
from kinesics.components.motion import Motion
from kinesics.components.persona import Persona
from kinesics.components.plan import Plan
from kinesics.components.pose import Pose
from kinesics.components.preview import Preview, Slot
from kinesics.components.voice import Voice
from kinesics.components.world import System, World
from kinesics.systems import compose, headless
from kinesics.systems.avatar import Avatar
from kinesics.systems.avatar.handle import hear
from kinesics.systems.fence import SHIPPED
from kinesics.systems.kernels import fk, quat
from kinesics.systems.schedule import AHEAD, TICK

TOLD = 90  # ticks until she is told something: her sentence's motion shows, her arms press into her sides
SEEN = 30  # ticks that are looked at then


def press(motion: Motion, plan: Plan, persona: Persona, slot: Slot, tick: int, dt: float) -> None:
    """Turn her upper arms into her sides and out again, so that the rule has something to do."""
    rig = motion.rig
    for side, sign in (("left", -0.5), ("right", 0.5)):
        joint = rig.humanoid[side + "UpperArm"]
        half = sign * (0.2 + 0.06 * np.sin(2 * np.pi * 0.9 * tick * dt + sign))
        turned, above = np.empty(4), slot.world[rig.parent[joint]] * (1.0, -1.0, -1.0, -1.0)
        quat.mul(np.array([np.cos(half), 0.0, 0.0, np.sin(half)]), slot.world[joint], turned)
        quat.mul(above, turned, slot.rotation[joint])
    fk.world(rig.parent, rig.rest_offset, slot.root, slot.rotation, slot.position, slot.world)


_OVER = AHEAD.index(compose.over) + 1
_PRESSED = partial(compose.preview, ahead=(*AHEAD[:_OVER], press, *AHEAD[_OVER:]))
SCHEDULE: tuple[System, ...] = tuple(_PRESSED if isinstance(system, partial) else system for system in TICK)


@cache
def _fresh() -> headless.World:
    config = Config.default()
    config = dataclasses.replace(config, sentence=dataclasses.replace(config.sentence, weights="made here"))
    return headless.world(her()[0], seed=4, config=config, with_model=False)


@cache
def _hello() -> Any:
    return hear(headless.HELLO, (), "")


@cache
def speaking(ahead: int, ticks: int = TOLD) -> World:
    """Return her in the middle of a sentence that moves her: the state that every test below begins from."""
    world = _fresh().copy()
    run = dataclasses.replace(world.config.run, lookahead=ahead)
    world.config = dataclasses.replace(world.config, run=run)
    sway = np.sin(np.arange(400)[:, None, None] * np.linspace(0.05, 0.15, len(SLOTS))[None, :, None])
    motion = (0.1 * sway * np.array([0.2, 0.3, 1.0])).astype(np.float32)
    world.inbox.post("say", 0, id=1, speech=_hello(), play=False)
    world.step(SCHEDULE)
    world.inbox.post("motion", 0, id=1, frame=0, motion=motion, is_last=True)
    for _ in range(ticks - 1):
        world.step(SCHEDULE)
    assert world.get(0, Preview).slots[0].sentence_share > 0.9
    return world


def at_rest(ahead: int) -> World:
    """Return her with nothing to say, her arms pressing into her sides."""
    world = _fresh().copy()
    run = dataclasses.replace(world.config.run, lookahead=ahead, lookahead_live=ahead)
    world.config = dataclasses.replace(world.config, run=run)
    for _ in range(40):
        world.step(SCHEDULE)
    return world


Tell = Callable[[World], None]


def handle(world: World) -> Avatar:
    return Avatar(world, 0, her()[0])


def fence(stage: str) -> Tell:
    return lambda world: world.inbox.post("fence", 0, stage=stage, head=load(SHIPPED))


def still(world: World) -> None:
    run = dataclasses.replace(world.config.run, layers=tuple(x for x in world.config.run.layers if x != "reflex"))
    world.inbox.post("config", config=dataclasses.replace(world.config, run=run))


TOLD_TO: dict[str, Tell] = {  # each drops what was known of the ticks to come
    "stop": lambda world: handle(world).stop(),
    "a new sentence": lambda world: world.inbox.post("say", 0, id=2, speech=_hello(), play=False, interrupt=True),
    "look": lambda world: handle(world).look_at((0.8, 1.4, 1.0)),
    "stillness": lambda world: world.inbox.post("stillness", 0, value=1.0),
    "settings": still,
    "public": lambda world: world.inbox.post("mode", mode="public"),  # a sentence's motion yields
}
BESIDE: dict[str, Tell] = {  # all that she was going to do goes on
    "mood": lambda world: handle(world).mood("joy"),
    "fence live": fence("live"),
}


def seen(world: World, tell: Tell | None, ticks: int = SEEN) -> dict[str, F64]:
    """Tell her something and return her motion before the rule, what shows, face and recurrent state on each tick."""
    if tell is not None:
        tell(world)
    out: dict[str, list[F64]] = {"motion": [], "face": [], "carry": [], "shown": [], "held": []}
    hands = [her()[0].rig.humanoid[side + "Hand"] for side in ("left", "right")]
    for _ in range(ticks):
        world.step(SCHEDULE)
        slot, pose = world.get(0, Preview).slots[0], world.get(0, Pose)
        out["motion"].append(slot.rotation.copy())
        out["face"].append(world.get(0, Face).weight.copy())
        out["carry"].append(world.get(0, Carry).data.copy())
        out["shown"].append(pose.rotation.copy())
        out["held"].append(1e3 * (pose.world_position[hands] - slot.position[hands]))
    return {name: np.array(values) for name, values in out.items()}


@pytest.mark.parametrize("told", [*TOLD_TO, *BESIDE])
def test_what_she_is_told_shows_as_early_as_without_looking_ahead(told: str) -> None:
    """To the bit: so a hard stop shows on its tick, and a sentence gives way within its ease."""
    tell = (TOLD_TO | BESIDE)[told]
    plain = seen(speaking(0).copy(), tell)
    untold = seen(speaking(0).copy(), None, 2)
    kinds = ("motion", "face") if told != "fence live" else ()  # its head looks for ten ticks before it is heard
    assert any((plain[kind][:2] != untold[kind]).any() for kind in kinds) or not kinds
    for ahead in (6, 18):
        found = seen(speaking(ahead).copy(), tell)
        for kind in ("motion", "face", "carry"):
            assert np.array_equal(found[kind], plain[kind]), f"{kind}, {ahead} ahead"


@pytest.mark.parametrize("told", TOLD_TO)
@pytest.mark.parametrize("ahead", [6, 18])
def test_nothing_of_a_dropped_future_is_ever_shown(ahead: int, told: str) -> None:
    """What was known is made nonsense on the tick she is told: nobody can tell."""
    clean = seen(speaking(ahead).copy(), TOLD_TO[told])
    world = speaking(ahead).copy()
    preview, window = world.get(0, Preview), world.get(0, Contacts).window
    assert window is not None
    for slot in preview.slots:
        if slot.tick >= world.tick:
            slot.rotation[:], slot.position[:], slot.carry.data[:] = 0.5, 0.3, 0.7
            row = slot.tick % len(preview.position)
            preview.position[row], preview.world[row], window.nearest[row], window.force[row] = 0.3, 0.5, 0.4, 0.6
    found = seen(world, TOLD_TO[told])
    for kind in clean:
        assert np.array_equal(found[kind], clean[kind]), kind


@pytest.mark.parametrize("ahead", [0, 6, 18])
def test_a_hold_begun_and_let_go_on_its_way_throws_no_hand(ahead: int) -> None:
    """While it shows nothing is looked ahead: over to that and back her hands keep their place and their speed."""
    for wait in (0, 12, 36):
        world = at_rest(ahead)
        parts = [seen(world, None, 4 + wait)["held"]]
        parts.append(seen(world, lambda w: handle(w).hold("hands_on_hips"), 18)["held"])
        assert world.get(0, Contacts).window is None
        parts.append(seen(world, lambda w: handle(w).release(), 50)["held"])
        assert (world.get(0, Contacts).window is not None) is (ahead > 0)
        smooth(np.concatenate(parts), speed=1.2, jerk=1.0)


@pytest.mark.parametrize("ahead", [0, 6, 18])
@pytest.mark.parametrize("end", ["off", "public"])
def test_a_fence_that_comes_and_goes_throws_no_hand(ahead: int, end: str) -> None:
    world = at_rest(ahead)
    parts = [seen(world, None, 4)["held"], seen(world, fence("live"), 40)["held"]]
    assert world.get(0, Fence).is_put
    parts.append(seen(world, fence("off") if end == "off" else TOLD_TO["public"], 1)["held"])
    assert not world.has(0, Fence), "gone on the tick it was told"
    parts.append(seen(world, None, 30)["held"])
    smooth(np.concatenate(parts), speed=2.0 if ahead else 3.0, jerk=1.4 if ahead else 2.8)


def smooth(held: F64, speed: float, jerk: float) -> None:
    """Fail where the rule and the head together change a wrist's speed by more mm a frame, or its bend by more."""
    assert np.abs(held).max() > 3.0, "there was something to hold"
    turns, bends = (float(np.linalg.norm(np.diff(held, n, axis=0), axis=2).max()) for n in (2, 3))
    assert turns <= speed
    assert bends <= jerk


def moves(ahead: int, *, on_a_microphone: bool) -> tuple[int, int]:
    """Return ticks from the one on which her voice is known, or heard, until she moves for it, and until a row does."""
    worlds = []
    for is_spoken in (True, False):
        world = at_rest(ahead)
        world.inbox.post("listen", 0, on=on_a_microphone)
        world.step(SCHEDULE)
        if is_spoken and not on_a_microphone:
            world.inbox.post("say", 0, id=1, speech=_hello(), play=False)
        worlds.append(world)
    known, first = -1, 40
    for tick in range(40):
        for world, loud in zip(worlds, (1.0, 1e-4), strict=True):
            if on_a_microphone:
                block = loud * np.asarray(_hello().audio[267 * tick :][:267], np.float32)
                world.inbox.post("audio", 0, samples=block)
            world.step(SCHEDULE)
        voice = worlds[0].get(0, Voice)
        known = tick if known < 0 and (voice.active or voice.current is not None) else known
        if known >= 0 and (worlds[0].get(0, Pose).rotation != worlds[1].get(0, Pose).rotation).any():
            first = min(first, tick - known + 1)
        one, other = (world.get(0, Preview).slots[0].corpus for world in worlds)
        if (one != other).any():
            return first, tick - known + 1
    return first, 40


@pytest.mark.parametrize("ahead", [0, 6, 18])
def test_she_moves_within_50_ms_of_a_known_sentence_and_a_row_on_a_microphone_within_67_of_hearing_her(
    ahead: int,
) -> None:
    first, row = moves(ahead, on_a_microphone=False)
    assert first <= 3, "her breath and torso"
    assert row <= 9, "her arms"
    assert moves(ahead, on_a_microphone=True)[1] <= 4


def test_an_avatar_that_takes_her_place_begins_clear_and_knows_nothing_of_her() -> None:
    found = []
    for tell in (None, TOLD_TO["stop"]):
        world = speaking(18).copy()
        if tell is not None:
            tell(world)
        world.remove(0)
        world.inbox.drain(world.tick)
        avatar = headless.spawn(world, her()[0], None, _fresh())
        shown = []
        for _ in range(6):
            world.step(SCHEDULE)
            contacts = world.get(avatar.entity, Contacts)
            assert contacts.raw_mm > 0.2
            assert contacts.depth_mm <= 0.1
            shown.append(world.get(avatar.entity, Pose).rotation.copy())
        found.append(np.array(shown))
    assert np.array_equal(*found)
