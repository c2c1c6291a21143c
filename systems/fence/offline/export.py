"""An avatar exported for the fence's trainer: rig, capsules, base pose, and live poses as the renderer has them.

One file, without pickles, with a digest of all that is in it. Whoever trains on it computes the poses again and
refuses it where a joint is not where the renderer had it: a trainer that sees another body than the viewer does
learns to keep that one's arms out.
"""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any

import numpy as np

from ....components import npz
from ....components.arrays import F64
from ....components.errors import AvatarError, FenceError, OutputError
from ....components.rig import Rig
from ...collide.offline import store
from ...kernels import fk, quat
from ..exported import Export

VERSION = 1
AGREES = 1e-7  # m an axis: a ten-thousandth of a millimetre, what was asked for
TURNS = 1e-6  # of a matrix's entries, about rad: ten roundings of the renderer's float32
REACH = 2.0  # m: beyond it one step of the renderer's float32 is more than AGREES
_CURE = "export the avatar again with 'kinesics fence export'"
_RIG = ("names", "node", "parent", "rest_offset", "rest_rotation", "bones", "bone_joint")
_POSES = ("base_root", "rotation", "root", "position", "turn")


def places(export: Export) -> tuple[F64, F64]:
    """Return where our own kinematics have the joints of the live poses: (K, J, 3) m and (K, J, 3, 3), avatar frame."""
    position, orientation = np.empty(export.position.shape), np.empty(export.rotation.shape)
    rig, turn = export.rig, np.empty(export.turn.shape)
    fk.world_each(rig.parent, rig.rest_offset, export.root, export.rotation, position, orientation)
    quat.to_matrix_each(orientation.reshape(-1, 4), turn.reshape(-1, 3, 3))
    return position, turn


def verify(export: Export) -> float:
    """Return how far the renderer's joints are from ours, m along the worst axis.

    FenceError where that is more than a ten-thousandth of a millimetre, naming joint, pose and axis, where one is
    turned otherwise, and without a pose. Beyond 2 m from her origin the renderer's own numbers are coarser than that.
    """
    if not len(export.rotation):
        raise FenceError(f"{export.source}: the export has no live pose to hold against the renderer; {_CURE}")
    position, turn = places(export)
    worst, (pose, joint, axis) = _worst(position, export.position)
    if not worst <= AGREES:
        far = float(np.abs(export.position[pose, joint]).max())
        why = f", {far:.2f} m from her origin, where {REACH:g} m are the limit" if far > REACH else ""
        raise FenceError(
            f"{export.source}: joint '{export.rig.names[joint]}' of pose {pose} is {1e3 * worst:.2g} mm along "
            f"{'xyz'[axis]} from where the renderer had it{why}; {1e3 * AGREES:g} mm are allowed; {_CURE}"
        )
    turned, (pose, joint, *_) = _worst(turn, export.turn)
    if not turned <= TURNS:
        raise FenceError(
            f"{export.source}: joint '{export.rig.names[joint]}' of pose {pose} is turned by {turned:.2g} rad against "
            f"how the renderer had it; {TURNS:g} are allowed; {_CURE}"
        )
    return worst


def _worst(ours: F64, theirs: F64) -> tuple[float, tuple[int, ...]]:
    apart = np.abs(ours - theirs)
    at = np.unravel_index(int(np.argmax(apart)), apart.shape)
    return float(apart[at]), tuple(int(k) for k in at)


def save(path: str | Path, export: Export) -> None:
    """Write an export: complete or not at all. OutputError where that cannot be done."""
    arrays = _arrays(export)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays, digest=np.array(_digest(arrays)))
    path = Path(path)
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(buffer.getvalue())
        part.replace(path)
    except OSError as cause:
        raise OutputError(f"{path}: cannot be written ({cause.strerror or cause}); choose another folder") from None
    finally:
        part.unlink(missing_ok=True)


def load(path: str | Path) -> Export:
    """Return an export that agrees with our own kinematics.

    FenceError with one line where the file is none, is of another version, was changed since it was written, or where
    its joints are not where the renderer had them.
    """
    path = Path(path)
    try:
        held = npz.read(path)
    except ValueError as cause:
        raise FenceError(f"{path.name}: no export can be read from it ({cause}); {_CURE}") from None
    if "version" not in held or "digest" not in held:
        raise FenceError(f"{path.name}: is no export of an avatar; {_CURE}")
    if held["version"].shape != () or held["version"].dtype.kind != "i" or int(held["version"]) != VERSION:
        raise FenceError(f"{path.name}: is of version {held['version']} of the export, this is {VERSION}; {_CURE}")
    said, found = str(held.pop("digest")), _digest(held)
    if said != found:
        raise FenceError(f"{path.name}: was changed since it was written ({said[:8]} then, {found[:8]} now); {_CURE}")
    try:
        export = _made(held)
    except (KeyError, ValueError, IndexError, AvatarError) as cause:
        raise FenceError(f"{path.name}: {' '.join(str(cause).split())[:160]}; {_CURE}") from None
    verify(export)
    return export


def _arrays(export: Export) -> dict[str, Any]:
    rig = export.rig
    return {
        "version": np.array(VERSION, np.int32), "source": np.array(export.source), "avatar": np.array(export.avatar),
        "names": np.array(rig.names), "node": rig.node, "parent": rig.parent, "rest_offset": rig.rest_offset,
        "rest_rotation": rig.rest_rotation, "bones": np.array(list(rig.humanoid)),
        "bone_joint": np.array(list(rig.humanoid.values()), np.int32),
        **{f"capsules_{name}": array for name, array in store.arrays_of(export.capsules).items()},
        **{name: getattr(export, name) for name in _POSES},
    }  # fmt: skip


def _made(held: dict[str, Any]) -> Export:
    names, node, parent, offset, rotation, bones, joints = (held[name] for name in _RIG)
    humanoid = dict(zip(bones.tolist(), joints.tolist(), strict=True))
    rig = Rig(tuple(names.tolist()), node, parent, offset, rotation, humanoid)
    kept = {name[9:]: array for name, array in held.items() if name.startswith("capsules_")}
    capsules = store.made(kept, rig, "its capsules")
    return Export(str(held["source"]), str(held["avatar"]), rig, capsules, *(held[name] for name in _POSES))


def _digest(arrays: dict[str, Any]) -> str:
    """Return a hash of names, types, shapes and bytes."""
    h = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        h.update(f"{name} {array.dtype.str} {arrays[name].shape}\0".encode())
        h.update(array.tobytes())
    return h.hexdigest()
