"""Constraints as objects of study: kind, rank, integrability, hidden ones, consistent starts."""

from zwang.constraints.chart import check_chart
from zwang.constraints.completion import Completion, ConstraintError, complete, completion
from zwang.constraints.kinds import Analysis, Kind, Verdict, analyse
from zwang.constraints.regular import require_regular
from zwang.constraints.start import check_start, consistent

__all__ = [
    "Analysis",
    "Completion",
    "ConstraintError",
    "Kind",
    "Verdict",
    "analyse",
    "check_chart",
    "check_start",
    "complete",
    "completion",
    "consistent",
    "require_regular",
]
