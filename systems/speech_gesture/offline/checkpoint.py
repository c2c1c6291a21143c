"""A published checkpoint to tensors: looked at from outside before anything reads it, then by torch's strict reader."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from ....components.errors import ModelError
from ..model import layout
from ..model.source import compare

LARGEST = 4 << 30  # bytes; the largest published generator is thought to have some hundred million
_HEARD = "modality_encoder.audio_encoder."  # a frozen listener that older files carry and nothing asks
_SHARED = 2  # times its size that a file's tensors may take: some lie in it once and are named twice
_WRAPPERS = ("model_state_dict", "model_state", "net")
_VERSION = (2, 6)  # torch's first whose weights_only keeps what it promises (CVE-2025-32434)


def read(path: Path) -> tuple[str, dict[str, Any]]:
    """Return which it is, "generator" or a part of the body, and its tensors: all of them, f32, finite, no others."""
    _look(path)
    state = _load(path)
    for wrapper in _WRAPPERS:
        if isinstance(state, dict) and isinstance(state.get(wrapper), dict):
            state = state[wrapper]
            break
    if not isinstance(state, dict) or not state:
        raise ModelError(f"{path}: a checkpoint without tensors; fetch it again")
    odd = [key for key, value in state.items() if not isinstance(key, str) or not _is_plain(value)]
    if odd:
        name = odd[0][:60] if isinstance(odd[0], str) else type(odd[0]).__name__
        raise ModelError(f"{path}: '{name}' is no tensor of plain numbers; this is no checkpoint of the model")
    size, told = path.stat().st_size, sum(value.numel() * value.element_size() for value in state.values())
    if told > _SHARED * size:
        raise ModelError(f"{path}: tensors of {told >> 20} MB in a file of {size >> 20} MB; fetch it again")
    tensors = {key.removeprefix(layout.PREFIX): value for key, value in state.items()}
    tensors = {key: value for key, value in tensors.items() if not key.startswith(_HEARD)}
    what, wanted = _kind(path, tensors)
    compare({key: tuple(value.shape) for key, value in tensors.items()}, wanted, str(path))
    return what, {key: _tidy(path, key, value) for key, value in tensors.items()}


def _look(path: Path) -> None:
    """Refuse what is no archive as torch writes it: of known size, not packed, every byte accounted for."""
    size = path.stat().st_size
    if size > LARGEST:
        raise ModelError(f"{path}: {size} bytes, at most {LARGEST}; this is no checkpoint of the model")
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as cause:
        raise ModelError(f"{path}: not a torch checkpoint, or not all of it ({cause}); fetch it again") from None
    if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries) or sum(e.file_size for e in entries) > size:
        raise ModelError(f"{path}: packed, as torch never writes them; not read")


def _load(path: Path) -> Any:
    torch = _torch()
    version = tuple(int(part) for part in torch.__version__.split(".")[:2])
    if version < _VERSION:
        raise ModelError(f'torch {torch.__version__} reads files that run code; pip install "torch>=2.6"')
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as cause:  # torch, pickle and zip each have their own, and hostile files find more
        said = (str(cause).strip().splitlines() or [type(cause).__name__])[0]
        if "weights_only" in str(cause) or "Unsupported" in str(cause):
            said = "it holds more than tensors, which is not read; nothing of it was run"
        raise ModelError(f"{path}: {said[:200]}") from None


def _is_plain(value: Any) -> bool:
    torch = _torch()
    if not isinstance(value, torch.Tensor) or value.is_nested or value.is_quantized:
        return False
    return bool(value.layout == torch.strided and value.device.type == "cpu")


def _kind(path: Path, tensors: dict[str, Any]) -> tuple[str, dict[str, tuple[int, ...]]]:
    words = tensors.get("modality_encoder.text_pre_encoder_body.weight")
    if words is not None and words.ndim == 2:
        return "generator", layout.generator(len(words))
    last = tensors.get("decoder.model.6.bias")
    for part, channels in layout.CHANNELS.items():
        if last is not None and tuple(last.shape) == (channels,):
            return part, layout.body(part)
    raise ModelError(f"{path}: {len(tensors)} tensors, neither the generator's nor a body part's; is it another file?")


def _tidy(path: Path, key: str, value: Any) -> Any:
    torch = _torch()
    if not value.is_floating_point() and not key.endswith("num_batches_tracked"):
        raise ModelError(f"{path}: '{key}' is {value.dtype}, wanted numbers with a point; is it another file?")
    value = value.to(torch.float32)
    if not bool(torch.isfinite(value).all()):
        raise ModelError(f"{path}: '{key}' holds numbers that are not finite; fetch it again")
    return value.contiguous().clone()  # of its own memory: what is shared cannot be written


def _torch() -> Any:
    try:
        import torch  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise ModelError('reading checkpoints needs torch; pip install "kinesics[speech]"') from None
    return torch
