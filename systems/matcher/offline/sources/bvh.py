"""BVH files of every honest kind: any channels on any joint, any unit, numbers as programs really write them."""

from __future__ import annotations

import math
import re
import warnings as python_warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .....components.arrays import F64
from .....components.errors import AvatarError, CorpusError
from .....components.rig import Rig
from .....components.take import Take
from ....kernels import quat
from .skeleton import MANY, Tree, moved, place_of, rig_of

MAX_FILE = 1 << 30  # bytes; ten hours at 30 Hz take 800 MB
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_MOTION = re.compile(r"^[ \t]*MOTION[ \t]*\r?$", re.MULTILINE | re.IGNORECASE)
_FRAMES = re.compile(r"Frames[ \t]*:?[ \t]*(\S+)", re.IGNORECASE)
_TIME = re.compile(r"Frame[ \t]*Time[ \t]*:?[ \t]*(\S+)[ \t]*\r?\n?", re.IGNORECASE)
_CHANNEL = {axis + kind: (k, kind) for kind in ("position", "rotation") for k, axis in enumerate("xyz")}
JUMP = math.radians(30.0)  # from the first frame to the second: nobody moves a joint that far in 1/120 to 1/24 s
_ROUNDED = 2e-4  # of a rate: 0.008333 and 0.0333333 s are 120 and 30 a second; 29.97 is no rounding
_RATES = (10.0, 5000.0)  # frames a second that a Frame Time may mean, with room for one that is wrong by five


@dataclass
class Joint:
    """One joint as the file has it. channels: (axis 0..2, "position" or "rotation"), in the file's order."""

    name: str
    parent: int
    offset: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    channels: list[tuple[int, str]] = field(default_factory=list)


def read(path: Path) -> Take:
    """Return the take at the file's own rate.

    Raises:
        CorpusError: not a BVH, no humanoid in it, channels and numbers that do not fit.
    """
    text = _text(path)
    split = _MOTION.search(text)
    if split is None or "HIERARCHY" not in text[:4096].upper():
        raise CorpusError(f"{path}: not a BVH file (no HIERARCHY and MOTION); export it again")
    warnings: list[str] = []
    joints = _hierarchy(path, text[: split.start()])
    values, fps = _motion(path, text[split.end() :], sum(len(j.channels) for j in joints), warnings)
    rotation, position, has_position = _channels(joints, values)
    _offsets(joints, position, has_position, warnings)
    tree = Tree(
        [j.name for j in joints], [j.parent for j in joints], np.array([j.offset for j in joints]), _still(len(joints))
    )
    rig, turn, tree, said = _rest(path, tree, rotation, warnings)
    if _calibrates(rotation):
        rotation, position = rotation[1:], position[1:]
    hips = int(rig.node[rig.humanoid["hips"]])
    local, root = moved(rig, tree, turn, rotation, place_of(tree, rotation, position, hips))
    return Take(path.stem, "bvh", "", "", "", rig, local, root, fps, warnings=(*warnings, *said))


def _rest(path: Path, tree: Tree, rotation: F64, warnings: list[str]) -> tuple[Rig, F64, Tree, list[str]]:
    """Return the rig, the file's world to it, the tree in its rest, and what is said of it.

    The rest is a calibration pose in front of the motion where there is one; else the offsets' own pose; else, where
    that is nobody who stands, the first frame.
    """
    first = Tree(tree.names, tree.parent, tree.place, rotation[0].copy())
    tries = [(tree, ""), (first, "its offsets are no standing pose: the first frame is taken as the rest")]
    if _calibrates(rotation):
        tries.insert(
            0, (first, "its first frame is a pose of its own, as for calibration: taken as the rest, not shown")
        )
    reason: AvatarError | None = None
    for one, warning in tries:
        said: list[str] = []
        try:
            rig, turn = rig_of(one, said)
        except AvatarError as lying:
            reason = reason or lying
            continue
        warnings += [warning] if warning else []
        return rig, turn, one, said
    raise CorpusError(f"{path}: {reason}; name its joints as Mixamo, VRM or CMU do") from None


