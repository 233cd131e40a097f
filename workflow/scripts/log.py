"""Where a script writes: its log file, so that the terminal shows the chain and nothing else."""

import os
import sys
from types import TracebackType


def to_log(path: str) -> None:
    """Nothing; from here on all output of this process and its children goes to the file `path`."""
    sys.stdout.flush()
    sys.stderr.flush()
    with open(path, "wb") as log:
        os.dup2(log.fileno(), sys.stdout.fileno())
        os.dup2(log.fileno(), sys.stderr.fileno())
    sys.excepthook = _report


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an error of zwang as its sentence; anything unexpected with all its lines."""
    if kind.__module__.startswith("zwang."):
        print(error, file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)
