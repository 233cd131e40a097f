"""Bouncing families over time: rolling angle, heading in steps, and how far its rate sinks."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from zwang.figures import _appell, _runs, style
from zwang.figures._appell import Disk
from zwang.figures.results import Results

Array = NDArray[np.float64]
NEEDS = ("trajectories",)
OPTIONS = ("at", "r")
ROWS = ("phi", "theta", "log_theta_dot")
SMALL = 6.5  # pt, words at the guide lines
LOOKS: tuple[dict[str, Any], ...] = (
    {"color": style.ORANGE, "linestyle": (0, (1, 1)), "linewidth": 1.3},
    {"color": style.VERMILLION, "linestyle": (0, (5, 1.5)), "linewidth": 1.1},
    {"color": style.BLUE, "linestyle": (0, (5, 1.2, 1, 1.2)), "linewidth": 1.1},
    {"color": style.BLACK, "linestyle": "-", "linewidth": 1.0},
)
GUIDE: dict[str, Any] = {"color": "0.6", "linewidth": 0.5, "zorder": 1}
SMALLEST = float(np.log(np.finfo(float).tiny))  # of doubles with all their digits: -708
FREE = (0.02, 0.9, "left", "top")  # the corner that steps upward leave free
NEAR = 10.0  # |ln| up to which its axis is linear


@dataclass(frozen=True)
class Column:
    """One family: its runs from large to small |ρ| and what is predicted of the smallest."""

    title: str
    runs: list[xr.Dataset]
    times: Array  # of bounces, s
    turn: float  # heading per bounce, rad


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """A column per family; rolling angle, heading, logarithm of its rate in rows."""
    count = len(_columns(data, options))
    width = style.COLUMN if count == 1 else style.PAGE
    return style.Layout(rows=len(ROWS), columns=count, height=118.0, width=width, sharey="none")


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw the runs over thin lines at the predicted times and headings of the bounces."""
    columns = _columns(data, options)
    grid = np.array(axes, dtype=object).reshape(len(ROWS), len(columns))
    for own, column, letter in zip(grid.T, columns, "abcdefgh", strict=False):
        for ax, name in zip(own, ROWS, strict=True):
            for k, run in enumerate(column.runs):
                look = LOOKS[k % len(LOOKS)]
                ax.plot(run["t"].values, _values(run, name), **look, zorder=3 + 0.1 * k)
            for time in column.times:
                ax.axvline(time, **GUIDE)
        _steps(own[1], column)
        _logarithm(own[2])
        own[0].set_title(style.lines([f"({letter}) {column.title}"], 40), loc="left")
        own[-1].set_xlabel("$t$ [s]")
        own[0].set_xlim(*_span(column))
    first = columns[0].runs[0]
    for ax, name in zip(grid[:, 0], ROWS, strict=True):
        ax.set_ylabel(_label(first, name))
    _key(axes[0], columns)


def _values(run: xr.Dataset, name: str) -> Array:
    """Angles in degrees, the logarithm as it is."""
    return style.shown(run[name])[0]


def _label(run: xr.Dataset, name: str) -> str:
    """Symbol and unit; the logarithm of a number of rad/s."""
    if name == "log_theta_dot":
        return r"$\ln(|\dot{\theta}|\,/\,\mathrm{rad\,s^{-1}})$"
    return f"{style.symbol(run[name])} [{style.shown(run[name])[1]}]"


def _columns(data: Results, options: Mapping[str, Any]) -> list[Column]:
    """Every case, at every value of the axes that option `at` names."""
    at = options.get("at") or {}
    wanted = [value if isinstance(value, list) else [value] for value in at.values()]
    return [
        _column(data, case, dict(zip(at, place, strict=True)), options)
        for case in data.cases
        for place in product(*wanted)
    ]


