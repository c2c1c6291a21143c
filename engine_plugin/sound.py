"""The sound card as found: which device to open, at which rate, and in words a person can act on why not."""

from __future__ import annotations

import gc
import sys
import threading
from dataclasses import dataclass
from typing import Any

# PortAudio opens, closes and lists devices for one caller at a time; two avatars are two callers.
LOCK = threading.RLock()
HUSHED = threading.Lock()  # held while PortAudio starts: sounddevice has standard error shut then, for every thread

_BUSY, _BAD_RATE, _BAD_CHANNELS, _HOST = -9985, -9997, -9998, -9999  # PaErrorCode, portaudio.h
_RATES = (48_000, 44_100)  # Hz tried when a device refuses the rate it names
_LOW = 16_000  # Hz, tried last for a microphone: headsets on a phone line have no more
_EARS = 0.03  # s asked of a microphone: below it PulseAudio drops samples under load (measured 8, 16, 30, 64 ms)
LATENCY = 0.1  # s asked for: Python fills the blocks and a drawn frame may keep it waiting; positions account for it
QUICK = 0.02  # s asked for by a voice that streams in: she is to be heard 0.1 s after its first chunk


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
        with HUSHED:
            import sounddevice
    except ImportError as cause:
        raise Silent(SoundState("no PortAudio", str(cause), "pip install sounddevice")) from None
    except OSError as cause:
        cure = "apt install libportaudio2" if sys.platform.startswith("linux") else "reinstall the package sounddevice"
        raise Silent(SoundState("no PortAudio", str(cause), cure)) from None
    return sounddevice


@dataclass(frozen=True, slots=True)
class Device:
    """One input or output. rate: Hz, its own; channels: at most, of the kind asked for."""

    index: int
    rate: int
    channels: int
    name: str


def refresh(sound: Any) -> bool:
    """Let PortAudio look again, and return whether it did: it lists devices once, when it starts.

    Looking again ends every stream of this process, the host's own too, so it is left undone while there is one.
    """
    if not (hasattr(sound, "_terminate") and hasattr(sound, "_initialize")) or _is_in_use(sound):
        return False
    sound._terminate()
    with HUSHED:
        sound._initialize()
    return True


def _is_in_use(sound: Any) -> bool:
    """Whether any stream of this process is open. sounddevice keeps no list of them, the collector does."""
    kind = getattr(sound, "_StreamBase", None)
    return kind is not None and any(isinstance(o, kind) and not o.closed for o in gc.get_objects())


def find(sound: Any, device: str | int | None, kind: str = "output") -> Device:
    """Return a device; Silent where there is none.

    device: part of its name in any case, its index, or None for the system's default
    kind: "output" or "input"
    """
    try:
        if len(sound.query_devices()) == 0:
            refresh(sound)
        if device is None:
            found = sound.query_devices(kind=kind)
        else:
            found = _named(sound, device, kind)
            if found is None and refresh(sound):
                found = _named(sound, device, kind)
            if found is None:
                has = ", ".join(f"'{d['name']}'" for d in _all(sound, kind)) or "none"
                cure = "name one of these, or none; one that is plugged in later is found by itself"
                raise Silent(SoundState("no such device", f"'{device}'; there is {has}", cure))
    except (sound.PortAudioError, ValueError) as cause:
        raise Silent(SoundState("no device", str(cause), _PLUG[kind])) from None
    channels = int(found[f"max_{kind}_channels"])
    return Device(int(found["index"]), round(found["default_samplerate"]), channels, str(found["name"]))


_PLUG = {
    "output": "plug in or switch on an output; on Linux start PulseAudio or PipeWire",
    "input": "plug in a microphone, or allow this program to use it; on Linux start PulseAudio or PipeWire",
}


def _all(sound: Any, kind: str) -> list[Any]:
    return [d for d in sound.query_devices() if d[f"max_{kind}_channels"] > 0]


def _named(sound: Any, device: str | int, kind: str) -> Any:
    match = [d for d in _all(sound, kind) if _fits(d, device)]
    return next((d for d in match if d["name"] == device), match[0] if match else None)


def _fits(found: Any, device: str | int) -> bool:
    return found["index"] == device if isinstance(device, int) else device.lower() in found["name"].lower()


def open_stream(sound: Any, device: Device, make: Any, kind: str = "output", latency: float = LATENCY) -> Any:
    """Return an open stream; other rates and channel counts are tried where the device refuses what it was asked.

    make: (rate, channels) -> (callback, finished_callback)
    latency: s asked of an output
    """
    opened = sound.OutputStream if kind == "output" else sound.InputStream
    counts = dict.fromkeys((1, 2) if kind == "output" else (1, 2, device.channels))
    problem: Any = None
    for hertz in dict.fromkeys((device.rate, *_RATES, *((_LOW,) if kind == "input" else ()))):
        for count in [c for c in counts if c <= max(1, device.channels)]:
            callback, finished = make(hertz, count)
            try:
                return opened(
                    samplerate=hertz,
                    channels=count,
                    dtype="float32",
                    device=device.index,
                    latency=latency if kind == "output" else _EARS,
                    callback=callback,
                    finished_callback=finished,
                )
            except sound.PortAudioError as cause:
                problem = cause
                if _code(cause) not in (_BAD_RATE, _BAD_CHANNELS):
                    raise Silent(explain(cause, kind)) from None
                if _code(cause) == _BAD_RATE:
                    break
    raise Silent(explain(problem, kind))


def explain(cause: Any, kind: str = "output") -> SoundState:
    """Return the state for what PortAudio raised."""
    text = str(cause)
    if _code(cause) == _BUSY or "busy" in text.lower():
        return SoundState("busy", text, "close the program that holds the device, or choose another one")
    if "querying device" in text or "Invalid device" in text or "No such" in text:
        return SoundState("no device", text, _PLUG[kind])
    return SoundState("failed", text, "choose another device; `python -m sounddevice` lists them")


def _code(cause: Any) -> int:
    return next((a for a in getattr(cause, "args", ()) if isinstance(a, int)), 0)
