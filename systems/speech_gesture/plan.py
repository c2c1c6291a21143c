"""Sentences onto the plan: what motion is asked for, what came of it, and when it shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...components.anatomy import SLOTS
from ...components.arrays import F32, F64
from ...components.carry import Carry
from ...components.gesture import FPS
from ...components.mode import Mode
from ...components.motion import Motion
from ...components.plan import Pick, Plan
from ...components.sentences import LEAD, NO_MOTION, Ask, Sentences, Track
from ...components.voice import Utterance, Voice
from ...components.world import World
from ..kernels import rotvec
from ..kernels.sentence import SHARE, TIME

SLACK = 1.5  # ticks that the voice's clock may be off before the motion follows it
LOOKS = 7  # while motion plays on, only ticks that are a multiple of 8 look further
WORTH = 12  # ticks of motion that have to be left for it to come in


def plan(world: World) -> None:
    """Take the windows that came, show or end a sentence's motion, ask for the next.

    Reads Voice, World.mode, Motion, Carry; writes Plan.sentences, picks, changed.
    """
    for entity, plan, voice in world.each(Plan, Voice):
        sentences = plan.sentences
        if sentences is not None:
            _follow(world, entity, plan, voice, sentences)


def _follow(world: World, entity: int, plan: Plan, voice: Voice, sentences: Sentences) -> None:
    is_allowed = world.mode is not Mode.PUBLIC and not voice.listening
    current, playing = voice.current, sentences.playing
    if sentences.is_on and world.tick & LOOKS and is_allowed and not sentences.arrived:
        assert playing is not None
        if current is not None and current.id == playing.id:
            return  # it plays on; all else can wait for a tick in eight
    clock = world.get(entity, Carry).view("sentence_clock")
    if sentences.arrived:
        for arrived in sentences.arrived:
            _take(world, plan, sentences, float(clock[TIME]), *arrived)
        sentences.arrived.clear()
    is_idle = not sentences.asks and sentences.waiting is None and not sentences.is_on and not voice.queue
    if is_idle and (current is None or current.id <= sentences.asked):
        return  # nothing shows, nothing is to come
    current, playing = current if is_allowed else None, sentences.playing
    said = current.id if current is not None else 0
    start = voice.began - voice.offset / world.dt
    _forget(voice, sentences)
    waiting = sentences.waiting
    if waiting is not None and waiting.id == said and _is_worth(world, waiting, start):
        _show(world, plan, sentences, replace(waiting, start=start))
        sentences.waiting = None
    elif playing is not None and playing.id == said and sentences.is_on:
        if abs(playing.start - start) > SLACK:
            sentences.playing = playing = replace(playing, start=start)
            plan.touch(world.tick)
        ends = 2.0 * (len(playing.motion) - 1) - world.config.sentence.yield_s / world.dt
        if not playing.is_whole and clock[TIME] >= ends:
            sentences.late += 1
            _yield(world, entity, plan, sentences)
    elif playing is not None and playing.id == said:
        if _is_worth(world, playing, start):
            _show(world, plan, sentences, replace(playing, start=start))
    elif sentences.is_on:
        _yield(world, entity, plan, sentences)
    if is_allowed:
        _ask(world, voice, sentences, float(clock[TIME]), is_showing=clock[SHARE] > 0.0)


def _take(
    world: World, plan: Plan, sentences: Sentences, time: float, number: int, frame: int, motion: F32, is_last: bool
) -> None:
    """Put a window's motion behind what has come of its sentence, in place of what it makes anew."""
    asked = next((ask for ask in sentences.asks if ask.id == number), None)
    if asked is None:
        return  # stopped meanwhile
    playing, waiting = sentences.playing, sentences.waiting
    is_playing = playing is not None and playing.id == number
    track = playing if is_playing else waiting if waiting is not None and waiting.id == number else Track(number)
    assert track is not None
    if (
        frame > max(len(track.motion) - LEAD, 0)
        or len(motion) < 2
        or motion.shape[1:] != NO_MOTION.shape[1:]
        or not np.isfinite(motion).all()
    ):
        return
    before = track.motion[: frame + LEAD] if frame else 2.0 * motion[:LEAD] - motion[LEAD : 2 * LEAD]
    whole = np.concatenate([before, motion])
    whole.flags.writeable = False
    track = replace(track, motion=whole, is_whole=is_last)
    if is_last:
        sentences.asks.remove(asked)
    if not is_playing:
        sentences.waiting = track
        return
    if sentences.is_on and 2.0 * (frame + LEAD) < time + 6.0:  # some of it shows already: a seam
        sentences.serials += 1
        track = replace(track, serial=sentences.serials)
    sentences.playing = track
    plan.touch(world.tick)


