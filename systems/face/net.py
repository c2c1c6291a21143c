"""The lips' weights: read from a file without pickles, checked, frozen; and written."""

from __future__ import annotations

import hashlib
import io
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ...components.arrays import frozen
from ...components.errors import FaceError
from ...components.lips import LipsNet
from ..kernels import net, viterbi

SHIPPED = Path(__file__).parents[2] / "assets" / "face" / "lips.npz"
LARGEST = 1_000_000  # bytes; the shipped file has a quarter
_HEADS = 3
_FORMAT = 2  # 2: the mean that is taken off begins as any speaker's
_RETRAIN = "run `kinesics face train`, or reinstall kinesics for the shipped ones"


def load(path: str | Path | None = None) -> LipsNet:
    """Return a network, the shipped one by default. FaceError: missing, too large, not of this form, not finite."""
    path = SHIPPED if path is None else Path(path)
    try:
        if path.stat().st_size > LARGEST:
            raise FaceError(f"{path}: {path.stat().st_size} bytes, lips have at most {LARGEST}; {_RETRAIN}")
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as data:
            held = {name: data[name] for name in data.files}
        about = json.loads(bytes(held["about"]))
        if about["format"] != _FORMAT:
            raise FaceError(f"{path}: format {about['format']}, this version reads {_FORMAT}; {_RETRAIN}")
        delays = tuple(int(d) for d in about["delays"])
        if len(delays) != _HEADS or not all(0 <= d < viterbi.SLOTS for d in delays):
            raise FaceError(f"{path}: delays {delays}, lips have {_HEADS} of 0..{viterbi.SLOTS - 1} frames; {_RETRAIN}")
        channels, layers = held["enter"].shape[1], held["gate"].shape[0]
        heads = net.CLASSES * len(delays)
        arrays: dict[str, Any] = {
            "enter": frozen(held["enter"], np.float32, (3 * net.MELS, channels)),
            "entered": frozen(held["entered"], np.float32, (channels,)),
            "gate": frozen(held["gate"], np.float32, (layers, 3 * channels, 2 * channels)),
            "gated": frozen(held["gated"], np.float32, (layers, 2 * channels)),
            "leave": frozen(held["leave"], np.float32, (channels, heads)),
            "left": frozen(held["left"], np.float32, (heads,)),
            "prior": frozen(held["prior"], np.float64, (net.CLASSES,)),
            "stay": frozen(held["stay"], np.float64, (net.CLASSES,)),
            "after": frozen(held["after"], np.float64, (net.CLASSES, net.CLASSES)),
        }
    except FaceError:
        raise
    except OSError as cause:
        raise FaceError(f"{path}: lips' weights cannot be read ({cause.strerror or cause}); {_RETRAIN}") from None
    except Exception as cause:  # whatever numpy, zipfile and zlib make of damaged bytes
        raise FaceError(f"{path}: not lips' weights: {cause}; {_RETRAIN}") from None
    digest = hashlib.blake2b(repr(delays).encode(), digest_size=16)
    for name, array in arrays.items():
        digest.update(name.encode() + array.tobytes())
    return LipsNet(delays=delays, digest=digest.hexdigest(), **arrays)


def shipped() -> LipsNet | None:
    """Return the shipped network, read once; None where it cannot be: whoever makes her says so, and `doctor`."""
    try:
        return _held(SHIPPED)
    except FaceError:
        return None


@lru_cache(2)
def _held(path: Path) -> LipsNet:
    return load(path)


def packed(arrays: dict[str, Any], delays: tuple[int, ...], about: dict[str, Any]) -> bytes:
    """Return a weights file: what `load` reads. Weights are rounded to 16 bits, which changes no figure.

    arrays: the fields of LipsNet; about: what made them, for people
    """
    head = json.dumps({"format": _FORMAT, "delays": delays, **about}).encode()
    small = {
        name: value.astype(np.float64 if name in ("prior", "stay", "after") else np.float16)
        for name, value in arrays.items()
    }
    out = io.BytesIO()
    np.savez_compressed(out, about=np.frombuffer(head, np.uint8), **small)
    return out.getvalue()
