"""From a voice to what the hands will do: which accents carry a stroke, of which family, and what fills the rest.

Stroke ends are set on accents by design: recorded talkers show no reliable relation between the two.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .....components.arrays import F64
from .....components.speech import Speech
from . import shapes
from .fill import fill, make_room
from .moves import Move, Track, law, settle
from .shapes import BEATS, FAMILIES, FINGERS, FLEX, HOMES, PLACE, RADIAL, ROLL, SHAPES
from .styles import Style

_SHARED = 0.8  # of each random draw both hands have in common; independent draws look like two people
_FINGER_JITTER = np.concatenate([np.tile([3.0, 3.0, 1.5], 4), [3.0, 3.0, 3.0, 1.2]])  # deg
_BEGINS_HANGING, _ENDS_HANGING = 0.5, 0.75  # share of clips
_LAST = 5.0  # s, a pause as long as this is the end of the clip
_PLACE_JITTER = np.array([2.4, 3.2, 2.0])  # cm


@dataclass(frozen=True, slots=True)
class Stroke:
    """One planned gesture: the accent it ends on (s), its family, its hands."""

    accent: float
    family: str
    hands: tuple[int, ...]


@dataclass(slots=True)
class Plan:
    """What both hands will do, left first."""

    tracks: tuple[Track, Track]
    strokes: list[Stroke] = field(default_factory=list)


@dataclass(slots=True)
class _Shared:
    """Random draws of one gesture that both hands have in common."""

    place: F64
    turn: F64
    fingers: F64
    bulge: F64
    pace: float
    height: float


class Planner:
    """Lays out one clip. Use `plan`."""

    def __init__(self, speech: Speech, style: Style, rng: np.random.Generator) -> None:
        self.speech, self.style, self.rng = speech, style, rng
        # she is often found standing with hanging arms, so half of the clips begin and most end there
        hangs = rng.random() < _BEGINS_HANGING
        self.result = Plan((self._track(0, hangs), self._track(1, hangs)))
        self.family, self.side, self.accent = "", int(rng.random() < 0.5), -9.0
        self.link, self.cap = 0, 1.0
        self._share()

    def run(self) -> Plan:
        """Return the whole plan."""
        phrases = self.speech.phrase
        for k, (begin, end) in enumerate(phrases):
            pause = phrases[k + 1, 0] - end if k + 1 < len(phrases) else 9.0
            self._phrase(float(begin), float(end), float(pause))
        fill(self.rng, self.style, self.speech.seconds, self.result.tracks)
        for track in self.result.tracks:
            make_room(track)
            settle(track)
        return self.result

    def _track(self, hand: int, hangs: bool) -> Track:
        style, rng = self.style, self.rng
        name = style.home if style.home != "one" else ("low" if hand == style.lead else "hang")
        begin, home = HOMES["hang"].copy(), HOMES[name].copy()
        if name != "hang":
            home[PLACE] += [0.5 * (style.out - style.narrow), 0.35 * style.up, 0.0]
        own = np.zeros(shapes.CHANNELS)
        own[PLACE] = rng.normal(0.0, [1.0, 1.0, 0.8])
        own[ROLL] = rng.normal(0.0, 6.0)
        own[[FLEX, RADIAL]] = rng.normal(0.0, 2.0, 2)
        return Track(begin + own if hangs else home + own, home + own)

    def _share(self) -> None:
        rng = self.rng
        self.shared = _Shared(
            place=rng.standard_normal(3),
            turn=rng.standard_normal(4),
            fingers=rng.standard_normal(16),
            bulge=rng.uniform(0.0, 1.0, 3),
            pace=rng.uniform(0.9, 1.14),
            height=abs(rng.standard_normal()) * (1.0 if rng.random() < 0.6 else -1.0),
        )

    def _mix(self, shared: F64) -> F64:
        return _SHARED * shared + np.sqrt(1.0 - _SHARED**2) * self.rng.standard_normal(len(shared))

    def _placed(self, aim: F64, jitter: float = 1.0) -> F64:
        """Return `aim` as this performer makes it this time, inside the space in front of the body."""
        style, shared = self.style, self.shared
        pose = aim.copy()
        place = shapes.MIDDLE + (aim[PLACE] - shapes.MIDDLE) * (0.55 + 0.45 * style.amplitude)
        place += [style.out - style.narrow, style.up, 0.0]
        place += self._mix(shared.place) * _PLACE_JITTER * jitter * style.vary
        place[1] += shared.height * (style.vary - 1.0) * 6.0
        turn = self._mix(shared.turn)
        pose[ROLL] += 9.0 * turn[0]
        pose[FLEX] += 4.0 * turn[1]
        pose[RADIAL] += 2.5 * turn[2]
        pose[shapes.SWIVEL] += 5.0 * turn[3]
        pose[FINGERS] += self._mix(shared.fingers) * _FINGER_JITTER
        pose[FINGERS] += (SHAPES["open"] - pose[FINGERS]) * 0.5 * style.openness
        is_pinch = bool(np.array_equal(aim[FINGERS], SHAPES["pinch"]))
        # a pinch held across the body shows the back of the hand: keep its forearm pointing forward
        least = 15.0 if is_pinch else 3.0 if aim[ROLL] > -20.0 else 6.0
        place[0] = np.clip(place[0], least, 44.0)
        place[1] = np.clip(place[1], -43.0, 6.0)
        place[2] = np.clip(place[2], 14.0 if place[0] < 22.0 else 4.0, 40.0)
        reach = place - shapes.SHOULDER
        far = float(np.linalg.norm(reach))
        pose[PLACE] = shapes.SHOULDER + reach * min(1.0, shapes.BENT / far)
        return pose

    def _go(self, hand: int, target: F64, end: float, kind: str, slow: float = 1.0) -> None:
        """Append a move whose duration follows the measured law and whose path bows."""
        track, rng, shared = self.result.tracks[hand], self.rng, self.shared
        step = target[PLACE] - track.last[PLACE]
        path = float(np.linalg.norm(step))
        duration = law(max(path, 5.0), self.style.tempo) * slow * shared.pace * rng.uniform(0.96, 1.05)
        aside = np.cross(step, [0.0, 0.0, 1.0])
        aside /= np.linalg.norm(aside) + 1e-6
        if aside[1] * (1.0 if step[1] > -4.0 else -1.0) < 0.0:
            aside = -aside  # up on the way up
        bow = aside * (0.04 + 0.12 * shared.bulge[0])
        bow += [0.06 * shared.bulge[2], 0.0, 0.02 + 0.10 * shared.bulge[1]]
        bow *= path * rng.uniform(0.8, 1.2)
        track.moves.append(Move(end, duration, target, kind, self.link, self.cap, bow))

    def _accents(self, begin: float, end: float) -> tuple[list[int], list[int]]:
        """Return the accents of a phrase and those that carry a stroke."""
        style, rng, when, strength = self.style, self.rng, self.speech.accent, self.speech.strength
        inside = [k for k in range(len(when)) if begin - 0.1 <= when[k] <= end + 0.05]
        if not inside or rng.random() >= style.gestured:
            return inside, []
        want = max(1, round((end - begin) * style.rate * rng.uniform(0.75, 1.25)))
        score = {k: strength[k] + rng.gumbel(0.0, 0.35) for k in inside}
        picks: list[int] = []
        for k in sorted(inside, key=lambda k: -score[k]):
            far = all(abs(when[k] - when[other]) > style.spacing for other in picks)
            if far and when[k] - self.accent > style.spacing:
                picks.append(k)
            if len(picks) == want:
                break
        return inside, sorted(picks)

    def _phrase(self, begin: float, end: float, pause: float) -> None:
        inside, picks = self._accents(begin, end)
        when = self.speech.accent
        for n, k in enumerate(picks):
            following = float(when[picks[n + 1]]) if n + 1 < len(picks) else end + 0.6
            self._gesture(k, following, opens=n == 0, inside=inside)
        if picks and self.rng.random() < min(0.95, pause / self.style.retract * 0.8 + 0.08):
            self._go_home(end, last=pause > _LAST)

    def _choose(self, opens: bool) -> str:
        """Return the family of the next stroke: seldom the last one again, seldom a beat first."""
        weight = dict(self.style.families)
        if self.family in weight:
            weight[self.family] *= 1.3 if self.family in ("beat", "pinch") else 0.4
        if opens:
            weight["beat"] *= 0.25
        names = list(weight)
        share = np.array([weight[name] for name in names], dtype=np.float64)
        return names[int(self.rng.choice(len(names), p=share / share.sum()))]

    def _hands(self, family: str) -> tuple[int, ...]:
        style, rng = self.style, self.rng
        two = rng.random() < style.both and family != "self"
        if family in FAMILIES and FAMILIES[family].one_sided:
            two = two and rng.random() < 0.55
        if rng.random() < 0.55:
            self.side = style.lead if rng.random() < 0.7 else 1 - style.lead
        elif rng.random() < 0.35 or family == "contrast":
            self.side = 1 - self.side
        if two or family in ("ball", "shrug"):
            return (0, 1) if rng.random() < 0.5 else (1, 0)
        return (self.side,)

    def _gesture(self, k: int, following: float, opens: bool, inside: list[int]) -> None:
        rng, style = self.rng, self.style
        strength = float(self.speech.strength[k])
        accent = float(self.speech.accent[k]) + rng.normal(-0.02, 0.05)
        family = self._choose(opens)
        hands = self._hands(family)
        self._share()
        self.link = k + 1
        self.cap = float(np.clip(0.82 + 0.12 * strength + rng.normal(0.0, 0.06), 0.75, 1.0))
        lag = rng.normal(0.03, 0.03) if len(hands) == 2 else 0.0  # s, the second hand comes a little later
        apart = rng.normal(0.0, 1.0, 3) * [0.8, 1.0, 0.7]  # cm, half of how much the two places differ
        if family == "beat":
            self._beat(hands, accent, lag, min(1.25, 0.7 + 0.28 * strength))
        else:
            aim = FAMILIES[family]
            for n, hand in enumerate(hands):
                end = accent + (lag if n else 0.0)
                target = self._placed(aim.stroke)
                if len(hands) == 2:
                    target[PLACE] += apart * (1.0 if hand == 0 else -1.0)
                self._stroke(hand, target, aim, end)
                end = self._hold(hand, target, end, following)
                if family == "pinch" or rng.random() < 0.18:
                    self._echo(hand, end, following, inside)
        if len(hands) == 1 and rng.random() < style.answer:
            self._answer(hands[0], accent)
        self.result.strokes.append(Stroke(float(self.speech.accent[k]), family, hands))
        self.accent, self.family = accent, family

    def _beat(self, hands: tuple[int, ...], accent: float, lag: float, size: float) -> None:
        """Up against the beat's direction, then through: from wherever the hand is."""
        rng, style = self.rng, self.style
        names = list(BEATS)
        way, _ = BEATS[names[int(rng.choice(3, p=[BEATS[name][1] for name in names]))]]
        way = way / np.linalg.norm(way)
        length, flick = rng.uniform(6.0, 11.0), rng.uniform(3.0, 8.0, 2)
        for n, hand in enumerate(hands):
            end = accent + (lag if n else 0.0)
            base = self.result.tracks[hand].last
            if base[1] < -37.0 or base[2] < 17.0:
                base = self._placed(shapes.pose(19, -27, 26, 5, -4, 3, "soft"))
            path = size * style.amplitude * length * rng.uniform(0.85, 1.15)
            if style.tempo > 1.0:
                path *= style.tempo
            up, down = base.copy(), base.copy()
            up[PLACE] -= way * path * 0.75
            up[FLEX] -= flick[0]
            up[FINGERS] += (SHAPES["soft"] - up[FINGERS]) * 0.4 + rng.normal(0.0, 2.0, 16)
            down[PLACE] += way * path * 0.45 + rng.normal(0.0, 0.8, 3)
            down[FLEX] += 0.9 * flick[1]
            down[ROLL] += rng.normal(0.0, 6.0)
            down[FINGERS] += rng.normal(0.0, 3.0, 16)
            self._go(hand, up, end - 0.62 * law(1.2 * path, style.tempo), "prep")
            self._go(hand, down, end + 0.02, "stroke", 0.92)

    def _stroke(self, hand: int, target: F64, aim: shapes.Family, end: float) -> None:
        """A stroke, with its own preparation where .75 s are free for one."""
        moves = self.result.tracks[hand].moves
        free = end - (moves[-1].end if moves else -5.0)
        if aim.prep is None or free <= 0.75:
            self._go(hand, target, end, "stroke", aim.slow * 1.05)
            return
        prep = self._placed(aim.prep, jitter=0.6)
        time = law(float(np.linalg.norm(target[PLACE] - prep[PLACE])), self.style.tempo) * aim.slow
        self._go(hand, prep, end - 0.66 * time, "prep", 1.05)
        self._go(hand, target, end, "stroke", aim.slow)

    def _hold(self, hand: int, target: F64, end: float, following: float) -> float:
        """After a stroke the hand gives a little, slowly; returns when the hand is free again."""
        rng = self.rng
        if following - end <= 0.55:
            return end
        give = np.zeros(shapes.CHANNELS)
        give[PLACE] = rng.normal(0.0, 0.4 * self.style.drift, 3) * [1.0, 0.9, 0.9] + [0.0, -1.3, -0.6]
        give[ROLL] = rng.normal(0.0, 6.0)
        give[FINGERS] = (SHAPES["soft"] - target[FINGERS]) * 0.22 + rng.normal(0.0, 2.5, 16)
        time = min(0.8, (following - end) * 0.9)
        move = Move(end + 0.18 + time, time, target + give, "hold", relative=give)
        self.result.tracks[hand].moves.append(move)
        return end

    def _echo(self, hand: int, end: float, following: float, inside: list[int]) -> None:
        """Small beats on the next accents while a shape is held, a pinch above all."""
        for k in inside:
            when = float(self.speech.accent[k])
            if end + 0.35 < when < following - 0.35:
                low = self.result.tracks[hand].last.copy()
                high = low.copy()
                high[1] += 3.2 * self.style.amplitude
                high[FLEX] -= 5.0
                low[1] -= 1.0
                low[FLEX] += 3.0
                self._go(hand, high, when - 0.12, "prep", 0.9)
                self._go(hand, low, when + 0.08, "stroke", 0.9)
                end = when

    def _answer(self, leader: int, accent: float) -> None:
        """The hand without a stroke sinks a little, or goes along with a quarter to a half of the same path."""
        rng = self.rng
        hand = 1 - leader
        track = self.result.tracks[hand]
        if rng.random() < 0.2 and track.last[1] > -34.0:
            target = track.last + (track.home - track.last) * rng.uniform(0.4, 0.9)
            self._go(hand, target, accent + rng.uniform(0.05, 0.35), "hold", 1.35)
            return
        share = rng.uniform(0.25, 0.6)
        here = self.result.tracks[leader].begin
        led: list[tuple[Move, F64]] = []
        for move in self.result.tracks[leader].moves:
            led.append((move, move.target - here))
            here = move.target
        for move, step in led[-3:]:
            if move.kind not in ("prep", "stroke") or move.end <= accent - 0.9:
                continue
            target = track.last.copy()
            target[PLACE] += step[PLACE] * share * [0.8, 1.0, 0.9] + rng.normal(0.0, 1.0, 3)
            target[0] = np.clip(target[0], 8.0, 40.0)
            target[1] = np.clip(target[1], -42.0, 0.0)
            target[2] = np.clip(target[2], 12.0 if target[0] < 24.0 else 6.0, 36.0)
            target[ROLL] += rng.normal(0.0, 9.0)
            target[FINGERS] += rng.normal(0.0, 4.0, 16)
            target[FINGERS] += (SHAPES["soft"] - target[FINGERS]) * 0.25
            self._go(hand, target, move.end + rng.uniform(0.0, 0.07), move.kind)

    def _go_home(self, end: float, last: bool) -> None:
        """Both hands go back, all the way or part of it; sometimes one or both hang down instead."""
        rng, style = self.rng, self.style
        full = rng.random() < 0.65 or last
        self._share()
        self.link, self.cap = -2 - int(100 * end), rng.uniform(0.65, 0.9)
        draw, single = rng.random(), int(rng.random() < 0.5)
        if last and rng.random() < _ENDS_HANGING:
            draw = 0.0
        hanging = (0, 1) if draw <= style.hang else (single,) if draw < 1.7 * style.hang else ()
        for hand in (0, 1):
            track = self.result.tracks[hand]
            when = max(end + 0.1, self.accent + style.hold) + rng.uniform(0.0, 0.12) + 0.55
            target = (HOMES["hang"] if hand in hanging else track.home).copy()
            if not full:
                target = track.last + (track.home - track.last) * rng.uniform(0.4, 0.7)
            target[PLACE] += rng.normal(0.0, [0.8, 0.7, 0.7])
            target[ROLL] += rng.normal(0.0, 5.0)
            target[FINGERS] += rng.normal(0.0, 3.0, 16)
            self._go(hand, target, when, "retract", 1.1)


def plan(speech: Speech, style: Style, rng: np.random.Generator) -> Plan:
    """Return what both hands do during `speech`: linked moves in order of their ends, and the strokes' accents."""
    return Planner(speech, style, rng).run()
