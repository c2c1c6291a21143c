"""What people who stand do is counted right: shifts, fidgets, breaths, waits; and what cannot be told is kept."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinesics.components.errors import CorpusError
from kinesics.components.gltf.humanoid import BONES
from kinesics.components.reflex import SHIPPED, load, parse, shipped
from kinesics.components.rig import Rig
from kinesics.components.take import Take
from kinesics.engine_plugin.cli import main
from kinesics.systems import headless
from kinesics.systems.figures import Run, write_run
from kinesics.systems.matcher.offline import sources
from kinesics.systems.reflex.histogram import quantile
from kinesics.systems.reflex.offline import Stand, fit, stand, text
from kinesics.systems.reflex.offline import events as counted
from kinesics.systems.reflex.offline.breath import breaths, clear
from kinesics.systems.reflex.offline.counts import loads
from kinesics.systems.reflex.offline.events import events
from kinesics.systems.reflex.offline.moves import Event
from kinesics.systems.reflex.offline.swaying import amplitudes, power, windows
from kinesics.systems.reflex.offline.talking import talking
from kinesics.systems.reflex.offline.waits import histogram, sizes, waits, why_not

from ..sources import written
from .planted import LIVELY, file, her, pelvis

SHIFTS = [(30.0, 2.0, 0.04), (70.0, 1.4, -0.05), (95.0, 3.0, 0.03), (140.0, 2.0, -0.025)]


@pytest.fixture(scope="module")
def lively(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return most of a minute of her."""
    path = tmp_path_factory.mktemp("lively") / "lively.toml"
    file(path, LIVELY)
    return headless.run(her(path), seconds=51.0)


@pytest.fixture(scope="module")
def stands(lively: Run) -> Take:
    """Return it as a reader of files gives it."""
    r = lively
    bones = {name: j for j, name in enumerate(r.names) if name in BONES}
    rig = Rig(r.names, r.node, r.parent, r.rest_offset, r.rest_rotation, bones)
    return Take("planted", "run", "her", "", "", rig, r.rotation, r.root, 60.0, is_ours=True)


def test_a_shift_of_2_cm_is_found_within_a_second_and_6_mm() -> None:
    found = events(pelvis(180.0, SHIFTS)).shifts
    assert len(found) == len(SHIFTS)
    for one, (at, takes, size) in zip(found, SHIFTS, strict=True):
        assert one.start == pytest.approx(at, abs=1.0)
        assert one.size == pytest.approx(size, abs=6e-3)
        assert one.seconds == pytest.approx(takes, abs=1.3)


