"""The kernels' cache is never stale, never in a host's way, and never needed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import config
from numba.core import types
from numba.core.errors import TypingError

from kinesics.systems.kernels import compiled, warm

ROOT = Path(__file__).parents[2]


def _child(code: str, path: Path, cache: Path) -> str:
    environment = os.environ | {"PYTHONPATH": str(path), "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.long
def test_an_edit_in_a_called_kernel_reaches_the_one_that_calls_it(tmp_path: Path) -> None:
    """Numba looks at the file of a function alone and would go on with the old inner one."""
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    (kernels / "__init__.py").write_text("")
    shutil.copy(ROOT / "systems/kernels/compiled.py", kernels)
    inner = "from .compiled import njit\n\n@njit(cache=True)\ndef f(x):\n    return x + {}\n"
    (kernels / "inner.py").write_text(inner.format(1))
    (kernels / "outer.py").write_text(
        "from .compiled import njit\nfrom . import inner\n\n@njit(cache=True)\ndef g(x):\n    return 10 * inner.f(x)\n"
    )
    ask = "from kernels.outer import g; print(g(1), sum(g.stats.cache_hits.values()))"
    assert _child(ask, tmp_path, tmp_path / "cache") == "20 0"
    assert _child(ask, tmp_path, tmp_path / "cache") == "20 1"  # it is cached at all
    (kernels / "inner.py").write_text(inner.format(2))
    assert _child(ask, tmp_path, tmp_path / "cache") == "30 0"


def test_a_cache_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    ask = "from kinesics.systems.kernels import compiled, spring; print(compiled.IS_CACHED, spring.HALF > spring.step("
    ask += "1.0, 0.0, 0.0, 1.0, 1.0)[0])"
    assert _child(ask, ROOT, blocked) == "False True"


def test_a_hosts_own_numba_settings_stay(tmp_path: Path) -> None:
    ask = "from numba.core import config; config.CACHE_DIR = 'mine'; import kinesics.systems.kernels.quat; "
    assert _child(ask + "print(config.CACHE_DIR)", ROOT, tmp_path) == "mine"


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="NUMBA_DISABLE_JIT is set: nothing is compiled")
def test_a_kernel_that_promised_to_make_no_array_is_refused_when_it_does() -> None:
    def makes(n: int) -> float:
        return np.zeros(n).sum()

    assert compiled.njit(cache=False)(makes)(3) == 0.0
    with pytest.raises(TypingError, match="zeros"):
        compiled.njit(cache=False, allocates=False)(makes)(3)


@pytest.mark.parametrize(
    "argument",
    [
        types.float64,
        types.int64,
        types.boolean,
        types.Array(types.float64, 2, "C"),
        types.Array(types.float32, 3, "A", readonly=True),
        types.Tuple([types.float64, types.Tuple([types.Array(types.int32, 1, "C"), types.boolean])]),
    ],
    ids=str,
)
def test_a_word_says_one_type(argument: types.Type) -> None:
    word = warm._word(argument)
    assert word is not None
    assert " " not in word
    assert warm._type(word) == argument


def test_what_is_listed_fits_the_kernels() -> None:
    """A line that fits none costs its compile time at the first call. Mended by bench/signatures.py, see there."""
    assert warm.warm(warm.listed()) == 0


def test_a_list_older_than_the_kernels_is_no_error() -> None:
    assert warm.warm(["quat.nod f8:1C", "nowhere.mul f8", "quat.mul f8"]) == 3


def test_the_shares_of_several_processes_are_the_whole() -> None:
    lines = sorted(line for number in range(3) for line in warm._share(number, 3))
    assert lines == sorted(warm.listed())
    assert compiled.FOLDER.name.startswith("kernels-")
