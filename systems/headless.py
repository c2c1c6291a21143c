"""A world without an engine: the same tick, the same bits, no window, no sound, no graphics library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ..components import gltf
from ..components.brows import Brows
from ..components.capsules import CapsuleSet
from ..components.carry import Carry
from ..components.config import Config
from ..components.corpus import Corpus
from ..components.errors import KinesicsError, ModelError, ReplayError
from ..components.face import Face
from ..components.fence import Fence
from ..components.gaze import Gaze
from ..components.gltf.faces import map_face
from ..components.index import Index
from ..components.motion import Motion
from ..components.outbox import Outbox
from ..components.persona import Persona
from ..components.plan import Plan
from ..components.pose import Pose
from ..components.preview import Preview
from ..components.sentences import Sentences
from ..components.skin import Body
from ..components.springs import Springs
from ..components.voice import Voice
from ..components.world import System
from ..components.world import World as _World
from . import collide, compose, fence, matcher, posture, reflex, retarget
from .avatar import Avatar
from .collide.body import RULE_OFF, fitted
from .face import lips, moods
from .face.sight import sight
from .figures import Recorder, Run
from .figures.replay import ABSENT, Tape, load
from .schedule import TICK
from .speech_gesture.link import Link
from .speech_gesture.model import FILLED
from .speech_gesture.session import host
from .speech_gesture.words import Aligner
from .voice.analyse import feature_hash

ASSETS = Path(__file__).parents[1] / "assets"
AVATAR = ASSETS / "avatar" / "default.vrm"
CORPUS = ASSETS / "corpus"
HELLO = ASSETS / "hello.wav"  # what she says when nothing else is asked for


class World(_World):
    """A world with avatars in it. avatar: the first one's handle; link: to the sentence model, None where it is off."""

    avatar: Avatar
    link: Link | None = None


def spawn(world: _World, body: Body, corpus: Corpus | None, measured: _World | None = None) -> Avatar:
    """Return the handle of a new avatar in `world`; AvatarError or CorpusError if she cannot be moved.

    FenceError where her settings ask for a fence's head and its file is none.

    A second avatar of the same file and corpus shares what was measured for the first.

    measured: another world in which she was spawned, on a thread: what was measured there is taken from it
    """
    source = (body.rig.digest + body.digest, corpus.digest if corpus is not None else "")
    key = matcher.fit_key(world.config)
    places = (world,) if measured is None else (world, measured)
    known = ((place, e, m) for place in places for e, m in place.each(Motion) if m.source == source and m.fit == key)
    twin = next(known, None)
    index, capsules, fault = None, None, ""
    if twin is not None:
        place, first, other = twin
        motion = Motion(body.rig, other.anatomy, other.stance, other.repertoire, world.config, source)
        index = place.get(first, Index).another() if corpus is not None else None
        capsules = next((c for e, c in place.each(CapsuleSet) if e == first), None)
        fault = next((f for f in place.get(first, Outbox).degraded if f.startswith(RULE_OFF)), "")
    else:
        found = fitted(body, retarget.measure(body.rig))
        anatomy, capsules, fault = found.anatomy, found.capsules, found.fault
        repertoire = None
        if corpus is not None:
            gains, hop = asdict(world.config.gains), world.config.matcher.hop_s
            repertoire = retarget.repertoire(corpus, body.rig, anatomy, gains, hop)
            index = matcher.prepare(repertoire, anatomy, world.config)
        motion = Motion(body.rig, anatomy, compose.measure_stance(body.rig, anatomy), repertoire, world.config, source)
    motion.corpus, motion.fit = corpus, key
    compose.refresh(motion, world.config)
    face = Face(body.morph_names, np.zeros(len(body.morph_names)))
    has_sentences = speaks_sentences(world.config)
    carry = Carry.with_sentence() if has_sentences else Carry()
    carry.view("corpus_shown")[:, 0] = 1.0
    carry.view("presence")[0] = 1.0
    pose, persona = Pose.of(len(body.rig.names)), Persona(world.config.run.stillness)
    plan = Plan(sentences=Sentences() if has_sentences else None)
    state = (plan, carry, Preview(), pose, Voice(), persona, Outbox(), face, Gaze(), Brows())
    face_map = moods.added(map_face(body), moods.read(world.config.face.moods))
    motion.reach = posture.reach_of(body.rig, motion.anatomy, retarget.neutral_frames(body.rig))
    motion.sight = sight(body, motion.stance, face_map)
    mouth = lips.begin(face_map, len(body.morph_names), world.config)
    entity = world.spawn(motion, *state, face_map, mouth)
    if mouth.net is None:
        world.get(entity, Outbox).degrade(world.tick, lips.NO_NET)
    reflex.begin(world, entity)
    if index is not None:
        world.put(entity, index)
    if capsules is not None:
        collide.attach(world, entity, capsules, body.rig, motion.anatomy, retarget.wrist_frames(body.rig))
    elif fault:
        world.get(entity, Outbox).degrade(world.tick, fault)
    fence.begin(world, entity)
    if body.springs is not None:
        world.put(entity, Springs.of(body.springs))
    return Avatar(world, entity, body)


