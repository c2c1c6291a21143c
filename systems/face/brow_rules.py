"""The brow model that ships: rules, designed and not learned; what people's voices do to their brows is mostly chance.

Brow raises go with rises of pitch in about 7 of 10 cases, but 4 of 10 movements come while a person does not speak
(Guaitella et al. 2009); a raise begins before the accented word and peaks on it, is larger at the start of an utterance
and in questions (Kim, Cvejic and Davis 2014). On one minute of a real speaker voice explains 3 % of brow motion.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...components.brows import Brows, Heard

STRONG = 1.0  # Speech.strength from which on an accent is strong: 2 of 5, one in two seconds
OFTEN, MORE = 0.45, 0.15  # share of strong accents that she raises her brows on, and more of it for the strongest
LEAD = (0.0, 0.1)  # s that a raise begins before its word
REFRACTORY = 72  # ticks (1.2 s) between two raises
SIZE = (0.2, 0.6)  # of the shape
LATE = 12  # ticks (0.2 s) after which an accent is over
_HELD = (0.16, 0.34)  # s at the top
_FIRST = 1.2  # times the size on the first accent of an utterance
_FORMS = (
    (0.62, (1.0, 1.0, 1.0)),
    (0.2, (1.0, 0.35, 0.35)),
    (0.18, (0.35, 1.0, 1.0)),
)  # share; inner, outer left, right
_UNEVEN = 0.15  # of the size that one side may be higher
_ASKS = (0.28, 0.5)  # of inner and outer at the end of a question
_ASKED = 0.8  # share of questions that show
_LOUD, _LONG, _FROWN = 6.5, 0.2, 0.3  # dB over her level, s of it, and how far she frowns with the effort
_IDLE = (7.0, 24.0)  # s between raises while she is silent (4 of 10 of all at the usual share of speech)
_IDLE_SIZE = (0.12, 0.28)


def move(heard: Heard, brows: Brows, tick: int, draw: Callable[[], np.random.Generator]) -> None:
    """Write Brows.target and Brows.slow; see brows.Model."""
    if heard.strength >= STRONG and tick - brows.last >= REFRACTORY and heard.accent > -LATE / 60.0:
        chance = draw()
        if chance.random() < OFTEN + MORE * min(heard.strength - STRONG, 1.0):
            size = chance.uniform(*SIZE) * (_FIRST if heard.begins else 1.0)
            onset = max(round(60.0 * (heard.accent - chance.uniform(*LEAD))), 0)
            _raise(brows, tick + onset, min(size, SIZE[1]), chance)
    elif not heard.speaking and tick >= brows.idle:
        chance = draw()
        if brows.idle and tick - brows.last >= REFRACTORY:
            _raise(brows, tick, chance.uniform(*_IDLE_SIZE), chance)
        brows.idle = tick + round(60.0 * chance.uniform(*_IDLE))
    target = brows.target
    runs = brows.begins <= tick < brows.ends
    brows.slow = not runs
    brows.effort = brows.effort + 1.0 / 60.0 if heard.loudness > _LOUD else 0.0
    if not runs and heard.question == 0.0 and brows.effort <= _LONG:  # at rest, as mostly: no array is touched
        brows.asked = False
        if brows.is_up:
            brows.is_up = False
            target[:] = 0.0
        return
    brows.is_up = True
    target[:] = brows.size if runs else 0.0
    if heard.question > 0.0:
        if not brows.asked:
            brows.asked = True
            shows = float(draw().random() < _ASKED)
            brows.asks[:] = shows * np.array((_ASKS[0], _ASKS[1], _ASKS[1]))
        target[2:] = np.maximum(target[2:], brows.asks * heard.question)
    elif brows.asked:
        brows.asked = False
    if brows.effort > _LONG:
        target[:2] = np.maximum(target[:2], _FROWN * min((heard.loudness - _LOUD) / 4.0, 1.0))


def _raise(brows: Brows, begins: int, size: float, chance: np.random.Generator) -> None:
    """Have the brows go up from a tick on."""
    at, which = float(chance.random()), 0
    while at > _FORMS[which][0] and which < len(_FORMS) - 1:
        at -= _FORMS[which][0]
        which += 1
    uneven = 1.0 + _UNEVEN * chance.uniform(-1.0, 1.0)
    inner, left, right = _FORMS[which][1]
    brows.size[:] = 0.0, 0.0, size * inner, size * left * uneven, size * right * (2.0 - uneven)
    np.minimum(brows.size, 1.0, out=brows.size)
    brows.begins = brows.last = begins
    brows.ends = begins + round(60.0 * (0.18 + chance.uniform(*_HELD)))
