"""Cloth that flares, sleeves and skirts: it is soft, and as hard as her skin it would hold her arms far off her."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....components.anatomy import SIDES
from ....components.arrays import F64, I32, Bool
from ....components.rig import Rig
from ...retarget.rests import rest_of
from .near import Near
from .parts import Parts

# Arms taper: the lower half of a forearm is 0.56 to 1.0 of the upper arm on twelve avatars measured, 1.55 on one with
# bell sleeves, which held her hands 90 mm off where they hung. What of a flare lies farther out than LIMIT is left out.
FLARE = 1.25  # of the upper arm's radius
LIMIT, TAPER = 1.0, 0.35  # of it, and how much less at the wrist
HAND, FINGERS = 0.2, 0.3  # of the forearm's length that hand and fingers may lie off its line, whatever the arm
SKIRT = 0.06  # m that swinging cloth may stand off; farther out it yields to an arm
THICK = 0.8  # share of the skin that lies within the radius


def flaring(rig: Rig, parts: Parts, point: F64, face: npt.NDArray[np.int64], holder: I32, area: F64) -> Bool:
    """Return which triangles are sleeves that flare past forearm and hand, (F,) bool.

    point: (V, 3) m, avatar frame in rest; face: (F, 3); holder: (F,) i32, row of Parts or beyond; area: (F,) m^2
    """
    out = np.zeros(len(face), np.bool_)
    rest = rest_of(rig)
    middle = point[face].mean(axis=1)
    row = np.minimum(holder, len(parts.names) - 1)  # what is left out has no row
    for side in SIDES:
        shoulder, elbow, wrist = (rest.at(side + name) for name in ("UpperArm", "LowerArm", "Hand"))
        if shoulder is None or elbow is None or wrist is None:
            continue
        upper, lower = (np.flatnonzero(holder == parts.row(side + name)) for name in ("UpperArm", "LowerArm"))
        share, far = _off(middle[upper], shoulder, elbow)
        within = (share > 0.2) & (share < 0.8)
        radius = _quantile(far[within], area[upper][within])
        share, far = _off(middle[lower], elbow, wrist)
        within = (share > 0.5) & (share < 1.0)
        if radius <= 0.0 or _quantile(far[within], area[lower][within]) < FLARE * radius:
            continue
        out[lower[far > (LIMIT - TAPER * np.clip(share, 0.0, 1.0)) * radius]] = True
        length = float(np.linalg.norm(wrist - elbow))
        mine = (holder < len(parts.names)) & (parts.left[row] == int(side == "left"))
        for part, wide in ((3, HAND), (4, FINGERS)):
            rows = np.flatnonzero((parts.part[row] == part) & mine)
            out[rows[_off(middle[rows], elbow, wrist)[1] > wide * length]] = True
    return out


def swinging(parts: Parts, point: F64, face: npt.NDArray[np.int64], holder: I32, swings: Bool) -> Bool:
    """Return which triangles that swing on her trunk or legs stand far out of the skin that does not, (F,) bool.

    swings: (F,) bool, which hang on spring joints. Where there is no skin under a skirt all of it stays: it is her.
    """
    middle = point[face].mean(axis=1)
    asked = np.flatnonzero(swings & (parts.part[np.minimum(holder, len(parts.part) - 1)] == 0))
    firm = middle[~swings]
    out = np.zeros(len(face), np.bool_)
    if len(asked) and len(firm):
        out[asked] = Near(firm).distances(middle[asked], 1)[1][:, 0] > SKIRT
    return out


def _off(point: F64, start: F64, end: F64) -> tuple[F64, F64]:
    """Return how far along a bone points lie, 0..1 on it, and how far off its line, m."""
    along = end - start
    share = (point - start) @ along / max(float(along @ along), 1e-12)
    return share, np.linalg.norm(point - start - share[:, None] * along, axis=1)


def _quantile(value: F64, weight: F64) -> float:
    """Return the value below which THICK of the weight lies, 0 where there is none."""
    if not len(value):
        return 0.0
    order = np.argsort(value, kind="stable")
    total = np.cumsum(weight[order])
    return float(value[order][np.searchsorted(total, THICK * total[-1])])
