"""Motion files of every kind written from one known motion, and voices of numbers beside them."""

from __future__ import annotations

import io
import wave
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from kinesics.components.anatomy import SLOTS
from kinesics.components.gltf.write import Writer
from kinesics.components.rig import Rig
from kinesics.systems.retarget.anatomy import measure
from kinesics.systems.retarget.neutral import pose

from ..retarget.rigs import T_POSE, Variant, rig_of
from ..talker import voice

NAMES = {  # as Mixamo writes them
    "hips": "Hips", "spine": "Spine", "chest": "Spine1", "upperChest": "Spine2", "neck": "Neck", "head": "Head",
    "crown": "HeadTop_End",
}  # fmt: skip
_PARTS = {
    "Shoulder": "Shoulder", "UpperArm": "Arm", "LowerArm": "ForeArm", "Hand": "Hand", "UpperLeg": "UpLeg",
    "LowerLeg": "Leg", "Foot": "Foot", "Toes": "ToeBase", "ThumbMetacarpal": "HandThumb1",
    "ThumbProximal": "HandThumb2", "ThumbDistal": "HandThumb3", "thumbTip": "HandThumb4",
}  # fmt: skip
_KNUCKLES = {"Proximal": "1", "Intermediate": "2", "Distal": "3", "Tip": "4"}


def mixamo(name: str) -> str:
    """Return the file's name of one of our bones."""
    if name in NAMES:
        return NAMES[name]
    side = next((s for s in ("left", "right") if name.startswith(s)), "")
    part = name[len(side) :]
    if part in _PARTS:
        return side.capitalize() + _PARTS[part]
    finger = next((f for f in ("Index", "Middle", "Ring", "Little") if part.startswith(f)), "")
    if finger:
        return f"{side.capitalize()}Hand{finger.replace('Little', 'Pinky')}{_KNUCKLES[part[len(finger) :]]}"
    return name


@cache
def talk(seconds: float = 4.0, fps: float = 60.0) -> tuple[np.ndarray, np.ndarray]:
    """Return slow neutral motion: rotation (T, 13, 3), hand (T, 2, 16) rad."""
    draw = np.random.default_rng(11)
    t = np.arange(round(seconds * fps) + 1)[:, None, None] / fps
    rotation = 0.35 * np.sin(2 * np.pi * draw.uniform(0.1, 0.5, (1, 13, 3)) * t + draw.uniform(0, 6, (1, 13, 3)))
    rotation[:, :5] *= 0.2
    hand = 0.6 + 0.45 * np.sin(2 * np.pi * draw.uniform(0.1, 0.5, (1, 2, 16)) * t + draw.uniform(0, 6, (1, 2, 16)))
    hand[..., -1] = np.radians(3.0) * np.sin(2 * np.pi * 0.3 * t[..., 0])
    hand[..., 12:15] *= 0.4
    return rotation, hand


def shown(rig: Rig, rotation: np.ndarray, hand: np.ndarray) -> np.ndarray:
    """Return a rig's local rotations (T, J, 4) wxyz of neutral motion."""
    out = np.tile(rig.rest_rotation, (len(rotation), 1, 1))
    slots = pose(rig, measure(rig), rotation, hand)
    for slot, name in enumerate(SLOTS):
        if name in rig.humanoid:
            out[:, rig.humanoid[name]] = slots[:, slot]
    return out


def bvh(
    rig: Rig,
    local: np.ndarray,
    *,
    fps: float = 60.0,
    unit: float = 100.0,
    orders: Mapping[str, str] | None = None,
    six: Sequence[str] = (),
    root_positions: bool = True,
    frames: str | None = None,
    time: float | None = None,
    newline: str = "\n",
    write: str = "%.6f",
    separator: str = " ",
    z_up: bool = False,
) -> str:
    """Return a BVH of a rig of identity rests. unit: file units a metre; six: joints with positions as well.

    orders: joint -> order of its rotation channels, "ZXY" else
    """
    orders = orders or {}
    lines, columns = ["HIERARCHY"], []
    lay = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]) if z_up else np.eye(3)
    turn = Rotation.from_matrix(lay)

    def joint(number: int, depth: int) -> None:
        name, pad = rig.names[number], "  " * depth
        children = np.flatnonzero(rig.parent == number)
        offset = lay @ rig.rest_offset[number] * unit
        if not len(children):
            lines.extend(
                [f"{pad}End Site", pad + "{", f"{pad}  OFFSET " + " ".join(f"{x:.6f}" for x in offset), pad + "}"]
            )
            return
        order = orders.get(name, "ZXY")
        has = (depth == 0 and root_positions) or name in six
        said = [f"{a}position" for a in "XYZ"] * has + [f"{a}rotation" for a in order]
        lines.extend(
            [
                f"{pad}{'ROOT' if depth == 0 else 'JOINT'} {mixamo(name)}",
                pad + "{",
                f"{pad}  OFFSET " + " ".join(f"{x:.6f}" for x in offset),
                f"{pad}  CHANNELS {len(said)} {' '.join(said)}",
            ]
        )
        own = turn * Rotation.from_quat(local[:, number], scalar_first=True) * turn.inv()
        if has:
            columns.append(np.tile(offset, (len(local), 1)))
        columns.append(own.as_euler(order.upper(), degrees=True))
        for child in children:
            joint(int(child), depth + 1)
        lines.append(pad + "}")

    joint(int(rig.humanoid["hips"]), 0)
    values = np.concatenate(columns, axis=1)
    lines += ["MOTION", f"Frames: {frames or len(values)}", f"Frame Time: {time or 1 / fps:.7f}"]
    lines += [separator.join(write % x for x in row) for row in values]
    return newline.join(lines) + newline


