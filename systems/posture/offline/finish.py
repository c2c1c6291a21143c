"""From capsules to skin: hands moved until they touch without entering, then fingers closed on what they hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ....components.anatomy import SIDES, THUMB
from ....components.arrays import F32, F64
from ...kernels import gaps as gap_kernel
from ...kernels import holds
from . import cover as skin
from .arms import OPEN
from .cover import Cover, Target, target
from .fingers import Closed, Hand, close
from .search import Try, improved
from .shown import Shower

WANTED = 2.0e-3  # m of air between a palm and what it lies on: breath and sway change it by up to 1.8 mm either way
ROUNDS, NEAR_ENOUGH = 6, 4e-4  # of moving and measuring, and m off that end it
STAND_OFF = 1.2e-3  # m that capsules of a held pair stay apart beyond what their skin does
MOST_OPEN = 0.012  # m a held pair may overlap
AGAIN, AGAIN_ROUNDS = 0.125, 140  # spreads and rounds of the search after the allowances were measured
LOOKS = 3  # rounds in which a thumb's place is looked for anew, while what it lies on still moves
DEEP = -1e-3  # m, from which a place counts as inside


@dataclass(frozen=True, slots=True)
class Found:
    """A hold on one body.

    Fields:
        rotation: (J, 4) wxyz local; fingers: (2, 16) rad; unknowns: (n,); cost: of them
        contact:  m of air between what holds and what is held, least of each held pair
        deepest:  m, least gap of forearms and hands with the body or the other arm; inside: points deeper than 1 mm
        share:    (2,) of the functional wrist ellipse
    """

    rotation: F64
    fingers: F64
    unknowns: F64
    cost: float
    contact: F64
    deepest: float
    inside: int
    share: F64


def finish(tried: Try, unknowns: F64, shower: Shower, cover: Cover, rest: tuple[F64, F64, F64]) -> Found:
    """Return the hold these unknowns of a search lead to. rest: points of `cover` and joints in the base pose."""
    x, r = unknowns.copy(), tried.recipe
    hands: list[Closed] | None = None
    for turn in range(ROUNDS):
        tried.cost(x)
        hands = _close(tried, shower, cover, rest, hands if turn >= LOOKS else None, hands)
        rotation = _pose(tried, shower, hands)
        off = _contacts(tried, shower, cover, rotation) - WANTED
        if turn >= LOOKS - 1 and np.abs(off).max() < NEAR_ENOUGH:
            break
        _shift(x, tried, off, _body_gap(cover, shower, rotation))
        if r.cost is holds.crossed and turn < 2:
            _measure(tried, cover, shower, rotation)
            _, x = improved(tried, x, AGAIN, AGAIN_ROUNDS, 1)
    cost, before = tried.cost(x), hands
    hands = _close(tried, shower, cover, rest, hands, hands)
    rotation = _pose(tried, shower, hands)
    held = _contacts(tried, shower, cover, rotation, whole=True)
    if before is not None and held.min() < 0.0:  # closed once more a thumb may end inside what it lay on before
        pose = _pose(tried, shower, before)
        last = _contacts(tried, shower, cover, pose, whole=True)
        if last.min() > held.min():
            hands, rotation, held = before, pose, last
    deepest, inside = _depth(cover, shower, rotation)
    return Found(
        rotation, np.stack([h.channels for h in hands]), x, cost, held, deepest, inside, tried.told[:, 4].copy()
    )


def _shift(x: F64, tried: Try, off: F64, clear: float) -> None:
    """Move hands by what their palms are off, m; `clear`: least gap of either with the body."""
    r, scale = tried.recipe, tried.arms.scale
    if r.cost is holds.crossed:
        r.aim[:2] -= scale * off
        x[list(r.offset)] = r.aim[:2]
    elif r.cost is holds.hips:
        r.aim[1:] -= scale * off
    else:
        x[8] -= scale * off[0]
        x[3] -= scale * min(clear - 1e-3, 0.0)


def _palm(cover: Cover, shower: Shower, side: int) -> npt.NDArray[np.bool_]:
    """Return which points are of a palm or back of a hand (N,) bool."""
    hand = int(shower.arms.joint[side, 3])
    return np.asarray(cover.joint == hand)


def _posed(cover: Cover, shower: Shower, rotation: F64) -> tuple[F64, F64]:
    return cover.pose(rotation, shower.arms.figure.anatomy.base_root)


def _contacts(tried: Try, shower: Shower, cover: Cover, rotation: F64, *, whole: bool = False) -> F64:
    """Return the air between each held pair, m: from the palms, or from the whole hands with their fingers."""
    point, normal = _posed(cover, shower, rotation)
    a, b = tried.recipe.first, 1 - tried.recipe.first
    palms = [point[cover.group == skin.PALMS[s] if whole else _palm(cover, shower, s)] for s in range(2)]
    if tried.recipe.cost is holds.stacked:
        return np.array([target(cover, point, normal, [skin.PALMS[a], skin.FORES[a]]).gap(palms[b])])
    body = target(cover, point, normal, [0])
    if tried.recipe.cost is holds.hips:
        return np.array([body.gap(p) for p in palms])
    arm = target(cover, point, normal, [skin.UPPERS[a], skin.FORES[a]])
    return np.array([body.gap(palms[a]), arm.gap(palms[b])])


def _body_gap(cover: Cover, shower: Shower, rotation: F64) -> float:
    point, normal = _posed(cover, shower, rotation)
    body = target(cover, point, normal, [0])
    return min(body.gap(point[cover.group == skin.PALMS[s]]) for s in range(2))


def _measure(tried: Try, cover: Cover, shower: Shower, rotation: F64) -> None:
    """Set what held pairs may overlap to what their capsules stand off the skin in this pose."""
    arms, held = tried.arms, tried.recipe.held
    gap = np.asarray(tried.gap - tried.allow, np.float32)
    point, normal = _posed(cover, shower, rotation)
    link, side = arms.part % 3, arms.part // 3
    lefts, count, start = (int(arms.bound[k]) for k in (gap_kernel.LEFTS, gap_kernel.ARMS, gap_kernel.BODY))
    thumb = arms.thumb[:count] > 0
    trunk = np.flatnonzero((arms.trunk == 1) & (np.arange(len(arms.trunk)) >= start))
    body = target(cover, point, normal, [0])
    groups = (skin.UPPERS, skin.FORES, skin.PALMS)

    def skin_of(s: int, k: int) -> F64:
        return point[_palm(cover, shower, s)] if k == 2 else point[cover.group == groups[k][s]]

    for s in range(2):
        for k in (1, 2):
            rows = np.flatnonzero((side == s) & (link == k) & ~thumb)
            _let(held, gap, rows, trunk, lambda s=s, k=k: body.gap(skin_of(s, k)), arms.scale)
    for k in range(3):
        for m in range(3):
            if k == m == 0:
                continue
            rows = np.flatnonzero((link[:lefts] == k) & ~thumb[:lefts])
            columns = lefts + np.flatnonzero((link[lefts:] == m) & ~thumb[lefts:])
            mine, theirs = (k, m) if k else (m, k)
            s = 0 if k else 1
            closed = _closed(1 - s, theirs)

            def between(s: int = s, mine: int = mine, closed: list[int] = closed) -> float:
                return target(cover, point, normal, closed).gap(skin_of(s, mine))

            _let(held, gap, rows, columns, between, arms.scale)
    tried.open()


def _closed(side: int, link: int) -> list[int]:
    """Return the groups of an arm's link with its neighbour: an open end has no inside."""
    return [skin.UPPERS[side], skin.FORES[side]] if link < 2 else [skin.PALMS[side], skin.FORES[side]]


