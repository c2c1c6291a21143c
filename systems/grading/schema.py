"""The tables of a store, none of which can be changed, and the seals that keep a glance at the file from telling."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from ...components.grading import MARK

FORMAT = 1
TABLES = {
    "names": "name TEXT PRIMARY KEY",
    "asked": "id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL, said TEXT, salt BLOB, seal BLOB",
    "ruled": "id INTEGER PRIMARY KEY REFERENCES asked, at REAL, figures BLOB",
    "shown": "id INTEGER PRIMARY KEY REFERENCES asked, at REAL, pictures TEXT",
    "dropped": "id INTEGER PRIMARY KEY REFERENCES asked, at REAL, why TEXT",
    "graded": "id INTEGER REFERENCES shown, turn INTEGER CHECK (turn IN (1, 2)), at REAL, grade TEXT, note TEXT, "
    "PRIMARY KEY (id, turn)",
}


def _prepared() -> str:
    lines = ["BEGIN IMMEDIATE;", f"PRAGMA application_id = {MARK};"]
    for name, columns in TABLES.items():
        lines.append(f"CREATE TABLE IF NOT EXISTS {name}({columns});")
        for change in ("UPDATE", "DELETE"):
            lines.append(
                f"CREATE TRIGGER IF NOT EXISTS {name}_{change} BEFORE {change} ON {name} "
                "BEGIN SELECT RAISE(ABORT, 'a store of grades is only added to'); END;"
            )
    return "\n".join([*lines, f"PRAGMA user_version = {FORMAT};", "COMMIT;"])


PREPARE = _prepared()
DRAWN = "SELECT salt, seal FROM asked WHERE id NOT IN (SELECT id FROM dropped)"
SHOWN = "SELECT asked.id, said, pictures FROM asked JOIN shown USING (id) ORDER BY asked.id"


def seal(salt: bytes, name: str) -> bytes:
    """Return what is written for a layer: two draws of one layer look nothing alike."""
    return hashlib.blake2b(name.encode(), key=salt, digest_size=16).digest()


def behind(names: Iterable[str], salt: bytes, kept: bytes) -> str:
    """Return which of these layers is behind a seal, "" where it is none of them."""
    return next((name for name in names if seal(salt, name) == kept), "")
