"""A corpus folder of either kind: the small one, packed (corpus_file), or the large one, mapped (corpus_store)."""

from __future__ import annotations

from pathlib import Path

from ...components.corpus import Corpus
from . import corpus_file, corpus_store


def load(folder: Path, feature_hash: str | None = None) -> Corpus:
    """Return the corpus in `folder`.

    feature_hash: what the voice's features are made with here; a corpus made with others cannot be matched.
    Raises CorpusError, one line: nothing there, another version, other features, truncated or changed data.
    """
    header = corpus_file.header_of(folder)
    corpus_file.check(header, folder, feature_hash, (corpus_file.VERSION, corpus_store.VERSION))
    kind = corpus_store if header["version"] == corpus_store.VERSION else corpus_file
    return kind.load(folder, feature_hash)
