"""Our own shader pairs: cheap on a CPU renderer, the same light in every view."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from panda3d.core import Shader


@cache
def pair(name: str) -> Shader:
    """Return the shader NAME.vert + NAME.frag of this folder, made once a process."""
    here = files(__name__)
    source = [(here / f"{name}.{stage}").read_text(encoding="utf-8") for stage in ("vert", "frag")]
    return Shader.make(Shader.SL_GLSL, *source)
