"""A hold found for one avatar, and where it is kept."""

from __future__ import annotations

import numpy as np

from ....components.anatomy import BODY_SLOTS, FINGER_SLOTS, Anatomy
from ....components.arrays import F64, I32
from ....components.capsules import FREE, CapsuleSet
from ....components.errors import PostureError
from ....components.holds import HAND, HOLDS, TRUNK, UPPER, Hold
from ....components.skin import Body
from ...collide.offline.figure import Figure
from ...collide.tables import BOUND, guard_of
from ...kernels import capsule, fk, gaps
from ...retarget import wrist_frames
from .arms import Arms, arms_of
from .cover import Cover, cover_of
from .finish import Found, contact_place, finish
from .maps import Maps, maps_of
from .paths import way
from .recipe import recipe
from .search import Try, search
from .shown import Shower

MARGIN, SPARE = 0.002, 0.002  # m: [rule] margin_mm, and what breath and sway change


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
        made = way(tried, name)
        scale = arms.scale
        return Hold(
            name, tried.recipe.first, made.wrist / scale, made.hand, made.swivel, made.girdle, made.closed,
            self._fingers(found), *self._ties(tried, name), tried.links.copy(), tried.joints / scale,
            *_touching(self.figure, found.rotation),
            np.array([found.contact.min(), found.contact.max(), found.deepest, found.share.max()]),
        )  # fmt: skip

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


def _touching(figure: Figure, rotation: F64) -> tuple[I32, F64]:
    """Return the capsules that are nearer in a hold than the rule lets them be, and by how much, m."""
    rig = figure.rig
    guard = guard_of(figure.capsules, rig, figure.anatomy, wrist_frames(rig))
    place, turn = np.empty((len(rig.names), 3)), np.empty((len(rig.names), 4))
    fk.world(rig.parent, rig.rest_offset, figure.anatomy.base_root.copy(), np.ascontiguousarray(rotation), place, turn)
    joint, shape, caps, single = guard.tables[0], guard.tables[1], guard.tables[4], guard.tables[7]
    capsule.place(joint, shape, place, turn, caps, single)
    allow, bound = guard.tables[10], guard.tables[BOUND]
    gap = np.full(allow.shape, 1.0, np.float32)
    gaps.fill(single, allow, bound, gap)
    pairs, more = [], []
    for row in range(gap.shape[0]):
        start = int(bound[gaps.LEFTS]) if row < bound[gaps.LEFTS] else int(bound[gaps.BODY])
        for column in range(start, len(gap[0])):
            need = MARGIN + SPARE - float(gap[row, column])
            if allow[row, column] < FREE and need > 0.0 and guard.column[column] >= 0:
                pairs.append((int(guard.column[row]), int(guard.column[column])))
                more.append(need)
    return np.array(pairs, np.int32).reshape(-1, 2), np.array(more)
