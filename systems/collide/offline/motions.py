"""Motions that try the rule: standing with the hands at the thighs, a hand that is pressed in and held, let go.

All return local rotations, (F, J, 4) wxyz at 60 Hz, of any avatar with capsules. Torture by seed is in stress.py,
recorded and made-up talkers are in takes.py.
"""

from __future__ import annotations

import math
import secrets

import numpy as np

from ....components.arrays import F64
from ...kernels import fk, quat, rotvec
from .figure import Figure, rolled, turned
from .optimum import depths

RATE = 60  # Hz
AT_THIGH = 0.012  # m, how deep the hands of `idle` hang inside the thighs (an authored hanging pose: 12 to 32 mm)
PRESSED = 0.050  # m, how deep `press` holds a hand
# deg and Hz: size and band of the sway of a standing person, arms swing a little more than they are carried
SWAY = {"spine": 0.5, "chest": 0.5, "upperChest": 0.5, "neck": 1.5, "head": 1.5, "Shoulder": 0.6, "UpperArm": 1.6,
        "LowerArm": 2.1, "Hand": 2.1}  # fmt: skip
BAND = (0.06, 0.30)


def fresh(count: int) -> list[int]:
    """Return seeds nobody has tuned anything on, from the system's entropy; print them with what they give."""
    return [secrets.randbelow(2**31) for _ in range(count)]


def waves(draw: np.random.Generator, frames: int, slow: float, fast: float, columns: int = 3) -> F64:
    """Return (frames, columns) that reach about 2: three sines each, slow..fast Hz."""
    t = np.arange(frames)[:, None] / RATE
    out = np.zeros((frames, columns))
    for _ in range(3):
        out += np.sin(2 * math.pi * (draw.uniform(slow, fast, columns) * t + draw.random(columns)))
    return out / math.sqrt(3.0)


def idle(body: Figure, frames: int = 3600, seed: int = 0) -> F64:
    """Return her standing with hanging arms, swaying, both hands AT_THIGH inside the thighs."""
    draw = np.random.default_rng(seed)
    out = np.repeat(_hands_at_thighs(body)[None], frames, axis=0)
    for name, size in SWAY.items():
        parts = [name] if name[0].islower() else ["left" + name, "right" + name]
        for part in parts:
            turned(body, out, body.rig.humanoid.get(part, -1), np.radians(size) * waves(draw, frames, *BAND))
    return rolled(body, out)


def press(body: Figure, seconds: float = 3.0, side: int = 0, deep: float = PRESSED) -> F64:
    """Return one second of rest, a hand brought `deep` inside her in one more, held, brought back, three of rest."""
    inside = _pressed_in(body, side, deep)
    up = _ramp(RATE)
    share = np.concatenate([np.zeros(RATE), up, np.ones(round(seconds * RATE)), up[::-1], np.zeros(3 * RATE)])
    out = body.base(len(share))
    for part in ("UpperArm", "LowerArm", "Hand"):
        joint = body.joint(side, part)
        if joint < 0:
            continue
        way, turn = np.empty(4), np.empty(3)
        quat.between(body.capsules.base[joint].copy(), inside[joint], way)
        rotvec.log(way, turn)
        turned(body, out, joint, share[:, None] * turn)
    return rolled(body, out)


def _ramp(frames: int) -> F64:
    x = (np.arange(frames) + 1.0) / (frames + 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x * x)  # least jerk: speed and acceleration are 0 at both ends


def spun(body: Figure, local: F64, joint: int, axis: tuple[float, float, float], angle: float) -> F64:
    """Return a copy of one pose (J, 4) with `joint` turned about an axis of the avatar's frame, rad."""
    count = len(local)
    position, orientation = np.empty((count, 3)), np.empty((count, 4))
    fk.world(body.rig.parent, body.rig.rest_offset, np.zeros(3), local.copy(), position, orientation)
    turn, whole = np.empty(4), np.empty(4)
    rotvec.exp(np.array(axis) * angle, turn)
    quat.mul(turn, orientation[joint], whole)
    out = local.copy()
    above = int(body.rig.parent[joint])
    if above >= 0:
        quat.between(orientation[above], whole, out[joint])
    else:
        out[joint] = whole
    return out


def _hands_at_thighs(body: Figure) -> F64:
    """Turn each forearm inward at the elbow until its hand is AT_THIGH inside, 40 deg at most."""
    out = body.capsules.base.copy()
    for side, sign in ((0, -1.0), (1, 1.0)):
        joint = body.joint(side, "LowerArm")
        if joint < 0:
            continue
        angles = np.radians(np.linspace(0.0, 40.0, 81))
        tried = np.stack([spun(body, out, joint, (0.0, 0.0, 1.0), sign * a) for a in angles])
        deep = depths(body.scene(tried))[:, side, 2]
        out = tried[int(np.argmax(deep >= AT_THIGH)) if (deep >= AT_THIGH).any() else int(deep.argmax())]
    return out


def _pressed_in(body: Figure, side: int, deep: float) -> F64:
    """Raise an arm, bend its elbow and swing the forearm across her front until the hand is `deep` inside her."""
    base, upper, lower = body.capsules.base, body.joint(side, "UpperArm"), body.joint(side, "LowerArm")
    sign = -1.0 if side == 0 else 1.0
    raised = spun(body, base.copy(), upper, (-1.0, 0.0, 0.0), math.radians(40.0))
    bent = spun(body, raised, lower, (-1.0, 0.0, 0.0), math.radians(50.0))
    angles = np.radians(np.linspace(0.0, 130.0, 66))

    def found(at: F64) -> F64:
        return depths(body.scene(np.stack([spun(body, bent, lower, (0.0, 1.0, 0.0), sign * a) for a in at])))[
            :, side, 2
        ]

    coarse = found(angles)
    if not (coarse >= deep).any():
        raise ValueError(f"{body.name}: a hand swung across her front gets {1e3 * coarse.max():.0f} mm inside at most")
    first = int(np.argmax(coarse >= deep))
    fine = np.linspace(angles[max(first - 1, 0)], angles[first], 41)
    return spun(body, bent, lower, (0.0, 1.0, 0.0), sign * float(fine[int(np.argmax(found(fine) >= deep))]))
