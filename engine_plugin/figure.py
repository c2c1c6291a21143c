"""An avatar in the scene graph: what write_back drives. Built by geometry."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from panda3d.core import ModelNode, NodePath, PTA_LMatrix4f, UnalignedLMatrix4f

from ..components.arrays import F32, F64, I32
from ..components.errors import KinesicsError
from ..components.rig import Rig
from ..systems.kernels import placement
from . import axes, memory
from .vertices import Vertices

TAG = "kinesics"  # Python tag on her node that holds the Figure


@dataclass(slots=True)
class Joints:
    """Joints as Panda nodes, all children of one: nested ones would multiply in float32, 2.2e-4 mm off at depth 12.

    A joint that nobody asked for has no node and costs nothing a tick.

    Fields:
        parent:  of the nodes
        index:   (J,) i32, 0..J-1; right: (J, 4, 4) f64, axes alone
        affine:  (J, 3, 4) f64, where the joints are now, Panda's axes, column vectors
        array:   (J, 4, 4) f32, the same as row vectors in Panda's own memory: writing it changes `each`
        exposed: node of each joint that was asked for
    """

    parent: NodePath
    index: I32
    right: F64
    affine: F64
    array: F32
    each: tuple[UnalignedLMatrix4f, ...]
    held: PTA_LMatrix4f
    exposed: dict[int, NodePath] = field(default_factory=dict)

    @classmethod
    def of(cls, count: int, parent: NodePath) -> Joints:
        """Return `count` joints at the origin."""
        held = PTA_LMatrix4f.emptyArray(count)
        array = memory.view(held, np.float32).reshape(-1, 4, 4)
        array[:] = np.eye(4)
        return cls(
            parent,
            np.arange(count, dtype=np.int32),
            np.tile(axes.FROM_PANDA, (count, 1, 1)),
            np.zeros((count, 3, 4)),
            array,
            tuple(held[i] for i in range(count)),
            held,
        )

    def write(self, position: F64, rotation: F64) -> None:
        """Move the joints. position: (J, 3) m, rotation: (J, 4) wxyz, avatar frame."""
        placement.place(axes.TO_PANDA, position, rotation, self.index, self.right, self.affine)
        self.array[:, :, :3] = self.affine.swapaxes(1, 2)  # the one cast
        for joint, node in self.exposed.items():
            node.setMat(self.each[joint])


@dataclass(slots=True)
class Figure:
    """An avatar in the scene graph. node: hers to place, turn and hide; shade: the soft disc on the ground, or None."""

    node: NodePath
    rig: Rig
    vertices: Vertices
    joints: Joints
    shade: NodePath | None = None

    def expose(self, joint: int | str) -> NodePath:
        """Return the node that follows a joint: reparent things to it. joint: index or name as in Rig.names."""
        index = self.rig.names.index(joint) if isinstance(joint, str) else int(joint)
        exposed = self.joints.exposed
        if index not in exposed:
            exposed[index] = self.joints.parent.attachNewNode(ModelNode(self.rig.names[index]))
            exposed[index].setMat(self.joints.each[index])
        return exposed[index]

    def remove(self) -> None:
        """Take her out of the scene and let go of her memory. Safe to call twice; things hung on joints go with her."""
        if not self.node.isEmpty():
            # The tag and the node hold each other, across a border that Python's collector cannot see.
            self.node.clearPythonTag(TAG)
            self.node.removeNode()
        self.joints.exposed.clear()


def figure_of(node: NodePath) -> Figure:
    """Return the figure whose node this is, or lies above this one; KinesicsError where there is none."""
    holder = node.findNetPythonTag(TAG)
    figure = None if holder.isEmpty() else holder.getPythonTag(TAG)
    if figure is None:
        raise KinesicsError(f"node '{node.getName()}' is no avatar's: pass the `node` of what `spawn` returned")
    return figure
