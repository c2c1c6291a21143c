"""Her arms stay out of her body: without a bounce, without a jump, and she never holds them out to be safe."""

from __future__ import annotations

import numpy as np
import pytest
from ruled import Seen, settings, stage, through
from tried_body import her

from kinesics.components.arrays import F64
from kinesics.components.config import Config
from kinesics.components.contacts import Contacts
from kinesics.components.guard import Guard
from kinesics.components.pose import Pose
from kinesics.components.preview import Preview
from kinesics.components.rig import Rig
from kinesics.systems import collide, figures, headless
from kinesics.systems.collide import tables
from kinesics.systems.collide.offline import motions
from kinesics.systems.collide.offline.figure import Figure
from kinesics.systems.collide.offline.optimum import depths, optimum, wrists
from kinesics.systems.kernels import fk, rule, twist
from kinesics.systems.schedule import TICK

PRESS = 120  # tick on which `motions.press` has the hand in; it is held for 3 s and back 1 s later


@pytest.fixture(scope="module")
def figure() -> Figure:
    return her()[1]


@pytest.fixture(scope="module")
def pressed(figure: Figure) -> F64:
    return motions.press(figure)


@pytest.fixture(scope="module")
def kept(figure: Figure, pressed: F64) -> Seen:
    return through(figure, pressed)


def test_a_hand_pressed_5_cm_into_her_stays_outside(kept: Seen) -> None:
    assert kept.raw_mm.max() > 45.0
    assert np.percentile(kept.depth_mm, 99) <= 0.5
    assert kept.depth_mm.max() <= 1.0


def test_what_the_rule_tells_is_what_another_implementation_measures(figure: Figure, kept: Seen, pressed: F64) -> None:
    chosen = slice(0, len(pressed), 9)
    assert np.abs(1e3 * depths(figure.scene(pressed[chosen])).max(axis=(1, 2)) - kept.raw_mm[chosen]).max() < 1e-6
    shown = 1e3 * depths(figure.scene(kept.rotation[chosen])).max(axis=(1, 2))
    assert np.abs(shown - kept.depth_mm[chosen]).max() < 1e-6, "of the pose that is drawn, not of what was meant"


def test_a_contact_that_stays_ends_in_a_still_arm(kept: Seen) -> None:
    held = kept.wrist[PRESS + 30 : PRESS + 180, 0]
    step = np.diff(held, axis=0) * 1e3  # mm a tick
    fast = np.linalg.norm(step, axis=1)
    turns = (step[1:] * step[:-1]).sum(axis=1) < 0.0
    assert not (turns & (fast[1:] > 0.01)).any(), "no reversal"
    assert fast[-30:].max() <= 0.02


def test_a_contact_that_ends_lets_the_arm_go_without_a_jump(kept: Seen, pressed: F64) -> None:
    off = np.linalg.norm(kept.wrist - kept.raw_wrist, axis=2).max(axis=1) * 1e3
    back = PRESS + 180 + 60
    assert off[back + 60 :].max() < 0.05, "back to the motion within a second"
    assert np.array_equal(kept.rotation[-1], pressed[-1]), "and then it is the motion's own, to the bit"
    raw, shown = (np.linalg.norm(np.diff(w, axis=0), axis=2).max() * 1e3 for w in (kept.raw_wrist, kept.wrist))
    assert shown <= 1.3 * raw
    assert np.percentile(kept.jerk, 99) <= 1.0


def test_she_is_held_no_further_off_than_it_takes(figure: Figure, kept: Seen, pressed: F64) -> None:
    """Arms held far out are never inside anything."""
    scene = figure.scene(pressed[::6])
    least = wrists(scene, optimum(scene)) - wrists(scene)
    assert kept.moved_rms <= 1.3 * float(np.sqrt((least**2).sum(axis=2).mean()) * 1e3)


