"""What a head learns from: labelled motion from a folder, or made there first, and the performers kept back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ....components.arrays import F64
from ....components.errors import CorpusError, FenceError
from ....components.grading import refuse_grades
from ...collide.offline.figure import Figure, rolled, turned
from ...collide.offline.motions import waves
from . import shards
from .evaluate import Motion
from .material import Clip
from .motions import HELD, STRESS, library, made, names, of_take
from .teacher import label

CLIPS = 4  # of each made-up performer, SECONDS long: 69 min in all
SECONDS = 40.0
NOT_LEARNT = (STRESS,)  # nobody moves so: it is there to try the rule
# deg: how far arms stand elsewhere all through a varied clip, and the torso sways more: a recorded talker stands and
# holds his arms as none of the made-up ones does
_OFFSET = {"Shoulder": 3.0, "UpperArm": 6.0, "LowerArm": 6.0, "Hand": 6.0}
_SWAY = {"spine": 2.5, "chest": 2.5, "upperChest": 2.5, "neck": 4.0, "head": 5.0}
_TEMPO = (0.8, 1.6)  # times as fast
_VARIED = 4  # one clip in so many


def make(
    body: Figure, folder: Path, say: Callable[[str], None], *, clips: int = CLIPS, seconds: float = SECONDS,
    seed: int = 1, workers: int = 1,
) -> None:  # fmt: skip
    """Label the made-up performers that are not held out into a folder; what is there already is kept."""
    learnt = [name for name in names() if name not in (*HELD, *NOT_LEARNT)]
    motions = library(learnt, clips=clips, seconds=seconds, seed=seed)
    done = shards.label(body, motions, folder, workers=workers, report=lambda one: None)
    failed = [one for one in done if one.reason]
    for one in failed:
        say(f"left out: {one.motion.clip}: {one.reason}")
    say(f"{folder}: {len(done) - len(failed)} clips, {sum(one.frames for one in done) / 3600.0:.0f} min labelled")


def read(body: Figure, folder: Path, held: Sequence[str] = (), *, varies: bool = False) -> list[Clip]:
    """Return what is trained on: every labelled clip in a folder whose performer is not held out.

    held: names of performers that are kept back beside HELD
    varies: one clip in _VARIED is varied and labelled anew; with half of them varied the recorded talker's work fell by
        21 % and not 18, and that of all by 81 and not 84
    GradingError: there are grades in it. CorpusError: nothing is left. FenceError: it is another avatar's.
    """
    refuse_grades(folder)
    back, out = {*HELD, *held}, []
    for path in shards.paths(folder):
        if path.parent.name in back:
            continue
        found = shards.read(path)
        if found.performer in back:
            continue
        if found.avatar != body.rig.digest or found.capsules != body.capsules.digest:
            raise FenceError(
                f"{path}: was labelled for another avatar or other capsules (rig {found.avatar[:8]}, hers is"
                f" {body.rig.digest[:8]}); label it again with 'kinesics fence label'"
            )
        rotation, correction, name = found.rotation.astype(np.float64), found.correction.astype(np.float64), found.clip
        if varies and len(out) % _VARIED == 1:
            rotation, name = varied(body, rotation, len(out)), f"{name}-varied"
            correction = label(body, rotation)
        out.append(Clip(found.performer, name, rotation, correction))
    if not out:
        raise CorpusError(f"{folder}: every performer in it is held out ({', '.join(sorted(back))}); label more")
    return out


def varied(body: Figure, rotation: F64, seed: int) -> F64:
    """Return a motion at another tempo, with arms that stand a little elsewhere and a torso that sways more.

    rotation: (F, J, 4) wxyz local; what is returned is as long or shorter
    """
    draw = np.random.default_rng([23, seed])
    at = np.arange(0.0, len(rotation) - 1.0, draw.uniform(*_TEMPO))
    first, share = at.astype(int), (at % 1.0)[:, None, None]
    here, then = rotation[first], rotation[first + 1]
    then = np.where((here * then).sum(axis=-1, keepdims=True) < 0.0, -then, then)
    out = here + share * (then - here)
    out /= np.linalg.norm(out, axis=-1, keepdims=True)
    for part, degrees in _OFFSET.items():
        for side in range(2):
            turned(body, out, body.joint(side, part), np.radians(degrees) * draw.standard_normal(3))
    for part, degrees in _SWAY.items():
        turned(body, out, body.rig.humanoid.get(part, -1), np.radians(degrees) * waves(draw, len(out), 0.05, 0.4))
    return rolled(body, out)


def kept_back(
    body: Figure, takes: Sequence[Path] = (), *, seconds: float = SECONDS, clips: int = 3, seed: int = 2
) -> list[Motion]:
    """Return what a head is judged by: the performers of HELD in clips of their own, and recorded takes.

    takes: SMPL-X files, each seen at her gains and at gain 1; CorpusError where one cannot be read
    """
    refuse_grades(*takes)
    chosen = library(HELD, clips=clips, seconds=seconds, seed=seed)
    chosen += [motion for take in takes for motion in of_take(take)]
    return [Motion(motion.performer, motion.clip, made(body, motion)) for motion in chosen]
