"""Our own shader pairs: cheap on a CPU renderer, the same light in every view."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from panda3d.core import Shader


@cache
def pair(name: str, *defines: str) -> Shader:
    """Return the shader NAME.vert + NAME.frag of this folder with these words defined, made once a process."""
    here, words = files(__name__), "".join(f"#define {word}\n" for word in defines)
    source = [(here / f"{name}.{stage}").read_text(encoding="utf-8") for stage in ("vert", "frag")]
    first = [text.index("\n") + 1 for text in source]  # after #version, which must come first
    return Shader.make(Shader.SL_GLSL, *(text[:n] + words + text[n:] for text, n in zip(source, first, strict=True)))
