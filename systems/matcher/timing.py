"""When a pick falls: a little later than it might, where her hands then meet an accent of her voice."""

from __future__ import annotations

from ...components.motion import Motion
from ...components.plan import Pick
from ...components.voice import Voice
from ...components.world import World
from ..retarget.repertoire import ROW

BEFORE = 0.43  # s from a pick to an accent: half a usual fade (.2 s), then .23 s, as performers' hands lead accents
WAIT = 0.8  # s that a pick is put off at most: 0, .4 and .6 were measured against it (docs/accents.md)


def on_accent(world: World, voice: Voice, motion: Motion, last: Pick, earliest: int) -> int:
    """Return the tick from `earliest` on whose fade moves her hands just before the strongest accent within WAIT.

    Hands are fastest in the middle of a fade: picked on the full second she moved anew once a second, like a
    metronome, and never with her voice. Without an accent there, and on a live voice, it is `earliest`.
    """
    if voice.current is None:
        return earliest
    speech = voice.current.speech
    # what is shown lags by the spring, 2 / rate
    first = voice.position + (earliest - world.tick) * world.dt + BEFORE + 2.0 / world.config.springs.arms
    a, b = speech.accent.searchsorted((first, first + WAIT)).tolist()
    if a == b:
        return earliest
    most = legal_for(motion, last, world.config.gates.speed_deg_s, earliest - last.tick + round(WAIT / world.dt))
    b = int(speech.accent.searchsorted(first + (last.tick + most - earliest) * world.dt))
    if a >= b:
        return earliest
    return earliest + round((float(speech.accent[a + int(speech.strength[a:b].argmax())]) - first) / world.dt)


def legal_for(motion: Motion, last: Pick, speed_deg_s: float, wanted: int) -> int:
    """Return for how many ticks, at most `wanted`, the clip of a pick keeps to the speed gate as its rows know it.

    A row vouches for one second; past it the clip plays into rows that nobody has picked.
    """
    repertoire = motion.repertoire
    if repertoire is None or last.row < 0:
        return 0
    row, frame, clip, speed = last.row, repertoire.row_frame, repertoire.row_clip, repertoire.row_speed
    known = frame.item(row) + ROW - last.frame
    if known >= wanted or row + 1 == len(clip) or clip.item(row + 1) != last.clip:
        return wanted  # known, or at the clip's end, where it eases to a stop
    hop = frame.item(row + 1) - frame.item(row)
    for k in range(row + 1, min(row + 1 - (known - wanted) // hop, len(clip))):
        if speed.item(k) > speed_deg_s:
            return known + (k - row - 1) * hop if clip.item(k) == last.clip else wanted
    return wanted
