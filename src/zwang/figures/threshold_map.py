"""Map over two axes of the grid: which contact slides first, and contours of the critical μ."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from zwang.figures import _levels, _maps, _place, _regions, style
from zwang.figures._maps import Map
from zwang.figures.results import Results

Array = NDArray[np.float64]
NEEDS = ("thresholds",)
OPTIONS = (*_maps.OPTIONS, "levels")
CONTOUR: dict[str, Any] = {"color": "0.15", "linestyle": (0, (5, 1.5)), "linewidth": 0.7}


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """One panel, or one for each member of the axis `panels`."""
    given = data.get("thresholds", ("first_contact", "contact"))
    return _maps.layout(len(_maps.members(given, options)))


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw the regions of first_contact at one μ, contours of the critical μ, the boundary."""
    found = _maps.cut(data.get("thresholds", ("first_contact", "contact")), options)
    _maps.frames(axes, found)
    pairs = list(zip(axes, found, strict=False))
    levels = _levels_of(found, options)
    contours = [{v: _maps.contour(ax, one, v, CONTOUR) for v in levels} for ax, one in pairs]
    edges = [_maps.boundary(ax, one) for ax, one in pairs]
    panels = []
    for (ax, one), lines, edge in zip(pairs, contours, edges, strict=True):
        regions = _regions.regions(one)
        for region in regions:
            _regions.fill(ax, one, region)
        drawn = [part for parts in lines.values() for part in parts]
        panels.append(_regions.Panel(ax, one, regions, [*drawn, *edge]))
    blocked = _regions.arrange(panels, _handles(found[0], edges, contours))
    for ax, lines, edge, taken in zip(axes, contours, edges, blocked, strict=False):
        _label_contours(ax, lines, [taken, *(_place.pixels(ax, *part.T) for part in edge)])


def _levels_of(found: Sequence[Map], options: Mapping[str, Any]) -> list[float]:
    """The levels asked for, else round values, those few runs reach at the ends left out."""
    shown = [one for one in found if "critical_mu_common" in one.here]
    levels = style.numbers(options.get("levels") or [], "levels")
    if not levels:
        fields = [_maps.critical(one) for one in shown]
        values = np.concatenate([np.empty(0), *(field[np.isfinite(field)] for field in fields)])
        levels = _levels.round_levels(np.percentile(values, [3, 97])) if values.size else []
    drawn = [float(one.here["mu"]) for one in shown]  # as boundary already
    return [
        v for v in sorted(set(levels)) if shown and not any(math.isclose(v, mu) for mu in drawn)
    ]


def _handles(
    one: Map, edges: Sequence[list[Array]], contours: Sequence[Mapping[float, list[Array]]]
) -> list[Artist]:
    """Legend entries of the lines that are drawn."""
    handles: list[Artist] = []
    if any(edges):
        handles.append(_maps.boundary_handle(one))
    if any(parts for lines in contours for parts in lines.values()):
        label = f"critical coefficient {style.symbol(one.here['critical_mu_common'])}"
        handles.append(Line2D([], [], **CONTOUR, label=label))
    return handles


def _label_contours(ax: Axes, lines: Mapping[float, list[Array]], blocked: list[Array]) -> None:
    """Write each level on its own line, where it covers least and is far from other labels."""
    seen = {level: [_place.pixels(ax, *s.T) for s in parts] for level, parts in lines.items()}
    for level, own in seen.items():
        others = [part for key, parts in seen.items() if key != level for part in parts]
        text = f"{level:.4g}"
        pixel = _place.along(ax, text, own, [*blocked, *others], _regions.SMALL)
        if pixel is not None:
            blocked.append(_regions.write(ax, text, pixel))
