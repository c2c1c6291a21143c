"""Text is spoken by whatever is installed: nothing in it is a command, nothing hangs, nothing is left behind."""

from __future__ import annotations

import shutil
import stat
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
import talker

from kinesics.components.config.sections import Voice
from kinesics.components.errors import AudioError
from kinesics.components.face_map import VISEMES
from kinesics.components.voice import Voice as Speaking
from kinesics.engine_plugin import voices
from kinesics.engine_plugin.cli import main
from kinesics.engine_plugin.doctor import PROBES
from kinesics.engine_plugin.voices import child
from kinesics.systems import headless
from kinesics.systems.schedule import TICK
from kinesics.systems.voice.spoken import Spoken
from kinesics.systems.voice.timings import Phone, Timings

WRITES = """#!{python}
import sys, wave
{body}
with wave.open(path, "wb") as file:
    file.setnchannels(1); file.setsampwidth(2); file.setframerate(8000)
    file.writeframes(bytes([0, 20, 0, 236] * 2000))
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH and holds temporary files in `t`; no package speaks."""
    (tmp_path / "t").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t"))
    for module in (voices.kokoro, voices.piper):
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    return tmp_path


def program(folder: Path, name: str, body: str = "path = sys.argv[-1]") -> Path:
    """Return a program that writes half a second of sound to `path`, which `body` finds."""
    path = folder / name
    path.write_text(WRITES.format(python=sys.executable, body=body))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def left(place: Path) -> list[str]:
    return [path.name for path in (place / "t").iterdir()]


NASTY = [
    "$(touch x); `touch y` && rm -rf . | cat",
    "-w /tmp/z --help",
    "{wav} {file} {text}",
    "a \"b' c\\",
    "Grüße, 世界",
]


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("how", ["{text}", "{file}", "--said={text}", ""])
def test_a_program_of_ones_own_is_given_the_text_and_nothing_in_it_is_a_command(
    place: Path, text: str, how: str
) -> None:
    body = (
        "path = sys.argv[1]; given = sys.argv[2] if len(sys.argv) > 2 else sys.stdin.buffer.read().decode()\n"
        "given = given.removeprefix('--said=')\n"
        "given = open(given, encoding='utf-8').read() if given.endswith('text.txt') else given\n"
        f"open({str(place / 'got')!r}, 'w', encoding='utf-8').write(given)"
    )
    tool = program(place, "my tts", body)
    spoken = voices.speak(text, Voice(command=f"'{tool}' {{wav}} {how}"))
    assert (place / "got").read_text(encoding="utf-8").strip() == text
    assert spoken.rate == 8000
    assert len(spoken.pcm) == 4000
    assert spoken.timings.text == text
    assert left(place) == []


def test_what_no_program_should_be_given_is_taken_out(place: Path) -> None:
    program(place, "tts", f"path = sys.argv[1]; open({str(place / 'got')!r}, 'w').write(sys.argv[2])")
    voices.speak("[face:joy] one\x00\x1b[2J\ntwo \ud800 [anim:nod]", Voice(command="tts {wav} {text}"))
    assert (place / "got").read_text() == "one [2J two ?"


@pytest.mark.parametrize(
    ("command", "body", "tells"),
    [
        ("tts", "path = sys.argv[1]", "has no {wav}"),
        ("tts 'a {wav}", "path = sys.argv[1]", "cannot be split"),
        ("sh -c 'tts {wav} {text}'", "path = sys.argv[1]", "an argument of its own"),
        ("none {wav}", "path = sys.argv[1]", "none cannot be started"),
        ("tts {wav}", "sys.exit(0)", "wrote no wav"),
        ("tts {wav}", "print('loading'); sys.exit('no\\nlicence left')", "failed with 1: licence left"),
        ("tts {wav}", "open(sys.argv[1], 'w').write('x'); sys.exit(0)", "voice.wav: not audio"),
        ("tts {wav}", "path = sys.argv[1]; open(path[:-3] + 'json', 'w').write('[1')", "voice.json: not JSON"),
    ],
)
def test_a_program_that_fails_is_named_in_one_line_and_leaves_nothing(
    place: Path, command: str, body: str, tells: str
) -> None:
    program(place, "tts", body)
    with pytest.raises(AudioError) as error:
        voices.speak("hello", Voice(command=command))
    assert tells in str(error.value)
    assert "\n" not in str(error.value)
    assert left(place) == []


