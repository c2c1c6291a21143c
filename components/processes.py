"""Whether a process of this machine still runs: what one left half made is removed only once it is gone."""

from __future__ import annotations

import os


def runs(number: int) -> bool:
    """Return whether a process of this number runs, this one included; where that cannot be told, that it does."""
    if os.name == "nt":  # signal 0 is no question there: it ends the process
        return True
    try:
        os.kill(number, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # somebody else's
        return True
    return True
