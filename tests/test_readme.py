"""What the README tells a stranger to type exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kinesics.engine_plugin.cli import main

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = sorted({match[1] for match in re.finditer(r"`kinesics ((?:avatar |corpus )?[a-z]+)[^`]*`", TEXT)})


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_named_exists_with_its_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.split(), "--help"]) == 0
    said = capsys.readouterr().out
    for match in re.finditer(rf"`kinesics {command}([^`]*)`", TEXT):
        for option in re.findall(r" (--?[a-z-]+)", match[1]):
            assert option in said, f"kinesics {command} has no {option}"


def test_setting_up_takes_two_lines_that_can_be_copied() -> None:
    lines = [line for line in TEXT.splitlines() if "python3 -m venv" in line]
    assert len(lines) == 2
    assert lines[0].endswith(".venv/bin/kinesics")
    assert lines[1].endswith("-m pytest -q")


def test_pictures_and_pages_that_are_named_are_there() -> None:
    linked = re.findall(r"\]\(([^)#]+)\)", TEXT) + re.findall(
        r"`((?:docs|assets|tests|components|systems)/[\w/.]+)`", TEXT
    )
    assert linked
    assert [name for name in linked if not name.startswith("http") and not (ROOT / name).exists()] == []
