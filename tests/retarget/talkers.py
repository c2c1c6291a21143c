"""Recorded hands made of numbers: curls about known axes with the scatter of a real capture, and a flat paddle."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from kinesics.components.anatomy import FINGER_SLOTS, FINGERS, SIDES
from kinesics.components.rig import Rig

SCATTER = np.radians(6.0)  # off-axis rms of a finger joint in a capture, 4 to 12 deg on the real take
# The 30 curl axes of a real talker's flat hands, in the order of FINGER_SLOTS: uncentred second moments of one BEAT2
# take with the model's mean hand (share 0.90 to 1.00). The little finger's end turns nearly about its own bone.
MEASURED = np.array([
    [0.18, 0.432, -0.884], [0.139, -0.193, -0.971], [0.003, -0.471, -0.882],
    [-0.088, 0.032, -0.996], [-0.08, 0.039, -0.996], [-0.241, -0.415, -0.878],
    [-0.011, -0.297, -0.955], [-0.499, -0.139, -0.855], [-0.564, -0.266, -0.782],
    [-0.471, -0.501, -0.726], [-0.301, 0.079, -0.95], [-0.988, 0.145, -0.057],
    [0.888, 0.453, 0.081], [-0.965, 0.117, -0.233], [0.963, 0.265, -0.041],
    [0.221, -0.449, 0.866], [0.062, 0.276, 0.959], [0.156, 0.283, 0.946],
    [-0.075, -0.08, 0.994], [-0.139, 0.017, 0.99], [-0.183, 0.424, 0.887],
    [-0.09, 0.196, 0.977], [-0.428, 0.073, 0.901], [-0.542, 0.389, 0.744],
    [-0.306, 0.606, 0.734], [-0.69, -0.149, 0.708], [-0.96, 0.015, 0.279],
    [0.916, -0.4, -0.039], [-0.934, -0.301, 0.192], [0.943, -0.224, 0.246],
])  # fmt: skip
MEASURED /= np.linalg.norm(MEASURED, axis=1, keepdims=True)
MIRROR = np.array([1.0, -1.0, -1.0])


def curls(frames: int, seed: int, low: float = 15.0, high: float = 70.0) -> np.ndarray:
    """Return smooth curls of 30 joints, (30, frames) rad, each over most of low..high deg."""
    draw = np.random.default_rng(seed)
    t = np.arange(frames) / 60.0
    out = np.empty((30, frames))
    for s in range(30):
        waves = [np.sin(2 * np.pi * draw.uniform(0.1, 0.6) * t + draw.uniform(0, 6.28)) for _ in range(3)]
        wave = sum(waves)
        out[s] = low + (high - low) * (wave - wave.min()) / np.ptp(wave)
    return np.radians(out)


def turns(axis: np.ndarray, curl: np.ndarray, seed: int, scatter: float = SCATTER) -> np.ndarray:
    """Return rotation vectors (30, T, 3) about `axis` with slow scatter across it. axis: (30, 3), curl: (30, T)."""
    draw = np.random.default_rng(seed)
    frames = curl.shape[1]
    t = np.arange(frames) / 60.0
    out = axis[:, None] * curl[..., None]
    for s in range(30):
        across = np.linalg.svd(axis[s][None])[2][1:]
        for direction in across:
            wave = np.sin(2 * np.pi * draw.uniform(0.2, 1.0) * t + draw.uniform(0, 6.28))
            out[s] += scatter * wave[:, None] * direction  # each way rms scatter / sqrt 2
    return out


def fist(rig: Rig, turn: np.ndarray) -> np.ndarray:
    """Return local rotations (T, J, 4) of a rig of identity rests whose finger joints turn so. turn: (30, T, 3)."""
    out = np.tile(rig.rest_rotation, (turn.shape[1], 1, 1))
    for s, name in enumerate(FINGER_SLOTS):
        if name in rig.humanoid:
            out[:, rig.humanoid[name]] = Rotation.from_rotvec(turn[s]).as_quat(scalar_first=True)
    return out


def mirrored(turn: np.ndarray) -> np.ndarray:
    """Return the other hand's motion in a mirror. turn: (30, T, 3)."""
    return np.concatenate([turn[15:], turn[:15]]) * MIRROR


def paddle(rig: Rig) -> Rig:
    """Return a figure of identity rests with her four fingers laid flat and parallel: a hand like a paddle."""
    offset = rig.rest_offset.copy()
    place = offset.copy()
    for joint, above in enumerate(rig.parent):
        if above >= 0:
            place[joint] += place[above]
    for side in SIDES:
        at = {f: place[rig.humanoid[f"{side}{f}Proximal"]] for f in FINGERS}
        forward = at["Middle"] - place[rig.humanoid[side + "Hand"]]
        forward /= np.linalg.norm(forward)
        for finger in FINGERS:
            start = rig.humanoid[f"{side}{finger}Proximal"]
            for joint in range(start + 1, len(rig.names)):
                above = joint
                while above > start:
                    above = int(rig.parent[above])
                if above == start:
                    offset[joint] = forward * np.linalg.norm(offset[joint])
    return Rig(rig.names, rig.node, rig.parent, offset, rig.rest_rotation, rig.humanoid)
