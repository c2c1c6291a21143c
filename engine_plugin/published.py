"""Sets of recorded talkers that their authors publish: what may be done with them, and where their files are.

Nothing of them is part of this project. What could not be verified when the table was written is said with each set.
"""

from __future__ import annotations

import http.client
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ..components.errors import DownloadError
from .download import Report, Unfinished, Wanted, ask, fetch

MARK = "published.json"  # in the folder: which set it is, and under what licence it was fetched
_TRIES = 4  # of a file whose transfer broke off; each goes on where the one before ended
_PAUSE = 1.0  # s before the second try, then twice as long each time
_LARGEST_LIST = 64 << 20  # bytes of one page of a listing
_NEXT = re.compile(r'<([^>]+)>\s*;\s*rel="?next"?')


@dataclass(frozen=True, slots=True)
class Published:
    """A set.

    Fields:
        about:    what is in it
        licence:  as its authors state it, and where
        open:     what could not be verified
        files:    URL below which its files are
        paths:    the files, where they are few and fixed
        listing:  URL of the listing of all files, pages of [{"type", "path", "size", "lfs": {"oid", "size"}}]
        folders:  of the listing, only files directly in folders of these names
        speaker:  how a file's name gives the number of who talks, None where it does not
    """

    about: str
    licence: str
    open: str
    files: str
    paths: tuple[str, ...] = ()
    listing: str = ""
    folders: tuple[str, ...] = ()
    speaker: re.Pattern[str] | None = None


_BEAT2 = "datasets/H-Liu1997/BEAT2"
SETS: dict[str, Published] = {
    "beat2": Published(
        about="BEAT2, English: 25 people and more, about 60 hours of talking as SMPL-X with fingers, voice and words",
        licence=(
            "Apache-2.0, as its authors' card at huggingface.co/datasets/H-Liu1997/BEAT2 says. The page of BEAT, which "
            "it was made from (pantomatrix.github.io/BEAT), says non-commercial, and so does the licence of the SMPL-X "
            "model whose joints it uses. Voices and bodies are those of real people. Treat it as non-commercial "
            "research unless its authors tell you otherwise"
        ),
        open="its hours and its number of speakers as others cite them; nobody has fetched it with this version",
        files=f"https://huggingface.co/{_BEAT2}/resolve/main/",
        listing=f"https://huggingface.co/api/{_BEAT2}/tree/main/beat_english_v2.0.0?recursive=true",
        folders=("smplxflame_30", "wave16k", "textgrid"),
        speaker=re.compile(r"^(\d+)_"),
    ),
    "cmu-talk": Published(
        about="eight conversations of the CMU motion capture library as BVH; no fingers, no voice: for 'reflex fit'",
        licence=(
            "free for all uses, but not to be resold as data, even converted (mocap.cs.cmu.edu); as kept at "
            "github.com/una-dinosauria/cmu-mocap"
        ),
        open="that all eight lie under these paths; nobody has fetched them with this version",
        files="https://raw.githubusercontent.com/una-dinosauria/cmu-mocap/"
        "5d98bb6b62b4735d89ff5f53e96899de2b92d8b4/data/",
        paths=tuple(f"0{who}/{who}_{take}.bvh" for take in ("08", "09", "10", "11") for who in (18, 19)),
    ),
}


def of(name: str) -> Published:
    """Return a set; DownloadError with what there is."""
    if name not in SETS:
        raise DownloadError(f"corpus fetch: no published set '{name}' is known; there are {', '.join(SETS)}")
    return SETS[name]


def files(name: str, speakers: Collection[int] = ()) -> list[tuple[Path, Wanted]]:
    """Return the folder, relative, and the file of everything in a set.

    speakers: their numbers, all without any
    DownloadError: no listing, a name in it that would leave the folder, nobody of these numbers.
    """
    chosen = of(name)
    out = []
    for path, size, sha256 in _listed(chosen) if chosen.listing else ((path, 0, "") for path in chosen.paths):
        place = _inside(path)
        if chosen.folders and place.parent.name not in chosen.folders:
            continue
        if speakers:
            who = chosen.speaker.match(place.name) if chosen.speaker else None
            if who is None or int(who.group(1)) not in speakers:
                continue
        url = chosen.files + urllib.parse.quote(path)
        out.append((Path(*place.parent.parts), Wanted(url, place.name, sha256, size)))
    if not out:
        of_whom = f" of speakers {', '.join(map(str, sorted(speakers)))}" if speakers else ""
        raise DownloadError(f"{chosen.listing or chosen.files}: lists no file{of_whom}; has the set moved?")
    return out


