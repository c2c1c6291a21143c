"""A head is measured without touching her, helps when live, and is put back before anybody sees what it would do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesics.components.config import Config
from kinesics.components.contacts import Contacts
from kinesics.components.errors import FenceError
from kinesics.components.fence import Fence
from kinesics.components.guard import Guard
from kinesics.components.head import Head, save
from kinesics.components.mode import Mode
from kinesics.components.pose import Pose
from kinesics.components.preview import Preview
from kinesics.systems import headless
from kinesics.systems.avatar import Avatar
from kinesics.systems.figures.replay import save as save_tape
from tests.fence import heads

WINDOW = 120  # ticks
OUTWARD = (0.0, 0.0, 0.12, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.12)  # rad: upper arms 50 mm off her sides


@pytest.fixture(scope="module")
def fresh() -> headless.World:
    """A world in which she has begun to talk."""
    made = headless.world(seed=1)
    made.avatar.say(headless.HELLO, play=False)
    for _ in range(30):
        made.step(headless.TICK)
    return made


def begun(fresh: headless.World, stage: str = "", head: Head | None = None) -> headless.World:
    world = headless.World(seed=1)
    twin = fresh.copy()
    world.__dict__.update(twin.__dict__)
    world.avatar = Avatar(world, 0, fresh.avatar.body)
    if stage:
        world.inbox.post("fence", 0, stage=stage, head=head)
    return world


def ticks(world: headless.World, count: int, each: Callable[[], Any] = lambda: None) -> list[Any]:
    out = []
    for _ in range(count):
        world.step(headless.TICK)
        out.append(each())
    return out


def depth(world: headless.World) -> float:
    return world.get(0, Contacts).depth_mm


def wrists(world: headless.World) -> np.ndarray:
    """Return how far both wrists are shown from where the motion has them, (2, 3) mm."""
    hands = [world.avatar.body.rig.humanoid[side + "Hand"] for side in ("left", "right")]
    return 1e3 * (world.get(0, Pose).world_position[hands] - world.get(0, Preview).slots[0].position[hands])


def _is_same(fresh: headless.World, count: int, every: int) -> None:
    one, other = begun(fresh), begun(fresh, "shadow", heads.still(fresh, heads.PUSHES_IN))
    for tick in range(count):
        ticks(one, 1), ticks(other, 1)
        if tick % every == 0:
            had, has = one.digests(), other.digests()
            assert has.pop("Fence")
            assert has == had, f"tick {tick}: {[k for k in had if had[k] != has.get(k)]}"
    fence = other.get(0, Fence)
    assert fence.ticks == count
    assert fence.too_deep > 0  # it had something to say, and nobody saw it


def test_shadow_changes_nothing_but_the_fence(fresh: headless.World) -> None:
    _is_same(fresh, 240, 20)


@pytest.mark.long
def test_shadow_changes_nothing_but_the_fence_in_a_minute(fresh: headless.World) -> None:
    _is_same(fresh, 3600, 100)


PLANTED = {
    "weights that overflow": (heads.overflowing, "not a number"),
    "a head that pushes in": (lambda world: heads.still(world, heads.PUSHES_IN), "deeper than 10 mm on more than 2 %"),
    "a head that shakes": (heads.shaking, "turned faster than 344 deg/s"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_bad_head_is_put_back_within_its_window_and_she_is_no_deeper_than_with_the_rule_alone(
    fresh: headless.World, name: str
) -> None:
    make, why = PLANTED[name]
    alone = max(_depths(begun(fresh), 4 * WINDOW))
    world = begun(fresh, "live", make(fresh))
    found = _depths(world, WINDOW)
    told = world.avatar.figures()["fence"]
    assert (told["stage"], told["asked"], told["fell"]) == ("shadow", "live", 1)
    assert why in told["reason"]
    found += _depths(world, 3 * WINDOW)
    assert max(found) <= alone + 0.05
    told = world.avatar.figures()["fence"]
    assert (told["stage"], told["fell"]) == ("shadow", 1)  # it stays there
    events = [data for _, name, data in world.avatar.deliver() if name == "fell_back"]
    assert [data["part"] for data in events] == ["fence"]
    assert why in events[0]["reason"]


def _depths(world: headless.World, count: int) -> list[float]:
    return ticks(world, count, lambda: depth(world))


def test_nan_weights_are_refused_before_they_are_a_head(fresh: headless.World, tmp_path: Path) -> None:
    good = heads.still(fresh)
    weights = np.full(good.leave.shape, np.nan, np.float32)
    with pytest.raises(ValueError, match="not finite"):
        replace(good, leave=weights)
    save(tmp_path / "head.npz", good)
    with np.load(tmp_path / "head.npz") as file:
        held = {name: file[name] for name in file.files} | {"leave": weights}
    np.savez(tmp_path / "head.npz", **held)
    with pytest.raises(FenceError, match="not finite"):
        fresh.avatar.fence("live", tmp_path / "head.npz")


def test_her_person_can_try_it_again(fresh: headless.World) -> None:
    world = begun(fresh, "live", heads.shaking(fresh))
    ticks(world, 5)
    assert world.avatar.figures()["fence"]["reason"]
    world.inbox.post("fence", 0, stage="live", head=heads.still(fresh))
    ticks(world, 1)
    told = world.avatar.figures()["fence"]
    assert (told["stage"], told["reason"], told["fell"]) == ("live", "", 0)


@pytest.mark.parametrize(
    ("digests", "why"),
    [({"avatar": "f" * 32}, "trained for the avatar ffffffff"), ({"capsules": "f" * 32}, "for the capsules ffffffff")],
)
def test_a_head_of_another_body_stays_in_shadow(fresh: headless.World, digests: dict[str, str], why: str) -> None:
    world, alone = begun(fresh, "live", heads.still(fresh, OUTWARD, **digests)), begun(fresh)
    ticks(world, 60), ticks(alone, 60)
    told = world.avatar.figures()["fence"]
    assert (told["stage"], told["asked"]) == ("shadow", "live")
    assert why in told["reason"]
    assert told["ticks"] == 60  # it is measured all the same
    assert np.array_equal(world.get(0, Pose).rotation, alone.get(0, Pose).rotation)


def test_live_the_proposal_shows_and_the_rule_has_the_last_word(fresh: headless.World) -> None:
    world, alone = begun(fresh, "live", heads.still(fresh, OUTWARD)), begun(fresh)
    found = ticks(world, 240, lambda: (wrists(world), depth(world), world.get(0, Contacts).moved_mm.copy()))
    worst = max(_depths(alone, 240))
    assert max(d for _, d, _ in found) <= worst + 0.05
    shown = np.linalg.norm([w for w, _, _ in found], axis=2)
    assert shown[60:].min() > 30.0
    assert np.allclose(shown, [m for _, _, m in found], atol=0.01)  # what she is said to be held by


def test_going_live_and_back_never_steps_her_hands(fresh: headless.World) -> None:
    """The proposal holds both hands 50 mm off; whatever begins or ends, they go there and back on the rule's spring."""
    world = begun(fresh)
    found = ticks(world, 10, lambda: wrists(world))
    for stage, head in (("live", heads.still(fresh, OUTWARD)), ("shadow", heads.still(fresh)), ("live", None)):
        head = head or heads.still(fresh, OUTWARD)
        world.inbox.post("fence", 0, stage=stage, head=head)
        found += ticks(world, 60, lambda: wrists(world))
    world.inbox.post("mode", mode="public")
    found += ticks(world, 60, lambda: wrists(world))
    held = np.array(found)
    size = np.linalg.norm(held, axis=2)
    assert size[[69, 189]].min() > 30.0
    assert size[[129, 249]].max() < 5.0
    step = np.linalg.norm(np.diff(held, axis=0), axis=2)
    assert step.max() < 9.0  # of 53 mm, which a jump would be
    change = np.linalg.norm(np.diff(held, 2, axis=0), axis=2)
    assert change.max() < 4.5


