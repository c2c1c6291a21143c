"""What she can look with: eye bones, or shapes that move her eyes, and how far either may turn. Measured once."""

from __future__ import annotations

import hashlib
import math

import numpy as np

from ...components.arrays import F64, frozen
from ...components.face_map import FaceMap
from ...components.gaze import Sight
from ...components.motion import Stance
from ...components.rig import Rig
from ...components.skin import Body
from ..kernels import fk, quat

LIMIT = (30.0, 30.0, 25.0, 20.0)  # deg in, out, down, up: what people use with their head free (Stahl 1999), and lids
FLAT = 7.0  # deg that a drawn eye turns: its disc, 7 cm before its joint, slides under the lids beyond (seen on VRoid)
FULL = 30.0  # deg of gaze at which an ARKit eyeLook shape is full, where that cannot be measured (choice)
LIDS = 0.15  # of an eyeball's radius that a shape moves its vertices: with less it moves the lids alone
_DIRECTIONS = ("In", "Out", "Down", "Up")
_AHEAD = np.array([0.0, 0.06, 0.08])  # m from the head joint to between the eyes of a head of usual size, no eye bones


def sight(body: Body, stance: Stance, face_map: FaceMap) -> Sight:
    """Return what she looks with: eye bones that hold an eyeball, else shapes, else her head alone."""
    rig = body.rig
    head = rig.humanoid.get("head", -1)
    neck = rig.humanoid.get("neck", -1) if head >= 0 else -1
    if neck >= 0 and not _hangs(rig, neck)[head]:
        neck = -1
    hung = _hangs(rig, neck if neck >= 0 else head) if head >= 0 else np.zeros(len(rig.names), np.bool_)
    frame = np.array([1.0, 0.0, 0.0, 0.0])
    position, world = _rest(rig)
    if head >= 0:
        frame = stance.frame[4].copy()
    place = np.zeros((2, 3))
    joints = [rig.humanoid.get(name, -1) if head >= 0 else -1 for name in ("leftEye", "rightEye")]
    balls = [_ball(body, joint, world) if joint >= 0 and hung[joint] else np.zeros((0, 3)) for joint in joints]
    for side, joint in enumerate(joints):
        if joint >= 0:
            quat.rotate_back(world[head], position[joint] - position[head], place[side])
        elif head >= 0:
            where = _AHEAD * (float(position[head, 1]) / 1.5) + (0.03 if side == 0 else -0.03, 0.0, 0.0)
            quat.rotate_back(world[head], where, place[side])
    by_bone = all(len(ball) > 0 for ball in balls) and not (body.eyes is not None and body.eyes.by_shape)
    pairs = _shapes(body, face_map, joints, balls, by_bone=by_bone)
    eye = joints if by_bone else [-1, -1]
    eye_hung = np.zeros(len(rig.names), np.bool_)
    for joint in eye:
        if joint >= 0:
            eye_hung |= _hangs(rig, joint)
    made = (
        frozen(np.flatnonzero(hung), np.int32), frozen(frame, np.float64), frozen(place.mean(axis=0), np.float64),
        frozen(place, np.float64), frozen(eye, np.int32), frozen(np.flatnonzero(eye_hung), np.int32),
        frozen(np.radians(_limit(body, balls, by_bone=by_bone)), np.float64),
        frozen([channel for channel, _, _ in pairs], np.int32), frozen([row for _, row, _ in pairs], np.int32),
        frozen([per for _, _, per in pairs], np.float64),
    )  # fmt: skip
    h = hashlib.blake2b(repr((neck, head)).encode(), digest_size=16)
    for array in made:
        h.update(array.tobytes())
    return Sight(neck, head, *made, h.hexdigest())


def _rest(rig: Rig) -> tuple[F64, F64]:
    position, world = np.empty((len(rig.names), 3)), np.empty((len(rig.names), 4))
    fk.world(rig.parent, rig.rest_offset, np.zeros(3), rig.rest_rotation.copy(), position, world)
    return position, world


