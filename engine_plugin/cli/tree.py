"""All commands and their groups."""

from __future__ import annotations

from functools import cache
from typing import Any

import typer

from . import (
    avatar,
    bench,
    compare,
    corpus,
    doctor,
    face,
    fence,
    fence_label,
    fence_train,
    grade,
    hello,
    hinges,
    published,
    recorded,
    reflex,
    render,
    replay,
    run,
    show,
    speech,
)
from .options import ConfigFile

_ABOUT = {
    "avatar": "Look into avatars and build the shipped one.",
    "corpus": "Make and look into corpora of talkers.",
    "speech": "The sentence model.",
    "face": "Lips and brows.",
    "reflex": "Breath, sway and weight shift.",
    "fence": "The learned fence.",
    "grade": "Blind grading.",
}

app = typer.Typer(
    name="kinesics",
    help="A speaking body for any glTF humanoid. Without a command: the desktop avatar.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def start(
    context: typer.Context,
    config: ConfigFile = None,
    version: bool = typer.Option(False, "--version", help="Say which."),
) -> None:
    if version:
        from ... import __version__

        print(f"kinesics {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        hello.hello(config)


app.command("run")(run.run)
app.command("render")(render.render)
app.command("replay")(replay.replay)
app.command("compare")(compare.compare)
app.command("doctor")(doctor.doctor)
app.command("bench")(bench.bench)

_groups = {name: typer.Typer(help=about, no_args_is_help=True, rich_markup_mode=None) for name, about in _ABOUT.items()}
for _name, _group in _groups.items():
    app.add_typer(_group, name=_name)
_groups["avatar"].command("inspect")(avatar.inspect)
_groups["avatar"].command("measure")(avatar.measure)
_groups["avatar"].command("hinges")(hinges.hinges)
_groups["avatar"].command("build")(avatar.build)
_groups["corpus"].command("build")(recorded.build)
_groups["corpus"].command("synth")(corpus.synth)
_groups["corpus"].command("report")(corpus.report)
_groups["corpus"].command("fetch")(published.fetch)
_groups["corpus"].command("show")(show.show)
_groups["reflex"].command("fit")(reflex.fit)
_groups["speech"].command("fetch")(speech.fetch)
_groups["speech"].command("convert")(speech.convert)
_groups["speech"].command("check")(speech.check)
_groups["speech"].command("generate")(speech.generate)
_groups["face"].command("train")(face.train)
_groups["face"].command("evaluate")(face.evaluate)
_groups["face"].command("align")(face.align)
_groups["grade"].command("say")(grade.aloud)
_groups["grade"].command("next")(grade.following)
_groups["grade"].command("submit")(grade.submit)
_groups["grade"].command("table")(grade.table)
_groups["grade"].command("page")(grade.page)
_groups["fence"].command("export")(fence.export)
_groups["fence"].command("label")(fence_label.label)
_groups["fence"].command("train")(fence_train.train)
_groups["fence"].command("evaluate")(fence_train.evaluate)


@cache
def command() -> Any:
    """Return the whole tree as one command; made once, it takes 40 ms of every call of `main` in one process."""
    return typer.main.get_command(app)