@pytest.mark.long
def test_in_a_hold_nothing_is_proposed_and_her_hands_rest_where_the_hold_has_them(fresh: headless.World) -> None:
    world, alone = begun(fresh, "live", heads.still(fresh, OUTWARD)), begun(fresh)
    for one in (world, alone):
        one.avatar.stop()
        one.avatar.hold("clasped")
        ticks(one, 420)
        assert one.get(0, Guard).opened[0]
    told = world.avatar.figures()["fence"]
    assert told["stage"] == "live"
    assert told["moved_mm"] == [0.0, 0.0]
    apart = 1e3 * np.abs(world.get(0, Pose).world_position - alone.get(0, Pose).world_position).max()
    assert apart < 0.1


def test_a_public_stream_ends_it_on_its_first_tick(fresh: headless.World) -> None:
    world = begun(fresh, "live", heads.still(fresh, OUTWARD))
    before = ticks(world, 60, lambda: wrists(world))[-1]
    world.inbox.post("mode", mode="public")
    after = ticks(world, 1, lambda: wrists(world))[0]
    assert world.mode is Mode.PUBLIC
    assert not world.has(0, Fence)
    assert world.avatar.figures()["fence"] is None
    assert np.linalg.norm(before, axis=1).min() > 30.0
    assert np.linalg.norm(after - before, axis=1).max() < 3.0  # of some 50 mm
    assert [data["reason"] for _, name, data in world.avatar.deliver() if name == "fell_back"]
    world.inbox.post("mode", mode="private")
    ticks(world, 2)
    assert not world.has(0, Fence)  # it has to be asked for again


def test_settings_that_name_no_head_are_one_line(tmp_path: Path, fresh: headless.World) -> None:
    with pytest.raises(FenceError, match="no weights of a fence's head") as caught:
        fresh.avatar.fence("shadow", tmp_path / "none.npz")
    assert "\n" not in str(caught.value)
    with pytest.raises(FenceError, match="wanted one of off, shadow, live"):
        fresh.avatar.fence("on")


def test_a_run_with_the_fence_replays_to_the_same_bits(fresh: headless.World, tmp_path: Path) -> None:
    save(tmp_path / "head.npz", heads.still(fresh, OUTWARD))
    config = Config.default()
    config = replace(config, fence=replace(config.fence, stage="live", weights=str(tmp_path / "head.npz")))
    world = headless.world(seed=1, config=config)
    tape = headless.tape(world)

    def ask(world: Any) -> None:
        if world.tick == 40:
            world.avatar.fence("off")
        if world.tick == 60:
            world.avatar.fence("shadow")
        if world.tick == 80:
            world.inbox.post("fence", 0, stage="live", head=heads.shaking(fresh))

    done = headless.run(world, 2.0, tape, ask)
    assert done.about["fence"]["fell"] == 1
    save_tape(tape, tmp_path / "p.npz")
    first, again = headless.replay(tmp_path / "p.npz")
    assert first is None
    assert again.about["fence"] == done.about["fence"]
