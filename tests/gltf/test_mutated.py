"""Damaged files end in a Body or in one line, never in anything else."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kinesics.components.errors import AvatarError
from kinesics.components.gltf import read
from kinesics.components.gltf.inspect import inspect
from kinesics.engine_plugin.cli import main
from tests.gltf.bytes_of import unpack
from tests.gltf.figures import build
from tests.gltf.mutations import damaged
from tests.gltf.test_packed import with_draco, with_meshopt

_GOOD = [
    {"vrm": "1.0", "sparse": "bare", "weights": "u1", "color": "vec4"},
    {"interleaved": True, "skins": 2, "scheme": "mixamo", "influences": 8},
    {"rigid": True, "vrm": "0.x", "turned": True},
    {"quantised": True, "vrm": "0.x", "sparse": "based"},
]


ALONE = 150 << 10  # kB that the command has before it reads a file


def _kilobytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name + ":"))


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
def test_two_thousand_damaged_files_end_in_a_table_or_one_line_of_the_command(
    tmp_path: Path, shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`kinesics avatar inspect` on byte flips, cut ends and edits of plain, packed and strangers' files.

    No traceback, none over 5 s of processor time, the process never above 1 GB.
    """
    plain = [build(**options)[0] for options in _GOOD]
    strangers = [path.read_bytes() for path in sorted((shared / "data" / "avatars").glob("[!Bm]*.[gv]*"))]
    packed = [with_meshopt(*unpack(build()[0])), with_draco(*unpack(build()[0]))]
    files = [*plain, *packed, *strangers]
    path = tmp_path / "damaged.glb"
    ends = {0: 0, 1: 0}
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here: other tests share this process
    before = _kilobytes("VmRSS")
    for seed in range(1000, 3000):
        path.write_bytes(damaged(files[seed // 8 % len(files)], seed))
        start = time.process_time()
        ends[main(["avatar", "inspect", str(path), *(["--json"] if seed % 2 else [])])] += 1
        assert time.process_time() - start < 5.0, seed
        out, err = capsys.readouterr()
        assert bool(out) != bool(err), seed
        assert err.count("\n") == (1 if err else 0), seed
        assert len(err) < 600, seed
    assert min(ends.values()) > 100
    assert _kilobytes("VmHWM") - before < (1 << 20) - ALONE
