"""The figures of the tick that is shown, for a panel or a host."""

from __future__ import annotations

from typing import Any

from ...components.contacts import Contacts
from ...components.face import Face
from ...components.gaze import Gaze
from ...components.index import Index
from ...components.motion import Motion
from ...components.outbox import Outbox
from ...components.persona import Persona
from ...components.plan import Plan
from ...components.preview import Preview
from ...components.sentences import Sentences
from ...components.voice import Voice
from ...components.world import World
from . import fenced
from .layers import holders
from .spoken import told


def live(world: World, entity: int) -> dict[str, Any]:
    """Return what one avatar is doing now, in the report's names where it has them; None where there is nothing to say.

    ranks: of the running row among the eligible: audio shape, timbre, starting pose, 0 is the best
    rows, rows_legal: of her repertoire; what is not legal is faster than speed_limit_deg_s at her gains
    mood: what her face is asked for, "neutral" without; looks_at: (x, y, z) m, avatar frame, or None
    depth_raw_mm, depth_mm, moved_mm: of this tick, as in figures.Run; None without the rule
    refused: candidates turned down since the start: jump (farther than jump_limit_deg), fade (too fast), speed
    """
    plan, motion, voice = world.get(entity, Plan), world.get(entity, Motion), world.get(entity, Voice)
    slots = world.get(entity, Preview).slots
    running = [pick for pick in plan.picks if pick.tick <= world.tick]
    pick = running[-1] if running else None
    repertoire, corpus, gates = motion.repertoire, motion.corpus, world.config.gates
    current = voice.current
    rule = world.get(entity, Contacts) if "rule" in motion.layers and world.has(entity, Contacts) else None
    return {
        "tick": world.tick,
        "mode": world.mode.value,
        "layers": sorted(motion.layers),
        "holders": holders(world, entity) if slots else {},
        "lookahead": world.config.run.ahead(voice.is_live),
        "mood": _mood(world, entity),
        "looks_at": _looks_at(world, entity),
        "stillness": world.get(entity, Persona).stillness,
        "speaking": voice.active,
        "listening": voice.listening,
        "position_s": voice.position if current is not None else None,
        "seconds": current.speech.seconds if current is not None else None,
        "queued": len(voice.queue),
        "window": slots[0].row if slots else -1,
        "clip": corpus.clips[pick.clip].name if corpus is not None and pick is not None and pick.clip >= 0 else None,
        "ranks": list(pick.ranks) if pick is not None and min(pick.ranks) >= 0 else None,
        "jump_deg": pick.jump_deg if pick is not None else None,
        "jump_limit_deg": gates.jump_deg,
        "forced": pick is not None and pick.forced,
        "sentence": None if plan.sentences is None else _sentence(world, entity, plan.sentences),
        "sentence_share": slots[0].sentence_share if slots else 0.0,
        "fade": slots[0].fade if slots else 1.0,
        "corpus_speed_deg_s": slots[0].speed_deg_s if slots else 0.0,
        "speed_limit_deg_s": gates.speed_deg_s,
        "rows": len(repertoire.row_clip) if repertoire is not None else None,
        "rows_legal": int(world.get(entity, Index).legal.sum()) if repertoire is not None else None,
        "forced_cuts": plan.forced,
        "fades_interrupted": plan.interrupted,
        "refused": dict(plan.refused),
        "depth_raw_mm": rule.raw_mm if rule is not None else None,
        "depth_mm": rule.depth_mm if rule is not None else None,
        "moved_mm": rule.moved_mm.tolist() if rule is not None else None,
        "fence": fenced.told(world, entity),
        "tick_us": world.tick_seconds * 1e6,
        "degraded": sorted(world.get(entity, Outbox).degraded),
    }


def _mood(world: World, entity: int) -> str:
    return next(iter(world.get(entity, Face).moods), "neutral")


def _looks_at(world: World, entity: int) -> list[float] | None:
    gaze = world.get(entity, Gaze)
    return gaze.point.tolist() if gaze.looks else None


def _sentence(world: World, entity: int, sentences: Sentences) -> dict[str, Any]:
    """Return what the layer did, and how the model is where this world has a way to one."""
    link = getattr(world, "link", None)
    return told(sentences) | ({"state": "off", "detail": "", "words": ""} if link is None else link.figures(entity))
