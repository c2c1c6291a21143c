"""The file's own map from expressions to morphs: VRM 1.0 and VRM 0.x, under VRM 1.0 names."""

from __future__ import annotations

from ..skin import Expression, Mesh
from .document import Table, quoted
from .nodes import Nodes

# VRM 0.x preset -> VRM 1.0 preset
_PRESET_0X = {
    "joy": "happy", "angry": "angry", "sorrow": "sad", "fun": "relaxed", "neutral": "neutral",
    "a": "aa", "i": "ih", "u": "ou", "e": "ee", "o": "oh",
    "blink": "blink", "blink_l": "blinkLeft", "blink_r": "blinkRight",
    "lookup": "lookUp", "lookdown": "lookDown", "lookleft": "lookLeft", "lookright": "lookRight",
    "surprised": "surprised",
}  # fmt: skip
_OVERRIDES = (("blink", "overrideBlink"), ("look", "overrideLookAt"), ("mouth", "overrideMouth"))

Binds = tuple[tuple[int, str, float], ...]


def read_expressions(
    document: Table, nodes: Nodes, meshes: tuple[Mesh, ...], of_node: dict[int, list[int]], warnings: list[str]
) -> dict[str, Expression]:
    """Return the expressions by name; binds that name no morph are dropped with a warning.

    of_node: which of `meshes` each node became
    """
    extensions = document.table("extensions")
    if "VRMC_vrm" in extensions:
        found, other = _vrm1(extensions.table("VRMC_vrm").table("expressions"), meshes, of_node)
    elif "VRM" in extensions:
        of_mesh: dict[int, list[int]] = {}
        for node, rows in of_node.items():
            of_mesh.setdefault(nodes.rows[node].integer("mesh"), []).extend(rows)
        groups = extensions.table("VRM").table("blendShapeMaster").rows("blendShapeGroups")
        found, other = _vrm0(groups, meshes, of_mesh)
    else:
        return {}
    if other:
        warnings.append(f"expressions {quoted(', '.join(sorted(other)))} change materials or lost morphs: not shown")
    return found


def _vrm1(
    table: Table, meshes: tuple[Mesh, ...], of_node: dict[int, list[int]]
) -> tuple[dict[str, Expression], set[str]]:
    found: dict[str, Expression] = {}
    other: set[str] = set()
    for kind in ("preset", "custom"):
        group = table.table(kind)
        for name in group:
            row = group.table(name)
            binds: list[tuple[int, str, float]] = []
            for bind in row.rows("morphTargetBinds"):
                rows = of_node.get(bind.integer("node", -1, low=-1), [])
                got = _binds(meshes, rows, bind.integer("index", 0), bind.number("weight", 1.0))
                binds += got
                other |= set() if got else {name}
            if any(row.rows(key) for key in ("materialColorBinds", "textureTransformBinds")):
                other.add(name)
            blocks = tuple((part, row.label(key)) for part, key in _OVERRIDES)
            blocks = tuple((part, how) for part, how in blocks if how in ("block", "blend"))
            found.setdefault(name, Expression(name, tuple(binds), row.flag("isBinary"), blocks))
    return found, other


def _vrm0(
    groups: list[Table], meshes: tuple[Mesh, ...], of_mesh: dict[int, list[int]]
) -> tuple[dict[str, Expression], set[str]]:
    found: dict[str, Expression] = {}
    other: set[str] = set()
    for row in groups:
        given = row.label("name")
        preset = row.label("presetName").lower()
        name = _PRESET_0X.get(preset) or _PRESET_0X.get(given.lower()) or given or row.where
        binds: list[tuple[int, str, float]] = []
        for bind in row.rows("binds"):
            rows = of_mesh.get(bind.integer("mesh", -1, low=-1), [])
            got = _binds(meshes, rows, bind.integer("index", 0), bind.number("weight", 100.0) / 100.0)
            binds += got
            other |= set() if got else {name}
        if row.rows("materialValues"):
            other.add(name)
        if name not in found:
            found[name] = Expression(name, tuple(binds), row.flag("isBinary"))
    return found, other


def _binds(meshes: tuple[Mesh, ...], rows: list[int], index: int, weight: float) -> list[tuple[int, str, float]]:
    weight = min(max(float(weight), 0.0), 1.0)
    return [(row, meshes[row].morphs[index].name, weight) for row in rows if index < len(meshes[row].morphs)]
