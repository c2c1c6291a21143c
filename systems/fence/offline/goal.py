"""What a head is trained to do, as one number: capsule depth, least change, the hand's own speed, smoothness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .network import MILLIMETRES


@dataclass(frozen=True, slots=True)
class Goal:
    """What a millimetre of each is worth.

    Fields:
        like:   away from the label, all the time
        now:    left inside, or nearer than the margin, on this tick
        soon:   the same with the arm where it will be when the rule's lead is over
        least:  of the correction itself
        clear:  of it where nothing is inside for half a second around
        speed:  per tick and squared: of how the correction changes, which adds to the speed that the hand has of itself
        smooth: per tick^3 and squared: of its third difference
        margin: m, kept between capsules: the rule's, and a little, so that it finds nothing to do
    """

    like: float = 1.0
    now: float = 4.0
    soon: float = 2.0
    least: float = 0.3
    clear: float = 1.0
    speed: float = 0.05
    smooth: float = 3.0
    margin: float = 0.0025


def loss(goal: Goal, deep: Any, r: Any, label: Any, frame: Any, later: Any, is_clear: Any, whole: float) -> Any:
    """Return parts by name, each a mean over arms and ticks, `sum` what is made least.

    r, label: (B, T, 18) rad; frame, later: (B, T) i32 arrays; is_clear: (B, T) 0 or 1
    whole: 0 imitation alone, 1 all of it
    """
    import torch  # pyright: ignore[reportMissingImports]

    scale = torch.from_numpy(MILLIMETRES)
    moved, wanted = r * scale, label * scale

    def arms(x: Any, soft: float) -> Any:
        """Lengths over each arm's nine numbers, smooth at 0."""
        return (x.unflatten(-1, (2, 9)).square().sum(-1) + soft * soft).sqrt() - soft

    parts = {"like": arms(moved - wanted, 0.3).mean()}
    size = arms(moved, 0.1)
    parts["least"] = size.mean()
    parts["clear"] = (size * is_clear[..., None]).mean()
    parts["speed"] = torch.diff(moved, dim=1).square().sum(-1).mean()
    parts["smooth"] = torch.diff(moved, n=3, dim=1).square().sum(-1).mean()
    total = goal.like * parts["like"] + goal.clear * parts["clear"] + goal.smooth * parts["smooth"]
    if whole > 0.0:
        # each on every other tick, in turn: neighbours say nearly the same, and this is most of the work
        now = deep(r[:, ::2].reshape(-1, 18), frame[:, ::2].reshape(-1))
        soon = deep(r[:, 1::2].reshape(-1, 18), later[:, 1::2].reshape(-1))
        parts["now"] = ((now.square() + 0.04).sqrt() - 0.2).mean()
        parts["soon"] = ((soon.square() + 0.04).sqrt() - 0.2).mean()
        rest = goal.now * parts["now"] + goal.soon * parts["soon"] + goal.least * parts["least"]
        total = total + whole * (rest + goal.speed * parts["speed"])
    parts["sum"] = total
    return parts
