"""The ring of live voice: what was written is read, what is gone is counted, nothing stays behind."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.systems.model_process.ring import Ring


@settings(max_examples=60)
@given(blocks=st.lists(st.integers(0, 150), max_size=12), back=st.integers(0, 400), count=st.integers(0, 300))
def test_what_is_read_is_what_was_written_or_counted_as_gone(blocks: list[int], back: int, count: int) -> None:
    ring = Ring.new(100)
    try:
        written = 0
        for block in blocks:
            assert ring.write(np.arange(written, written + block, dtype=np.float32) + 1.0) == written + block
            written += block
        first = max(written - back, 0)
        samples, gone = ring.read(first, count)
        assert len(samples) == min(count, written - first)
        assert gone == min(max(written - 100 - first, 0), len(samples))
        assert ring.overruns == gone
        assert not samples[:gone].any()
        assert np.array_equal(samples[gone:], np.arange(first + gone, first + len(samples)) + 1.0)
    finally:
        ring.close()


def test_a_second_ring_behind_the_same_descriptor_reads_what_the_first_writes() -> None:
    ring = Ring.new(1000)
    other = Ring(os.dup(ring.fd))
    ring.write(np.full(160, 0.25, np.float32))
    assert other.written == 160
    assert np.array_equal(other.read(0, 160)[0], np.full(160, 0.25, np.float32))
    other.close()
    ring.close()


def test_it_has_no_name_that_could_be_left_behind() -> None:
    folder = Path("/dev/shm")
    before = {p.name for p in folder.iterdir()} if folder.is_dir() else set()
    ring = Ring.new(1000)
    link = os.readlink(f"/proc/self/fd/{ring.fd}") if Path("/proc/self/fd").is_dir() else "(deleted)"
    named = {p.name for p in folder.iterdir()} - before if folder.is_dir() else set()
    ring.close()
    ring.close()
    assert link.endswith("(deleted)")
    assert not any("kinesics" in name for name in named)
