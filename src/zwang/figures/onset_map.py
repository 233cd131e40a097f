"""Map over two axes of the grid: when sliding begins."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from zwang.figures import _levels, _maps, _regions, style
from zwang.figures.results import Results

NEEDS = ("thresholds",)
OPTIONS = _maps.OPTIONS
VARIABLES = ("first_contact", "first_onset", "contact")


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """One panel, or one for each member of the axis `panels`."""
    return _maps.layout(len(_maps.members(data.get("thresholds", VARIABLES), options)))


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw the time of the first onset in steps of colour; white where nothing slides."""
    found = _maps.cut(data.get("thresholds", VARIABLES), options)
    _maps.frames(axes, found)
    fields = [one.field("first_onset") for one in found]
    scale = _levels.Scale(np.concatenate([field.ravel() for field in fields]))
    panels, drawn = [], list(axes[: len(found)])
    for ax, one, field in zip(drawn, found, fields, strict=True):
        mesh = scale.paint(ax, one, field)
        bare = [r for r in _regions.regions(one) if not np.isfinite(field[r.cells]).any()]
        for region in bare:
            _regions.fill(ax, one, region)
        panels.append(_regions.Panel(ax, one, bare, _maps.boundary(ax, one)))
    scale.bar(mesh, drawn, _levels.label(found[0], "first_onset", "first onset of sliding"))
    edges = [panel for panel in panels if panel.lines]
    _regions.arrange(panels, [_maps.boundary_handle(found[0])] if edges else [])
