"""A recorded run as arrays, and its file."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from ...components import npz
from ...components.arrays import F32, F64, I32, Bool
from ...components.errors import ReplayError

# entry of `about` that says whether a part runs -> the arrays that are its
_PARTS = {
    "has_corpus": ("window", "fade", "jump_deg", "forced", "corpus_speed_deg_s"),
    "has_rule": ("depth_raw_mm", "depth_mm", "moved_mm"),
}


@dataclass(slots=True)
class Run:
    """T ticks of one avatar of J joints and M face channels. Written as RUN.npz; `about` goes into the report alone.

    Fields:
        names, node, parent, rest_offset, rest_rotation: of the rig, as in components/rig.py
        rotation:  (T, J, 4) f64 wxyz local, the rest rotation included
        root:      (T, 3) f64 m, added to the root's rest offset
        position:  (T, J, 3) f64 m, avatar frame (+Y up, facing +Z, feet on y = 0)
        face:      (T, M) f32 0..1
        window:    (T,) i32, corpus row shown, -1 none; fade: (T,) f32 0..1, 1 when none runs
        jump_deg:  (T,) f32, of the row picked on this tick, else 0; forced: (T,) bool
        corpus_speed_deg_s: (T,) f32, fastest of the 8 arm joints of the corpus layer alone, before its spring
        depth_raw_mm, depth_mm: (T,) f32, deepest contact beyond its allowance, before and after the rule
        moved_mm:  (T, 2) f32, how far the rule holds the left and the right wrist from where the motion has it
        audio_start_s: s on the run's clock at which the first voice begins to sound, NaN without one
        tick_us:   (T,) f32
        speaking:  (T,) bool, the voice sounds on this tick
        accent_s:  (A,) s on the run's clock, moments of prominence of the voice as it sounded
        raw_rotation: (T, J, 4) f64 as `rotation`, before the rule; None where nobody asked for it
    """

    fps: float
    names: tuple[str, ...]
    node: I32
    parent: I32
    rest_offset: F64
    rest_rotation: F64
    rotation: F64
    root: F64
    position: F64
    face_names: tuple[str, ...]
    face: F32
    window: I32
    fade: F32
    jump_deg: F32
    forced: Bool
    corpus_speed_deg_s: F32
    depth_raw_mm: F32
    depth_mm: F32
    moved_mm: F32
    audio_start_s: float
    tick_us: F32
    speaking: Bool
    about: dict[str, Any] = field(default_factory=dict)
    raw_rotation: F64 | None = None
    accent_s: F64 = field(default_factory=lambda: np.zeros(0))

    @property
    def ticks(self) -> int:
        """Return how many ticks were recorded."""
        return int(self.rotation.shape[0])

    def joint(self, name: str) -> int:
        """Return the index of a joint by its name, -1 where she has none."""
        return self.names.index(name) if name in self.names else -1


def write_run(run: Run, path: str | Path) -> None:
    """Write RUN.npz: complete or not at all."""
    arrays: dict[str, Any] = {}
    for f in fields(run):
        value = getattr(run, f.name)
        if f.name == "about" or value is None:
            continue
        if any(f.name in names and not run.about.get(part) for part, names in _PARTS.items()):
            continue  # arrays of a part that is off are absent
        arrays[f.name] = np.array(value, dtype=str) if f.name in ("names", "face_names") else np.asarray(value)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    write_bytes(buffer.getvalue(), path)


def write_bytes(data: bytes, path: str | Path) -> None:
    """Write a file beside its target and rename it, so that nobody ever reads half of it."""
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def read_run(path: str | Path) -> Run:
    """Return a run from its file. ReplayError names what is wrong with it."""
    path = Path(path)
    try:
        held = npz.read(path)
    except ValueError as cause:
        raise ReplayError(f"{path.name}: not a run file: {cause}. Make one with `kinesics run --out`") from None
    missing = [n for n in ("names", "parent", "rotation", "root", "position") if n not in held]
    if missing:
        raise ReplayError(f"{path.name}: a run file without {', '.join(missing)}. Make one with `kinesics run --out`")
    ticks = held["rotation"].shape[0]
    blank: dict[str, Any] = {"window": np.full(ticks, -1, np.int32), "forced": np.zeros(ticks, bool)}
    blank["fade"] = np.ones(ticks, np.float32)
    for name in ("jump_deg", "corpus_speed_deg_s", "depth_raw_mm", "depth_mm"):
        blank[name] = np.zeros(ticks, np.float32)
    blank["moved_mm"] = np.zeros((ticks, 2), np.float32)
    blank["speaking"], blank["accent_s"] = np.zeros(ticks, bool), np.zeros(0)
    about = {"has_corpus": "window" in held, "has_rule": "depth_mm" in held}
    values: dict[str, Any] = {}
    for f in fields(Run):
        if f.name != "about":
            values[f.name] = held.get(f.name, blank.get(f.name))
    for name in ("names", "face_names"):
        values[name] = tuple(str(n) for n in values[name])
    for name in ("fps", "audio_start_s"):
        values[name] = float(values[name])
    return Run(**values, about=about)
