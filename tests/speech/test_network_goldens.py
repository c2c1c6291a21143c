"""Every stage of the network computes what the published code computed with the same weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinesics.components.errors import ModelError
from kinesics.components.gesture import NEW, SAMPLES, WINDOW
from kinesics.systems.speech_gesture.model import Model, filled_model, joints, layout, source

from .goldens import NETWORK, ROTATION, golden, off, sound_of

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def ear(torch: Any, weights: Any) -> Any:
    from kinesics.systems.speech_gesture.model.network.audio import Ear

    return Ear(weights["generator"])


@pytest.fixture(scope="module")
def denoiser(torch: Any, weights: Any) -> Any:
    from kinesics.systems.speech_gesture.model.network.denoiser import Denoiser

    return Denoiser(weights["generator"])


@pytest.fixture(scope="module")
def seen(torch: Any, ear: Any) -> Any:
    """What the denoiser looks at in the window that was recorded."""
    recorded = golden("encoder")
    return ear(torch.from_numpy(sound_of(recorded))[None], torch.from_numpy(recorded["word"]))


def test_sound_and_words_become_the_recorded_features(torch: Any, ear: Any, seen: Any) -> None:
    recorded = golden("encoder")
    sound = torch.from_numpy(sound_of(recorded))[None]
    assert off(ear.hear(sound), recorded["wav_feat"]) < NETWORK
    assert off(ear.read(torch.from_numpy(recorded["word"])), recorded["text_feat"]) < NETWORK
    assert off(seen, recorded["at_feat"]) < NETWORK


def test_every_block_of_the_ear_gives_the_recorded_sound(torch: Any, ear: Any) -> None:
    recorded = golden("encoder")
    x = torch.from_numpy(sound_of(recorded)).T[None, :, None].to(memory_format=torch.channels_last)
    for k, block in enumerate(ear.blocks):
        x = block(x)
        found = x[:, :, 0].numpy()
        assert found.shape == tuple(recorded[f"block{k}_shape"])
        kept = recorded[f"block{k}_slice"]
        assert off(found[0, ::8, :: found.shape[2] // 64], kept) < NETWORK


def test_one_step_of_the_denoiser_gives_the_four_recorded_answers(torch: Any, denoiser: Any) -> None:
    recorded = golden("denoiser")
    x = torch.from_numpy(recorded["x"])[0, :, 0].T
    seed = denoiser.begin(torch.from_numpy(recorded["seed"]))
    assert off(seed, recorded["emb_seed"]) < NETWORK
    assert off(denoiser.when(0.3, 0.5), recorded["emb_t"]) < NETWORK
    keys = [denoiser.look(torch.from_numpy(recorded["at_feat"])), denoiser.nothing]
    guided, free = denoiser(x, seed + denoiser.when(0.3, 0.5), keys)
    assert off(guided.T, recorded["out"]) < NETWORK
    assert off(free.T, recorded["out_uncond"]) < NETWORK
    assert off((free + 2.0 * (guided - free)).T, recorded["out_cfg2"]) < NETWORK
    without = denoiser(x, seed + denoiser.when(0.3, None), keys)
    assert off(without[0].T, recorded["out_no_cond_time"]) < NETWORK


@pytest.mark.parametrize(
    ("sampler", "steps", "guidance"),
    [("shortcut", n, 2) for n in (1, 2, 4, 8, 20)] + [("shortcut", 2, 1)] + [("meanflow", n, 0) for n in (1, 2, 4)],
)
def test_noise_becomes_the_recorded_latents(
    torch: Any, denoiser: Any, seen: Any, sampler: str, steps: int, guidance: int
) -> None:
    from kinesics.systems.speech_gesture.model.network.sample import SAMPLERS

    recorded = golden("sampling")
    noise = torch.from_numpy(recorded["noise"])[0, :, 0].T
    begin = denoiser.begin(torch.from_numpy(recorded["seed"]))
    given = (float(guidance),) if guidance else ()
    found = SAMPLERS[sampler](denoiser, noise, begin, denoiser.look(seen), steps, lambda: False, *given)
    name = f"{sampler}_{steps}" + (f"_g{guidance}" if guidance else "")
    assert off(found.T, recorded[name]) < NETWORK


@pytest.mark.parametrize("part", layout.PARTS)
def test_motion_becomes_latents_and_latents_motion(torch: Any, weights: Any, part: str) -> None:
    from kinesics.systems.speech_gesture.model.network.body import Decoder, Encoder, Quantisers

    recorded = {name: torch.from_numpy(value) for name, value in golden("rvq").items() if name.startswith(part)}
    made = weights[part]
    assert off(Encoder(made)(recorded[f"{part}_motion"][0]), recorded[f"{part}_latent"]) < NETWORK
    chosen, sum_ = Quantisers(made).choose(recorded[f"{part}_z"][0])
    assert np.array_equal(chosen, recorded[f"{part}_codes"][0])
    assert off(sum_.T, recorded[f"{part}_quantized"]) < NETWORK
    assert off(Decoder(made)(sum_), recorded[f"{part}_decoded"]) < NETWORK


class Recorded(source.Filled):
    """Filled weights with the mean and spread that the pipeline was recorded with."""

    def stats(self) -> dict[str, Any]:
        recorded = golden("pipeline")
        out = source.Filled.stats(self)
        for name in ("mean", "std"):
            joint = out[name].reshape(-1, 6)
            for part, of in joints.OF.items():
                joint[list(of)] = recorded[f"{name}_{part}"].reshape(-1, 6)
            out[f"trans_{name}"] = recorded[f"t{name}"].astype(np.float32)
        return out


def test_two_windows_become_the_recorded_motion(torch: Any) -> None:
    """The second begins where the first ended: latents, codes, rotations and path of 240 frames."""
    recorded = golden("pipeline")
    model = Model(Recorded())
    sound, words, seed = sound_of(recorded), recorded["word"][0], recorded["seed"][0]
    made = []
    for k in range(2):
        at = NEW * k
        noise = recorded[f"noise{k}"][0, :, 0].T
        window = model.window(
            sound[at * SAMPLES : (at + WINDOW) * SAMPLES], words[at : at + WINDOW], seed, np.ascontiguousarray(noise)
        )
        assert window is not None
        assert off(window, recorded[f"window{k}"]) < NETWORK
        seed = window[-4:]
        made.append(window if k == 0 else window[4:])
    latents = np.concatenate(made)
    assert off(latents * 5.0, recorded["latents_x5"]) < NETWORK
    for part in layout.PARTS:
        assert np.array_equal(model.codes(latents, part), recorded[f"{part}_codes"][0])
    assert off(model.translation(latents), recorded["trans"]) < NETWORK
    rotation = model.decode(latents)
    assert off(joints.to_rows(rotation[::2]), recorded["rot6d_even_frames"]) < ROTATION
    assert np.array_equal(rotation[:, 22:25], joints.identity(len(rotation))[:, 22:25])


def test_what_is_shown_can_be_gone_on_from(torch: Any) -> None:
    """16 frames she shows become 4 latents; those of her mean pose are the seed of a first sentence."""
    model = filled_model()
    rest = joints.identity(16)  # the filled model's mean pose is every joint at rest
    assert off(model.encode(rest), model.rest_seed) < NETWORK
    assert model.rest_seed.shape == (4, 384)
    turned = joints.identity(16)
    turned[:, :9] = np.nan  # of legs and pelvis nothing is known: they are taken to be at rest
    assert off(model.encode(turned), model.rest_seed) < NETWORK
    turned[:, 16] = np.float32([0.8, 0.6, 0, 0])
    assert off(model.encode(turned)[:, :128], model.rest_seed[:, :128]) > 0.01


def test_a_window_is_left_within_a_step(torch: Any) -> None:
    model = filled_model(steps=4)
    asked: list[int] = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) == 3

    draw = np.random.default_rng(1)
    sound, words = np.zeros((WINDOW * SAMPLES, 2), np.float32), np.full(WINDOW, 3)
    seed, noise = np.zeros((4, 384), np.float32), draw.standard_normal((32, 384), np.float32)
    assert model.window(sound, words, seed, noise, cancelled) is None
    assert len(asked) == 3
    assert np.array_equal(model.window(sound, words, seed, noise), model.window(sound, words, seed, noise))


def test_in_halves_it_goes_the_same_way(torch: Any, weights: Any) -> None:
    """bfloat16, which is offered on CUDA: nothing in it falls back or breaks off, and it stays near."""
    from kinesics.systems.speech_gesture.model.network.audio import Ear
    from kinesics.systems.speech_gesture.model.network.denoiser import Denoiser
    from kinesics.systems.speech_gesture.model.network.sample import shortcut

    halved = weights["generator"].through(
        lambda key, value: value if key.endswith("inv_freq") else value.to(torch.bfloat16)
    )
    ear, denoiser, recorded, heard = Ear(halved), Denoiser(halved), golden("sampling"), golden("encoder")
    sound = torch.from_numpy(sound_of(heard))[None].to(torch.bfloat16)
    keys = denoiser.look(ear(sound, torch.from_numpy(heard["word"])))
    begin = denoiser.begin(torch.from_numpy(recorded["seed"]).to(torch.bfloat16))
    noise = torch.from_numpy(recorded["noise"])[0, :, 0].T
    found = shortcut(denoiser, noise, begin, keys, 2, lambda: False)
    assert found is not None
    assert found.dtype == torch.float32
    assert off(found.T, recorded["shortcut_2_g2"]) < 0.3  # of values up to 5


@pytest.mark.parametrize("device", ["tpu", "meta", "cuda:99"])
def test_a_device_that_is_none_is_one_line(torch: Any, device: str) -> None:
    with pytest.raises(ModelError, match=rf"device '{device}'") as caught:
        Model(source.Filled(), device)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("halves", [False, True])
def test_cuda_makes_the_same_window(torch: Any, halves: bool) -> None:
    if not torch.cuda.is_available():
        pytest.skip("torch finds no CUDA device here")
    draw = np.random.default_rng(1)
    sound = np.abs(draw.standard_normal((WINDOW * SAMPLES, 2), np.float32)) * [0.2, 0.0]
    words = draw.integers(0, 11195, WINDOW)
    seed, noise = (draw.standard_normal((n, 384), np.float32) for n in (4, 32))
    one = filled_model().window(sound.astype(np.float32), words, seed, noise)
    other = Model(source.Filled(), "cuda", halves=halves)
    found = other.window(sound.astype(np.float32), words, seed, noise)
    assert off(found, one) < (0.3 if halves else 0.01)  # TF32 and other sums
    assert other.decode(one).shape == (128, 55, 4)
