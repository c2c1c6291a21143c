"""What blind grading is about: a sentence she said, the layers a copy of her may run, what was seen, what was graded.

Data only; who draws, keeps and counts is systems/grading. Grades are never a training input: whoever trains imports
nothing of that folder, and refuses a file that `is_grade_store` knows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from .errors import GradingError
from .inbox import Event

GRADES = ("good", "bad")
MARK = 0x6B67_7264  # application id of a grade store, "kgrd", in bytes 68 to 71 of an SQLite file
_MAGIC, _MARK_AT = b"SQLite format 3\0", 68  # sqlite.org/fileformat2.html, section 1.3


@dataclass(frozen=True, slots=True)
class Layer:
    """One thing that a copy may be drawn to run. name: none, rule, or a head's; events: what makes a copy run it."""

    name: str
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """One thing she said, and how to find it again.

    Fields:
        text:    what she said, or ""
        seconds: how long it sounded
        voice:   digest of its Speech
        seed:    of the world
        first, last: ticks of the world between which it is replayed
        digest:  of the world after tick `first`, before the copy goes its own way
        replay:  the replay file that holds the run, "" where nobody kept one
    """

    text: str
    seconds: float
    voice: str
    seed: int
    first: int
    last: int
    digest: str
    replay: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """What the fixed rules say of what was shown. `agrees` is their verdict, MOTION section 11.

    Fields:
        depth_p99, depth_max: mm that an arm is inside her beyond what is allowed
        jerk_p99:   mm/frame^3, wrist shown minus wrist before any rule
        moved_rms:  mm, how far the wrists are from where the motion had them
        refused:    candidates that the gates turned down, and forced: cuts for want of any
    """

    depth_p99: float
    depth_max: float
    jerk_p99: float
    moved_rms: float
    refused: int
    forced: int

    @property
    def is_good(self) -> bool:
        """Whether the fixed rules call it good."""
        return self.depth_p99 <= 1.0 and self.depth_max <= 10.0 and self.jerk_p99 <= 1.0 and not self.forced


@dataclass(frozen=True, slots=True)
class Asked:
    """Something that waits for a grade. id: what to grade it by; pictures: front and side strip; said: the sentence."""

    id: int
    pictures: tuple[Path, ...]
    said: Said
    grades: tuple[str, ...] = field(default=())


def is_grade_store(path: str | Path) -> bool:
    """Return whether a file is a store of grades, whatever it is called, or a folder holds one at any depth."""
    path = Path(path)
    try:
        if path.is_dir():
            return any(is_grade_store(inner) for inner in path.rglob("*") if inner.is_file())
        with path.open("rb") as file:
            head = file.read(_MARK_AT + 4)
    except OSError:
        return False  # what cannot be read is whoever reads it next to complain about
    return head.startswith(_MAGIC) and head[_MARK_AT:] == MARK.to_bytes(4, "big")


def refuse_grades(*paths: str | Path | None) -> None:
    """Raise GradingError where one of these is, or holds, a store of grades: trainers call it for all they read."""
    for path in paths:
        if path is not None and is_grade_store(path):
            raise GradingError(
                f"{path}: is or holds a store of her grades, and grades are never a training input; name another source"
            )
