"""A small figure, a voice and a corpus made of numbers, so that the motion can be tested without any file."""

from __future__ import annotations

from functools import cache

import numpy as np

from kinesics.components.anatomy import BODY_SLOTS
from kinesics.components.corpus import Clip, Corpus
from kinesics.components.rig import Rig
from kinesics.components.skin import Body, Material, Mesh, Morph, Skin
from kinesics.components.speech import RATE

_SIDES = (("left", 1.0), ("right", -1.0))


@cache
def rig() -> Rig:
    """Return a T-posed woman of 1.65 m with fingers, identity rests, 58 joints and two twist bones a side."""
    bones: list[tuple[str, str | None, tuple[float, float, float]]] = [
        ("hips", None, (0.0, 0.92, 0.0)),
        ("spine", "hips", (0.0, 0.10, 0.0)),
        ("chest", "spine", (0.0, 0.12, 0.0)),
        ("upperChest", "chest", (0.0, 0.12, 0.0)),
        ("neck", "upperChest", (0.0, 0.13, 0.0)),
        ("head", "neck", (0.0, 0.09, 0.01)),
        ("jaw", "head", (0.0, 0.0, 0.02)),
    ]
    for side, g in _SIDES:
        bones += [
            (side + "Eye", "head", (0.03 * g, 0.05, 0.08)),
            (side + "Shoulder", "upperChest", (0.03 * g, 0.09, 0.0)),
            (side + "UpperArm", side + "Shoulder", (0.12 * g, 0.0, 0.0)),
            (side + "UpperArmTwist", side + "UpperArm", (0.11 * g, 0.0, 0.0)),
            (side + "LowerArm", side + "UpperArm", (0.23 * g, 0.0, 0.0)),
            (side + "LowerArmTwist", side + "LowerArm", (0.10 * g, 0.0, 0.0)),
            (side + "Hand", side + "LowerArm", (0.21 * g, 0.0, 0.0)),
            (side + "UpperLeg", "hips", (0.09 * g, -0.05, 0.0)),
            (side + "LowerLeg", side + "UpperLeg", (0.0, -0.40, 0.0)),
            (side + "Foot", side + "LowerLeg", (0.0, -0.39, -0.01)),
            (side + "Toes", side + "Foot", (0.0, -0.06, 0.12)),
            (side + "ThumbMetacarpal", side + "Hand", (0.025 * g, -0.01, 0.025)),
            (side + "ThumbProximal", side + "ThumbMetacarpal", (0.03 * g, -0.01, 0.025)),
            (side + "ThumbDistal", side + "ThumbProximal", (0.025 * g, 0.0, 0.012)),
        ]
        for finger, z in (("Index", 0.03), ("Middle", 0.01), ("Ring", -0.01), ("Little", -0.03)):
            bones += [
                (side + finger + "Proximal", side + "Hand", (0.09 * g, 0.0, z)),
                (side + finger + "Intermediate", side + finger + "Proximal", (0.04 * g, 0.0, 0.0)),
                (side + finger + "Distal", side + finger + "Intermediate", (0.025 * g, 0.0, 0.0)),
            ]
    names = [name for name, _, _ in bones]
    count = len(bones)
    unit = np.zeros((count, 4))
    unit[:, 0] = 1.0
    humanoid = {name: k for k, name in enumerate(names) if "Twist" not in name}
    return Rig(
        tuple(names),
        np.arange(count),
        np.array([-1 if parent is None else names.index(parent) for _, parent, _ in bones]),
        np.array([offset for _, _, offset in bones]),
        unit,
        humanoid,
    )


def body(morphs: tuple[str, ...] = ("jawOpen", "eyeBlinkLeft", "eyeBlinkRight")) -> Body:
    """Return the figure as a file would give it, its skin one triangle that every shape moves."""
    made = rig()
    bind = np.tile(np.eye(4), (1, len(made.names), 1, 1))
    corners = np.array([[0.0, 1.5, 0.1], [0.02, 1.5, 0.1], [0.0, 1.52, 0.1]], np.float32)
    index, down = np.arange(3, dtype=np.uint32), np.tile([0.0, -0.02, 0.0], (3, 1)).astype(np.float32)
    shapes = tuple(Morph(name, index, down, np.zeros((3, 3), np.float32)) for name in morphs)
    head = np.full((3, 4), made.humanoid["head"], np.uint16)
    whole = np.tile([1.0, 0.0, 0.0, 0.0], (3, 1)).astype(np.float32)
    ahead = np.tile([0.0, 0.0, 1.0], (3, 1)).astype(np.float32)
    flat, white = np.zeros((3, 2), np.float32), np.ones((3, 4), np.float32)
    mesh = Mesh("face", corners, ahead, flat, white, head, whole, index.reshape(1, 3), 0, 0, shapes)
    return Body("figure", "glTF", made, Skin((mesh,), bind, (Material(),)), morphs, digest="figure")


