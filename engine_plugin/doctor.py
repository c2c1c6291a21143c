"""What works here, what does not, why, and the command that cures it: one line a part."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from ..components.errors import KinesicsError
from . import sound as card

State = Literal["OK", "DEGRADED", "OFF"]

_TIMEOUT = 60.0  # s for a probe in a child process; a first start of Mesa's compiler took 2


@dataclass(frozen=True, slots=True)
class Finding:
    """One part. cause: what was found; cure: the exact step that mends it, empty where nothing is to mend."""

    part: str
    state: State
    cause: str
    cure: str = ""
    is_needed: bool = False

    def line(self) -> str:
        """Return it as one line."""
        return f"{self.part:<10} {self.state:<9} {self.cause}" + (f" -> {self.cure}" if self.cure else "")


def examine(weights: str = "") -> list[Finding]:
    """Return one finding a part. A probe that itself breaks is a finding, never an exception.

    weights: [sentence] weights, the folder that she would read; empty: the usual one
    """
    findings = []
    for part, probe in (PROBES | ({"sentence": lambda: _sentence(weights)} if weights else {})).items():
        try:
            findings.append(probe())
        except Exception as cause:
            text = " ".join(str(cause).split()) or type(cause).__name__
            findings.append(Finding(part, "OFF", text, "pip install --force-reinstall kinesics", part in NEEDED))
    return findings


def can_run(findings: list[Finding]) -> bool:
    """Whether she can run, with or without a window: every part she cannot do without is there."""
    return not any(finding.is_needed and finding.state == "OFF" for finding in findings)


def _python() -> Finding:
    version = platform.python_version()
    cause = f"{version}, {platform.system()} {platform.machine()}"
    if sys.maxsize < 2**32:
        return Finding("python", "OFF", cause + ", 32 bit", "use a 64 bit Python", True)
    return Finding("python", "OK", cause, is_needed=True)


def _kernels() -> Finding:
    import numba
    import numpy as np

    from ..systems.kernels import compiled, quat, warm

    out = np.zeros(4)
    began = time.perf_counter()
    quat.mul(np.array([0.0, 1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0, 0.0]), out)
    took = time.perf_counter() - began
    if not np.array_equal(out, [0.0, 0.0, 0.0, 1.0]):
        return Finding("kernels", "OFF", f"i j gave {out}, not k", "pip install --force-reinstall numba", True)
    ready = "compiled" if warm.is_warm() else "not compiled yet: the first start takes about a minute longer"
    cause = f"numba {numba.__version__}, {ready}, first call {took * 1e3:.0f} ms, cache {compiled.FOLDER}"
    if not compiled.IS_CACHED:
        cure = "set NUMBA_CACHE_DIR to a folder you can write; until then each start compiles anew"
        return Finding("kernels", "DEGRADED", cause + " cannot be written", cure, True)
    return Finding("kernels", "OK", cause, is_needed=True)


_DRAW = """
import os, sys
from panda3d.core import (FrameBufferProperties, GraphicsEngine, GraphicsPipe, GraphicsPipeSelection, PandaSystem,
                          WindowProperties, load_prc_file_data)
load_prc_file_data("", "notify-level error")
if sys.argv[1] == "egl":
    load_prc_file_data("", "load-display p3headlessgl")
pipe = GraphicsPipeSelection.get_global_ptr().make_default_pipe()
engine = GraphicsEngine(pipe)
flags = GraphicsPipe.BF_refuse_window if sys.argv[1] == "egl" else GraphicsPipe.BF_require_window
properties = FrameBufferProperties()
properties.set_rgb_color(True)
out = engine.make_output(pipe, "probe", 0, properties, WindowProperties.size(64, 64), flags)
engine.open_windows()
gsg = out and out.get_gsg()
print("panda3d", PandaSystem.get_version_string(), "|", gsg and gsg.get_driver_renderer() or "")
"""


_ENCODERS = """
import av
print("PyAV", av.__version__)
for name in ("libx264", "aac", "libvpx-vp9", "libopus", "prores_ks"):
    try:
        av.codec.Codec(name, "w")
    except Exception:
        print(name)
"""


def _draws(how: str) -> tuple[str, str]:
    """Return what draws (empty if nothing) and what was said. In a child: a broken driver takes its process along."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _DRAW, how], capture_output=True, text=True, timeout=_TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return "", f"no answer in {_TIMEOUT:.0f} s"
    last = (done.stdout.strip().splitlines() or [""])[-1]
    version, _, renderer = last.partition(" | ")
    if done.returncode or not renderer:
        said = (done.stderr.strip().splitlines() or ["no graphics output could be made"])[-1]
        return "", said if done.returncode >= 0 else f"the driver ended it with signal {-done.returncode}"
    return f"{version}, {renderer}", ""