def _column(data: Results, case: str, at: Mapping[str, Any], options: Mapping[str, Any]) -> Column:
    paths = _appell.trajectories(data, case, ROWS)
    runs = _appell.along_r(_appell.members(paths, at), options.get("r"))
    if len({float(run["r"]) for run in runs}) < len(runs) or len(runs) > len(LOOKS):
        raise style.FigureError(
            f"{case}: {len(runs)} trajectories; say with `at` which family is drawn and with `r` "
            f"at most {len(LOOKS)} distances"
        )
    smallest = runs[-1]
    words = _runs.words(smallest.drop_vars("r"))
    return Column(", ".join([data.title(case), *words]), runs, *bounces(smallest))


def bounces(run: xr.Dataset) -> tuple[Array, float]:
    """Predicted times of the bounces and the heading each adds, with its sign.

    The disk bounces off φ = φ_0 on the side sign(ρ): at once if it rolls that way; again after
    every 2|p_0|/γ if its weight drives it back.
    """
    known = _appell.numbers(run)
    disk, p = Disk.of(known), float(run["phi_dot"][0]) if "phi_dot" in run else known["phi_dot_0"]
    turning = known.get("theta_dot_0", float(run["theta_dot"][0]) if "theta_dot" in run else 1.0)
    at_once = p * disk.k < 0.0
    times = [0.0] if at_once else []
    if disk.k * disk.Gamma < 0.0 and p != 0.0:
        back = 2 * abs(p) / abs(disk.gamma)
        times += list(back * np.arange(1, 1 + int(float(run["t"][-1]) / back)))
    return np.array(times), float(np.copysign(disk.turn, turning))


def _span(column: Column) -> tuple[float, float]:
    """The times drawn, with room before a bounce at the start."""
    end = float(column.runs[0]["t"][-1])
    return -0.04 * end, 1.01 * end


def _steps(ax: Axes, column: Column) -> None:
    """Thin lines at the headings after each bounce, and how high a step is."""
    turn = np.rad2deg(column.turn)
    for n in range(len(column.times) + 1):
        ax.axhline(n * turn, **GUIDE)
    if len(column.times):
        x, y, ha, va = (0.98, 0.1, "right", "bottom") if len(column.times) == 1 else FREE
        ax.text(
            x,
            y,
            rf"$\Delta\theta = \pi\sqrt{{AB}}/|k|$ = {turn:.4g}°",
            transform=ax.transAxes,
            ha=ha,
            va=va,
            fontsize=SMALL,
            bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "linewidth": 0},
        )


def _logarithm(ax: Axes) -> None:
    """An axis for logarithms from a few to minus many thousand; the smallest double on it."""
    ax.set_yscale("symlog", linthresh=NEAR, linscale=0.7)
    low = min(float(np.nanmin(np.asarray(line.get_xydata())[:, 1])) for line in ax.lines)
    ticks = [10.0, 0.0, *(-(10.0**k) for k in range(1, 2 + int(np.log10(max(-low, NEAR)))))]
    ax.set_yticks(ticks, labels=[f"{tick:.0f}".replace("-", "−") for tick in ticks])
    ax.set_yticks([], minor=True)
    ax.set_ylim(min(1.6 * low, -NEAR), 40.0)
    if low < SMALLEST:
        ax.axhline(SMALLEST, color=style.GREEN, linewidth=0.7, linestyle=(0, (2, 1.5)), zorder=2)


def _key(ax: Axes, columns: list[Column]) -> None:
    """What the lines are, above all panels."""
    figure = ax.get_figure(root=True)
    assert isinstance(figure, Figure)
    sizes = [[float(run["r"]) for run in column.runs] for column in columns]
    if any(not np.allclose(size, sizes[0]) for size in sizes):
        raise style.FigureError(
            "the families drawn side by side have different distances; "
            "say with `r` which ones they share"
        )
    lines = [Line2D([], [], **LOOKS[k % len(LOOKS)]) for k in range(len(sizes[0]))]
    words = [rf"$|\rho|$ = {_appell.distance(r)}" for r in sizes[0]]
    lines += [
        Line2D([], [], color="0.6", linewidth=0.5),
        Line2D([], [], color=style.GREEN, linewidth=0.7, linestyle=(0, (2, 1.5))),
    ]
    words += [r"predicted for $\rho \to 0$", "smallest normal double"]
    figure.legend(lines, words, loc="outside upper left", ncols=6, columnspacing=1.2)
