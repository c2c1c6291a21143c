"""The only folder that knows Panda3D, the sound card and a window. Nothing is imported before it is asked for."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .plugin import AvatarPlugin

__all__ = ["AvatarPlugin"]


def __getattr__(name: str) -> Any:
    # The command line passes through this file too, and answers --help in a tenth of the time Panda3D takes to load.
    if name == "AvatarPlugin":
        from .plugin import AvatarPlugin

        return AvatarPlugin
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
