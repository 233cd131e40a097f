"""Reactions of a trajectory against the friction bound, one panel per contact."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from zwang.figures import _place, _reaction, _reactions_sliding, _runs, style
from zwang.figures._reaction import BOUND, HELD, SMALL, Curve
from zwang.figures.results import Results

Array = NDArray[np.float64]
TOGETHER = 1e-9  # s; onsets closer than this are one event
NEEDS = ("trajectories",)
OPTIONS = ("mu", "trajectory", "friction", "directions")
EXCEEDED: dict[str, Any] = {"color": style.SKY, "linestyle": (0, (3, 1.2)), "linewidth": 1.0}


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """One panel per contact."""
    rows = data.get("trajectories", ("contact",)).sizes["contact"]
    return style.Layout(rows=rows, height=24.0 + 33.0 * rows)


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw Λ(t) within the band ±μN; beyond it where contacts hold whatever force that takes."""
    paths = data.get("trajectories", ("t", "contact", "normal_load"))
    if "event_time" in paths:
        run = _runs.run_of(paths, options.get("trajectory", 0))
        _reactions_sliding.draw(axes, run, options)
    else:
        _ideal(axes, data.get("trajectories", ("mu", "onset")), options)


def _ideal(axes: list[Axes], paths: xr.Dataset, options: Mapping[str, Any]) -> None:
    """Draw Λ(t) and the band ±μN; lighter after the first onset, where it is no longer physical."""
    at, mu_text = style.nearest_mu(paths, options)
    run = _runs.run_of(paths, options.get("trajectory", 0)).isel(mu=at)
    t = np.asarray(run["t"].values, dtype=float)
    onsets = np.asarray(run["onset"].values, dtype=float)
    curves = [_reaction.curve(run, k, float(run["mu"]), onset) for k, onset in enumerate(onsets)]
    scale, prefix = _reaction.scale(curves)
    first = min((c.onset for c in curves if np.isfinite(c.onset)), default=np.inf)

    for ax, curve in zip(axes, curves, strict=True):
        _panel(ax, t, curve, scale, first)
        units = style.unit(prefix + curve.units)
        ax.set_ylabel(f"{curve.contact}\n{curve.symbol}" + (f" [{units}]" if units else ""))
    axes[-1].set_xlabel(style.label(run["t"]))
    axes[-1].set_xlim(t[0], t[-1])
    axes[0].set_title(style.lines([*_runs.words(run), mu_text, *_runs.end_words(run)]), loc="left")
    handles = [Line2D([], [], **HELD, label="ideal motion")]
    if np.isfinite(first):
        handles.append(Line2D([], [], **EXCEEDED, label="ideal motion, bound exceeded"))
    figure = axes[0].get_figure(root=True)
    assert figure is not None
    figure.align_ylabels(axes)
    figure.legend(handles=handles, loc="outside lower center", ncols=2, columnspacing=1.2)

    _place.settle(axes[0])
    for ax, curve in zip(axes, curves, strict=True):
        _labels(ax, t, curve, scale, first)


def _panel(ax: Axes, t: Array, curve: Curve, scale: float, first: float) -> None:
    """Draw band, bounds and the curve in two parts that meet at the first onset."""
    values, upper = curve.reaction / scale, curve.upper / scale
    lower = np.zeros_like(upper) if curve.lower is None else curve.lower / scale
    ax.fill_between(t, lower, upper, color="0.94", linewidth=0, zorder=0)
    ax.axhline(0.0, color="0.6", linewidth=0.4, zorder=1)
    for edge in (upper,) if curve.lower is None else (upper, lower):
        ax.plot(t, edge, **BOUND, zorder=2)
    if np.isfinite(first):
        there = np.interp(first, t, values)
        before, after = t < first, t > first
        ax.plot([first, *t[after]], [there, *values[after]], **EXCEEDED, zorder=3)
        ax.plot([*t[before], first], [*values[before], there], **HELD, zorder=4)
        ax.axvline(first, color=style.GREY, linewidth=0.5, zorder=1)
    else:
        ax.plot(t, values, **HELD, zorder=4)
    if np.isfinite(curve.onset):
        there = np.interp(curve.onset, t, values)
        ax.plot(curve.onset, there, marker="|", markersize=11, color=style.VERMILLION, zorder=5)
        ax.plot(curve.onset, there, marker="o", markersize=2.8, color=style.VERMILLION, zorder=5)
    ax.set_ylim(*_limits(t, curve, scale, first))
    ax.yaxis.set_major_locator(MaxNLocator(5))


def _limits(t: Array, curve: Curve, scale: float, first: float) -> tuple[float, float]:
    """Range that shows bounds and physical part whole, of the rest not more than twice that."""
    lower = np.zeros_like(curve.upper) if curve.lower is None else curve.lower
    shown = np.concatenate([curve.reaction[t <= first], curve.upper, lower, [0.0]]) / scale
    reach = 2.0 * float(np.nanmax(np.abs(shown)))
    rest = np.clip(curve.reaction / scale, -reach, reach)
    low, high = (float(pick([*rest, *shown])) for pick in (np.nanmin, np.nanmax))
    air = 0.18 * (high - low or 1.0)
    return low - air, high + air


def _labels(ax: Axes, t: Array, curve: Curve, scale: float, first: float) -> None:
    """Write the bounds' names and the onset where nothing is drawn."""
    bounds = [(curve.upper / scale, r"$\mu N$")]
    if curve.lower is not None:
        bounds.append((curve.lower / scale, r"$-\mu N$"))
    edges = [_place.pixels(ax, t, edge) for edge, _ in bounds]
    y_range = ax.get_ylim()
    blocked = [*edges, _place.pixels(ax, t, curve.reaction / scale)]
    blocked += [_place.pixels(ax, [at, at], y_range) for at in (first,) if np.isfinite(at)]
    if np.isfinite(curve.onset):
        there = np.interp(curve.onset, t, curve.reaction / scale)
        point = ax.transData.transform((curve.onset, there))
        blocked.append(_place.box_points(point, 6.0, 16.0))
        verb = "slides" if curve.onset - first <= TOGETHER else "bound exceeded"
        text = f"{verb} at $t$ = {curve.onset:.3g} s"
        blocked.append(_place.free(ax, text, point, np.concatenate(blocked), SMALL))
    for edge, (_, text) in zip(edges, bounds, strict=True):
        if len(edge):
            near = edge[int(0.97 * (len(edge) - 1))]
            blocked.append(_place.free(ax, text, near, np.concatenate(blocked), SMALL))
