"""The reflex's own motion on one tick: oscillators with state, weighted down while the corpus is busy."""

from __future__ import annotations

import numpy as np

from ...components.motion import Motion
from ...components.persona import Persona
from ...components.plan import Plan
from ...components.preview import Slot
from ..kernels import oscillators
from .table import turns

FLOOR = 0.45  # of the reflex is left under the busiest corpus: a body that stops breathing looks dead (choice)
_TURNS = turns()
_HALF = 1.6783469900166605  # rate of a critically damped spring times its half-life
_STILL = 0.9  # of all motion is gone at stillness 1
_SHARE_RATE = 2.4  # 1/s: a shift takes about 1.6 s (choice: 22 mm then moves at most 0.4 mm a tick)


def sway(motion: Motion, plan: Plan, persona: Persona, slot: Slot, tick: int, dt: float) -> None:
    """Write the reflex's turns and where it takes the pelvis.

    Reads Motion, Plan, Persona and Slot.carry; writes Slot.reflex, Slot.hips, Slot.sink, Slot.carry.
    """
    reflex = motion.config.reflex
    view = slot.carry.view
    still = oscillators.settle(view("stillness"), persona.stillness, _HALF / 0.5, dt)
    speaking = 1.0 if plan.speaking_from <= tick < plan.speaking_to else 0.0
    speech = oscillators.settle(view("speech"), speaking, _HALF / 0.3, dt)
    presence = stand_down(motion, plan, slot, tick, dt)

    share = view("share")
    oscillators.settle(share, _share(plan, tick), _SHARE_RATE, dt)
    lift = view("lift")
    oscillators.breathe(
        view("breath_phase"), lift, speech, reflex.breath_per_min / 60.0, _breath(plan, tick, dt), share[1], dt
    )
    where = motion.work[0, :2]
    oscillators.sway(
        view("sway_phase"), motion.periods, reflex.sway_mm * 5e-4, lift[0], share[1], dt, where
    )
    if "reflex" not in motion.layers:
        slot.reflex[:], slot.hips[:], slot.sink[:] = 0.0, 0.0, 0.0
        return
    weight = (FLOOR + (1.0 - FLOOR) * presence) * (1.0 - _STILL * still)
    cause = motion.work[1:3].reshape(-1)[:4]
    cause[0], cause[1], cause[2], cause[3] = lift[0], share[0], where[0], where[1]
    oscillators.turn_joints(
        _TURNS, cause, weight, motion.stance.frame, motion.stance.hips_frame, slot.reflex, slot.hips
    )
    slot.sink[0] = weight * (share[0] * reflex.shift_mm * 1e-3 + where[0])
    slot.sink[1] = 0.0
    slot.sink[2] = weight * where[1]


def stand_down(motion: Motion, plan: Plan, slot: Slot, tick: int, dt: float) -> float:
    """Ease the reflex out while the corpus is busy, and back in when it is not; return how much of it shows, 0..1."""
    reflex = motion.config.reflex
    busy = 0.0
    if motion.repertoire is not None and "corpus" in motion.layers:
        row = -1
        for pick in plan.picks:
            if pick.tick <= tick:
                row = pick.row
        busy = float(motion.repertoire.row_busy[row]) if row >= 0 else 0.0
    # `busy` is a per-row number and jumps; following it step for step showed as a hip step once a second
    smoothed = oscillators.settle(slot.carry.view("busy"), busy, _HALF / reflex.busy_smooth_s, dt)
    return oscillators.settle(slot.carry.view("presence"), 1.0 - smoothed, _HALF / reflex.stand_down_s, dt)


def _share(plan: Plan, tick: int) -> float:
    share = 0.0
    for shift in plan.shifts:
        if shift.tick <= tick:
            share = shift.share
    return share


def _breath(plan: Plan, tick: int, dt: float) -> np.ndarray:
    taken = np.array([-1.0, 1.0, 1.0, 1.0])
    for breath in plan.breaths:
        if breath.tick <= tick:
            taken[:] = (tick - breath.tick) * dt, breath.depth, breath.inhale, breath.hold
    return taken
