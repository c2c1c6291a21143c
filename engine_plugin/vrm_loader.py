"""A .vrm file through the host's own loader: `loader.loadModel("her.vrm")`, as a figure that stands still."""

from __future__ import annotations

from typing import Any

from direct.directnotify.DirectNotifyGlobal import directNotify
from panda3d.core import Filename, LoaderOptions, ModelRoot, NodePath, PandaNode, ShaderAttrib

from ..components import gltf
from ..components.errors import KinesicsError
from . import scene

notify = directNotify.newCategory("kinesics")


class VrmLoader:
    """What Panda asks for a file whose name ends in .vrm; registered by the entry point group `panda3d.loaders`.

    The figure stands in the file's rest pose and is lit by the host. `AvatarPlugin.spawn` makes one that moves.
    """

    extensions = ("vrm",)
    supports_compressed = False

    @staticmethod
    def load_file(path: Filename, options: LoaderOptions, record: Any = None) -> PandaNode | None:
        """Return the figure's node, or None with one line of warning where the file is no avatar."""
        try:
            figure = scene.dress(gltf.read(path.toOsSpecific()), own_light=False, shade=False)
        except KinesicsError as cause:
            notify.warning(str(cause))  # raised, it would be printed as a traceback
            return None
        root = ModelRoot(path.getBasename())
        skin = figure.node.find("skin").copyTo(NodePath(root))
        for part in skin.findAllMatches("**/+GeomNode"):
            # What our shader is told about a part means nothing to the host's, and Panda's model cache cannot keep it.
            part.node().clearAttrib(ShaderAttrib.getClassType())
        figure.remove()  # her joints would drive nothing: Panda hands out copies of what it has loaded
        return root
