"""What the collision pass and the rule cost, beside numpy, coal and MuJoCo on the same capsules in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ...components import gltf
from ...components.arrays import F32, F64, I32
from ...components.contacts import Contacts
from ...components.guard import Guard
from ...components.motion import Motion
from ...components.pose import Pose
from ...systems import collide, headless
from ...systems.avatar.handle import hear
from ...systems.collide import tables
from ...systems.kernels import capsule, gaps
from ...systems.schedule import TICK
from . import Figure, entry

FRAMES, NAMED, RUNS, LIBRARY_RUNS = 40, 3, 12, 3
WINDOWS, TICKS = 6, 200  # the quietest window counts: what else runs on the machine only ever adds
TURNS = {"UpperArm": 0.35, "LowerArm": 0.5, "Hand": 0.3}  # rad, how far arms go from the base pose: into her, often

Table = tuple[F64, F32, I32]  # capsules, as single precision, bounds
Pairs = set[tuple[int, int]]


def figures() -> list[Figure]:
    """Return collide.*: the pass with its contacts, the rule's system, and whole ticks with the rule in them."""
    world = headless.world(seed=1)
    frames = _frames(world)
    passed = _us(lambda f: _ours(*f), frames, RUNS)
    wide = _us(lambda f: numpy_contacts(f[1], f[2]), frames, RUNS)
    every = _us(lambda f: _every(*f), frames, RUNS)
    made = [
        entry("collide.pass_us", passed, "us", reference=("numpy", wide)),
        entry("collide.every_pair_us", every, "us", reference=("numpy", wide)),
        entry("collide.pass_share_of_numpy", passed / wide, "", goal=0.25),
        entry("collide.contacts_not_numpys", float(_differ(frames)), "pairs", goal=0.0),
    ]
    for name, build in (("coal", _coal), ("mujoco", _mujoco)):
        try:
            work, named = build(frames)
        except ImportError:
            made.append({"name": f"collide.{name}", "skipped": f"{name} is not installed: pip install kinesics[bench]"})
            continue
        taken = _us(lambda k, work=work: work(k), range(len(frames)), LIBRARY_RUNS)
        found = sum(len((named(k) ^ _found(frames[k])) - _doubtful(frames[k])) for k in range(NAMED))
        made += [
            entry(f"collide.pass_share_of_{name}", passed / taken, "", goal=0.25, reference=(f"{name} us", taken)),
            entry(f"collide.contacts_not_{name}s", float(found), "pairs", goal=0.0),
        ]
    return made + _ticks(world, wide)


def numpy_contacts(caps: F32, bound: I32) -> npt.NDArray[np.intp]:
    """Return the pairs inside each other, (n, 2) columns: the pass in numpy, dot products of all pairs as matrices.

    caps: (7, N) f32, bound: (10,), as in kernels/gaps.py; every pair that can meet is looked at
    """
    lefts, arms, body = bound[gaps.LEFTS], bound[gaps.ARMS], bound[gaps.BODY]
    first = _numpy_gaps(caps[:, :arms], caps[:, body:])
    second = _numpy_gaps(caps[:, :lefts], caps[:, lefts:arms])
    a, b = np.argwhere(first < 0.0), np.argwhere(second < 0.0)
    return np.concatenate([a + np.array([0, body]), b + np.array([0, lefts])])


def _numpy_gaps(a: F32, b: F32) -> F32:
    u, v = a[3:6], b[3:6]
    uu, vv, uv = (u * u).sum(axis=0)[:, None] + 1e-12, (v * v).sum(axis=0)[None] + 1e-12, u.T @ v
    vr = (a[:3].T @ v) - (v * b[:3]).sum(axis=0)
    ur = (u * a[:3]).sum(axis=0)[:, None] - u.T @ b[:3]
    s = np.clip((uv * vr - ur * vv) / np.maximum(uu * vv - uv * uv, 1e-7 * uu * vv), 0.0, 1.0)
    t = np.clip((uv * s + vr) / vv, 0.0, 1.0)
    s = np.clip((uv * t - ur) / uu, 0.0, 1.0)
    square = np.zeros_like(s)
    for k in range(3):
        square += ((a[k, :, None] + s * u[k, :, None]) - (b[k] + t * v[k])) ** 2
    return np.sqrt(square) - a[6][:, None] - b[6]


