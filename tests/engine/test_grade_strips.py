"""What she grades from: two replays of one motion are alike to the byte, and an arm in her body is seen to be there."""

from __future__ import annotations

import dataclasses
import io
import os
import re
import struct
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graded import layer, said
from PIL import Image

from kinesics.components.errors import OutputError
from kinesics.components.grading import Figures
from kinesics.components.inbox import Inbox
from kinesics.components.skin import Body
from kinesics.engine_plugin.grading import strips
from kinesics.engine_plugin.grading.drawer import Drawer
from kinesics.engine_plugin.grading.ink import inked
from kinesics.engine_plugin.grading.page import write_page
from kinesics.engine_plugin.grading.strips import A_LINE, PANEL, Moments
from kinesics.systems import headless
from kinesics.systems.collide.body import fitted
from kinesics.systems.collide.offline.figure import Figure
from kinesics.systems.collide.offline.stress import stress
from kinesics.systems.figures import Run
from kinesics.systems.grading import Outcome, Store
from kinesics.systems.retarget import measure


def chunks(png: bytes) -> list[bytes]:
    """Return the kinds of chunks a PNG file is made of."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    out, at = [], 8
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        out.append(png[at + 4 : at + 8])
        at += 12 + size
    return out


def standing(body: Body, count: int = 1) -> Moments:
    """Return moments of her in her file's rest pose."""
    rotation = np.repeat(body.rig.rest_rotation[None], count, axis=0)
    face = np.zeros((count, len(body.morph_names)), np.float32)
    return Moments(np.arange(count) / 2.0, rotation, np.zeros((count, 3)), face)


def outcome(number: int, run: Run) -> Outcome:
    return Outcome(number, said(number), run, np.array([10, 60], np.int32))


def test_a_line_is_drawn_where_an_arm_ends_before_her_body_and_none_where_it_goes_in() -> None:
    grey = np.full((64, 64, 4), 180, np.uint8)
    across = np.linspace(-0.032, 0.032, 64)[None, :] + np.zeros((64, 1))
    body = np.full((64, 64), 6.0)
    before = np.where(np.abs(across) < 0.01, body - 0.05, body)  # 5 cm in front of it
    inside = body - np.maximum(0.0, 0.01 - np.abs(across)) * 0.3  # its rounded front comes out of the body
    lines = [int(inked(grey, (depth / 12.0).astype(np.float32), 12.0)[16].min()) for depth in (before, inside)]
    assert lines[0] < 120 < 170 < lines[1]


def test_a_strip_is_pixels_and_nothing_else(tmp_path: Path) -> None:
    picture = strips._sheet([[(Image.new("RGB", (PANEL, PANEL)),)] * 2])
    assert set(chunks(picture)) == {b"IHDR", b"IDAT", b"IEND"}
    times = []
    for number in (1, 2):
        paths = strips.write((picture, picture), number, tmp_path / "strips")
        assert [path.name for path in paths] == [f"{number}-front.png", f"{number}-side.png"]
        times += [path.stat().st_mtime for path in paths]
        time.sleep(0.02)
    assert len(set(times)) == 1
    assert sorted(os.listdir(tmp_path / "strips")) == ["1-front.png", "1-side.png", "2-front.png", "2-side.png"]


def test_half_a_pair_of_strips_is_never_left(tmp_path: Path) -> None:
    (tmp_path / "3-side.png").mkdir()  # in the way of the second
    with pytest.raises(OutputError, match="cannot be written"):
        strips.write((b"a", b"b"), 3, tmp_path)
    assert not (tmp_path / "3-front.png").exists()


