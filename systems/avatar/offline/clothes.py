"""What she wears: a tunic with a belt, trousers and shoes, and which of the body stays in the file under them."""

from __future__ import annotations

import numpy as np

from ....components.arrays import F64
from . import mesh
from .cloth import (
    ARM_WORDS,
    Garment,
    Sheet,
    body_sheet,
    down_the_forearm,
    garment,
    share_of,
    with_hems,
)
from .drape import bridged
from .options import Options
from .part import Part, linear
from .pose import Posed
from .skeleton import Skeleton
from .source import Source

CUFF = 0.90  # share of the forearm that the sleeve covers
NECK_TILT = 0.42  # the neckline's plane falls to the front
# m: faces of skin with any corner less deep under cloth stay. The body is coarse there: asking it of all four corners
# left holes beside the collar bones.
OVERLAP = 0.008
SHOE_TOP = 0.030  # m above the ankle joint
SOLE = 0.016  # m
BELT = 0.030  # m
SEAM = 0.30  # how much darker a seam is
FOLD = 55.0  # 1/m: how much brighter a fold's ridge is, per height


def neckline(skeleton: Skeleton, position: F64) -> F64:
    """Return (V,) m below the tilted plane of the tunic's neckline."""
    neck = skeleton.at("neck")
    return neck[1] - 0.004 - position[:, 1] - NECK_TILT * (position[:, 2] - neck[2])


def skin_under_cloth(posed: Posed) -> F64:
    """Return (V,) m: how far under collar or cuff a body vertex lies; negative in the open.

    Torso and legs are as far under as can be, even where the tunic and the trousers are worn loose.
    """
    skeleton = posed.skeleton
    arm = share_of(skeleton.names, skeleton.weight, *ARM_WORDS)
    forearm = float(np.linalg.norm(skeleton.at("leftHand") - skeleton.at("leftLowerArm")))
    cuff = (CUFF - down_the_forearm(skeleton, posed.position, arm)) * forearm
    return np.where(cuff < 2 * OVERLAP, cuff, np.where(arm < 0.2, neckline(skeleton, posed.position), 1.0))


def _tunic(sheet: Sheet, skeleton: Skeleton, options: Options) -> list[Part]:
    """Return the tunic and its belt."""
    legs = sheet.share("leftUpperLeg") - sheet.share("rightUpperLeg")
    middle = (np.abs(sheet.position[:, 0]) < 0.006) & (np.abs(legs) < 0.1)  # not the thighs, should they touch
    hem = sheet.position[middle, 1].min() + 0.018
    waist = 0.62 * skeleton.at("chest")[1] + 0.38 * skeleton.at("spine")[1]

    sheet = sheet.kept(np.where(sheet.share(*ARM_WORDS) > 0.35, 1.0, sheet.position[:, 1] - hem))
    sheet = sheet.kept(CUFF - down_the_forearm(skeleton, sheet.position, sheet.share(*ARM_WORDS)))
    sheet = sheet.kept(neckline(skeleton, sheet.position))
    torso = sheet.share(*ARM_WORDS) < 0.2
    fall = np.clip((waist - 0.02 - sheet.position[:, 1]) / 0.08, 0.0, 1.0)
    hang = bridged(sheet.position, np.where(torso, fall, -1.0))
    weight = sheet.weight
    for _ in range(10):  # the seam between the legs must not tear when she walks
        mean = mesh.neighbour_mean(weight, mesh.edges(sheet.triangle))
        weight = np.where((torso & (fall > 0.5))[:, None], 0.5 * weight + 0.5 * mean, weight)
    sheet = Sheet(hang, sheet.triangle, weight, sheet.bones)

    def folds(s: Sheet) -> F64:
        """Return (V,) m: gathers at the belt, hanging folds, wrinkles at elbow and cuff."""
        arm, y = s.share(*ARM_WORDS), s.position[:, 1]
        around = np.arctan2(s.position[:, 0], s.position[:, 2])
        flare = np.clip((waist - 0.03 - y) / (waist - hem), 0.0, 1.0)
        at_belt = np.exp(-(((y - waist) / 0.050) ** 2))
        torso = 0.0016 * np.sin(21.0 * around + 2.0 * np.sin(5.0 * around)) * at_belt
        torso += 0.0058 * flare * np.sin(9.0 * around + 1.3 * np.sin(2.0 * around))
        torso += 0.0055 * np.exp(-(((y - waist - 0.042) / 0.024) ** 2))  # cloth that lies over the belt
        along = down_the_forearm(skeleton, s.position, arm)
        turn = np.sin(3.0 * np.arctan2(s.position[:, 2] - skeleton.at("leftHand")[2], s.position[:, 1]))
        sleeve = 0.0016 * np.sin(46.0 * along + 1.5 * turn) * np.exp(-((along / 0.24) ** 2))
        sleeve += 0.0012 * np.sin(58.0 * along + turn) * np.exp(-(((along - CUFF + 0.10) / 0.10) ** 2))
        return np.where(arm < 0.2, torso, np.where(along > -2.0, sleeve, 0.0))

    def thickness(s: Sheet) -> F64:
        arm, y = s.share(*ARM_WORDS), s.position[:, 1]
        flare = np.clip((waist - 0.03 - y) / (waist - hem), 0.0, 1.0) * (arm < 0.2)
        along = down_the_forearm(skeleton, s.position, arm)
        collar = 0.0015 * np.clip(1.0 - neckline(skeleton, s.position) / 0.03, 0.0, 1.0) * (arm < 0.2)
        return 0.0055 + 0.011 * flare + folds(s) - 0.0030 * np.clip(along / CUFF, 0.0, 1.0) + collar

    cut = garment(sheet, 6, thickness)
    base = linear(options.tunic)
    shape = cut.sheet
    around = np.degrees(np.arctan2(np.abs(shape.position[:, 0]), shape.position[:, 2] - skeleton.at("hips")[2]))
    arm = shape.share(*ARM_WORDS)
    side = np.exp(-(((around - 90.0) / 3.0) ** 2)) * (arm < 0.1)
    armhole = np.exp(-(((arm - 0.45) / 0.07) ** 2)) * (shape.position[:, 1] > skeleton.at("chest")[1])
    seams = 1.0 - SEAM * np.maximum(side, armhole)
    color = base * (seams * np.clip(1.0 + FOLD * folds(shape), 0.82, 1.12))[:, None]
    tunic = with_hems(cut, "fabric", color, trim=(0.013, base * 0.55))

    away = np.where(cut.sheet.share(*ARM_WORDS) > 0.2, 1.0, np.abs(cut.sheet.position[:, 1] - waist))
    belt = cut.sheet.kept(BELT / 2.0 - away)
    out = mesh.normals(belt.position, belt.triangle)
    belt = Sheet(belt.position + 0.0028 * out, belt.triangle, belt.weight, belt.bones)
    leather = np.tile(linear(options.shoes), (len(out), 1))
    return [tunic, with_hems(Garment(belt, out), "shoe", leather)]


