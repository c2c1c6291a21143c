"""Files come whole or not at all, go on where they broke off, and are the ones that were asked for."""

from __future__ import annotations

import hashlib
import json
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kinesics.components.errors import DownloadError
from kinesics.engine_plugin import download
from kinesics.engine_plugin.cli import main
from kinesics.engine_plugin.download import Wanted, fetch
from kinesics.systems.speech_gesture.offline.published import addresses

DATA = bytes(range(256)) * 400  # 100 kB
HASH = hashlib.sha256(DATA).hexdigest()


@dataclass
class Place:
    """A server of one file. cut: bytes after which it breaks off once; ranges: it can go on; asked: Range headers."""

    address: str = ""
    data: bytes = DATA
    tag: str = '"one"'
    cut: int = 0
    ranges: bool = True
    length: bool = True
    status: int = 200
    onward: str = ""
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def place() -> Iterator[Place]:
    at = Place()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers.get("Range", "")
            at.asked.append(asked)
            first = int(asked.removeprefix("bytes=").rstrip("-")) if asked and at.ranges else 0
            if self.headers.get("If-Range", at.tag) != at.tag:
                first = 0
            if at.onward:
                self.send_response(302)
                self.send_header("Location", at.onward)
                self.end_headers()
                return
            if at.status != 200 or first >= len(at.data):
                self.send_error(at.status if at.status != 200 else 416)
                return
            body = at.data[first:]
            self.send_response(206 if first else 200)
            if first:
                self.send_header("Content-Range", f"bytes {first}-{len(at.data) - 1}/{len(at.data)}")
            if at.length:
                self.send_header("Content-Length", str(len(body)))
            self.send_header("ETag", at.tag)
            self.end_headers()
            self.wfile.write(body[: at.cut] if at.cut else body)
            at.cut = 0

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    at.address = f"http://127.0.0.1:{server.server_port}/a/model.bin"
    yield at
    server.shutdown()
    server.server_close()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_comes_whole_and_is_not_fetched_twice(place: Place, tmp_path: Path) -> None:
    said: list[str] = []
    wanted = Wanted(place.address, "model.bin", HASH, len(DATA))
    assert fetch(wanted, tmp_path, said.append).read_bytes() == DATA
    assert names(tmp_path) == ["model.bin"]
    assert "SHA-256 as published" in said[-1]
    fetch(wanted, tmp_path, said.append)
    assert len(place.asked) == 1
    assert "there already" in said[-1]


def test_without_a_published_hash_its_own_is_told(place: Place, tmp_path: Path) -> None:
    said: list[str] = []
    fetch(Wanted(place.address, "model.bin"), tmp_path, said.append)
    assert f"SHA-256 {HASH}: no published hash to hold it against" in said[-1]


@pytest.mark.parametrize("known", [HASH, ""])
def test_it_goes_on_where_it_broke_off(place: Place, tmp_path: Path, known: str) -> None:
    place.cut = 30_000
    wanted = Wanted(place.address, "model.bin", known)
    with pytest.raises(DownloadError, match="run the same command again, it goes on from there"):
        fetch(wanted, tmp_path)
    assert "model.bin" not in names(tmp_path)
    assert fetch(wanted, tmp_path).read_bytes() == DATA
    assert place.asked == ["", "bytes=30000-"]
    assert names(tmp_path) == ["model.bin"]


@pytest.mark.parametrize("name", ["model.bin.partial", "model.bin.tag"])
def test_a_link_where_it_is_received_is_not_followed(place: Place, tmp_path: Path, name: str) -> None:
    precious, folder = tmp_path / "precious.txt", tmp_path / "in"
    precious.write_bytes(b"mine")
    folder.mkdir()
    (folder / name).symlink_to(precious)
    assert fetch(Wanted(place.address, "model.bin"), folder).read_bytes() == DATA
    assert precious.read_bytes() == b"mine"
    assert names(folder) == ["model.bin"]


def test_a_file_that_changed_in_between_is_fetched_anew(place: Place, tmp_path: Path) -> None:
    place.cut = 30_000
    with pytest.raises(DownloadError):
        fetch(Wanted(place.address, "model.bin"), tmp_path)
    place.tag, place.data = '"two"', DATA[::-1]
    assert fetch(Wanted(place.address, "model.bin"), tmp_path).read_bytes() == DATA[::-1]


def test_one_that_became_shorter_is_told(place: Place, tmp_path: Path) -> None:
    place.cut = 30_000
    with pytest.raises(DownloadError):
        fetch(Wanted(place.address, "model.bin"), tmp_path)
    place.data = DATA[:20_000]
    with pytest.raises(DownloadError, match="has changed since it was begun"):
        fetch(Wanted(place.address, "model.bin"), tmp_path)
    assert fetch(Wanted(place.address, "model.bin"), tmp_path).read_bytes() == DATA[:20_000]


def test_a_server_that_cannot_go_on_sends_it_all_again(place: Place, tmp_path: Path) -> None:
    place.cut, place.ranges = 30_000, False
    with pytest.raises(DownloadError):
        fetch(Wanted(place.address, "model.bin", HASH), tmp_path)
    assert fetch(Wanted(place.address, "model.bin", HASH), tmp_path).read_bytes() == DATA


