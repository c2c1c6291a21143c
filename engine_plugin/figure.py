"""An avatar in the scene graph: what write_back drives. Built by geometry."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from panda3d.core import (
    GeomNode,
    ModelNode,
    NodePath,
    PTA_LMatrix4f,
    UnalignedLMatrix4f,
    UserVertexSlider,
    UserVertexTransform,
)

from ..components.arrays import F32, F64, I32
from ..components.errors import KinesicsError
from ..components.rig import Rig

TAG = "kinesics"  # Python tag on her node that holds the Figure


@dataclass(slots=True)
class Matrices:
    """Matrices in Panda's own memory. array: (N, 4, 4) f32, row vectors, writes through to `each`, which Panda reads."""

    memory: PTA_LMatrix4f
    array: F32
    each: tuple[UnalignedLMatrix4f, ...]

    @classmethod
    def of(cls, count: int) -> Matrices:
        """Return `count` identities."""
        memory = PTA_LMatrix4f.emptyArray(max(count, 1))
        array = np.frombuffer(memoryview(memory).cast("B"), dtype=np.float32).reshape(-1, 4, 4)[:count]
        array[:] = np.eye(4)
        return cls(memory, array, tuple(memory[i] for i in range(count)))


@dataclass(slots=True)
class Part:
    """One node with one drawable. mesh: index into Skin.meshes; row: (V',) the mesh's vertices it draws."""

    node: GeomNode
    mesh: int
    row: npt.NDArray[np.int64]


@dataclass(slots=True)
class Figure:
    """An avatar in the scene graph.

    Fields:
        node:        hers: place it, hide it, hang a shader on it
        rig:         joints, in the order of a Pose
        parts:       drawables; counts: (V of each mesh)
        bones:       of the skin, one a (skin, joint) pair that a vertex uses, driven by `bone_matrix`
        bone_joint:  (P,) i32; bone_right: (P, 4, 4) f64, bind matrix and axes
        joint_index: (J,) i32, 0..J-1; joint_right: (J, 4, 4) f64, axes alone
        joint_matrix: J of them; `exposed`: the nodes that take theirs each tick
        sliders:     one a face channel, None where no mesh has the shape
        shade:       the soft disc on the ground, or None
    """

    node: NodePath
    rig: Rig
    joints: NodePath
    parts: list[Part]
    counts: list[int]
    bones: tuple[UserVertexTransform, ...]
    bone_joint: I32
    bone_right: F64
    bone_matrix: Matrices
    joint_index: I32
    joint_right: F64
    joint_matrix: Matrices
    sliders: tuple[UserVertexSlider | None, ...]
    exposed: dict[int, NodePath] = field(default_factory=dict)
    shade: NodePath | None = None

    def expose(self, joint: int | str) -> NodePath:
        """Return the node that follows a joint: reparent things to it. A joint nobody asked for costs nothing a tick.

        joint: index or name as in Rig.names
        """
        index = self.rig.names.index(joint) if isinstance(joint, str) else int(joint)
        if index not in self.exposed:
            node = self.joints.attachNewNode(ModelNode(self.rig.names[index]))
            node.setMat(self.joint_matrix.each[index])
            self.exposed[index] = node
        return self.exposed[index]

    def remove(self) -> None:
        """Take her out of the scene and let go of her memory. Safe to call twice; things hung on joints go with her."""
        if not self.node.isEmpty():
            # The tag and the node hold each other, across a border that Python's collector cannot see.
            self.node.clearPythonTag(TAG)
            self.node.removeNode()
        self.exposed.clear()


def figure_of(node: NodePath) -> Figure:
    """Return the figure whose node this is, or lies above this one; KinesicsError where there is none."""
    holder = node.findNetPythonTag(TAG)
    if holder.isEmpty():
        raise KinesicsError(f"node '{node.getName()}' is no avatar's: pass the `node` of what `spawn` returned")
    return holder.getPythonTag(TAG)