def test_a_contact_is_met_before_it_comes(figure: Figure, pressed: F64) -> None:
    """Without carrying the motion on ahead what shows is late, and the hand is inside while it comes in."""
    late = through(figure, pressed[: PRESS + 5], settings(lead=0.0))
    assert late.depth_mm.max() > 1.0
    assert np.percentile(late.jerk, 99) > np.percentile(through(figure, pressed[: PRESS + 5]).jerk, 99)


def test_standing_with_the_hands_at_her_thighs_she_does_not_tremble(figure: Figure) -> None:
    rotation = motions.idle(figure, 600, seed=11)
    seen = through(figure, rotation)
    scene = figure.scene(rotation[::10])
    least = wrists(scene, optimum(scene)) - wrists(scene)
    assert seen.raw_mm.max() > 5.0
    assert np.percentile(seen.depth_mm, 99) <= 0.1
    assert seen.depth_mm.max() <= 0.5
    assert np.percentile(seen.jerk, 99) <= 0.3
    assert seen.moved_rms <= 1.3 * float(np.sqrt((least**2).sum(axis=2).mean()) * 1e3)


def test_she_begins_outside(figure: Figure, pressed: F64) -> None:
    place = stage(figure)
    place.tick(pressed[PRESS + 10])
    assert place.contacts.raw_mm > 45.0
    assert place.contacts.depth_mm <= 0.1
    assert not place.contacts.velocity.any()
    for _ in range(30):  # and stays where she began
        before = place.pose.world_position.copy()
        place.tick(pressed[PRESS + 10])
        assert np.abs(place.pose.world_position - before).max() < 1e-3


def test_another_pose_all_at_once_throws_no_arm(figure: Figure, pressed: F64) -> None:
    """A cut in the motion is no speed: carried on as one it would be metres away."""
    place = stage(figure)
    for _ in range(5):
        place.tick(pressed[0])
    place.tick(pressed[PRESS + 10])
    place.tick(pressed[PRESS + 10])
    assert np.abs(place.contacts.target).max() < 1.0


def test_without_contact_the_pose_is_the_motions_own_to_the_bit(figure: Figure) -> None:
    base = figure.base(1)[0]
    place = stage(figure)
    for _ in range(10):
        place.show(base)
        before = place.pose.rotation.copy(), place.pose.world_position.copy()
        place.world.step((collide.resolve,))
        assert np.array_equal(place.pose.rotation, before[0])
        assert np.array_equal(place.pose.world_position, before[1])


def test_switched_off_it_does_nothing(figure: Figure, pressed: F64) -> None:
    seen = through(figure, pressed[PRESS : PRESS + 5], settings(layers=()))
    assert np.array_equal(seen.rotation, pressed[PRESS : PRESS + 5])
    assert seen.depth_mm.max() == seen.raw_mm.max() == 0.0


def test_all_below_a_corrected_joint_goes_with_it(figure: Figure, kept: Seen) -> None:
    rig, pose = figure.rig, kept.stage.pose
    kept.stage.tick(motions.press(figure)[PRESS + 10])
    position, orientation = np.zeros_like(pose.world_position), np.zeros_like(pose.world_rotation)
    fk.world(rig.parent, rig.rest_offset, pose.root, pose.rotation, position, orientation)
    assert np.abs(position - pose.world_position).max() < 1e-12
    assert np.abs(orientation - pose.world_rotation).max() < 1e-9
    assert np.abs(np.linalg.norm(pose.rotation, axis=1) - 1.0).max() < 1e-12
    shared, a = pose.rotation.copy(), figure.anatomy
    twist.share(rig.parent, rig.rest_rotation, a.twist, a.twist_axis, a.twist_share, np.empty((5, 4)), shared)
    assert np.abs(shared - pose.rotation).max() < 1e-9, "the roll of the hand is shared down the forearm anew"


