"""Where the authors publish the sentence model, and what a user agrees to by fetching it."""

from __future__ import annotations

from .convert import WANTED

# Read from the authors' own readme. Nobody here has had the files in hand: their sizes and hashes are not known, so
# what comes is told with its hash and held against nothing.
# The revision is the one whose 334 tensors others have loaded strictly.
_WEIGHTS = "https://huggingface.co/pliu23/GestureLSM/resolve/a59d981c1529f558a87a3a4c07b8b437cfa13ee8"
_STATISTICS = "https://raw.githubusercontent.com/andypinxinliu/GestureLSM/main/mean_std"
_VOCABULARY = "https://huggingface.co/datasets/H-Liu1997/BEAT2_Tools/resolve/main/emage_weights"

GENERATORS = {"shortcut": "shortcut_reflow.bin", "meanflow": "meanflow.pth"}

TERMS = """\
This fetches about 400 MB from the authors of GestureLSM and EMAGE; it is theirs, not part of kinesics:
  the code is MIT since 2026-04-08 (https://github.com/andypinxinliu/GestureLSM);
  the weights' terms are on https://huggingface.co/pliu23/GestureLSM : read them there, kinesics has not verified them;
  the vocabulary is of https://huggingface.co/datasets/H-Liu1997/BEAT2_Tools , see its page;
  all were made from BEAT2, recordings of real people (Apache-2.0 by its authors' word).
Do not pass them on with your own work before you have read those pages."""


def addresses(sampler: str, mirror: str = "") -> list[tuple[str, str]]:
    """Return (address, name) of each file. mirror: one folder that holds them all, in place of the authors' places."""
    out = []
    for what, listed in WANTED.items():
        name = GENERATORS[sampler] if what == "generator" else listed
        root = _STATISTICS if name.endswith(".npy") else _VOCABULARY if what == "vocabulary" else _WEIGHTS
        out.append((f"{(mirror or root).rstrip('/')}/{name}", name))
    return out
