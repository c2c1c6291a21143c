"""One recorded motion as every reader of files gives it: a rig, its rotations, its voice. Frozen."""

from __future__ import annotations

from dataclasses import dataclass

from .arrays import F32, F64
from .rig import Rig

TAKE_RATE = 60  # Hz, rate at which every reader gives a motion


@dataclass(frozen=True, slots=True)
class HandAxes:
    """What each finger joint of a source bends about, S = 30 in the order of FINGER_SLOTS; avatar frame in rest.

    A joint's curl is (r - zero) . axis + shown, r its rotation vector from the source's own rest in its rest's axes.

    Fields:
        axis:  (S, 3) f64 unit, zeros where the joint is missing or was not measured
        zero:  (S, 3) f64 rad, rotation vector at which the joint shows `shown`
        shown: (S,) f64 rad, absolute (0 = straight; the thumb's from a rest thumb)
        is_known: the axes come with the source (a model's file, a table) and its rest tells nothing
    """

    axis: F64
    zero: F64
    shown: F64
    is_known: bool


@dataclass(frozen=True, slots=True)
class Take:
    """One uncut recording on the rig that it was recorded with.

    Fields:
        name:      of the file without its ending
        kind:      "smplx", "bvh", "clip" or "run"
        performer, licence: as far as the file, its name or the user says
        source:    hash of the motion file's bytes
        rig:       the source's joints in the avatar's frame (metres, +Y up, facing +Z), in the source's own rest
        rotation:  (T, J, 4) f64 wxyz, local, the rest rotation included
        root:      (T, 3) f64 m, added to the rig's root so that the hips are where they were recorded
        fps:       Hz, TAKE_RATE once it is resampled
        hands:     axes that come with the source, None: they are measured from the motion
        is_ours:   made by this project for this rig: fingers turn about the rig's own hinges
        audio:     (N,) f32 mono or None; rate: Hz, 0 without
        voice:     name and hash of the audio file, "" without; text: what is said, where a words file says so
        warnings:  what was guessed, dropped or looks wrong, one line each
    """

    name: str
    kind: str
    performer: str
    licence: str
    source: str
    rig: Rig
    rotation: F64
    root: F64
    fps: float
    hands: HandAxes | None = None
    is_ours: bool = False
    audio: F32 | None = None
    rate: int = 0
    voice: str = ""
    text: str = ""
    warnings: tuple[str, ...] = ()
