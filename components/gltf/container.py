"""A .glb, .gltf or .vrm file opened: its JSON and its bytes, bounds checked before memory is spent."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import struct
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote

from ..errors import AvatarError
from .document import Table, quoted
from .unpack import MAX_UNPACKED, MESHOPT, unpack_view

MAX_FILE = 384 << 20  # bytes; the whole file is held while it is read, and reading must stay below 1 GB
MAX_TEXT = 128 << 20  # bytes of JSON, most of it data URIs
MAX_VALUES = 3_000_000  # JSON values; each takes about 100 bytes, an avatar has about 50 thousand
_GLB = b"glTF"
_JSON_CHUNK, _BIN_CHUNK = 0x4E4F534A, 0x004E4942


class Container:
    """An opened file: `document` is its JSON, `view` gives the bytes of a buffer view."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._hash = hashlib.blake2b(digest_size=16)
        data = self._load(path, "the file")
        self._chunk: memoryview | None = None
        self.document = Table(self._parse(data), "")
        version = self.document.table("asset").text("version", "2.0")
        if not version.startswith("2"):
            raise AvatarError(f"glTF version {quoted(version)} is not read; export it as glTF 2.0")
        self._buffers: dict[int, memoryview] = {}
        self._buffer_rows = self.document.rows("buffers")
        self._view_rows = self.document.rows("bufferViews")
        self._unpacked: dict[int, memoryview] = {}
        self._unpacked_size = 0

    @property
    def digest(self) -> str:
        """Hash of the file's bytes and of every outside file read so far."""
        return self._hash.hexdigest()

    def view(self, index: int, where: str) -> tuple[memoryview, int]:
        """Return the bytes of buffer view `index` and its stride in bytes, 0 for packed."""
        if index >= len(self._view_rows):
            raise AvatarError(f"{where} names buffer view {index}, the file has {len(self._view_rows)}")
        row = self._view_rows[index]
        number = row.integer("buffer", high=len(self._buffer_rows) - 1)
        stride = row.integer("byteStride", 0, high=2**16)
        packed = self._packed(row, number)
        return self._slice(row, number) if packed is None else self._unpack(index, row, packed), stride

    def _slice(self, row: Table, number: int) -> memoryview:
        start, length = row.integer("byteOffset", 0, high=2**40), row.integer("byteLength", high=2**40)
        data = self.buffer(number)
        if start + length > len(data):
            raise AvatarError(f"{row.where} ends at byte {start + length}, its buffer has {len(data)}: truncated?")
        return data[start : start + length]

    def _packed(self, row: Table, number: int) -> Table | None:
        """Return the extension that packs a view; None for plain bytes, which a file may carry beside packed ones."""
        extensions, buffer = row.table("extensions"), self._buffer_rows[number]
        for name in MESHOPT:
            if name in extensions and "uri" not in buffer:
                stands_in = buffer.table("extensions").table(name).flag("fallback")
                if stands_in or number != 0 or self._chunk is None:
                    return extensions.table(name)
        return None

    def _unpack(self, index: int, row: Table, packed: Table) -> memoryview:
        if index not in self._unpacked:
            length = row.integer("byteLength", high=2**40)
            self._unpacked_size += length
            if self._unpacked_size > MAX_UNPACKED:
                raise AvatarError(f"{row.where}: the file unpacks to more than {MAX_UNPACKED >> 20} MB: not read")
            number = packed.integer("buffer", high=len(self._buffer_rows) - 1)
            self._unpacked[index] = memoryview(unpack_view(packed, self._slice(packed, number), length))
        return self._unpacked[index]

    def buffer(self, index: int) -> memoryview:
        """Return the bytes of a buffer: the file's own chunk, a data URI or a file beside it."""
        if index in self._buffers:
            return self._buffers[index]
        row = self._buffer_rows[index]
        length = row.integer("byteLength", high=2**40)
        if "uri" in row:
            data = memoryview(self.outside(row.text("uri"), f"{row.where}.uri"))
        elif self._chunk is not None and index == 0:
            data = self._chunk
        else:
            raise AvatarError(f"{row.where} has no bytes in this file")
        if length > len(data):
            raise AvatarError(f"{row.where} declares {length} bytes, {len(data)} are there: truncated?")
        self._buffers[index] = data[:length]
        return self._buffers[index]

    def outside(self, uri: str, where: str) -> bytes:
        """Return the bytes a URI names: a base64 data URI, or a file in the avatar's folder and nowhere else."""
        if uri[:5].lower() == "data:":
            head, comma, body = uri.partition(",")
            if not comma or not head.lower().endswith(";base64"):
                raise AvatarError(f"{where} is a data URI that is not base64")
            try:
                return base64.b64decode(unquote(body) if "%" in body else body, validate=True)
            except (binascii.Error, ValueError):
                raise AvatarError(f"{where} is a data URI with broken base64") from None
        name = unquote(uri)
        leaves = ":" in name or "\0" in name or "\\" in name or name.startswith("/") or ".." in name.split("/")
        folder = os.path.realpath(self.path.parent)
        target = folder if leaves else os.path.realpath(os.path.join(folder, name))
        if leaves or not target.startswith(folder.rstrip(os.sep) + os.sep):
            raise AvatarError(f"{where} is {quoted(uri)}, which leaves the avatar's folder: not read")
        return self._load(Path(target), f"{where} {quoted(uri)}")

    def _load(self, path: Path, what: str) -> bytes:
        try:
            if path.is_dir():
                raise AvatarError(f"{what} is a folder")
            if path.exists() and not path.is_file():
                raise AvatarError(f"{what} is no regular file")
            size = path.stat().st_size
            if size > MAX_FILE:
                raise AvatarError(f"{what} has {size >> 20} MB, at most {MAX_FILE >> 20} MB are read")
            data = path.read_bytes()
        except (OSError, ValueError) as error:  # ValueError: a NUL or a lone surrogate in the name
            reason = getattr(error, "strerror", None) or "bad name"
            raise AvatarError(f"{what} cannot be read: {reason}") from None
        self._hash.update(data)
        return data

    def _parse(self, data: bytes) -> dict[str, Any]:
        text: bytes | memoryview = data
        if data[:4] == _GLB:
            text = self._chunks(data)
        elif data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b""):
            raise AvatarError(f"not a glTF or VRM file, it starts with {quoted(data[:8])}; export it as .glb or .vrm")
        head = bytes(text)
        values = head.count(b",") + head.count(b"[") + head.count(b"{")
        if len(head) > MAX_TEXT or values > MAX_VALUES:
            raise AvatarError(f"its JSON has {len(head) >> 20} MB and up to {values} values: not read")
        try:
            parsed = json.loads(str(head, "utf-8-sig"), parse_constant=_no_constant)
        except RecursionError:
            raise AvatarError("its JSON is nested too deeply") from None
        except AvatarError:
            raise
        except ValueError as error:  # broken JSON, broken UTF-8, an endless integer
            raise AvatarError(f"its JSON cannot be read: {quoted(str(error), 90)}") from None
        if not isinstance(parsed, dict):
            raise AvatarError("its JSON is no object")
        return parsed

    def _chunks(self, data: bytes) -> memoryview:
        """Return the JSON chunk of a .glb and keep its binary chunk."""
        if len(data) < 20:
            raise AvatarError(f"truncated: {len(data)} bytes, a .glb has at least 20")
        version, length = struct.unpack_from("<II", data, 4)
        if version != 2:
            raise AvatarError(f"glTF version {version} is not read; export it as glTF 2.0")
        if length > len(data):
            raise AvatarError(f"truncated: it declares {length} bytes and has {len(data)}")
        whole, at, text = memoryview(data)[:length], 12, None
        while at + 8 <= length:
            size, kind = struct.unpack_from("<II", whole, at)
            if at + 8 + size > length:
                raise AvatarError(f"truncated: a chunk at byte {at} declares {size} bytes, {length - at - 8} are there")
            chunk = whole[at + 8 : at + 8 + size]
            if text is None:
                if kind != _JSON_CHUNK:
                    raise AvatarError("broken .glb: its first chunk is not JSON")
                text = chunk
            elif kind == _BIN_CHUNK and self._chunk is None:
                self._chunk = chunk
            at += 8 + size + (-size) % 4
        if text is None:
            raise AvatarError("broken .glb: it has no chunks")
        return text


def _no_constant(name: str) -> NoReturn:
    raise AvatarError(f"its JSON holds {name}, wanted finite numbers")
