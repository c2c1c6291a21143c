"""A live voice in memory that two processes share: one writes, one reads, nobody waits for the other."""

from __future__ import annotations

import mmap
import os
import tempfile

import numpy as np

from ...components.arrays import F32

_HEAD = 64  # bytes before the samples: a cache line that holds how many were written, and how many are being


class Ring:
    """The newest samples of one voice. Sample k lies at k % room; what is older than `room` is gone.

    Its memory is a file without a name: it is gone with the last process that has it, however that ends.

    fd: what a child inherits; room: samples held; overruns: samples asked for that were gone
    """

    def __init__(self, fd: int) -> None:
        """Open the ring behind a file descriptor."""
        self.fd = fd
        self._memory = mmap.mmap(fd, 0)
        self.room = (len(self._memory) - _HEAD) // 4
        self._count = np.frombuffer(self._memory, np.int64, 2)
        self._samples = np.frombuffer(self._memory, np.float32, self.room, _HEAD)
        self.overruns = 0

    @classmethod
    def new(cls, room: int) -> Ring:
        """Return an empty ring for so many samples."""
        if hasattr(os, "memfd_create"):
            fd = os.memfd_create("kinesics-voice")
        else:  # not Linux: a file that is unlinked as soon as it is there
            with tempfile.TemporaryFile() as file:
                fd = os.dup(file.fileno())
        try:
            os.ftruncate(fd, _HEAD + 4 * room)
            return cls(fd)
        except (OSError, ValueError):
            os.close(fd)
            raise

    @property
    def written(self) -> int:
        """How many samples were ever written."""
        return int(self._count[0])

    def write(self, samples: F32) -> int:
        """Add samples, (n,) f32, and return how many there are now. One thread of one process writes."""
        first = self.written
        kept = samples[-self.room :]
        at = np.arange(first + len(samples) - len(kept), first + len(samples)) % self.room
        self._count[1] = first + len(samples)  # first: a reader knows that what lay there goes just now
        self._samples[at] = kept
        self._count[0] = first + len(samples)  # last: a reader never believes in samples that are not there yet
        return first + len(samples)

    def read(self, first: int, count: int) -> tuple[F32, int]:
        """Return `count` samples from `first` on, (n,) f32, and how many of them were gone: those read as silence.

        Samples that were not written yet are left out.
        """
        count = max(min(count, self.written - first), 0)
        samples = self._samples[np.arange(first, first + count) % self.room]
        gone = min(max(int(self._count[1]) - self.room - first, 0), count)  # after the copy: it may have run over us
        samples[:gone] = 0.0
        self.overruns += gone
        return samples, gone

    def close(self) -> None:
        """Let go of it. Safe to call twice."""
        if self.fd >= 0:
            self._count, self._samples = np.zeros(2, np.int64), np.zeros(0, np.float32)
            self._memory.close()
            os.close(self.fd)
            self.fd = -1
