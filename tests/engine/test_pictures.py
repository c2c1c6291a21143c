"""What a viewer sees: strips, portraits, and her mouth in a host that would have frozen it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from panda3d.core import Shader, ShaderAttrib
from PIL import Image

from kinesics.components.errors import AvatarError, OutputError
from kinesics.components.pose import Pose
from kinesics.components.skin import Body, Material
from kinesics.components.skin import Image as Texture
from kinesics.engine_plugin import materials, scene
from kinesics.engine_plugin.offscreen import Stage
from kinesics.engine_plugin.strips import portrait, render_strip
from kinesics.engine_plugin.view import FRONT, NEAR, SIDE
from tests.engine import made_up

pytestmark = pytest.mark.usefixtures("drawing")

SIZE = (120, 144)
HOST = (
    """#version 150
uniform mat4 p3d_ModelViewProjectionMatrix; uniform mat4 p3d_TransformTable[100];
in vec4 p3d_Vertex; in vec4 transform_weight; in uvec4 transform_index; in vec3 p3d_Normal; out vec3 n;
void main() {
    mat4 skin = mat4(0.0);
    for (int k = 0; k < 4; k++) skin += p3d_TransformTable[transform_index[k]] * transform_weight[k];
    if (transform_weight == vec4(0, 0, 0, 1) || transform_weight == vec4(0)) skin = mat4(1.0);
    gl_Position = p3d_ModelViewProjectionMatrix * (skin * p3d_Vertex); n = p3d_Normal;
}""",
    """#version 150
in vec3 n; out vec4 color;
void main() { color = vec4(n * 0.5 + 0.5, 1.0); }""",
)


def pose(body: Body, **turned: tuple[float, float, float, float]) -> Pose:
    out = Pose.of(len(body.rig.names))
    out.rotation[:] = body.rig.rest_rotation
    for name, rotation in turned.items():
        out.rotation[body.rig.humanoid[name]] = rotation
    out.world_position[:], out.world_rotation[:] = made_up.world(body, out.rotation)
    return out


def face(body: Body, **weights: float) -> np.ndarray:
    out = np.zeros(len(body.morph_names))
    for name, weight in weights.items():
        out[body.morph_names.index(name)] = weight
    return out


def changed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return which pixels differ by more than rounding."""
    return (np.abs(a.astype(int) - b.astype(int)) > 6).any(axis=-1)


