"""The names of what can be heard and heard through, looked up on a thread: asking a sound server may take a second."""

from __future__ import annotations

import threading
from typing import Any

from .. import sound

CHANNELS = {"output": "max_output_channels", "input": "max_input_channels"}


class Devices:
    """Names by kind, "output" or "input": empty until the first look is over, and where there is no sound."""

    def __init__(self) -> None:
        self._names: dict[str, tuple[str, ...]] = {"output": (), "input": ()}
        self._thread: threading.Thread | None = None
        self.fault = ""  # why nothing is found, "" where all is well

    def names(self, kind: str) -> tuple[str, ...]:
        """Return the names found last."""
        return self._names[kind]

    def look(self) -> None:
        """Look again, unless somebody looks already."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._look, name="kinesics-devices", daemon=True)
            self._thread.start()

    def wait(self, seconds: float) -> None:
        """Return when the look is over, or after so long."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _look(self) -> None:
        try:
            library: Any = sound.library()
            with sound.LOCK:
                found = [dict(device) for device in library.query_devices()]
        except sound.Silent as why:
            self.fault = f"{why.state.name}: {why.state.cure}"
            return
        except Exception as cause:  # whatever a driver throws: there are no names then
            self.fault = " ".join(str(cause).split())
            return
        self.fault = "" if found else "no sound device"
        self._names = {kind: tuple(d["name"] for d in found if d[many] > 0) for kind, many in CHANNELS.items()}
