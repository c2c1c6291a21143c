"""The published checkpoints as they are laid out: every key and its shape, and the few keys nothing reads.

Derived from the architecture; equal to what strict loads of the published files report (334 and 3 x 84 tensors).
"""

from __future__ import annotations

from collections.abc import Iterator

Shapes = dict[str, tuple[int, ...]]

PARTS = ("upper", "hands", "lower")  # the order of a latent's three 128s
CHANNELS = {"upper": 78, "hands": 180, "lower": 57}  # 6 a joint; lower has 3 of translation after its 54
CODE = 128  # numbers of a part's latent
LATENT = CODE * len(PARTS)
QUANTISERS, CODES = 6, 1024
SCALE = 5.0  # the generator's latents are the encoders' divided by this
PREFIX = "module."  # of every key of the published generators: they were trained on several cards

# audio encoder: outputs, stride and padding of each block
AUDIO = ((64, 5, 1700), (64, 6, 0), (64, 1, 7), (128, 6, 0), (128, 1, 7), (256, 3, 0))
STRAIGHT = (2, 4)  # blocks whose input goes past them as it is
TAPS = 15  # of its every convolution
WIDTH, WIDE = 256, 768  # of a part's token, and of the three together
HEADS = 4
CROSS, BLOCKS = 3, 8
TOKENS = 32  # latents of a window
SEED = 4  # latents it is started from
BODY = 512  # width of the body's own encoders and decoders
DILATIONS = (9, 3, 1)

# Kept because a strict load asks for them; the forward pass never reads them.
UNREAD = (
    "denoiser.sequence_pos_encoder.pe",
    "denoiser.embed_timestep.sequence_pos_encoder.pe",
    "denoiser.embed_timestep.time_embed.0.weight",
    "denoiser.embed_timestep.time_embed.0.bias",
    "denoiser.embed_timestep.time_embed.2.weight",
    "denoiser.embed_timestep.time_embed.2.bias",
)


def generator(vocabulary: int) -> Shapes:
    """Return key -> shape of a generator, prefix taken off. vocabulary: words, rows of its embedding."""
    return dict(_generator(vocabulary))


def body(part: str) -> Shapes:
    """Return key -> shape of one part's encoder, quantisers and decoder: what the published file holds under `net`."""
    return dict(_body(CHANNELS[part]))


