"""What happens to a hand's channels after the plan: tremor, trailing wrist and fingers, limits, out of the body."""

from __future__ import annotations

import numpy as np

from .....components.arrays import F64
from .....components.corpus import FPS
from . import arm
from . import rotations as rot
from .noise import delayed, lowpass, wander
from .shapes import CHANNELS, CURL, FINGERS, FLEX, LIFT, PLACE, POINTS, RADIAL, ROLL, SWIVEL
from .styles import Style

# cm against height of the wrist: half width, front and back of the default avatar's torso skin
_HEIGHT = np.array([-48.0, -43.0, -38.0, -33.0, -28.0, -23.0, -18.0, -13.0, -8.0, -3.0])
_WIDTH = np.array([17.7, 17.1, 15.9, 14.5, 13.0, 11.8, 12.1, 13.6, 15.0, 15.5]) + 6.0
_FRONT = np.array([11.2, 10.7, 11.3, 11.7, 11.8, 12.1, 12.5, 12.7, 12.7, 11.3]) + 6.0
_BACK = np.array([9.8, 11.1, 10.9, 9.3, 7.0, 5.5, 5.9, 7.2, 8.4, 8.8]) + 4.0
_POWER = 2.6  # of the superellipse round the torso
_APART = 8.0  # cm, least distance between the two hands
# deg, how far fingers settle differently each time; a fan is 2.5 times its channel: 3.2 of it looked splayed (40 deg)
_SETTLE = np.array([3.2] * 15 + [0.8])
_LOWEST, _CLOSEST = -44.5, 6.0  # cm, soft floors of up and of out (the hands never touch)


def restless(rng: np.random.Generator, frames: int, active: F64, style: Style) -> tuple[F64, F64]:
    """Return the (frames, 24) noise of the left and right hand, cm and deg; its fast part falls when she is silent.

    active: (frames,) 0..1, how much she speaks
    """
    size = style.noise
    slow, fast, curl = wander(rng, frames, 1.3, 3), wander(rng, frames, 0.24, 3), wander(rng, frames, 0.16, 2)
    per_finger = np.concatenate([np.tile([3.6, 3.0, 1.8], 4), [2.4, 2.4, 2.2, 1.2]])
    some, more = (0.4 + 0.6 * active)[:, None], (0.5 + 0.5 * active)[:, None]
    hands = []
    for hand in (0, 1):
        out = np.zeros((frames, CHANNELS))
        out[:, PLACE] = (0.85 * slow + 0.5 * wander(rng, frames, 1.5, 3)) * [1.3, 1.3, 1.4] * size
        out[:, PLACE] += (0.85 * fast + 0.45 * wander(rng, frames, 0.24, 3)) * [0.55, 0.8, 0.7] * size * more
        for channel, quick, tau, sway, slow_tau in ((ROLL, 5.5, 0.3, 5.0, 1.8), (FLEX, 3.6, 0.2, 2.0, 1.2)):
            out[:, channel : channel + 1] = wander(rng, frames, tau) * quick * size * some
            out[:, channel : channel + 1] += wander(rng, frames, slow_tau) * sway
        out[:, RADIAL] = 1.8 * size * wander(rng, frames, 0.25)[:, 0]
        out[:, SWIVEL] = 7.0 * wander(rng, frames, 1.2)[:, 0] + 2.5 * size * wander(rng, frames, 0.35)[:, 0]
        out[:, LIFT] = 0.8 * wander(rng, frames, 0.8)[:, 0]
        own = 0.6 * wander(rng, frames, 0.16, 16) + 0.75 * curl[:, hand : hand + 1]
        out[:, FINGERS] = own * per_finger * (0.35 + 0.65 * active)[:, None] + _SETTLE * wander(rng, frames, 1.4, 16)
        hands.append(out)
    return hands[0], hands[1]