def _let(held: F32, gap: F32, rows: Any, columns: Any, air: Callable[[], float], scale: float) -> None:
    """Let one group pair overlap by what it stands off the skin, where it is near."""
    if not len(rows) or not len(columns):
        return
    here = np.ix_(rows, columns)
    least = float(gap[here].min())
    if least < 0.02:
        held[here] = np.clip(scale * air() - least - STAND_OFF, 0.0, MOST_OPEN)


def _close(
    tried: Try, shower: Shower, cover: Cover, rest: tuple[F64, F64, F64], before: list[Closed] | None,
    shown: list[Closed] | None,
) -> list[Closed]:  # fmt: skip
    """Return both hands closed one after the other, the upper one first.

    before: thumbs stay near this, None looks for their place; shown: how the other hand is while the first closes
    """
    hands = shown
    is_stack = tried.recipe.cost is holds.stacked
    for s in (1 - tried.recipe.first, tried.recipe.first):
        rotation = _pose(tried, shower, hands)
        on = _others(cover, shower, rotation, s)
        laid = np.radians(22.0 if is_stack and s == tried.recipe.first else 40.0)
        made = close(Hand(shower, cover, s, rotation, rest), on, laid, None if before is None else before[s])
        hands = [made, made] if hands is None else [made if k == s else hands[k] for k in range(2)]
    assert hands is not None
    return hands


def _pose(tried: Try, shower: Shower, hands: list[Closed] | None) -> F64:
    if hands is None:
        return shower.pose(tried.links, np.tile(OPEN, (2, 1)))
    rotation = shower.pose(tried.links, np.stack([h.channels for h in hands]))
    for side, hand in zip(SIDES, hands, strict=True):
        for name, local in zip(THUMB, hand.thumb, strict=True):
            joint = shower.arms.figure.rig.humanoid.get(side + name, -1)
            if joint >= 0:
                rotation[joint] = local
    return rotation


def _others(cover: Cover, shower: Shower, rotation: F64, side: int) -> Target:
    other = 1 - side
    point, normal = _posed(cover, shower, rotation)
    return target(cover, point, normal, [0, skin.UPPERS[other], skin.FORES[other], skin.PALMS[other]])


def _depth(cover: Cover, shower: Shower, rotation: F64) -> tuple[float, int]:
    """Return the least gap of forearms and hands with anything else, m, and how many points are deeper than 1 mm."""
    point, normal = _posed(cover, shower, rotation)
    body = target(cover, point, normal, [0])
    least, inside = 1.0, 0
    for s in range(2):
        arm = target(cover, point, normal, [skin.UPPERS[1 - s], skin.FORES[1 - s], skin.PALMS[1 - s]])
        mine = point[(cover.group == skin.FORES[s]) | (cover.group == skin.PALMS[s])]
        for on in (body, arm):
            gap = on.gaps(mine)
            least, inside = min(least, float(gap.min())), inside + int((gap < DEEP).sum())
    return least, inside


def contact_place(tried: Try, side: int) -> F64:
    """Return where the palm, or the back of the hand that lies on her back, is in the pose last asked for, scaled m."""
    r = tried.recipe
    back = int(r.aim[9]) if r.cost is holds.stacked and side == r.first else 0
    return tried.joints[side, 2] + tried.links[side, 3] @ tried.maps.anchor[side, back]
