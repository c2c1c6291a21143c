"""Her capsules laid out for the kernels of the rule, once for each avatar."""

from __future__ import annotations

import math

import numpy as np

from ...components.anatomy import SIDES, Anatomy
from ...components.arrays import F32, F64, I32
from ...components.capsules import FREE, CapsuleSet
from ...components.config import Config
from ...components.contacts import MOST, Contacts
from ...components.errors import AvatarError
from ...components.guard import Guard
from ...components.rig import Rig
from ...components.world import World
from ..kernels import fk, gaps, project, quat, rule

ALLOW, BOUND, ROOM = 10, 11, 20  # places in Guard.tables
LINKS = ("UpperArm", "LowerArm", "Hand")
# Functional wrist, deg: flexion, extension, radial, ulnar (Ryu 1991); it is bent less gladly from 80 % on
WRIST, SOFT = (54.0, 60.0, 17.0, 40.0), 0.8
SLACK = 0.02  # m an arm may go before pairs are listed anew: a choice, 1.2 m/s for one tick
CHASE = 0.3  # share of the spring's delay that the target's own speed makes up for, beside [rule] lead
SMOOTH = 0.35  # of the target's speed taken over each tick
CAUGHT, CLEAR, RELEASE = 0.02, 0.6, 4.0  # growth rule: rad behind, share of its push that is clear, 1/s back


def attach(world: World, entity: int, capsules: CapsuleSet, rig: Rig, anatomy: Anatomy, frames: F64) -> None:
    """Give an avatar her capsules: from the next tick on the rule keeps her arms out of her body.

    frames: (2, 2, 4) of her wrists, retarget.wrist_frames(rig)
    AvatarError if the capsules are those of another rig.
    """
    twins = (g for _, g in world.each(Guard) if g.capsules.digest == capsules.digest)  # they work in the same room
    guard = next(twins, None) or guard_of(capsules, rig, anatomy, frames)
    world.put(entity, guard)
    world.put(entity, capsules)
    world.put(entity, Contacts.of(len(guard.column)))


