"""A user's own bone map: a TOML file that says which node of an avatar is which bone.

[bones]
hips = "pelvis_ctl"       # a node's name
leftEye = 57              # or its number in the file, where names are missing or not unique
jaw = ""                  # she has none, whatever the reader would find
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import AvatarError
from .document import quoted
from .humanoid import BONES
from .nodes import Nodes

SUFFIX = ".bones.toml"  # beside her.glb: her.bones.toml


def beside(avatar: Path) -> Path | None:
    """Return the bone map that lies beside an avatar file, or None."""
    path = avatar.with_suffix(SUFFIX)
    return path if path.is_file() else None


def read_bone_map(path: str | Path) -> dict[str, str | int]:
    """Return VRM 1.0 bone -> node name or number, "" for a bone she shall not have; AvatarError names what is wrong."""
    path = Path(path)
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as cause:
        raise AvatarError(f"{path.name}: cannot be read: {getattr(cause, 'strerror', None) or 'not UTF-8'}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as cause:
        raise AvatarError(f"{path.name}: not TOML: {quoted(str(cause), 90)}") from None
    odd = [key for key in tree if key != "bones"]
    if odd or not isinstance(tree.get("bones"), dict):
        what = f"unknown section or key {quoted(odd[0])}" if odd else "no section [bones]"
        raise AvatarError(f'{path.name}: {what}; a bone map has one section, [bones], with lines like hips = "pelvis"')
    try:
        return check(tree["bones"])
    except AvatarError as error:
        raise AvatarError(f"{path.name}: {error}") from None


def check(bones: Mapping[str, Any]) -> dict[str, str | int]:
    """Return the map if its bones are known and its nodes are names or numbers."""
    for bone, node in bones.items():
        if bone not in BONES:
            raise AvatarError(f"[bones] {quoted(bone)} is no bone{_nearest(bone, BONES, 'bones')}")
        if isinstance(node, bool) or not isinstance(node, str | int):
            raise AvatarError(f'[bones] {bone} = {quoted(node)}: wanted a node\'s name, its number, or "" for none')
    return dict(bones)


def placed(bones: Mapping[str, str | int], nodes: Nodes) -> dict[str, int]:
    """Return VRM 1.0 bone -> node of this file, -1 for a bone she shall not have."""
    found: dict[str, int] = {}
    owner: dict[int, str] = {}
    for bone, given in bones.items():
        node = _node(bone, given, nodes)
        if node in owner:
            raise AvatarError(f"the bone map gives {quoted(nodes.names[node])} to {owner[node]} and to {bone}")
        if node >= 0:
            owner[node] = bone
        found[bone] = node
    return found


def _node(bone: str, given: str | int, nodes: Nodes) -> int:
    if given == "":
        return -1
    if isinstance(given, int):
        if not 0 <= given < len(nodes.names):
            raise AvatarError(f"the bone map says {bone} = {given}; the file has nodes 0..{len(nodes.names) - 1}")
        return given
    same = [node for node, name in enumerate(nodes.names) if name == given]
    if len(same) > 1:
        numbers = ", ".join(map(str, same[:6]))
        raise AvatarError(f"the bone map says {bone} = {quoted(given)}; nodes {numbers} have that name: write a number")
    if not same:
        names = [name for name in nodes.names if name]
        raise AvatarError(
            f"the bone map says {bone} = {quoted(given)}, which is no node{_nearest(given, names, 'nodes')}"
        )
    return same[0]


def _nearest(word: str, known: tuple[str, ...] | list[str], what: str) -> str:
    """Return what exists: the nearest names first, then as many others as one line holds."""
    near = difflib.get_close_matches(word[:60], known[:2000], n=3, cutoff=0.4)
    rest = [name for name in known if name not in near]
    listed = [quoted(name, 40)[1:-1] for name in (*near, *rest)]
    few = listed if what == "bones" else listed[:12]
    return f"; the {what} are {', '.join(few)}" + (
        f" and {len(listed) - len(few)} more" if len(few) < len(listed) else ""
    )
