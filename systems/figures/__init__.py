"""What a run looked like, in the viewer's units: RUN.npz, R.json, comparing two of them, replays."""

from .compare import compare
from .record import Recorder
from .report import report, write_report
from .run import Run, read_run, write_run

__all__ = ["Recorder", "Run", "compare", "read_run", "report", "write_report", "write_run"]
