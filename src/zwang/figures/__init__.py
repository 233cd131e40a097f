"""Figures: one module each, found by name; datasets come in, ink comes out.

A figure module defines
- `NEEDS`, the kinds of datasets it draws: runs, thresholds, trajectories, limits;
- `OPTIONS`, the keys it understands beside `figure`, `case` and `cases`;
- `layout(data, options) -> style.Layout`, the panels it needs;
- `draw(axes, data, options) -> None`, which draws on these panels.
"""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from matplotlib.figure import Figure

from zwang.figures import style
from zwang.figures.results import Results
from zwang.figures.style import FigureError
from zwang.nearest import nearest

__all__ = ["FigureError", "Results", "names", "needs", "options", "render"]


def names() -> tuple[str, ...]:
    """The figures there are, in alphabetical order."""
    modules = (module.name for module in iter_modules(__path__))
    return tuple(sorted(n for n in modules if n not in ("style", "results") and n[0] != "_"))


def needs(name: str) -> tuple[str, ...]:
    """The kinds of datasets a figure draws."""
    return tuple(_module(name).NEEDS)


def options(name: str) -> tuple[str, ...]:
    """The options a figure understands."""
    return tuple(_module(name).OPTIONS)


def render(name: str, data: Results, options: Mapping[str, Any] | None = None) -> Figure:
    """The figure `name`, ready for `style.save`."""
    module = _module(name)
    asked = dict(options or {})
    with style.context():
        layout: style.Layout = module.layout(data, asked)
        figure = Figure(figsize=layout.inches(), layout="constrained")
        axes = figure.subplots(
            layout.rows,
            layout.columns,
            sharex=layout.sharex,
            sharey=layout.sharey,
            squeeze=False,
            gridspec_kw=dict(layout.ratios),
        )
        module.draw(list(axes.flat), data, asked)
    return figure


def _module(name: str) -> ModuleType:
    known = names()
    if name not in known:
        raise FigureError(f"no figure is called {name!r}; {nearest(name, known)}")
    return import_module(f"{__name__}.{name}")