def without_armature(variant: Variant = T_POSE) -> Rig:
    """Return a rig whose root is the hips, as a BVH has it."""
    rig = rig_of(variant)
    if rig.names[0] == "hips":
        return rig
    first = rig.humanoid["hips"]
    keep = [j for j in range(len(rig.names)) if j >= first]
    offset, turn = rig.rest_offset[keep].copy(), rig.rest_rotation[keep].copy()
    armature = Rotation.from_quat(rig.rest_rotation[0], scalar_first=True)
    offset[0] = rig.rest_offset[0] + armature.apply(offset[0])
    turn[0] = (armature * Rotation.from_quat(turn[0], scalar_first=True)).as_quat(scalar_first=True)
    return Rig(
        tuple(rig.names[j] for j in keep),
        np.arange(len(keep)),
        np.array([-1, *(rig.parent[j] - first for j in keep[1:])]),
        offset,
        turn,
        {n: j - first for n, j in rig.humanoid.items()},
    )


def wav(path: Path, seconds: float, rate: int = 16_000, level: float = 1.0) -> None:
    """Write a voice of numbers as 16-bit PCM."""
    samples = level * np.resize(voice(4.0), round(seconds * rate))
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())


def npz(path: Path, **arrays: object) -> None:
    """Write an npz."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    path.write_bytes(buffer.getvalue())


def clip(
    rig: Rig,
    time: np.ndarray,
    local: np.ndarray,
    *,
    between: str = "LINEAR",
    names: bool = True,
    vrma: bool = False,
    scale: float = 1.0,
) -> bytes:
    """Return a glb with a rig's nodes and one animation. local: (K, J, 4) wxyz, or (K, 3, J, 4) for CUBICSPLINE."""
    writer = Writer("tests")
    nodes = []
    for j, name in enumerate(rig.names):
        w, x, y, z = rig.rest_rotation[j]
        nodes.append(
            {
                "name": mixamo(name) if names else f"n{j}",
                "translation": [float(v) for v in rig.rest_offset[j] / scale],
                "rotation": [float(v) for v in (x, y, z, w)],
                "children": [int(c) for c in np.flatnonzero(rig.parent == j)],
            }
        )
        if not nodes[-1]["children"]:
            del nodes[-1]["children"]
    if scale != 1.0:
        nodes.append({"name": "Armature", "scale": [scale] * 3, "children": [0]})
    writer.document["nodes"] = nodes
    writer.document["scenes"] = [{"nodes": [len(nodes) - 1 if scale != 1.0 else 0]}]
    writer.document["scene"] = 0
    at = writer.accessor(time.astype(np.float32), bounds=True)
    samplers, channels = [], []
    for j in range(len(rig.names)):
        values = local[..., j, :][..., [1, 2, 3, 0]].reshape(-1, 4).astype(np.float32)
        samplers.append({"input": at, "output": writer.accessor(values), "interpolation": between})
        channels.append({"sampler": j, "target": {"node": j, "path": "rotation"}})
    writer.document["animations"] = [{"name": "talk", "samplers": samplers, "channels": channels}]
    if vrma:
        bones = {name: {"node": j} for name, j in rig.humanoid.items()}
        writer.document["extensionsUsed"] = ["VRMC_vrm_animation"]
        writer.document["extensions"] = {
            "VRMC_vrm_animation": {"specVersion": "1.0", "humanoid": {"humanBones": bones}}
        }
    return writer.glb()
