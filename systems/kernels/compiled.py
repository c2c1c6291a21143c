"""The one place that knows numba: `njit` as every kernel uses it, with a cache that follows the kernels' sources."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config as _config

F = TypeVar("F", bound=Callable[..., Any])

_KEEP = 30 * 86_400  # s, after which the cache of other versions of the kernels is thrown away

config: Any = _config  # its settings are made at run time, no type checker sees them

KERNELS: dict[str, Any] = {}  # "module.function" -> what numba made of it


def _caches() -> Path:
    """Return the folder of this user's caches, by each system's own rule; NUMBA_CACHE_DIR goes before it."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "kinesics" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "kinesics"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kinesics"


def _folder() -> Path:
    """Return where this version of the kernels is cached.

    numba looks at the file of a function alone: after an edit in a kernel that others call, they would go on with
    the old one. A folder named by a hash of all sources cannot be stale.
    """
    h = hashlib.blake2b(digest_size=8)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        h.update(path.read_bytes())
    return _caches() / f"kernels-{h.hexdigest()}"


FOLDER = _folder()


def _drop_others() -> None:
    for other in FOLDER.parent.glob("kernels-*"):
        if other != FOLDER and time.time() - other.stat().st_mtime > _KEEP:
            shutil.rmtree(other, ignore_errors=True)


try:
    if not FOLDER.is_dir():
        FOLDER.mkdir(parents=True)
        _drop_others()
    os.utime(FOLDER)
    IS_CACHED = os.access(FOLDER, os.W_OK)
except OSError:  # no home or a full disk: she runs, and compiles anew at each start
    IS_CACHED = False


def njit(*, cache: bool = True, allocates: bool = True, **options: Any) -> Callable[[F], F]:
    """Return numba's decorator without Python objects, cached in FOLDER where that can be written.

    allocates: False for a kernel that makes no array: three times as fast where it looks at rows one by one; one that
        makes an array all the same is refused when it is compiled

    The host's own numba settings stay as they are, also where numba was imported before this project.
    """

    def compiled(function: F) -> F:
        before, config.CACHE_DIR = config.CACHE_DIR, str(FOLDER)
        try:
            # No wrapper for C: nobody calls kernels from there, and making it was 12 % of all compiling.
            # Without _nrt numba counts no references: each view of a row was counted up and down again, which was three
            # quarters of the time of forward kinematics (2.3 against 0.6 us for 76 joints, the same bits).
            made: Any = cast("Any", numba.njit)(
                cache=cache and IS_CACHED, no_cfunc_wrapper=True, _nrt=allocates, **options
            )(function)
        finally:
            config.CACHE_DIR = before
        KERNELS[f"{function.__module__.rpartition('.')[2]}.{function.__name__}"] = made
        return made

    return compiled
