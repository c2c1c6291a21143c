"""The skin under and beside the hair: dark, a little raised, soft at the hairline."""

from __future__ import annotations

import numpy as np

from ....components.arrays import F64
from .cloth import share_of
from .options import Options
from .part import linear, noise
from .pose import Posed
from .skull import Skull
from .source import Source

RAISED = 0.0040  # m: light shone through under the strands of the parting
SOFT = 0.016  # m from bare skin to scalp


def scalp(source: Source, posed: Posed, skull: Skull, color: F64, options: Options) -> tuple[F64, F64]:
    """Return the skin's (V, 3) colours with the scalp in the hair's colour, and (V,) m by which it is raised."""
    position, eye = posed.position, skull.eye
    above = skull.above_hairline(position)
    ragged = 0.0035 * noise(options.seed, 30, np.arange(len(color)))
    head = share_of(posed.skeleton.names, posed.skeleton.weight, "head")
    here = np.clip(2.0 * head - 0.6, 0.0, 1.0) * (source.mask("ears") < 0.5)
    covered = here * np.clip((above + ragged + SOFT / 2.0) / SOFT, 0.0, 1.0)
    tint = linear(options.hair) * 0.65
    color = color * (1.0 - covered[:, None]) + covered[:, None] * tint
    behind = np.clip((skull.middle[2] - 0.045 - position[:, 2]) / 0.02, 0.0, 1.0) * (position[:, 1] < eye)
    color = color * (1.0 - 0.35 * behind * (1.0 - covered))[:, None]  # the neck lies in the shade of the hair
    return color, RAISED * here * np.clip((above - SOFT) / 0.02, 0.0, 1.0)
