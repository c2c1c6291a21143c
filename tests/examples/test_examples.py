"""The example programs run as they are, in memory, and show her talking."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SIZE = (320, 240)
# Takes the place of `base.run()`: frames of 1/60 s in memory, with a picture kept after each of the numbers named.
DRIVE = """
import runpy, sys
from panda3d.core import ClockObject, loadPrcFileData
file, folder, width, height, *kept = sys.argv[1:]
loadPrcFileData("", f"load-display p3headlessgl\\nwindow-type offscreen\\nwin-size {width} {height}\\n"
                "audio-library-name null\\nkinesics-sound false\\nnotify-level error\\nnotify-level-device fatal\\n"
                "notify-level-egldisplay fatal")
from direct.showbase.ShowBase import ShowBase
clock = ClockObject.getGlobalClock()
clock.setMode(ClockObject.MNonRealTime)
clock.setDt(1 / 60)
kept = [int(k) for k in kept]
def run(base):
    for frame in range(max(kept) + 1):
        for window in base.graphicsEngine.getWindows():
            window.setActive(frame in kept)
        base.taskMgr.step()
        if frame in kept:
            assert base.win.saveScreenshot(f"{folder}/{frame:04d}.png")
ShowBase.run = run
runpy.run_path(file, run_name="__main__")
"""


def pictures(name: str, folder: Path, kept: tuple[int, ...], size: tuple[int, int] = SIZE) -> list[np.ndarray]:
    """Run an example and return what its window showed on these frames, (H, W, 3) u8 each."""
    done = subprocess.run(
        [sys.executable, "-c", DRIVE, str(EXAMPLES / name), str(folder), *map(str, (*size, *kept))],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    return [np.asarray(Image.open(folder / f"{k:04d}.png").convert("RGB")) for k in kept]


def moved(a: np.ndarray, b: np.ndarray) -> int:
    """Return how many pixels differ by more than rounding."""
    return int((np.abs(a.astype(int) - b.astype(int)) > 12).any(axis=2).sum())


@pytest.mark.long
@pytest.mark.parametrize("name", ["eight_lines.py", "simplepbr_scene.py", "host_voice.py"])
def test_an_example_shows_her_and_she_moves(drawing: None, tmp_path: Path, name: str) -> None:
    if name == "simplepbr_scene.py":
        pytest.importorskip("simplepbr", reason="panda3d-simplepbr is not installed (the extra `examples`)")
    standing, talking = pictures(name, tmp_path, (3, 90))
    assert np.ptp(standing.reshape(-1, 3), axis=0).max() > 100  # she is there: more than one colour of a background
    assert moved(standing, talking) > 200


def test_eight_lines_are_eight_at_most() -> None:
    lines = (EXAMPLES / "eight_lines.py").read_text(encoding="utf-8").split('"""')[2].splitlines()
    assert len([line for line in lines if line.strip()]) <= 8


@pytest.mark.long
def test_under_simplepbr_with_hardware_skinning_her_mouth_moves(drawing: None, tmp_path: Path) -> None:
    """The same program nearer and with her head held still: what changes below her nose is her mouth."""
    pytest.importorskip("simplepbr", reason="panda3d-simplepbr is not installed (the extra `examples`)")
    source = (EXAMPLES / "simplepbr_scene.py").read_text(encoding="utf-8")
    assert "use_hardware_skinning=True" in source
    still = tmp_path / "still.toml"
    still.write_text('[run]\nlayers = ["face"]\n', encoding="utf-8")
    near = "base.camera.setPos(0, -2, 1.5)\nbase.camera.lookAt(0, 0, 1.5)\nbase.camLens.setFov(9)\n"
    program = tmp_path / "near.py"
    source = source.replace("AvatarPlugin(base)", f"AvatarPlugin(base, {str(still)!r})")
    program.write_text(source.replace("base.run()", near + "base.run()"), encoding="utf-8")
    closed, *talking = pictures(str(program), tmp_path, (3, 60, 75, 90))
    lower = SIZE[1] // 2
    assert max(moved(closed[lower:], picture[lower:]) for picture in talking) > 200
