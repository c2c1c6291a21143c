"""The command `kinesics`: what it says, where it writes, how it ends. One file a noun; each imports its work late."""

from __future__ import annotations

from collections.abc import Sequence

from ...components.errors import KinesicsError
from .messages import complain


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 what was asked for failed, 2 wrong use, 130 interrupted."""
    from .tree import command

    try:
        command()(args=None if arguments is None else list(arguments), prog_name="kinesics")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except KinesicsError as cause:
        complain(str(cause))
        return 1
    except OSError as cause:  # a disk that fills up, a folder that vanishes while she works
        complain(f"{cause.filename or 'a file'}: {cause.strerror or cause}")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0
