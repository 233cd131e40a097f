"""Map over two axes of the grid: which contact slides first, and contours of the critical μ."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from zwang.figures import _place, _regions, style
from zwang.figures._regions import Region
from zwang.figures.results import Results

Array = NDArray[np.float64]
NEEDS = ("thresholds",)
OPTIONS = ("x", "y", "mu", "boundary", "at")
COMPLETE = (0, 1)  # status codes of runs that were followed to their end: ok, at_rest
CONTOUR: dict[str, Any] = {"color": "0.25", "linestyle": (0, (5, 1.5)), "linewidth": 0.7}
BOUNDARY: dict[str, Any] = {"color": style.BLACK, "linestyle": "-", "linewidth": 1.6}


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """One panel."""
    return style.Layout(rows=1, height=84.0)


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw the regions of first_contact at one μ, contours of the critical μ, the boundary."""
    ax = axes[0]
    given = data.get("thresholds", ("first_contact", "critical_mu_common", "mu"))
    whole = style.chosen(given, options.get("at") or {})
    at, mu_text = style.nearest_mu(whole, options)
    x_name, y_name = _axes_names(whole, options)
    others = [str(d) for d in whole["first_contact"].dims if d not in (x_name, y_name, "mu")]
    here = whole.isel(mu=at).isel({name: 0 for name in others}).sortby([x_name, y_name])
    x, y = style.shown(here[x_name])[0], style.shown(here[y_name])[0]

    found = _regions.regions(here, (y_name, x_name))
    for region in found:
        _regions.fill(ax, x, y, region)
    ax.spines[:].set_visible(True)
    ax.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
    ax.set(xlabel=style.label(here[x_name]), ylabel=style.label(here[y_name]))
    fixed = [f"{_fixed(here, name)} (first of {whole.sizes[name]})" for name in others]
    named = [
        style.label_of(given, name, value) for name, value in (options.get("at") or {}).items()
    ]
    ax.set_title(style.lines([mu_text, *named, *fixed]), loc="left")

    curve = _boundary(here, x_name, y_name)
    if curve is not None:
        ax.plot(*curve, **BOUNDARY, zorder=4)
    common = _complete(here, (y_name, x_name))
    levels = _levels(common)
    mu = float(here["mu"])
    segments = _contours(ax, x, y, common, [*levels, mu] if curve is None else levels, mu)
    places = _arrange(ax, x, y, found, _handles(here, curve is not None, levels, segments, mu))

    blocked = [_regions.write(ax, region.name, pixel) for region, pixel in places]
    lines = {level: [_place.pixels(ax, *s.T) for s in parts] for level, parts in segments.items()}
    if curve is not None:
        blocked.append(_place.pixels(ax, *curve))
    for level in levels:
        _label_contour(ax, level, lines, blocked)


def _axes_names(data: xr.Dataset, options: Mapping[str, Any]) -> tuple[str, str]:
    """The two axes, as asked or the first two; a sentence where they are not axes of a grid."""
    dims = [str(d) for d in data["first_contact"].dims if d != "mu"]
    grid = [d for d in dims if d in data.coords and d != "run" and data.sizes[d] > 1]
    asked = [options.get(key) for key in ("x", "y")]
    rest = iter([d for d in grid if d not in asked])
    names = [next(rest, None) if name is None else str(name) for name in asked]
    if names[0] == names[1] or any(name not in grid for name in names):
        raise style.FigureError(
            f"the map was asked for x = {names[0]}, y = {names[1]}; expected two different axes of "
            f"the grid with at least two values each, here: {', '.join(grid) or 'none'} "
            f"(dimensions: {', '.join(dims)}). Correct `map` in the study, or leave the figure out"
        )
    return str(names[0]), str(names[1])


def _fixed(here: xr.Dataset, name: str) -> str:
    return style.equation(here[name]) if name in here.coords else f"{name} = 0"


def _complete(here: xr.Dataset, dims: tuple[str, str]) -> Array:
    """Critical μ where the run was followed to its end, NaN elsewhere."""
    common = here["critical_mu_common"]
    if "status" in here:
        common = common.where(here["status"].isin(COMPLETE))
    return np.asarray(common.transpose(*dims).values, dtype=float)


def _levels(common: Array) -> list[float]:
    """About five round values of the critical μ, those few runs reach at the ends left out."""
    values = common[np.isfinite(common)]
    if values.size == 0 or np.ptp(values) <= 1e-9 * np.abs(values).max():
        return []
    low, high = np.percentile(values, [3, 97])
    ticks = MaxNLocator(5).tick_values(low, high)
    return [float(v) for v in ticks if low < v < high]


