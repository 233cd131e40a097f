"""Friction laws compared: when each contact first slides, how one run goes on, what slides when."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from zwang.figures import _place, _runs, _timeline, style
from zwang.figures.results import Results
from zwang.nearest import nearest

Array = NDArray[np.float64]
NEEDS = ("runs", "trajectories")
OPTIONS = ("axis", "quantity", "trajectory", "directions")
SMALL = 7  # pt, labels inside a panel
JUMP = 0.1  # of the largest value; samples further apart are not joined by a line
# line and mark of each case: where curves coincide the wide ones show below the narrow ones
LOOKS: tuple[dict[str, Any], ...] = (
    {"color": style.SKY, "linestyle": "-", "linewidth": 3.6, "marker": "o"},
    {"color": style.VERMILLION, "linestyle": "-", "linewidth": 2.0, "marker": "s"},
    {"color": style.BLACK, "linestyle": (0, (4, 1.2)), "linewidth": 1.1, "marker": "^"},
    {"color": style.GREEN, "linestyle": (0, (1, 1)), "linewidth": 1.5, "marker": "D"},
    {"color": style.PURPLE, "linestyle": (0, (6, 1.5, 1, 1.5)), "linewidth": 1.2, "marker": "v"},
)

ENDED: dict[str, Any] = {
    "marker": "X",
    "markersize": 5.0,
    "linestyle": "none",
    "color": style.BLACK,
    "markeredgecolor": "white",
    "markeredgewidth": 0.5,
}


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """A panel per contact that may slide above two for the run: its quantity and its modes."""
    bars = sum(len(_runs.phases(run)) for run in _trajectories(data, options).values())
    below = max(48.0, 14.0 + 5.2 * (bars + len(data.cases)))
    return style.Layout(
        rows=2,
        columns=2,
        height=62.0 + below + 16.0,
        width=style.PAGE,
        sharex="none",
        ratios={"height_ratios": (62.0, below)},
    )


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw first slip over the axis for both contacts, the quantity over time, and timelines."""
    runs = {case: data.get("runs", ("first_slip", "status"), case) for case in data.cases}
    paths = _trajectories(data, options)
    axis = _axis(next(iter(runs.values())), options)
    contacts = [str(name) for name in next(iter(runs.values()))["sliding"].values]
    if len(contacts) != 2:
        raise style.FigureError(
            f"{', '.join(contacts)} may slide; this figure compares two contacts"
        )
    for ax, contact in zip(axes[:2], contacts, strict=True):
        _onsets(ax, runs, axis, contact)
    _quantity(axes[2], paths, options)
    _modes(axes[3], data, paths)
    for ax, letter in zip(axes, "abcd", strict=True):
        ax.set_title(f"({letter}) {ax.get_title(loc='left')}", loc="left")
    figure = axes[0].get_figure(root=True)
    assert figure is not None
    figure.legend(
        handles=_handles(data, paths, options),
        loc="outside lower center",
        ncols=4,
        columnspacing=1.2,
    )
    _place.settle(axes[0])
    _name_endings(axes, runs, axis)
    for row, phases in _rows(paths):
        _timeline.times(axes[3], row, phases)


def _trajectories(data: Results, options: Mapping[str, Any]) -> dict[str, xr.Dataset]:
    """The run of every case that is compared: of the first by number, of others as it."""
    first = data.cases[0]
    run = _runs.run_of(data.get("trajectories", ("t", "mode"), first), options.get("trajectory", 0))
    return {first: run, **{case: _runs.matched(data, run, case) for case in data.cases[1:]}}


def _axis(runs: xr.Dataset, options: Mapping[str, Any]) -> str:
    """The axis of the grid that first slip is drawn over."""
    axes = [str(d) for d in runs["first_slip"].dims if d != "sliding"]
    asked = str(options.get("axis", axes[0] if axes else ""))
    if asked not in axes or len(axes) > 1:
        raise style.FigureError(
            f"first_slip was asked for over {asked or 'an axis'} and has "
            f"{', '.join(axes) or 'none'}; expected a grid with this axis alone; "
            f"{nearest(asked, axes)}"
        )
    return asked


