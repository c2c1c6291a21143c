"""The key of her strips: the page opens in training, and in no other mode."""

from __future__ import annotations

import threading
import webbrowser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kinesics.components.mode import Mode
from kinesics.engine_plugin.app import grades


@pytest.mark.parametrize(("mode", "opens"), [(Mode.TRAINING, 1), (Mode.PRIVATE, 0), (Mode.PUBLIC, 0)])
def test_the_page_opens_in_training_and_in_no_other_mode(
    mode: Mode, opens: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    done = threading.Event()
    monkeypatch.setattr(webbrowser, "open", lambda url: (opened.append(url), done.set()))
    page = tmp_path / "strips.html"
    grading = SimpleNamespace(page=lambda: page, waiting=lambda: [1, 2])
    said: list[str] = []
    plugin = SimpleNamespace(mode=mode, grading=grading)
    window: Any = SimpleNamespace(plugin=plugin, overlay=SimpleNamespace(tell=said.append))
    grades.show_page(window)
    if opens:
        assert done.wait(5.0)
        assert said == [f"2 replays wait for a grade: {page}"]
    else:
        assert said == [f"she is in {mode.value} mode, which never grades"]
    assert opened == [page.as_uri()] * opens
