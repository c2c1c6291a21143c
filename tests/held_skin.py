"""How a held posture lies on her posed skin: air at what is held, samples inside anything else."""

from __future__ import annotations

import numpy as np

from kinesics.components.holds import HAND, TRUNK, Hold
from kinesics.components.skin import Body
from kinesics.systems.posture.offline import cover as parts
from kinesics.systems.posture.offline.cover import Cover, Target, cover_of, target

STRAY = 3
DEEP = 1e-3  # m, from which a sample counts as inside


class Skin:
    """One body's skin as samples 4 mm apart, 3 mm on hands."""

    def __init__(self, body: Body) -> None:
        self.cover: Cover = cover_of(body)

    def look(self, hold: Hold, rotation: np.ndarray, root: np.ndarray) -> tuple[list[float], int]:
        """Return mm of air of each holding hand with what it holds, and how many samples lie deeper than 1 mm.

        Hands and forearms are asked, against the trunk and against the other arm. One sample at a seam whose normals
        disagree flips by itself (1.3 mm outside on one tick, 1.0 inside on the next, at the hem of her tunic), so the
        air is what all but STRAY of a hand's samples have, and callers let STRAY of some 9000 lie inside.
        """
        point, normal = self.cover.pose(rotation, root)
        trunk = target(self.cover, point, normal, [0])
        air, inside = [], 0
        for side in range(2):
            other = 1 - side
            arm = target(self.cover, point, normal, [parts.UPPERS[other], parts.FORES[other], parts.PALMS[other]])
            hand = point[self.cover.group == parts.PALMS[side]]
            mine = point[np.isin(self.cover.group, (parts.FORES[side], parts.PALMS[side]))]
            inside += sum(int((on.gaps(mine) < -DEEP).sum()) for on in (trunk, arm))
            if side != hold.first and hold.on[side] != TRUNK:
                air.append(_air(arm, hand))
            elif hold.on[1 - hold.first] != HAND:  # a hand that another hand holds need not lie on her as well
                air.append(_air(trunk, hand))
        return air, inside


def _air(on: Target, hand: np.ndarray) -> float:
    return 1e3 * float(np.sort(on.gaps(hand))[STRAY])