def finish(drawn: F64) -> F64:
    """Return the channels (T, 24) as a body can show them: outside the torso, wrist and fingers trailing, limited."""
    out = drawn.copy()
    out[:, PLACE] = outside(out[:, PLACE])
    # a passive hand: flexion opposes upward speed 50 ms ago, measured r -.2 to -.3
    velocity = delayed(lowpass(np.gradient(out[:, PLACE], 1.0 / FPS, axis=0), 5.0), 0.05)
    out[:, FLEX] += np.clip(0.11 * velocity[:, 1], -12.0, 12.0)
    out[:, RADIAL] -= np.clip(0.045 * velocity[:, 0], -7.0, 7.0)
    out[:, CURL] += np.clip(-0.06 * velocity[:, 1], -9.0, 9.0)[:, None] * np.tile([1.0, 0.6, 0.3], 4)
    out[:, FLEX] = 45.0 * np.tanh(out[:, FLEX] / 45.0)
    radial = out[:, RADIAL]
    out[:, RADIAL] = np.where(radial > 0.0, 17.0 * np.tanh(radial / 17.0), 30.0 * np.tanh(radial / 30.0))
    out[:, ROLL] = 82.0 * np.tanh(out[:, ROLL] / 82.0)
    return out


def outside(place: F64) -> F64:
    """Return wrist places (T, 3) cm pushed softly out of the torso, above the thighs and off the midline."""
    out, up, forward = place.T
    up = _soft_floor(up, _LOWEST, 0.8)
    front, back = np.interp(up, _HEIGHT, _FRONT), np.interp(up, _HEIGHT, _BACK)
    middle, depth = 0.5 * (front - back), 0.5 * (front + back)
    across, along = np.abs(out) / np.interp(up, _HEIGHT, _WIDTH), np.abs(forward - middle) / depth
    radius = (across**_POWER + along**_POWER) ** (1.0 / _POWER)
    scale = _soft_floor(radius, 1.0, 0.05) / np.maximum(radius, 0.2)
    return np.stack([_soft_floor(out * scale, _CLOSEST, 1.5), up, middle + (forward - middle) * scale], axis=1)


def part(left: F64, right: F64) -> tuple[F64, F64]:
    """Return both hands' channels (T, 24) with the hands at least about `_APART` cm from each other, moved outward."""
    for _ in range(4):
        lacking = np.maximum(_APART - apart(left, right), 0.0)
        if not lacking.any():
            break
        reach = FPS // 2
        padded = np.pad(lacking, reach, mode="edge")
        widest = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)
        aside = 0.7 * np.maximum(lowpass(widest, 1.0, order=1), 0.0)
        left, right = left.copy(), right.copy()
        left[:, 0] += aside
        right[:, 0] += aside
    return left, right


def apart(left: F64, right: F64) -> F64:
    """Return (T,) cm, the least distance between points along the two hands: wrists, palms, relaxed fingertips."""
    places = []
    for channels, mirror in ((left, 1.0), (right, -1.0)):
        found = arm.solve(channels)
        turned = found.local[0]
        for local in found.local[1:]:
            turned = rot.product(turned, local)
        points = [100.0 * found.wrist + rot.turn(turned, np.tile(point, (len(turned), 1))) for point in POINTS]
        places.append(np.stack(points, axis=1) * [mirror, 1.0, 1.0])
    return np.linalg.norm(places[0][:, :, None] - places[1][:, None], axis=-1).min(axis=(1, 2))


def fingers(channels: F64) -> F64:
    """Return (T, 16) rad, HAND_CHANNELS within what a hand does; an end knuckle follows its middle one."""
    out = channels[:, FINGERS].copy()
    curl = out[:, :12].reshape(-1, 4, 3)
    curl[..., 0] = np.clip(curl[..., 0], -12.0, 90.0)
    curl[..., 1] = np.clip(curl[..., 1], 2.0, 100.0)
    curl[..., 2] = np.clip(np.minimum(curl[..., 2], 0.75 * curl[..., 1] + 4.0), 0.0, 80.0)
    return np.radians(out)


def _soft_floor(x: F64, floor: float, width: float) -> F64:
    return floor + width * np.logaddexp(0.0, (x - floor) / width)
