"""Her face on the shown pose: lips, blinks, expressions, in that order of room."""

from __future__ import annotations

import math

from ...components.brows import Brows
from ...components.face import Face
from ...components.face_map import FaceMap
from ...components.gaze import Gaze
from ...components.lips import Lips
from ...components.motion import Motion
from ...components.pose import Pose
from ...components.voice import Voice
from ...components.world import World
from ..kernels import gaze as kernel
from . import brows as brow
from . import lips as mouth
from . import loudness
from .blinks import blink
from .express import add, ease, express, left
from .moods import feel

_OPEN_RATE, _CLOSE_RATE = 60.0, 55.0  # 1/s, springs: half open in 28 ms; 4 % left 90 ms after the voice stops
_CLOSE_LIVE = (
    80.0  # 1/s: a live voice falls silent unannounced; with 10 ms of sound and a tick 5 % are left after 86 ms
)


def speak(world: World) -> None:
    """Write the face's weights.

    Reads Voice, FaceMap, Motion, Face.asked, World.tick, World.config; writes Face, Lips, Gaze, Pose (her eyes).
    """
    for entity, face, face_map, lips in world.each(Face, FaceMap, Lips):
        voice = world.get(entity, Voice)
        face.weight[:] = 0.0
        if "face" not in world.config.run.layers:
            continue
        if lips.face_map is not face_map:  # another face was put on
            lips = mouth.fitted(face_map, len(face.weight), lips.visemes, lips.net)
            world.put(entity, lips)
        settings = world.config.face
        feel(world, entity, face, face_map, voice)
        ease(face, world.dt)
        wide = mouth.move(lips, voice, world.tick, world.dt, settings.smoothing) if lips.net is not None else 1.0
        lids, speech = express(face_map, face.shown, face.weight, lips.yields, mouth.claim(lips))
        if lips.net is not None:
            face.openness = mouth.show(lips, settings.strength * wide, speech, face.weight)
        else:
            follow_loudness(face, voice, world.dt)
            look = face_map.expressions.get("aa") if face_map.kind == "VRM" else None
            add(face_map.open, left(look, min(face.openness * settings.strength, 1.0), speech), face.weight)
        if world.has(entity, Brows):
            brows = world.get(entity, Brows)
            brow.move(world, entity, brows, voice)
            brow.show(brows, face_map, face.weight)
        jumped = 0.0
        if world.has(entity, Gaze):
            look = world.get(entity, Gaze)
            point_eyes(look, world.get(entity, Motion), world.get(entity, Pose), face, world.dt)
            jumped = look.jumped
        closed = left(face_map.expressions.get("blink"), blink(world, entity, face, voice.active, jumped), lids)
        for channel, full in face_map.blink:
            # the larger one: a blink during a squint closes the eye, it does not fold it
            face.weight[channel] = max(float(face.weight[channel]), closed * full)


def point_eyes(look: Gaze, motion: Motion, pose: Pose, face: Face, dt: float) -> None:
    """Point her eyes where she looks, by their joints or their shapes. Writes Gaze.eyes, Gaze.jumped."""
    sight, rig = motion.sight, motion.rig
    if sight is None or sight.head < 0:
        return
    look.jumped = kernel.eyes(
        rig.parent, rig.rest_offset, sight.head, sight.eye, sight.eye_below, sight.frame, sight.place, look.point,
        look.looks, look.shift, sight.limit, sight.channel, sight.row, sight.per, dt, look.eyes, look.work,
        pose.rotation, pose.world_position, pose.world_rotation, face.weight,
    )  # fmt: skip


def follow_loudness(face: Face, voice: Voice, dt: float) -> None:
    """Open her mouth by loudness alone: what is left where the lips have no weights. Writes Face.openness."""
    target = loudness.now(voice)
    closes = _CLOSE_RATE if voice.current is not None or not voice.listening else _CLOSE_LIVE
    rate = _OPEN_RATE if target > face.openness else closes
    decay = math.exp(-rate * dt)
    gap = face.openness - target
    slope = face.velocity + rate * gap
    face.openness = min(max(target + (gap + slope * dt) * decay, 0.0), 1.0)
    face.velocity = (face.velocity - rate * slope * dt) * decay
    if target == 0.0 and face.openness < 0.02:
        face.openness = 0.0
