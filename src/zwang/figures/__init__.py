"""Figures: one module each, found by name; datasets come in, ink comes out.

A figure module defines `layout(thresholds, trajectories, options) -> style.Layout`, the panels it
needs, and `draw(axes, thresholds, trajectories, options) -> None`, which draws on these panels.
"""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import xarray as xr
from matplotlib.figure import Figure

from zwang.figures import style
from zwang.figures.style import FigureError
from zwang.nearest import nearest

__all__ = ["FigureError", "names", "render"]


def names() -> tuple[str, ...]:
    """The figures there are, in alphabetical order."""
    modules = (module.name for module in iter_modules(__path__))
    return tuple(sorted(name for name in modules if name != "style" and name[0] != "_"))


def render(
    name: str,
    *,
    thresholds: xr.Dataset | None = None,
    trajectories: xr.Dataset | None = None,
    options: Mapping[str, Any] | None = None,
) -> Figure:
    """The figure `name`, ready for `style.save`; `options` is the study's `map`."""
    known = names()
    if name not in known:
        raise FigureError(f"no figure is called {name!r}; {nearest(name, known)}")
    module = import_module(f"{__name__}.{name}")
    data = {"thresholds": thresholds, "trajectories": trajectories, "options": dict(options or {})}
    with style.context():
        layout: style.Layout = module.layout(**data)
        figure = Figure(figsize=layout.inches(), layout="constrained")
        axes = figure.subplots(layout.rows, 1, sharex=True, squeeze=False)[:, 0]
        module.draw(list(axes), **data)
    return figure
