"""A replay file: everything that came from outside, and a digest of every tick, in one file without pickles."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...components import npz
from ...components.config import Config, as_toml, parse
from ...components.errors import ReplayError
from ...components.head import WEIGHTS, Head
from ...components.inbox import Event
from ...components.speech import RATE, Speech, Word
from ...components.world import World
from ..voice.analyse import analyse, with_mouth
from .run import write_bytes

FORMAT = 1
_DIGITS = 16  # hex digits kept of a component's digest: 64 bits
ABSENT = _DIGITS * "0"  # where nobody has such a component on a tick


@dataclass(slots=True)
class Tape:
    """A run being kept for replay.

    Fields:
        seed, config: the world started with; avatar, corpus: file and folder, "" for the shipped ones
        avatar_digest, corpus_digest: what those must hash to
        events: (tick, Event) from outside; kinds: component names in the order of `digests`
        digests: one list a tick, one hex digest a kind
        reflex_digest: what [reflex] file must hash to, "" where that was not kept
        head_digest: what the fence's head must hash to, "" where she began without one
    """

    seed: int
    config: Config
    avatar: str = ""
    corpus: str = ""
    avatar_digest: str = ""
    corpus_digest: str = ""
    events: list[tuple[int, Event]] = field(default_factory=list)
    kinds: tuple[str, ...] = ()
    digests: list[tuple[str, ...]] = field(default_factory=list)
    reflex_digest: str = ""
    head_digest: str = ""

    def record(self, world: World) -> None:
        """Keep the digests of the tick that was just made."""
        digests = world.digests()
        self.kinds += tuple(kind for kind in digests if kind not in self.kinds)  # a fence comes and goes
        self.digests.append(tuple(digests.get(kind, ABSENT)[:_DIGITS] for kind in self.kinds))
        self.events = world.inbox.log


def save(tape: Tape, path: str | Path) -> None:
    """Write a replay file: complete or not at all."""
    arrays: dict[str, Any] = {}
    events = []
    for tick, event in tape.events:
        data = {}
        for key, value in event.data.items():
            data[key] = _packed(value, f"e{len(events)}_{key}", arrays)
        events.append({"tick": tick, "kind": event.kind, "avatar": event.avatar, "data": data})
    head = {
        "format": FORMAT,
        "seed": tape.seed,
        "config": as_toml(tape.config),
        "avatar": tape.avatar,
        "corpus": tape.corpus,
        "avatar_digest": tape.avatar_digest,
        "corpus_digest": tape.corpus_digest,
        "reflex_digest": tape.reflex_digest,
        "head_digest": tape.head_digest,
        "kinds": tape.kinds,
        "events": events,
    }
    arrays["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)
    rows = [[int(d, 16) for d in row] + [0] * (len(tape.kinds) - len(row)) for row in tape.digests]
    arrays["digests"] = np.array(rows, np.uint64).reshape(len(tape.digests), len(tape.kinds))
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    write_bytes(buffer.getvalue(), path)


def load(path: str | Path) -> Tape:
    """Return a tape from its file. ReplayError names what is wrong with it."""
    path = Path(path)
    try:
        held = npz.read(path)
        head = json.loads(held["head"].tobytes())
        if head["format"] != FORMAT:
            raise ReplayError(
                f"{path.name}: replay format {head['format']}, this version reads {FORMAT}. Record it again"
            )
        events = [
            (int(e["tick"]), Event(e["kind"], int(e["avatar"]), {k: _unpacked(v, held) for k, v in e["data"].items()}))
            for e in head["events"]
        ]
        digests = [tuple(f"{int(d):0{_DIGITS}x}" for d in row) for row in held["digests"]]
        return Tape(
            int(head["seed"]), parse(head["config"], path.name), head["avatar"], head["corpus"],
            head["avatar_digest"], head["corpus_digest"], events, tuple(head["kinds"]), digests,
            head.get("reflex_digest", ""), head.get("head_digest", ""),
        )  # fmt: skip
    except ReplayError:
        raise
    except Exception as cause:  # whatever numpy, zipfile and zlib make of damaged bytes
        raise ReplayError(
            f"{path.name}: not a replay file: {cause}. Record one with `kinesics run --replay-out`"
        ) from None


def _packed(value: Any, name: str, arrays: dict[str, Any]) -> Any:
    if isinstance(value, Speech):
        arrays[name] = value.audio
        words = [[w.text, w.start, w.end] for w in value.words]
        arrays[name + "_mouth"] = value.mouth
        return {"speech": name, "words": words, "text": value.text, "digest": value.digest}
    if isinstance(value, Config):
        return {"config": as_toml(value)}
    if isinstance(value, np.ndarray):
        arrays[name] = value
        return {"array": name}
    if isinstance(value, Head):
        for weight in WEIGHTS:
            arrays[f"{name}_{weight}"] = getattr(value, weight)
        return {"head": name, "avatar": value.avatar, "capsules": value.capsules}
    return value


def _unpacked(value: Any, held: dict[str, Any]) -> Any:
    if not isinstance(value, dict):
        return value
    if "speech" in value:
        words = tuple(Word(str(t), float(a), float(b)) for t, a, b in value["words"])
        mouth = held.get(value["speech"] + "_mouth", np.zeros(0, np.int32))
        return with_mouth(analyse(held[value["speech"]], RATE, words=words, text=value["text"]), mouth)
    if "head" in value:
        return Head(value["avatar"], value["capsules"], *(held[f"{value['head']}_{weight}"] for weight in WEIGHTS))
    if "config" in value:
        return parse(value["config"], "replay")
    return held[value["array"]]
