"""What the corpus layer shows on one tick: the running row, or two in a crossfade, followed by springs."""

from __future__ import annotations

import numpy as np

from ...components.anatomy import ARM_SLOTS, SLOTS, Anatomy
from ...components.arrays import F64, I32
from ...components.motion import Motion, unturned
from ...components.persona import Persona
from ...components.plan import Pick, Plan
from ...components.preview import Slot
from ..kernels import blend as kernel

ARMS = np.array(ARM_SLOTS, np.int32)
TORSO_SLOTS = 5  # spine, chest, upperChest, neck, head come first in SLOTS
BASE = unturned(len(SLOTS))
_STILL = 0.75  # of the corpus is gone at stillness 1


def blend(motion: Motion, plan: Plan, persona: Persona, slot: Slot, tick: int, dt: float) -> None:
    """Write the corpus layer's rotation vectors.

    Reads Motion, Plan.picks, Slot.carry; writes Slot.corpus, Slot.row, Slot.fade, Slot.speed_deg_s, Slot.carry.
    """
    view = slot.carry.view
    if motion.repertoire is None or "corpus" not in motion.layers:
        slot.corpus[:] = 0.0
        slot.row, slot.fade, slot.speed_deg_s = -1, 1.0, 0.0
        return
    old, new = running(plan, tick)
    since, fade, slow = write(motion, old, new, tick)
    old_pose, new_pose = motion.poses
    slot.fade, slot.speed_deg_s = kernel.play(
        motion.repertoire.delta, motion.gain, motion.old, motion.new, old_pose, new_pose, fade, slow, TORSO_SLOTS,
        since, 1.0 - _STILL * float(view("stillness")[0]), motion.rate, ARMS, dt,
        view("corpus_shown"), view("corpus"), view("corpus_velocity"), slot.corpus, motion.work, motion.quats,
    )  # fmt: skip
    slot.row = new.row if new is not None else -1


def running(plan: Plan, tick: int) -> tuple[Pick | None, Pick | None]:
    """Return the outgoing and the incoming pick on `tick`; None is the base pose."""
    old = new = None
    for pick in plan.picks:
        if pick.tick > tick:
            break
        old, new = new, pick
    return old, new


def evaluate(motion: Motion, old: Pick | None, new: Pick | None, tick: int, out: F64) -> float:
    """Write the blend of two picks on `tick`, (43, 4) wxyz over the base pose; return the incoming one's weight."""
    delta = motion.empty if motion.repertoire is None else motion.repertoire.delta
    since, fade, slow = write(motion, old, new, tick)
    old_pose, new_pose = motion.poses
    return kernel.mix(
        delta, motion.gain, motion.old, motion.new, old_pose, new_pose, fade, slow, TORSO_SLOTS, since, motion.work,
        motion.quats[1], out,
    )  # fmt: skip


def write(motion: Motion, old: Pick | None, new: Pick | None, tick: int) -> tuple[float, float, float]:
    """Write both picks as the kernels read them; return ticks since the incoming one, of its fade, of the slow one."""
    if motion.placed[0] is not old or motion.placed[1] is not new:
        begins = new.tick if new is not None else 0
        place(motion, old, begins, motion.old)
        place(motion, new, begins, motion.new)
        motion.poses = [stood(old), stood(new)]
        motion.placed = (old, new)
    return (float(tick - new.tick), float(new.fade), float(new.slow)) if new is not None else (0.0, 0.0, 0.0)


def stood(pick: Pick | None) -> F64:
    """Return what a pick without a clip shows, (43, 4) wxyz over the base pose."""
    return BASE if pick is None or pick.pose is None else pick.pose


def place(motion: Motion, pick: Pick | None, tick: int, out: I32) -> None:
    """Write what a kernel needs of a pick: first stored frame, end, 60 Hz frame, its tick minus `tick`, its stop.

    tick: on which the incoming of two picks begins
    """
    if pick is None or pick.clip < 0 or motion.repertoire is None:
        out[0], out[1], out[2], out[3], out[4] = -1, 0, 0, 0, -1
        return
    start = motion.repertoire.start
    out[0], out[1], out[2] = start[pick.clip], start[pick.clip + 1], pick.frame
    out[3] = pick.tick - tick
    out[4] = pick.end


def bases(anatomy: Anatomy) -> F64:
    """Return the gated joints in the base pose, (8, 4) wxyz local; no rotation where she has no joint."""
    joints = anatomy.slot_joint[ARMS]
    out = unturned(len(ARMS))
    out[joints >= 0] = anatomy.base[joints[joints >= 0]]
    return out
