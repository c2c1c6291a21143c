"""A body to label motion on, made of an export alone: no file of hers is needed on the machines that do it."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from ...collide.offline.figure import Figure
from ...retarget import measure
from ..exported import Export


def exported(export: Export) -> Figure:
    """Return the figure of an exported avatar: the same as that of her file, to the digest of her anatomy."""
    found = measure(export.rig)
    digest = hashlib.blake2b((found.digest + export.capsules.digest).encode(), digest_size=16).hexdigest()
    anatomy = replace(found, base=export.capsules.base, base_root=export.base_root, digest=digest)
    return Figure(export.source, export.rig, anatomy, export.capsules)
