"""The motions a fence is trained on and judged by: who moves, in which clips, and how each is made again from its name.

Held out by performer, never by frame: nobody of HELD is in any clip that is trained on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ....components.anatomy import SLOT_GROUP
from ....components.arrays import F64
from ....components.config import Config
from ....components.corpus import FPS, Corpus
from ....components.errors import CorpusError
from ...collide.offline.figure import Figure
from ...collide.offline.motions import RATE, idle
from ...collide.offline.stress import stress
from ...collide.offline.takes import AUTHORED, played, recorded, ungoverned
from ...matcher import load
from ...matcher.offline.performers.styles import STYLES
from ...matcher.offline.performers.synth import synth
from ...matcher.offline.sources import smplx
from ...voice.analyse import analyse, feature_hash
from . import people, sweeps

PEOPLE = 24  # drawn by number, beside the authored styles
BRISK_PEOPLE = 10  # more of them, who brush against themselves and are gone: recorded contacts last 9 to 15 frames
PERSON, BRISK, IDLE, STRESS, SWEEPS = "person", "brisk", "idle", "stress", "sweeps"
PACE, SMALL = (1.3, 2.1), 0.7  # how much faster the brisk are than anybody drawn, and at which gain every other clip
# Two authored ones, the one that touches herself most and the one that hangs, and four of the drawn
HELD = ("precise", "shy", *(f"{PERSON}-{k}" for k in range(PEOPLE - 3, PEOPLE + 1)))
WAYS = ("gains", "large", "free")  # as she shows it; at gain 1; at gain 1, with nobody who slows it down


@dataclass(frozen=True, slots=True)
class Motion:
    """One clip of one performer, by everything that it is made from.

    Fields:
        performer, clip: names; kind: which of the makers below
        seed, seconds: of what is made up; number: of a person
        path, source: of a file, and the hash of what is in it; of a corpus, `clip` says which
    """

    performer: str
    clip: str
    kind: str
    seed: int = 0
    seconds: float = 0.0
    way: str = ""
    number: int = 0
    path: str = ""
    source: str = ""

    @property
    def is_held(self) -> bool:
        """Whether nobody trains on it: a file's performers are for judging, unless they are asked for by name."""
        return self.performer in HELD


def names() -> list[str]:
    """Return every performer that is made up here, in order."""
    return [*STYLES, *(f"{PERSON}-{k}" for k in range(1, PEOPLE + 1)), IDLE, STRESS, SWEEPS]


def brisk() -> list[str]:
    """Return the names of those who brush against themselves; asked for by name only."""
    return [f"{BRISK}-{k}" for k in range(1, BRISK_PEOPLE + 1)]


def library(performers: Iterable[str] = (), *, clips: int = 3, seconds: float = 40.0, seed: int = 1) -> list[Motion]:
    """Return the clips of made-up performers, all of them by default; each has `clips` of `seconds`.

    CorpusError: nobody is called so.
    """
    wanted, known = list(performers) or names(), names() + brisk()
    for name in wanted:
        if name not in known:
            raise CorpusError(f"fence label: no performer is called '{name}'; there are {', '.join(known)}")
    out = []
    for name in wanted:
        for k in range(clips):
            own = _number(name, known.index(name), k, seed)
            kind, number, way = name, 0, ""
            if name in STYLES:
                kind, way = "style", WAYS[k % len(WAYS)]
            elif name.startswith((PERSON, BRISK)):
                kind, _, drawn = name.partition("-")
                number, way = int(drawn), ("free", "own")[k % 2]
                if kind == BRISK:
                    number, way = PEOPLE + number, ("own", "small")[k % 2]
            out.append(Motion(name, f"{name}-{way or kind}-{k + 1}", kind, own, seconds, way, number))
    return out


def _number(name: str, place: int, clip: int, seed: int) -> int:
    """Return the number that a clip is drawn by, which is no other clip's of any seed. place: of the performer, 0..99

    What the shipped head learned from, and is judged by, keeps the numbers it had: those of seeds 1 and 2 ran into each
    other beyond the 27th performer, and a performer's into the next one's beyond the 37th clip.
    """
    is_kept = seed == 2 if name in HELD else seed == 1 and (name in STYLES or name.startswith(PERSON))
    if is_kept and clip < 37:
        return 1000 * seed + 37 * place + clip
    return 10_000 * (100 * seed + place + 1) + clip  # beyond all of those; `fence label` takes 10 000 clips at most


