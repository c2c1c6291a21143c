"""Her skin measured into capsules: the order in which it is done."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from ....components.anatomy import SIDES, Anatomy
from ....components.arrays import F64, I32
from ....components.capsules import CapsuleSet
from ....components.errors import AvatarError
from ....components.rig import Rig
from ....components.skin import Body
from ...retarget.rests import rest_of
from .allowances import of_base, of_folds
from .base_pose import Solved, solve
from .grow import grow, prune
from .joined import joined_of
from .parts import Parts, parts_of
from .pieces import pieces_of, scale_of
from .refine import Fitted, Skin, refine
from .report import PROBES, Report, quality, uncovered
from .samples import Samples, matrices, sample, surface_of
from .seen import visible

VALIDATION = 60_000  # samples that the report is made on
REACH = 0.05  # m beyond her fingertips that arms may come to when she bends
FIRST_ROUNDS, ROUNDS = 4, 3  # of refinement, before and after capsules were added
STAGES = (16, 16, 16, 32, 32, 32)  # capsules added at most, each time followed by refinement
ENOUGH, OUT = 0.994, 0.0080  # share covered and m of protrusion after which none is added: the goals with some room
COVERED, PROTRUDES = 0.98, 0.008  # less covered than this, or m further out, is said
ROUGH = 60  # points on each capsule that tell the latter
GRAIN = 1e-5  # m, that numbers are rounded to: another machine's last bits make no other body


def measure(body: Body, anatomy: Anatomy) -> tuple[CapsuleSet, Report]:
    """Return the capsules of an avatar, with her base pose solved, and how good they are.

    anatomy: as measured on her rig
    AvatarError if she has no skin or no arms to measure.
    """
    began = time.perf_counter()
    parts = parts_of(body)
    if not (parts.part == 1).any():
        raise AvatarError(f"{body.source}: it has no upper arms, so there is nothing to keep out of its body")
    surface = surface_of(body, parts)
    samples, others = visible(surface, sample(surface, parts), sample(surface, parts, VALIDATION, 1.0, seed=99))
    fit = fit_to(body, parts, samples)
    capsules, solved = calibrate(body.rig, anatomy, parts, fit)
    covered, out = quality(fit, others, Skin(others), PROBES)
    notes = []
    if solved.inside_mm > 0.0:
        notes.append(f"her arms cannot hang clear of her: {solved.inside_mm:.1f} mm inside are allowed")
    if covered < COVERED or out > PROTRUDES:
        notes.append(
            f"capsules stand badly for this surface: {100.0 * covered:.1f} % within 5 mm, {1e3 * out:.1f} mm out; "
            "what is open or full of holes is no skin"
        )
    report = Report(
        capsules=len(fit.row),
        bones=len(np.unique(fit.row)),
        joined_pairs=len(capsules.joined),
        allowed_pairs=len(capsules.pair),
        covered_5mm=covered,
        protrusion_p95_mm=out * 1e3,
        base_inside_mm=solved.inside_mm,
        base_turned_deg=solved.turned_deg,
        seconds=time.perf_counter() - began,
        uncovered=uncovered(fit, parts, others),
        notes=tuple(notes),
    )
    return capsules, report


def fit_to(body: Body, parts: Parts, samples: Samples) -> Fitted:
    """Return capsules on these samples, avatar frame in rest: as few as stand for the skin, or as many as are sensible.

    A woman in close clothes is done after one or two STAGES, a robot of pipes never is.
    """
    pieces = pieces_of(body, parts, samples)
    row = np.array([piece.row for piece in pieces], np.int32)
    start, end = np.array([piece.start for piece in pieces]), np.array([piece.end for piece in pieces])
    fit = Fitted(row, parts.group[row], start, end, np.array([piece.radius for piece in pieces]))
    group, skin, scale = parts.group[samples.holder], Skin(samples), scale_of(samples)
    refine(fit, samples, skin, group, FIRST_ROUNDS)
    for most in STAGES:
        covered, out = quality(fit, samples, skin, ROUGH)
        if (covered >= ENOUGH and out <= OUT) or not grow(fit, samples, parts.group, most, scale):
            break
        refine(fit, samples, skin, group, ROUNDS)
    prune(fit, samples, skin)
    return fit


def calibrate(rig: Rig, anatomy: Anatomy, parts: Parts, fit: Fitted) -> tuple[CapsuleSet, Solved]:
    """Return the capsules in their joints' frames with joined pairs, allowances and a base pose that is free."""
    rest = rest_of(rig)
    joint = parts.joint[fit.row]
    turn, at = matrices(rest.orientation)[joint], rest.position[joint]
    start, end = (np.einsum("cba,cb->ca", turn, p - at) for p in (fit.start, fit.end))
    shoulder = {side: p for side in SIDES if (p := rest.at(side + "UpperArm")) is not None}
    elbow = {side: p for side in SIDES if (p := rest.at(side + "LowerArm")) is not None}
    joined = joined_of(parts, fit.row, fit.start, fit.end, fit.radius, shoulder, elbow)
    nothing = np.zeros((0, 2), np.int32)
    bare = CapsuleSet(
        names=rig.names,
        joint=joint,
        start=_rounded(start),
        end=_rounded(end),
        radius=_rounded(fit.radius),
        part=parts.part[fit.row],
        pair=nothing,
        allowance=np.zeros(0),
        joined=joined,
        base=anatomy.base,
        rig=rig.digest,
        left=parts.left[fit.row],
        tested=_tested(parts, fit, shoulder),
    )
    pair, allowance = of_folds(rig, anatomy, bare)
    folded = replace(bare, pair=pair, allowance=_rounded(allowance))
    solved = solve(rig, anatomy, folded)
    more, also = of_base(rig, anatomy, folded, solved.rotation)
    pair, allowance = _together(folded.pair, folded.allowance, more, also)
    return replace(folded, pair=pair, allowance=_rounded(allowance), base=solved.rotation), solved


def _together(pair: I32, allowance: F64, more: I32, also: F64) -> tuple[I32, F64]:
    """Return both lists with each pair once, its allowances summed: the second counts from the first."""
    total: dict[tuple[int, int], float] = {}
    for (a, b), metres in [*zip(pair.tolist(), allowance, strict=True), *zip(more.tolist(), also, strict=True)]:
        total[a, b] = total.get((a, b), 0.0) + float(metres)
    return np.array(list(total), np.int32).reshape(-1, 2), np.array(list(total.values()))


def _tested(parts: Parts, fit: Fitted, shoulder: dict[str, F64]) -> I32:
    """Return 1 for arms and for what their hands can reach."""
    out = (parts.part[fit.row] > 0).astype(np.int32)
    for side, joint in shoulder.items():
        mine = np.array([parts.names[row].startswith(side) and parts.part[row] > 0 for row in fit.row])
        ends = np.concatenate([fit.start[mine], fit.end[mine]])
        reach = float(np.linalg.norm(ends - joint, axis=1).max()) + REACH if len(ends) else 0.0
        along = fit.end - fit.start
        t = np.einsum("cd,cd->c", joint - fit.start, along) / np.maximum((along * along).sum(axis=1), 1e-12)
        near = fit.start + np.clip(t, 0.0, 1.0)[:, None] * along
        out |= np.linalg.norm(near - joint, axis=1) - fit.radius < reach
    return out


def _rounded(metres: F64) -> F64:
    return np.round(metres / GRAIN) * GRAIN
