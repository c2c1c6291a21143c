"""What a person reads of a stranger's file: one thing a line, what degrades at the end, whatever its names hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kinesics.engine_plugin.cli import main
from tests.gltf.bytes_of import glb, unpack
from tests.gltf.figures import build

ROOT = Path(__file__).parents[2]
Said = pytest.CaptureFixture[str]


def test_the_table_says_what_degrades_and_the_json_says_the_same(tmp_path: Path, capsys: Said) -> None:
    path = tmp_path / "her.glb"
    path.write_bytes(build(scheme="unreal", drop=("neck", "leftShoulder", "rightShoulder"), morph_names=("x",))[0])
    assert main(["avatar", "inspect", str(path)]) == 0
    table = capsys.readouterr().out
    assert main(["avatar", "inspect", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    rows = {line[:13].strip() for line in table.splitlines() if line[:1].strip()}
    assert rows == {
        "file", "stands", "draws", "bones", "missing", "mouth", "blinks", "units", "visemes", "expressions", "morphs",
        "degrades", "warnings",
    }  # fmt: skip
    assert "mouth        does not move" in table
    for line in told["degrades"]:
        assert f"degrades     {line}" in table
    assert any(line.startswith("neck: ") for line in told["degrades"])
    assert any(line.startswith("leftShoulder, rightShoulder: ") for line in told["degrades"])


def test_a_whole_body_degrades_in_nothing(capsys: Said) -> None:
    from kinesics.systems import headless

    assert main(["avatar", "inspect", str(headless.AVATAR)]) == 0
    out = capsys.readouterr().out
    assert "degrades     nothing" in out
    assert "units        52 of ARKit's 52" in out


def test_a_bone_map_on_the_command_line_is_used_and_its_mistakes_are_one_line(tmp_path: Path, capsys: Said) -> None:
    path, bones = tmp_path / "her.glb", tmp_path / "map.toml"
    path.write_bytes(build(scheme="mixamo")[0])
    bones.write_text('[bones]\njaw = ""\n')
    assert main(["avatar", "inspect", str(path), "--bones", str(bones), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["missing"] == ["jaw"]
    bones.write_text("[bones]\nhip = 1\n")
    assert main(["avatar", "inspect", str(path), "--bones", str(bones)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kinesics: map.toml: [bones] 'hip' is no bone; the bones are hips,")


def test_names_of_any_script_break_no_terminal(tmp_path: Path) -> None:
    """Line ends and control characters do not reach it, letters it does not know become question marks."""
    document, chunk = unpack(build(morph_names=("まばたき", "a\nb\x1b[31m", "x"))[0])
    path = tmp_path / "her.glb"
    path.write_bytes(glb(document, chunk))
    done = subprocess.run(
        [sys.executable, "-m", "kinesics", "avatar", "inspect", str(path)],
        cwd=ROOT, capture_output=True, timeout=60, check=False,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout
    assert b"????, a b [31m, x" in done.stdout
