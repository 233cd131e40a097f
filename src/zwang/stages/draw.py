"""One figure of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zwang import figures
from zwang.figures import Results, style
from zwang.store import read


def draw(
    module: str,
    options: Mapping[str, Any],
    titles: Mapping[str, str],
    needs: Sequence[tuple[str, str]],
    datasets: Sequence[str | Path],
    pdf: str | Path,
    png: str | Path,
) -> None:
    """Write the figure as PDF and PNG; `needs` says case and kind of each dataset."""
    found = {
        (str(case), str(kind)): read(path)
        for (case, kind), path in zip(needs, datasets, strict=True)
    }
    style.save(figures.render(module, Results(found, titles), options), pdf, png)
