"""Damaged files end in a Body or in one line, never in anything else."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kinesics.components.errors import AvatarError
from kinesics.components.gltf import read
from kinesics.components.gltf.inspect import inspect
from tests.gltf.figures import build
from tests.gltf.mutations import damaged

_GOOD = [
    {"vrm": "1.0", "sparse": "bare", "weights": "u1", "color": "vec4"},
    {"interleaved": True, "skins": 2, "scheme": "mixamo", "influences": 8},
    {"rigid": True, "vrm": "0.x", "turned": True},
    {"quantised": True, "vrm": "0.x", "sparse": "based"},
]


def _survives(folder: Path, files: list[bytes], seeds: range) -> dict[str, int]:
    path = folder / "damaged.glb"
    ends = {"read": 0, "refused": 0}
    for seed in seeds:
        path.write_bytes(damaged(files[seed // 8 % len(files)], seed))
        start = time.process_time()
        line = ""
        try:
            inspect(read(path))
        except AvatarError as error:
            line = str(error)
        ends["refused" if line else "read"] += 1
        assert "\n" not in line, seed
        assert len(line) < 500, seed
        assert time.process_time() - start < 5.0, seed
    return ends


def test_damage_ends_in_a_body_or_one_line(tmp_path: Path) -> None:
    ends = _survives(tmp_path, [build(**options)[0] for options in _GOOD], range(240))
    assert min(ends.values()) > 10  # damage that nothing notices, and damage that something does


@pytest.mark.long
@pytest.mark.filterwarnings("error")
def test_two_thousand_damaged_files_end_in_a_body_or_one_line(tmp_path: Path) -> None:
    ends = _survives(tmp_path, [build(**options)[0] for options in _GOOD], range(1000, 3000))
    assert min(ends.values()) > 100


@pytest.mark.long
def test_damaged_real_files_end_in_a_body_or_one_line(tmp_path: Path, shared: Path) -> None:
    folder = shared / "data" / "avatars"
    files = [*sorted(folder.glob("*.vrm")), folder / "CesiumMan.glb"]
    _survives(tmp_path, [file.read_bytes() for file in files], range(5000, 5600))
