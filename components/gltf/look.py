"""How far a file lets its eyes turn: VRM 1.0's and VRM 0.x's look-at."""

from __future__ import annotations

from ..errors import AvatarError
from ..skin import EyeRange
from .document import Table

_1 = ("rangeMapHorizontalInner", "rangeMapHorizontalOuter", "rangeMapVerticalDown", "rangeMapVerticalUp")
_0 = ("lookAtHorizontalInner", "lookAtHorizontalOuter", "lookAtVerticalDown", "lookAtVerticalUp")


def read_eyes(document: Table) -> EyeRange | None:
    """Return what the file says of its eyes, None where it says nothing that can be used."""
    try:
        return _read(document)
    except AvatarError:  # eyes that turn as usual are no reason to refuse a file
        return None


def _read(document: Table) -> EyeRange | None:
    extensions = document.table("extensions")
    if "VRMC_vrm" in extensions and "lookAt" in extensions.table("VRMC_vrm"):
        table, names, given, shown = extensions.table("VRMC_vrm").table("lookAt"), _1, "inputMaxValue", "outputScale"
        kind = table.label("type").lower()
    elif "VRM" in extensions and "firstPerson" in extensions.table("VRM"):
        table, names, given, shown = extensions.table("VRM").table("firstPerson"), _0, "xRange", "yRange"
        kind = table.label("lookAtTypeName").lower()
    else:
        return None
    by_shape = kind in ("expression", "blendshape")
    if not by_shape and kind != "bone":
        return None
    rows = [table.table(name) for name in names]
    gaze = tuple(min(max(row.number(given, 90.0), 1.0), 180.0) for row in rows)
    eye = tuple(min(max(row.number(shown, 1.0 if by_shape else 10.0), 0.0), 1.0 if by_shape else 60.0) for row in rows)
    return EyeRange(by_shape, gaze, eye)