def _calibrates(rotation: F64) -> bool:
    """Return whether the first frame is apart from the motion: one jump, and none like it after it."""
    if len(rotation) < 4:
        return False
    step = np.empty((3, rotation.shape[1]))
    for k in range(3):
        quat.angle_each(rotation[k + 1], rotation[k], step[k])
    jump, after = float(step[0].max()), float(step[1:].max())
    return jump > JUMP and jump > 5.0 * after


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_FILE:
            raise CorpusError(f"{path}: {path.stat().st_size >> 20} MB, at most {MAX_FILE >> 20} MB; cut it into parts")
        data = path.read_bytes()
    except OSError as cause:
        raise CorpusError(f"{path}: cannot be read ({cause.strerror or cause})") from None
    return data.decode("utf-8-sig", errors="replace")


def _hierarchy(path: Path, text: str) -> list[Joint]:
    """Return the joints, end sites included, parents first."""
    joints: list[Joint] = []
    stack: list[int] = []
    opening = -1
    for number, line in enumerate(text.replace("{", "\n{\n").replace("}", "\n}\n").splitlines(), 1):
        words = line.split()
        if not words or words[0].upper() == "HIERARCHY":
            continue
        key = words[0].upper()
        if key in ("ROOT", "JOINT", "END"):
            above = stack[-1] if stack else -1
            name = " ".join(words[1:]) if key != "END" else (joints[above].name if above >= 0 else "") + "_end"
            joints.append(Joint(name or f"joint{len(joints)}", above))
            opening = len(joints) - 1
        elif key == "{":
            stack.append(opening)
        elif key == "}":
            if not stack:
                raise CorpusError(f"{path}: one '}}' too many in its hierarchy; export it again")
            stack.pop()
        elif key == "OFFSET" and joints:
            joints[-1].offset = _three(path, joints[-1].name, line)
        elif key == "CHANNELS" and joints:
            joints[-1].channels = _declared(path, joints[-1].name, words[1:])
        else:
            raise CorpusError(f"{path}: line {number} of its hierarchy says {line.strip()[:40]!r}, no word of BVH")
    if stack or not joints:
        raise CorpusError(f"{path}: its hierarchy breaks off after {len(joints)} joints; fetch or export it again")
    if len(joints) > MANY:
        raise CorpusError(f"{path}: {len(joints)} joints, at most {MANY}")
    return joints


def _three(path: Path, name: str, line: str) -> list[float]:
    numbers = [float(n) for n in _NUMBER.findall(line)]
    if len(numbers) != 3 or not np.isfinite(numbers).all():
        raise CorpusError(f"{path}: the offset of {name!r:.60} is {line.strip()[7:][:40]!r}, wanted three numbers")
    return numbers


def _declared(path: Path, name: str, words: list[str]) -> list[tuple[int, str]]:
    """Return the channels by their names; the number in front is only a promise."""
    named = words[1:] if words and words[0].isdigit() else words
    try:
        channels = [_CHANNEL[word.lower()] for word in named]
    except KeyError as odd:
        raise CorpusError(f"{path}: channel {odd} of {name!r:.60}; there are {', '.join(_CHANNEL)}") from None
    if words and words[0].isdigit() and int(words[0]) != len(channels):
        raise CorpusError(f"{path}: {name!r:.60} declares {words[0]} channels and names {len(channels)}")
    if len(set(channels)) != len(channels):
        raise CorpusError(f"{path}: {name!r:.60} names a channel twice")
    return channels


