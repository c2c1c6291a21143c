"""The store: entities are ints, a component type is a column, and nothing here knows a system."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from .config import Config
from .inbox import Inbox
from .mode import Mode

if TYPE_CHECKING:
    from typing import TypeAlias

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
System: TypeAlias = "Callable[[World], None]"


PART = {"part": True}  # metadata of a field that only an optional part fills: empty, it is in no digest


class World:
    """Everything one tick reads and writes: the state of the tick that is shown.

    Entities keep the order in which they were spawned, so a tick visits them in the same order every run.
    """

    def __init__(self, *, seed: int = 0, config: Config | None = None) -> None:
        self.tick = 0
        self.dt = 1.0 / 60.0  # s
        self.seed = int(seed)
        self.config = config if config is not None else Config.default()
        self.mode = Mode(self.config.run.mode)
        self.inbox = Inbox()
        self.tick_seconds = 0.0  # s, how long the last step took; a measurement, so in no digest
        self._columns: dict[type, dict[int, Any]] = {}
        self._next = 0

    def spawn(self, *components: object) -> int:
        """Return a new entity that holds these components."""
        entity, self._next = self._next, self._next + 1
        for component in components:
            self._columns.setdefault(type(component), {})[entity] = component
        return entity

    def remove(self, entity: int) -> None:
        """Drop an entity with all its components; an unknown one is no error."""
        for column in self._columns.values():
            column.pop(entity, None)

    def drop(self, entity: int, kind: type) -> None:
        """Take one component away; one that is not there is no error."""
        self._columns.get(kind, {}).pop(entity, None)

    def put(self, entity: int, component: object) -> None:
        """Give `entity` this component, in place of the one of the same kind."""
        self._columns.setdefault(type(component), {})[entity] = component

    def get(self, entity: int, kind: type[A]) -> A:
        """Return one component; the error says what the entity has."""
        try:
            return self._columns[kind][entity]
        except KeyError:
            has = sorted(k.__name__ for k, column in self._columns.items() if entity in column)
            raise KeyError(f"entity {entity} has no {kind.__name__}; it has {', '.join(has) or 'nothing'}") from None

    def has(self, entity: int, kind: type) -> bool:
        """Return whether an entity is there and has this component."""
        return entity in self._columns.get(kind, ())

    @overload
    def each(self, a: type[A], /) -> Iterator[tuple[int, A]]: ...
    @overload
    def each(self, a: type[A], b: type[B], /) -> Iterator[tuple[int, A, B]]: ...
    @overload
    def each(self, a: type[A], b: type[B], c: type[C], /) -> Iterator[tuple[int, A, B, C]]: ...
    def each(self, first: type, *rest: type) -> Iterator[tuple[Any, ...]]:
        """Yield `(entity, *components)` for every entity that has all the kinds asked for."""
        found = self._columns.get(first, {}).items()
        if not rest:
            yield from found
            return
        # written out: every system does this for every avatar on every tick, and a generator in it took 1 us each time
        second = self._columns.get(rest[0], {})
        third = self._columns.get(rest[-1], {})
        for entity, component in found:
            if entity in second and entity in third:
                both = (entity, component, second[entity])
                yield both if len(rest) == 1 else (*both, third[entity])

    def step(self, schedule: tuple[System, ...]) -> None:
        """Run one tick of 1/60 s."""
        began = time.perf_counter()
        for system in schedule:
            system(self)
        self.tick += 1
        self.tick_seconds = time.perf_counter() - began

    def digests(self) -> dict[str, str]:
        """Return a hash a component kind: equal digests mean equal bits. Caches and measurements are left out."""
        out = {"World": _hash((self.tick, self.seed, self.mode.name, self.config))}
        for kind in sorted(self._columns, key=lambda k: k.__name__):
            if not getattr(kind, "CACHE", False) and self._columns[kind]:
                out[kind.__name__] = _hash(tuple(self._columns[kind].items()))
        return out

    def digest(self) -> str:
        """Return one hash of everything that `digests` lists."""
        return _hash(tuple(self.digests().items()))

    def copy(self) -> World:
        """Return a second world in the same state, for replays beside the first; frozen assets are shared."""
        twin = World(seed=self.seed, config=self.config)
        twin.tick, twin.mode, twin._next = self.tick, self.mode, self._next
        memo: dict[int, Any] = {}
        for column in self._columns.values():
            for component in column.values():
                _share(component, memo)
        twin._columns = copy.deepcopy(self._columns, memo)
        return twin


def _is_asset(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and bool(value.__dataclass_params__.frozen)  # type: ignore[union-attr]


def _share(value: Any, memo: dict[int, Any]) -> None:
    """Mark frozen assets inside `value` as shared for deepcopy: an avatar's meshes are megabytes.

    Arrays that may only be read too: their copy could be written, which is another type to a kernel, and the rule was
    compiled once more, for 11 s, on a copy's first tick.
    """
    if _is_asset(value) or (isinstance(value, np.ndarray) and not value.flags.writeable):
        memo[id(value)] = value
    elif dataclasses.is_dataclass(value):
        for f in dataclasses.fields(value):
            _share(getattr(value, f.name, None), memo)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _share(item, memo)


def _hash(value: Any) -> str:
    h = hashlib.blake2b(digest_size=16)
    _feed(h, value)
    return h.hexdigest()


def _feed(h: Any, value: Any) -> None:
    """Feed a value's bits into `h`: arrays by bytes, frozen assets by their own digest, the rest by structure."""
    if isinstance(value, np.ndarray):
        h.update(f"{value.dtype.str}{value.shape}".encode())
        h.update(np.ascontiguousarray(value).tobytes())
    elif dataclasses.is_dataclass(value):
        digest = getattr(value, "digest", None)
        if isinstance(digest, str) and digest:
            h.update(digest.encode())
            return
        for f in dataclasses.fields(value):
            held = getattr(value, f.name)
            if held is None and "part" in f.metadata:
                continue
            h.update(f.name.encode())
            _feed(h, held)
    elif isinstance(value, dict):
        for key, item in value.items():
            h.update(repr(key).encode())
            _feed(h, item)
    elif isinstance(value, (set, frozenset)):  # each process orders one anew: a replay differed at tick 0
        _feed(h, sorted(value))
    elif isinstance(value, (list, tuple)):
        h.update(f"[{len(value)}".encode())
        for item in value:
            _feed(h, item)
    else:
        h.update(repr(value).encode())
