"""Files from where their authors publish them: resumed, checked, whole or not there at all."""

from __future__ import annotations

import http.client
import os
import shutil
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ..components.errors import DownloadError
from ..components.files import sha256

_CHUNK = 1 << 20  # bytes read at a time
_TIMEOUT = 30.0  # s without a byte
_LOCAL = ("localhost", "127.0.0.1", "::1")  # hosts that may be asked without TLS: tests, mirrors of one's own
_AGAIN = "run the same command again, it goes on from there"
_BUSY = (408, 429, 500, 502, 503, 504)  # answers of a server that may have the file a moment later
LARGEST = 8 << 30  # bytes of one file that says nothing of its size beforehand

Report = Callable[[str], None]


class Unfinished(DownloadError):
    """A file that broke off, or whose server was busy: the next try goes on from where this one ended."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One file. name: under which it is kept, one part of a path; sha256, size: "" and 0 where nobody knows them."""

    url: str
    name: str
    sha256: str = ""
    size: int = 0


def fetch_all(files: Sequence[Wanted], folder: Path, report: Report = lambda text: None) -> list[Path]:
    """Return the files, each fetched if it is not there yet. DownloadError: one line; what came stays for next time."""
    return [fetch(file, folder, report) for file in files]


def fetch(wanted: Wanted, folder: Path, report: Report = lambda text: None) -> Path:
    """Return one file: the one that is there if it is the right one, else fetched, from where the last try ended."""
    if Path(wanted.name).name != wanted.name or wanted.name in ("", ".", ".."):
        raise DownloadError(f"'{wanted.name}' is no name of a file")
    _refuse(wanted.url)
    target, partial = folder / wanted.name, folder / f"{wanted.name}.partial"
    if target.is_file():
        _check(target, wanted)
        report(f"{target}: there already, {_told(target, wanted)}")
        return target
    _receive(wanted, partial, report)
    try:
        _check(partial, wanted)
    except DownloadError:
        _forget(partial)  # the right bytes will not grow out of wrong ones
        raise
    os.replace(partial, target)
    _forget(partial)
    report(f"{target}: {target.stat().st_size} bytes, {_told(target, wanted)}")
    return target


class _Onward(urllib.request.HTTPRedirectHandler):
    """Goes where it is sent, but not out of TLS."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        _refuse(newurl, is_local=req.type == "http")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


_OPENER = urllib.request.build_opener(_Onward)


def ask(request: urllib.request.Request) -> Any:
    """Return the answer to a request, to be closed; DownloadError where it, or what it is sent on to, is not https."""
    _refuse(request.full_url)
    return _OPENER.open(request, timeout=_TIMEOUT)


def _refuse(address: str, *, is_local: bool = True) -> None:
    try:
        url = urllib.parse.urlsplit(address)
        (url.hostname or "").encode("idna")
        address.encode("ascii")
    except ValueError as cause:  # one that cannot be read, or cannot be asked for
        raise DownloadError(f"{address[:200]!r}: no address that can be asked ({cause}); correct it") from None
    if url.scheme != "https" and not (is_local and url.scheme == "http" and url.hostname in _LOCAL):
        raise DownloadError(f"{address}: not fetched, only https is; change the address")


def _told(path: Path, wanted: Wanted) -> str:
    if wanted.sha256:
        return "SHA-256 as published"
    return f"SHA-256 {sha256(path)}: no published hash to hold it against"


def _check(path: Path, wanted: Wanted) -> None:
    size = path.stat().st_size
    if wanted.size and size != wanted.size:
        raise DownloadError(f"{path}: {size} bytes, {wanted.size} were published; delete it and fetch again")
    if wanted.sha256 and (found := sha256(path)) != wanted.sha256.lower():
        raise DownloadError(
            f"{path}: SHA-256 {found}, {wanted.sha256.lower()} was published; delete it and fetch again"
        )


def _receive(wanted: Wanted, partial: Path, report: Report) -> None:
    """Make `partial` whole."""
    if partial.is_symlink() or partial.with_suffix(".tag").is_symlink():  # put there by others: it leads elsewhere
        _forget(partial)
    had = partial.stat().st_size if partial.is_file() else 0
    if had and wanted.size and had == wanted.size:
        return
    tag = _tag(partial)
    if had and not (tag or wanted.sha256):  # nothing would tell a file that has changed since
        had = 0
    request = urllib.request.Request(wanted.url, headers={"User-Agent": "kinesics", "Accept-Encoding": "identity"})
    if had:
        request.add_header("Range", f"bytes={had}-")
        if tag:
            request.add_header("If-Range", tag)
    try:
        with ask(request) as answer:
            _pour(answer, wanted, partial, had, report)
    except urllib.error.HTTPError as cause:
        if cause.code == 416 and had:  # asked to go on from its end: it was whole, or it has become shorter
            if not wanted.sha256:
                _forget(partial)
                raise DownloadError(
                    f"{wanted.url}: has changed since it was begun; run the same command again"
                ) from None
            return
        if cause.code in _BUSY:
            raise Unfinished(f"{wanted.url}: the server says {cause.code} {cause.reason}; {_AGAIN}") from None
        raise DownloadError(f"{wanted.url}: the server says {cause.code} {cause.reason}; fetch it by hand") from None
    except (OSError, http.client.HTTPException, ValueError) as cause:  # ValueError: of where it is sent on to
        why = getattr(cause, "reason", None) or getattr(cause, "strerror", None) or cause.__class__.__name__
        raise Unfinished(f"{wanted.url}: broke off ({' '.join(str(why).split())}); {_AGAIN}") from None


def _pour(answer: Any, wanted: Wanted, partial: Path, had: int, report: Report) -> None:
    goes_on = had > 0 and answer.status == 206 and answer.headers.get("Content-Range", "").startswith(f"bytes {had}-")
    at = had if goes_on else 0
    whole = at + answer.length if answer.length is not None else wanted.size
    most = wanted.size or whole or LARGEST
    if whole > most or most > LARGEST:
        raise DownloadError(f"{wanted.url}: {whole} bytes, at most {min(most, LARGEST)} were expected; not fetched")
    free = shutil.disk_usage(partial.parent).free
    if whole - at > free:
        raise DownloadError(f"{partial.parent}: {free >> 20} MB free, {(whole - at) >> 20} MB are needed; make room")
    tag = answer.headers.get("ETag", "")
    if not goes_on:
        partial.with_suffix(".tag").write_text("" if tag.startswith("W/") else tag, encoding="utf-8")
    with partial.open("ab" if goes_on else "wb") as file:
        at = _copy(answer, file, at, whole, most, wanted, report)
    if whole and at < whole:
        raise Unfinished(f"{wanted.url}: ended after {at} of {whole} bytes; {_AGAIN}")


def _copy(answer: Any, file: IO[bytes], at: int, whole: int, most: int, wanted: Wanted, report: Report) -> int:
    said = at * 10 // whole if whole else 0
    while chunk := answer.read(_CHUNK):
        at += len(chunk)
        if at > most:
            raise DownloadError(f"{wanted.url}: more than the {most} bytes that were expected; not fetched")
        file.write(chunk)
        if whole and at * 10 // whole > said:
            said = at * 10 // whole
            report(f"{wanted.name}: {at >> 20} of {whole >> 20} MB")
    return at


def _tag(partial: Path) -> str:
    try:
        tag = partial.with_suffix(".tag").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
    return tag if tag.isascii() and tag.isprintable() else ""  # it goes into a header


def _forget(partial: Path) -> None:
    partial.unlink(missing_ok=True)
    partial.with_suffix(".tag").unlink(missing_ok=True)
