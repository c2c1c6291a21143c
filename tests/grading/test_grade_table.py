"""The table counts what a hand counts, and says when there is too little to say."""

from __future__ import annotations

from pathlib import Path

import pytest
from graded import DEEP, GOOD, ready
from PIL import Image

from kinesics.components.grading import Figures
from kinesics.engine_plugin.grading.chart import draw
from kinesics.systems.grading import Store, as_markdown, table
from kinesics.systems.grading import store as module
from kinesics.systems.grading.table import wilson


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """24 with the rule, of which she calls 20 good; 20 without, of which she calls 5 good. One grade is changed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SAFE", "OFF")  # two hundred writes would wait for the disk
        return _graded(Store(tmp_path_factory.mktemp("table") / "grades.sqlite"))


def _graded(made: Store) -> Store:
    for name, figures, count, good in (("rule", GOOD, 24, 20), ("none", DEEP, 20, 5)):
        for k in range(count):
            number, _ = ready(made, [name], figures)
            made.submit(number, "good" if k < good else "bad")
    number, _ = ready(made, ["rule"], GOOD)
    made.submit(number, "good")
    made.submit(number, "bad", change=True)
    ready(made, ["none"], DEEP)  # waits
    return made


def test_it_counts_what_a_hand_counts(store: Store) -> None:
    found = table(store)
    none, rule = found["layers"]
    assert (none["layer"], none["n"], none["good"]) == ("none", 20, 0.25)
    assert (rule["layer"], rule["n"], rule["good"]) == ("rule", 25, 0.8)
    assert rule["rules"]["good"] == 1.0
    assert rule["rules"]["agree"] == 0.8  # the rules call all 25 good, she 20
    assert none["rules"]["good"] == 0.0
    assert none["rules"]["agree"] == 0.75
    assert none["rules"]["depth_p99"] == pytest.approx(8.0)
    assert rule["rules"]["moved_rms"] == pytest.approx(4.0)
    assert found["agree"] == pytest.approx((20 + 15) / 45)
    both = ("both_good", "both_bad", "only_she_good", "only_rules_good")
    assert [found[name] for name in both] == [20, 15, 5, 5]
    assert (found["n"], found["changed"], found["waiting"], found["enough"]) == (45, 1, 1, True)


def test_an_interval_is_wilsons() -> None:
    """Numbers of Newcombe, Statistics in Medicine 17 (1998), table I, method 3."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson(1, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)


def test_words_say_which_layer_she_prefers(store: Store) -> None:
    text = as_markdown(table(store))
    assert "| rule | 25 | 80 % | 61 to 91 % | 100 % | 80 % |" in text
    assert "rule is called good more often than none" in text
    assert "Too few" not in text


def test_words_say_when_there_are_too_few(tmp_path: Path) -> None:
    few = Store(tmp_path / "few.sqlite")
    assert "Nothing is graded yet." in as_markdown(table(few))
    for name in ("none", "rule") * 5:
        few.submit(ready(few, [name])[0], "good")
    found = table(few)
    assert not found["enough"]
    assert "Too few to say anything" in as_markdown(found)
    assert "none 5, rule 5" in as_markdown(found)


@pytest.mark.parametrize(
    ("figures", "is_good"),
    [
        (Figures(1.0, 10.0, 1.0, 90.0, 9000, 0), True),  # how far it moved and what was refused are no verdict
        (Figures(1.01, 10.0, 1.0, 0.0, 0, 0), False),
        (Figures(1.0, 10.01, 1.0, 0.0, 0, 0), False),
        (Figures(1.0, 10.0, 1.01, 0.0, 0, 0), False),
        (Figures(0.0, 0.0, 0.0, 0.0, 0, 1), False),
    ],
)
def test_the_rules_call_good_what_their_limits_say(figures: Figures, is_good: bool) -> None:
    assert figures.is_good is is_good


def test_the_picture_shows_her_bar_and_the_rules(store: Store, tmp_path: Path) -> None:
    """Of a layer that she calls good in 80 % and the rules in 100 %, the blue bar is four fifths of the red one."""
    path = draw(table(store), tmp_path / "table.png")
    with Image.open(path) as picture:
        seen = picture.convert("RGB")
        wide = {ink: _widest(seen, ink) for ink in ((46, 134, 193), (192, 57, 43))}
    hers, rules = wide[46, 134, 193], wide[192, 57, 43]
    assert hers / rules == pytest.approx(0.8, abs=0.01)


def _widest(picture: Image.Image, ink: tuple[int, int, int]) -> int:
    """Return from where to where a colour reaches on the line on which it reaches furthest, px."""
    pixels = picture.load()
    assert pixels is not None
    rows = ([x for x in range(picture.width) if pixels[x, y] == ink] for y in range(90, picture.height))
    return max(row[-1] - row[0] for row in rows if row)
