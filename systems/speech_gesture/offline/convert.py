"""The published files in, one folder out: weights without code, the vocabulary as JSON, and what they came from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....components.errors import ModelError
from ..model import layout, source
from . import checkpoint, vocabulary

LICENCE = (
    "GestureLSM: weights and statistics by Pinxin Liu and co-authors, https://github.com/andypinxinliu/GestureLSM "
    "(code MIT since 2026-04-08; look at the pages you fetched from for the weights' terms). "
    "Trained on BEAT2 (Apache-2.0 by its authors' word). Not part of kinesics, and not passed on with it."
)
WANTED = {
    "generator": "shortcut_reflow.bin, or meanflow.pth",
    "upper": "net_300000_upper.pth",
    "hands": "net_300000_hands.pth",
    "lower": "net_300000_lower.pth",
    "mean": "beatx_2_330_mean.npy",
    "std": "beatx_2_330_std.npy",
    "trans_mean": "beatx_2_trans_mean.npy",
    "trans_std": "beatx_2_trans_std.npy",
    "vocabulary": "vocab.pkl",
}
_LARGEST = 1 << 20  # bytes of a file of statistics


def convert(
    files: Sequence[Path], out: Path, sampler: str | None = None, report: Callable[[str], None] = lambda text: None
) -> dict[str, Any]:
    """Write the folder `out`, which is there and empty, and return what is in its model.json. ModelError: one line.

    files:   the published ones in any order, under any name but for the statistics, which only their names tell apart
    sampler: what the generator was trained for; None: its file name says it
    """
    found: dict[str, tuple[Path, Any]] = {}
    kind, steps = "", 0
    for path in files:
        what, value = _read(path)
        if what in found:
            raise ModelError(f"{path}: a second {what}, after {found[what][0].name}; name one of them")
        if what == "generator":
            kind, steps = _sampler(path, sampler)
        found[what] = path, value
        report(f"{path.name}: {what}")
    missing = [f"{what} ({name})" for what, name in WANTED.items() if what not in found]
    if missing:
        raise ModelError(f"{len(missing)} of {len(WANTED)} files missing: {', '.join(missing)}; give them too")
    generator = found["generator"][1]
    rows = len(generator["modality_encoder.text_pre_encoder_body.weight"])
    words: dict[str, int] = found["vocabulary"][1]
    most = max(source.LEAST - 1, max(words.values()))
    if most >= rows:
        raise ModelError(
            f"{found['vocabulary'][0]}: numbers up to {most}, "
            f"the generator knows {rows} words; is it another vocabulary?"
        )
    tensors = {f"generator.{key}": value for key, value in generator.items() if key not in layout.UNREAD}
    for part in layout.PARTS:
        tensors |= {f"{part}.{key}": value for key, value in found[part][1].items()}
    for name in source.STATS:
        tensors[f"stats.{name}"] = _tensor(found[name][1])
    path = out / source.WEIGHTS
    _save(tensors, path)
    about = {
        "format": source.FORMAT,
        "sampler": kind,
        "steps": steps,
        "vocabulary": rows,
        "words": len(words),
        "sha256": digest(path),
        "bytes": path.stat().st_size,
        "made_from": {what: {"file": p.name, "sha256": digest(p)} for what, (p, _) in found.items()},
        "licence": LICENCE,
    }
    (out / source.VOCABULARY).write_text(json.dumps(words, ensure_ascii=False), encoding="utf-8")
    (out / source.ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    return about


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read(path: Path) -> tuple[str, Any]:
    try:
        with path.open("rb") as file:
            head = file.read(6)
    except OSError as cause:
        raise ModelError(f"{path}: cannot be read ({cause.strerror}); check the path") from None
    if not head:
        raise ModelError(f"{path}: 0 bytes; fetch it again")
    if head.startswith(b"PK"):
        return checkpoint.read(path)
    if head == b"\x93NUMPY":
        return _statistics(path)
    if path.suffix in (".bin", ".pth", ".pt", ".npy"):
        raise ModelError(f"{path}: not what its name says, it begins with {head!r}; fetch it again")
    return "vocabulary", vocabulary.read(path)


def _statistics(path: Path) -> tuple[str, Any]:
    size = path.stat().st_size
    if size > _LARGEST:
        raise ModelError(f"{path}: {size} bytes, statistics have at most {_LARGEST}; is it another file?")
    try:
        values = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError, MemoryError) as cause:
        raise ModelError(f"{path}: statistics that cannot be read ({' '.join(str(cause).split())[:120]})") from None
    name = path.stem.lower()
    what = "mean" if name.endswith("mean") else "std" if name.endswith("std") else ""
    if not what:
        raise ModelError(f"{path}: statistics; whether mean or spread only the name tells: give it its own back")
    if values.shape == (3,):
        what = f"trans_{what}"
    if values.shape != source.STATS[what] or values.dtype.kind != "f" or not np.isfinite(values).all():
        raise ModelError(f"{path}: {values.dtype} {values.shape}, wanted finite numbers (330,) or (3,)")
    if what.endswith("std") and values.min() < 0:
        raise ModelError(f"{path}: a spread below 0; is it the mean?")
    return what, values.astype(np.float32)


def _sampler(path: Path, given: str | None) -> tuple[str, int]:
    """Return the sampler and its steps: the layouts are equal, so only the name tells what a generator learned."""
    name = path.name.lower()
    if given is not None:
        if given not in source.KINDS:
            raise ModelError(f"sampler '{given}': there are {', '.join(source.KINDS)}")
        return given, 20 if given in name and "shortcut" in name and "reflow" not in name else source.KINDS[given]
    if "meanflow" in name:
        return "meanflow", 1
    if "shortcut" in name:
        return "shortcut", 2 if "reflow" in name else 20
    said = "learned diffusion, which takes 20 steps and is not built" if "diffusion" in name else "has another name"
    raise ModelError(f"{path}: {said}; take {WANTED['generator']}, or say which it is with --sampler")


def _tensor(values: Any) -> Any:
    import torch  # pyright: ignore[reportMissingImports]

    return torch.from_numpy(values)


def _save(tensors: dict[str, Any], path: Path) -> None:
    try:
        from safetensors.torch import save_file  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise ModelError('writing the model needs safetensors; pip install "kinesics[speech]"') from None
    save_file(tensors, path)
    path.chmod(0o644)  # it comes readable by its owner alone, unlike the files beside it
