"""doctor and bench: what a person and a script read from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kinesics.components.errors import KinesicsError
from kinesics.engine_plugin import bench, doctor
from kinesics.engine_plugin.cli import main


def test_each_part_is_one_line_with_state_cause_and_cure() -> None:
    for finding in doctor.examine():
        assert finding.state in ("OK", "OFF", "DEGRADED")
        assert finding.cause
        assert "\n" not in finding.line()


def test_a_probe_that_breaks_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> doctor.Finding:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(doctor, "PROBES", {"kernels": broken})
    findings = doctor.examine()
    assert (findings[0].state, findings[0].cause) == ("OFF", "two lines")
    assert not doctor.can_run(findings)


def test_she_runs_without_window_sound_and_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    off = doctor.Finding("sound", "OFF", "no sound card", "connect one")
    assert doctor.can_run([off, doctor.Finding("python", "OK", "3.11", is_needed=True)])


def test_doctor_json_is_one_object_on_standard_output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    probes = {name: doctor.PROBES[name] for name in ("python", "settings")}
    probes["sound"] = lambda: doctor.Finding("sound", "OFF", "no sound card", "connect one")
    monkeypatch.setattr(doctor, "PROBES", probes)
    assert main(["doctor", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["can_run"] is True
    assert [part["part"] for part in said["parts"]] == ["python", "settings", "sound"]
    assert said["parts"][2]["state"] == "OFF"


def test_bench_says_goal_reference_and_what_was_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    class Module:
        @staticmethod
        def figures() -> list[bench.Figure]:
            return [
                bench.entry("tick.p50_us", 40.0, "us", goal=50.0, reference=("numpy", 900.0)),
                bench.entry("tick.p99_us", 80.0, "us", goal=50.0),
                {"name": "tick.jax", "skipped": "jax is not installed"},
            ]

    monkeypatch.setattr(bench, "import_module", lambda name, package: Module)
    result = bench.measure(["tick"])
    assert [f["met"] for f in result["figures"]] == [True, False]
    assert result["figures"][0]["reference"] == {"name": "numpy", "value": 900.0}
    assert result["skipped"] == [{"name": "tick.jax", "reason": "jax is not installed"}]
    assert bench.measure(["tick.p99_us"])["figures"] == [result["figures"][1]]
    assert "MISSED" in bench.line(result["figures"][1])


def test_an_unknown_figure_names_those_there_are() -> None:
    with pytest.raises(KinesicsError, match=r"no figure 'tik'; parts are .*tick"):
        bench.measure(["tik"])


def test_what_is_not_ok_names_its_cure() -> None:
    assert [finding.part for finding in doctor.examine() if finding.state != "OK" and not finding.cure] == []


@pytest.mark.parametrize(
    ("part", "modules", "state", "cure"),
    [
        ("video", ("av",), "OFF", 'pip install "kinesics[video]"'),
        ("panel", ("p3dimgui",), "DEGRADED", 'pip install "kinesics[gui]"'),
        ("packed", ("meshopt", "DracoPy"), "DEGRADED", 'pip install "kinesics[codecs]"'),
    ],
)
def test_a_missing_extra_is_named_with_the_command_that_brings_it(
    monkeypatch: pytest.MonkeyPatch, part: str, modules: tuple[str, ...], state: str, cure: str
) -> None:
    kept = doctor.find_spec
    monkeypatch.setattr(doctor, "find_spec", lambda name: None if name in modules else kept(name))
    finding = doctor.PROBES[part]()
    assert (finding.state, finding.cure) == (state, cure)


def test_doctor_looks_for_the_sentence_model_where_her_settings_have_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(doctor, "PROBES", {"sentence": doctor.PROBES["sentence"]})
    monkeypatch.setattr(doctor, "find_spec", lambda name: name)  # torch and safetensors, here or not
    settings = tmp_path / "her.toml"
    settings.write_text(f"[sentence]\nweights = '{tmp_path / 'model'}'\n", encoding="utf-8")
    assert main(["doctor", "--json", "--config", str(settings)]) == 0
    part = json.loads(capsys.readouterr().out)["parts"][0]
    assert part["state"] == "OFF"
    assert f"{tmp_path / 'model'}: no sentence model there" in part["cause"]


def test_a_missing_sound_library_is_off_with_the_package_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def library() -> None:
        raise doctor.card.Silent(doctor.card.SoundState("no PortAudio", "not found", "apt install libportaudio2"))

    monkeypatch.setattr(doctor.card, "library", library)
    for part in ("sound", "microphone"):
        finding = doctor.PROBES[part]()
        assert (finding.state, finding.cure) == ("OFF", "apt install libportaudio2")
    assert doctor.can_run([finding])


def test_a_start_that_has_to_compile_first_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    from kinesics.systems.kernels import warm

    monkeypatch.setattr(warm, "is_warm", lambda: False)
    assert "not compiled yet" in doctor.PROBES["kernels"]().cause