def _most_bent(seen: Seen, guard: Guard) -> float:
    """Return the wrists' largest bend, 1 at the ellipse of what people use."""
    from kinesics.systems.kernels import wrist

    names = guard.capsules.names
    frame, number, most = guard.tables[3], guard.number, 0.0
    rig = seen.stage.figure.rig
    limit = number[tables.project.FLEXION : tables.project.FLEXION + 4].copy()
    position, orientation = np.zeros((len(names), 3)), np.zeros((len(names), 4))
    view, work = np.zeros((2, 4)), np.zeros((2, 4))
    for rotation in seen.rotation[::3]:
        fk.world(rig.parent, rig.rest_offset, np.zeros(3), rotation.copy(), position, orientation)
        for side, name in enumerate(("left", "right")):
            fore, hand = rig.humanoid[name + "LowerArm"], rig.humanoid[name + "Hand"]
            wrist.frames(orientation[fore], orientation[hand], frame[side], view)
            most = max(most, wrist.share(view, 0.0, 0.0, 0.0, side, limit, work))
    return most


def test_no_wrist_is_bent_further_than_a_wrist_goes(
    figure: Figure, pressed: F64, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hand turned aside is the cheapest way out; the motion here has it beyond the limit already."""
    rotation, hand = pressed[PRESS : PRESS + 60].copy(), figure.joint(0, "Hand")
    motions.turned(figure, rotation, hand, np.array([np.radians(-30.0), 0.0, 0.0]))
    place = stage(figure)
    kept = through(figure, rotation, place=place)
    guard = place.world.get(place.entity, Guard)
    raw = _most_bent(Seen(rotation, *(np.zeros(0),) * 6, place), guard)
    with_limit = _most_bent(kept, guard)
    assert raw > 1.0
    assert with_limit <= raw + 0.02
    monkeypatch.setattr(tables, "WRIST", (540.0, 600.0, 170.0, 400.0))
    free = _most_bent(through(figure, rotation), guard)
    assert free > with_limit + 0.02, "without limits it is bent further: the limits do something"


def test_a_pose_that_is_no_pose_is_said_once_and_forgotten(figure: Figure, pressed: F64) -> None:
    place = stage(figure)
    for frame in pressed[PRESS - 30 : PRESS + 30]:
        place.tick(frame)
    good = place.contacts.memory.copy()
    broken = pressed[PRESS + 30].copy()
    broken[figure.joint(0, "LowerArm")] = np.nan
    for _ in range(3):
        place.tick(broken)
    assert np.array_equal(place.contacts.memory, good), "the last good correction stays"
    said = [data["what"] for _, name, data in place.outbox.messages if name == "degraded"]
    assert len(said) == 1
    assert "the pose" in said[0]
    place.tick(pressed[PRESS + 30])
    assert place.contacts.depth_mm <= 1.0
    assert np.isfinite(place.pose.rotation).all()


@pytest.mark.parametrize("row", [rule.APPLIED, rule.VELOCITY, rule.TARGET, rule.DRIFT])
def test_a_correction_that_is_no_number_is_not_shown(figure: Figure, pressed: F64, row: int) -> None:
    place = stage(figure)
    for frame in pressed[PRESS - 30 : PRESS]:
        place.tick(frame)
    place.contacts.memory[row, 4] = np.nan
    for frame in pressed[PRESS : PRESS + 40]:
        place.tick(frame)
        assert np.isfinite(place.pose.rotation).all()
    assert np.isfinite(place.contacts.memory).all()
    assert place.contacts.depth_mm <= 1.0
    said = [data["what"] for _, name, data in place.outbox.messages if name == "degraded"]
    assert len(said) == 1


def test_a_touch_is_told_once_with_what_touches(figure: Figure, pressed: F64) -> None:
    place = stage(figure)
    for frame in pressed[: PRESS + 60]:
        place.tick(frame)
    told = [data for _, name, data in place.outbox.messages if name == "contact"]
    assert 1 <= len(told) <= 2
    assert told[0]["joint"].startswith("left")
    assert not told[0]["other"].startswith("left")
    contacts = place.contacts
    assert contacts.count > 0
    arm, other = contacts.pair[0]
    assert figure.capsules.part[arm] > 0
    assert figure.capsules.tested[other] == 1
    assert 1e3 * contacts.depth[: contacts.count].max() == pytest.approx(contacts.raw_mm)
    assert 0.5 < contacts.point[0, 1] < 1.5


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("degrees", [-30.0, 30.0])
def test_a_spawn_deep_inside_finds_its_way_out(figure: Figure, pressed: F64, axis: int, degrees: float) -> None:
    """Two solutions may call each other: out of contact all is far, so nothing keeps it out, so it goes back in."""
    turn = np.zeros(3)
    turn[axis] = np.radians(degrees)
    rotation = pressed[PRESS + 10 : PRESS + 11].copy()
    motions.turned(figure, rotation, figure.joint(0, "Hand"), turn)
    place = stage(figure)
    place.tick(rotation[0])
    assert place.contacts.raw_mm > 20.0
    assert place.contacts.depth_mm <= 0.1


def test_one_pose_is_taken_out_of_contact_by_itself(figure: Figure, pressed: F64) -> None:
    place = stage(figure)
    guard = place.world.get(place.entity, Guard)
    place.show(pressed[PRESS + 10])
    correction, depth = collide.resolve_pose(guard, place.pose, place.world.config)
    assert depth <= 0.1
    assert 1e3 * depths(figure.scene(place.pose.rotation[None]))[0].max() == pytest.approx(depth, abs=1e-6)
    assert np.abs(correction).max() > 0.02
    place.show(pressed[PRESS + 10])
    again, _ = collide.resolve_pose(guard, place.pose, place.world.config)
    assert np.array_equal(again, correction), "nothing is remembered"


def test_leaving_out_far_parts_changes_nothing_that_shows(figure: Figure, pressed: F64) -> None:
    part = pressed[PRESS - 20 : PRESS + 10]
    assert np.array_equal(through(figure, part, settings(buckets=False)).rotation, through(figure, part).rotation)


def test_the_older_rule_is_there_to_compare_with(figure: Figure, pressed: F64, kept: Seen) -> None:
    grown = through(figure, pressed, settings(method="growth"))
    assert grown.depth_mm.max() < 0.5 * grown.raw_mm.max(), "it works"
    assert grown.depth_mm.max() > kept.depth_mm.max() + 0.5, "later"
    assert grown.moved_rms > kept.moved_rms, "and further off"


def test_capsules_of_another_body_are_refused_by_name(figure: Figure) -> None:
    from kinesics.components.errors import AvatarError

    rig = figure.rig
    other = Rig(rig.names, rig.node, rig.parent, rig.rest_offset * 1.01, rig.rest_rotation, rig.humanoid)
    with pytest.raises(AvatarError, match="measured on rig"):
        tables.guard_of(figure.capsules, other, figure.anatomy, np.zeros((2, 2, 4)))


def test_what_is_picked_does_not_depend_on_the_rule() -> None:
    """Nothing after the layers changes what the layers do."""
    runs = []
    for layers in (("reflex", "corpus", "rule", "face"), ("reflex", "corpus", "face")):
        world = headless.world(seed=3, config=settings(layers=layers))
        world.avatar.say(headless.HELLO)
        raw: list[F64] = []
        runs.append((headless.run(world, 2.5, before=lambda w, raw=raw: _keep_raw(w, raw)), raw))
    (on, raw_on), (off, raw_off) = runs
    assert np.array_equal(on.window, off.window)
    assert all(np.array_equal(a, b) for a, b in zip(raw_on, raw_off, strict=True))
    assert on.about["layers"] == ["corpus", "face", "reflex", "rule"]
    assert figures.report(off)["depth_mm"] is None
    assert figures.report(on)["depth_mm"]["max"] <= 1.0


def _keep_raw(world: headless.World, raw: list[F64]) -> None:
    slots = world.get(0, Preview).slots
    if slots:
        raw.append(slots[0].rotation.copy())


def test_a_copy_of_the_world_goes_on_the_same_way(figure: Figure, pressed: F64) -> None:
    place = stage(figure)
    for frame in pressed[PRESS - 20 : PRESS]:
        place.tick(frame)
    twin = place.world.copy()
    for frame in pressed[PRESS : PRESS + 10]:
        place.tick(frame)
    for frame in pressed[PRESS : PRESS + 10]:
        pose = twin.get(place.entity, Pose)
        pose.rotation[:] = frame
        rig = figure.rig
        fk.world(rig.parent, rig.rest_offset, pose.root, pose.rotation, pose.world_position, pose.world_rotation)
        twin.step((collide.resolve,))
    assert twin.digests()["Contacts"] == place.world.digests()["Contacts"]
    assert twin.digests()["Pose"] == place.world.digests()["Pose"]


def test_two_of_her_do_not_disturb_each_other(figure: Figure, pressed: F64) -> None:
    """They share the room that the rule works in."""
    alone = through(figure, pressed[PRESS - 20 : PRESS]).applied
    place = stage(figure)
    other = place.world.spawn(Pose.of(len(figure.rig.names)), type(place.outbox)())
    from kinesics.systems import retarget

    collide.attach(place.world, other, figure.capsules, figure.rig, figure.anatomy, retarget.wrist_frames(figure.rig))
    assert place.world.get(other, Guard) is place.world.get(place.entity, Guard)
    for k in range(20):
        pose, rig = place.world.get(other, Pose), figure.rig
        pose.rotation[:] = pressed[PRESS + 60 + k]
        fk.world(rig.parent, rig.rest_offset, pose.root, pose.rotation, pose.world_position, pose.world_rotation)
        place.tick(pressed[PRESS - 20 + k])
        assert np.array_equal(place.contacts.memory[0], alone[k])
    assert place.world.get(other, Contacts).raw_mm > 45.0


@pytest.mark.long
def test_in_ten_minutes_of_speech_she_is_never_a_millimetre_inside_herself() -> None:
    world = headless.world(seed=5, config=Config.default())
    deep, raw, jerk = [], [], []
    rule_of = world.get(0, Contacts)
    hands = [world.avatar.body.rig.humanoid[side + "Hand"] for side in ("left", "right")]
    for tick in range(36_000):
        if not world.avatar.speaking:
            world.avatar.say(headless.HELLO)
        world.step(TICK)
        deep.append(rule_of.depth_mm)
        raw.append(rule_of.raw_mm)
        moved = world.get(0, Pose).world_position[hands] - world.get(0, Preview).slots[0].position[hands]
        jerk.append(moved)
        assert tick < 1 or np.isfinite(moved).all()
    assert max(raw) > 1.0, "the motion alone is inside her at times"
    assert np.percentile(deep, 99) <= 0.5
    assert np.percentile(np.linalg.norm(np.diff(np.array(jerk), 3, axis=0), axis=2) * 1e3, 99) <= 1.0


@pytest.mark.parametrize("without", ["right arm", "hands", "fingers"])
def test_who_has_less_of_an_arm_is_kept_clear_all_the_same(figure: Figure, pressed: F64, without: str) -> None:
    from dataclasses import fields, replace

    from kinesics.components.capsules import CapsuleSet

    whole = figure.capsules
    gone = {"right arm": (whole.part > 0) & (whole.left == 0), "hands": whole.part >= 3, "fingers": whole.part == 4}
    tested = np.where(gone[without], 0, whole.tested)
    made = {f.name: getattr(whole, f.name) for f in fields(CapsuleSet) if f.init and f.name != "digest"}
    less = replace(figure, capsules=CapsuleSet(**{**made, "tested": tested}))
    seen = through(less, pressed[PRESS - 40 : PRESS + 20])
    assert seen.raw_mm.max() > 10.0
    assert seen.depth_mm.max() <= 1.0
    if without == "right arm":
        assert not seen.applied[:, 9:].any()