def _trousers(sheet: Sheet, skeleton: Skeleton, options: Options) -> list[Part]:
    hips, knee, ankle = (skeleton.at(name)[1] for name in ("hips", "leftLowerLeg", "leftFoot"))
    top = hips + 0.05
    sheet = sheet.kept(np.where(sheet.share(*ARM_WORDS) > 0.2, -1.0, top - sheet.position[:, 1]))
    sheet = sheet.kept(sheet.position[:, 1] - ankle + 0.012)

    def folds(s: Sheet) -> F64:
        """Return (V,) m: wrinkles behind the knee and where the cloth lies on the shoe."""
        y = s.position[:, 1]
        turn = np.sin(2.0 * np.arctan2(s.position[:, 2], np.abs(s.position[:, 0]) - skeleton.at("leftFoot")[0]))
        at_knee = 0.0018 * np.sin((y - knee) * 130.0 + 1.4 * turn) * np.exp(-(((y - knee) / 0.065) ** 2))
        at_shoe = 0.0026 * np.sin((y - ankle) * 150.0 + 1.8 * turn) * np.exp(-(((y - ankle - 0.045) / 0.05) ** 2))
        at_hip = 0.0016 * np.sin((y - hips) * 110.0 + 2.2 * turn) * np.exp(-(((y - hips + 0.07) / 0.05) ** 2))
        return at_knee + at_shoe + at_hip

    def thickness(s: Sheet) -> F64:
        y = s.position[:, 1]
        under = 0.004 * np.clip((top - 0.04 - y) / 0.08, 0.0, 1.0)  # the waistband came through the tunic
        return under - 0.001 + 0.009 * np.clip((knee - y) / 0.35, 0.0, 1.0) + folds(s)

    cut = garment(sheet, 4, thickness)
    outside = np.abs(cut.sheet.position[:, 0]) - skeleton.at("leftFoot")[0]
    line = np.degrees(np.arctan2(outside, cut.sheet.position[:, 2] - skeleton.at("leftFoot")[2]))
    seams = 1.0 - SEAM * np.exp(-(((np.abs(line) - 90.0) / 7.0) ** 2))
    bent = np.clip(1.0 + FOLD * folds(cut.sheet), 0.80, 1.15)
    color = linear(options.trousers) * (seams * bent)[:, None]
    return [with_hems(cut, "trousers", color)]


def _shoes(sheet: Sheet, skeleton: Skeleton, options: Options) -> list[Part]:
    ankle = skeleton.at("leftFoot")[1]
    sheet = sheet.kept(ankle + SHOE_TOP - sheet.position[:, 1])
    cut = garment(sheet, 10, lambda s: np.full(len(s.position), 0.006))
    place = cut.sheet.position
    ground = place[:, 1].min()
    place[:, 1] = np.maximum(place[:, 1], ground + 0.004)
    upper = np.tile(linear(options.shoes), (len(place), 1))
    return [with_hems(cut, "shoe", upper, below=(place[:, 1] - ground - SOLE, linear((0.16, 0.13, 0.12))))]


def clothes(source: Source, posed: Posed, options: Options) -> list[Part]:
    """Return tunic, trousers and shoes around the re-posed body."""
    sheet = body_sheet(source, posed)
    skeleton = posed.skeleton
    return [part for make in (_tunic, _trousers, _shoes) for part in make(sheet, skeleton, options)]