def _frames(world: headless.World) -> list[Table]:
    """Return her capsules in poses with the arms here and there, free of allowances."""
    guard, motion = world.get(0, Guard), world.get(0, Motion)
    from ...systems.kernels import fk, rotvec

    rig, draw = motion.rig, np.random.default_rng(1)
    position, orientation = np.zeros((len(rig.names), 3)), np.zeros((len(rig.names), 4))
    out = []
    for _ in range(FRAMES):
        rotation = motion.anatomy.base.copy()
        for side in ("left", "right"):
            for part, size in TURNS.items():
                j = rig.humanoid[side + part]
                rotvec.apply(rotation[j], draw.normal(0.0, size, 3), rotation[j])
        fk.world(rig.parent, rig.rest_offset, motion.anatomy.base_root.copy(), rotation, position, orientation)
        joint, shape, bound = guard.tables[0], guard.tables[1], guard.tables[tables.BOUND]
        caps, single = np.zeros_like(shape), np.zeros(shape.shape, np.float32)
        caps[6] = shape[6]
        single[6] = shape[6]
        capsule.place(joint, shape, position, orientation, caps, single)
        for table in (caps, single):
            table[1, shape[6] < 0.0] = 1e3  # columns that fill up: nowhere
        out.append((caps, single, bound))
    return out


_ROOM: dict[str, Any] = {}