def guard_of(capsules: CapsuleSet, rig: Rig, anatomy: Anatomy, frames: F64) -> Guard:
    """Return the tables of one avatar; AvatarError if the capsules are those of another rig."""
    if capsules.rig != rig.digest:
        raise AvatarError(
            f"these capsules were measured on rig {capsules.rig[:8]}, hers is {rig.digest[:8]}; measure her again"
        )
    chain = np.array([[rig.humanoid.get(side + part, -1) for part in LINKS] for side in SIDES], np.int32)
    for link in (1, 2):  # a hand without a forearm cannot be turned about an elbow
        chain[chain[:, link - 1] < 0, link] = -1
    chosen = [k for k in range(len(capsules.arm)) if chain[int(k >= capsules.lefts), capsules.link[k]] >= 0]
    lefts = sum(k < capsules.lefts for k in chosen)
    height = np.argsort(_heights(capsules, rig, anatomy), kind="stable").astype(np.int32)
    column, part = _columns(capsules, chosen, lefts, capsules.body[height])
    wide, start = len(column), lefts + _up(len(chosen) - lefts)
    sizes = [int((part[: len(chosen)] == k).sum()) for k in range(6)]
    bound = np.array([lefts, len(chosen), start, 0, *np.cumsum(sizes)], np.int32)
    caps = np.zeros((7, wide))
    caps[6] = np.where(column >= 0, capsules.radius[column], -1.0)
    shape = caps.copy()
    shape[:3] = np.where(column >= 0, capsules.start[column].T, 0.0)
    shape[3:6] = np.where(column >= 0, (capsules.end - capsules.start)[column].T, 0.0)
    number, rows = np.zeros(rule.NUMBERS), np.zeros((project.ROWS, project.WIDTH))
    tables = (
        np.where(column >= 0, capsules.joint[column], -1).astype(np.int32), shape, chain, frames,
        caps, caps.copy(), caps.copy(), caps.astype(np.float32), part, np.zeros((2, 3, 15)),
        _allowed(capsules, chosen, lefts, height, start, wide), bound,
        np.zeros((4, 6 + (wide - lefts) // gaps.BLOCK), np.float32), np.zeros((len(chosen), wide), np.float32),
        np.zeros((len(chosen) * (wide - lefts) + 1, 2), np.int32), np.zeros(3), np.zeros((2, 2, 4)), number,
        rows, np.zeros((project.ROWS, 2), np.int32), np.zeros((5, 18)), np.zeros((12, 4)),
        rig.parent, rig.rest_offset, rig.rest_rotation, *_under(rig, anatomy, chain),
    )  # fmt: skip
    guard = Guard(capsules, column, tables, number, np.zeros(rule.OUT), np.zeros((MOST, 2), np.int32))
    guard.allow, guard.usual = tables[ALLOW], tables[ALLOW].copy()
    return guard


def refresh(guard: Guard, config: Config) -> None:
    """Take what the settings say about the rule."""
    guard.config, number, r = config, guard.number, config.rule
    number[project.MARGIN], number[project.NEAR], number[project.SLACK] = r.margin, r.near, SLACK
    number[project.SOFT], number[project.BUCKETS] = SOFT, float(r.buckets)
    number[project.FLEXION : project.FLEXION + 4] = [math.radians(a) for a in WRIST]
    number[rule.RELAX], number[rule.RATE], number[rule.LEAD], number[rule.SMOOTH] = r.relax, r.spring, r.lead, SMOOTH
    number[rule.CHASE] = CHASE
    number[rule.PUSH], number[rule.CAUGHT], number[rule.CLEAR] = r.push, CAUGHT, CLEAR * r.push
    number[rule.RELEASE] = RELEASE


def _columns(capsules: CapsuleSet, chosen: list[int], lefts: int, body: I32) -> tuple[I32, I32]:
    """Return the capsule and, of the arms, 3 side + link of every column; -1 where one only fills up."""
    arm = capsules.arm[chosen]
    rights = np.full(_up(len(arm) - lefts), -1, np.int32)
    rights[: len(arm) - lefts] = arm[lefts:]
    rest = np.full(_up(len(body)), -1, np.int32)
    rest[: len(body)] = body
    column = np.concatenate([arm[:lefts], rights, rest]).astype(np.int32)
    part = np.full(len(column), -1, np.int32)
    part[: len(arm)] = capsules.link[chosen] + 3 * (np.arange(len(arm)) >= lefts)
    return column, part


def _allowed(capsules: CapsuleSet, chosen: list[int], lefts: int, order: I32, start: int, wide: int) -> F32:
    """Return (A, N) f32 m, by how much a pair may overlap: FREE where it is never tested."""
    allow = np.full((len(chosen), wide), FREE, np.float32)
    allow[:, start : start + len(order)] = capsules.allow[chosen][:, order]
    right = [k - capsules.lefts for k in chosen[lefts:]]
    allow[:lefts, lefts : len(chosen)] = capsules.allow_arms[chosen[:lefts]][:, right]
    return allow


def _under(rig: Rig, anatomy: Anatomy, chain: I32) -> tuple[I32, F64, F64, I32]:
    """Return the arms' twist joints, as in Anatomy, and every joint from the shoulders down, parents first."""
    tops = {int(j) for j in chain[:, 0] if j >= 0}
    below: list[int] = []
    for j in range(len(rig.names)):
        if j in tops or int(rig.parent[j]) in below:
            below.append(j)
    rows = [k for k, row in enumerate(anatomy.twist) if int(row[0]) in below]
    return anatomy.twist[rows], anatomy.twist_axis[rows], anatomy.twist_share[rows], np.array(below, np.int32)


def _heights(capsules: CapsuleSet, rig: Rig, anatomy: Anatomy) -> F64:
    """Return how high the body's capsules are in the base pose, m: from the feet up a block of them is one part."""
    position, world = np.empty((len(rig.names), 3)), np.empty((len(rig.names), 4))
    fk.world(rig.parent, rig.rest_offset, anatomy.base_root.copy(), capsules.base.copy(), position, world)
    middle, height = np.zeros(3), np.empty(len(capsules.body))
    for k, c in enumerate(capsules.body):
        quat.rotate(world[capsules.joint[c]], 0.5 * (capsules.start[c] + capsules.end[c]), middle)
        height[k] = position[capsules.joint[c], 1] + middle[1]
    return height


def _up(count: int) -> int:
    """Return the next multiple of a block."""
    return -(-count // gaps.BLOCK) * gaps.BLOCK
