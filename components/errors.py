"""The error family: one line with what, where, the value and its limit, and the cure."""


class KinesicsError(Exception):
    """Root of everything this project raises on purpose; its text is one line a person can act on."""


class AvatarError(KinesicsError):
    """A file or a rig that cannot become an avatar."""


class CorpusError(KinesicsError):
    """A corpus that cannot be read, or that leaves too little to choose from."""


class ConfigError(KinesicsError):
    """A configuration with an unknown key or a value outside its range."""


class AudioError(KinesicsError):
    """A voice that cannot be read, decoded or played."""


class FaceError(KinesicsError):
    """Weights, a shape table or a training tool of the face that is missing or not what it should be."""


class ModelError(KinesicsError):
    """Weights of the sentence model, or what it is given, that are missing or not what they should be."""


class ReplayError(KinesicsError):
    """A replay or run file that cannot be read or that was made by another version."""


class DownloadError(KinesicsError):
    """A file that could not be fetched whole, or that is not the one that was asked for."""


class OutputError(KinesicsError):
    """A place that cannot be written: refused before any work is done."""


class PostureError(KinesicsError):
    """A held posture that cannot be found on this body."""


class FenceError(KinesicsError):
    """An export, weights or a motion that the learned fence cannot be trained on or run with."""


class GradingError(KinesicsError):
    """A grade, an id or a store of grades that is not what it should be."""
