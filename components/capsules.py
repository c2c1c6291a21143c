"""Her measured skin as capsules, and which pairs of them may touch: frozen, in the joints' own frames."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np

from .arrays import F32, F64, I32, frozen

FREE = np.float32(10.0)  # m, allowance of a pair that is never tested: no gap of a body reaches it


@dataclass(frozen=True, slots=True)
class CapsuleSet:
    """Capsules of one avatar. A capsule is every point within `radius` of the segment from `start` to `end`.

    Fields:
        names:     J str, the rig's joints
        joint:     (C,) i32, joint each capsule hangs on
        start, end:(C, 3) f64 m, that joint's frame
        radius:    (C,) f64 m
        part:      (C,) i32: 0 torso, head and legs, 1 upper arm, 2 forearm, 3 palm, 4 finger
        pair:      (P, 2) i32, capsules that may overlap, and allowance: (P,) f64 m, by how much
        joined:    (N, 2) i32, capsules that are never tested: no rotation of the shoulder can part them
        base:      (J, 4) f64 wxyz local: the base pose, solved so that nothing is inside anything
        rig:       digest of the rig they were measured on
        left:      (C,) i32: 1 of the left arm, 0 of the right arm or of neither
        tested:    (C,) i32: 1 of an arm, or where arms are tested against it; 0 out of an arm's reach
        digest:    hash of all of the above
        arm:       (A,) i32, capsules of the arms that are tested: left then right, each from the shoulder outward
        link:      (A,) i32: 0 upper arm, 1 forearm, 2 hand; lefts: how many of `arm` are the left one's
        body:      (B,) i32, capsules an arm is tested against
        allow:     (A, B) f32 m, FREE where joined; allow_arms: (lefts, A - lefts) f32 m, left against right
    """

    names: tuple[str, ...]
    joint: I32
    start: F64
    end: F64
    radius: F64
    part: I32
    pair: I32
    allowance: F64
    joined: I32
    base: F64
    rig: str
    left: I32
    tested: I32
    digest: str = field(default="", compare=False)
    arm: I32 = field(init=False, compare=False)
    link: I32 = field(init=False, compare=False)
    lefts: int = field(init=False, compare=False)
    body: I32 = field(init=False, compare=False)
    allow: F32 = field(init=False, compare=False)
    allow_arms: F32 = field(init=False, compare=False)

    def __post_init__(self) -> None:
        count, put = len(self.joint), object.__setattr__
        for name, dtype, shape in (
            ("joint", np.int32, (count,)), ("start", np.float64, (count, 3)), ("end", np.float64, (count, 3)),
            ("radius", np.float64, (count,)), ("part", np.int32, (count,)), ("pair", np.int32, (None, 2)),
            ("allowance", np.float64, (len(self.pair),)), ("joined", np.int32, (None, 2)),
            ("base", np.float64, (len(self.names), 4)), ("left", np.int32, (count,)), ("tested", np.int32, (count,)),
        ):  # fmt: skip
            put(self, name, frozen(getattr(self, name), dtype, shape))
        self._sort()
        h = hashlib.blake2b(("\0".join(self.names) + self.rig).encode(), digest_size=16)
        for array in (self.joint, self.start, self.end, self.radius, self.part, self.pair, self.allowance):
            h.update(array.tobytes())
        for array in (self.joined, self.base, self.left, self.tested):
            h.update(array.tobytes())
        put(self, "digest", h.hexdigest())

    def _sort(self) -> None:
        """Set the arrays that a tick reads."""
        put = object.__setattr__
        link = np.maximum(np.minimum(self.part, 3) - 1, 0)
        arms = [
            sorted(
                np.flatnonzero((self.part > 0) & (self.tested > 0) & (self.left == left)), key=lambda c: (link[c], c)
            )
            for left in (1, 0)
        ]
        arm = np.array([*arms[0], *arms[1]], np.int32)
        body = np.flatnonzero((self.part == 0) & (self.tested > 0))
        allow = np.zeros((len(arm), len(body)), np.float32)
        lefts = len(arms[0])
        across = np.zeros((lefts, len(arm) - lefts), np.float32)
        row = {int(c): k for k, c in enumerate(arm)}
        column = {int(c): k for k, c in enumerate(body)}
        values = [(p, float(a)) for p, a in zip(self.pair.tolist(), self.allowance, strict=True)]
        for (a, b), metres in [*values, *((p, float(FREE)) for p in self.joined.tolist())]:
            first, second = (a, b) if a in row else (b, a)
            if first not in row:
                continue
            if second in column:
                allow[row[first], column[second]] = metres
            elif second in row:
                i, j = sorted((row[first], row[second]))
                if i < lefts <= j:
                    across[i, j - lefts] = metres
        put(self, "arm", frozen(arm, np.int32))
        put(self, "link", frozen(link[arm] if len(arm) else [], np.int32))
        put(self, "lefts", lefts)
        put(self, "body", frozen(body, np.int32))
        put(self, "allow", frozen(allow, np.float32, (len(arm), len(body))))
        put(self, "allow_arms", frozen(across, np.float32, (lefts, len(arm) - lefts)))
