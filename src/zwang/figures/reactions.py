"""Reactions of the first trajectory against the friction bound, one panel per contact."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from zwang.figures import style

Array = NDArray[np.float64]
TOGETHER = 1e-9  # s; onsets closer than this are one event
HELD = {"color": style.BLUE, "linestyle": "-"}
EXCEEDED = {"color": style.SKY, "linestyle": (0, (3, 1.2)), "linewidth": 1.0}
BOUND = {"color": style.BLACK, "linestyle": (0, (1, 1.5)), "linewidth": 0.8}


def layout(
    thresholds: xr.Dataset | None, trajectories: xr.Dataset | None, options: Mapping[str, Any]
) -> style.Layout:
    """One panel per contact."""
    rows = style.need(trajectories, "trajectories", ("contact",)).sizes["contact"]
    return style.Layout(rows=rows, height=24.0 + 33.0 * rows)


def draw(
    axes: list[Axes],
    thresholds: xr.Dataset | None,
    trajectories: xr.Dataset | None,
    options: Mapping[str, Any],
) -> None:
    """Draw Λ(t) with the band ±μN; lighter after the first onset, where the motion is not physical."""
    data = style.need(trajectories, "trajectories", ("t", "contact", "mu", "normal_load", "onset"))
    at, mu_text = style.nearest_mu(data, options)
    run = data.isel(trajectory=0, mu=at)
    mu = float(data["mu"].values[at])
    t = np.asarray(run["t"].values, dtype=float)
    onsets = np.asarray(run["onset"].transpose("contact").values, dtype=float)
    first = float(np.nanmin(onsets)) if np.isfinite(onsets).any() else np.inf
    contacts = [str(name) for name in run["contact"].values]
    curves = [_reaction(run, name) for name in contacts]
    loads = [mu * np.asarray(run["normal_load"].isel(contact=k).values) for k in range(len(axes))]
    scale, units = _scale([*(values for values, _, _ in curves), *loads], curves[0][2])

    for ax, name, (values, text, _), bound in zip(axes, contacts, curves, loads, strict=True):
        _panel(ax, t, values / scale, bound / scale, first)
        ax.set_ylabel(f"{name}\n{text} [{units}]" if units else f"{name}\n{text}")
        ax.yaxis.set_major_locator(_locator())
    axes[-1].set_xlabel(style.label(run["t"]))
    axes[-1].set_xlim(t[0], t[-1])
    axes[0].set_title(style.lines([*_axes_values(run), mu_text, *_ended(run)]), loc="left")
    figure = axes[0].figure
    handles = [Line2D([], [], **HELD, label="ideal motion, contacts hold")]
    if np.isfinite(first):
        handles.append(Line2D([], [], **EXCEEDED, label="ideal motion, bound exceeded"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))

    FigureCanvasAgg(figure)  # type: ignore[arg-type]  # labels need a renderer to be measured
    figure.canvas.draw()
    for ax, (values, _, _), bound, onset in zip(axes, curves, loads, onsets, strict=True):
        _bound_labels(ax, t, values / scale, bound / scale)
        if np.isfinite(onset):
            verb = "slides" if onset - first <= TOGETHER else "bound exceeded"
            _mark(ax, t, values / scale, bound / scale, float(onset), f"{verb} at t = {onset:.3g} s")


def _reaction(run: xr.Dataset, contact: str) -> tuple[Array, str, str]:
    """Values, symbol and unit of a contact's reaction; its magnitude where it has several rows."""
    name = f"reaction_{contact}"
    if name in run:
        var = run[name]
        return np.asarray(var.values, float), style.symbol(var), str(var.attrs.get("units", "N"))
    load = run["normal_load"].sel(contact=contact)
    values = np.asarray((run["utilisation"].sel(contact=contact) * load).values, float)
    return values, r"$\Vert\Lambda\Vert$", str(run["normal_load"].attrs.get("units", "N"))


def _scale(curves: list[Array], units: str) -> tuple[float, str]:
    """Divisor and unit in which the numbers on the axis are short."""
    largest = max((float(np.nanmax(np.abs(c))) for c in curves if np.isfinite(c).any()), default=0.0)
    return (1000.0, "kN") if units == "N" and largest >= 2000.0 else (1.0, style.unit(units))


def _locator() -> Any:  # noqa: ANN401 - matplotlib's locators share no public type worth naming
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(5)


def _panel(ax: Axes, t: Array, values: Array, bound: Array, first: float) -> None:
    """Band, bounds and the curve in its two parts, which meet at the first onset."""
    signed = bool(np.nanmin(values, initial=0.0) < 0) or True
    low = -bound if signed else np.zeros_like(bound)
    ax.fill_between(t, low, bound, color="0.93", linewidth=0, zorder=0)
    ax.axhline(0.0, color="0.6", linewidth=0.4, zorder=1)
    for edge in (low, bound):
        ax.plot(t, edge, **BOUND, zorder=2)
    if first < t[-1]:
        there = float(np.interp(first, t, values))
        before, after = t < first, t > first
        ax.plot([first, *t[after]], [there, *values[after]], **EXCEEDED, zorder=3)
        ax.plot([*t[before], first], [*values[before], there], **HELD, zorder=4)
        ax.axvline(first, color=style.GREY, linewidth=0.5, zorder=1)
    else:
        ax.plot(t, values, **HELD, zorder=4)
    ax.margins(y=0.16)
