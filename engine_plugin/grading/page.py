"""A page of all strips for her person: one HTML file beside the store, no server, no script, no layer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from html import escape
from pathlib import Path
from urllib.parse import quote

from ...components.errors import OutputError
from ...components.grading import Asked
from ...systems.figures.run import write_bytes
from ...systems.grading import Store

NAME = "strips.html"
_STYLE = """
body { margin: 2rem auto; max-width: 76rem; padding: 0 1rem; font: 16px/1.45 system-ui, sans-serif; color: #282c34;
  background: #f3f4f6 }
h1 { font-size: 1.4rem } h1 + p { color: #5a606b; max-width: 46rem }
section { margin: 1.5rem 0; padding: 1rem 1.2rem; background: #fff; border-radius: .6rem }
h2 { margin: 0; font-size: 1.05rem } section p { margin: .2rem 0 .8rem } q { quotes: none }
div { display: flex; gap: 1rem; align-items: flex-start }
figure { flex: 1; margin: 0 } figcaption { color: #5a606b; font-size: .9rem }
img { width: 100%; border: 1px solid #d8dbe0; border-radius: .3rem }
.grade { float: right; padding: .1rem .6rem; border-radius: 1rem; background: #e4e7ec; font-size: .9rem }
.good { background: #cfead6 } .bad { background: #f5d3d0 }
code { padding: .1rem .35rem; background: #eef0f3; border-radius: .25rem }
"""
_SEEN = ("from the front", "from her left and her right")


def write_page(store: Store, out: Path | None = None) -> Path:
    """Write a page of all strips that were ever shown, those that wait for a grade first, and return its path.

    out: default beside the strips; pictures are named relative to it, so the folder may be moved as a whole
    OutputError where it cannot be written, GradingError where the store cannot be read.
    """
    target = store.pictures.parent / NAME if out is None else out
    asked = store.shown()
    ordered = [a for a in asked if not a.grades] + [a for a in reversed(asked) if a.grades]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_bytes("".join(_page(ordered, target.parent)).encode(), target)
    except OSError as cause:
        raise OutputError(f"{target}: the page cannot be written ({cause.strerror}); name another place") from None
    return target


def _page(ordered: list[Asked], folder: Path) -> Iterator[str]:
    waiting = sum(not asked.grades for asked in ordered)
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>Strips to grade: {waiting}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    yield f"<h1>{waiting} to grade, {len(ordered) - waiting} graded</h1>\n"
    yield "<p>Each sentence was replayed on a copy of her through one layer drawn by lot. Which one is not on this "
    yield "page, so it may be looked at before she has graded. <code>kinesics grade table</code> counts.</p>\n"
    for asked in ordered:
        yield from _section(asked, folder)
    yield "</body>\n</html>\n"


def _section(asked: Asked, folder: Path) -> Iterator[str]:
    grade = asked.grades[-1] if asked.grades else ""
    told = f"{asked.grades[0]}, then {grade}" if len(asked.grades) > 1 else grade or "waits for a grade"
    yield f'<section id="{asked.id}">\n<span class="grade {escape(grade)}">{escape(told)}</span>\n'
    yield f"<h2>{asked.id}</h2>\n<p>"
    yield f"<q>{escape(asked.said.text)}</q> " if asked.said.text else ""
    yield f"{asked.said.seconds:.1f} s"
    yield "" if grade else f" · <code>kinesics grade submit {asked.id} good|bad</code>"
    yield "</p>\n<div>\n"
    for path, seen in zip(asked.pictures, _SEEN, strict=False):
        if path.is_file():
            place = quote(Path(os.path.relpath(path, folder)).as_posix())
            picture = f'<a href="{place}"><img src="{place}" loading="lazy" alt="strip {asked.id} {seen}"></a>'
        else:
            picture = "this strip is gone"
        yield f"<figure>{picture}<figcaption>{seen}</figcaption></figure>\n"
    yield "</div>\n</section>\n"