def speaks_sentences(config: Config) -> bool:
    """Return whether her settings ask for motion generated from each sentence."""
    return bool(config.sentence.weights) and "sentence" in config.run.layers


def open_link(config: Config, *, waits: bool, align: Aligner | None = None) -> Link | None:
    """Return the way to a sentence model that is being loaded in a process of its own, None where it is off.

    waits: for a run without a picture: each window is waited for, so that the run gives the same bits again
    align: finds the times of words that come without any
    ModelError: the settings name a folder that is not there.
    """
    if not speaks_sentences(config):
        return None
    from .model_process.parent import ModelProcess
    from .model_process.settings import Named, Settings

    weights = config.sentence.weights
    if weights != FILLED and not Path(weights).is_dir():
        raise ModelError(f"[sentence] weights = {weights!r}: no such folder; `kinesics speech convert` makes one")
    given = {"weights": weights if weights == FILLED else str(Path(weights).resolve())}
    process = ModelProcess(Settings(gesture=Named(f"{host.__module__}:{host.__name__}", given)))
    process.start()
    return Link(process, waits=waits, align=align)


def schedule(world: _World) -> tuple[System, ...]:
    """Return what a tick of this world runs: with a sentence model, its questions and answers go first."""
    link = world.link if isinstance(world, World) else None
    return TICK if link is None else (link.before, *TICK)


def load_corpus(folder: str | Path | None = None) -> Corpus:
    """Return a corpus, the shipped one by default; CorpusError if its voice features are not those she is heard by."""
    return matcher.load(CORPUS if folder is None else Path(folder), feature_hash())


def world(
    avatar: str | Path | Body | None = None,
    corpus: str | Path | Corpus | None = None,
    seed: int = 1,
    config: Config | str | Path | None = None,
    *,
    with_corpus: bool = True,
    with_model: bool = True,
) -> World:
    """Return a world with one avatar, ready to tick.

    avatar: a .glb, .gltf or .vrm file, a Body, or None for the default avatar
    corpus: a corpus folder, a Corpus, or None for the shipped one; with_corpus False leaves the reflex alone
    with_model False starts no sentence model, also where the settings name one: a replay brings its motion
    """
    settings = config if isinstance(config, Config) else Config.default() if config is None else Config.load(config)
    body = avatar if isinstance(avatar, Body) else gltf.read(AVATAR if avatar is None else Path(avatar))
    if with_corpus and not isinstance(corpus, Corpus):
        corpus = load_corpus(corpus)
    made = World(seed=seed, config=settings)
    made.avatar = spawn(made, body, corpus if with_corpus and isinstance(corpus, Corpus) else None)
    made.link = open_link(settings, waits=True) if with_model else None
    return made


