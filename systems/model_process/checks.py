"""Whether motion that comes out of another process may be shown. The parent looks: the child may be what is broken."""

from __future__ import annotations

import math

import numpy as np

from ...components.gesture import JOINTS, SAMPLES, WINDOW, Sentence, Window

_UNIT = 1e-3  # that a rotation's length may be off: float32 of a network, made unit by its own end
_MOST = 4 * WINDOW  # frames at once


def fault(window: Window, sentence: Sentence, made: int, turn_deg: float) -> str:
    """Return why a window is not shown, one line, or "".

    made: frames of the sentence that have come before; turn_deg: see Settings
    """
    rotation = window.rotation
    if rotation.ndim != 3 or rotation.shape[1:] != (JOINTS, 4) or not 1 <= len(rotation) <= _MOST:
        shape = " x ".join(map(str, rotation.shape))
        return f"shape {shape}, wanted 1 to {_MOST} frames x {JOINTS} joints x 4"
    last = -(-len(sentence.audio) // SAMPLES) + WINDOW  # it is padded to whole windows
    if not 0 <= window.frame <= made < window.frame + len(rotation) <= max(last, 2 * WINDOW):
        return (
            f"frames {window.frame} to {window.frame + len(rotation)}, wanted them to go on from {made}, below {last}"
        )
    if not np.isfinite(rotation).all():
        return f"{int((~np.isfinite(rotation)).sum())} numbers that are not finite"
    off = float(np.abs(np.sqrt(np.einsum("...i,...i", rotation, rotation)) - 1.0).max())
    if off > _UNIT:
        return f"a rotation whose length is off by {off:.3g}, at most {_UNIT:g}"
    if len(rotation) > 1 and turn_deg < 180.0:
        least = float(np.abs(np.einsum("...i,...i", rotation[1:], rotation[:-1])).min())
        turn = math.degrees(2.0 * math.acos(min(least, 1.0)))
        if turn > turn_deg:
            return f"a joint that turns {turn:.0f} deg from one frame to the next, at most {turn_deg:g}"
    return ""
