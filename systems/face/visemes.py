"""The table of mouth shapes: which of a face's own channels show each of the 15, read from a file people can change."""

from __future__ import annotations

import hashlib
import math
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from ...components.arrays import F64, frozen
from ...components.errors import FaceError
from ...components.face_map import UNITS, VISEMES, VOWELS, FaceMap
from ...components.lips import Visemes

SHIPPED = Path(__file__).parents[2] / "assets" / "visemes.toml"
_LIMITS = {"lead": (0.0, 0.2), "rate": (5.0, 200.0)}  # s, 1/s
_ENOUGH = 12  # of Oculus's 15 that a face has of her own: an artist drew them for her, which no mix of units beats
_BOTH = ("Left", "Right")


def read(path: str | Path | None = None) -> Visemes:
    """Return a table of shapes, the shipped one by default. FaceError: file, shape, what is wrong, what it may be."""
    path = SHIPPED if not path else Path(path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as cause:
        raise FaceError(f"{path}: cannot be read ({cause.strerror}); check [face] visemes") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as cause:
        raise FaceError(f"{path}: not TOML: {cause}") from None
    unknown = sorted(set(data) - set(VISEMES))
    missing = [name for name in VISEMES if name not in data]
    if unknown or missing:
        said = f"has no shape '{missing[0]}'" if missing else f"has an unknown shape '{unknown[0]}'"
        raise FaceError(f"{path}: {said}; it holds {', '.join(VISEMES)}, each once")
    rows = [data[name] for name in VISEMES]
    for name, row in zip(VISEMES, rows):
        extra = sorted(set(row) - {"lead", "rate", "arkit", "vrm"}) if isinstance(row, dict) else ["nothing"]
        if extra:
            raise FaceError(f"{path}: [{name}] holds '{extra[0]}'; it may hold lead, rate, arkit, vrm")
    each = list(zip(VISEMES, rows))
    made = (
        frozen(
            [_number(path, name, "lead", row.get("lead", 0.08), *_LIMITS["lead"]) for name, row in each], np.float64
        ),
        frozen(
            [_number(path, name, "rate", row.get("rate", 40.0), *_LIMITS["rate"]) for name, row in each], np.float64
        ),
        tuple(_mix(path, name, "arkit", row.get("arkit", {}), set(UNITS)) for name, row in each),
        tuple(_mix(path, name, "vrm", row.get("vrm", {}), set(VOWELS)) for name, row in each),
    )
    return Visemes(*made, digest=hashlib.blake2b(repr(made).encode(), digest_size=16).hexdigest())


def _number(path: Path, shape: str, key: str, value: Any, low: float, high: float) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or not low <= value <= high:
        raise FaceError(f"{path}: [{shape}] {key} = {value!r}: wanted a number, {low:g}..{high:g}")
    return float(value)


def _mix(path: Path, shape: str, key: str, value: Any, known: set[str]) -> dict[str, float]:
    """Return a mix with both sides of a unit where its name has none."""
    if not isinstance(value, dict):
        raise FaceError(f"{path}: [{shape}] {key} = {value!r:.40}: wanted names with weights, {{ jawOpen = 0.3 }}")
    out: dict[str, float] = {}
    for name, weight in value.items():
        weight = _number(path, shape, f"{key}.{name}", weight, 0.0, 1.0)
        both = [name + side for side in _BOTH]
        for one in both if set(both) <= known and name not in known else [name]:
            if one not in known:
                raise FaceError(f"{path}: [{shape}] {key} has no '{name}'; names are those of {_NAMES[key]}")
            out[one] = weight
    return out


_NAMES = {"arkit": "ARKit's 52 face units, without a side for both", "vrm": f"VRM's vowels {', '.join(VOWELS)}"}


def table(face_map: FaceMap, visemes: Visemes, channels: int) -> F64:
    """Return (15, channels): the weight of each of her channels when a shape is shown in full.

    Her own Oculus shapes where she has them, else ARKit units, else the vowels of VRM, else what opens her mouth.
    """
    out = np.zeros((len(VISEMES), channels))
    own = {name: pairs for name, pairs in face_map.visemes.items() if len(pairs) == 1}
    if len(own) >= _ENOUGH:
        for row, name in zip(out, VISEMES):
            for channel, weight in own.get(name, ()) if name != "sil" else ():
                row[channel] = weight
        return out
    for k, row in enumerate(out):
        if face_map.kind == "ARKit":
            pairs = [
                (face_map.units[unit], weight) for unit, weight in visemes.units[k].items() if unit in face_map.units
            ]
        elif face_map.kind == "one shape" or not any(vowel in face_map.expressions for vowel in VOWELS):
            jaw = visemes.units[k].get("jawOpen", 0.0) / max(
                visemes.units[VISEMES.index("aa")].get("jawOpen", 0.0), 0.05
            )
            pairs = [(face_map.open, min(jaw, 1.0))]
        else:
            looks = face_map.expressions
            pairs = [(looks[vowel].channels, weight) for vowel, weight in visemes.vowels[k].items() if vowel in looks]
        for channels_of, weight in pairs:
            for channel, full in channels_of:
                row[channel] = min(row[channel] + weight * full, 1.0)
    return out
