"""The file of histograms: a person can read it, and a mistake in it is one line that says what to do."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path

import numpy as np
import pytest
import talker

from kinesics.components.config import Config
from kinesics.components.errors import ConfigError
from kinesics.components.reflex import SHIPPED, load, parse, shipped
from kinesics.systems import headless


def changed(old: str, new: str, folder: Path) -> Path:
    text = SHIPPED.read_text()
    assert old in text
    path = folder / "hers.toml"
    path.write_text(text.replace(old, new, 1))
    return path


def test_every_number_names_its_source_and_the_file_says_it_is_not_fitted() -> None:
    standing = shipped()
    assert "literature" in standing.about
    assert standing.people == 0
    assert all(len(one.source) > 5 for one in standing.histogram.values())
    tree = tomllib.loads(SHIPPED.read_text())
    assert tree["speech"]["source"]
    assert tree["sway"]["source"]


def test_load_between_the_feet_is_bimodal() -> None:
    total = shipped().histogram["weight.load"]
    share = np.diff(total.total)
    middle = len(share) // 2
    assert share[:middle].max() > 3.0 * share[middle - 1]
    assert share[middle:].max() > 3.0 * share[middle]


def test_periods_of_the_sway_are_unrelated() -> None:
    """No two of one side have a ratio of small whole numbers: they would beat."""
    for row in shipped().period:
        ratio = row[None] / row[:, None]
        for a in range(1, 4):
            for b in range(1, a):
                assert np.abs(ratio - a / b).min() > 0.005


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[weight.dwell_s]", "[weight.dwel_s]", r"hers\.toml: \[weight\]: unknown 'dwel_s'; did you mean 'dwell_s'\?"),
        ("people = 0", "people = -1", r"people = -1: wanted a text and a count"),
        ("[0.25, 0.35, 0.25, 0.15]", "[0.25, 0.35]", r"\[weight\.seconds\] has 5 edges and 2 shares: wanted rising"),
        ("edges = [20, 40, 70]", "edges = [40, 20, 70]", r"\[drift\.seconds\] has 3 edges and 2 shares: wanted rising"),
        ("-1.0, -0.8", "-1.5, -0.8", r"\[weight\.load\] edges: -1\.5 is outside -1\.\.1"),
        ("at_start = 0.17", "at_start = 17", r"\[speech\] at_start: 17 is outside 0\.\.1"),
        ("at_start = 0.17", "", r"\[speech\]: 'at_start' is missing"),
        ("sideways_s = [1.37, ", "sideways_s = [", r"\[sway\] sideways_s has 7 and sideways_mm 8 numbers"),
        ("share = [0.5, 0.5]", "share = [0, 0]", r"\[drift\.seconds\] .* not all shares 0"),
        ("[weight.dwell_s]", "[weight.dwell_s", r"hers\.toml: not TOML"),
    ],
)
def test_a_mistake_is_one_line(old: str, new: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        load(changed(old, new, tmp_path))
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read: No such file"):
        load(tmp_path / "none.toml")


def test_the_file_named_in_the_settings_is_hers_and_is_in_the_digest(tmp_path: Path) -> None:
    config = Config.default()
    path = changed("at_start = 0.17", "at_start = 0.5", tmp_path)
    other = dataclasses.replace(config, reflex=dataclasses.replace(config.reflex, file=str(path)))
    digests = [
        headless.world(talker.body(), config=c, with_corpus=False).digests()["Standing"] for c in (config, other)
    ]
    assert digests[0] != digests[1]
    tree = tomllib.loads(SHIPPED.read_text())
    assert parse(tree, "x").digest == shipped().digest
    tree["breath"]["depth"]["share"][0] += 0.001
    assert parse(tree, "x").digest != shipped().digest
