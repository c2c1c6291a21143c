"""One import name, light to import, whole in the wheel and beside other people's folders of the same names."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import kinesics

ROOT = Path(__file__).parents[1]
FOLDERS = ("engine_plugin", "systems", "components", "assets")
HEAVY = ("numpy", "numba", "panda3d", "torch", "sounddevice", "librosa", "scipy", "typer")


def _child(code: str, folder: Path, *path: Path) -> str:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path or (ROOT,)))}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def _loaded(code: str, folder: Path, names: tuple[str, ...]) -> list[str]:
    return _child(f"{code}\nimport sys\nprint('loaded', *[n for n in {names!r} if n in sys.modules])", folder).split()[
        1:
    ]


def test_importing_kinesics_loads_nothing_heavy(tmp_path: Path) -> None:
    assert _loaded("import kinesics", tmp_path, HEAVY) == []


def test_asking_for_help_loads_no_engine_and_no_compiler(tmp_path: Path) -> None:
    code = "from kinesics.engine_plugin.cli import main\nimport io, contextlib\n"
    code += "with contextlib.redirect_stdout(io.StringIO()): assert main(['run', '--help']) == 0"
    assert _loaded(code, tmp_path, ("numba", "panda3d", "torch", "sounddevice", "librosa", "scipy")) == []


def test_the_systems_load_no_engine(tmp_path: Path) -> None:
    """Not asked about scipy: numba loads it by itself where it is installed."""
    code = "from kinesics.systems import headless"
    assert _loaded(code, tmp_path, ("panda3d", "direct", "torch", "sounddevice", "librosa", "PIL")) == []


def test_a_second_copy_of_a_class_cannot_arise() -> None:
    """`import systems.x` works in a checkout; its relative imports leave the top, so it fails at once."""
    code = "import systems.kernels.fk\ntry:\n    import systems.voice\nexcept ImportError as e:\n    print(e)"
    assert "beyond top-level package" in _child(code, ROOT)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    builders = pytest.importorskip(
        "hatchling.builders.wheel", reason="hatchling is not installed: pip install -e .[dev]"
    )
    folder = tmp_path_factory.mktemp("wheel")
    return Path(next(iter(builders.WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"]))))


def _sources() -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }


def test_the_wheel_holds_every_file_under_the_one_name(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        licences = [name for name in archive.namelist() if name.endswith("licenses/LICENSE")]
    assert {name.split("/")[0] for name in names} == {"kinesics"}
    assert {f"kinesics/{source}" for source in _sources()} <= names
    assert "kinesics/py.typed" in names
    assert licences


def test_the_wheel_works_beside_a_project_with_the_same_folder_names(wheel: Path, tmp_path: Path) -> None:
    """A game built on components and systems has folders of exactly these names; its own must win for it."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    game = tmp_path / "game"
    for name in ("systems", "components"):
        (game / name).mkdir(parents=True)
        (game / name / "__init__.py").write_text("MINE = True\n")
    code = (
        "import systems, components, kinesics.components.config as c, kinesics.systems.kernels as k\n"
        "from importlib.resources import files\n"
        "assert systems.MINE and components.MINE\n"
        "text = (files('kinesics.assets') / 'default.toml').read_text()\n"
        "assert c.parse(text, 'default.toml') == c.Config.default()\n"
        "print(c.__file__)"
    )
    assert str(tmp_path / "site") in _child(code, game, game, tmp_path / "site")


def test_the_source_archive_holds_what_its_tests_need(tmp_path: Path) -> None:
    builders = pytest.importorskip(
        "hatchling.builders.sdist", reason="hatchling is not installed: pip install -e .[dev]"
    )
    path = next(iter(builders.SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])))
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert _sources() | {"main.py", "LICENSE", "README.md", "tests/conftest.py", ".ci/run"} <= names


def test_the_version_is_said_once() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "main.py"), "--version"], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == f"kinesics {kinesics.__version__}"
