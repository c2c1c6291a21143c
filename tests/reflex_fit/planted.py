"""People who stand, made by the reflex itself from a file that is known: what a fit has to find again."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import talker

from kinesics.components.config import Config
from kinesics.components.motion import Motion
from kinesics.components.plan import NEVER, Plan
from kinesics.components.pose import Pose
from kinesics.components.reflex import SHIPPED, Standing, load
from kinesics.components.speech import Speech
from kinesics.components.take import Take
from kinesics.components.voice import Voice
from kinesics.systems import headless
from kinesics.systems.schedule import TICK

# More of everything than the literature has, so that minutes are enough to count it.
LIVELY = {
    "weight.dwell_s": ([12, 20, 30, 45, 70], [0.3, 0.35, 0.25, 0.1]),
    "weight.sideways_mm": ([20, 25, 30, 40, 50], [0.2, 0.3, 0.3, 0.2]),
    "lean.dwell_s": ([20, 35, 50, 80], [0.4, 0.4, 0.2]),
    "lean.mm": ([10, 20, 30], [0.6, 0.4]),
    "fidget.mm": ([12, 18, 25], [0.5, 0.5]),
    "breath.per_min": ([17, 18, 20, 22], [0.3, 0.4, 0.3]),
}


def file(path: Path, histograms: dict[str, tuple[list, list]], **speech: float) -> Standing:
    """Write the shipped file with other histograms and other effects of speech; return what it says."""
    text = SHIPPED.read_text()
    for name, (edges, share) in histograms.items():
        found = re.compile(rf"(\[{re.escape(name)}\][^\n]*\n)edges = [^\n]*\nshare = [^\n]*")
        assert found.search(text)
        text = found.sub(rf"\1edges = {edges}\nshare = {share}", text)
    for key, value in speech.items():
        text, count = re.subn(rf"(?m)^{key} = [\d.]+", f"{key} = {value}", text)
        assert count == 1
    path.write_text(text)
    return load(path)


@dataclass
class Planted:
    """Her motion and what was decided in it. shift: (S, 3) s, s it takes, m; fidget: (F, 4) s, s, m left, m forward.

    began: s at which her voice began to sound
    """

    take: Take
    shift: np.ndarray
    fidget: np.ndarray
    began: float


def her(path: Path | None, seed: int = 1) -> headless.World:
    """Return a world in which she stands by the file at `path`, or the shipped one."""
    config = Config.default()
    if path is not None:
        config = replace(config, reflex=replace(config.reflex, file=str(path)))
    return headless.world(talker.body(), seed=seed, with_corpus=False, config=config)


def stood(minutes: float, path: Path | None = None, seed: int = 1, voice: Speech | None = None) -> Planted:
    """Return her standing for so long; she says `voice` from the start. No face: it takes half the time."""
    world = her(path, seed)
    if voice is not None:  # without a mouth: to read it from her lips takes as long as all the rest
        world.avatar.say(replace(voice, mouth=np.zeros(len(voice.loudness), np.int32)))
    systems = [s for s in TICK if ".systems.face" not in getattr(s, "__module__", "")]
    plan, pose, heard = world.get(0, Plan), world.get(0, Pose), world.get(0, Voice)
    last, shifts, fidgets = plan.moves[1].copy(), [], [plan.fidget.copy()]
    rotation, root, began = [], [], float("nan")
    for tick in range(round(3600 * minutes)):
        world.step(systems)
        rotation.append(pose.rotation.copy())
        root.append(pose.root.copy())
        if heard.current is not None and np.isnan(began):
            began = (tick + 1) / 60.0 - heard.position
        if (plan.moves[1] != last).any():
            last = plan.moves[1].copy()
            shifts.append((last[0] / 60.0, last[1], last[3] - last[2]))
        if (plan.fidget != fidgets[-1]).any():
            fidgets.append(plan.fidget.copy())
    kept = np.array([f for f in fidgets if f[0] < NEVER]).reshape(-1, 4)
    kept[:, 0] /= 60.0
    rig = world.get(0, Motion).rig
    take = Take("planted", "run", "her", "", "", rig, np.array(rotation), np.array(root), 60.0, is_ours=True)
    return Planted(take, np.array(shifts).reshape(-1, 3), kept, began)


def pelvis(seconds: float, moves: list[tuple[float, float, float]], seed: int = 0) -> np.ndarray:
    """Return (N,) m at 10 Hz: sway of a standing pelvis and moves (s, s it takes, m) of minimum jerk."""
    draw = np.random.default_rng(seed)
    t = np.arange(round(seconds * 10)) / 10.0
    out = sum(1.1e-3 * np.sin(2 * np.pi * t / p + draw.uniform(0, 6)) for p in (1.7, 2.9, 4.7, 7.3, 13.1))
    for at, takes, size in moves:
        x = np.clip((t - at) / takes, 0.0, 1.0)
        out = out + size * x**3 * (10.0 + x * (6.0 * x - 15.0))
    return out


def recall(found: list[float], planted: list[float], within: float = 1.0) -> float:
    """Return the share of planted moments near which there is a found one."""
    return float(np.mean([min((abs(p - f) for f in found), default=np.inf) <= within for p in planted]))