def _picture() -> Finding:
    draws, said = _draws("egl")
    if draws:
        return Finding("picture", "OK", draws)
    cure = "apt-get install libegl1 libgl1-mesa-dri" if sys.platform == "linux" else "update the graphics driver"
    return Finding(
        "picture", "OFF", f"nothing can be drawn offscreen: {said}", cure + "; `run --headless` works without"
    )


def _window() -> Finding:
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return Finding(
            "window", "OFF", "no display (DISPLAY is not set)", "start it in a desktop session; pictures work"
        )
    draws, said = _draws("window")
    if draws:
        return Finding("window", "OK", draws)
    return Finding("window", "OFF", said, "update the graphics driver; pictures and `run --headless` work without")


def _sound() -> Finding:
    try:
        found = card.find(card.library(), None)
    except card.Silent as why:
        state = why.state
        return Finding("sound", "OFF", f"{state.name} ({state.detail}); she moves and is silent", state.cure)
    return Finding("sound", "OK", f"plays through '{found.name}', {found.rate} Hz")


def _microphone() -> Finding:
    try:
        found = card.find(card.library(), None, "input")
    except card.Silent as why:
        state = why.state
        return Finding("microphone", "OFF", f"{state.name} ({state.detail}); all but --mic works", state.cure)
    return Finding("microphone", "OK", f"listens through '{found.name}', {found.rate} Hz")


def _grading() -> Finding:
    from .grading.place import health

    is_fine, found, cure = health()
    return Finding("grading", "OK" if is_fine else "OFF", found, cure)


def _packed() -> Finding:
    missing = [name for name in ("meshopt", "DracoPy") if find_spec(name) is None]
    if missing:
        cause = f"{' and '.join(missing)} not installed; avatars packed with them are refused"
        return Finding("packed", "DEGRADED", cause, 'pip install "kinesics[codecs]"')
    return Finding("packed", "OK", "reads meshopt and Draco meshes")


def _panel() -> Finding:
    if find_spec("p3dimgui") is None or find_spec("imgui_bundle") is None:
        cause = "panda3d-imgui is not installed; the window's panel is plain text"
        return Finding("panel", "DEGRADED", cause, 'pip install "kinesics[gui]"')
    return Finding("panel", "OK", "sliders by panda3d-imgui")


def _voices() -> Finding:
    import soundfile
    import soxr

    formats = soundfile.available_formats()
    read = [name for name in ("WAV", "FLAC", "OGG", "MP3") if name in formats]
    return Finding("voices", "OK", f"reads {', '.join(read)}; soxr {soxr.__version__}", is_needed=True)


def _text() -> Finding:
    from ..components.config import Config
    from .voices import NONE, available

    found = available(Config.default().voice)
    if not found:
        cause, _, cure = NONE.partition("; ")
        return Finding("text", "OFF", f"{cause}; she says recordings and streams", cure)
    first, *others = (f"{name} ({where})" for name, where in found.items())
    return Finding("text", "OK", f"spoken by {first}" + (f"; there is also {', '.join(others)}" if others else ""))


def _avatar() -> Finding:
    from ..components import gltf
    from ..systems import headless

    try:
        body = gltf.read(headless.AVATAR)
    except KinesicsError as cause:
        return Finding("avatar", "OFF", str(cause), f"kinesics avatar build -o {headless.AVATAR}", True)
    vertices = sum(mesh.position.shape[0] for mesh in body.skin.meshes)
    cause = f"{body.source}, {len(body.rig.names)} joints, {vertices} vertices, {len(body.morph_names)} shapes"
    return Finding("avatar", "OK", cause, is_needed=True)


def _corpus() -> Finding:
    from ..components.corpus import FPS
    from ..systems import headless

    try:
        corpus = headless.load_corpus()
    except KinesicsError as cause:
        return Finding("corpus", "OFF", str(cause), f"kinesics corpus synth -o {headless.CORPUS}", True)
    cause = f"{len(corpus.clips)} clips, {int(corpus.start[-1]) / FPS / 60:.1f} min"
    return Finding("corpus", "OK", cause, is_needed=True)


def _lips() -> Finding:
    from ..systems.face import net

    try:
        made = net.load()
    except KinesicsError as cause:
        said = f"her mouth follows loudness alone: {cause}"
        return Finding("lips", "DEGRADED", said, "pip install --force-reinstall kinesics")
    cause = f"15 shapes from sound, {10 * made.delays[1] + 10} ms behind a live voice; digest {made.digest[:8]}"
    return Finding("lips", "OK", cause)


def _moods() -> Finding:
    from ..systems.face import moods

    try:
        table = moods.read()
    except KinesicsError as cause:
        return Finding("face", "DEGRADED", str(cause), "pip install --force-reinstall kinesics")
    cause = f"brows, eyes and blinks by rules, designed and not learned; moods: {', '.join(('neutral', *table))}"
    return Finding("face", "OK", cause)


