"""`kinesics fence export`: an avatar for the fence's trainer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .first import compile_first
from .messages import print_json, say
from .options import ConfigFile, Json, ends_in, read_config
from .outputs import claim


def export(
    file: Annotated[
        Path | None, typer.Argument(metavar="[F]", help="A glb, gltf or VRM file; without it the shipped woman.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="E.npz", help="What is trained on.")] = Path("fence.npz"),
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Export rig, capsules, base pose and live poses read back from the renderer, and hold them against each other."""
    from panda3d.core import loadPrcFileData

    read_config(config)
    ends_in(out, ".npz", "--out")
    claim([out], [file, config])
    loadPrcFileData(
        "fence export", "window-type none\naudio-library-name null\nkinesics-sound false\nnotify-level-device fatal"
    )
    compile_first()
    from direct.showbase.ShowBase import ShowBase

    from ...systems.fence.offline.export import save, verify
    from ..fence_export import export as taken

    made = taken(ShowBase(windowType="none"), file)
    worst = verify(made)
    save(out, made)
    found = {
        "file": str(out), "avatar": made.source, "joints": len(made.rig.names), "capsules": len(made.capsules.joint),
        "poses": len(made.rotation), "worst_mm": 1e3 * worst, "rig_digest": made.rig.digest,
        "capsules_digest": made.capsules.digest,
    }  # fmt: skip
    if as_json:
        print_json(found)
    else:
        say(f"{made.source}: {found['joints']} joints, {found['capsules']} capsules, {found['poses']} live poses")
        say(f"renderer and trainer agree to {1e3 * worst:.1e} mm, 1e-4 mm are allowed")