def _is_worth(world: World, track: Track, start: float) -> bool:
    """Return whether there is still motion for now and a moment after."""
    left = 2.0 * (len(track.motion) - LEAD - 1) - (world.tick - start)
    return left > (2 if track.is_whole else 1) * WORTH


def _show(world: World, plan: Plan, sentences: Sentences, track: Track) -> None:
    """Have it come in at the frame that is due now."""
    sentences.serials += 1
    if sentences.playing is None or sentences.playing.id != track.id:
        sentences.sentences += 1
        waited = (world.tick - max(sentences.asked_at, track.start)) * world.dt
        sentences.first_s = max(waited, sentences.first_s if sentences.sentences > 1 else 0.0, 0.0)
    sentences.playing = replace(track, serial=sentences.serials)
    sentences.is_on, sentences.since = True, world.tick
    plan.touch(world.tick)


def _yield(world: World, entity: int, plan: Plan, sentences: Sentences) -> None:
    """Have it give way to the matcher, which goes on from where she is: a pose that her arms come to rest in."""
    sentences.is_on, sentences.since = False, world.tick
    motion, carry = world.get(entity, Motion), world.get(entity, Carry)
    plan.touch(world.tick)
    if motion.repertoire is None or "corpus" not in motion.layers or carry.view("sentence_clock")[SHARE] < 1.0:
        return
    still = 1.0 - 0.75 * float(carry.view("stillness")[0])
    # where a critically damped spring stops that starts at this place and speed: nothing turns back
    rest: F64 = (carry.view("sentence") + carry.view("sentence_speed") / motion.rate[:, None]) / still
    pose = np.empty((len(SLOTS), 4))
    rotvec.exp_each(np.ascontiguousarray(rest), pose)
    plan.put(Pick(world.tick, -1, -1, 0, 0, 0.0, pose=pose), world.tick)


def _forget(voice: Voice, sentences: Sentences) -> None:
    """Drop what was asked for utterances that are over."""
    if not sentences.asks and sentences.waiting is None:
        return
    alive = {u.id for u in voice.queue}
    if voice.current is not None:
        alive.add(voice.current.id)
    shown = sentences.playing.id if sentences.playing is not None else 0
    gone = [ask for ask in sentences.asks if ask.id not in alive]
    if gone:
        sentences.lost += sum(ask.id != shown for ask in gone)
        sentences.asks = [ask for ask in sentences.asks if ask.id in alive]
    if sentences.waiting is not None and sentences.waiting.id not in alive:
        sentences.waiting = None


def _ask(world: World, voice: Voice, sentences: Sentences, time: float, *, is_showing: bool) -> None:
    """Ask for what she says now, and once that has all come for what she says next."""
    current = voice.current
    if current is not None and current.id > sentences.asked:
        playing = sentences.playing
        if current.id in voice.streams:
            return  # its end is not known yet
        if playing is not None and is_showing:
            _put(world, sentences, current, playing.id, max(round(0.5 * time) - LEAD, 0))
        else:
            _put(world, sentences, current)
    elif not sentences.asks and voice.queue:
        following = voice.queue[0]
        if following.id <= sentences.asked or following.id in voice.streams:
            return
        if current is not None and sentences.asked == current.id:
            _put(world, sentences, following, current.id, round(current.speech.seconds * FPS))
        elif current is None:
            _put(world, sentences, following)


def _put(world: World, sentences: Sentences, utterance: Utterance, after: int = 0, frame: int = 0) -> None:
    sentences.asks = [Ask(utterance.id, world.tick, after, frame)]
    sentences.asked, sentences.asked_at = utterance.id, world.tick
    sentences.waiting = None