def _linear(name: str, out: int, into: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (out, into)
    yield f"{name}.bias", (out,)


def _conv(name: str, out: int, into: int, taps: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (out, into, taps)
    yield f"{name}.bias", (out,)


def _norm(name: str, width: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (width,)
    yield f"{name}.bias", (width,)


def _batch_norm(name: str, width: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield from _norm(name, width)
    yield f"{name}.running_mean", (width,)
    yield f"{name}.running_var", (width,)
    yield f"{name}.num_batches_tracked", ()


def _generator(vocabulary: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    into = 2
    for k, (out, _, _) in enumerate(AUDIO):
        block = f"modality_encoder.WavEncoder.feat_extractor.{k}"
        yield from _conv(f"{block}.conv1", out, into, TAPS)
        yield from _batch_norm(f"{block}.bn1", out)
        yield from _conv(f"{block}.conv2", out, out, TAPS)
        yield from _batch_norm(f"{block}.bn2", out)
        if k not in STRAIGHT:
            yield from _conv(f"{block}.downsample.0", out, into, TAPS)
            yield from _batch_norm(f"{block}.downsample.1", out)
        into = out
    yield from _linear("modality_encoder.text_encoder_body", WIDTH, 300)
    yield "modality_encoder.text_pre_encoder_body.weight", (vocabulary, 300)
    yield from _linear("modality_encoder.mix_audio_text", WIDE, 2 * WIDTH)
    yield "denoiser.null_cond_embed", (TOKENS, WIDE)
    yield "denoiser.sequence_pos_encoder.pe", (5000, 1, WIDTH)
    for k in range(CROSS):
        block = f"denoiser.cross_attn_blocks.{k}"
        yield from _norm(f"{block}.norm1", WIDE)
        yield f"{block}.cross_attn.q.weight", (WIDE, WIDE)
        yield f"{block}.cross_attn.kv.weight", (2 * WIDE, WIDE)
        yield from _linear(f"{block}.cross_attn.proj", WIDE, WIDE)
        yield from _norm(f"{block}.norm2", WIDE)
        yield from _linear(f"{block}.mlp.fc1", 4 * WIDE, WIDE)
        yield from _linear(f"{block}.mlp.fc2", WIDE, 4 * WIDE)
    for k in range(BLOCKS):
        block = f"denoiser.mytimmblocks.{k}"
        yield from _norm(f"{block}.norm1", WIDTH)
        for axis in ("temporal", "spatial"):
            attention = f"{block}.spatial_temporal_attn.{axis}_attention"
            yield f"{attention}.in_proj_weight", (3 * WIDTH, WIDTH)
            yield f"{attention}.in_proj_bias", (3 * WIDTH,)
            yield from _linear(f"{attention}.out_proj", WIDTH, WIDTH)
        for axis in ("temporal", "spatial"):
            yield f"{block}.spatial_temporal_attn.{axis}_pos.inv_freq", (WIDTH // HEADS // 2,)
        yield from _norm(f"{block}.norm2", WIDTH)
        yield from _linear(f"{block}.mlp.fc1", 4 * WIDTH, WIDTH)
        yield from _linear(f"{block}.mlp.fc2", WIDTH, 4 * WIDTH)
        yield from _norm(f"{block}.norm3", WIDTH)
    yield "denoiser.embed_timestep.sequence_pos_encoder.pe", (5000, 1, WIDTH)
    yield from _linear("denoiser.embed_timestep.time_embed.0", WIDTH, WIDTH)
    yield from _linear("denoiser.embed_timestep.time_embed.2", WIDTH, WIDTH)
    yield from _linear("denoiser.embed_text", WIDTH, SEED * LATENT)
    yield from _linear("denoiser.output_process.poseFinal", CODE, WIDTH)
    yield "denoiser.rel_pos.inv_freq", (WIDTH // 2,)
    yield from _linear("denoiser.input_process.poseEmbedding", WIDTH, CODE)
    yield from _linear("denoiser.input_process2", WIDTH, 2 * WIDTH)
    yield from _linear("denoiser.time_embedding.linear_1", WIDTH, WIDTH)
    yield "denoiser.time_embedding.cond_proj.weight", (WIDTH, WIDTH)
    yield from _linear("denoiser.time_embedding.linear_2", WIDTH, WIDTH)


def _residual(name: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    for k in range(len(DILATIONS)):
        yield from _conv(f"{name}.model.{k}.conv1", BODY, BODY, 3)
        yield from _conv(f"{name}.model.{k}.conv2", BODY, BODY, 1)


def _body(channels: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield from _conv("encoder.model.0", BODY, channels, 3)
    for k in (2, 3):
        yield from _conv(f"encoder.model.{k}.0", BODY, BODY, 4)
        yield from _residual(f"encoder.model.{k}.1")
    yield from _conv("encoder.model.4", CODE, BODY, 3)
    yield from _conv("decoder.model.0", BODY, CODE, 3)
    for k in (2, 3):
        yield from _residual(f"decoder.model.{k}.0")
        yield from _conv(f"decoder.model.{k}.2", BODY, BODY, 3)
    yield from _conv("decoder.model.4", BODY, BODY, 3)
    yield from _conv("decoder.model.6", channels, BODY, 3)
    for k in range(QUANTISERS):
        yield f"quantizer.layers.{k}.codebook", (CODES, CODE)
        yield from _linear(f"quantizer.layers.{k}.embedding_proj", CODE, CODE)
