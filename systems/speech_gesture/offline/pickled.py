"""A pickle read without running it: its plain data as they are, its objects as inert records of what they ask for.

Python's own reader calls what a file names, and even one that refuses names can be brought to its knees. This one goes
through the instructions itself, knows the few that plain data need, and calls nothing.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_MARK = object()
_LITERALS = {
    *("BININT", "BININT1", "BININT2", "INT", "LONG", "LONG1", "LONG4", "BINFLOAT", "FLOAT"),
    *("BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "UNICODE", "STRING", "BINSTRING", "SHORT_BINSTRING"),
    *("BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8"),
}
_CONSTANTS: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_TUPLE": tuple,
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
}
_PUT, _GET = ("PUT", "BINPUT", "LONG_BINPUT"), ("GET", "BINGET", "LONG_BINGET")
_SHORT = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_NOTHING = ("PROTO", "FRAME")
_MOST = 4_000_000  # instructions, each of which may take 70 bytes; a vocabulary of 11195 words has 0.2 million
_KEY = 1 << 32  # size of a number that may be a key


class Refused(ValueError):
    """The file holds something else than plain data and the names that were allowed."""


@dataclass(slots=True, eq=False)
class Record:
    """What an object of the file would be made of. name: "module.class"; state: what it would be filled with."""

    name: str
    state: Any = None


def read(data: bytes, is_allowed: Callable[[str, str], bool]) -> Any:
    """Return what a pickle holds. is_allowed: module, name -> may stand in it, as a record. Refused, ValueError."""
    machine = _Machine(is_allowed)
    for count, (opcode, argument, _) in enumerate(pickletools.genops(data)):
        if count >= _MOST:
            raise Refused(f"it has more than {_MOST} instructions")
        if opcode.name == "STOP":
            return machine.pop()
        machine.step(opcode.name, argument)
    raise Refused("it has no end")


class _Machine:
    def __init__(self, is_allowed: Callable[[str, str], bool]) -> None:
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}
        self._is_allowed = is_allowed

    def pop(self) -> Any:
        if not self._stack or self._stack[-1] is _MARK:
            raise Refused("its instructions do not fit together")
        return self._stack.pop()

    def step(self, name: str, argument: Any) -> None:
        if name in _LITERALS:
            self._stack.append(argument)
        elif name in _CONSTANTS:
            self._stack.append(_CONSTANTS[name]())
        elif name in _PUT:
            self._memo[argument] = self._top()
        elif name == "MEMOIZE":
            self._memo[len(self._memo)] = self._top()
        elif name in _GET:
            if argument not in self._memo:
                raise Refused("it refers to what is not there")
            self._stack.append(self._memo[argument])
        elif name == "MARK":
            self._stack.append(_MARK)
        elif name in _SHORT:
            self._stack.append(tuple(reversed([self.pop() for _ in range(_SHORT[name])])))
        elif name not in _NOTHING:
            self._build(name, argument)

    def _build(self, name: str, argument: Any) -> None:
        if name in ("TUPLE", "LIST"):
            items = self._to_mark()
            self._stack.append(tuple(items) if name == "TUPLE" else items)
        elif name == "DICT":
            made: dict[Any, Any] = {}
            _fill(made, self._to_mark())
            self._stack.append(made)
        elif name == "SETITEM":
            value, key = self.pop(), self.pop()
            _fill(self._top(), [key, value])
        elif name == "SETITEMS":
            items = self._to_mark()
            _fill(self._top(), items)
        elif name in ("APPEND", "APPENDS"):
            items = [self.pop()] if name == "APPEND" else self._to_mark()
            if not isinstance(self._top(), list):
                raise Refused("it adds to what is no list")
            self._top().extend(items)
        elif name in ("GLOBAL", "STACK_GLOBAL"):
            self._name(argument)
        elif name in ("REDUCE", "NEWOBJ"):
            self.pop()  # what it would be called with
            called = self.pop()
            if not isinstance(called, Record):
                raise Refused("it calls what has no name")
            self._stack.append(Record(called.name))
        elif name == "BUILD":
            state = self.pop()
            if not isinstance(self._top(), Record):
                raise Refused("it fills what is no object")
            self._top().state = state
        else:
            raise Refused(f"it asks for {name}, which plain data never do")

    def _name(self, argument: Any) -> None:
        if argument is None:
            name, module = self.pop(), self.pop()
        else:
            module, _, name = argument.partition(" ")
        if not isinstance(module, str) or not isinstance(name, str) or not self._is_allowed(module, name):
            raise Refused(f"it asks for {str(module)[:60]}.{str(name)[:60]}; nothing of it was run")
        self._stack.append(Record(f"{module}.{name}"))

    def _top(self) -> Any:
        if not self._stack:
            raise Refused("its instructions do not fit together")
        return self._stack[-1]

    def _to_mark(self) -> list[Any]:
        items: list[Any] = []
        while True:
            if not self._stack:
                raise Refused("its instructions do not fit together")
            item = self._stack.pop()
            if item is _MARK:
                return items[::-1]
            items.append(item)


def _fill(target: Any, items: list[Any]) -> None:
    if not isinstance(target, dict) or len(items) % 2:
        raise Refused("it sets an item of what is no dictionary")
    for key, value in zip(items[::2], items[1::2]):
        if not isinstance(key, str | int):  # others may take for ever to be looked up
            raise Refused(f"it has a dictionary with keys of {type(key).__name__}")
        if isinstance(key, int) and abs(key) >= _KEY:  # so large they can be made to fall on each other
            raise Refused(f"it has a dictionary with a key of {key.bit_length()} bits")
        target[key] = value