def test_a_program_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    sleeper = (
        "import subprocess, sys, time\n"
        f"started = subprocess.Popen([{sys.executable!r}, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(started.pid))\n"
        "time.sleep(60)"
    )
    began = time.monotonic()
    with pytest.raises(AudioError, match="took more than 1 s"):
        child.run("slow", [sys.executable, "-c", sleeper], tmp_path, timeout=1.4)
    assert time.monotonic() - began < 5.0
    pid = int((tmp_path / "pid").read_text())
    state = Path(f"/proc/{pid}/stat")
    until = time.monotonic() + 5.0
    while state.exists() and state.read_text().split()[2] != "Z" and time.monotonic() < until:
        time.sleep(0.02)
    assert not state.exists() or state.read_text().split()[2] == "Z"


def test_a_program_that_writes_for_ever_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "LARGEST", 1 << 20)
    with pytest.raises(AudioError, match="more than a voice is long"):
        child.run("loud", [sys.executable, "-c", "while True: print('x' * 100000)"], tmp_path, timeout=20.0)


def test_without_any_voice_one_line_says_how_to_get_one(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AudioError, match="no voice for text is installed; apt-get install espeak-ng"):
        voices.speak("hello", Voice())
    with pytest.raises(AudioError, match="piper is not there: pip install piper-tts"):
        voices.speak("hello", Voice(engine="piper"))
    assert main(["run", "--headless", "--text", "hello"]) == 1
    assert capsys.readouterr().err.startswith("kinesics: say: no voice for text is installed")
    finding = PROBES["text"]()
    assert (finding.state, finding.cure.startswith("apt-get install")) == ("OFF", True)


@pytest.mark.parametrize("text", ["", "  ", "[face:joy]", "...", "\x00"])
def test_a_text_without_words_is_refused(text: str) -> None:
    with pytest.raises(AudioError, match="nothing to say"):
        voices.speak(text, Voice())


def test_the_best_that_is_there_speaks_and_the_next_where_it_fails(place: Path) -> None:
    program(place, "espeak-ng")
    assert voices.speak("hello", Voice()).by.startswith("espeak-ng")
    program(place, "flite", "path = sys.argv[-1]; print('pau:0.1 hh:0.2 ax:0.25 l:0.3 ow:0.5 pau:0.6 ')")
    spoken = voices.speak("hello", Voice())
    assert spoken.by.startswith("flite")
    assert [(p.text, p.end) for p in spoken.timings.phones] == [
        ("sil", 0.1), ("hh", 0.2), ("ax", 0.25), ("l", 0.3), ("ow", 0.5), ("sil", 0.6),
    ]  # fmt: skip
    assert "flite" in PROBES["text"]().cause
    assert "espeak-ng" in PROBES["text"]().cause
    program(place, "flite", "sys.exit(2)")
    assert voices.speak("hello", Voice()).by.startswith("espeak-ng")
    with pytest.raises(AudioError, match="flite failed with 2"):
        voices.speak("hello", Voice(engine="flite"))
    with pytest.raises(AudioError, match="is no name of a voice"):
        voices.speak("hello", Voice(engine="flite", name="-lv"))


KOKORO = """
from types import SimpleNamespace as S
import numpy as np
class KPipeline:
    def __init__(self, lang_code): assert lang_code == "a"
    def __call__(self, text, voice):
        assert voice == "af_heart"
        for word in text.split():
            yield S(audio=np.full(12000, 0.1, np.float32), tokens=[S(text=word, start_ts=0.1, end_ts=0.3)])
"""
PIPER = """
from types import SimpleNamespace as S
import numpy as np
class PiperVoice:
    @staticmethod
    def load(path, include_alignments=False): return PiperVoice()
    def synthesize(self, text, include_alignments=False):
        rows = [("m", 4000), ("a", 8000), (" ", 4000), ("p", 4000), ("$", 2000)]
        yield S(sample_rate=20000, audio_float_array=np.full(22000, 0.1, np.float32),
                phoneme_alignments=[S(phoneme=p, num_samples=n) for p, n in rows])
"""


