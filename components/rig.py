"""The skeleton of an avatar as read from its file: frozen, in the avatar's own frame."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from .arrays import F64, I32, frozen


@dataclass(frozen=True, slots=True)
class Rig:
    """Joints of one avatar. Frame: glTF axes, metres, facing +Z, her left is +X, feet on y = 0.

    A joint's local transform is translate(rest_offset) rotate(rest_rotation): armature transforms and scales are
    baked in, so world transforms are rigid.

    Fields:
        names:         J str, unique: the VRM 1.0 humanoid name where the joint is one (VRM 0 thumbs shifted to 1.0),
                       else the file's node name, `name#2` where that is taken
        node:          (J,) i32, glTF node of each joint, -1 for a joint the reader added
        parent:        (J,) i32, parents first, exactly one root with -1
        rest_offset:   (J, 3) f64 m, parent's frame
        rest_rotation: (J, 4) f64 wxyz unit, parent's frame
        humanoid:      VRM 1.0 bone name -> joint
        digest:        hash of all of the above
    """

    names: tuple[str, ...]
    node: I32
    parent: I32
    rest_offset: F64
    rest_rotation: F64
    humanoid: Mapping[str, int]
    digest: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        count = len(self.names)
        if len(set(self.names)) != count:
            raise ValueError("joint names are not unique")
        put = object.__setattr__
        put(self, "node", frozen(self.node, np.int32, (count,)))
        put(self, "parent", frozen(self.parent, np.int32, (count,)))
        put(self, "rest_offset", frozen(self.rest_offset, np.float64, (count, 3)))
        put(self, "rest_rotation", frozen(self.rest_rotation, np.float64, (count, 4)))
        put(self, "humanoid", MappingProxyType({k: int(v) for k, v in sorted(self.humanoid.items())}))
        if count == 0 or self.parent[0] != -1 or (self.parent[1:] < 0).any():
            raise ValueError("a rig has exactly one root and it comes first")
        if (self.parent >= np.arange(count)).any():
            raise ValueError("parents must come before their children")
        if np.abs(np.linalg.norm(self.rest_rotation, axis=1) - 1.0).max() > 1e-6:
            raise ValueError("rest rotations must be unit quaternions")
        h = hashlib.blake2b("\0".join(self.names).encode(), digest_size=16)
        for array in (self.node, self.parent, self.rest_offset, self.rest_rotation):
            h.update(array.tobytes())
        h.update(repr(sorted(self.humanoid.items())).encode())
        put(self, "digest", h.hexdigest())

    def __reduce__(self) -> tuple[type[Rig], tuple[object, ...]]:
        """Return how another process makes it again: a view of a mapping cannot be sent."""
        fixed = (self.names, self.node, self.parent, self.rest_offset, self.rest_rotation)
        return Rig, (*fixed, dict(self.humanoid))