def _contours(
    ax: Axes, x: Array, y: Array, common: Array, levels: list[float], mu: float
) -> dict[float, list[Array]]:
    """Draw the contours; their segments by level. The level μ is drawn as the boundary."""
    segments: dict[float, list[Array]] = {}
    field = np.ma.masked_invalid(common)
    if field.count() == 0:
        return segments
    for level in sorted(set(levels)):
        if not field.min() < level < field.max():
            continue
        look = BOUNDARY if level == mu else CONTOUR
        lines = ax.contour(x, y, field, levels=[level], colors=[look["color"]], zorder=3)
        lines.set(linestyle=look["linestyle"], linewidth=look["linewidth"])
        segments[level] = [np.asarray(s) for s in lines.allsegs[0] if len(s) > 1]
    return segments


def _boundary(here: xr.Dataset, x_name: str, y_name: str) -> tuple[Array, Array] | None:
    """The root-found boundary as x and y, where there is one over these two axes."""
    if "boundary" not in here:
        return None
    axis = str(here["boundary"].attrs.get("axis", ""))
    other = {x_name: y_name, y_name: x_name}.get(axis)
    if other is None or here["boundary"].dims != (other,):
        return None
    units = here[axis].attrs.get("units", "1")
    along = style.shown(here["boundary"].assign_attrs(units=units))[0]
    if not np.isfinite(along).any():
        return None
    across = style.shown(here[other])[0]
    return (along, across) if axis == x_name else (across, along)


def _handles(
    here: xr.Dataset,
    exact: bool,
    levels: list[float],
    segments: Mapping[float, list[Array]],
    mu: float,
) -> list[Artist]:
    """Legend entries of the lines that are drawn."""
    symbol = style.symbol(here["critical_mu_common"])
    handles: list[Artist] = []
    if exact or mu in segments:
        handles.append(Line2D([], [], **BOUNDARY, label=rf"{symbol} = $\mu$"))
    if any(level != mu for level in levels if level in segments):
        handles.append(Line2D([], [], **CONTOUR, label=f"critical coefficient {symbol}"))
    return handles


def _arrange(
    ax: Axes, x: Array, y: Array, found: list[Region], handles: list[Artist]
) -> list[tuple[Region, Array]]:
    """Make the legend and give the regions that are labelled inside, with the pixel.

    Which regions are too small for a label is known only after the layout, and a longer legend
    changes the layout; the small ones can only become more, so this ends.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None
    small: list[Region] = []
    while True:
        for legend in list(figure.legends):
            legend.remove()
        entries = [*(region.patch() for region in small), *handles]
        if entries:
            figure.legend(handles=entries, loc="outside lower center", ncols=2, columnspacing=1.2)
        _place.settle(ax)
        spots = [(region, _regions.spot(ax, x, y, region)) for region in found]
        fresh = [region for region, pixel in spots if pixel is None and region not in small]
        if not fresh:
            return [(r, pixel) for r, pixel in spots if pixel is not None and r not in small]
        small += fresh


def _label_contour(
    ax: Axes, level: float, lines: Mapping[float, list[Array]], blocked: list[Array]
) -> None:
    """Write the level on its own line, where it covers least and is far from other labels."""
    own = [part for part in lines.get(level, []) if len(part)]
    if not own:
        return
    others = [part for key, parts in lines.items() if key != level for part in parts if len(part)]
    points = np.concatenate(own)
    text = f"{level:.4g}"
    box = np.array(_place.size(ax, text, _regions.SMALL))
    frame = ax.get_window_extent()
    inside = np.minimum(points - [frame.x0, frame.y0], [frame.x1, frame.y1] - points) / box
    points = points[inside.min(axis=1) >= 0.6]
    if not len(points):
        return
    every = points[:: max(1, len(points) // 300)]
    room = np.full(len(every), np.inf)
    for obstacle in [o for o in (*blocked, *others) if len(o)]:
        gap = np.abs(every[:, None, :] - obstacle[None, :, :]) / box
        room = np.minimum(room, gap.max(axis=-1).min(axis=1))
    if room.max() >= 0.6:
        good = every[room >= min(float(room.max()), 1.5)]
        blocked.append(_regions.write(ax, text, good[len(good) // 2]))
