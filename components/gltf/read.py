"""One avatar file in, one Body out: the order in which the parts of a file are read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np

from ..errors import AvatarError
from ..rig import Rig
from ..skin import Body, Mesh, Skin
from .accessors import Accessors
from .bone_map import beside, check, placed, read_bone_map
from .clothes import wear
from .container import Container
from .document import Table, quoted
from .expressions import read_expressions
from .humanoid import find_humanoid
from .look import read_eyes
from .materials import read_looks
from .mesh import read_meshes, used_skins
from .nodes import read_nodes
from .skeleton import build_skeleton, stand_on_floor
from .springs import read_springs, spring_nodes
from .stance import stand

# Extensions a file may require and still be read right. Those with geometry of their own are refused where they are
# met, by what is packed; what only changes how a surface looks never keeps an avatar from being read.
_READ = frozenset(
    """
    KHR_mesh_quantization KHR_texture_transform KHR_materials_unlit EXT_texture_webp VRM VRMC_vrm
    EXT_meshopt_compression KHR_meshopt_compression KHR_draco_mesh_compression KHR_texture_basisu
    KHR_lights_punctual KHR_xmp_json_ld KHR_animation_pointer
    """.split()  # noqa: SIM905 - one word a line takes three screens
)
_LOOKS = ("KHR_materials_", "EXT_materials_", "VRMC_")


def read(path: str | Path, bones: str | Path | Mapping[str, str | int] | None = None) -> Body:
    """Return an avatar from a .glb, .gltf or .vrm file: rig, skin, expressions and what was guessed or dropped.

    She stands as the file's nodes stand (not in its bind pose), in metres, facing +Z, her left along +X, soles on
    y = 0. Raises AvatarError with one line that names the file, the place in it and the reason.

    bones: a bone map, VRM 1.0 bone -> node name or number, "" for none, or its TOML file, over what the file says;
           without it `NAME.bones.toml` beside the file is used where there is one
    """
    path = Path(path)
    found = beside(path) if bones is None else None
    given = bones if found is None else found
    mapped = check(given) if isinstance(given, Mapping) else read_bone_map(given) if given is not None else {}
    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # checked where it lands
            return _read(path, mapped, found)
    except AvatarError as error:
        raise AvatarError(f"{quoted(path.name, 120)[1:-1]}: {error}") from None
    except MemoryError:
        raise AvatarError(f"{quoted(path.name, 120)[1:-1]}: too large for this machine's memory") from None


def _read(path: Path, mapped: Mapping[str, str | int], found: Path | None) -> Body:
    container = Container(path)
    document, warnings = container.document, list[str]()
    _check_extensions(document)
    accessors = Accessors(container)
    nodes = read_nodes(document, warnings)
    skins = document.rows("skins")
    joints = {n for index in used_skins(document, nodes) for n in skins[index].indices("joints", len(nodes.rows))}
    if found is not None:
        warnings.append(f"{len(mapped)} bones are from {found.name} beside it")
    humanoid = find_humanoid(document, nodes, joints, warnings, placed(mapped, nodes))
    turn, bones = stand(nodes, humanoid, warnings)
    listed = [skins[index].indices("joints", len(nodes.rows)) for index in used_skins(document, nodes)]
    unit = float(np.linalg.norm(turn[1, :3]))
    nodes, worn, off = wear(nodes, joints, bones, listed, unit, warnings)
    joints -= worn
    joints |= spring_nodes(document, nodes, joints | set(bones.values()))
    skeleton = build_skeleton(nodes, joints, bones, turn, warnings, frozenset(off))
    looks = read_looks(document, container, warnings)
    skin, of_node = read_meshes(document, accessors, nodes, skeleton, looks, warnings)
    rig = stand_on_floor(skeleton, skin, warnings)
    _warn_of_loose_joints(rig, skin, warnings)
    springs = read_springs(document, nodes, skeleton, warnings)
    return Body(
        source=path.name,
        format=_format(document),
        rig=rig,
        skin=skin,
        morph_names=_morph_names(skin.meshes),
        expressions=read_expressions(document, nodes, skin.meshes, of_node, warnings),
        springs=springs,
        eyes=read_eyes(document),
        warnings=tuple(warnings),
        digest=container.digest,
        node_names=tuple(nodes.names[node] if node >= 0 else "" for node in rig.node),
    )


def _format(document: Table) -> Literal["glTF", "VRM 0.x", "VRM 1.0"]:
    extensions = document.table("extensions")
    return "VRM 1.0" if "VRMC_vrm" in extensions else "VRM 0.x" if "VRM" in extensions else "glTF"


def _morph_names(meshes: tuple[Mesh, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(morph.name for mesh in meshes for morph in mesh.morphs))


def _warn_of_loose_joints(rig: Rig, skin: Skin, warnings: list[str]) -> None:
    """Clothes with a skeleton of their own beside hers would stay behind when she moves."""
    hips = rig.humanoid["hips"]
    with_her = np.zeros(len(rig.names), bool)
    above = hips
    while above >= 0:
        with_her[above] = True
        above = int(rig.parent[above])
    for joint in range(hips, len(rig.names)):
        with_her[joint] |= rig.parent[joint] >= hips and with_her[rig.parent[joint]]
    count = sum(int(((mesh.weight > 0.5) & ~with_her[mesh.joint]).any(axis=1).sum()) for mesh in skin.meshes)
    if count:
        warnings.append(f"{count} vertices hang on joints that are not below her hips; they stay when she moves")


def _check_extensions(document: Table) -> None:
    required = document.texts("extensionsRequired")
    unknown = [name for name in required if name not in _READ and not name.startswith(_LOOKS)]
    if unknown:
        raise AvatarError(f"it requires {quoted(', '.join(unknown))}, which this version does not read")
