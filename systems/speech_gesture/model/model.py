"""The sentence model: numpy in, numpy out. torch is imported when one is made, not before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ....components.arrays import F32, I64
from ....components.errors import ModelError
from ....components.gesture import JOINTS, LATENT, SAMPLES, SEED, WINDOW
from . import joints, layout, source
from .tensors import Lazily

_STILL = 1e-6  # of a rotation's numbers, below which a spread is rounding
FILLED = "filled"  # in place of a folder: weights made of numbers


def load_model(
    folder: Path | str,
    device: str = "cpu",
    steps: int | None = None,
    sampler: str | None = None,
    *,
    halves: bool = False,
) -> Model:
    """Return the model of a converted folder, or with FILLED one made of numbers.

    device:  "cpu", "cuda"
    steps:   of the sampler; None: as many as the weights were published for (shortcut 2, MeanFlow 1)
    sampler: "shortcut" (guided) or "meanflow"; None: the one that the weights were trained for
    halves:  bfloat16 for the generator, on CUDA only
    ModelError: no torch, no such device, a folder that is not whole
    """
    made = source.Filled() if str(folder) == FILLED else source.Converted(Path(folder))
    return Model(made, device, steps, sampler, halves=halves)


def filled_model(device: str = "cpu", steps: int | None = None, sampler: str = "shortcut") -> Model:
    """Return a model made of numbers: noise for motion, the same on every machine."""
    return Model(source.Filled(sampler), device, steps, sampler)


class Model:
    """A loaded model.

    Fields:
        hash:       of its weights
        vocabulary: word -> number
        sampler, steps: how it goes from noise to motion
    """

    def __init__(
        self,
        weights: source.Source,
        device: str = "cpu",
        steps: int | None = None,
        sampler: str | None = None,
        *,
        halves: bool = False,
    ) -> None:
        if sampler is not None and sampler not in source.KINDS:
            raise ModelError(f"sampler '{sampler}': there are {', '.join(source.KINDS)}")
        if steps is None:
            steps = weights.steps if sampler in (None, weights.sampler) else source.KINDS[sampler]
        sampler = sampler or weights.sampler
        if not 1 <= steps <= 100:
            raise ModelError(f"{steps} steps of the sentence model, it takes 1 to 100")
        torch = _torch()
        self._device = _device(device, halves)
        self._type = torch.bfloat16 if halves else torch.float32
        self._weights = weights
        self.hash, self.sampler, self.steps = weights.hash, sampler, steps
        self.vocabulary: Mapping[str, int] = weights.vocabulary
        self._encoders: dict[str, Any] = {}
        self._rest: F32 | None = None
        with torch.inference_mode():
            from .network import audio, body, denoiser

            generator = self._tensors("generator", self._type)
            self._ear, self._denoiser = audio.Ear(generator), denoiser.Denoiser(generator)
            self._codes, self._decoders = {}, {}
            bodies = {part: self._tensors(part, torch.float32) for part in layout.PARTS}
            for part in layout.PARTS:  # encoders stay on disk until one is needed
                self._codes[part] = body.Quantisers(bodies[part])
                self._decoders[part] = body.Decoder(bodies[part])
        self._mean, self._std = _stats(weights.stats())

    def window(
        self, audio: F32, ids: I64, seed: F32, noise: F32, cancelled: Callable[[], bool] = lambda: False
    ) -> F32 | None:
        """Return (32, 384) f32 latents of one window, the first 4 of them made again from the seed; None: cancelled.

        audio:     (68224, 2) f32, what `condition` gives of the window's samples
        ids:       (128,) i64, what `word_ids` gives
        seed:      (4, 384) f32: the latents that end where the window's new motion begins
        noise:     (32, 384) f32, normal
        cancelled: asked before each step
        """
        _need("audio", audio, (WINDOW * SAMPLES, 2))
        _need("ids", ids, (WINDOW,))
        _need("seed", seed, (layout.SEED, layout.LATENT))
        _need("noise", noise, (layout.TOKENS, layout.LATENT))
        torch = _torch()
        with torch.inference_mode():
            from .network.sample import SAMPLERS

            if cancelled():
                return None
            words = torch.from_numpy(np.asarray(ids, np.int64))[None].to(self._device)
            keys = self._denoiser.look(self._ear(self._given(audio)[None], words))
            begin = self._denoiser.begin(self._given(seed)[None])
            start = torch.from_numpy(np.array(noise, np.float32)).to(self._device)
            made = SAMPLERS[self.sampler](self._denoiser, start, begin, keys, self.steps, cancelled)
            return None if made is None else made.float().cpu().numpy()

    def decode(self, latents: F32, parts: Iterable[str] = layout.PARTS) -> F32:
        """Return (4n, 55, 4) f32 wxyz, local, w >= 0; identity for joints that are not made.

        latents: (n, 384) f32 as `window` gives them, any number end to end; a frame depends on 22 latents either way
        parts:   of "upper", "hands", "lower" those that are wanted; each costs a third
        """
        out = joints.identity(LATENT * len(latents))
        for part in parts:
            out[:, joints.OF[part]] = joints.to_quaternion(self._rows(latents, part))
        return out

    def translation(self, latents: F32) -> F32:
        """Return (4n, 3) f32 m of the pelvis, +Y up: x and z from where the first frame is, y above ground."""
        at = self._decoded(latents, "lower")[:, -3:] * self._std["trans"] + self._mean["trans"]
        at[:, [0, 2]] = np.cumsum(at[:, [0, 2]], axis=0)
        return at

    def codes(self, latents: F32, part: str) -> I64:
        """Return (n, 6) i64: the codes that a part's latents are read as."""
        torch = _torch()
        with torch.inference_mode():
            return self._codes[part].choose(self._piece(latents, part))[0].cpu().numpy()

    def encode(self, rotation: F32) -> F32:
        """Return (k, 384) f32 latents of motion that is shown: what a window can be seeded with.

        rotation: (4k, 55, 4) wxyz, local; NaN where nobody knows. That, and translation, are the speaker's mean.
        """
        rotation = np.asarray(rotation, np.float32)
        if rotation.ndim != 3 or rotation.shape[1:] != (JOINTS, 4) or len(rotation) % LATENT or not len(rotation):
            raise ModelError(f"motion to encode is {rotation.shape}, wanted (4k, {JOINTS}, 4)")
        motion = {}
        for part, of in joints.OF.items():
            rows = joints.to_rows(rotation[:, of]).reshape(len(rotation), -1)
            std = self._std[part]  # 0 where the speaker never moved: there is nothing to tell there
            known = np.isfinite(rows) & (std > _STILL)
            motion[part] = np.where(known, (rows - self._mean[part]) / np.maximum(std, _STILL), 0.0)
        motion["lower"] = np.pad(motion["lower"], ((0, 0), (0, 3)))
        return self._encoded(motion)

    @property
    def rest_seed(self) -> F32:
        """(4, 384) f32: the seed of the speaker's mean pose, held."""
        if self._rest is None:
            still = {part: np.zeros((SEED, width), np.float32) for part, width in layout.CHANNELS.items()}
            self._rest = self._encoded(still)
        return self._rest.copy()

    def _encoded(self, motion: dict[str, F32]) -> F32:
        """motion: part -> (4k, channels) normalised."""
        torch = _torch()
        with torch.inference_mode():
            from .network.body import Encoder

            if not self._encoders:
                for part in layout.PARTS:
                    self._encoders[part] = Encoder(self._tensors(part, torch.float32))
            made = [self._encoders[part](self._f32(motion[part])) for part in layout.PARTS]
            return (torch.cat(made, -1) / layout.SCALE).cpu().numpy()

    def _rows(self, latents: F32, part: str) -> F32:
        """Return (4n, joints, 6) f32 of one part."""
        of = joints.OF[part]
        decoded = self._decoded(latents, part)[:, : 6 * len(of)]
        return (decoded * self._std[part] + self._mean[part]).reshape(len(decoded), len(of), 6)

    def _decoded(self, latents: F32, part: str) -> F32:
        """Return (4n, channels) f32 of one part, normalised."""
        torch = _torch()
        with torch.inference_mode():
            _, chosen = self._codes[part].choose(self._piece(latents, part))
            return self._decoders[part](chosen).cpu().numpy()

    def _piece(self, latents: F32, part: str) -> Any:
        """Return (n, 128) of one part, at the scale of its codes."""
        _need("latents", latents, (len(latents), layout.LATENT))
        at = layout.PARTS.index(part) * layout.CODE
        return self._f32(latents[:, at : at + layout.CODE]) * layout.SCALE

    def _f32(self, values: F32) -> Any:
        return _torch().from_numpy(np.array(values, np.float32)).to(self._device)

    def _given(self, values: F32) -> Any:
        return self._f32(values).to(self._type)

    def _tensors(self, part: str, dtype: Any) -> Lazily:
        """Return one part's tensors on the device, each read when it is asked for."""

        def placed(key: str, value: Any) -> Any:
            return value.to(self._device, None if key.endswith("inv_freq") else dtype)

        return self._weights.tensors(part).through(placed)


def _torch() -> Any:
    try:
        import torch  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise ModelError('the sentence model needs torch; pip install "kinesics[speech]"') from None
    return torch


def _device(name: str, halves: bool) -> Any:
    torch = _torch()
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in ("cpu", "cuda"):
        raise ModelError(f"device '{name}' of the sentence model: name cpu or cuda")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():  # none is 0
        raise ModelError(f"torch finds no device '{name}' for the sentence model; take device cpu")
    if halves and device.type != "cuda":
        raise ModelError(f"bfloat16 of the sentence model is for cuda, not for {name}")
    return device


def _stats(found: dict[str, F32]) -> tuple[dict[str, F32], dict[str, F32]]:
    """Return mean and spread of each part's channels, and of the translation."""
    both = []
    for name in ("mean", "std"):
        joint = found[name].reshape(JOINTS, 6)
        picked = {part: joint[list(of)].reshape(-1) for part, of in joints.OF.items()}
        both.append(picked | {"trans": found[f"trans_{name}"]})
    return both[0], both[1]


def _need(what: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ModelError(f"{what} of the sentence model is {array.shape}, wanted {shape}")
