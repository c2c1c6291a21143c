"""Inside somebody's game: nothing of theirs is touched, nothing of ours stays, two of her are no trouble."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import talker
from panda3d.core import ClockObject, Shader, ShaderAttrib

from kinesics.components.errors import ConfigError, KinesicsError
from kinesics.components.face import Face
from kinesics.components.gaze import Gaze
from kinesics.components.mode import Mode
from kinesics.components.pose import Pose
from kinesics.components.skin import Body
from kinesics.engine_plugin import AvatarPlugin
from kinesics.engine_plugin.figure import Figure
from kinesics.engine_plugin.write_back import read_joints


@pytest.fixture
def plugin(base: Any) -> Iterator[AvatarPlugin]:
    made = AvatarPlugin(base)
    yield made
    made.destroy()  # tasks outlive their host: the next one has the same task manager


def spawn(plugin: AvatarPlugin) -> Any:
    return plugin.spawn(talker.body(), corpus=talker.corpus())


def footprint(base: Any) -> tuple[Any, ...]:
    """What a host could find changed: tasks, nodes, events it listens to, its lens, lights and clock."""
    return (
        sorted(task.name for task in base.taskMgr.getAllTasks()),
        sorted(str(node) for node in base.render.findAllMatches("**")),
        sorted(base.messenger.getEvents()),
        base.win,
        base.cam,
        str(base.render.getState()),
        ClockObject.getGlobalClock().getMode(),
    )


def test_a_host_is_left_as_it_was_and_destroy_may_be_called_twice(base: Any) -> None:
    before = footprint(base)
    plugin = AvatarPlugin(base)
    her = spawn(plugin)
    base.frames(3)
    assert footprint(base) != before
    plugin.destroy()
    plugin.destroy()
    base.frames(1)
    assert footprint(base) == before
    assert her.node.isEmpty()
    with pytest.raises(KinesicsError, match="destroyed"):
        spawn(plugin)


def test_only_nodes_of_her_own_and_one_task_are_added(base: Any) -> None:
    before = footprint(base)
    plugin = AvatarPlugin(base)
    her = spawn(plugin)
    after = footprint(base)
    assert len(after[0]) == len(before[0]) + 1
    mine = str(her.node)
    assert all(node.startswith(mine) for node in set(after[1]) - set(before[1]))
    assert after[2:] == before[2:]
    plugin.destroy()


def test_ten_rounds_of_spawning_leave_no_figure_in_memory(plugin: AvatarPlugin, base: Any) -> None:
    for _ in range(10):
        her = spawn(plugin)
        plugin.joint(her, "leftHand")
        base.frames(1)
        plugin.remove(her)
        plugin.remove(her)
    del her
    gc.collect()
    assert not [thing for thing in gc.get_objects() if isinstance(thing, Figure)]
    plugin.destroy()


def test_one_frame_of_a_sixtieth_is_one_tick_and_panda_shows_its_pose(plugin: AvatarPlugin, base: Any) -> None:
    her = spawn(plugin)
    base.frames(30)
    assert plugin.world.tick == 30
    pose = plugin.world.get(her.entity, Pose)
    np.testing.assert_allclose(read_joints(her.node), pose.world_position, atol=1e-7)
    plugin.destroy()


@pytest.mark.parametrize("fps", [24, 30, 90, 144])
def test_ticks_keep_their_pace_whatever_the_frame_rate(plugin: AvatarPlugin, base: Any, fps: int) -> None:
    spawn(plugin)
    ClockObject.getGlobalClock().setDt(1 / fps)
    base.frames(2 * fps)
    assert plugin.world.tick == pytest.approx(120, abs=2)
    plugin.destroy()


def test_at_240_frames_a_second_her_hand_moves_on_every_frame(plugin: AvatarPlugin, base: Any) -> None:
    """Four frames a tick: shown tick by tick, three of four steps would be 0 and the fourth four times too long."""
    her = spawn(plugin)
    hand = plugin.joint(her, "leftHand")
    her.say((talker.voice(8.0), 16_000))
    ClockObject.getGlobalClock().setDt(1 / 240)
    base.frames(720)
    shown = []
    for _ in range(240):
        base.frames(1)
        shown.append(tuple(hand.getPos(her.node)))
    step = np.linalg.norm(np.diff(shown, axis=0), axis=1)
    assert step.max() > 1e-5  # m: she does move here
    assert np.median(step) > 0.25 * step.mean()
    plugin.destroy()


def test_a_stall_is_caught_up_on_by_eight_ticks_at_most(plugin: AvatarPlugin, base: Any) -> None:
    spawn(plugin)
    base.frames(1)
    ClockObject.getGlobalClock().setDt(3.0)
    before = plugin.world.tick
    base.frames(1)
    assert plugin.world.tick - before == 8
    plugin.destroy()


def test_two_of_her_move_on_their_own_and_one_may_leave(plugin: AvatarPlugin, base: Any) -> None:
    one, two = spawn(plugin), spawn(plugin)
    two.node.setX(1.0)
    two.say((talker.voice(4.0), 16_000))
    base.frames(240)
    a, b = read_joints(one.node), read_joints(two.node)
    assert np.abs(a - b).max() > 0.01  # m: one stands, the other talks with her hands
    plugin.remove(one)
    base.frames(2)
    assert one.node.isEmpty()
    assert not two.node.isEmpty()
    assert plugin.world.tick == 242
    plugin.destroy()


def test_two_plugins_in_one_host_do_not_end_each_other(base: Any) -> None:
    first, second = AvatarPlugin(base), AvatarPlugin(base)
    spawn(first), spawn(second)
    first.destroy()
    base.frames(5)
    assert second.world.tick == 5
    second.destroy()


def test_what_she_says_is_told_as_messenger_events_and_callbacks(plugin: AvatarPlugin, base: Any) -> None:
    her = spawn(plugin)
    heard: list[tuple[str, Any]] = []
    for name in ("started", "finished"):
        base.accept(f"kinesics-{name}", lambda who, data, name=name: heard.append((name, (who is her, data["id"]))))
        her.on(name, lambda id, name=name: heard.append((f"callback {name}", id)))
    said = her.say((talker.voice(1.0, pauses=()), 16_000))
    base.frames(90)
    assert heard == [
        ("callback started", said.id),
        ("started", (True, said.id)),
        ("callback finished", said.id),
        ("finished", (True, said.id)),
    ]
    base.ignoreAll()
    plugin.destroy()


def test_her_mouth_opens_while_she_speaks_and_is_closed_after(plugin: AvatarPlugin, base: Any, her_body: Body) -> None:
    her = plugin.spawn(her_body, corpus=talker.corpus())
    face = plugin.world.get(her.entity, Face)
    jaw = face.names.index("jawOpen")
    her.say((talker.voice(1.5, pauses=()), 16_000))
    open_ = []
    for _ in range(120):
        base.frames(1)
        open_.append(plugin.figure(her).vertices.face[jaw])
    assert max(open_[15:75]) > 0.1
    assert open_[-1] < 0.02
    plugin.destroy()


def test_a_host_with_a_shader_of_its_own_lights_her_and_one_without_does_not(
    plugin: AvatarPlugin, base: Any, her_body: Body
) -> None:
    def shader(her: Any) -> Any:
        return her.node.find("skin/+GeomNode").getNetState().getAttrib(ShaderAttrib).getShader()

    ours = plugin.spawn(her_body, corpus=talker.corpus())
    host = Shader.make(Shader.SL_GLSL, "#version 150\nvoid main() {}", "#version 150\nvoid main() {}")
    base.render.setShader(host)
    theirs = plugin.spawn(her_body, corpus=talker.corpus())
    assert shader(ours) not in (None, host)
    assert shader(theirs) == host
    base.render.clearShader()
    plugin.destroy()


def test_the_mode_changes_at_the_next_tick(plugin: AvatarPlugin, base: Any) -> None:
    spawn(plugin)
    plugin.mode = Mode.PUBLIC
    base.frames(1)
    assert plugin.mode is Mode.PUBLIC
    plugin.destroy()


def test_a_joint_she_does_not_have_is_refused_by_name(plugin: AvatarPlugin) -> None:
    her = spawn(plugin)
    with pytest.raises(KinesicsError, match="no joint 'tail'"):
        plugin.joint(her, "tail")
    plugin.destroy()


def test_a_missing_configuration_file_is_refused_before_anything_is_added(base: Any) -> None:
    before = footprint(base)
    with pytest.raises(ConfigError):
        AvatarPlugin(base, "no-such.toml")
    assert footprint(base) == before


def test_the_shipped_woman_spawns_by_default(plugin: AvatarPlugin, base: Any, her_body: Body) -> None:
    her = plugin.spawn()
    base.frames(2)
    assert her.body.digest == her_body.digest
    assert her.node.getParent() == base.render
    plugin.destroy()


def test_a_handle_of_one_who_was_removed_is_silent_and_no_traceback(plugin: AvatarPlugin) -> None:
    her = plugin.spawn(talker.body(), corpus=talker.corpus())
    her.say((talker.voice(1.0), 16_000))
    her.stillness = 0.5
    plugin.remove(her)
    assert not her.is_here
    assert not her.speaking
    assert her.stillness == 0.0
    assert her.deliver() == []
    her.stillness = 0.2
    her.say((talker.voice(1.0), 16_000))
    her.stop()
    with pytest.raises(KinesicsError, match="was removed"):
        her.figures()


def test_she_looks_at_the_camera_that_a_host_names_and_at_nobody_once_it_is_gone(
    base: Any, plugin: AvatarPlugin
) -> None:
    her = spawn(plugin)
    her.node.setH(180.0)  # she faces the other way, and so does what is before her
    eye = base.render.attachNewNode("eye")
    eye.setPos(0.5, 2.0, 1.6)
    base.frames(3)
    gaze = plugin.world.get(her.entity, Gaze)
    assert gaze.viewer is None
    plugin.viewer = eye
    base.frames(3)
    assert gaze.viewer == pytest.approx((-0.5, 1.6, 2.0), abs=1e-5)  # x to her left, y up, z before her
    said = gaze.viewer
    base.frames(3)
    assert gaze.viewer is said  # told again only where it has moved
    eye.setX(-0.5)
    base.frames(3)
    assert gaze.viewer == pytest.approx((0.5, 1.6, 2.0), abs=1e-5)
    eye.removeNode()
    base.frames(3)
    assert gaze.viewer is None
