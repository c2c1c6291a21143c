"""Settings: read strictly, complained about in one line a person can act on."""

from __future__ import annotations

import dataclasses
import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesics.components.anatomy import SLOT_GROUP, SLOTS
from kinesics.components.config import Config, as_toml, load, parse
from kinesics.components.config.fields import specs
from kinesics.components.config.sections import Gates
from kinesics.components.errors import ConfigError

ROOT = Path(__file__).parents[1]
SECTIONS = [f.name for f in dataclasses.fields(Config)]


def test_the_shipped_file_is_the_defaults() -> None:
    """A default changed in code must reach it: python -m kinesics.components.config > assets/default.toml."""
    assert (ROOT / "assets/default.toml").read_text(encoding="utf-8") == as_toml(Config.default())


def test_the_shipped_file_reads_back_as_the_defaults() -> None:
    assert load(ROOT / "assets/default.toml") == Config.default()


def test_the_defaults_are_what_the_viewer_was_promised() -> None:
    config = Config.default()
    assert (config.gates.jump_deg, config.gates.speed_deg_s) == (55.0, 90.0)
    assert config.gates.jump == pytest.approx(math.radians(55.0))
    assert config.gates.speed == pytest.approx(math.radians(90.0))
    assert config.springs.arms == pytest.approx(3 * config.springs.torso)
    gain = config.gains
    assert gain.head > 1 > gain.upper_arm > gain.elbow > gain.wrist > gain.torso
    shown = dict(zip(SLOTS, gain.slots))
    assert (shown["chest"], shown["leftHand"], shown["rightThumbDistal"]) == (0.3, 0.5, 1.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[gates]\njump_degs = 40.0", r"her\.toml:2: \[gates\] has no key 'jump_degs'; did you mean 'jump_deg'\?"),
        ("[gate]\njump_deg = 40.0", r"her\.toml:1: unknown section 'gate'; did you mean 'gates'\?"),
        ("seed = 3", r"her\.toml:1: unknown key outside a section 'seed'.* [Ii]t has gains, springs"),
        ("gates = 3", r"her\.toml:1: 'gates' is a section: write \[gates\]"),
        ("[gates]\njump_deg = 190", r"her\.toml:2: \[gates\] jump_deg = 190 deg is outside 1\.\.180 deg"),
        ("[gates]\njump_deg = nan", r"jump_deg = nan deg is outside"),
        ("[gates]\njump_deg = '55'", r"jump_deg = '55': wanted a number, 1\.\.180 deg"),
        ("[gates]\njump_deg = true", r"jump_deg = True: wanted a number"),
        ("[matcher]\nhistory = 6.5", r"history = 6\.5: wanted a whole number, 0\.\.1000 picks"),
        ("[run]\nmode = 'live'", r"mode = 'live': wanted one of private, training, public"),
        ("[run]\nlayers = 'reflex'", r"layers = 'reflex': wanted a list"),
        ("[run]\nlayers = ['reflex', 'tail']", r"layers = 'tail': wanted any of reflex"),
        ("[window]\nvsync = 1", r"vsync = 1: wanted true or false"),
        ("[gates\njump_deg = 1", r"her\.toml: not TOML: "),
    ],
)
def test_a_wrong_file_is_told_where_and_what_would_do(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        parse(text, "her.toml")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read: No such file"):
        Config.load(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9")
    with pytest.raises(ConfigError, match="not UTF-8"):
        Config.load(tmp_path / "latin.toml")


def test_a_value_set_in_python_is_held_to_the_same_range() -> None:
    with pytest.raises(ConfigError, match=r"\[gates\] speed_deg_s = -1 deg/s is outside 1\.\.2000 deg/s"):
        Gates(speed_deg_s=-1)


def test_what_a_file_leaves_out_keeps_its_default() -> None:
    config = parse("[gates]\nspeed_deg_s = 120", "her.toml")
    assert config.gates == Gates(speed_deg_s=120.0)
    assert dataclasses.replace(config, gates=Gates()) == Config.default()


@pytest.mark.parametrize("title", SECTIONS)
def test_every_number_names_its_unit_or_is_a_ratio(title: str) -> None:
    """A field whose name ends in a unit must say the same unit to the reader of a message."""
    endings = {"_deg": "deg", "_deg_s": "deg/s", "_mm": "mm", "_s": "s", "_per_min": "/min"}
    for name, spec in specs(type(getattr(Config.default(), title))).items():
        assert spec.note
        assert spec.kind is not float or (math.isfinite(spec.low) and math.isfinite(spec.high)), name
        unit = next((endings[e] for e in sorted(endings, key=len, reverse=True) if name.endswith(e)), None)
        assert unit is None or spec.unit == unit, name


@given(
    st.floats(1, 180),
    st.integers(0, 31),
    st.sampled_from(["private", "training", "public"]),
    st.lists(st.sampled_from(["reflex", "corpus", "face"]), unique=True),
)
def test_any_config_survives_its_file(jump: float, lookahead: int, mode: str, layers: list[str]) -> None:
    config = Config.default()
    changed = dataclasses.replace(
        config,
        gates=dataclasses.replace(config.gates, jump_deg=jump),
        run=dataclasses.replace(config.run, lookahead=lookahead, mode=mode, layers=tuple(layers)),
    )
    assert parse(as_toml(changed), "her.toml") == changed


def test_every_setting_is_read_by_some_system() -> None:
    """A setting that nothing reads is a promise nobody keeps."""
    text = "\n".join(
        p.read_text(encoding="utf-8") for folder in ("systems", "engine_plugin") for p in (ROOT / folder).rglob("*.py")
    )
    through = {  # read in radians or metres, by a property, or chosen by a method
        "jump_deg": "jump",
        "speed_deg_s": "speed",
        "margin_mm": "margin",
        "near_mm": "near",
        "push_mm": "push",
        "limit_deg_s": "limit",
        "lookahead": "ahead",
        "lookahead_live": "ahead",
    }
    for title in SECTIONS:
        if title == "gains":
            continue  # read whole, by group
        for name in specs(type(getattr(Config.default(), title))):
            if title == "sentence" and name in SLOT_GROUP:
                continue  # the same
            asked = rf"\.({name}|{through.get(name, name)})\b"
            assert re.search(asked, text), f"[{title}] {name} is read by nothing"
