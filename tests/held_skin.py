"""How a held posture lies on her posed skin: air at what is held, and how deep anything is in anything else."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinesics.components.holds import HAND, TRUNK, Hold
from kinesics.components.skin import Body
from kinesics.systems.collide.offline.skin_depth import inside, skin_with
from kinesics.systems.figures import Run
from kinesics.systems.posture.offline import cover as parts
from kinesics.systems.posture.offline.cover import Cover, Target, cover_of, target

STRAY = 3
ARMS = [side + part for side in ("left", "right") for part in ("UpperArm", "LowerArm")]


class Skin:
    """One body's skin as samples 4 mm apart, 3 mm on hands."""

    def __init__(self, body: Body) -> None:
        self.cover: Cover = cover_of(body)
        self.whole = skin_with(self.cover.bound, self.cover.wound)

    def deep(self, rotation: np.ndarray, root: np.ndarray) -> float:
        """Return how deep a forearm or hand is in her or in the other arm, mm: her skin winds round it."""
        return 1e3 * max(float(d.max(initial=0.0)) for d in inside(self.whole, rotation, root))

    def look(self, hold: Hold, rotation: np.ndarray, root: np.ndarray) -> tuple[list[float], float]:
        """Return mm of air of each holding hand with what it holds, and `deep`.

        One sample at a seam whose normals disagree flips by itself (1.3 mm outside on one tick, 1.0 inside on the next,
        at the hem of her tunic), so the air is what all but STRAY of a hand's samples have.
        """
        point, normal = self.cover.pose(rotation, root)
        trunk = target(self.cover, point, normal, [0])
        air = []
        for side in range(2):
            other = 1 - side
            arm = target(self.cover, point, normal, [parts.UPPERS[other], parts.FORES[other], parts.PALMS[other]])
            hand = point[self.cover.group == parts.PALMS[side]]
            if side != hold.first and hold.on[side] != TRUNK:
                air.append(_air(arm, hand))
            elif hold.on[1 - hold.first] != HAND:  # a hand that another hand holds need not lie on her as well
                air.append(_air(trunk, hand))
        return air, self.deep(rotation, root)


def fastest(run: Run, humanoid: Mapping[str, int]) -> float:
    """Return how fast an upper arm or forearm turns in its parent at most, deg/s."""
    most = 0.0
    for joint in ARMS:
        q = run.rotation[:, humanoid[joint]]
        turned = 2.0 * np.arccos(np.clip(np.abs((q[1:] * q[:-1]).sum(axis=1)), 0.0, 1.0))
        most = max(most, float(np.degrees(turned).max()) * 60.0)
    return most


def flipped(run: Run, humanoid: Mapping[str, int]) -> float:
    """Return how fast an elbow goes round the line from shoulder to wrist, m/s: one that flips does it in a tick."""
    most = 0.0
    for side in ("left", "right"):
        shoulder, elbow, wrist = (run.position[:, humanoid[side + part]] for part in ("UpperArm", "LowerArm", "Hand"))
        line = (wrist - shoulder) / np.linalg.norm(wrist - shoulder, axis=1)[:, None]
        off = (elbow - shoulder) - ((elbow - shoulder) * line).sum(axis=1)[:, None] * line
        most = max(most, float(np.linalg.norm(np.diff(off, axis=0), axis=1).max()) * 60.0)
    return most


def _air(on: Target, hand: np.ndarray) -> float:
    return 1e3 * float(np.sort(on.gaps(hand))[STRAY])
