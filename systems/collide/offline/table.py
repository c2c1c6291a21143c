"""The table of the rule: every motion without it, with it, and with the control, in the viewer's unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ....components.arrays import F64
from ....components.skin import Body
from ....components.speech import Speech
from .drive import METHODS, drive
from .figure import Figure
from .figures import Figures, figures
from .motions import idle
from .optimum import depths, optimum, wrists
from .replan import Replanned, replanned
from .scene import Scene
from .skin_depth import deepest, skin_of
from .stress import stress
from .takes import performed, recorded

FIXED = (3, 4, 11, 12, 13, 14, 15)  # seeds looked at while the rule was made, so fresh ones stand beside
OFF = "off"
SHOWN = ("projection", "18 ahead", "6 ahead")  # methods that are asked about on triangles: not the control


@dataclass(frozen=True, slots=True)
class Row:
    """One motion under one method. optimum_mm: what the least correction of each frame displaces, rms of the wrists."""

    body: str
    motion: str
    method: str
    figures: Figures
    optimum_mm: float

    @property
    def times(self) -> float:
        """Displacement in that of the per-frame optimum; 1 where neither displaces anything."""
        moved = self.figures.moved
        return moved / self.optimum_mm if self.optimum_mm > 1e-3 else 1.0 + moved


def trials(
    body: Figure, *, take: Path | None, speech: Speech | None, seeds: Iterable[int] = FIXED, fresh: Iterable[int] = (),
    frames: int = 3600,
) -> dict[str, F64 | Replanned]:  # fmt: skip
    """Return the motions of the table on this avatar, name -> (F, J, 4) local rotations, or one whose plan changes.

    take: a recorded SMPL-X take, where there is one; speech: what a made-up talker says in its place
    seeds, fresh: of gesture stress; frames: of idle and stress, at 60 Hz
    """
    out: dict[str, F64 | Replanned] = {"idle": idle(body, frames)}
    if take is not None:
        for name, gains in (("take", True), ("take gain 1", False)):
            out[name] = whole = recorded(take, body, gains=gains)
            out[f"{name} replanned"] = replanned(body, whole)
    if speech is not None:
        out["performer gain 1"] = whole = performed(speech, body)
        out["performer gain 1 replanned"] = replanned(body, whole)
    out |= {f"stress {seed}": stress(body, seed, frames) for seed in seeds}
    return out | {f"stress fresh {seed}": stress(body, seed, frames) for seed in fresh}


def rows(
    body: Figure, motions: Mapping[str, F64 | Replanned], methods: Iterable[str] = (OFF, *METHODS),
    say: Callable[[str], None] = lambda text: None, least: Mapping[str, float] | None = None,
) -> list[Row]:  # fmt: skip
    """Return one row a motion and method.

    say: called with a line of progress a motion
    least: what `least_mm` returned of each motion, where it is known: it takes most of the time
    """
    out = []
    for name, motion in motions.items():
        say(f"{body.name}: {name}")
        before = body.scene(motion.rotation if isinstance(motion, Replanned) else motion)
        known = least_mm(before) if least is None else least[name]
        for method in methods:
            after = before if method == OFF else body.scene(drive(body, motion, *METHODS[method]))
            out.append(Row(body.name, name, method, figures(before, after), known))
    return out


def least_mm(before: Scene) -> float:
    """Return what the least correction of each frame displaces, rms of the wrists in mm."""
    away = wrists(before, optimum(before)) - wrists(before)
    return float(1e3 * np.sqrt((away**2).sum(axis=-1).mean()))


@dataclass(frozen=True, slots=True)
class OnSkin:
    """Depth of forearms and hands in other skin: p50, p95, p99 of frames evenly spread, max of these and the worst, mm.

    The worst: those with the deepest capsules. method: what was done with the motion, OFF or of METHODS
    """

    body: str
    motion: str
    method: str
    depth: tuple[float, float, float, float]


def on_skin(
    body: Figure, file: Body, motions: Mapping[str, F64], methods: Iterable[str] = SHOWN, frames: int = 40,
    worst: int = 8,
) -> list[OnSkin]:  # fmt: skip
    """Return what triangles say of each motion under each method, and of it alone.

    file: the avatar's skin; frames, worst: how many are looked at
    """
    skin, out = skin_of(file), []
    for name, rotation in motions.items():
        for method in (OFF, *methods):
            kept = rotation if method == OFF else drive(body, rotation, *METHODS[method])
            deep = depths(body.scene(kept)).max(axis=(1, 2))
            looked = np.concatenate([np.linspace(0, len(rotation) - 1, frames).astype(int), np.argsort(-deep)[:worst]])
            found = deepest(skin, kept[looked], body.anatomy.base_root)
            p50, p95, p99 = map(float, np.percentile(found[:frames], (50, 95, 99)))
            out.append(OnSkin(body.name, name, method, (p50, p95, p99, float(found.max()))))
    return out


def skin_markdown(table: Iterable[OnSkin]) -> str:
    """Return depths on her skin as text, mm."""
    lines = ["| body | motion | method | p50 | p95 | p99 | max |", "|" + " --- |" * 7]
    lines += [
        f"| {row.body} | {row.motion} | {row.method} | {' | '.join(f'{d:.1f}' for d in row.depth)} |" for row in table
    ]
    return "\n".join(lines)


def markdown(table: Iterable[Row]) -> str:
    """Return the table as text: depth and displacement in mm, jerk in mm/frame^3."""
    lines = [
        "| body | motion | method | depth p50 | p95 | p99 | max | > 1 mm % | added jerk p95 | p99 | max "
        "| moved rms | x optimum |",
        "|" + " --- |" * 13,
    ]
    for row in table:
        f = row.figures
        cells = [*(f"{d:.2f}" for d in f.depth), f"{f.over:.2f}", *(f"{j:.2f}" for j in f.jerk), f"{f.moved:.1f}"]
        times = f"{row.times:.2f}" if row.method != OFF else f"({row.optimum_mm:.1f} mm)"
        lines.append(f"| {row.body} | {row.motion} | {row.method} | {' | '.join(cells)} | {times} |")
    return "\n".join(lines)