def _hangs(rig: Rig, joint: int) -> np.ndarray:
    """Return (J,) bool, the joints below one, itself left out."""
    below = np.zeros(len(rig.names), np.bool_)
    for j in range(joint + 1, len(rig.names)):
        parent = int(rig.parent[j])
        below[j] = parent == joint or (parent >= 0 and below[parent])
    return below


def _ball(body: Body, joint: int, world: F64) -> F64:
    """Return (V, 3) m, the vertices that an eye bone carries, from it, avatar frame in rest."""
    found = [np.zeros((0, 3))]
    turn = np.empty((3, 3))
    quat.to_matrix(world[joint], turn)
    for mesh in body.skin.meshes:
        held = (mesh.weight * (mesh.joint == joint)).sum(axis=1) > 0.5
        if held.any():
            bind = body.skin.bind[mesh.skin, joint]
            at = mesh.position[held].astype(np.float64) @ bind[:3, :3].T + bind[:3, 3]
            found.append(at @ turn.T)
    return np.concatenate(found)


def _is_flat(ball: F64) -> bool:
    """Whether an eye is a disc far before the joint it turns about, as drawn faces have it."""
    return bool(ball[:, 2].min() > 0.4 * ball[:, 2].max() > 0.0)


def _limit(body: Body, balls: list[F64], *, by_bone: bool) -> tuple[float, ...]:
    """Return deg in, out, down, up."""
    if by_bone and body.eyes is not None:
        # files map 90 deg of gaze to so much: 1 to 1 up to it her eyes meet a viewer's, scaled they never do
        return tuple(max(given, 1.0) for given in body.eyes.eye)
    if by_bone and any(_is_flat(ball) for ball in balls):
        return (FLAT,) * 4
    return LIMIT


def _shapes(
    body: Body, face_map: FaceMap, joints: list[int], balls: list[F64], *, by_bone: bool
) -> list[tuple[int, int, float]]:
    """Return (channel, what drives it, 1/rad) of the shapes that move eyes, or with eye bones the lids alone."""
    out = []
    for side, name in enumerate(("Left", "Right")):
        for k, direction in enumerate(_DIRECTIONS):
            for channel, full in face_map.units.get(f"eyeLook{direction}{name}", ()):
                share = _moves(body, body.morph_names[channel], joints[side], balls[side])
                if by_bone and share > LIDS:
                    continue
                angle = 2.0 * math.asin(min(0.5 * share, 1.0)) if share > LIDS else math.radians(FULL)
                out.append((channel, 4 * side + k, full / angle))
    if out or by_bone:
        return out
    eyes = body.eyes
    for row, (name, k) in enumerate((("lookLeft", 1), ("lookRight", 1), ("lookDown", 2), ("lookUp", 3)), 8):
        look = face_map.expressions.get(name)
        for channel, full in look.channels if look is not None else ():
            shown, gaze = (eyes.eye[k], eyes.gaze[k]) if eyes is not None and eyes.by_shape else (1.0, FULL)
            out.append((channel, row, full * shown / math.radians(gaze)))
    return out


def _moves(body: Body, name: str, joint: int, ball: F64) -> float:
    """Return how far a shape moves an eyeball, in its radii; 0 where there is none to measure."""
    if joint < 0 or not len(ball):
        return 0.0
    radius, far = float(np.median(np.linalg.norm(ball, axis=1))), 0.0
    for mesh in body.skin.meshes:
        for morph in mesh.morphs:
            if morph.name == name and len(morph.index):
                held = (mesh.weight[morph.index] * (mesh.joint[morph.index] == joint)).sum(axis=1) > 0.5
                if held.any():
                    far = max(far, float(np.linalg.norm(morph.position[held].astype(np.float64), axis=1).max()))
    return far / max(radius, 1e-6)
