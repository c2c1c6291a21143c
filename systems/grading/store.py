"""Where draws and grades are kept: one SQLite file that is only ever added to.

Every call is a transaction of its own, on the disk when it returns, so that a program that is killed loses nothing it
was told is kept; any thread and any process may call. The draw is made here, from the system's own entropy, and goes
into the copy's inbox and, sealed, into the file: nothing of this class gives it back. systems/grading/table.py alone
breaks the seals.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from ...components.errors import GradingError
from ...components.grading import GRADES, Asked, Figures, Layer, Said, is_grade_store
from ...components.inbox import Inbox
from .schema import DRAWN, FORMAT, PREPARE, SHOWN, behind, seal

SAFE = "EXTRA"  # SQLite's synchronous: on the disk, and its journal's end too, before a call returns
PATIENCE = 10.0  # s that a call waits for another program's to end
RAREST, SLOW = 2, 4  # a layer drawn SLOW times less often than another is twice as likely, at most 2 ** RAREST times:
# enough to stay level, and whoever remembers all draws still guesses the next one little better than by chance (choice)
_FIGURES = "<4d2q"


class Store:
    """A store of grades. path: its file, made with the first draw; pictures: the folder that its strips belong into."""

    def __init__(self, path: str | Path) -> None:
        """Name a store; nothing is read or made yet."""
        self.path = Path(path)
        self.pictures = self.path.with_suffix("") / "strips"

    def draw(self, said: Said, layers: Sequence[Layer], inbox: Inbox) -> int:
        """Draw a layer for a sentence, hand it to a copy's inbox, keep it, and return the id to grade it by.

        layers: what may be drawn; one drawn less often than another is up to four times as likely
        """
        with self._adding() as db:
            for layer in layers:
                db.execute("INSERT OR IGNORE INTO names(name) VALUES (?)", (layer.name,))
            names = [layer.name for layer in layers]
            drawn = [behind(names, salt, kept) for salt, kept in db.execute(DRAWN)]
            counts = [drawn.count(name) for name in names]
            weights = [2.0 ** -min((count - min(counts)) / SLOW, RAREST) for count in counts]
            layer = secrets.SystemRandom().choices(layers, weights)[0]
            salt = secrets.token_bytes(16)
            row = (time.time(), json.dumps(asdict(said)), salt, seal(salt, layer.name))
            number = db.execute("INSERT INTO asked(at, said, salt, seal) VALUES (?, ?, ?, ?)", row).lastrowid
        for event in layer.events:
            inbox.post(event.kind, event.avatar, **event.data)
        return int(number or 0)

    def finish(self, number: int, figures: Figures) -> None:
        """Keep what the fixed rules say of a replay, for the table."""
        values = (figures.depth_p99, figures.depth_max, figures.jerk_p99, figures.moved_rms)
        packed = struct.pack(_FIGURES, *values, figures.refused, figures.forced)
        self._add("INSERT INTO ruled(id, at, figures) VALUES (?, ?, ?)", (number, time.time(), packed))

    def show(self, number: int, pictures: Sequence[str | Path]) -> None:
        """Have a replay wait for its grade: its strips are there. They are kept by name if they lie in `pictures`."""
        names = [self._short(Path(path)) for path in pictures]
        self._add("INSERT INTO shown(id, at, pictures) VALUES (?, ?, ?)", (number, time.time(), json.dumps(names)))

    def drop(self, number: int, why: str) -> None:
        """Take back a draw that will never be shown; one that was shown or taken back already stays as it is."""
        with self._adding() as db:
            if not db.execute("SELECT 1 FROM shown WHERE id = ?", (number,)).fetchone():
                db.execute("INSERT OR IGNORE INTO dropped(id, at, why) VALUES (?, ?, ?)", (number, time.time(), why))

    @property
    def is_begun(self) -> bool:
        """Whether anything was ever kept: a program killed at its very first write leaves an empty file."""
        if not self.path.exists():
            return False
        with self._reading() as db:
            return bool(db.execute("PRAGMA user_version").fetchone()[0])

    def next(self) -> Asked | None:
        """Return the oldest that waits for a grade, None where nothing does."""
        return next(iter(self.waiting()), None)

    def waiting(self) -> list[Asked]:
        """Return everything that waits for a grade, oldest first."""
        return [asked for asked in self.shown() if not asked.grades]

    def shown(self) -> list[Asked]:
        """Return everything that was ever shown, oldest first, with its grades so far."""
        if not self.is_begun:
            return []
        with self._reading() as db:
            return [self._asked(db, *row) for row in db.execute(SHOWN)]

    def has(self, voice: str, seed: int) -> bool:
        """Return whether a voice, by its digest, said in a world of this seed, was shown."""
        return any(asked.said.voice == voice and asked.said.seed == seed for asked in self.shown())

    def submit(self, number: int, grade: str, note: str = "", *, change: bool = False) -> None:
        """Keep a grade, "good" or "bad". GradingError, one line, where there is nothing to grade or it was graded.

        change: it was graded before, and this is meant instead; once, and both are kept
        """
        if grade not in GRADES:
            raise GradingError(f"grade {grade!r:.40}: wanted {' or '.join(GRADES)}")
        if not self.is_begun:
            raise GradingError(f"{number}: {self.path} holds nothing to grade yet; let her say something in training")
        with self._adding() as db:
            if not db.execute("SELECT 1 FROM shown WHERE id = ?", (number,)).fetchone():
                first = next(iter(self.waiting()), None)
                cure = f"the next one is {first.id}" if first is not None else "nothing waits for a grade"
                raise GradingError(f"{number}: no such id to grade; {cure}")
            given = [grade for (grade,) in db.execute("SELECT grade FROM graded WHERE id = ? ORDER BY turn", (number,))]
            if len(given) > 1:
                raise GradingError(f"{number}: was graded {given[0]} and changed to {given[1]}; once is all it may be")
            if given and not change:
                raise GradingError(f"{number}: is graded {given[0]} already; it may be changed once, if that is meant")
            if change and not given:
                raise GradingError(f"{number}: has no grade to change; grade it first")
            row = (number, len(given) + 1, time.time(), grade, note)
            db.execute("INSERT INTO graded(id, turn, at, grade, note) VALUES (?, ?, ?, ?, ?)", row)

    def _asked(self, db: sqlite3.Connection, number: int, said: str, pictures: str) -> Asked:
        grades = db.execute("SELECT grade FROM graded WHERE id = ? ORDER BY turn", (number,))
        paths = tuple(self.pictures / name for name in json.loads(pictures))  # one given in full stays as it is
        return Asked(number, paths, Said(**json.loads(said)), tuple(grade for (grade,) in grades))

    def _short(self, path: Path) -> str:
        try:
            return str(path.resolve().relative_to(self.pictures.resolve()))
        except ValueError:
            return str(path.resolve())

    def _add(self, statement: str, values: tuple[object, ...]) -> None:
        with self._adding() as db:
            try:
                db.execute(statement, values)
            except sqlite3.IntegrityError as cause:
                raise GradingError(f"{values[0]}: no draw that waits for this ({cause})") from None

    @contextmanager
    def _adding(self) -> Iterator[sqlite3.Connection]:
        """Yield the file inside a transaction that is on the disk at the end, or never was."""
        is_new = not self.path.exists()
        if not is_new:
            self._check()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._opened() as db:
                if is_new or not db.execute("PRAGMA user_version").fetchone()[0]:
                    db.executescript(PREPARE)
                db.execute("PRAGMA foreign_keys = ON")
                db.execute(f"PRAGMA synchronous = {SAFE}")
                db.execute("BEGIN IMMEDIATE")
                try:
                    yield db
                    db.execute("COMMIT")
                except BaseException:
                    db.execute("ROLLBACK")
                    raise
        except (sqlite3.Error, OSError) as cause:
            raise GradingError(f"{self.path}: the store of grades cannot be written: {cause}") from None

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        self._check()
        try:
            with self._opened() as db:
                yield db
        except sqlite3.Error as cause:
            raise GradingError(f"{self.path}: the store of grades cannot be read: {cause}") from None

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
        try:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, FORMAT):
                raise GradingError(f"{self.path}: a store of format {version}, this version keeps format {FORMAT}")
            yield db
        finally:
            db.close()

    def _check(self) -> None:
        torn = self.path.with_name(self.path.name + "-journal")  # of a program killed while it wrote: SQLite mends it
        if self.path.stat().st_size and not torn.exists() and not is_grade_store(self.path):
            raise GradingError(f"{self.path}: is no store of grades; name another file, or one that is not there yet")


def figures_of(packed: bytes) -> Figures:
    """Return figures as `finish` kept them."""
    p99, most, jerk, moved, refused, forced = struct.unpack(_FIGURES, packed)
    return Figures(p99, most, jerk, moved, refused, forced)