def _onsets(ax: Axes, runs: Mapping[str, xr.Dataset], axis: str, contact: str) -> None:
    """First slip of one contact over the axis, under every law; crosses where runs ended."""
    for k, here in enumerate(runs.values()):
        x = style.shown(here[axis])[0]
        first = style.shown(here["first_slip"].sel(sliding=contact))[0]
        every = max(1, x.size // 6)
        ax.plot(
            *_broken(x, first),
            **_look(k),
            markevery=(k * every // len(runs), every),
            zorder=3 + 0.1 * k,
        )
        dots: dict[str, Any] = {"marker": ".", "markersize": 2.6, "linestyle": "none"}
        ax.plot(x, first, **dots, color=_look(k)["color"], zorder=3 + 0.1 * k)
        ended = np.asarray(here["status"].values) != 0
        if ended.any() and "time_reached" in here:
            until = np.where(ended, here["time_reached"].values, np.nan)
            ax.plot(x, until, color=style.GREY, linestyle=":", linewidth=0.8, zorder=2)
            some = np.flatnonzero(ended)[:: max(1, int(ended.sum()) // 6)]
            ax.plot(x[some], until[some], **ENDED, zorder=4)
    example = next(iter(runs.values()))
    ax.set_title(f"{contact}: first slip", loc="left")
    ax.set(xlabel=style.label(example[axis]), ylabel=_words(example["first_slip"]))
    ax.set_ylim(0.0, 1.06 * ax.get_ylim()[1])
    ax.set_xlim(x[0], x[-1])
    ax.yaxis.set_major_locator(MaxNLocator(5))


def _broken(x: Array, y: Array) -> tuple[Array, Array]:
    """The curve with a gap where it jumps from one sample to the next."""
    step = np.abs(np.diff(y))
    usual = np.nanmedian(step) if np.isfinite(step).any() else 0.0
    jumps = np.flatnonzero(step > max(10.0 * usual, JUMP * float(np.nanmax(y, initial=0.0)))) + 1
    return np.insert(x, jumps, np.nan), np.insert(y, jumps, np.nan)


def _look(k: int) -> dict[str, Any]:
    return {
        **LOOKS[k % len(LOOKS)],
        "markersize": 4.2,
        "markeredgecolor": "white",
        "markeredgewidth": 0.5,
    }


def _quantity(ax: Axes, paths: Mapping[str, xr.Dataset], options: Mapping[str, Any]) -> None:
    """One quantity of the run over time, under every law; a cross where a run ended."""
    name = str(options.get("quantity", "phi"))
    for k, run in enumerate(paths.values()):
        if name not in run or run[name].dims != ("t",):
            known = [str(n) for n, v in run.data_vars.items() if v.dims == ("t",)]
            raise style.FigureError(f"quantity: {name}; {nearest(name, known)}")
        values = style.shown(run[name])[0]
        t = np.asarray(run["t"].values, dtype=float)
        every = max(1, t.size // 6)
        ax.plot(
            t, values, **_look(k), markevery=(k * every // len(paths), every), zorder=3 + 0.1 * k
        )
        if _runs.ending(run):
            there = np.flatnonzero(np.isfinite(values))[-1]
            ax.plot(t[there], values[there], **ENDED, zorder=6)
    example = next(iter(paths.values()))
    ax.set(xlabel=style.label(example["t"]), ylabel=_words(example[name]))
    ax.set_xlim(t[0], t[-1])
    ax.set_title("run with " + style.lines(_runs.words(example)), loc="left")


def _words(var: xr.DataArray) -> str:
    units = style.shown(var)[1]
    return f"{style.symbol(var)} [{units}]" if units else style.symbol(var)


def _rows(paths: Mapping[str, xr.Dataset]) -> list[tuple[float, list[_runs.Phase]]]:
    """Height and phases of every bar of the timelines, from above."""
    found: list[tuple[float, list[_runs.Phase]]] = []
    height = 0.0
    for run in paths.values():
        for phases in _runs.phases(run).values():
            found.append((height, phases))
            height -= 1.0
        height -= 1.0  # the name of the next
    return found


def _modes(ax: Axes, data: Results, paths: Mapping[str, xr.Dataset]) -> None:
    """The timelines of every law under each other."""
    rows = iter(_rows(paths))
    ticks: dict[float, str] = {}
    for case, run in paths.items():
        for place, (contact, _) in enumerate(_runs.phases(run).items()):
            height, phases = next(rows)
            if place == 0:
                why = _runs.ending(run)
                text = f"{data.title(case)} (ended: {why})" if why else data.title(case)
                ax.text(0.0, height + 0.8, text, fontsize=SMALL, va="bottom", clip_on=False)
            _timeline.bar(ax, height, phases, bool(_runs.ending(run)))
            ticks[height] = contact
    ax.set_yticks(list(ticks), labels=list(ticks.values()))
    ax.set_ylim(min(ticks) - 0.45, 1.35)
    ax.spines["left"].set_visible(False)
    ax.tick_params(left=False)
    example = next(iter(paths.values()))
    ax.set_xlim(float(example["t"][0]), float(example["t"][-1]))
    ax.set_xlabel(style.label(example["t"]))
    ax.set_title("what slides when", loc="left")


def _handles(
    data: Results, paths: Mapping[str, xr.Dataset], options: Mapping[str, Any]
) -> list[Artist]:
    """Legend entries: the laws, then the modes."""
    laws: list[Artist] = [
        Line2D([], [], **_look(k), label=data.title(case)) for k, case in enumerate(paths)
    ]
    every = [phase for _, phases in _rows(paths) for phase in phases]
    cut = any(_runs.ending(run) for run in paths.values())
    return laws + _timeline.handles(next(iter(paths.values())), every, cut, options)


def _name_endings(axes: list[Axes], runs: Mapping[str, xr.Dataset], axis: str) -> None:
    """Say beside the crosses why these runs ended."""
    for ax in axes[:2]:
        lines = [line for line in ax.lines if line.get_linestyle() != "None"]
        blocked = [_place.pixels(ax, *line.get_data()) for line in lines]
        for here in runs.values():
            status = np.asarray(here["status"].values)
            ended = np.flatnonzero(status != 0)
            if not ended.size:
                continue
            codes = np.unique(status[ended])
            why = ", ".join(style.meaning(here["status"], int(code)) for code in codes)
            middle = ended[ended.size // 2]
            at = style.shown(here[axis])[0][middle], float(here["time_reached"][middle])
            near, every = ax.transData.transform(at), np.concatenate(blocked)
            text = f"run ends: {why}"
            blocked.append(_place.free(ax, text, near, every, SMALL, _place.BACK))
