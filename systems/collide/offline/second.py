"""A second implementation of the reference, in torch: own kinematics, own distances, another way downhill.

Nothing here is used to make anything; it is what `optimum.py` is held against. Shares no code with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....components.anatomy import SIDES
from ....components.arrays import F64
from ....components.capsules import CapsuleSet
from ....components.rig import Rig

_LINKS = ("UpperArm", "LowerArm", "Hand")
_METRES = (0.30, 0.20, 0.12)  # m a radian, upper arm, forearm, hand: the cost that both implementations share
_NEAR = 0.05  # m, pairs that take part in the descent; the result is judged on all
_WEIGHTS = (30.0, 200.0, 1000.0, 4000.0)  # of squared depth against squared displacement, one stage each
_STEPS = 70  # of Adam in a stage


class Second:
    """Frames of one avatar. rotation: (F, J, 4) wxyz local; root: (F, 3) m."""

    def __init__(self, rig: Rig, capsules: CapsuleSet, rotation: F64, root: F64) -> None:
        torch = _torch()
        self.parent = [int(p) for p in rig.parent]
        self.joint = torch.tensor(np.array(capsules.joint, np.int64))
        self.start, self.end = torch.tensor(np.array(capsules.start)), torch.tensor(np.array(capsules.end))
        self.radius = torch.tensor(np.array(capsules.radius))
        self.arm, self.body = (torch.tensor(np.array(w, np.int64)) for w in (capsules.arm, capsules.body))
        self.lefts = capsules.lefts
        self.allow = torch.tensor(capsules.allow.astype(np.float64))
        self.across = torch.tensor(capsules.allow_arms.astype(np.float64))
        self.local = _matrix(torch.tensor(rotation))
        self.offset, self.root = torch.tensor(np.array(rig.rest_offset)), torch.tensor(root)
        links = {(s, k): rig.humanoid.get(side + part, -1) for s, side in enumerate(SIDES) for k, part in
                 enumerate(_LINKS)}  # fmt: skip
        self.link_of = {joint: link for link, joint in links.items() if joint >= 0}
        self.metres = torch.tensor(np.tile(np.repeat(_METRES, 3), 2))

    def posed(self, r: Any) -> tuple[Any, Any]:
        """Return starts and ends of all capsules, (F, C, 3), with corrections r (F, 18) rad put on at the joints."""
        torch = _torch()
        turn: list[Any] = []
        place: list[Any] = []
        before = [torch.eye(3, dtype=torch.float64).expand(len(r), 3, 3)] * 2  # what the links so far were turned by
        for j, above in enumerate(self.parent):
            if above < 0:
                place.append(self.offset[j] + self.root)
                turn.append(self.local[:, j])
            else:
                place.append(place[above] + (turn[above] @ self.offset[j]))
                turn.append(turn[above] @ self.local[:, j])
            if j in self.link_of:
                side, k = self.link_of[j]
                own = torch.linalg.matrix_exp(_skew(r[:, 9 * side + 3 * k : 9 * side + 3 * k + 3]))
                turn[j] = before[side] @ own @ before[side].transpose(1, 2) @ turn[j]
                before[side] = before[side] @ own
        turns, places = torch.stack(turn, 1)[:, self.joint], torch.stack(place, 1)[:, self.joint]
        return tuple((turns @ p[None, :, :, None])[..., 0] + places for p in (self.start, self.end))

    def gaps(self, r: F64) -> tuple[F64, F64]:
        """Return every gap beyond its allowance, (F, A, B), and of left arm against right, (F, L, A - L), m."""
        torch = _torch()
        with torch.no_grad():
            outer, inner = self._gaps(torch.tensor(r))
            return outer.numpy(), inner.numpy()

    def loss(self, r: F64) -> F64:
        """Return (F,) 1e4 sum depth^2 + cost, m^2."""
        torch = _torch()
        with torch.no_grad():
            return self._loss(torch.tensor(r)).numpy()

    def slope(self, r: F64) -> F64:
        """Return how the loss grows with each correction, (F, 18) m^2/rad."""
        x = _torch().tensor(r).requires_grad_()
        self._loss(x).sum().backward()
        return x.grad.numpy()

    def _gaps(self, r: Any) -> tuple[Any, Any]:
        start, end = self.posed(r)
        a, b = (start[:, self.arm], end[:, self.arm]), (start[:, self.body], end[:, self.body])
        ra, rb, n = self.radius[self.arm], self.radius[self.body], self.lefts
        outer = _distance(*(x[:, :, None] for x in a), *(x[:, None] for x in b)) - ra[:, None] - rb + self.allow
        inner = _distance(*(x[:, :n, None] for x in a), *(x[:, None, n:] for x in a))
        return outer, inner - ra[:n, None] - ra[None, n:] + self.across

    def _loss(self, r: Any) -> Any:
        outer, inner = (_torch().relu(-gap) for gap in self._gaps(r))
        deep = (outer * outer).sum((1, 2)) + (inner * inner).sum((1, 2))
        return 1e4 * deep + ((self.metres * r) ** 2).sum(1)

    def descend(self, starts: F64, aim: float) -> F64:
        """Return where Adam with a growing weight on depth ends from each start, (S, F, 18) rad."""
        torch = _torch()
        count, frames = starts.shape[:2]
        frame, one, two, limit, allow = self._pairs(aim)
        x = (torch.tensor(starts) * self.metres).requires_grad_()
        for stage, weight in enumerate(_WEIGHTS):
            size = 0.004 * 0.5**stage
            adam = torch.optim.Adam([x], lr=size, betas=(0.8, 0.99))
            cooling = torch.optim.lr_scheduler.CosineAnnealingLR(adam, _STEPS, eta_min=0.02 * size)
            for _ in range(_STEPS):
                total = (x * x).sum()
                for s in range(count):
                    start, end = self.posed(x[s] / self.metres)
                    flat = [p.reshape(-1, 3) for p in (start, end)]
                    base = frame * start.shape[1]
                    ends = [p.index_select(0, base + c) for c in (one, two) for p in flat]
                    gap = _distance(*ends) - limit + allow
                    total = total + weight * (torch.relu(aim - gap) ** 2).sum()
                adam.zero_grad()
                total.backward()
                adam.step()
                cooling.step()
        return (x.detach() / self.metres).numpy().reshape(count, frames, 18)

    def _pairs(self, aim: float) -> tuple[Any, ...]:
        """Return frame, first capsule, second capsule, sum of radii and allowance of pairs near in raw."""
        torch = _torch()
        outer, inner = self.gaps(np.zeros((len(self.local), 18)))
        f, i, j = np.nonzero(outer < aim + _NEAR)
        g, k, m = np.nonzero(inner < aim + _NEAR)
        arm, body = self.arm.numpy(), self.body.numpy()
        first = np.concatenate([arm[i], arm[k]])
        second = np.concatenate([body[j], arm[self.lefts + m]])
        frame = np.concatenate([f, g])
        allow = np.concatenate([self.allow.numpy()[i, j], self.across.numpy()[k, m]])
        radius = self.radius.numpy()
        made = (frame, first, second, radius[first] + radius[second], allow)
        return tuple(torch.tensor(array) for array in made)


def _torch() -> Any:
    import torch  # pyright: ignore[reportMissingImports] - an extra, and what it types is of no use here

    return torch


def _matrix(q: Any) -> Any:
    torch = _torch()
    w, x, y, z = q.unbind(-1)
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
            1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x),
            1 - 2 * (x * x + y * y)]  # fmt: skip
    return torch.stack(rows, -1).reshape(*q.shape[:-1], 3, 3)


def _skew(v: Any) -> Any:
    torch = _torch()
    x, y, z = v.unbind(-1)
    o = torch.zeros_like(x)
    return torch.stack([o, -z, y, z, o, -x, -y, x, o], -1).reshape(*v.shape[:-1], 3, 3)


def _distance(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return the distance of segments a-b and c-d: least of the lines' own nearest points and of the four ends.

    Which points are nearest is held while slopes are taken: at a minimum that is their exact slope.
    """
    torch = _torch()
    u, v, w = b - a, d - c, a - c
    with torch.no_grad():
        uu, vv, uv = (u * u).sum(-1), (v * v).sum(-1), (u * v).sum(-1)
        uw, vw = (u * w).sum(-1), (v * w).sum(-1)
        uu, vv, uv, uw, vw = torch.broadcast_tensors(uu, vv, uv, uw, vw)
        tiny = 1e-30
        crossing = uu * vv - uv * uv
        inner = (uv * vw - vv * uw) / torch.where(crossing > 1e-12 * uu * vv, crossing, torch.ones_like(crossing))
        inner = torch.where(crossing > 1e-12 * uu * vv, inner, torch.zeros_like(inner)).clamp(0.0, 1.0)
        tries = []
        for s in (inner, torch.zeros_like(uu), torch.ones_like(uu)):
            tries.append((s, ((uv * s + vw) / (vv + tiny)).clamp(0.0, 1.0)))
        for t in (torch.zeros_like(uu), torch.ones_like(uu)):
            tries.append((((uv * t - uw) / (uu + tiny)).clamp(0.0, 1.0), t))
        lengths = torch.stack([((w + s[..., None] * u - t[..., None] * v) ** 2).sum(-1) for s, t in tries])
        best = lengths.argmin(0)
        s = torch.stack([pair[0] for pair in tries]).gather(0, best[None])[0]
        t = torch.stack([pair[1] for pair in tries]).gather(0, best[None])[0]
    way = w + s[..., None] * u - t[..., None] * v
    return torch.sqrt((way * way).sum(-1) + 1e-24)
