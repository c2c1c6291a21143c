"""Screenshots: she as she is now, without writing over her, in a folder of the user's."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import platformdirs
from PIL import Image

from ...components.config.sections import Window as Settings
from ...components.errors import OutputError
from ..offscreen import Pixels
from ..strips import save
from .backdrop import BOTTOM, TOP


def folder(settings: Settings) -> Path:
    """Return where pictures go, made if need be. Raises OutputError where it cannot be."""
    path = Path(settings.pictures).expanduser() if settings.pictures else platformdirs.user_pictures_path() / "kinesics"
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise OutputError(
            f"{path}: no folder for pictures can be made there ({fault.strerror}); set [window] pictures to another"
        ) from None
    return path


def keep(seen: Pixels, settings: Settings) -> Path:
    """Write a picture and return its path: over the wall, or with alpha where a key colour stands behind her.

    seen: (H, W, 4) u8 rgba, straight alpha
    Raises OutputError where it cannot be written.
    """
    where = folder(settings)
    stem = time.strftime("kinesics-%Y%m%d-%H%M%S")
    target = next(p for n in range(10_000) if not (p := where / f"{stem}{f'-{n}' if n else ''}.png").exists())
    return save(Image.fromarray(seen if settings.key else over_wall(seen, settings.background)), target)


def over_wall(seen: Pixels, wall: tuple[float, ...]) -> Pixels:
    """Return a picture over the wall that the window shows. seen: (H, W, 4) -> (H, W, 3) u8"""
    rows = np.linspace(1.0, -1.0, len(seen))
    light = np.interp(rows, (-1.0, -0.1, 1.0), (BOTTOM, 1.0, TOP))
    behind = np.minimum(light[:, None] * np.array(wall), 1.0)[:, None, :] * 255.0
    alpha = seen[..., 3:].astype(np.float64) / 255.0
    return np.rint(seen[..., :3] * alpha + behind * (1.0 - alpha)).astype(np.uint8)
