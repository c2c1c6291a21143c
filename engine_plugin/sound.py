"""The sound card as found: which device to open, at which rate, and in words a person can act on why not."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from typing import Any

# PortAudio opens, closes and lists devices for one caller at a time; two avatars are two callers.
LOCK = threading.RLock()

_BUSY, _BAD_RATE, _BAD_CHANNELS, _HOST = -9985, -9997, -9998, -9999  # PaErrorCode, portaudio.h
_RATES = (48_000, 44_100)  # Hz tried when a device refuses the rate it names
LATENCY = 0.1  # s asked for: Python fills the blocks and a drawn frame may keep it waiting; positions account for it


@dataclass(frozen=True, slots=True)
class SoundState:
    """Whether she can be heard. name: one of NAMES; detail: what the system said; cure: what to do, "" when nothing."""

    name: str
    detail: str = ""
    cure: str = ""

    @property
    def is_heard(self) -> bool:
        return self.name == "ok"


IDLE = SoundState("idle")
OPENING = SoundState("opening")
OK = SoundState("ok")
NAMES = ("idle", "opening", "ok", "no PortAudio", "no device", "no such device", "busy", "lost", "failed")


class Silent(Exception):
    """Why no sound comes out. No error: she goes on without."""

    def __init__(self, state: SoundState) -> None:
        super().__init__(state.name)
        self.state = state


def library() -> Any:
    """Return the module sounddevice; Silent where it or PortAudio is missing."""
    try:
        import sounddevice
    except ImportError as cause:
        raise Silent(SoundState("no PortAudio", str(cause), "pip install sounddevice")) from None
    except OSError as cause:
        cure = "apt install libportaudio2" if sys.platform.startswith("linux") else "reinstall the package sounddevice"
        raise Silent(SoundState("no PortAudio", str(cause), cure)) from None
    return sounddevice


def _refresh(sound: Any) -> None:
    """Let PortAudio look again where it found no device at all: it lists them once, when it starts.

    Only then: looking again ends every stream of this process, the host's own too; with no device there is none.
    """
    if len(sound.query_devices()) == 0 and hasattr(sound, "_terminate") and hasattr(sound, "_initialize"):
        sound._terminate()
        sound._initialize()


def find(sound: Any, device: str | int | None) -> tuple[int, int, int]:
    """Return index, rate in Hz and output channels of a device; Silent where there is none.

    device: part of its name in any case, its index, or None for the system's default
    """
    try:
        _refresh(sound)
        if device is None:
            found = sound.query_devices(kind="output")
        else:
            outputs = [d for d in sound.query_devices() if d["max_output_channels"] > 0]
            match = [d for d in outputs if _fits(d, device)]
            if not match:
                has = ", ".join(f"'{d['name']}'" for d in outputs) or "none"
                raise Silent(SoundState("no such device", f"'{device}'; there is {has}", "name one of these, or none"))
            found = next((d for d in match if d["name"] == device), match[0])
    except (sound.PortAudioError, ValueError) as cause:
        cure = "plug in or switch on an output; on Linux start PulseAudio or PipeWire"
        raise Silent(SoundState("no device", str(cause), cure)) from None
    return int(found["index"]), round(found["default_samplerate"]), int(found["max_output_channels"])


def _fits(found: Any, device: str | int) -> bool:
    return found["index"] == device if isinstance(device, int) else device.lower() in found["name"].lower()


def open_stream(sound: Any, index: int, rate: int, channels: int, make: Any) -> Any:
    """Return an open output stream; another rate or stereo is tried where the device refuses what it was asked.

    make: (rate) -> (callback, finished_callback)
    """
    problem: Any = None
    for hertz in (rate, *(r for r in _RATES if r != rate)):
        callback, finished = make(hertz)
        for count in (1, 2)[: max(1, channels)]:
            try:
                return sound.OutputStream(
                    samplerate=hertz,
                    channels=count,
                    dtype="float32",
                    device=index,
                    latency=LATENCY,
                    callback=callback,
                    finished_callback=finished,
                )
            except sound.PortAudioError as cause:
                problem = cause
                if _code(cause) not in (_BAD_RATE, _BAD_CHANNELS):
                    raise Silent(explain(cause)) from None
                if _code(cause) == _BAD_RATE:
                    break
    raise Silent(explain(problem))


def explain(cause: Any) -> SoundState:
    """Return the state for what PortAudio raised."""
    text = str(cause)
    if _code(cause) == _BUSY or "busy" in text.lower():
        return SoundState("busy", text, "close the program that holds the device, or choose another one")
    if "querying device" in text or "Invalid device" in text or "No such" in text:
        return SoundState("no device", text, "plug in or switch on an output; on Linux start PulseAudio or PipeWire")
    return SoundState("failed", text, "choose another device; `python -m sounddevice` lists them")


def _code(cause: Any) -> int:
    return next((a for a in getattr(cause, "args", ()) if isinstance(a, int)), 0)