def _motion(path: Path, text: str, channels: int, warnings: list[str]) -> tuple[F64, float]:
    """Return the (T, channels) values and frames a second."""
    frames, time = _FRAMES.search(text[:4096]), _TIME.search(text[:4096])
    if time is None:
        raise CorpusError(f"{path}: no 'Frame Time' in its motion; write one, such as 0.0333333 for 30 a second")
    seconds = _NUMBER.fullmatch(time.group(1))
    step = float(seconds.group()) if seconds else 0.0
    if not 1.0 / _RATES[1] <= step <= 1.0 / _RATES[0]:
        raise CorpusError(
            f"{path}: Frame Time is {time.group(1)[:20]!r}, wanted {1 / _RATES[1]:g}..{1 / _RATES[0]:g} s"
        )
    if channels == 0:
        raise CorpusError(f"{path}: none of its joints has channels, so nothing moves")
    values = _numbers(path, text[time.end() :], warnings)
    whole = len(values) // channels
    if whole < 2:
        raise CorpusError(
            f"{path}: {len(values)} numbers for {channels} channels, less than two frames; is it cut off?"
        )
    if whole * channels != len(values):
        warnings.append(f"its last frame has {len(values) - whole * channels} of {channels} numbers and is dropped")
    said = frames.group(1) if frames else "none"
    if said != str(whole):
        warnings.append(f"it declares {said[:20]} frames and has {whole}: those are taken")
    values = values[: whole * channels].reshape(whole, channels)
    bad = ~np.isfinite(values).all(axis=1)
    if bad.any():
        raise CorpusError(
            f"{path}: {int(bad.sum())} frames hold numbers that are not finite, first {int(bad.argmax())}"
        )
    fps = 1.0 / step
    return values, float(round(fps)) if abs(fps / round(fps) - 1.0) < _ROUNDED else fps


def _numbers(path: Path, text: str, warnings: list[str]) -> F64:
    """Return all numbers; glued ones (1.5-2.25) are told apart by their signs."""
    with python_warnings.catch_warnings():
        python_warnings.simplefilter("error")
        try:
            return np.fromstring(text, dtype=np.float64, sep=" ")
        except (DeprecationWarning, ValueError):
            pass
    rest = _NUMBER.sub(" ", text)
    odd = rest.split()
    if odd:
        at = text.find(odd[0])
        line = text.count("\n", 0, max(at, 0)) + 1
        raise CorpusError(
            f"{path}: {odd[0][:20]!r} among the numbers of frame {line}; decimal points and plain numbers are wanted"
        )
    warnings.append("some of its numbers run into one another: told apart by their signs and points")
    return np.array(_NUMBER.findall(text), dtype=np.float64)


def _still(count: int) -> F64:
    out = np.zeros((count, 4))
    out[:, 0] = 1.0
    return out


def _channels(joints: list[Joint], values: F64) -> tuple[F64, F64, list[bool]]:
    """Return local rotations (T, N, 4), positions (T, N, 3) and which joints have positions."""
    frames = len(values)
    rotation, position = np.tile(_still(len(joints)), (frames, 1, 1)), np.zeros((frames, len(joints), 3))
    about, part, at = np.zeros((frames, 4)), np.empty((frames, 4)), 0
    for number, joint in enumerate(joints):
        position[:, number] = joint.offset
        whole = np.ascontiguousarray(rotation[:, number])
        for axis, kind in joint.channels:
            column = values[:, at]
            at += 1
            if kind == "position":
                position[:, number, axis] = column
                continue
            half = np.radians(column) / 2.0
            about[:] = 0.0
            about[:, 0], about[:, 1 + axis] = np.cos(half), np.sin(half)
            quat.mul_each(whole, about, part)
            whole, part = part, whole.copy()
        rotation[:, number] = whole
    return rotation, position, [any(kind == "position" for _, kind in j.channels) for j in joints]


def _offsets(joints: list[Joint], position: F64, has: list[bool], warnings: list[str]) -> None:
    """Take bones from the channels where they stand there instead of in the offsets."""
    below = [k for k, joint in enumerate(joints) if joint.parent >= 0 and has[k]]
    if below and not any(np.any(np.abs(joint.offset) > 1e-9) for joint in joints if joint.parent >= 0):
        for k in below:
            joints[k].offset = [float(x) for x in np.median(position[:, k], axis=0)]
        warnings.append("its offsets are all zero: bones are taken from the positions of the joints")
