"""glTF and VRM files to Body and back, in numpy. `read` is the way in; the writer is `write`."""

from .read import read as read

__all__ = ["read"]
