"""When each contact is held and when it slides: bars over time, one panel per trajectory."""

from collections.abc import Mapping
from typing import Any

import xarray as xr
from matplotlib.axes import Axes

from zwang.figures import _place, _runs, _timeline, style
from zwang.figures.results import Results

NEEDS = ("trajectories",)
OPTIONS = ("trajectory", "directions")


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """One panel per trajectory, as high as its contacts ask for."""
    found = _shown(data, options)
    bars = sum(len(_runs.phases(run)) for _, run in found)
    return style.Layout(
        rows=len(found), height=20.0 + 7.0 * bars + 5.5 * len(found), width=style.PAGE
    )


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw the bars, the times of the changes, and how a run ended."""
    found = _shown(data, options)
    phases = [_runs.phases(run) for _, run in found]
    for ax, (case, run), parts in zip(axes, found, phases, strict=True):
        cut = bool(_runs.ending(run))
        for row, one in enumerate(parts.values()):
            _timeline.bar(ax, -row, one, cut)
        ax.set_yticks([-row for row in range(len(parts))], labels=list(parts))
        ax.set_ylim(-len(parts) + 0.6, 0.75)
        ax.spines["left"].set_visible(False)
        ax.tick_params(left=False)
        several = [data.title(case)] if len(data.cases) > 1 else []
        title = [*several, *_runs.words(run), *_runs.end_words(run)]
        ax.set_title(", ".join(title), loc="left")
    run = found[-1][1]
    axes[-1].set_xlabel(style.label(run["t"]))
    axes[-1].set_xlim(
        min(float(r["t"][0]) for _, r in found), max(float(r["t"][-1]) for _, r in found)
    )
    every = [phase for parts in phases for one in parts.values() for phase in one]
    cuts = any(_runs.ending(one) for _, one in found)
    handles = _timeline.handles(run, every, cuts, options)
    figure = axes[0].get_figure(root=True)
    assert figure is not None
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))

    _place.settle(axes[0])
    for ax, parts in zip(axes, phases, strict=True):
        for row, one in enumerate(parts.values()):
            _timeline.times(ax, -row, one)


def _shown(data: Results, options: Mapping[str, Any]) -> list[tuple[str, xr.Dataset]]:
    """The trajectories asked for with their cases; a sentence where none may slide."""
    found = []
    for case in data.cases:
        paths = data.get("trajectories", ("t", "mode", "event_time", "event_contact"), case)
        found += [(case, _runs.run_of(paths, n)) for n in _runs.numbers(paths, options)]
    if not found:
        raise style.FigureError("no trajectories came; name some in the study")
    return found