def fetch_into(
    folder: Path,
    wanted: list[tuple[Path, Wanted]],
    report: Report = lambda text: None,
    done: Callable[[int], None] = lambda count: None,
) -> None:
    """Fetch every file that is not there yet. What broke off is tried again, from where it ended.

    done: called with how many are there
    """
    for number, (place, file) in enumerate(wanted):
        below = folder
        for part in place.parts:  # a link that was put there would lead out of the folder
            below = below / part
            if below.is_symlink():
                raise DownloadError(f"{below}: is a link; fetch into a new folder")
        below.mkdir(parents=True, exist_ok=True)
        if (below / file.name).is_symlink():
            raise DownloadError(f"{below / file.name}: is a link; fetch into a new folder")
        _patiently(file, below, report)
        done(number + 1)


def _patiently(file: Wanted, folder: Path, report: Report) -> None:
    pause = _PAUSE
    for left in reversed(range(_TRIES)):
        try:
            fetch(file, folder, lambda text: None)
            return
        except Unfinished as cause:
            if not left:
                raise
            report(str(cause))
        time.sleep(pause)
        pause *= 2.0


def _inside(path: str) -> PurePosixPath:
    """Return a listed path if it stays inside the folder on every system, else DownloadError."""
    place = PurePosixPath(path)
    odd = set(path) & set('\\:*?"<>|') or not path.isprintable()
    if (
        place.is_absolute()
        or odd
        or not place.name
        or any(part in ("..", "") or part[0] == "." for part in place.parts)
    ):
        raise DownloadError(f"the listing names {path!r:.80}, which would leave the folder; nothing fetched")
    return place


def _listed(chosen: Published) -> Iterator[tuple[str, int, str]]:
    """Yield path, size and SHA-256 ("" where the listing has none) of every file of a listing, page by page."""
    url, seen = chosen.listing, set[str]()
    while url:
        if url in seen:
            raise DownloadError(f"{url}: its pages go round in a circle; nothing fetched")
        seen.add(url)
        rows, url = _page(url)
        for row in rows:
            if row.get("type") == "file":
                yield _file(row, chosen.listing)


def _file(row: dict[str, Any], listing: str) -> tuple[str, int, str]:
    try:
        large = row.get("lfs") or {}
        size, oid = int(large.get("size", row.get("size", 0))), str(large.get("oid", ""))
        if size < 0:
            raise ValueError(f"size {size}")
        return str(row["path"]), size, oid if re.fullmatch("[0-9a-f]{64}", oid) else ""
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as cause:
        raise DownloadError(f"{listing}: lists {row!r:.80}, which is no file ({cause}); has the set moved?") from None


def _page(url: str) -> tuple[list[dict[str, Any]], str]:
    """Return one page of a listing and the URL of the next, "" for none."""
    request = urllib.request.Request(url, headers={"User-Agent": "kinesics"})
    try:
        with ask(request) as answer:
            data = answer.read(_LARGEST_LIST + 1)
            after = _NEXT.search(answer.headers.get("Link", ""))
        rows = json.loads(data)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows) or len(data) > _LARGEST_LIST:
            raise ValueError("not a list of files")
        following = urllib.parse.urljoin(url, after.group(1)) if after else ""
        is_elsewhere = bool(following) and urllib.parse.urlsplit(following)[:2] != urllib.parse.urlsplit(url)[:2]
    except urllib.error.HTTPError as cause:
        raise DownloadError(f"{url}: the server says {cause.code} {cause.reason}; has the set moved?") from None
    except (OSError, http.client.HTTPException) as cause:
        why = " ".join(str(getattr(cause, "reason", None) or cause.__class__.__name__).split())
        raise DownloadError(f"{url}: cannot be reached ({why}); check the network") from None
    except (ValueError, RecursionError) as cause:
        raise DownloadError(f"{url}: is no listing ({str(cause)[:80]}); has the set moved?") from None
    if is_elsewhere:
        raise DownloadError(f"{url}: its next page is on another host ({following:.80}); nothing fetched")
    return rows, following
