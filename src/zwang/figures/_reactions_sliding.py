"""Reactions of contacts that may slide: within their bounds while held, on them while sliding."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from zwang.figures import _place, _reaction, _runs, style
from zwang.figures._reaction import BOUND, HELD, SMALL, Array, Curve
from zwang.figures._runs import Phase
from zwang.nearest import nearest
from zwang.units import to_si

SLIDES: dict[str, Any] = {"color": style.VERMILLION, "linestyle": "-", "linewidth": 2.0}


def draw(axes: list[Axes], run: xr.Dataset, options: Mapping[str, Any]) -> None:
    """Draw Λ(t) and ±μN, with the phases of sliding shaded."""
    mu = _friction(run, options)
    t = np.asarray(run["t"].values, dtype=float)
    curves = [_reaction.curve(run, k, mu, np.nan) for k in range(run.sizes["contact"])]
    phases = _runs.phases(run)
    scale, prefix = _reaction.scale(curves)
    for ax, curve in zip(axes, curves, strict=True):
        _panel(ax, t, curve, phases[curve.contact], scale)
        units = style.unit(prefix + curve.units)
        ax.set_ylabel(f"{curve.contact}\n{curve.symbol}" + (f" [{units}]" if units else ""))
    axes[-1].set_xlabel(style.label(run["t"]))
    axes[-1].set_xlim(t[0], t[-1])
    said = [] if "grip" in _runs.axes(run) else [rf"$\mu$ = {mu:.4g}"]
    title = [*_runs.words(run), *said, *_runs.end_words(run)]
    axes[0].set_title(style.lines(title), loc="left")
    figure = axes[0].get_figure(root=True)
    assert figure is not None
    figure.align_ylabels(axes)
    handles = _handles(run, [p for parts in phases.values() for p in parts], options)
    figure.legend(handles=handles, loc="outside lower center", ncols=2, columnspacing=1.2)

    _place.settle(axes[0])
    for ax, curve in zip(axes, curves, strict=True):
        _labels(ax, t, curve, phases[curve.contact], scale)


def _friction(run: xr.Dataset, options: Mapping[str, Any]) -> float:
    """The friction coefficient: a number, or the coordinate that holds it."""
    asked = options.get("friction", "grip")
    if not isinstance(asked, str):
        return to_si(asked)[0]
    if asked not in run.coords or run[asked].ndim:
        scalars = [str(n) for n, v in run.coords.items() if v.ndim == 0]
        raise style.FigureError(
            f"friction: {asked} is no coordinate of the trajectories; give its name or the "
            f"friction coefficient itself; {nearest(asked, scalars)}"
        )
    return float(run[asked])


def _panel(ax: Axes, t: Array, curve: Curve, phases: list[Phase], scale: float) -> None:
    """Draw shades, band, bounds and the curve, phase by phase."""
    upper = curve.upper / scale
    lower = np.zeros_like(upper) if curve.lower is None else curve.lower / scale
    ax.fill_between(t, lower, upper, color="0.94", linewidth=0, zorder=0)
    ax.axhline(0.0, color="0.6", linewidth=0.4, zorder=1)
    for edge in (upper,) if curve.lower is None else (upper, lower):
        ax.plot(t, edge, **BOUND, zorder=2)
    for phase in phases:
        if phase.mode != _runs.HELD:
            _shade(ax, phase)
        ax.plot(
            *_piece(t, curve.reaction / scale, lower, upper, phase),
            **(HELD if phase.mode == _runs.HELD else SLIDES),
            solid_capstyle="butt",
            zorder=4,
        )
    if phases[-1].end < t[-1]:
        ax.axvline(phases[-1].end, color=style.BLACK, linewidth=1.0, zorder=5)
    every = np.concatenate([curve.reaction / scale, upper, lower, [0.0]])
    low, high = float(np.nanmin(every)), float(np.nanmax(every))
    air = 0.18 * (high - low or 1.0)
    ax.set_ylim(low - air, high + air)
    ax.yaxis.set_major_locator(MaxNLocator(5))


def _shade(ax: Axes, phase: Phase) -> None:
    """Shade a phase of sliding; its border makes a short one visible."""
    colour, hatch = _runs.SLIDING[phase.mode]
    ax.axvspan(phase.start, phase.end, facecolor=colour, alpha=0.22, linewidth=0, zorder=0.5)
    ax.axvspan(
        phase.start,
        phase.end,
        facecolor="none",
        edgecolor=_runs.shade(colour),
        hatch=hatch,
        linewidth=0.4,
        alpha=0.55,
        zorder=0.6,
    )


def _piece(
    t: Array, values: Array, lower: Array, upper: Array, phase: Phase
) -> tuple[Array, Array]:
    """The curve within a phase, carried on to its borders as its last two samples go."""
    # a sample at a change may belong to either side
    after = t >= phase.start if phase.start == t[0] else t > phase.start
    before = t <= phase.end if phase.end == t[-1] else t < phase.end
    inside = after & before & np.isfinite(values)
    at, here = t[inside], values[inside]
    if at.size < 2:
        return at, here
    ends = []
    for time, pair in ((phase.start, [0, 1]), (phase.end, [-2, -1])):
        slope = np.diff(here[pair])[0] / np.diff(at[pair])[0]
        on = here[pair[0]] + slope * (time - at[pair[0]])
        ends.append(np.clip(on, np.interp(time, t, lower), np.interp(time, t, upper)))
    return (
        np.concatenate([[phase.start], at, [phase.end]]),
        np.concatenate([[ends[0]], here, [ends[1]]]),
    )


def _handles(run: xr.Dataset, phases: list[Phase], options: Mapping[str, Any]) -> list[Artist]:
    """Legend entries of what occurs."""
    handles: list[Artist] = [Line2D([], [], **HELD, label="held")]
    signs = [sign for sign in _runs.SLIDING if any(p.mode == sign for p in phases)]
    if signs:
        handles.append(Line2D([], [], **SLIDES, label="sliding"))
    for sign in signs:
        colour, hatch = _runs.SLIDING[sign]
        words = _runs.direction(run, sign, options)
        handles.append(
            Patch(
                facecolor=_runs.pale(colour),
                edgecolor=_runs.shade(colour),
                hatch=hatch,
                linewidth=0.4,
                label=words,
            )
        )
    return handles


def _labels(ax: Axes, t: Array, curve: Curve, phases: list[Phase], scale: float) -> None:
    """Write the bounds' names and when the contact first slides, where nothing is drawn."""
    bounds = [(curve.upper / scale, r"$\mu N$")]
    if curve.lower is not None:
        bounds.append((curve.lower / scale, r"$-\mu N$"))
    edges = [_place.pixels(ax, t, edge) for edge, _ in bounds]
    blocked = [*edges, _place.pixels(ax, t, curve.reaction / scale)]
    blocked += [_place.pixels(ax, [p.end, p.end], ax.get_ylim()) for p in phases]
    blocked.append(_place.pixels(ax, t, np.zeros_like(t)))
    for edge, (_, text) in zip(edges, bounds, strict=True):
        if len(edge):
            near = edge[int(0.97 * (len(edge) - 1))]
            blocked.append(_place.free(ax, text, near, np.concatenate(blocked), SMALL, _place.BACK))
    first = next((p for p in phases if p.mode != _runs.HELD), None)
    if first is not None:
        middle = 0.5 * sum(ax.get_ylim())
        point = ax.transData.transform((first.start, middle))
        text = f"slides from $t$ = {first.start:.3g} s"
        _place.free(ax, text, point, np.concatenate(blocked), SMALL, _place.BACK)