@pytest.mark.parametrize(("at", "takes"), [(-0.3, 6.4), (54.5, 6.4)])
def test_a_shift_that_reaches_past_its_span_is_taken_out_as_far_as_it_is_in_it(
    at: float, takes: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in 500 spans that begin or end in a slow shift had no room for it, and nothing was fitted at all."""
    place = pelvis(60.0, [(at, takes, 0.05)])
    monkeypatch.setattr(counted, "_steps", lambda *_: [round(10 * at) + 32])
    monkeypatch.setattr(counted, "fitted", lambda *_: Event(at, takes, 0.05))
    found = events(place)
    assert len(found.shifts) == 1
    assert found.rest.std() < 4e-3
    one = Stand("a", "b", place[:, None] * [1.0, 0.0], place, place[None], np.zeros(600, bool), np.zeros(0), True)
    assert np.isfinite(loads([found], [one])).all()
    assert talking([one], [found]).silent == 60.0


def test_who_sways_and_drifts_does_not_shift() -> None:
    t = np.arange(3000) / 10.0
    drift = pelvis(300.0, []) + 0.012 * np.sin(2 * np.pi * t / 240.0)
    assert events(drift).shifts == ()
    assert len(events(drift).fidgets) <= 1


def test_who_comes_back_within_5_s_fidgets_and_does_not_shift() -> None:
    t = np.arange(1800) / 10.0
    place = pelvis(180.0, [])
    for at in (40.0, 90.0, 150.0):
        x = np.clip((t - at) / 3.0, 0.0, 1.0)
        place = place + 0.02 * (0.5 - 0.5 * np.cos(2 * np.pi * x))
    found = events(place)
    assert found.shifts == ()
    assert [f.start for f in found.fidgets] == pytest.approx([40.0, 90.0, 150.0], abs=1.0)
    assert [f.size for f in found.fidgets] == pytest.approx([0.02] * 3, abs=6e-3)
    assert found.rest.std() < 4e-3  # the sway alone


def test_waits_longer_than_a_take_do_not_make_the_others_look_short() -> None:
    """Waits of 100 s on average, takes of two minutes: the mean of those seen to end would say 45 s."""
    draw = np.random.default_rng(3)
    real = draw.exponential(100.0, 400)
    room = draw.uniform(20.0, 300.0, 400)
    seen, ended = np.minimum(real, room), real <= room
    counted = waits(seen.tolist(), ended.tolist())
    median = float(np.interp(0.5, np.cumsum(counted.weight), counted.value))
    assert median == pytest.approx(np.median(real), rel=0.1)
    assert np.median(seen[ended]) < 0.75 * median  # the control: without it
    made = histogram(counted, (1.0, 7200.0), "")
    assert quantile(made, 0.5) == pytest.approx(median, rel=0.1)
    cut = waits(np.minimum(real, 110.0).tolist(), (real <= 110.0).tolist())  # a third is not seen to end
    assert cut.left == pytest.approx(np.exp(-1.1), abs=0.05)
    assert quantile(histogram(cut, (1.0, 7200.0), ""), 0.5) == pytest.approx(np.median(real), rel=0.05)


def test_few_events_make_no_histogram_and_many_do() -> None:
    assert "11 shifts, wanted 12" in why_not(sizes([1.0] * 11), "shifts")
    assert "outlast" in why_not(waits([5.0] * 12 + [9.0] * 12, [True] * 12 + [False] * 12), "waits")
    values = np.random.default_rng(1).lognormal(3.0, 0.5, 200)
    made = histogram(sizes(values.tolist()), (1.0, 500.0), "")
    for share in (0.1, 0.5, 0.9):
        assert quantile(made, share) == pytest.approx(np.quantile(values, share), rel=0.12)


def test_breath_is_seen_in_a_chest_and_not_in_noise() -> None:
    draw = np.random.default_rng(5)
    t = np.arange(3000) / 10.0
    walk = np.cumsum(draw.normal(size=(2, 3000)), axis=1) * 1e-4
    breath = walk + np.stack([2e-3 * np.sin(2 * np.pi * t * 15.0 / 60.0), 0.0 * t])
    quiet = np.zeros(3000, bool)
    found = breaths(breath, quiet)
    assert len(found.seconds) > 60
    assert np.median(60.0 / found.seconds) == pytest.approx(15.0, abs=0.7)
    assert len(breaths(walk, quiet).seconds) == 0
    for noise in (walk[0], draw.normal(size=3000), np.cumsum(walk[1]) * 0.02):
        assert clear(noise) < 3.0
    assert len(breaths(breath, ~quiet).seconds) == 0  # who speaks breathes otherwise


@pytest.mark.long
def test_sway_of_each_period_comes_back_as_it_was_given() -> None:
    """The oscillators run through the kernel itself, then counted: 3 mm at 2.9 s and 1 mm elsewhere."""
    from kinesics.systems.kernels.oscillators import sway

    period = shipped().period
    given = np.full_like(period, 1e-3)
    given[0, 2] = 3e-3
    phase, out, rows = np.random.default_rng(2).random(period.shape), np.empty(2), []
    for k in range(15 * 600):
        for f in range(3):
            sway(phase, period, given, 0.5 - 0.5 * np.cos(2 * np.pi * (k + f / 3) / 43.0), 0.0, 1 / 30, out)
        rows.append(0.6 * out.copy())
    rest = np.array(rows)[:, 0]
    firsts = windows(rest, [(100.0, 103.0)])
    assert not any(first / 10.0 < 104.0 and first / 10.0 + 40.0 > 99.0 for first in firsts)
    found = amplitudes(power(rest, firsts, period[0]).mean(axis=0), period[0], 0)
    assert np.argmax(found) == 2
    assert found[2] == pytest.approx(3e-3, rel=0.25)
    assert np.sqrt((found**2).sum()) == pytest.approx(np.sqrt((given[0] ** 2).sum()), rel=0.15)


def standing(seconds: float, moves: list[tuple[float, float, float]], said: list[tuple[float, float]]) -> Stand:
    side = pelvis(seconds, moves, seed=len(moves))
    speaking = np.zeros(len(side), bool)
    for a, b in said:
        speaking[round(a * 10) : round(b * 10)] = True
    both, still = np.stack([side, pelvis(seconds, [])], axis=1), np.zeros((2, len(side)))
    return Stand("planted", "her", both, side / 0.09, still, speaking, np.array([a for a, _ in said]), True)


def test_shifts_that_start_with_sentences_are_the_effect_of_speech_and_others_are_not() -> None:
    said = [(20.0 * k + 10.0, 20.0 * k + 18.0) for k in range(60)]
    sizes_mm = [0.03 if k % 2 else -0.03 for k in range(60)]
    with_speech = [(a + 0.1, 1.5, s) for (a, _), s in zip(said, sizes_mm)][::2]
    found = talking([one := standing(1210.0, with_speech, said)], [events(one.pelvis[:, 0])])
    assert found.why_not() == ""
    assert found.at_start == pytest.approx(0.5, abs=0.07)
    assert found.inside_per_s < 0.004
    apart = [(a - 6.0, 1.5, s) for (a, _), s in zip(said, sizes_mm)][::2]
    found = talking([one := standing(1210.0, apart, said)], [events(one.pelvis[:, 0])])
    assert found.at_start < 0.05
    assert found.inside_per_s < 0.004
    few = talking([one := standing(100.0, [], said[:3])], [events(one.pelvis[:, 0])])
    assert "3 starts of speech" in few.why_not()


def test_the_command_writes_a_file_that_her_reflex_reads_and_a_picture_a_histogram(
    lively: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(lively, tmp_path / "run.npz")
    out, pictures = tmp_path / "hers.toml", tmp_path / "pictures"
    assert main(["reflex", "fit", str(tmp_path / "run.npz"), "-o", str(out), "--pictures", str(pictures)]) == 0
    said = capsys.readouterr().out
    assert "weight.dwell_s: kept," in said
    made = load(out)  # strictly
    assert "run.npz" in out.read_text().split("about")[0]  # what it was made from
    assert "kept, not fitted: " in made.histogram["weight.dwell_s"].source
    assert sorted(p.stem for p in pictures.iterdir()) == sorted([*made.histogram, "sway"])
    again = tmp_path / "again.toml"
    assert main(["reflex", "fit", str(tmp_path / "run.npz"), "-o", str(again)]) == 0
    assert again.read_bytes() == out.read_bytes()


def test_a_fit_to_nothing_keeps_every_number_of_the_shipped_file() -> None:
    one = standing(30.0, [], [])
    made = fit([one], shipped())
    assert made.fitted == {}
    back = parse(tomllib.loads(text(made, ["nobody"])), "")
    for name, h in shipped().histogram.items():
        assert back.histogram[name].edges == pytest.approx(h.edges)
        assert back.histogram[name].total == pytest.approx(h.total, abs=2e-3)
        assert "kept, not fitted: " in back.histogram[name].source
    assert (back.about, back.people, back.number) == (shipped().about, 0, shipped().number)
    comments = [line.split("#")[1] for line in SHIPPED.read_text().splitlines() if "#" in line]
    assert all(comment in text(made, []) for comment in comments)


def test_who_walks_who_sits_and_who_has_no_legs_is_left_out_with_the_reason(
    stands: Take, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    take = stands
    short = replace(take, rotation=take.rotation[:3000], root=take.root[:3000])
    walk = short.root + np.linspace(0.0, 40.0, 3000)[:, None] * [0.0, 0.0, 1.0]
    with pytest.raises(CorpusError, match=r"walks: in its 50\.0 s nobody stays"):
        stand(replace(short, root=walk))
    half = short.root + np.maximum(np.linspace(-30.0, 10.0, 3000), 0.0)[:, None] * [0.0, 0.0, 1.0]
    spans, lost = stand(replace(short, root=half))
    assert lost == pytest.approx(12.5, abs=1.5)
    assert len(spans) == 1
    assert spans[0].seconds == pytest.approx(37.5, abs=1.5)
    with pytest.raises(CorpusError, match="wanted 20 s of standing"):
        stand(replace(take, rotation=take.rotation[:600], root=take.root[:600]))
    armless = replace(take.rig, humanoid={n: j for n, j in take.rig.humanoid.items() if n != "leftFoot"})
    with pytest.raises(CorpusError, match="no leftFoot"):
        stand(replace(short, rig=armless))
    sits = short.rotation.copy()
    for side in ("left", "right"):
        sits[:, take.rig.humanoid[side + "UpperLeg"]] = [np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0]
        sits[:, take.rig.humanoid[side + "LowerLeg"]] = [np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0]
    with pytest.raises(CorpusError, match="sits"):
        stand(replace(short, rotation=sits))
    (tmp_path / "broken.bvh").write_text("HIERARCHY\n")
    assert main(["reflex", "fit", str(tmp_path / "broken.bvh"), "-o", str(tmp_path / "x.toml")]) == 1
    said = capsys.readouterr().err
    assert "in none of 1 files does somebody stand" in said
    monkeypatch.setattr(sources, "_read", lambda *_: {}["no reader foresaw this"])
    assert main(["reflex", "fit", str(tmp_path / "broken.bvh"), "-o", str(tmp_path / "x.toml")]) == 1
    assert "broken.bvh: broken in an unforeseen way (KeyError" in capsys.readouterr().err
    assert not (tmp_path / "x.toml").exists()


@pytest.mark.long
def test_a_real_talker_who_walks_about_is_left_out_for_that(shared: Path, tmp_path: Path, capsys) -> None:
    take = shared / "data" / "mocap" / "2_scott_0_1_1.npz"
    assert main(["reflex", "fit", str(take), "-o", str(tmp_path / "x.toml")]) == 1
    assert "walks: in its 63.5 s nobody stays on two feet for 20 s" in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.parametrize("moves", [True, False], ids=["root motion", "legs alone"])
def test_a_bvh_of_her_stands_as_she_does_within_1_mm(stands: Take, tmp_path: Path, moves: bool) -> None:
    """A BVH of another unit and rate; without root motion the legs still tell where the pelvis is."""
    body = written.bvh(stands.rig, stands.rotation[:2400:2], fps=30.0, unit=100.0)
    head, motion = body.split("Frame Time: ")
    rate, *rows = motion.splitlines()
    if moves:
        for k, row in enumerate(rows):
            place = 100.0 * (stands.rig.rest_offset[0] + stands.root[2 * k])
            rows[k] = " ".join([*(f"{x:.5f}" for x in place), *row.split()[3:]])
    (tmp_path / "stands.bvh").write_text(head + "Frame Time: " + "\n".join([rate, *rows]) + "\n")
    again, _ = stand(sources.read(tmp_path / "stands.bvh"))
    whole, _ = stand(replace(stands, rotation=stands.rotation[:2400], root=stands.root[:2400]))
    count = min(len(again[0].pelvis), len(whole[0].pelvis)) - 2
    assert count > 380
    apart = again[0].pelvis[:count] - whole[0].pelvis[:count]
    assert np.abs(apart - apart.mean(axis=0)).max() < 1e-3
