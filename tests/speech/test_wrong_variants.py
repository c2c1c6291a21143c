"""Each habit of the published code is needed: the network with it taken out, line by line, misses the goldens."""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .goldens import NETWORK, golden, off, sound_of

pytestmark = pytest.mark.long
_PACKAGE = "kinesics.systems.speech_gesture.model.network"


def without(places: tuple[tuple[str, str], ...]) -> Any:
    """Return the denoiser's module with places of its text changed."""
    module = importlib.import_module(f"{_PACKAGE}.denoiser")
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    for line, instead in places:
        assert text.count(line) == 1, f"denoiser.py no longer holds what this test changes: {line}"
        text = text.replace(line, instead)
    made = types.ModuleType(f"{_PACKAGE}.denoiser_changed")
    made.__package__ = _PACKAGE
    sys.modules[made.__name__] = made  # dataclasses look it up
    exec(compile(text, "denoiser_changed.py", "exec"), made.__dict__)
    del sys.modules[made.__name__]
    return made


# what is wrong -> the place in denoiser.py, and what stands there instead; facts say how far off each must be at least
DENOISER = {
    "parts and times transposed instead of viewed": (
        ("tokens.reshape(1, layout.TOKENS, layout.WIDE)",
         "tokens.transpose(1, 2).reshape(1, layout.TOKENS, layout.WIDE)"),
        ("flat.reshape(-1, _PARTS, layout.TOKENS, layout.WIDTH)",
         "flat.reshape(-1, layout.TOKENS, _PARTS, layout.WIDTH).transpose(1, 2)"),
    ),
    "attention adds nothing of its own": (("return x + self.leave(y)  # QUIRK", "return self.leave(y)  # QUIRK"),),
    "values of the input as it came": (
        ("        x = turned(x.unflatten", "        came = x\n        x = turned(x.unflatten"),
        ("        y = functional.scaled_dot_product_attention(query, key, value)",
         "        value = _heads(self.enter(came).chunk(3, -1)[2])\n"
         "        y = functional.scaled_dot_product_attention(query, key, value)"),
    ),
    "norm1 in place of norm2": (('self.norm = w[f"{name}.norm2.weight"], w[f"{name}.norm2.bias"]\n        attention',
                                 'self.norm = w[f"{name}.norm1.weight"], w[f"{name}.norm1.bias"]\n        attention'),),
    "sines before cosines": (("torch.cat([angle.cos(), angle.sin()])", "torch.cat([angle.sin(), angle.cos()])"),),
    "seed by part, channel, latent": (
        ("self.seed(seed.flatten(1))", "self.seed(seed.unflatten(-1, (3, -1)).permute(0, 2, 3, 1).flatten(1))"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("wrong", DENOISER)
def test_a_denoiser_without_the_habit_misses(torch: Any, weights: Any, wrong: str) -> None:
    recorded = golden("denoiser")
    denoiser = without(DENOISER[wrong]).Denoiser(weights["generator"])
    given = denoiser.begin(torch.from_numpy(recorded["seed"])) + denoiser.when(0.3, 0.5)
    keys = [denoiser.look(torch.from_numpy(recorded["at_feat"]))]
    found = denoiser(torch.from_numpy(recorded["x"])[0, :, 0].T, given, keys)[0]
    assert off(found.T, recorded["out"]) > 1000 * NETWORK


def test_codebooks_as_they_lie_in_the_file_miss(torch: Any, weights: Any) -> None:
    from kinesics.systems.speech_gesture.model.network.body import Decoder, Quantisers

    recorded = golden("rvq")
    quantisers = Quantisers(weights["upper"])
    codes = torch.from_numpy(recorded["upper_codes"][0].astype(np.int64))
    right = sum(table[codes[:, k]] for k, table in enumerate(quantisers.codes))
    raw = sum(weights["upper"][f"quantizer.layers.{k}.codebook"][codes[:, k]] for k in range(6))
    decoder = Decoder(weights["upper"])
    assert off(decoder(right), recorded["upper_decoded"]) < NETWORK
    assert off(decoder(raw), recorded["upper_decoded"]) > 1000 * NETWORK


def test_onsets_where_they_sound_miss(torch: Any, weights: Any) -> None:
    """The trained network never saw an onset where it sounds: frames were written as if they were samples."""
    from kinesics.systems.speech_gesture.model.network.audio import Ear

    recorded = golden("encoder")
    right = sound_of(recorded)
    wrong = right.copy()
    wrong[:, 1] = 0.0
    wrong[512 * recorded["onset_idx"][512 * recorded["onset_idx"] < len(wrong)], 1] = 1.0
    ear, words = Ear(weights["generator"]), torch.from_numpy(recorded["word"])
    assert off(ear(torch.from_numpy(right)[None], words), recorded["at_feat"]) < NETWORK
    assert off(ear(torch.from_numpy(wrong)[None], words), recorded["at_feat"]) > 100 * NETWORK
