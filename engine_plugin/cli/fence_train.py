"""`kinesics fence train` and `evaluate`: a head from nothing by one command, and what it is worth."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from .messages import print_json, say
from .options import AvatarFile, ConfigFile, Json, ends_in, read_config
from .outputs import claim

ExportFile = Annotated[
    Path | None, typer.Option("--export", metavar="E.npz", help="As 'fence export' wrote her, in place of --avatar.")
]
Takes = Annotated[
    list[Path] | None, typer.Option("--take", metavar="F.npz", help="A recorded talker (SMPL-X), never trained on.")
]


def train(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="HEAD.npz", help="The weights.")],
    labels: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Motion of 'fence label'; without it some is made first.")
    ] = None,
    avatar: AvatarFile = None,
    export: ExportFile = None,
    rounds: Annotated[int | None, typer.Option(min=1, max=10_000, help="Of training.")] = None,
    held: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A performer to keep back, beside those always kept back.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Of what is drawn.")] = 1,
    workers: Annotated[
        int | None, typer.Option(min=1, max=256, help="Processes that label; one a core by default.")
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(metavar="F.npz", help="Kept while it trains; one that is there is gone on from.")
    ] = None,
    picture: Annotated[Path | None, typer.Option(metavar="F.png", help="The course of every loss.")] = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Train the fence's head on labelled motion: it learns to propose what the rule would have to do."""
    from ...components.grading import refuse_grades
    from ...components.head import save
    from ...systems.fence.offline import lessons, network
    from ...systems.fence.offline import picture as drawn
    from ...systems.fence.offline.material import material
    from ...systems.fence.offline.train import Recipe, train

    read_config(config)
    ends_in(out, ".npz", "--out")
    ends_in(checkpoint, ".npz", "--checkpoint")
    ends_in(picture, ".png", "--picture")
    claim([out, picture, checkpoint], [labels, avatar, export, config])
    refuse_grades(labels, checkpoint)
    network.needs_torch()
    body = _body(export, avatar)
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) / "labels" if labels is None else labels
        if labels is None:
            lessons.make(body, folder, say, seed=seed, workers=workers or os.cpu_count() or 1)
        clips = lessons.read(body, folder, held or ())
    performers = sorted({clip.performer for clip in clips})
    say(f"{len(clips)} clips of {len(performers)} performers")
    recipe = Recipe(seed=seed) if rounds is None else Recipe(seed=seed, rounds=rounds)
    made = material(body, clips)
    head, course = train(made, recipe, body.rig.digest, body.capsules.digest, say, checkpoint)
    save(out, head)
    if picture is not None:
        drawn.training(picture, course)
    if as_json:
        print_json({
            "file": str(out), "bytes": out.stat().st_size, "digest": head.digest, "performers": performers,
            "frames": len(made.seen), "rounds": recipe.rounds, "losses": course[-1],
        })  # fmt: skip
    else:
        say(f"{out}: {out.stat().st_size} bytes, {head.digest[:8]}")


def evaluate(
    weights: Annotated[
        Path | None, typer.Option("--head", metavar="HEAD.npz", help="Weights; without it the shipped ones.")
    ] = None,
    avatar: AvatarFile = None,
    export: ExportFile = None,
    take: Takes = None,
    seconds: Annotated[float, typer.Option(min=2, max=3600, help="Of each clip.")] = 40.0,
    clips: Annotated[int, typer.Option(min=1, max=100, help="Of each performer.")] = 3,
    dump: Annotated[
        Path | None, typer.Option(metavar="F.npz", help="Wrists of every tick: raw, proposed, ruled, shown.")
    ] = None,
    picture: Annotated[Path | None, typer.Option(metavar="F.png", help="Each performer's busiest 20 s.")] = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Measure nothing, the rule, and head and rule, side by side on performers no head was trained on."""
    from ...components.grading import refuse_grades
    from ...components.head import load
    from ...systems.fence import SHIPPED
    from ...systems.fence.offline import evaluate as measured
    from ...systems.fence.offline import lessons
    from ...systems.fence.offline import picture as drawn

    read_config(config)
    ends_in(dump, ".npz", "--dump")
    ends_in(picture, ".png", "--picture")
    claim([dump, picture], [weights, avatar, export, config, *(take or ())])
    refuse_grades(weights, *(take or ()))
    head, body = load(SHIPPED if weights is None else weights), _body(export, avatar)
    measured.check(body, head)
    found, made = measured.evaluate(body, lessons.kept_back(body, take or (), seconds=seconds, clips=clips), head, say)
    if dump is not None:
        measured.dump(dump, made)
    if picture is not None:
        drawn.motion(picture, measured.busiest(made))
    if as_json:
        print_json(found)
        return
    for one in found["performers"]:
        print(_line(one["name"], one))
    print(_line("all", found["summary"]) + f"; {found['summary']['us_per_frame']:.1f} us a frame")


def _line(name: str, one: dict[str, Any]) -> str:
    return (
        f"{name}: work saved {100 * one['work_saved']:.0f} %, moved x{one['moved_times']:.2f}, jerk"
        f" x{one['jerk_times']:.2f}, {one['proposal_clear_p99_mm']:.1f} mm where all is clear, hands"
        f" {one['hand_velocity_correlation']:.3f} (rule {one['hand_velocity_correlation_rule']:.3f})"
    )


def _body(export: Path | None, avatar: Path | None) -> Any:
    if export is None:
        return figure_of(avatar)
    if avatar is not None:
        raise typer.BadParameter("name the avatar once: --export or --avatar", param_hint="--export")
    from ...systems.fence.offline.bodies import exported
    from ...systems.fence.offline.export import load

    return exported(load(export))


def figure_of(avatar: Path | None) -> Any:
    """Return the body that is trained for; AvatarError where no rule works on it."""
    from ...components import gltf
    from ...components.errors import AvatarError
    from ...systems import headless
    from ...systems.collide.body import fitted
    from ...systems.collide.offline.figure import Figure
    from ...systems.retarget import measure

    path = headless.AVATAR if avatar is None else avatar
    body = gltf.read(path)
    found = fitted(body, measure(body.rig))
    if found.capsules is None:
        raise AvatarError(f"{path}: no fence without capsules: {found.fault}")
    return Figure(path.stem, body.rig, found.anatomy, found.capsules)
