"""What swings on her: chains of hair and cloth as her file describes them, and how far each has swung."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .arrays import F64, I32, Bool, frozen


@dataclass(frozen=True, slots=True)
class SpringSet:
    """Spring joints of one avatar, parents first (VRMC_springBone 1.0; VRM 0.x is read into the same fields). Frozen.

    A spring joint turns so that its tail, the next joint of its chain, follows a damped spring.

    Fields:
        joint:      (K,) i32 into Rig, rising
        tail:       (K, 3) f64 m, where the tail is in the joint's own frame, never zero
        stiffness:  (K,) f64 m/s, pull toward the rest; gravity: (K, 3) f64 m/s, avatar frame: power times direction
        drag:       (K,) f64 0..1, share of its speed that a tail loses in 1/60 s
        radius:     (K,) f64 m, of the tail against colliders
        center:     (K,) i32, joint in whose frame it swings, -1 for the avatar's
        first, count: (K,) i32, its colliders: a run of `touch`
        touch:      (T,) i32 into the colliders
        collider:   (C,) i32 into Rig; start, end: (C, 3) f64 m in that joint's frame, equal for a sphere
        size:       (C,) f64 m, radius of each collider
        below:      (B,) i32 rising: every joint that a spring moves, itself or by a parent
        row:        (B,) i32, row of K of each of `below`, -1 for one that is only carried
        digest:     hash of all of the above
    """

    joint: I32
    tail: F64
    stiffness: F64
    gravity: F64
    drag: F64
    radius: F64
    center: I32
    first: I32
    count: I32
    touch: I32
    collider: I32
    start: F64
    end: F64
    size: F64
    below: I32
    row: I32
    digest: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        k, c = len(self.joint), len(self.collider)
        shapes: dict[str, tuple[npt.DTypeLike, tuple[int | None, ...]]] = {
            "joint": (np.int32, (k,)), "tail": (np.float64, (k, 3)), "stiffness": (np.float64, (k,)),
            "gravity": (np.float64, (k, 3)), "drag": (np.float64, (k,)), "radius": (np.float64, (k,)),
            "center": (np.int32, (k,)), "first": (np.int32, (k,)), "count": (np.int32, (k,)),
            "touch": (np.int32, (None,)), "collider": (np.int32, (c,)), "start": (np.float64, (c, 3)),
            "end": (np.float64, (c, 3)), "size": (np.float64, (c,)), "below": (np.int32, (None,)),
            "row": (np.int32, (len(self.below),)),
        }  # fmt: skip
        h = hashlib.blake2b(digest_size=16)
        for name, (dtype, shape) in shapes.items():
            array = frozen(getattr(self, name), dtype, shape)
            object.__setattr__(self, name, array)
            h.update(f"{name}{array.shape}".encode() + array.tobytes())
        object.__setattr__(self, "digest", h.hexdigest())
        if (np.diff(self.joint) <= 0).any():
            raise ValueError("spring joints must rise")
        if k and np.linalg.norm(self.tail, axis=1).min() <= 0.0:
            raise ValueError("a spring joint's tail must be off the joint")


@dataclass(slots=True)
class Springs:
    """How far the springs of one avatar have swung.

    Fields:
        tail:     (K, 3) f64 m, velocity: (K, 3) f64 m/s, of each tail; head: (K, 3) f64 m, of each joint, as of the
                  tick before; aim: (K, 3) f64 m/s, stiffness and gravity then; all in the frame of the joint's center
        fresh:    (K,) bool, where nothing is remembered: it starts settled
        resets:   times a spring was put to its settled place since the start: first ticks, leaps, broken poses
        work:     (8, 4) f64 scratch; place: (C, 2, 3) f64 m scratch, the colliders' ends now
    """

    set: SpringSet
    tail: F64
    velocity: F64
    head: F64
    aim: F64
    fresh: Bool
    work: F64
    place: F64
    resets: int = 0

    @classmethod
    def of(cls, springs: SpringSet) -> Springs:
        """Return the springs at rest; they settle on their first tick."""
        k = len(springs.joint)
        nothing = (np.zeros((k, 3)), np.zeros((k, 3)), np.zeros((k, 3)), np.zeros((k, 3)))
        return cls(springs, *nothing, np.ones(k, np.bool_), np.zeros((8, 4)), np.zeros((len(springs.collider), 2, 3)))