def _rule() -> Finding:
    from ..components import gltf
    from ..systems import headless, retarget
    from ..systems.collide.body import fitted

    try:
        body = gltf.read(headless.AVATAR)
        found = fitted(body, retarget.measure(body.rig))
    except KinesicsError as cause:
        return Finding("rule", "OFF", str(cause), f"kinesics avatar build -o {headless.AVATAR}")
    if found.capsules is None:
        return Finding("rule", "OFF", found.fault, "pip install --force-reinstall kinesics")
    cause = f"keeps arms out of {len(found.capsules.joint)} capsules of her skin; another avatar's are measured once"
    return Finding("rule", "OK", cause)


def _fence() -> Finding:
    from . import fence_probe

    return Finding("fence", *fence_probe.tried())


def _postures() -> Finding:
    from ..systems.posture import kept

    try:
        names = kept.names_in(kept.SHIPPED)
    except KinesicsError as cause:
        said = f"{cause}; each is found when it is asked for"
        return Finding("postures", "DEGRADED", said, "pip install --force-reinstall kinesics")
    return Finding("postures", "OK", f"{', '.join(names)} of the default avatar; another's are found once")


def _sentence(given: str = "") -> Finding:
    from ..systems.speech_gesture.model import source
    from . import weights

    missing = [name for name in ("torch", "safetensors") if find_spec(name) is None]
    if missing:
        cause = f"{' and '.join(missing)} not installed; the matcher carries her"
        return Finding("sentence", "OFF", cause, 'pip install "kinesics[speech]"')
    try:
        folder = weights.found(given)
        made = source.Converted(Path(folder))
    except KinesicsError as cause:
        said, _, cure = str(cause).partition("; ")
        return Finding("sentence", "OFF", f"{said}; the matcher carries her", cure)
    cause = f"{made.sampler}, {made.steps} steps, {len(made.vocabulary)} words; digest {made.hash[:8]}"
    took, fault = hosted("kinesics.systems.speech_gesture.session:host", weights=folder)
    if fault:
        return Finding(
            "sentence", "OFF", f"{cause}; {fault}; the matcher carries her", f"kinesics speech check {folder}"
        )
    return Finding("sentence", "OK", f"{cause}; its process is ready after {took:.1f} s")


def hosted(at: str, **given: object) -> tuple[float, str]:
    """Return s that the model process took to load a model, and why it did not, "" where it did. See settings.Named."""
    from ..systems.model_process.parent import ModelProcess
    from ..systems.model_process.settings import Named, Settings

    process = ModelProcess(Settings(gesture=Named(at, given), starts=0))
    began = time.monotonic()
    process.start()
    try:
        while process.state == "starting" and time.monotonic() - began < _TIMEOUT:
            time.sleep(0.02)
        is_up = process.state == "ready"
        return time.monotonic() - began, "" if is_up else f"its process is {process.state}: {process.detail}"
    finally:
        process.close()


def _video() -> Finding:
    if find_spec("av") is None:
        return Finding(
            "video", "OFF", "PyAV is not installed; `render` makes pictures", 'pip install "kinesics[video]"'
        )
    # In a child: FFmpeg's libraries are 60 MB that a look at them should not leave behind.
    done = subprocess.run(
        [sys.executable, "-c", _ENCODERS], capture_output=True, text=True, timeout=_TIMEOUT, check=False
    )
    version, *missing = (done.stdout.strip() or "PyAV").splitlines()
    cure = 'pip install --force-reinstall "av>=13"'
    if done.returncode:
        said = (done.stderr.strip().splitlines() or [f"signal {-done.returncode}"])[-1]
        return Finding("video", "OFF", f"PyAV does not load: {said}; `render` makes pictures", cure)
    if missing:
        state: State = "OFF" if {"libx264", "aac"} & set(missing) else "DEGRADED"
        return Finding("video", state, f"{version} without {', '.join(missing)}", cure)
    return Finding("video", "OK", f"{version}; .mp4 (H.264, AAC), .webm (VP9) and .mov (ProRes) with alpha")


def _settings() -> Finding:
    from importlib.resources import files

    from ..components.config import Config, parse

    text = (files("kinesics.assets") / "default.toml").read_text(encoding="utf-8")
    if parse(text, "default.toml") != Config.default():
        return Finding(
            "settings",
            "DEGRADED",
            "default.toml was edited; it is a copy, she uses the built-in defaults",
            "copy it elsewhere and pass it as --config",
        )
    return Finding("settings", "OK", "the shipped defaults")


PROBES: dict[str, Callable[[], Finding]] = {
    "python": _python,
    "kernels": _kernels,
    "settings": _settings,
    "avatar": _avatar,
    "corpus": _corpus,
    "voices": _voices,
    "text": _text,
    "packed": _packed,
    "picture": _picture,
    "window": _window,
    "panel": _panel,
    "sound": _sound,
    "microphone": _microphone,
    "lips": _lips,
    "face": _moods,
    "sentence": _sentence,
    "rule": _rule,
    "fence": _fence,
    "postures": _postures,
    "grading": _grading,
    "video": _video,
}
NEEDED = ("python", "kernels", "avatar", "corpus", "voices")
