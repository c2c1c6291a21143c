"""Published talkers are fetched once their licence is accepted: resumed, checked, and never outside their folder."""

from __future__ import annotations

import hashlib
import io
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesics.components.errors import DownloadError
from kinesics.engine_plugin import published
from kinesics.engine_plugin.cli import main

BYTES = np.random.default_rng(7).bytes(300_000)


@dataclass
class Server:
    """A host with one set. files: path -> bytes; rows: what its listing says; asked: every request and its range.

    breaks: how many more answers end half way; ranges: whether it goes on where it is asked to
    """

    files: dict[str, bytes] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    breaks: int = 0
    ranges: bool = True
    page: int = 2
    listing: bytes = b""  # instead of rows
    url: str = ""
    onward: str = ""  # where the listing sends on to
    busy: int = 0  # how many more files are answered with 503

    def add(self, path: str, data: bytes, sha256: str | None = None) -> None:
        oid = hashlib.sha256(data).hexdigest() if sha256 is None else sha256
        self.files[path] = data
        self.rows.append({"type": "file", "path": path, "size": 130, "lfs": {"oid": oid, "size": len(data)}})

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path, _, query = request.path.partition("?")
        self.asked.append((path, request.headers.get("Range", "")))
        if path == "/tree" and self.onward:
            request.send_response(302)
            request.send_header("Location", self.onward)
            request.end_headers()
            return
        if path == "/tree":
            at = int(re.search(r"at=(\d+)|$", query).group(1) or 0)
            data = self.listing or json.dumps(self.rows[at : at + self.page]).encode()
            more = not self.listing and at + self.page < len(self.rows)
            request.send_response(200)
            if more:
                request.send_header("Link", f'<{self.url}/tree?at={at + self.page}>; rel="next"')
            request.send_header("Content-Length", str(len(data)))
            request.end_headers()
            request.wfile.write(data)
            return
        if self.busy:
            self.busy -= 1
            request.send_error(503)
            return
        data = self.files.get(path.removeprefix("/files/"))
        if data is None:
            request.send_error(404)
            return
        first = int(re.search(r"bytes=(\d+)-|$", request.headers.get("Range", "")).group(1) or 0)
        first = first if self.ranges else 0
        request.send_response(206 if first else 200)
        request.send_header("ETag", '"one"')
        if first:
            request.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        request.send_header("Content-Length", str(len(data) - first))
        request.end_headers()
        rest = data[first:]
        if self.breaks:
            self.breaks -= 1
            rest = rest[: len(rest) // 2]
            request.close_connection = True
        request.wfile.write(rest)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    host = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host.answer(self)

        def log_message(self, *_: object) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
    host.url = f"http://127.0.0.1:{listening.server_port}"
    monkeypatch.setattr(published, "_PAUSE", 0.001)
    monkeypatch.setitem(
        published.SETS,
        "test",
        published.Published(
            "talkers of numbers", "CC0-1.0, as this test says", "nothing", f"{host.url}/files/",
            listing=f"{host.url}/tree?at=0", folders=("smplxflame_30", "wave16k"), speaker=re.compile(r"^(\d+)_"),
        ),
    )  # fmt: skip
    for who, name in ((1, "ann"), (2, "bob")):
        host.add(f"set/smplxflame_30/{who}_{name}.npz", BYTES[: 100_000 * who])
        host.add(f"set/wave16k/{who}_{name}.wav", BYTES[5:90_000])
    host.add("set/weights/model.bin", BYTES)
    yield host
    listening.shutdown()
    listening.server_close()


def fetch(out: Path, *more: str) -> int:
    return main(["corpus", "fetch", "test", "-o", str(out), *more])


def held(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*.*")) if path.is_file()}


def wanted(server: Server) -> dict[str, bytes]:
    return {path: data for path, data in server.files.items() if "weights" not in path}


def test_the_licence_is_shown_and_without_a_yes_nothing_is_asked_for(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fetch(tmp_path / "a") == 1
    said = capsys.readouterr().err
    assert "CC0-1.0, as this test says" in said
    assert "--accept-licence" in said.splitlines()[-1]
    assert not server.asked
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("answer", ["n\n", "", "y\n"])
def test_at_a_terminal_it_asks_and_only_a_yes_is_one(
    server: Server, tmp_path: Path, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal(answer))
    said_yes = answer == "y\n"
    assert (fetch(tmp_path / "a") == 0) == said_yes
    assert bool(server.asked) == said_yes
    assert (tmp_path / "a").exists() == said_yes


def test_every_published_set_says_its_licence_and_what_is_not_known() -> None:
    for chosen in published.SETS.values():
        assert chosen.licence
        assert chosen.open
        assert chosen.files.startswith(("https://", "http://127.0.0.1"))


def test_a_set_arrives_whole_over_pages_and_only_what_is_talkers(server: Server, tmp_path: Path) -> None:
    assert fetch(tmp_path / "a", "--accept-licence") == 0
    found = held(tmp_path / "a")
    assert json.loads(found.pop("published.json"))["licence"] == "CC0-1.0, as this test says"
    assert found == wanted(server)
    assert len([path for path, _ in server.asked if path == "/tree"]) == 3
    server.asked.clear()
    assert fetch(tmp_path / "a", "--accept-licence") == 0  # again: nothing is fetched twice
    assert {path for path, _ in server.asked} == {"/tree"}


def test_only_the_people_who_are_named(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fetch(tmp_path / "a", "--accept-licence", "--speakers", "2") == 0
    assert {Path(path).name for path in held(tmp_path / "a")} == {"2_bob.npz", "2_bob.wav", "published.json"}
    assert fetch(tmp_path / "b", "--accept-licence", "--speakers", "9") == 1
    assert "no file of speakers 9" in capsys.readouterr().err
    assert fetch(tmp_path / "b", "--accept-licence", "--speakers", "bob") == 2


def test_a_transfer_that_breaks_off_goes_on_from_there(server: Server, tmp_path: Path) -> None:
    server.breaks = 2
    assert fetch(tmp_path / "a", "--accept-licence") == 0
    found = held(tmp_path / "a")
    found.pop("published.json")
    assert found == wanted(server)
    assert [asked for _, asked in server.asked if asked] == ["bytes=50000-", "bytes=75000-"]


def test_one_that_always_breaks_ends_in_one_line_and_the_next_run_goes_on(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.breaks = 4
    assert fetch(tmp_path / "a", "--accept-licence") == 1
    assert "goes on from there" in capsys.readouterr().err.strip().splitlines()[-1]
    assert fetch(tmp_path / "a", "--accept-licence") == 0
    assert [asked for _, asked in server.asked if asked][:4] == [
        "bytes=50000-", "bytes=75000-", "bytes=87500-", "bytes=93750-",
    ]  # fmt: skip


def test_a_host_that_knows_no_ranges_sends_it_anew(server: Server, tmp_path: Path) -> None:
    server.breaks, server.ranges = 1, False
    assert fetch(tmp_path / "a", "--accept-licence") == 0
    found = held(tmp_path / "a")
    found.pop("published.json")
    assert found == wanted(server)


def test_other_bytes_than_were_published_are_not_kept(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.add("set/wave16k/3_eve.wav", BYTES[:1000], "0" * 64)
    assert fetch(tmp_path / "a", "--accept-licence") == 1
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert "0" * 64 in last
    assert not list((tmp_path / "a").rglob("3_eve*"))


@pytest.mark.parametrize(
    "path",
    [
        "../wave16k/1_a.wav", "/etc/wave16k/1_a.wav", "set/../../wave16k/1_a.wav", "C:\\wave16k/1_a.wav",
        "set\\wave16k/1_a.wav", "set/wave16k/1_a.wav\n", "set/wave16k/.bashrc", "set/.ssh/wave16k/1_a.wav",
        "set/wave16k/1_a.wav:stream", "set/wave16k/1_\ud800.wav", "",
    ],
)  # fmt: skip
def test_a_listing_that_would_leave_the_folder_is_refused(server: Server, path: str) -> None:
    server.add(path, b"x")
    with pytest.raises(DownloadError, match="would leave the folder"):
        published.files("test")  # before any file is asked for
    assert {asked for asked, _ in server.asked} == {"/tree"}


def test_a_link_in_the_folder_is_not_followed(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fetch(tmp_path / "a", "--accept-licence", "--speakers", "1") == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "a" / "set" / "wave16k" / "1_ann.wav").unlink()
    (tmp_path / "a" / "set" / "wave16k").rmdir()
    (tmp_path / "a" / "set" / "wave16k").symlink_to(elsewhere)
    assert fetch(tmp_path / "a", "--accept-licence", "--speakers", "1") == 1
    assert "is a link" in capsys.readouterr().err
    assert not list(elsewhere.iterdir())


def test_a_file_that_is_not_there_is_named(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del server.files["set/wave16k/1_ann.wav"]
    assert fetch(tmp_path / "a", "--accept-licence") == 1
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert "404" in last
    assert "1_ann.wav" in last


@pytest.mark.parametrize("data", [b"{}", b"[1]", b"<html>", b"\xff\xfe"])
def test_what_is_no_listing_is_told(server: Server, data: bytes) -> None:
    server.listing = data
    with pytest.raises(DownloadError, match="is no listing"):
        published.files("test")


@pytest.mark.parametrize(
    "row",
    [
        {"type": "file"}, {"type": "file", "path": "a", "lfs": [1]}, {"type": "file", "path": "a", "size": None},
        {"type": "file", "path": "a", "size": -5}, {"type": "file", "path": "a", "size": "many"},
    ],
)  # fmt: skip
def test_a_listing_of_what_are_no_files_is_told_in_one_line(server: Server, row: dict[str, Any]) -> None:
    server.rows.insert(0, row)
    with pytest.raises(DownloadError, match="is no file") as caught:
        published.files("test")
    assert "\n" not in str(caught.value)


def test_a_listing_is_not_asked_for_where_anyone_could_answer(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its hashes are what the files are held against."""
    elsewhere = published.Published("", "", "", "https://example.org/", listing="http://example.org/tree")
    monkeypatch.setitem(published.SETS, "elsewhere", elsewhere)
    with pytest.raises(DownloadError, match="only https is"):
        published.files("elsewhere")
    server.onward = "http://example.org/tree"
    with pytest.raises(DownloadError, match=r"example\.org/tree: not fetched, only https is"):
        published.files("test")


def test_a_server_that_is_busy_is_asked_again(server: Server, tmp_path: Path) -> None:
    server.busy = 3
    assert fetch(tmp_path / "a", "--accept-licence") == 0
    found = held(tmp_path / "a")
    found.pop("published.json")
    assert found == wanted(server)


def test_a_set_larger_than_allowed_or_another_folder_is_refused_first(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.rows[0]["lfs"]["size"] = 10**12
    assert fetch(tmp_path / "a", "--accept-licence") == 1
    assert "raise --most" in capsys.readouterr().err
    assert fetch(tmp_path / "a", "--accept-licence", "--most", "5000") == 1
    assert "make room" in capsys.readouterr().err
    other = tmp_path / "mine"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    assert fetch(other, "--accept-licence") == 1
    assert "holds something else" in capsys.readouterr().err
    assert main(["corpus", "fetch", "nothing", "-o", str(tmp_path / "a")]) == 1
    assert "there are beat2" in capsys.readouterr().err


def test_where_there_is_no_network_it_says_so(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = published.SETS["test"]
    monkeypatch.setitem(
        published.SETS, "test",
        published.Published(chosen.about, chosen.licence, chosen.open, chosen.files, listing="http://127.0.0.1:1/tree"),
    )  # fmt: skip
    assert fetch(tmp_path / "a", "--accept-licence") == 1
    assert "cannot be reached" in capsys.readouterr().err
