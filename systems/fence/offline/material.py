"""Labelled motion as a trainer reads it: what the head sees of a frame, its label, and capsules near each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ....components.arrays import F32, F64, I32, Bool
from ...collide.offline.figure import Figure
from ...kernels import fk
from ...kernels import head as kernel
from ..head import joints_of
from . import depth

_USUAL = 150  # pairs near each other on a frame: 110 on the performers; where there are more they are found twice


@dataclass(frozen=True, slots=True)
class Clip:
    """One labelled motion. rotation: (F, J, 4) wxyz local before any rule, 60 Hz; correction: (F, 18) rad."""

    performer: str
    name: str
    rotation: F64
    correction: F64


@dataclass(frozen=True, slots=True)
class Material:
    """Clips one after another, N frames in all.

    Fields:
        performers: of each clip; start: (C + 1,) i32, where clips begin
        seen:   (N, SEEN) f32, what the head sees; label: (N, 18) f32 rad
        later:  (N,) i32, the frame that is `lead` ticks on, in the same clip
        clear:  (N,) bool: nothing was inside anything half a second before and after
        moving: what depth.depths takes from `joint` to `apart`, in its order
    """

    performers: tuple[str, ...]
    start: I32
    seen: F32
    label: F32
    later: I32
    clear: Bool
    moving: tuple[Any, ...]

    def depths(self, frame: I32, r: F64, margin: float) -> tuple[F64, F64]:
        """Return depth (N, 2) m and its slope (N, 2, 18) m/rad of corrections r (N, 18) on these frames."""
        out, slope = np.empty((len(frame), 2)), np.empty((len(frame), 2, 18))
        given: tuple[Any, ...] = (*self.moving, out, slope)
        depth.depths(frame, r, margin, *given)
        return out, slope


def material(body: Figure, clips: Iterable[Clip], lead: int = 2) -> Material:
    """Return clips ready to train on. lead: ticks that the rule looks ahead (0.03 s)."""
    performers, start, parts, labels, scenes = [], [0], [], [], []
    for clip in clips:
        performers.append(clip.performer)
        start.append(start[-1] + len(clip.rotation))
        parts.append(seen(body, clip.rotation))
        labels.append(clip.correction.astype(np.float32))
        made = body.scene(clip.rotation)
        arrays = (made.arm_start, made.arm_along, made.body_start, made.body_along)
        scenes.append((made.joint, *(a.astype(np.float32) for a in arrays)))
    last = body.scene(body.base(1))
    joint, arm_start, arm_along, body_start, body_along = (np.concatenate(rows) for rows in zip(*scenes, strict=True))
    frames = len(joint)
    begin, room = np.empty(frames + 1, np.int32), _USUAL * frames
    while True:
        pairs, gap = np.empty((room, 2), np.int32), np.empty(room, np.float32)
        count = depth.neighbours(
            arm_start, arm_along, last.arm_radius, body_start, body_along, last.body_radius, last.allow,
            last.allow_arms, depth.KEEP, begin, pairs, gap,
        )  # fmt: skip
        if count <= room:
            break
        room = count
    pairs, gap = pairs[:count].copy(), gap[:count].copy()
    bounds = np.array(start, np.int32)
    ends = np.repeat(bounds[1:], np.diff(bounds))
    later = np.minimum(np.arange(frames) + lead, ends - 1).astype(np.int32)
    moving = (
        joint, last.side, last.link, arm_start, arm_along, last.arm_radius, body_start, body_along, last.body_radius,
        last.allow, last.allow_arms, begin, pairs, gap,
    )  # fmt: skip
    raw, slope = np.empty((frames, 2)), np.empty((frames, 2, 18))
    given: tuple[Any, ...] = (*moving, raw, slope)
    depth.depths(np.arange(frames, dtype=np.int32), np.zeros((frames, 18)), 0.0, *given)
    clear = np.concatenate([quiet(raw[a:b].max(axis=1)) for a, b in pairwise(bounds)])
    return Material(tuple(performers), bounds, np.concatenate(parts), np.concatenate(labels), later, clear, moving)


def seen(body: Figure, rotation: F64) -> F32:
    """Return what the head sees of a motion, (F, SEEN)."""
    position, world = placed(body, rotation)
    out = np.empty((len(rotation), kernel.SEEN), np.float32)
    room = np.zeros(kernel.SEEN + kernel.ROOM)
    kernel.see_each(world, position, joints_of(body.rig), np.zeros(kernel.STATE), room, out)
    return out


def placed(body: Figure, rotation: F64) -> tuple[F64, F64]:
    """Return where every joint is, (F, J, 3) m and (F, J, 4)."""
    position, world = np.empty((*rotation.shape[:2], 3)), np.empty(rotation.shape)
    parent, offset = np.array(body.rig.parent), np.array(body.rig.rest_offset)
    fk.world_each(parent, offset, body.root(len(rotation)), np.ascontiguousarray(rotation), position, world)
    return position, world


def quiet(deep: F64, around: int = 30) -> Bool:
    """Tell on which frames nothing was inside for `around` ticks before and after. deep: (F,) m."""
    touched = np.concatenate([[0], np.cumsum(deep > 0.0)])
    at = np.arange(len(deep))
    low, high = np.maximum(at - around, 0), np.minimum(at + around + 1, len(deep))
    return touched[high] == touched[low]
