"""What the training voices say: running speech of prose.txt, and sentences made of sentences.txt, rich in lips (p b m
f v w) and in m/n pairs.

A sentence needs no sense, it needs every pair of neighbouring sounds in a natural melody; running speech has the words
that people say most, and swallows them as people do.
"""

from __future__ import annotations

import random
import re
import zlib
from functools import cache
from pathlib import Path

HELD_OUT = 10  # one sentence in so many is kept for measuring


def sentences(count: int, seed: int, *, held_out: bool = False) -> list[str]:
    """Return sentences, the same ones for the same seed. held_out: of those that no training ever says."""
    draw = random.Random(seed)
    found: list[str] = []
    while len(found) < count:
        said = _made(draw)
        if (zlib.crc32(said.encode()) % HELD_OUT == 0) == held_out:
            found.append(said)
    return found


_PATTERNS = (  # up to which share of sentences, and their form
    (0.25, "{who} {did} {what} {where}."),
    (0.40, "{how}, {who} {did} {what}, and {what} {is}."),
    (0.50, "{ask} {who} {did} {what}?"),
    (0.60, "{where}, {what} {is}, but {what} {is}."),
    (0.75, "{pairs}, {pairs}, {pairs}."),
)

_RUNNING = 0.6  # of what is said (choice)
_AS_WRITTEN = 0.35  # of running speech; the rest is clauses of two lines, for many more neighbours of words


def _made(draw: random.Random) -> str:
    words = _words()
    is_running = draw.random() < _RUNNING
    kind = draw.random()
    pattern = next((pattern for share, pattern in _PATTERNS if kind < share), "")
    if is_running:
        pattern = draw.choice(_prose()) if draw.random() < _AS_WRITTEN else ", ".join(draw.sample(_clauses(), 2)) + "."
    if pattern:
        said = re.sub(r"{(\w+)}", lambda found: draw.choice(words[found[1]]), pattern)
    else:  # words in any order: neighbours that no grammar brings together
        said = " ".join(draw.sample(words["more"], draw.randint(5, 9))) + "."
    return said[0].upper() + said[1:]


@cache
def _prose() -> list[str]:
    """Return the lines of prose.txt."""
    lines = Path(__file__).with_name("prose.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@cache
def _clauses() -> list[str]:
    """Return what stands between the commas of prose.txt, four words at least."""
    parts = [part.strip(' "') for line in _prose() for part in re.split(r"[,.;:?!]", line)]
    return [part for part in parts if part.count(" ") >= 3]


@cache
def _words() -> dict[str, list[str]]:
    """Return the entries of each section of sentences.txt."""
    out: dict[str, str] = {}
    name = ""
    for line in Path(__file__).with_name("sentences.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name = line[1:-1]
            out[name] = ""
        elif line and not line.startswith("#"):
            out[name] += line + " "
    return {name: [entry.strip() for entry in text.split("|") if entry.strip()] for name, text in out.items()}
