"""Which layer holds which bone, in degrees over the base pose."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

import numpy as np

from ...components.anatomy import SIDES, SLOT_GROUP, SLOTS
from ...components.arrays import F64
from ...components.motion import Motion
from ...components.preview import Preview, Slot
from ...components.world import World

LEGS = tuple(side + part for side in SIDES for part in ("UpperLeg", "LowerLeg", "Foot"))
BONES = (*SLOTS, "hips", *LEGS)
GROUPS = (*dict.fromkeys(SLOT_GROUP), "pelvis", "legs")
LEAST = 0.05  # deg, below which a layer does not hold a bone: nobody sees it

Held: TypeAlias = "dict[str, dict[str, float]]"

# layer -> the field of Slot with its (43, 3) rotation vectors
_TURNS = {"reflex": "reflex", "corpus": "corpus", "sentence": "sentence"}
LAYERS = tuple(_TURNS)


def holders(world: World, entity: int) -> Held:
    """Return bone -> {layer: degrees} for every bone she has, the strongest layer first; empty where none holds it.

    Degrees are each layer's own turn over the base pose. Layers come one on top of the other, so they do not add up
    where their axes differ. The legs belong to the reflex, whose feet they follow.
    """
    motion = world.get(entity, Motion)
    has = _has(motion)
    held = degrees(motion, world.get(entity, Preview).slots[0])
    out: Held = {}
    for bone in np.flatnonzero(has):
        strongest = np.argsort(-held[:, bone], kind="stable")
        out[BONES[bone]] = {LAYERS[k]: float(held[k, bone]) for k in strongest if held[k, bone] >= LEAST}
    return out


def degrees(motion: Motion, slot: Slot) -> F64:
    """Return (L, 50) f64 deg: how far each of LAYERS turns each of BONES on this slot's tick."""
    out = np.zeros((len(LAYERS), len(BONES)))
    count = len(SLOTS)
    for row, name in enumerate(_TURNS.values()):
        turn = getattr(slot, name)
        out[row, :count] = np.sqrt((turn * turn).sum(axis=1))
    first = LAYERS.index("reflex")
    out[first, count] = np.sqrt((slot.hips * slot.hips).sum())
    legs = motion.anatomy.leg.ravel()
    base, now = motion.anatomy.base[legs], slot.rotation[legs]
    dot = (base * now).sum(axis=1, keepdims=True)
    apart = np.linalg.norm(np.sign(dot) * now - base, axis=1)
    out[first, count + 1 :] = np.where(legs >= 0, 4.0 * np.arcsin(np.minimum(0.5 * apart, 1.0)), 0.0)
    return np.degrees(out)


def by_group(motion: Motion, held: F64) -> dict[str, dict[str, float]]:
    """Return group of bones -> {layer: mean degrees} of what `degrees` gave, groups she has no bone of left out."""
    group, has = _groups(), _has(motion)
    out: dict[str, dict[str, float]] = {}
    for k, name in enumerate(GROUPS):
        chosen = has & (group == k)
        if chosen.any():
            means = held[:, chosen].mean(axis=1)
            out[name] = {layer: float(mean) for layer, mean in zip(LAYERS, means)}
    return out


@cache
def _groups() -> F64:
    names = (*SLOT_GROUP, "pelvis", *("legs",) * len(LEGS))
    return np.array([GROUPS.index(name) for name in names])


def _has(motion: Motion) -> F64:
    return np.concatenate([motion.anatomy.slot_joint >= 0, [True], motion.anatomy.leg.ravel() >= 0])