def test_the_page_for_her_person_names_no_layer_and_no_place_of_this_machine(tmp_path: Path) -> None:
    store, choice = Store(tmp_path / "grades.sqlite"), [layer("drawn-a"), layer("drawn-b")]
    for number in (1, 2, 3):
        drawn = store.draw(dataclasses.replace(said(number), text="<b>1 & 2</b>"), choice, Inbox())
        store.finish(drawn, Figures(0.0, 0.0, 0.0, 0.0, 0, 0))
        store.show(drawn, strips.write((b"front", b"side"), drawn, store.pictures))
    store.submit(1, "bad", "her arm is in her hip")
    page = write_page(store)
    text = page.read_text(encoding="utf-8")
    pictures = re.findall(r'src="([^"]+)"', text)
    assert len(pictures) == 6
    assert all((page.parent / name).is_file() for name in pictures)
    assert "&lt;b&gt;1 &amp; 2&lt;/b&gt;" in text
    assert str(tmp_path) not in text
    assert [int(n) for n in re.findall(r'section id="(\d+)"', text)] == [2, 3, 1]  # what waits comes first
    for name in choice:
        assert name.name not in text


@pytest.mark.long
def test_two_replays_of_one_motion_look_alike_to_the_byte(drawing: None, her_body: Body, tmp_path: Path) -> None:
    world = headless.world(her_body, with_corpus=False)
    run = headless.run(world, 70 / 60)
    found = []
    for number in (7, 8):  # two ids, as if two layers that have nothing to do here had been drawn
        paths = strips.render(her_body, outcome(number, run), tmp_path)
        found.append([path.read_bytes() for path in paths])
    assert found[0] == found[1]
    sizes = [Image.open(io.BytesIO(data)).size for data in found[0]]
    assert sizes == [(A_LINE * PANEL, PANEL), (A_LINE * PANEL, 2 * PANEL)]


@pytest.mark.long
def test_a_hand_in_her_hip_is_missing_from_the_strip(drawing: None, her_body: Body) -> None:
    found = fitted(her_body, measure(her_body.rig))
    assert found.capsules is not None
    figure = Figure("her", her_body.rig, found.anatomy, found.capsules)
    rotation = stress(figure, 4, 300)[[36, 271]]
    root = np.repeat(found.anatomy.base_root[None], 2, axis=0)
    face = np.zeros((2, len(her_body.morph_names)), np.float32)
    seen = []
    for shown in (rotation, figure.base(2)):  # hands 6 cm and more inside, and hanging clear of her
        front, _ = strips.draw(her_body, Moments(np.zeros(2), shown, root, face))
        pixels = np.asarray(Image.open(io.BytesIO(front)).convert("RGB")).astype(int)[:, PANEL : 2 * PANEL]
        red, green, blue = np.moveaxis(pixels[PANEL // 2 :], -1, 0)  # the second moment, below her elbows
        seen.append(int(((red > green + 25) & (green > blue + 8) & (red > 130)).sum()))  # skin
    assert seen[0] < 0.75 * seen[1]


@pytest.mark.long
def test_strips_come_from_a_process_that_is_gone_when_it_is_closed(
    drawing: None, her_body: Body, tmp_path: Path
) -> None:
    drawer = Drawer()
    try:
        drawer.ask(1, her_body, standing(her_body), tmp_path)
        number, drawn = _wait(drawer)
        assert number == 1
        assert not isinstance(drawn, str), drawn
        assert tuple(path.read_bytes() for path in drawn) == strips.draw(her_body, standing(her_body))
        os.kill(drawer.pid, 9)  # and it starts another for the next
        drawer.ask(2, her_body, standing(her_body), tmp_path)
        drawer.ask(3, her_body, standing(her_body), tmp_path)
        said_of = [_wait(drawer), _wait(drawer)]
        assert [number for number, _ in said_of] == [2, 3]
        assert not isinstance(said_of[1][1], str), said_of
        drawer.ask(4, her_body, standing(her_body, 8), tmp_path)
        time.sleep(0.3)
        pid = drawer.pid
        assert pid
    finally:
        drawer.close()
    assert not Path(f"/proc/{pid}").exists()
    assert not any(path.name.startswith(("4-", ".")) for path in tmp_path.iterdir())


def _wait(drawer: Drawer, seconds: float = 60.0) -> tuple[int, Any]:
    until = time.monotonic() + seconds
    while not drawer.done:
        assert time.monotonic() < until, "no strips came"
        time.sleep(0.02)
    return drawer.done.popleft()
