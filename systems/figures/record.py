"""Keeping what each tick showed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...components.face import Face
from ...components.motion import Motion
from ...components.outbox import Outbox
from ...components.plan import Plan
from ...components.pose import Pose
from ...components.preview import Preview
from ...components.voice import Voice
from ...components.world import World
from .layers import BONES, LAYERS, by_group, degrees
from .run import Run


class Recorder:
    """Records one avatar of a world, the first by default, tick by tick."""

    def __init__(self, world: World, entity: int | None = None) -> None:
        if entity is None:
            entity = next(iter(world.each(Motion)))[0]
        self.entity = entity
        self._motion = world.get(entity, Motion)
        self._rows: dict[str, list[Any]] = {name: [] for name in _ROWS}
        self._start = float("nan")
        self._last_pick = -1
        self._world = world
        self._held = np.zeros((len(LAYERS), len(BONES)))  # deg, summed over the ticks

    def record(self, world: World) -> None:
        """Keep the tick that was just made.

        Reads Pose, Preview, Plan, Face, Voice; writes only itself.
        """
        entity, rows = self.entity, self._rows
        pose, face, voice = world.get(entity, Pose), world.get(entity, Face), world.get(entity, Voice)
        slot, plan = world.get(entity, Preview).slots[0], world.get(entity, Plan)
        tick = world.tick - 1
        self._held += degrees(self._motion, slot)
        rows["rotation"].append(pose.rotation.copy())
        rows["root"].append(pose.root.copy())
        rows["position"].append(pose.world_position.copy())
        rows["face"].append(face.weight.astype(np.float32))
        pick = next((p for p in reversed(plan.picks) if p.tick == tick and p.row >= 0), None)
        rows["window"].append(slot.row)
        rows["fade"].append(slot.fade)
        rows["jump_deg"].append(pick.jump_deg if pick is not None else 0.0)
        rows["forced"].append(pick.forced if pick is not None else False)
        rows["corpus_speed_deg_s"].append(slot.speed_deg_s)
        rows["tick_us"].append(world.tick_seconds * 1e6)
        rows["speaking"].append(voice.active)
        if np.isnan(self._start) and voice.current is not None:
            self._start = voice.began * world.dt

    def run(self) -> Run:
        """Return what was recorded."""
        world, entity, rig = self._world, self.entity, self._motion.rig
        face, plan, outbox = world.get(entity, Face), world.get(entity, Plan), world.get(entity, Outbox)
        joints, count = len(rig.names), len(self._rows["root"])
        arrays = {
            name: np.array(self._rows[name], dtype=dtype).reshape(count, *_shape(shape, joints, len(face.names)))
            for name, (dtype, shape) in _ROWS.items()
        }
        about = {
            "seed": world.seed,
            "digest": world.digest(),
            "avatar_digest": rig.digest,
            "refused": dict(plan.refused),
            "forced_cuts": plan.forced,
            "fades_interrupted": plan.interrupted,
            "layers": sorted(
                self._motion.layers if self._motion.repertoire is not None else self._motion.layers - {"corpus"}
            ),
            "degraded": sorted(outbox.degraded),
            "layers_deg": by_group(self._motion, self._held / max(count, 1)),
            "has_corpus": self._motion.repertoire is not None and "corpus" in self._motion.layers,
        }
        return Run(
            60.0, rig.names, rig.node, rig.parent, rig.rest_offset, rig.rest_rotation,
            face_names=face.names, audio_start_s=self._start, about=about, **arrays,
        )  # fmt: skip


_ROWS: dict[str, tuple[Any, str]] = {
    "rotation": (np.float64, "J4"),
    "root": (np.float64, "3"),
    "position": (np.float64, "J3"),
    "face": (np.float32, "M"),
    "window": (np.int32, ""),
    "fade": (np.float32, ""),
    "jump_deg": (np.float32, ""),
    "forced": (bool, ""),
    "corpus_speed_deg_s": (np.float32, ""),
    "tick_us": (np.float32, ""),
    "speaking": (bool, ""),
}


def _shape(letters: str, joints: int, channels: int) -> tuple[int, ...]:
    sizes = {"J": joints, "M": channels, "3": 3, "4": 4}
    return tuple(sizes[c] for c in letters)