def of_corpus(folder: Path) -> list[Motion]:
    """Return every clip of a corpus, as this avatar shows it; CorpusError where there is none."""
    corpus = load(folder, feature_hash())
    ends = corpus.start.tolist()
    return [
        Motion(
            clip.performer, clip.name, "corpus", seconds=(ends[k + 1] - ends[k]) / FPS, number=k, path=str(folder),
            source=corpus.digest,
        )
        for k, clip in enumerate(corpus.clips)
    ]  # fmt: skip


def of_take(path: Path) -> list[Motion]:
    """Return a recorded SMPL-X take at the avatar's gains and at gain 1; CorpusError where it cannot be read."""
    try:
        source = hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
    except OSError as cause:
        raise CorpusError(f"{path}: cannot be read ({cause.strerror or cause})") from None
    arrays = smplx.load(path)  # what is none is told before hours of work
    smplx.rate_of(path, arrays)
    smplx.poses_of(path, arrays)
    return [
        Motion(path.stem, f"{path.stem}-{way}", "take", way=way, path=str(path), source=source)
        for way in ("gains", "large")
    ]


def made(body: Figure, motion: Motion) -> F64:
    """Return a motion on this avatar, (F, J, 4) wxyz local at 60 Hz; the same bits each time."""
    frames = round(motion.seconds * RATE)
    if motion.kind == STRESS:
        return stress(body, motion.seed, frames)
    if motion.kind == SWEEPS:
        return sweeps.arms(body, motion.seed, frames)
    if motion.kind == IDLE:
        return idle(body, frames, motion.seed)
    if motion.kind == "take":
        return recorded(Path(motion.path), body, gains=motion.way == "gains")
    if motion.kind == "corpus":
        return _of_corpus(body, motion)
    pace = 1.0
    if motion.kind == BRISK:
        pace = float(np.random.default_rng([23, motion.number]).uniform(*PACE))
    speech = analyse(people.babble(motion.seed, pace * motion.seconds), 16_000)
    if motion.kind in (PERSON, BRISK):
        rotation, hand = ungoverned(speech, motion.seed, people.person(motion.number))
    elif motion.way == "free":
        rotation, hand = ungoverned(speech, motion.seed, STYLES[motion.performer])
    else:
        stored, hand = synth(speech, motion.performer, motion.seed)
        rotation = stored.astype(np.float64)
    gain = {"gains": None, "own": None, "small": np.full(len(AUTHORED), SMALL)}.get(motion.way, 1.0 / AUTHORED)
    shown = played(body, rotation, hand, gain)
    return shown if pace == 1.0 else faster(shown, pace)


def faster(rotation: F64, pace: float) -> F64:
    """Return a motion (F, J, 4) played faster, about (F / pace, J, 4): each tick between two of its own."""
    at = np.arange(int((len(rotation) - 1) / pace) + 1) * pace
    low = np.minimum(at.astype(int), len(rotation) - 2)
    first, second = rotation[low], rotation[low + 1]
    near = np.where((first * second).sum(axis=-1, keepdims=True) < 0.0, -second, second)
    out = first + (at - low)[:, None, None] * (near - first)
    return np.asarray(out / np.linalg.norm(out, axis=-1, keepdims=True))


def performers(
    body: Figure, names: Sequence[str] = (), seconds: float = 40.0, seed: int = 1, clips: int = 3
) -> Iterator[tuple[str, str, F64]]:
    """Yield (performer, clip, rotation (F, J, 4)) of the made-up performers on this avatar."""
    for motion in library(names, clips=clips, seconds=seconds, seed=seed):
        yield motion.performer, motion.clip, made(body, motion)


def _of_corpus(body: Figure, motion: Motion) -> F64:
    corpus: Corpus = load(Path(motion.path), feature_hash())
    if corpus.digest != motion.source:
        raise CorpusError(f"{motion.path}: is another corpus than when the work was laid out; run it again")
    a, b = int(corpus.start[motion.number]), int(corpus.start[motion.number + 1])
    authored = corpus.clips[motion.number].authored_gain
    gain = Config.default().gains.slots / np.array([authored.get(group, 1.0) for group in SLOT_GROUP])
    return played(body, corpus.rotation[a:b].astype(np.float64), corpus.hand[a:b], gain)