def voice(
    seconds: float = 4.0, *, pauses: tuple[tuple[float, float], ...] = ((1.6, 2.2),), seed: int = 3
) -> np.ndarray:
    """Return a buzzing, syllabic voice at 16 kHz with silent pauses and silent ends."""
    t = np.arange(round(seconds * RATE)) / RATE
    draw = np.random.default_rng(seed)
    pitch = 190.0 + 25.0 * np.sin(2 * np.pi * 0.4 * t + draw.uniform(0, 6)) + 12.0 * np.sin(2 * np.pi * 1.1 * t)
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    buzz = sum(np.sin(k * phase) / k for k in range(1, 18))
    syllables = 0.15 + 0.85 * np.clip(np.sin(2 * np.pi * 2.1 * t + draw.uniform(0, 6)), 0, 1) ** 1.5
    loud = np.where((t > 0.25) & (t < seconds - 0.3), syllables, 0.0)
    for a, b in pauses:
        loud[(t > a) & (t < b)] = 0.0
    noise = 2e-4 * draw.standard_normal(t.shape)
    return (0.2 * buzz * loud + noise).astype(np.float32)


@cache
def corpus(clips: int = 6, seconds: float = 40.0, seed: int = 5) -> Corpus:
    """Return slow, smooth talking of numbers on the neutral rig: arms between hanging and gesturing, never fast."""
    draw = np.random.default_rng(seed)
    frames = round(seconds * 30)
    rotation, hand, envelope, coefficient, voiced, start = [], [], [], [], [], [0]
    t = np.arange(frames) / 30.0
    for _ in range(clips):

        def wave(size: float, slowest: float = 0.07, fastest: float = 0.35, t: np.ndarray = t) -> np.ndarray:
            out = np.zeros_like(t)
            for f in np.linspace(slowest, fastest, 4):
                out += np.sin(2 * np.pi * f * draw.uniform(0.9, 1.1) * t + draw.uniform(0, 2 * np.pi)) / 4.0
            return size * out

        r = np.zeros((frames, len(BODY_SLOTS), 3))
        for name, size in (("spine", 0.02), ("chest", 0.02), ("upperChest", 0.02), ("neck", 0.06), ("head", 0.09)):
            for axis in range(3):
                r[:, BODY_SLOTS.index(name), axis] = wave(size)
        for side, g in _SIDES:
            up = 0.5 + 0.5 * np.sin(2 * np.pi * 0.11 * t + draw.uniform(0, 6))
            r[:, BODY_SLOTS.index(side + "Shoulder"), 2] = g * wave(0.03)
            r[:, BODY_SLOTS.index(side + "UpperArm"), 2] = -g * (1.25 - 0.15 * up + wave(0.08))
            r[:, BODY_SLOTS.index(side + "UpperArm"), 1] = -g * (0.15 + 0.25 * up + wave(0.08))
            r[:, BODY_SLOTS.index(side + "LowerArm"), 1] = -g * (0.45 + 0.8 * up + wave(0.12))
            r[:, BODY_SLOTS.index(side + "Hand"), 0] = wave(0.25)
        h = np.full((frames, 2, 16), 0.35)
        for k in range(2):
            for c in range(16):
                h[:, k, c] += wave(0.15)
        e = -12.0 + 12.0 * np.sin(2 * np.pi * 2.0 * np.arange(2 * frames) / 60.0 + draw.uniform(0, 6))
        rotation.append(r), hand.append(h), envelope.append(e + 3.0 * draw.standard_normal(2 * frames))
        coefficient.append(draw.standard_normal((frames, 13)) * 5.0)
        voiced.append(np.sin(2 * np.pi * 0.3 * t + draw.uniform(0, 6)) > -0.6)
        start.append(start[-1] + frames)
    made = tuple(Clip(f"clip{k}", "numbers", "none", "", "CC0-1.0", {}) for k in range(clips))
    return Corpus(
        made,
        np.array(start, np.int32),
        np.concatenate(rotation).astype(np.float32),
        np.concatenate(hand).astype(np.float32),
        np.concatenate(envelope).astype(np.float32),
        np.concatenate(coefficient).astype(np.float32),
        np.concatenate(voiced),
        "test",
        f"corpus-{clips}-{seconds}-{seed}",
    )
