"""`kinesics avatar measure`: a file, a report and a picture of how well capsules stand for her skin."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from kinesics.components import gltf
from kinesics.components.arrays import Bool
from kinesics.engine_plugin.cli import main
from kinesics.systems import headless
from kinesics.systems.collide.offline import store
from kinesics.systems.collide.offline.draw import COLOURS, STICKS

Said = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the command makes of the shipped woman: body.npz, and what it printed and said."""
    folder = tmp_path_factory.mktemp("measured")
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        assert main(["avatar", "measure", str(headless.AVATAR), "-o", str(folder / "body.npz"), "--json"]) == 0
    (folder / "report.json").write_text(out.getvalue())
    (folder / "said.txt").write_text(err.getvalue())
    return folder


def test_the_shipped_woman_is_measured_within_the_goals(made: Path) -> None:
    found = json.loads((made / "report.json").read_text())
    assert "Measuring the skin of default.vrm." in (made / "said.txt").read_text()
    assert found["covered_5mm"] >= 0.99
    assert found["protrusion_p95_mm"] <= 8.0
    assert (found["capsules"] > 150, found["bones"], found["base_inside_mm"]) == (True, 52, 0.0)
    assert found["joined_pairs"] > 20
    assert found["seconds"] > 0.0
    capsules = store.load(made / "body.npz", gltf.read(headless.AVATAR).rig)
    assert len(capsules.joint) == found["capsules"]
    assert len(capsules.pair) == found["allowed_pairs"]


def _is(image: np.ndarray, colour: np.ndarray) -> Bool:
    """Return where a shaded colour of this hue lies."""
    whole = image / np.maximum(image.max(axis=2, keepdims=True), 1.0)
    return np.abs(whole - colour / colour.max()).max(axis=2) < 0.03


@pytest.mark.long
def test_the_picture_shows_every_part_of_her_and_little_orange(made: Path, tmp_path: Path) -> None:
    body, picture = tmp_path / "body.npz", tmp_path / "body.png"
    assert main(["avatar", "measure", str(headless.AVATAR), "-o", str(body), "--picture", str(picture)]) == 0
    assert body.read_bytes() == (made / "body.npz").read_bytes()
    image = np.asarray(Image.open(picture).convert("RGB")).astype(float)
    assert image.shape[0] == 900
    shown = [int(_is(image, colour).sum()) for colour in COLOURS]
    assert min(shown) > 300, "px: trunk, upper arms, forearms, palms, fingers"
    assert _is(image, 0.5 * COLOURS[0] + 0.5 * STICKS).sum() < 0.1 * shown[0]


def test_people_read_it_as_a_table(made: Path, capsys: Said) -> None:
    assert main(["avatar", "measure", str(headless.AVATAR), "-o", str(made / "again.npz")]) == 0
    out = capsys.readouterr().out
    assert "% within 5 mm of a capsule" in out
    assert "mm at the 95th percentile" in out
    assert "joined" in out
    assert (made / "again.npz").read_bytes() == (made / "body.npz").read_bytes(), "the same skin, the same bits"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nobody.vrm", "-o", "b.npz"], 1, "nobody.vrm"),
        ([str(headless.AVATAR), "-o", "b.txt"], 2, "must end in .npz"),
        ([str(headless.AVATAR), "-o", "b.npz", "--picture", "p.jpg"], 2, "must end in .png"),
        ([str(headless.AVATAR), "-o", "nowhere/b.npz"], 1, "there is no folder"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    arguments: list[str], code: int, said: str, capsys: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["avatar", "measure", *arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert said in " ".join(err.split())
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())
