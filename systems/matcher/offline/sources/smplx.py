"""SMPL-X takes in the layout of BEAT2: `poses` (T, 165) axis-angle of 55 joints, `trans`, a frame rate."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.lib.npyio import NpzFile

from .....components.arrays import F64
from .....components.errors import CorpusError
from .....components.take import HandAxes, Take
from ....kernels import rotvec
from ....retarget import smplx_body as made
from ....retarget.curl import LEAST_SHARE, axes_of, moments

HandMean = Literal["in", "out"] | Path
_HANDS = slice(25, 55)
_LARGEST = 30.0  # rad: no axis-angle of a real take is longer than a few turns; degrees are
_RATES = ("mocap_frame_rate", "mocap_framerate", "fps")


def is_smplx(keys: set[str]) -> bool:
    """Return whether an npz with these arrays is such a take."""
    return "poses" in keys


def read(path: Path, arrays: dict[str, Any], hand_mean: HandMean | None = None) -> Take:
    """Return the take at its own rate, on a stand-in T-pose.

    arrays: what the file at `path` holds, see `load`
    hand_mean: "in": the hands' rotations count from a flat hand; "out": they are offsets from the model's mean hand,
               in whose place a relaxed hand of ours is put; a file: the model's own, with hands_meanl and hands_meanr.
               None: what the take says of itself (flat_hand_mean), else "out"

    Raises:
        CorpusError: not such a file, arrays of another shape, values that are no rotations.
    """
    poses, fps = poses_of(path, arrays), rate_of(path, arrays)
    warnings: list[str] = []
    mean = _mean(path, arrays, hand_mean, warnings)
    turn = poses.reshape(len(poses), made.JOINTS, 3)
    turn[:, _HANDS] += mean
    rotation = np.empty((len(turn) * made.JOINTS, 4))
    rotvec.exp_each(np.ascontiguousarray(turn.reshape(-1, 3)), rotation)
    trans = np.asarray(arrays.get("trans", np.zeros((len(turn), 3))), np.float64)
    if trans.shape != (len(turn), 3) or not np.isfinite(trans).all():
        warnings.append("its translation is not one finite place a frame and is left out")
        trans = np.zeros((len(turn), 3))
    return Take(
        name=path.stem,
        kind="smplx",
        performer="",
        licence="",
        source="",
        rig=made.body(),
        rotation=rotation.reshape(len(turn), made.JOINTS, 4),
        root=trans - trans[0],
        fps=fps,
        hands=_axes(turn[:, made.SLOT].transpose(1, 0, 2)),
        warnings=tuple(warnings),
    )


def load(path: Path) -> dict[str, Any]:
    """Return the arrays of an npz that hold numbers or text; nothing in it is ever unpickled."""
    try:
        with np.load(path, allow_pickle=False) as file:
            if not isinstance(file, NpzFile):
                raise CorpusError(f"{path}: one bare array, wanted an npz of named ones")
            out = {}
            for key in file.files:
                try:
                    out[key] = file[key]
                except ValueError:  # an array of objects: never read, and none of ours
                    continue
            return out
    except OSError as cause:
        raise CorpusError(f"{path}: cannot be read ({cause.strerror or 'not an npz file'})") from None
    except ValueError:  # numpy takes any bytes for a pickle, and advises to load what it should not
        raise CorpusError(f"{path}: not an npz file that can be read") from None
    except (EOFError, KeyError, MemoryError) as cause:
        raise CorpusError(f"{path}: not an npz file that can be read ({str(cause).splitlines()[0][:80]})") from None
    except Exception as cause:  # zipfile.BadZipFile and zlib.error: a download that broke off
        raise CorpusError(f"{path}: a damaged npz ({str(cause)[:80]}); fetch it again") from None


def poses_of(path: Path, arrays: dict[str, Any]) -> F64:
    """Return (T, 165) rad, axis-angle. CorpusError where the arrays hold none, or what no rotations are."""
    if "poses" not in arrays:
        raise CorpusError(f"{path}: no 'poses' among its arrays ({', '.join(sorted(arrays)[:8])}); is it SMPL-X?")
    poses = np.asarray(arrays["poses"])
    if poses.ndim == 3 and poses.shape[1:] == (made.JOINTS, 3):
        poses = poses.reshape(len(poses), -1)
    if poses.dtype.kind not in "fiu" or poses.ndim != 2 or poses.shape[1] != 3 * made.JOINTS or len(poses) < 2:
        raise CorpusError(
            f"{path}: 'poses' is {poses.dtype} {poses.shape}, wanted (frames, {3 * made.JOINTS}) axis-angles of the "
            "55 joints of SMPL-X; convert SMPL-H or SMPL takes first"
        )
    poses = poses.astype(np.float64)
    bad = ~np.isfinite(poses).all(axis=1)
    if bad.any():
        raise CorpusError(f"{path}: 'poses' is not finite in {int(bad.sum())} frames, first {int(bad.argmax())}")
    most = float(np.abs(poses).max())
    if most > _LARGEST:
        raise CorpusError(f"{path}: 'poses' reaches {most:.3g}, at most {_LARGEST:g} rad; are these degrees?")
    return poses


def rate_of(path: Path, arrays: dict[str, Any]) -> float:
    """Return frames a second. CorpusError where the arrays tell none."""
    for key in _RATES:
        if key in arrays:
            value = np.asarray(arrays[key])
            fps = float(value) if value.ndim == 0 and value.dtype.kind in "fiu" else float("nan")
            if not 5.0 <= fps <= 1000.0:
                raise CorpusError(f"{path}: '{key}' is {arrays[key]!r:.40}, wanted 5..1000 Hz")
            return fps
    raise CorpusError(f"{path}: no frame rate ({', '.join(_RATES)}); write one into the file")


def _mean(path: Path, arrays: dict[str, Any], given: HandMean | None, warnings: list[str]) -> F64:
    """Return (30, 3) rad, what is added to the hands' rotations: 15 joints left, 15 right, in the file's order."""
    if given is None and "flat_hand_mean" in arrays:
        given = "in" if bool(np.asarray(arrays["flat_hand_mean"]).ravel()[:1].any()) else "out"
    if given == "in":
        return np.zeros((30, 3))
    if isinstance(given, Path):
        model = load(given)
        try:
            both = (np.asarray(model[key], np.float64).reshape(15, 3) for key in ("hands_meanl", "hands_meanr"))
            mean = np.concatenate(list(both))
        except (KeyError, ValueError, TypeError):
            raise CorpusError(
                f"{given}: no hands_meanl and hands_meanr of 45 numbers; give the SMPL-X model's npz"
            ) from None
        if not np.isfinite(mean).all():
            raise CorpusError(f"{given}: its mean hand is not finite")
        return mean
    if given is None:
        warnings.append(
            "its hands are taken as offsets from the model's mean hand; a relaxed hand of ours stands in for it "
            "(--hand-mean F.npz for the model's own, in: the offsets already hold it)"
        )
    return made.mean_hands()


def _axes(turn: F64) -> HandAxes:
    """Return each finger joint's axis: from this take where its motion tells, else from the table. turn: (30, T, 3)."""
    found = axes_of(moments(turn), made.AXES)
    axis = np.where((found.share >= LEAST_SHARE)[:, None], found.axis, made.AXES) * made.FLEXES[:, None]
    return made.axes(axis)
