"""One figure of a study."""

from __future__ import annotations

from pathlib import Path

from zwang import figures
from zwang.figures import style
from zwang.store import read


def draw(
    figure: str,
    thresholds: str | Path,
    trajectories: str | Path,
    pdf: str | Path,
    png: str | Path,
) -> None:
    """Write the figure as PDF and PNG; the thresholds say what a map shows."""
    found = read(thresholds)
    prefix = "map_"
    shown = {k.removeprefix(prefix): v for k, v in found.attrs.items() if k.startswith(prefix)}
    drawn = figures.render(figure, thresholds=found, trajectories=read(trajectories), options=shown)
    style.save(drawn, pdf, png)