def test_a_strip_shows_each_moment_from_the_front_and_from_the_side(her_body: Body, tmp_path: Path) -> None:
    still, raised = pose(her_body), pose(her_body, leftUpperArm=(0.8, 0, 0, 0.6))
    path = render_strip(her_body, [still, raised], None, tmp_path / "a.png", ["0 s", "1 s"], panel=SIZE)
    sheet = np.asarray(Image.open(path))
    assert sheet.shape == (2 * SIZE[1] + 30, 2 * SIZE[0], 3)
    front, side = sheet[: SIZE[1]], sheet[SIZE[1] : 2 * SIZE[1]]
    wall = sheet[2, 2].astype(int)

    def width(panel: np.ndarray) -> int:
        return int((np.abs(panel[: SIZE[1] // 2].astype(int) - wall) > 20).any(axis=(0, 2)).sum())

    assert width(front[:, : SIZE[0]]) > 1.5 * width(side[:, : SIZE[0]])  # shoulders are wider than deep
    assert changed(front[:, : SIZE[0]], front[:, SIZE[0] :]).mean() > 0.01  # the arm went up
    assert [file.name for file in tmp_path.iterdir()] == ["a.png"]


def test_an_arm_above_her_rest_pose_is_not_cut_off(her_body: Body) -> None:
    """The hand far outside the box that her vertices fill at rest is still drawn."""
    with Stage((FRONT,), SIZE) as stage:
        figure = scene.dress(her_body, shade=False)
        figure.node.reparentTo(stage.root)
        scene.show(figure, pose(her_body, leftUpperArm=(0.7071, 0, 0, 0.7071)))
        hand = figure.joints.array[her_body.rig.humanoid["leftMiddleProximal"], 3, :3]
        stage.look_at(np.array([hand[0], hand[2], -hand[1]], dtype=float), 0.2)
        assert changed(*_with_and_without(stage, figure)).mean() > 0.05
        figure.remove()


def _with_and_without(stage: Stage, figure: scene.Figure) -> tuple[np.ndarray, np.ndarray]:
    shown = stage.pictures()[0]
    figure.node.hide()
    return shown, stage.pictures()[0]


def test_opening_her_jaw_changes_her_mouth_and_nothing_above_her_eyes(her_body: Body) -> None:
    with Stage((NEAR,), (200, 240)) as stage:
        figure = scene.dress(her_body)
        figure.node.reparentTo(stage.root)
        height = scene.framing(figure)[1]
        stage.look_at(scene.head_centre(figure, height), scene.FACE_HEIGHT * height)
        closed = stage.pictures()[0]
        scene.show(figure, None, face(her_body, jawOpen=0.7))
        moved = changed(closed, stage.pictures()[0])
        assert moved[120:].sum() > 400
        assert moved[:80].sum() == 0
        figure.remove()


def test_her_mouth_still_moves_in_a_host_with_hardware_skinning_on(her_body: Body) -> None:
    """A host's shader that skins on the graphics card freezes shapes of a Panda Character; hers are plain vertices."""
    with Stage((NEAR,), (200, 240)) as stage:
        host = ShaderAttrib.make(Shader.make(Shader.SL_GLSL, *HOST)).setFlag(ShaderAttrib.F_hardware_skinning, True)
        stage.root.setAttrib(host)
        figure = scene.dress(her_body, own_light=False, shade=False)
        figure.node.reparentTo(stage.root)
        height = scene.framing(figure)[1]
        stage.look_at(scene.head_centre(figure, height), scene.FACE_HEIGHT * height)
        closed = stage.pictures()[0]
        scene.show(figure, None, face(her_body, jawOpen=0.7))
        assert changed(closed, stage.pictures()[0]).sum() > 400
        figure.remove()


def test_two_stages_drawn_in_turn_do_not_mix_their_cameras(her_body: Body) -> None:
    figure = scene.dress(her_body)
    with Stage((FRONT, SIDE), SIZE) as one, Stage((NEAR,), SIZE) as two:
        figure.node.reparentTo(one.root)
        first = one.pictures()
        figure.node.reparentTo(two.root)
        two.look_at(np.array([0, 1.4, 0]), 0.4)
        two.pictures()
        figure.node.reparentTo(one.root)
        for before, after in zip(first, one.pictures(), strict=True):
            np.testing.assert_array_equal(before, after)
    figure.remove()


def test_a_portrait_may_be_of_her_face(her_body: Body, tmp_path: Path) -> None:
    whole = np.asarray(Image.open(portrait(her_body, tmp_path / "whole.png", size=SIZE)))
    near = np.asarray(Image.open(portrait(her_body, tmp_path / "near.png", size=SIZE, near=True)))
    assert whole.shape == near.shape == (SIZE[1], SIZE[0], 3)
    assert changed(whole, near).mean() > 0.2


def test_a_picture_nobody_can_write_is_refused_before_it_is_drawn(her_body: Body, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="not there"):
        render_strip(her_body, [pose(her_body)], None, tmp_path / "no" / "a.png")
    with pytest.raises(OutputError, match="a folder"):
        portrait(her_body, tmp_path)
    link = tmp_path / "link.png"
    link.symlink_to(tmp_path / "elsewhere.png")
    with pytest.raises(OutputError, match="a link"):
        portrait(her_body, link)


def test_a_strip_of_nothing_says_so_and_leaves_nothing(her_body: Body, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="at least one moment"):
        render_strip(her_body, [], None, tmp_path / "a.png", panel=SIZE)
    assert not list(tmp_path.iterdir())


def test_a_broken_texture_is_named() -> None:
    with pytest.raises(AvatarError, match=r"x\.glb: image 'skin'"):
        materials.texture(Texture("skin", "image/png", b"not a picture"), "x.glb")


def test_a_texture_keeps_its_colours_and_its_way_up(tmp_path: Path) -> None:
    pixels = np.zeros((2, 2, 3), dtype=np.uint8)
    pixels[0, 0] = (200, 100, 50)  # top left
    Image.fromarray(pixels).save(tmp_path / "t.png")
    made = materials.texture(Texture("t", "image/png", (tmp_path / "t.png").read_bytes()), "x.glb")
    raw = np.frombuffer(memoryview(made.getRamImage()), dtype=np.uint8).reshape(2, 2, 4)
    np.testing.assert_array_equal(raw[1, 0], (50, 100, 200, 255))  # Panda: bottom row first, blue first
    assert raw[0].max() == 255
    assert raw[0, :, :3].max() == 0


def test_skin_is_told_from_cloth_by_name() -> None:
    assert materials.is_skin(Material("Face_Skin"))
    assert not materials.is_skin(Material("hair"))
    assert not materials.is_skin(Material("Body_Outfit"))