def test_packages_speak_in_a_process_of_their_own_and_tell_their_times(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "fakes").mkdir()
    (place / "fakes/kokoro.py").write_text(KOKORO)
    (place / "fakes/piper.py").write_text(PIPER)
    monkeypatch.setenv("PYTHONPATH", str(place / "fakes"))
    for module in (voices.kokoro, voices.piper):
        monkeypatch.setattr(module, "find_spec", lambda name: name)
    spoken = voices.speak("one two", Voice(engine="kokoro"))
    assert [(w.text, round(w.start, 2), round(w.end, 2)) for w in spoken.timings.words] == [
        ("one", 0.04, 0.24), ("two", 0.54, 0.74),
    ]  # fmt: skip
    assert len(spoken.pcm) == 24_000
    (place / "joe.onnx").write_bytes(b"")
    (place / "joe.onnx.json").write_text("{}")
    spoken = voices.speak("ma pa", Voice(engine="piper", name=str(place / "joe.onnx")))
    assert [p.text for p in spoken.timings.phones] == ["m", "aa", "sil", "p", "sil"]
    assert [w.text for w in spoken.timings.words] == ["ma", "pa"]
    assert spoken.rate == 20_000
    assert voices.available(Voice()) == {"kokoro": "the package kokoro"}  # no voice of Piper's is named
    assert left(place) == []
    assert "kokoro" not in sys.modules


def test_she_says_a_text_without_sound_by_her_voice_and_her_mouth_follows_its_phones() -> None:
    world = headless.world(talker.body(), talker.corpus(), seed=1)
    with pytest.raises(AudioError, match=r"she has no voice for text; set her\.voice"):
        world.avatar.say(text="hello")
    with pytest.raises(AudioError, match="neither a voice nor a text"):
        world.avatar.say(text="[face:joy]")
    heard: list[str] = []

    def speaks(text: str) -> Spoken:
        heard.append(text)
        return Spoken(talker.voice(1.0), 16_000, Timings(phones=(Phone("m", 0.1, 0.4), Phone("aa", 0.4, 0.8))))

    world.avatar.voice = speaks
    said = world.avatar.say(text="[face:joy] Ma")
    world.step(TICK)
    assert heard == ["Ma"]
    assert said.speech.text == "Ma"
    assert [VISEMES[said.speech.mouth[k]] for k in (5, 20, 60)] == ["sil", "PP", "aa"]
    assert world.get(0, Speaking).current is not None


def test_what_a_service_delivered_goes_straight_into_say_and_feed() -> None:
    world = headless.world(talker.body(), talker.corpus(), seed=1, with_corpus=False)
    pcm = talker.voice(2.0)
    event = {"type": "WordBoundary", "offset": 1_000_000, "duration": 4_000_000, "text": "Hello"}
    said = world.avatar.say((pcm, 16_000), words=[event, {**event, "offset": 400_000_000}])
    assert [(w.text, w.start, w.end) for w in said.speech.words] == [("Hello", 0.1, 0.5)]
    stream = world.avatar.begin(16_000)
    chunk = {"alignment": {"chars": ["a"], "charStartTimesMs": [100], "charDurationsMs": [200]}}
    stream.feed(pcm[:16_000], words=chunk)
    stream.feed(pcm[16_000:], words={"alignment": {**chunk["alignment"], "charStartTimesMs": [150]}})
    stream.end()
    for _ in range(240):
        world.step(TICK)
    words = [data["text"] for _, name, data in world.avatar.deliver() if name == "word"]
    assert words == ["Hello", "a", "a"]
    assert [round(word.start, 2) for word in stream._feed.words] == [0.1, 1.15]


def test_the_command_speaks_a_text_headless(place: Path, tmp_path: Path) -> None:
    program(place, "tts", "path = sys.argv[1]")
    (tmp_path / "c.toml").write_text("[voice]\ncommand = 'tts {wav} {text}'\n")
    arguments = ["run", "--headless", "--config", str(tmp_path / "c.toml"), "--text", "hello", "--seconds", "0.2"]
    assert main([*arguments, "--out", str(tmp_path / "run.npz")]) == 0
    with np.load(tmp_path / "run.npz") as run:
        assert len(run["rotation"]) == 12


@pytest.mark.parametrize("name", ["espeak-ng", "flite"])
def test_the_programs_that_are_installed_here_speak(name: str) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    spoken = voices.speak("-- Peter, my baby. Bye!", Voice(engine=name))
    assert 0.8 < len(spoken.pcm) / spoken.rate < 6.0
    assert float(np.abs(spoken.pcm).max()) > 0.1
    if name == "flite":
        assert spoken.timings.phones[-1].end == pytest.approx(len(spoken.pcm) / spoken.rate, abs=0.15)