def _room(single: F32, bound: I32) -> dict[str, Any]:
    """Return what the pass writes into, made once."""
    if not _ROOM:
        allow = np.zeros((int(bound[gaps.ARMS]), single.shape[1]), np.float32)
        hull = np.zeros((4, 6 + (single.shape[1] - int(bound[gaps.LEFTS])) // gaps.BLOCK), np.float32)
        _ROOM.update(allow=allow, gap=allow.copy(), pair=np.zeros((allow.size, 2), np.int32), hull=hull)
    return _ROOM


def _ours(caps: F64, single: F32, bound: I32) -> I32:
    """Return the pairs inside each other, as the rule's pass finds them."""
    room = _room(single, bound)
    return room["pair"][: gaps.near(single, room["allow"], bound, 0.0, 0.0, room["hull"], room["gap"], room["pair"])]


def _every(caps: F64, single: F32, bound: I32) -> I32:
    """Return the same with every pair measured, those far apart too."""
    room = _room(single, bound)
    gaps.fill(single, room["allow"], bound, room["gap"])
    return room["pair"][: gaps.among(room["gap"], bound, 0.0, 0.0, room["pair"])]


def _touching(frame: Table, sure: float = 0.0) -> Pairs:
    """Return the pairs inside each other by more than `sure` m, in double precision."""
    caps, _, bound = frame
    way, out = np.zeros(6), set()
    for i in range(bound[gaps.ARMS]):
        for j in range(bound[gaps.LEFTS] if i < bound[gaps.LEFTS] else bound[gaps.BODY], caps.shape[1]):
            is_real = caps[6, j] >= 0.0 and not (bound[gaps.ARMS] <= j < bound[gaps.BODY])
            if is_real and capsule.apart(caps, i, j, way) < -sure:
                out.add((i, j))
    return out


def _differ(frames: list[Table]) -> int:
    """Return how many pairs are found by one and not by the other, those within 0.02 mm of touching left out."""
    count = 0
    for frame in frames:
        theirs = set(map(tuple, numpy_contacts(frame[1], frame[2]).tolist()))
        count += len((_found(frame) ^ theirs) - _doubtful(frame))
    return count


def _found(frame: Table) -> Pairs:
    return set(map(tuple, _ours(*frame).tolist()))


def _doubtful(frame: Table) -> Pairs:
    """Return the pairs within 0.02 mm of touching: single precision does not tell them apart."""
    return _touching(frame, -2e-5) - _touching(frame, 2e-5)


def _columns(frames: list[Table]) -> tuple[list[int], list[int], list[int]]:
    """Return the real columns of the left arm, the right arm and the body."""
    caps, _, bound = frames[0]
    lefts, arms, body = (int(bound[k]) for k in (gaps.LEFTS, gaps.ARMS, gaps.BODY))
    return list(range(lefts)), list(range(lefts, arms)), [j for j in range(body, caps.shape[1]) if caps[6, j] >= 0.0]


def _placed(caps: F64, column: int) -> tuple[F64, F64, float]:
    """Return middle, rotation matrix with z along the axis, and length of a capsule."""
    way = caps[3:6, column]
    length = float(np.linalg.norm(way))
    z = way / length if length > 1e-9 else np.array([0.0, 0.0, 1.0])
    x = np.cross([1.0, 0.0, 0.0] if abs(z[0]) < 0.9 else [0.0, 1.0, 0.0], z)
    x /= np.linalg.norm(x)
    return caps[:3, column] + 0.5 * way, np.stack([x, np.cross(z, x), z], axis=1), length


def _coal(frames: list[Table]) -> tuple[Callable[[int], int], Callable[[int], Pairs]]:
    """Return what counts coal's contacts of a frame, by its trees of boxes, and what names them, one by one."""
    import coal as library  # pyright: ignore[reportMissingImports]

    coal: Any = library

    lefts, rights, body = _columns(frames)
    columns = [*lefts, *rights, *body]
    shapes = {c: coal.Capsule(float(frames[0][0][6, c]), _placed(frames[0][0], c)[2]) for c in columns}
    objects = {c: coal.CollisionObject(shape) for c, shape in shapes.items()}
    places = [{c: coal.Transform3s(*_placed(caps, c)[1::-1]) for c in columns} for caps, _, _ in frames]
    trees = [coal.DynamicAABBTreeCollisionManager() for _ in range(3)]
    for tree, chosen in zip(trees, (lefts, rights, body), strict=True):
        for c in chosen:
            tree.registerObject(objects[c])
        tree.setup()

    def work(k: int) -> int:
        for c, made in objects.items():
            made.setTransform(places[k][c])
            made.computeAABB()
        for tree in trees:
            tree.update()
        found = 0
        for one, other in ((0, 2), (1, 2), (0, 1)):
            told = coal.CollisionCallBackDefault()
            told.data.request.num_max_contacts = 100_000
            trees[one].collide(trees[other], told)
            found += told.data.result.numContacts()
        return found

    def named(k: int) -> Pairs:
        pairs = [(i, j) for i in lefts for j in (*rights, *body)] + [(i, j) for i in rights for j in body]
        request, found = coal.CollisionRequest(), set()
        for i, j in pairs:
            if coal.collide(shapes[i], places[k][i], shapes[j], places[k][j], request, coal.CollisionResult()):
                found.add((i, j))
        return found

    return work, named


def _mujoco(frames: list[Table]) -> tuple[Callable[[int], int], Callable[[int], Pairs]]:
    """Return what gives MuJoCo's contacts of a frame: a free body a capsule, three groups that see each other."""
    import mujoco as library  # pyright: ignore[reportMissingImports]

    mujoco: Any = library

    lefts, rights, body = _columns(frames)
    columns = [*lefts, *rights, *body]
    kinds = {**dict.fromkeys(lefts, (1, 6)), **dict.fromkeys(rights, (2, 4)), **dict.fromkeys(body, (4, 0))}
    parts = []
    for c in columns:
        half, (kind, sees) = 0.5 * _placed(frames[0][0], c)[2], kinds[c]
        shape = f'type="capsule" size="{frames[0][0][6, c]} {half}"'
        parts.append(f'<body><freejoint/><geom {shape} contype="{kind}" conaffinity="{sees}" margin="0"/></body>')
    text = f'<mujoco><size memory="200M"/><worldbody>{"".join(parts)}</worldbody></mujoco>'
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    places = []
    for caps, _, _ in frames:
        rows = []
        for c in columns:
            middle, matrix, _ = _placed(caps, c)
            q = np.zeros(4)
            mujoco.mju_mat2Quat(q, np.ascontiguousarray(matrix).ravel())
            rows.append(np.concatenate([middle, q]))
        places.append(np.concatenate(rows))

    def work(k: int) -> int:
        data.qpos[:] = places[k]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        return int(data.ncon)

    def named(k: int) -> Pairs:
        count = work(k)
        geom = data.contact.geom[:count].tolist()
        return {(min(columns[a], columns[b]), max(columns[a], columns[b])) for a, b in geom}

    return work, named


def _ticks(world: headless.World, numpy_us: float) -> list[Figure]:
    """Return what the rule takes of a tick while she speaks, whole ticks with it, and a crowd."""
    world.avatar.say(headless.HELLO)
    for _ in range(120):
        world.step(TICK)
    windows = np.array([_window(world) for _ in range(WINDOWS)]) * 1e6
    one, p50, p99 = windows.min(axis=0).tolist()
    crowd = _crowd_ms()
    reference = ("numpy pass", numpy_us)
    return [
        entry("collide.rule_us", one, "us", reference=reference),
        entry("collide.rule_held_us", _held(world), "us", reference=reference),
        entry("collide.tick_p50_us", p50, "us", goal=80.0, reference=reference),
        entry("collide.tick_p99_us", p99, "us", goal=2.0 * p50),
        entry("collide.crowd_100_ms", crowd, "ms", goal=12.0, reference=("numpy pass", numpy_us * 1e-3)),
        entry("collide.rule_share_of_numpy", one / numpy_us, ""),
        entry("collide.tick_share_of_numpy", p50 / numpy_us, ""),
        entry("collide.crowd_share_of_numpy", 1e3 * crowd / numpy_us, ""),
    ]


def _window(world: headless.World) -> tuple[float, float, float]:
    """Return of some ticks while she speaks: the rule's median, the whole tick's, and its 99th percentile, s."""
    rule, whole = [], []
    for _ in range(TICKS):
        if not world.avatar.speaking:
            world.avatar.say(headless.HELLO)
        began = time.perf_counter()
        for system in TICK:
            before = time.perf_counter()
            system(world)
            if system is collide.resolve:
                rule.append(time.perf_counter() - before)
        world.tick += 1
        whole.append(time.perf_counter() - began)
    p50, p99 = np.percentile(whole, (50, 99))
    return float(np.median(rule)), float(p50), float(p99)


def _crowd_ms() -> float:
    """Return a tick of 100 avatars that all speak, ms."""
    corpus, body = headless.load_corpus(), gltf.read(headless.AVATAR)
    world = headless.World(seed=1)
    speech = hear(headless.HELLO, (), "")
    for _ in range(100):
        headless.spawn(world, body, corpus).post("say", id=1, speech=speech, play=False, interrupt=False)
    times = []
    for _ in range(60 + 6 * 25):
        world.step(TICK)
        times.append(world.tick_seconds)
    return 1e3 * float(np.median(np.reshape(times[60:], (6, 25)), axis=1).min())


def _held(world: headless.World) -> float:
    """Return us of the rule with both hands pressed into her thighs: its worst case is a contact that stays."""
    motion, pose = world.get(0, Motion), world.get(0, Pose)
    from ...systems.kernels import fk, rotvec

    rotation = motion.anatomy.base.copy()
    for side, sign in (("left", -1.0), ("right", 1.0)):
        j = motion.rig.humanoid[side + "UpperArm"]
        rotvec.apply(rotation[j], np.array([0.0, 0.0, 0.15 * sign]), rotation[j])
    world.get(0, Contacts).fresh = True
    times = []
    for _ in range(120):
        pose.rotation[:] = rotation
        fk.world(
            motion.rig.parent, motion.rig.rest_offset, pose.root, pose.rotation, pose.world_position,
            pose.world_rotation,
        )  # fmt: skip
        began = time.perf_counter()
        collide.resolve(world)
        times.append(time.perf_counter() - began)
    return 1e6 * float(np.percentile(times, 50))


def _us(work: Callable[[Any], Any], frames: Any, runs: int) -> float:
    """Return the median over the frames of each one's least time, us: what else runs only ever adds."""
    for frame in frames:
        work(frame)
    least = [min(_timed(partial(work, frame)) for _ in range(runs)) for frame in frames]
    return 1e6 * float(np.median(least))


def _timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
