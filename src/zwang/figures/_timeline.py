"""Bars over time: held, or sliding to one side or the other; with the times of the changes."""

from collections.abc import Mapping, Sequence
from typing import Any

import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from zwang.figures import _place, _runs, style
from zwang.figures._runs import Phase

SMALL = 6.5  # pt, times of the changes
HEIGHT = 0.5  # of a bar, where the next one is 1 below
SHORT = 0.05  # s; a phase shorter than this is told by its length
HELD = ("white", "")


def bar(ax: Axes, row: float, phases: Sequence[Phase], cut: bool, height: float = HEIGHT) -> None:
    """Draw the phases of one contact around the height `row`; a cross where the run was cut."""
    for phase in phases:
        colour, hatch = _runs.SLIDING.get(phase.mode, HELD)
        held = phase.mode == _runs.HELD
        box = Rectangle(
            (phase.start, row - height / 2),
            phase.end - phase.start,
            height,
            facecolor=colour if held else _runs.pale(colour),
            edgecolor=style.GREY if held else _runs.shade(colour),
            hatch=hatch,
            linewidth=0.5 if held else 0.9,  # a short phase is a line
            zorder=2 if held else 3,
        )
        ax.add_patch(box)
    if cut:
        cross(ax, phases[-1].end, row)


def cross(ax: Axes, x: float, y: float) -> None:
    """Mark where a run ended before its time."""
    look: dict[str, Any] = {"marker": "X", "linestyle": "none", "zorder": 7, "clip_on": False}
    ax.plot(x, y, markersize=5.5, color=style.BLACK, markeredgecolor="white", **look)


def times(ax: Axes, row: float, phases: Sequence[Phase], height: float = HEIGHT) -> None:
    """Write above the bar when its mode changes, once the layout is fixed; near ones as one."""
    groups: list[list[float]] = []
    for when in [phase.start for phase in phases[1:]]:
        if groups and _edges(ax, [when])[0] < _edges(ax, groups[-1])[1]:
            groups[-1].append(when)
        else:
            groups.append([when])
    for group in groups:
        left, right = _edges(ax, group)
        x = ax.transData.inverted().transform((0.5 * (left + right), 0.0))[0]
        look: dict[str, Any] = {"fontsize": SMALL, "ha": "center", "va": "bottom", "zorder": 6}
        ax.text(x, row + 0.54 * height, _span(group), **look).set_in_layout(False)


def _span(group: Sequence[float]) -> str:
    """One time; how long a short phase lasts; the first and the last of several changes."""
    if len(group) == 1:
        return f"{group[0]:.2f}"
    if len(group) == 2 and group[1] - group[0] < SHORT:
        return f"{group[0]:.2f} ({1e3 * (group[1] - group[0]):.2g}\N{NO-BREAK SPACE}ms)"
    return f"{group[0]:.2f}–{group[-1]:.2f}"


def _edges(ax: Axes, group: Sequence[float]) -> tuple[float, float]:
    """Where the label of a group begins and ends in pixels; it stays within the panel."""
    half = 0.5 * _place.size(ax, _span(group), SMALL)[0]
    middle = float(ax.transData.transform((0.5 * (group[0] + group[-1]), 0.0))[0])
    frame = ax.get_window_extent()
    middle = min(max(middle, frame.x0 + half), frame.x1 - half)
    return middle - half, middle + half


def handles(
    run: xr.Dataset, phases: Sequence[Phase], cut: bool, options: Mapping[str, Any]
) -> list[Artist]:
    """Legend entries of the modes that occur."""
    found: list[Artist] = [
        Patch(facecolor=HELD[0], edgecolor=style.GREY, linewidth=0.5, label="held")
    ]
    for sign, (colour, hatch) in _runs.SLIDING.items():
        if any(phase.mode == sign for phase in phases):
            look: dict[str, Any] = {"facecolor": _runs.pale(colour), "hatch": hatch}
            words = _runs.direction(run, sign, options)
            found.append(Patch(**look, edgecolor=_runs.shade(colour), linewidth=0.6, label=words))
    if cut:
        look = {"marker": "X", "markersize": 4.5, "linestyle": "none", "color": style.BLACK}
        found.append(Line2D([], [], **look, label="run ended"))
    return found
