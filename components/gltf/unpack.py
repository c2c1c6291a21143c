"""Packed buffers made plain by the optional libraries of the extra `codecs`: meshopt (MIT), DracoPy (Apache-2.0).

Nothing else imports them, and a file that is not packed never does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import AvatarError
from .document import Table, quoted

MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")
DRACO = "KHR_draco_mesh_compression"
MAX_UNPACKED = 256 << 20  # bytes of one file; 7 MB in a VRoid file of 2 MB
_MODES = ("ATTRIBUTES", "TRIANGLES", "INDICES")
_FILTERS = ("NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR")
_CURE = "pip install 'kinesics[codecs]', or export without compression"


def unpack_view(packed: Table, data: memoryview, length: int) -> bytes:
    """Return the plain bytes of a buffer view.

    packed: the view's meshopt extension; data: its packed bytes; length: bytes that the view declares
    """
    count, stride = packed.integer("count", high=2**31), packed.integer("byteStride", low=1, high=256)
    if count * stride != length:
        raise AvatarError(f"{packed.where} unpacks to {count * stride} bytes, its buffer view declares {length}")
    mode, filtered = packed.text("mode"), packed.text("filter", "NONE")
    if mode not in _MODES or filtered not in _FILTERS:
        raise AvatarError(f"{packed.where} is packed as {quoted((mode, filtered))}, which is not read")
    if not count:
        return b""
    try:
        import meshopt
    except ImportError:
        raise AvatarError(f"its meshes are packed with {packed.where.rsplit('.', 1)[-1]}; {_CURE}") from None
    try:
        # an empty input crashes nothing and is refused by the library like any other broken one
        return meshopt.decode_gltf_buffer(bytes(data), count, stride, mode, filtered).tobytes()
    except (ValueError, TypeError, RuntimeError) as error:
        raise AvatarError(f"{packed.where} cannot be unpacked: {quoted(str(error))}") from None


def unpack_primitive(packed: Table, data: memoryview) -> tuple[npt.NDArray[np.uint32], dict[str, npt.NDArray[Any]]]:
    """Return the corners (3F,) u32 and the attributes (N, C) by glTF name of a primitive packed with Draco.

    packed: the primitive's extension; data: its packed bytes
    """
    try:
        import DracoPy
    except ImportError:
        raise AvatarError(f"its meshes are packed with {DRACO}; {_CURE}") from None
    try:
        mesh = DracoPy.decode(bytes(data))
        faces = np.asarray(mesh.faces, np.uint32).reshape(-1)
        by_id = {int(row["unique_id"]): np.asarray(row["data"]) for row in mesh.attributes}
    except Exception as error:  # whatever a C++ decoder says of broken bytes; a point cloud has no faces
        raise AvatarError(f"{packed.where} cannot be unpacked: {quoted(str(error))}") from None
    wanted = packed.table("attributes")
    found = {}
    for name in wanted:
        number = wanted.integer(name)
        if number not in by_id:
            raise AvatarError(f"{wanted.path(name)} names attribute {number}; the packed mesh has {sorted(by_id)}")
        values = by_id[number]
        found[name] = values.reshape(len(values), -1)
    return faces, found
