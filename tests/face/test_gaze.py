"""She looks at things: eyes first, then her head, not at what lies behind her, and nothing else of her moves."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
import talker

from kinesics.components.carry import Carry
from kinesics.components.config import Config
from kinesics.components.errors import FaceError
from kinesics.components.face import Face
from kinesics.components.gaze import Gaze
from kinesics.components.gltf.document import Table
from kinesics.components.gltf.look import read_eyes
from kinesics.components.motion import Motion
from kinesics.components.pose import Pose
from kinesics.components.preview import Preview
from kinesics.components.rig import Rig
from kinesics.components.skin import Body, EyeRange, Material, Skin
from kinesics.components.speech import RATE
from kinesics.systems import face, headless, voice
from kinesics.systems.face.sight import FLAT
from kinesics.systems.figures import Run
from kinesics.systems.figures.replay import save
from kinesics.systems.kernels import quat
from kinesics.systems.schedule import TICK

LOOKS = tuple(f"eyeLook{way}{side}" for side in ("Left", "Right") for way in ("In", "Out", "Down", "Up"))


def body(depth: tuple[float, float] = (-0.012, 0.012), **changes: object) -> Body:
    """Return the figure with two eyeballs on her eye bones. depth: m, what they reach before the bone."""
    plain = talker.body()
    rig, mesh = plain.rig, plain.skin.meshes[0]
    meshes = [mesh]
    for eye in ("leftEye", "rightEye"):
        joint = rig.humanoid[eye]
        at = _rest(rig, joint)
        offsets = np.array([[0.01, 0, depth[0]], [-0.01, 0, depth[1]], [0, 0.01, sum(depth) / 2]])
        meshes.append(
            dataclasses.replace(
                mesh,
                name=eye,
                position=(at + offsets).astype(np.float32),
                morphs=(),
                joint=np.full((3, 4), joint, np.uint16),
            )
        )
    bind = np.tile(np.eye(4), (1, len(rig.names), 1, 1))
    for j in range(len(rig.names)):
        bind[0, j, :3, 3] = -_rest(rig, j)
    return dataclasses.replace(plain, skin=Skin(tuple(meshes), bind, (Material(),)), **changes)


def _rest(rig: Rig, joint: int) -> np.ndarray:
    at = np.zeros(3)
    while joint >= 0:
        at, joint = at + rig.rest_offset[joint], int(rig.parent[joint])
    return at


def forward(world: headless.World, joint: int) -> tuple[float, float]:
    """Return how far a joint faces to her left and up, degrees."""
    out = np.empty(3)
    quat.rotate(world.get(0, Pose).world_rotation[joint], np.array([0.0, 0.0, 1.0]), out)
    return math.degrees(math.atan2(out[0], out[2])), math.degrees(math.asin(out[1]))


def way_to(world: headless.World, joint: int, point: tuple[float, float, float]) -> tuple[float, float]:
    way = np.array(point) - world.get(0, Pose).world_position[joint]
    return math.degrees(math.atan2(way[0], way[2])), math.degrees(math.atan2(way[1], math.hypot(way[0], way[2])))


def hold(world: headless.World) -> None:
    """No small jumps and no looks away, for what is measured here."""
    gaze = world.get(0, Gaze)
    gaze.shift[:], gaze.away = 0.0, -1
    gaze.next_jump = gaze.next_away = 1 << 40


def step(world: headless.World, ticks: int) -> None:
    for _ in range(ticks):
        hold(world)
        world.step(TICK)


def still(**face: object) -> Config:
    """Return settings under which nothing but a look moves her."""
    config = Config.default()
    run = dataclasses.replace(config.run, layers=("face",))
    return dataclasses.replace(config, run=run, face=dataclasses.replace(config.face, **face))


def test_eyes_reach_a_point_within_a_fifth_of_a_second_and_the_head_follows() -> None:
    world = headless.world(body(), with_corpus=False, config=still())
    head, eye = (world.avatar.body.rig.humanoid[name] for name in ("head", "leftEye"))
    step(world, 3)
    point = (0.45, 1.55, 1.0)  # 24 degrees to her left
    world.avatar.look_at(point)
    step(world, 12)
    assert forward(world, eye) == pytest.approx(way_to(world, eye, point), abs=1.0)
    early = forward(world, head)[0]
    assert early < 8.0
    step(world, 90)
    assert forward(world, eye) == pytest.approx(way_to(world, eye, point), abs=0.5)
    assert 10.0 < forward(world, head)[0] < 20.0
    world.avatar.look_at(None)
    step(world, 240)
    assert forward(world, head) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert not world.get(0, Carry).view("look").any()


def test_eyes_hold_a_viewer_while_her_head_moves_in_speech() -> None:
    world = headless.world(body(), talker.corpus(), config=Config.default())
    eyes = [world.avatar.body.rig.humanoid[name] for name in ("leftEye", "rightEye")]
    world.avatar.say((talker.voice(5.0), RATE))
    viewer = (0.1, 1.5, 1.4)
    world.avatar.watched_from(viewer)
    step(world, 40)
    off, heads = [], []
    for _ in range(150):
        step(world, 1)
        off += [np.subtract(forward(world, eye), way_to(world, eye, viewer)) for eye in eyes]
        heads.append(forward(world, world.avatar.body.rig.humanoid["head"]))
    assert np.ptp(heads, axis=0).max() > 2.0  # degrees: her head is not still
    assert np.percentile(np.abs(off), 95) < 0.05  # degrees: but for the few ticks of a jump


def test_a_head_turns_no_faster_and_no_farther_than_heads_do() -> None:
    world = headless.world(body(), with_corpus=False, config=still())
    head = world.avatar.body.rig.humanoid["head"]
    step(world, 3)
    world.avatar.look_at((1.6, 1.55, 0.8))  # 66 degrees
    seen = [forward(world, head)[0]]
    for _ in range(150):
        step(world, 1)
        seen.append(forward(world, head)[0])
    assert 45.0 < seen[-1] <= 55.5
    assert np.abs(np.diff(seen)).max() * 60.0 < 200.0  # deg/s
    assert np.abs(np.diff(seen, 2)).max() * 3600.0 < 4000.0  # deg/s2: no step


def test_she_lets_go_of_what_lies_behind_her_and_takes_it_up_again() -> None:
    world = headless.world(body(), with_corpus=False, config=still())
    head = world.avatar.body.rig.humanoid["head"]
    world.avatar.look_at((1.2, 1.5, 1.2))
    step(world, 120)
    assert forward(world, head)[0] > 20.0
    world.avatar.look_at((1.2, 1.5, -0.8))
    step(world, 240)
    assert not world.get(0, Gaze).looks
    assert forward(world, head)[0] == pytest.approx(0.0, abs=0.01)
    world.avatar.look_at((1.2, 1.5, 1.2))
    step(world, 120)
    assert forward(world, head)[0] > 20.0


def test_a_look_moves_neck_head_and_eyes_and_no_pick() -> None:
    """The matcher goes by where the corpus has her: what she looks at changes none of its choices."""
    runs: list[Run] = []
    for point in (None, (0.8, 1.5, 1.2)):
        world = headless.world(body(), talker.corpus(), seed=4)
        world.avatar.look_at(point)
        world.avatar.say((talker.voice(4.0), RATE))
        runs.append(headless.run(world, seconds=4.0))
    assert (runs[0].window == runs[1].window).all()
    assert len(set(runs[0].window.tolist())) > 2
    moved = [n for k, n in enumerate(runs[0].names) if (runs[0].rotation[:, k] != runs[1].rotation[:, k]).any()]
    assert sorted(moved) == ["head", "leftEye", "neck", "rightEye"]


def test_looking_ahead_and_dropping_the_preview_change_no_bit_of_a_look() -> None:
    def digests(lookahead: int, drop: bool) -> list[str]:
        config = Config.default()
        config = dataclasses.replace(config, run=dataclasses.replace(config.run, lookahead=lookahead))
        world = headless.world(body(), talker.corpus(), seed=5, config=config)
        world.avatar.say((talker.voice(2.0), RATE))
        draw, out = np.random.default_rng(1), []
        for tick in range(110):
            if tick in (10, 60):
                world.avatar.look_at((0.6, 1.6, 1.0) if tick == 10 else None)
            if drop and draw.random() < 0.3:
                world.get(0, Preview).drop(world.tick + int(draw.integers(0, lookahead + 1)))
            world.step(TICK)
            out.append(" ".join(v for k, v in world.digests().items() if k not in ("World", "Plan")))
        return out

    assert digests(6, drop=True) == digests(0, drop=False)


@pytest.mark.long
def test_a_replay_looks_where_the_run_did(tmp_path: Path) -> None:
    world = headless.world(with_corpus=False, seed=7)
    tape = headless.tape(world)
    world.avatar.mood("happy", 0.5)
    world.avatar.watched_from((0.2, 1.5, 1.5))
    world.avatar.say(headless.HELLO, text="Hello. [face:sad] It is good to see you, is it not?")

    def before(world: headless._World) -> None:
        if world.tick == 60:
            world.inbox.post("look", 0, point=[-0.7, 1.5, 1.0])

    headless.run(world, 3.0, tape, before)
    save(tape, tmp_path / "r.npz")
    assert headless.replay(tmp_path / "r.npz")[0] is None


def test_shapes_move_eyes_where_no_bone_holds_an_eyeball() -> None:
    world = headless.world(talker.body(LOOKS), with_corpus=False, config=still())
    step(world, 3)
    world.avatar.look_at((0.0, 1.52, 0.6))
    step(world, 2)
    world.avatar.look_at((0.15, 1.52, 0.6))  # 16 degrees
    step(world, 8)
    weight = dict(zip(LOOKS, world.get(0, Face).weight.tolist(), strict=True))
    assert weight["eyeLookOutLeft"] == pytest.approx(weight["eyeLookInRight"], abs=0.25)
    assert weight["eyeLookOutLeft"] > 0.25
    assert weight["eyeLookInLeft"] == weight["eyeLookOutRight"] == 0.0


def test_a_file_limits_her_eyes_and_a_drawn_eye_turns_less() -> None:
    limits = {}
    for name, made in {
        "ball": body(),
        "flat": body(depth=(0.06, 0.07)),
        "file": body(eyes=EyeRange(False, (90.0,) * 4, (12.0, 14.0, 9.0, 8.0))),
    }.items():
        sight = headless.world(made, with_corpus=False).get(0, Motion).sight
        assert sight is not None
        assert (sight.eye >= 0).all()
        limits[name] = np.degrees(sight.limit).round(6).tolist()
    assert limits == {"ball": [30.0, 30.0, 25.0, 20.0], "flat": [FLAT] * 4, "file": [12.0, 14.0, 9.0, 8.0]}


@pytest.mark.long
def test_she_looks_away_now_and_then_and_more_often_while_she_speaks() -> None:
    """Five minutes each; a listener looks for nine tenths of the time, a speaker for seven to nine."""
    shares = {}
    for speaks in (False, True):
        world = headless.world(body(), with_corpus=False, seed=2)
        world.avatar.watched_from((0.0, 1.5, 1.2))
        world.step(TICK)
        away = 0
        pcm = talker.voice(60.0, pauses=tuple((t, t + 0.6) for t in np.arange(3.0, 58.0, 4.0)))
        speech = headless.Avatar(world, 0, world.avatar.body)
        for tick in range(18_000):
            if speaks and tick % 3900 == 0:
                speech.say((pcm, RATE))
            voice.listen(world)
            face.look(world)
            world.tick += 1
            away += world.get(0, Gaze).away >= 0
        shares[speaks] = 1.0 - away / 18_000
    assert 0.88 < shares[False] < 0.98
    assert 0.65 < shares[True] < 0.9


def test_her_head_goes_back_where_the_face_layer_is_turned_off_while_she_looks() -> None:
    config = still()
    world = headless.world(body(), with_corpus=False, config=config)
    world.avatar.look_at((0.8, 1.5, 1.0))
    step(world, 60)
    head = world.avatar.body.rig.humanoid["head"]
    assert forward(world, head)[0] > 15.0
    world.inbox.post("config", config=dataclasses.replace(config, run=dataclasses.replace(config.run, layers=())))
    step(world, 240)
    assert forward(world, head)[0] == pytest.approx(0.0, abs=1e-6)


def test_both_versions_of_vrm_say_how_far_their_eyes_turn() -> None:
    ranges = {
        "rangeMapHorizontalInner": (90, 28),
        "rangeMapHorizontalOuter": (90, 32),
        "rangeMapVerticalDown": (60, 22),
    }
    one = {name: {"inputMaxValue": given, "outputScale": shown} for name, (given, shown) in ranges.items()}
    vrm1 = {"extensions": {"VRMC_vrm": {"lookAt": {"type": "bone", **one}}}}
    assert read_eyes(Table(vrm1, "")) == EyeRange(False, (90, 90, 60, 90.0), (28, 32, 22, 10.0))
    zero = {"lookAtTypeName": "BlendShape", "lookAtVerticalUp": {"curve": [], "xRange": 45, "yRange": 0.7}}
    vrm0 = {"extensions": {"VRM": {"firstPerson": zero}}}
    assert read_eyes(Table(vrm0, "")) == EyeRange(True, (90.0, 90.0, 90.0, 45), (1.0, 1.0, 1.0, 0.7))
    for broken in ({}, {"extensions": {"VRMC_vrm": {"lookAt": {"type": "bone", "rangeMapVerticalUp": 3}}}}):
        assert read_eyes(Table(broken, "")) is None


@pytest.mark.parametrize("point", [(1.0, 2.0), "left", (1.0, math.nan, 0.0), (1e300, 0.0, 0.0), (10**400, 0, 0), 3])
def test_a_point_that_is_none_is_told_in_one_line(point: object) -> None:
    her = headless.world(talker.body(), with_corpus=False).avatar
    with pytest.raises(FaceError, match=r"is no point: give \(x, y, z\) in metres"):
        her.look_at(point)  # type: ignore[arg-type]


def test_a_figure_without_a_head_looks_nowhere() -> None:
    plain = talker.body()
    bones = {name: joint for name, joint in plain.rig.humanoid.items() if name not in ("head", "leftEye", "rightEye")}
    headless_body = dataclasses.replace(plain, rig=dataclasses.replace(plain.rig, humanoid=bones, digest=""))
    world = headless.world(headless_body, with_corpus=False)
    world.avatar.look_at((0.5, 1.5, 1.0))
    for _ in range(40):
        world.step(TICK)
    assert np.isfinite(world.get(0, Pose).world_position).all()
