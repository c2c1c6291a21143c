"""Keeping what each tick showed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...components.arrays import F64
from ...components.contacts import Contacts
from ...components.face import Face
from ...components.motion import Motion
from ...components.outbox import Outbox
from ...components.plan import Plan
from ...components.pose import Pose
from ...components.preview import Preview
from ...components.voice import Voice
from ...components.world import World
from . import fenced
from .layers import BONES, LAYERS, by_group, degrees
from .run import Run
from .spoken import told


class Recorder:
    """Records one avatar of a world, the first by default, tick by tick.

    raw: also the pose before the rule
    """

    def __init__(self, world: World, entity: int | None = None, *, raw: bool = False) -> None:
        if entity is None:
            entity = next(iter(world.each(Motion)))[0]
        self.entity = entity
        self._motion = world.get(entity, Motion)
        self._rule = world.get(entity, Contacts) if world.has(entity, Contacts) else None
        self._rows: dict[str, list[Any]] = {name: [] for name in _ROWS}
        self._raw: list[F64] | None = [] if raw else None
        self._start, self._has_sounded = float("nan"), False
        self._accents: list[float] = []
        self._heard = (-1, 0.0)  # utterance and s of it whose accents are kept
        self._last_pick = -1
        self._world = world
        self._held = np.zeros((len(LAYERS), len(BONES)))  # deg, summed over the ticks

    def record(self, world: World) -> None:
        """Keep the tick that was just made.

        Reads Pose, Preview, Plan, Face, Voice, Contacts; writes only itself.
        """
        entity, rows = self.entity, self._rows
        pose, face, voice = world.get(entity, Pose), world.get(entity, Face), world.get(entity, Voice)
        slot, plan = world.get(entity, Preview).slots[0], world.get(entity, Plan)
        tick = world.tick - 1
        self._held += degrees(self._motion, slot)
        rows["rotation"].append(pose.rotation.copy())
        if self._raw is not None:
            self._raw.append(slot.rotation.copy())
        rows["root"].append(pose.root.copy())
        rows["position"].append(pose.world_position.copy())
        rows["face"].append(face.weight.astype(np.float32))
        pick = next((p for p in reversed(plan.picks) if p.tick == tick and p.row >= 0), None)
        rows["window"].append(slot.row)
        rows["fade"].append(slot.fade)
        rows["jump_deg"].append(pick.jump_deg if pick is not None else 0.0)
        rows["forced"].append(pick.forced if pick is not None else False)
        rows["corpus_speed_deg_s"].append(slot.speed_deg_s)
        rule = self._rule
        rows["depth_raw_mm"].append(rule.raw_mm if rule is not None else 0.0)
        rows["depth_mm"].append(rule.depth_mm if rule is not None else 0.0)
        rows["moved_mm"].append(rule.moved_mm.copy() if rule is not None else (0.0, 0.0))
        rows["tick_us"].append(world.tick_seconds * 1e6)
        rows["speaking"].append(voice.active)
        self._keep_accents(voice, tick)
        if voice.current is not None and not self._has_sounded:
            # A device may open for half a second before the first sample sounds, and the voice's clock waits for it.
            self._start = voice.began * world.dt - voice.offset
            self._has_sounded = voice.position > 0.0

    def _keep_accents(self, voice: Voice, tick: int) -> None:
        if voice.current is None:
            return
        before = self._heard[1] if self._heard[0] == voice.current.id else 0.0
        self._heard = voice.current.id, voice.position
        accent = voice.current.speech.accent
        for at in accent[np.searchsorted(accent, before) : np.searchsorted(accent, voice.position)]:
            self._accents.append(tick * self._world.dt - (voice.position - float(at)))

    def run(self) -> Run:
        """Return what was recorded."""
        world, entity, rig = self._world, self.entity, self._motion.rig
        face, plan, outbox = world.get(entity, Face), world.get(entity, Plan), world.get(entity, Outbox)
        joints, count = len(rig.names), len(self._rows["root"])
        arrays = {
            name: np.array(self._rows[name], dtype=dtype).reshape(count, *_shape(shape, joints, len(face.names)))
            for name, (dtype, shape) in _ROWS.items()
        }
        layers = self._motion.layers - (set() if self._motion.repertoire is not None else {"corpus"})
        layers -= set() if plan.sentences is not None else {"sentence"}
        layers -= set() if self._rule is not None else {"rule"}
        about = {
            "seed": world.seed,
            "digest": world.digest(),
            "avatar_digest": rig.digest,
            "refused": dict(plan.refused),
            "forced_cuts": plan.forced,
            "fades_interrupted": plan.interrupted,
            "layers": sorted(layers),
            "lookahead": world.config.run.ahead(world.get(entity, Voice).is_live),
            "degraded": sorted(outbox.degraded),
            "layers_deg": by_group(self._motion, self._held / max(count, 1)),
            "sentence": None if plan.sentences is None else told(plan.sentences),
            "fence": fenced.told(world, entity),
            "has_corpus": "corpus" in layers,
            "has_rule": "rule" in layers,
            "motion": self._motion,
        }
        return Run(
            60.0, rig.names, rig.node, rig.parent, rig.rest_offset, rig.rest_rotation,
            face_names=face.names, audio_start_s=self._start, about=about, accent_s=np.array(self._accents),
            raw_rotation=None if self._raw is None else np.array(self._raw).reshape(count, joints, 4), **arrays,
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
    "depth_raw_mm": (np.float32, ""),
    "depth_mm": (np.float32, ""),
    "moved_mm": (np.float32, "2"),
    "tick_us": (np.float32, ""),
    "speaking": (bool, ""),
}


def _shape(letters: str, joints: int, channels: int) -> tuple[int, ...]:
    sizes = {"J": joints, "M": channels, "2": 2, "3": 3, "4": 4}
    return tuple(sizes[c] for c in letters)