def run(
    world: _World,
    seconds: float | None = None,
    tape: Tape | None = None,
    before: Callable[[_World], None] | None = None,
    *,
    raw: bool = False,
) -> Run:
    """Tick for `seconds`, or until 1 s after the last voice has ended, and return what was seen.

    before: called ahead of every tick, to hand over what comes from outside just then
    raw: keep the pose before the rule too

    KinesicsError if there is no voice and no length.
    """
    voices = [voice for _, voice in world.each(Voice)]
    if seconds is None and not world.inbox.has("say") and not any(v.current or v.queue for v in voices):
        raise KinesicsError("a run without a voice needs a length: pass seconds, or say something first")
    recorder = Recorder(world, raw=raw)
    link = world.link if isinstance(world, World) else None
    left = None if seconds is None else round(seconds * 60.0)
    quiet = 0
    while True:
        if left is not None:
            if left <= 0:
                break
            left -= 1
        if before is not None:
            before(world)
        if link is not None:
            link.before(world)
        world.step(TICK)
        recorder.record(world)
        if tape is not None:
            tape.record(world)
        if left is None:
            quiet = 0 if any(v.current or v.queue for v in voices) else quiet + 1
            if quiet >= 60:
                break
    return recorder.run()


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a replay first differs. tick: 1/60 s from the start; component: which part of the state."""

    tick: int
    component: str


def tape(world: _World, avatar: str | Path | None = None, corpus: str | Path | None = None) -> Tape:
    """Return a tape that has to be given to `run` before the first tick, to keep a run for replay."""
    if world.tick:
        raise KinesicsError(f"a replay starts at tick 0, this world is at {world.tick}; make the tape before the run")
    world.inbox.keep = True
    motion = next(m for _, m in world.each(Motion))
    digest = motion.repertoire.digest if motion.repertoire is not None else ""
    made = Tape(world.seed, world.config, str(avatar or ""), str(corpus or ""), motion.rig.digest, digest)
    made.reflex_digest, made.head_digest = motion.standing.digest, _head_digest(world)
    return made


def _head_digest(world: _World) -> str:
    return next((fence.head.digest for _, fence in world.each(Fence)), "")


def replay(path: str | Path) -> tuple[Difference | None, Run]:
    """Run a replay file again and return the first difference, None if every bit is the same, and the new run.

    ReplayError if the file, its avatar, its corpus or its [reflex] file is not what it was.
    """
    kept = load(path)
    made = world(
        kept.avatar or None, kept.corpus or None, kept.seed, kept.config, with_corpus=bool(kept.corpus_digest),
        with_model=False,
    )  # fmt: skip
    motion = next(m for _, m in made.each(Motion))
    digest = motion.repertoire.digest if motion.repertoire is not None else ""
    reflex_digest = motion.standing.digest
    for what, had, has in (
        ("avatar", kept.avatar_digest, motion.rig.digest),
        ("corpus", kept.corpus_digest, digest),
        ("[reflex] file", kept.reflex_digest or reflex_digest, reflex_digest),
        ("[fence] weights", kept.head_digest, _head_digest(made)),
    ):
        if had != has:
            raise ReplayError(f"{Path(path).name}: its {what} has changed since ({had[:8]} then, {has[:8]} now)")
    recorder, first = Recorder(made), None
    waiting = list(kept.events)
    for tick, digests in enumerate(kept.digests):
        while waiting and waiting[0][0] <= tick:
            event = waiting.pop(0)[1]
            made.inbox.post(event.kind, event.avatar, **event.data)
        made.step(TICK)
        recorder.record(made)
        if first is None:
            now = made.digests()
            for kind, had in zip(kept.kinds, digests, strict=True):
                if now.get(kind, ABSENT)[: len(had)] != had:
                    first = Difference(tick, kind)
                    break
    return first, recorder.run()