def test_a_wrong_file_is_not_kept(place: Place, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="was published"):
        fetch(Wanted(place.address, "model.bin", "0" * 64), tmp_path)
    with pytest.raises(DownloadError, match="12 were expected"):
        fetch(Wanted(place.address, "model.bin", "", 12), tmp_path)
    place.length = False
    with pytest.raises(DownloadError, match="more than the 12 bytes"):
        fetch(Wanted(place.address, "model.bin", "", 12), tmp_path)
    assert "model.bin" not in names(tmp_path)


def test_a_wrong_file_that_is_there_is_told_and_left(place: Place, tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_text("mine")
    with pytest.raises(DownloadError, match="delete it and fetch again"):
        fetch(Wanted(place.address, "model.bin", HASH), tmp_path)
    assert (tmp_path / "model.bin").read_text() == "mine"
    assert place.asked == []


def test_what_is_full_is_told_before(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 10_000}))
    with pytest.raises(DownloadError, match="make room"):
        fetch(Wanted(place.address, "model.bin"), tmp_path)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://example.org/model.bin", "only https is"),
        ("file:///etc/passwd", "only https is"),
        ("ftp://127.0.0.1/model.bin", "only https is"),
        ("http://127.0.0.1:1/model.bin", "broke off"),
        ("http://[::1/model.bin", "no address that can be asked"),
        ("https://example.org/ü", "no address that can be asked"),
        (f"https://{'a' * 80}.org/model.bin", "no address that can be asked"),
    ],
)
def test_other_addresses_are_one_line(tmp_path: Path, address: str, said: str) -> None:
    with pytest.raises(DownloadError, match=said) as caught:
        fetch(Wanted(address, "model.bin"), tmp_path)
    assert "\n" not in str(caught.value)


def test_it_is_not_sent_on_to_where_anyone_could_answer(place: Place, tmp_path: Path) -> None:
    place.onward = "http://example.org/model.bin"
    with pytest.raises(DownloadError, match=r"example\.org/model\.bin: not fetched, only https is"):
        fetch(Wanted(place.address, "model.bin"), tmp_path)


def test_it_is_not_sent_on_out_of_tls_to_this_machine() -> None:
    """A server of the net must not make it ask what only this machine can."""
    before, onward = urllib.request.Request("https://example.org/model.bin"), "http://127.0.0.1:1/model.bin"
    with pytest.raises(DownloadError, match=r"127\.0\.0\.1:1/model\.bin: not fetched"):
        download._Onward().redirect_request(before, None, 302, "", Message(), onward)


@pytest.mark.parametrize("onward", ["http://[::1/model.bin", "file:///etc/passwd"])
def test_where_it_is_sent_on_to_may_be_anything(place: Place, tmp_path: Path, onward: str) -> None:
    place.onward = onward
    with pytest.raises(DownloadError) as caught:
        fetch(Wanted(place.address, "model.bin"), tmp_path)
    assert "\n" not in str(caught.value)
    assert "model.bin" not in names(tmp_path)


def test_a_damaged_note_of_the_last_try_begins_anew(place: Place, tmp_path: Path) -> None:
    for note in (b"\xff\xfe", b'"a"\r\nX: y'):
        (tmp_path / "model.bin.partial").write_bytes(DATA[:100][::-1])
        (tmp_path / "model.bin.tag").write_bytes(note)
        assert fetch(Wanted(place.address, "model.bin"), tmp_path).read_bytes() == DATA
        (tmp_path / "model.bin").unlink()


def test_a_page_that_is_gone_is_one_line(place: Place, tmp_path: Path) -> None:
    place.status = 404
    with pytest.raises(DownloadError, match="the server says 404"):
        fetch(Wanted(place.address, "model.bin"), tmp_path)


def test_a_name_never_leaves_its_folder(place: Place, tmp_path: Path) -> None:
    for name in ("../model.bin", "/tmp/model.bin", "..", ""):
        with pytest.raises(DownloadError, match="no name of a file"):
            fetch(Wanted(place.address, name), tmp_path)


def test_the_weights_are_fetched_after_their_terms_are_accepted(
    place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, mirror = tmp_path / "files", place.address.removesuffix("/model.bin")
    arguments = ["speech", "fetch", "-o", str(out), "--mirror", mirror]
    assert main(arguments) == 1  # nobody is there to be asked
    error = capsys.readouterr().err
    assert "theirs, not part of kinesics" in error
    assert error.strip().splitlines()[-1].endswith("read the terms above and add --accept-licence")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    assert main(arguments) == 1
    assert capsys.readouterr().err.strip().splitlines()[-1].endswith("the terms were not accepted")
    assert not out.exists()
    assert place.asked == []
    assert main([*arguments, "--accept-licence", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["files"] == {name: HASH for _, name in addresses("shortcut")}
    assert names(out) == sorted(found["files"])
    assert all(address.startswith("https://") for address, _ in addresses("meanflow"))
