"""A hold found for one avatar, and where it is kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....components.anatomy import BODY_SLOTS, FINGER_SLOTS, Anatomy
from ....components.arrays import F64, I32
from ....components.capsules import CapsuleSet
from ....components.errors import PostureError
from ....components.holds import HAND, HOLDS, TRUNK, UPPER, Hold
from ....components.skin import Body
from ...collide.offline.figure import Figure
from ...collide.offline.skin_depth import Skin, posed, skin_with
from ...kernels import quat
from .arms import Arms, arms_of
from .cover import Cover, Index, cover_of
from .finish import Found, contact_place, finish
from .maps import Maps, maps_of
from .paths import way
from .recipe import recipe
from .rehearsal import Rehearsal
from .search import Try, search
from .shown import Shower

ABOVE, BELOW = 0.10, 0.70  # m from the shoulders, scaled, within which her skin is looked at on the way


def find(body: Body, anatomy: Anatomy, capsules: CapsuleSet, name: str, first: int | None = None) -> Hold:
    """Return one of HOLDS on a body that is measured; PostureError where it cannot be. first: as in Solver.find."""
    return Solver(body, Figure(body.source, body.rig, anatomy, capsules)).find(name, first)


class Solver:
    """One body measured for holds; `find` solves one."""

    def __init__(self, body: Body, figure: Figure) -> None:
        self.figure = figure
        self.arms: Arms = arms_of(figure)
        self.cover: Cover = cover_of(body)
        base = np.array(figure.capsules.base)
        self.point, self.normal = self.cover.pose(base, figure.anatomy.base_root)
        self.maps: Maps = maps_of(self.arms, self.cover, self.point, self.normal)
        self.shower = Shower(self.arms)
        self.rehearsal = Rehearsal(figure)
        self.skin: Skin = skin_with(self.cover.bound, self._near())

    def find(self, name: str, first: int | None = None, seed: int = 0) -> Hold:
        """Return one of HOLDS on this body; about 5 s. PostureError where it cannot be.

        first: side of the hand that is placed first, 0 left, 1 right; None as most people do
        """
        if name not in HOLDS:
            raise PostureError(f"no hold '{name}'; there are {', '.join(HOLDS)}")
        arms = self.arms
        tried = Try(arms, self.maps, recipe(name, arms, first))
        _, unknowns = search(tried, seed)[0]
        found = finish(tried, unknowns, self.shower, self.cover, (self.point, arms.place, arms.turn))
        tried.cost(found.unknowns)
        hold = Hold(
            name, tried.recipe.first, *_still(tried), self._fingers(found), *self._ties(tried, name),
            tried.links.copy(), tried.joints / arms.scale, np.zeros((0, 2), np.int32), np.zeros(0),
            np.array([found.contact.min(), found.contact.max(), found.deepest, found.share.max()]),
        )  # fmt: skip
        pair, allowance = self.rehearsal.touching(hold)
        return way(tried, name, self.rehearsal, replace(hold, pair=pair, allowance=allowance), self.skin)

    def _near(self) -> Index:
        """Return the triangles that a hand could come near on a way: head and lower legs are most of a mesh."""
        rest, wound = (
            posed(self.cover.bound, np.array(self.figure.capsules.base), self.figure.anatomy.base_root),
            self.cover.wound,
        )
        height, arms = rest[wound][:, :, 1].mean(axis=1), self.arms
        top = float(arms.shoulder[:, 1].mean()) / arms.scale
        return wound[(height < top + ABOVE / arms.scale) & (height > top - BELOW / arms.scale)]

    def _fingers(self, found: Found) -> F64:
        out = np.zeros((len(FINGER_SLOTS), 4))
        out[:, 0] = 1.0
        for k, joint in enumerate(self.figure.anatomy.slot_joint[len(BODY_SLOTS) :]):
            if joint >= 0:
                out[k] = found.rotation[joint]
        return out

    def _ties(self, tried: Try, name: str) -> tuple[I32, F64, I32, F64]:
        """Return what each hand lies on, and for a trunk the place and the joints that move it."""
        a = tried.recipe.first
        on = np.full(2, TRUNK, np.int32)
        if name != "hands_on_hips":
            on[1 - a] = UPPER if name == "crossed" else HAND
        at, tie, share = np.zeros((2, 3)), np.zeros((2, 4), np.int32), np.zeros((2, 4))
        body = np.flatnonzero(self.cover.group == 0)
        for s in range(2):
            place = contact_place(tried, s) / self.arms.scale
            nearest = body[np.argmin(((self.point[body] - place) ** 2).sum(axis=1))]
            at[s] = self.point[nearest]
            tie[s], share[s] = self.cover.ties(int(nearest))
        return on, at, tie, share


def _still(tried: Try) -> tuple[F64, F64, F64, F64, F64]:
    """Return two equal frames of the pose last asked for, real m: a way that is in the hold already."""
    hand = np.empty((2, 4))
    for s in range(2):
        quat.from_matrix(np.ascontiguousarray(tried.links[s, 3]), hand[s])
    each = tried.joints[:, 2] / tried.arms.scale, hand, tried.swivel, tried.girdle, np.ones(2)
    a, b, c, d, e = (np.stack([one, one]) for one in each)
    return a, b, c, d, e
