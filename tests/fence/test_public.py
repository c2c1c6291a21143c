"""In public there is no head: nothing makes one, nothing calls one, and a type says so before any test does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kinesics.components.config import Config
from kinesics.components.errors import FenceError
from kinesics.components.fence import Fence
from kinesics.components.head import Head
from kinesics.components.mode import Mode, Private, Public, audience
from kinesics.engine_plugin.cli import main
from kinesics.systems import headless
from kinesics.systems.kernels import head as kernel
from tests.fence import heads
from tests.layers import ROOT, files

SWITCH = import_module("kinesics.systems.fence.switch")  # the package has a function of that name
# What makes, reads, lays out or runs a head. A function that does any of it is given a Private.
MAKES = {"Head", "load", "tables_of", "propose", "Proposer"}
# Modules whose names these are; `load` of others is another thing
FROM = {"head", "kernels", "fence"}
# What works without an avatar on show, and what reads the log of a run that was private
OFF_STAGE = ("systems/fence/offline/", "engine_plugin/bench/", "engine_plugin/cli/fence", "systems/kernels/")
DEFINES = ("components/head.py", "components/fence.py", "systems/fence/head.py", "systems/figures/replay.py")


def _calls(path: Path) -> Iterator[tuple[int, str, ast.FunctionDef | None]]:
    """Yield line, name and enclosing function of every call that makes or runs a head."""
    text = path.read_text(encoding="utf-8")
    if not any(f"{name}(" in text for name in MAKES):
        return
    tree = ast.parse(text)
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] in FROM:
            names |= {alias.asname or alias.name for alias in node.names}
    for function, call in _inside(tree, None):
        target = call.func
        owner = target.value.id if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) else ""
        name = target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""
        if name in MAKES and (owner or name) in names:
            yield call.lineno, name, function


def _inside(node: ast.AST, function: Any) -> Iterator[tuple[Any, ast.Call]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield function, child
        yield from _inside(child, child if isinstance(child, ast.FunctionDef) else function)


def _takes_private(function: ast.FunctionDef | None) -> bool:
    return function is not None and any(
        isinstance(argument.annotation, ast.Name) and argument.annotation.id == "Private"
        for argument in function.args.args
    )


def test_whatever_makes_or_runs_a_head_is_given_her_person() -> None:
    found = []
    for path in files():
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(OFF_STAGE) or name in DEFINES:
            continue
        found += [(name, line, what, _takes_private(function)) for line, what, function in _calls(path)]
    assert {(name, what) for name, _, what, _ in found} >= {
        ("systems/fence/judge.py", "propose"), ("systems/fence/switch.py", "tables_of"),
        ("systems/fence/switch.py", "load"), ("systems/fence/switch.py", "Proposer"),
    }  # fmt: skip
    assert [place for place in found if not place[3]] == []


def test_only_the_mode_makes_her_person() -> None:
    makes = []
    for path in files():
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text if "Private(" in text else "")):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Private":
                makes.append(path.relative_to(ROOT).as_posix())
    assert makes == ["components/mode.py"]
    assert audience(Mode.PUBLIC) == Public()
    assert audience(Mode.TRAINING) == audience(Mode.PRIVATE) == Private()
    assert not issubclass(Public, Private)


@pytest.fixture
def no_head(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Whatever makes, reads or calls a head is written down, and fails."""
    called: list[str] = []

    def told(name: str) -> Any:
        def fails(*_: Any, **__: Any) -> Any:
            called.append(name)
            raise AssertionError(f"{name} in public")

        return fails

    monkeypatch.setattr(Head, "__post_init__", told("a head was made"))
    monkeypatch.setattr(SWITCH, "load", told("a head was read"))
    monkeypatch.setattr(SWITCH, "tables_of", told("a head was laid out"))
    monkeypatch.setattr(kernel, "propose", told("a head was asked"))
    return called


def test_no_head_is_built_read_or_called_in_a_public_stream(no_head: list[str], tmp_path: Path) -> None:
    head = tmp_path / "head.npz"
    head.write_bytes(b"whoever reads this fails")
    for stage in ("shadow", "live"):
        config = Config.default()
        config = replace(
            config, run=replace(config.run, mode="public"), fence=replace(config.fence, stage=stage, weights=str(head))
        )
        world = headless.world(seed=1, config=config)
        world.avatar.say(headless.HELLO)
        with pytest.raises(FenceError, match="a public stream has no head"):
            world.avatar.fence(stage, head)
        world.inbox.post("fence", 0, stage=stage, head=object())  # one that was asked for before the stream began
        for _ in range(60):
            world.step(headless.TICK)
        assert not world.has(0, Fence)
        assert world.avatar.figures()["fence"] is None
    assert no_head == []


def test_a_fence_that_runs_is_not_called_again_once_the_stream_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    world = headless.world(seed=1)
    asked = []
    propose = kernel.propose
    monkeypatch.setattr(kernel, "propose", lambda *given: (asked.append(world.tick), propose(*given)))
    world.inbox.post("fence", 0, stage="live", head=heads.still(world))
    for _ in range(5):
        world.step(headless.TICK)
    world.inbox.post("mode", mode="public")
    for _ in range(5):
        world.step(headless.TICK)
    assert asked == [0, 1, 2, 3, 4]


def test_a_public_run_that_asks_for_it_is_wrong_use(no_head: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--headless", "--seconds", "1", "--mode", "public", "--fence", "shadow"]) == 2
    assert "a public stream, which has no head" in " ".join(capsys.readouterr().err.split())
    assert no_head == []
