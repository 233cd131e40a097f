"""Maps over two axes of a grid: what is cut out of a dataset, on how many panels, and its frame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from zwang.figures import style
from zwang.nearest import nearest

Array = NDArray[np.float64]
OPTIONS = ("x", "y", "mu", "boundary", "at", "panels")
COMPLETE = (0, 1)  # status codes of runs that were followed to their end: ok, at_rest
BOUNDARY: dict[str, Any] = {"color": style.BLACK, "linestyle": "-", "linewidth": 1.6}


@dataclass(frozen=True, eq=False)
class Map:
    """What one panel shows: a dataset over two axes, and the rest of the axes in words."""

    here: xr.Dataset
    x_name: str
    y_name: str
    said: tuple[str, ...]  # where it is cut: the panel's member first, then μ and what is fixed

    @property
    def dims(self) -> tuple[str, str]:
        """The two axes in the order of an image: rows, columns."""
        return self.y_name, self.x_name

    @property
    def x(self) -> Array:
        """Values along x as shown."""
        return style.shown(self.here[self.x_name])[0]

    @property
    def y(self) -> Array:
        """Values along y as shown."""
        return style.shown(self.here[self.y_name])[0]

    def field(self, name: str) -> Array:
        """A variable over (y, x) as shown."""
        return style.shown(self.here[name].transpose(*self.dims))[0]


def members(dataset: xr.Dataset, options: Mapping[str, Any]) -> list[Any]:
    """The values of the axis named by `panels`; one None where there is a single panel."""
    name = options.get("panels")
    if name is None:
        return [None]
    places = options.get("at") or {}
    known = [str(d) for d in dataset["first_contact"].dims if d not in places]
    known = [d for d in known if d in dataset.coords and d not in (axis_names(options))]
    if name not in known:
        raise style.FigureError(
            f"panels: {name} names no axis that is free; {nearest(str(name), known)}. "
            "An axis chosen by `at`, x or y makes no panels"
        )
    return list(dataset[str(name)].values)


def axis_names(options: Mapping[str, Any]) -> tuple[Any, Any]:
    """The axes asked for as x and y, None where the figure may choose."""
    return options.get("x"), options.get("y")


def cut(given: xr.Dataset, options: Mapping[str, Any]) -> list[Map]:
    """One map for each member of `panels`, else one; axes not named at their first value."""
    places = dict(options.get("at") or {})
    name = options.get("panels")
    found = []
    for member in members(given, options):
        at = places if member is None else {str(name): member, **places}
        found.append(_map(given, at, options))
    return found


def _map(given: xr.Dataset, at: Mapping[str, Any], options: Mapping[str, Any]) -> Map:
    whole = style.chosen(given, at)
    said = [style.label_of(given, name, place) for name, place in at.items()]
    if "mu" in whole["first_contact"].dims:
        place, words = style.nearest_mu(whole, options)
        whole, said = whole.isel(mu=place), [*said[:1], words, *said[1:]]
    elif options.get("mu") is not None and "mu" not in at:
        raise style.FigureError(
            f"mu: {options['mu']} was asked for, but the contacts of this case slide with the "
            "friction of their own law; choose its axis by `at`, and set mu: null"
        )
    x_name, y_name = _names(whole, options)
    others = [str(d) for d in whole["first_contact"].dims if d not in (x_name, y_name)]
    said += [f"{_first(whole, d)} (first of {whole.sizes[d]})" for d in others]
    here = whole.isel({d: 0 for d in others}).sortby([x_name, y_name])
    return Map(here, x_name, y_name, tuple(said))


def _names(whole: xr.Dataset, options: Mapping[str, Any]) -> tuple[str, str]:
    """The two axes, as asked or the first two; a sentence where they are not axes of a grid."""
    dims = [str(d) for d in whole["first_contact"].dims]
    long = [d for d in dims if d in whole.coords and d != "run" and whole.sizes[d] > 1]
    grid = [d for d in long if whole[d].dtype.kind in "fiu"]
    asked = axis_names(options)
    rest = iter([d for d in grid if d not in asked])
    names = [next(rest, None) if name is None else str(name) for name in asked]
    if names[0] == names[1] or any(name not in grid for name in names):
        raise style.FigureError(
            f"the map was asked for x = {names[0]}, y = {names[1]}; expected two different axes of "
            f"the grid with at least two values each, here: {', '.join(grid) or 'none'} "
            f"(dimensions: {', '.join(dims)}). Correct `map` in the study, or leave the figure out"
        )
    return str(names[0]), str(names[1])


def _first(whole: xr.Dataset, name: str) -> str:
    known = name in whole.coords
    return style.label_of(whole, name, whole[name].values[0]) if known else f"{name} = 0"


def layout(count: int, below: float = 0.0) -> style.Layout:
    """Panels for so many maps: one column of the page for one, both for several; `below` in mm."""
    if count == 1:
        return style.Layout(rows=1, height=84.0 + below)
    columns = columns_of(count)
    rows = -(-count // columns)
    height = 10.0 + below + rows * (62.0 if columns == 2 else 56.0)
    return style.Layout(rows, height, columns, style.PAGE, sharex="none")


def columns_of(count: int) -> int:
    """Panels side by side: three at most, four as two by two."""
    return 2 if count == 4 else min(count, 3)


def frames(axes: Sequence[Axes], found: Sequence[Map]) -> None:
    """Limits, titles and labels of panels over the same two axes."""
    width = 46 if len(found) == 1 else 88 // columns_of(len(found))
    for ax, one in zip(axes, found, strict=False):
        frame(ax, one)
        ax.set_title(style.lines(one.said, width), loc="left")
    outside(axes, len(found))


def outside(axes: Sequence[Axes], count: int) -> None:
    """Remove panels that are spare, and labels between panels that share their axes."""
    columns = columns_of(count)
    for spare in axes[count:]:
        spare.remove()
    for k, ax in enumerate(axes[:count]):
        if k % columns:
            ax.set_ylabel("")
            ax.tick_params(labelleft=False)
        if k + columns < count:
            ax.set_xlabel("")
            ax.tick_params(labelbottom=False)


def frame(ax: Axes, one: Map) -> None:
    """Limits and labels of one panel."""
    ax.spines[:].set_visible(True)
    ax.set(xlim=(one.x[0], one.x[-1]), ylim=(one.y[0], one.y[-1]))
    ax.set(xlabel=style.label(one.here[one.x_name]), ylabel=style.label(one.here[one.y_name]))


def boundary(ax: Axes, one: Map) -> list[Array]:
    """Draw the boundary of sliding; its parts (point, 2).

    The root-found curve where there is one over these axes; below it the contour of the critical
    μ on the grid, which goes on where the root lies outside the grid or is not the only one.
    """
    if "critical_mu_common" not in one.here or "mu" not in one.here.coords:
        return []  # contacts that let go have no reaction of an ideal motion
    parts = contour(ax, one, float(one.here["mu"]), BOUNDARY)
    curve = _root(one)
    if curve is not None:
        ax.plot(*curve.T, **BOUNDARY, zorder=4)
        parts.append(curve)
    return parts


def boundary_handle(one: Map) -> Line2D:
    """The boundary's entry in a legend."""
    label = rf"{style.symbol(one.here['critical_mu_common'])} = $\mu$"
    return Line2D([], [], **BOUNDARY, label=label)


def contour(ax: Axes, one: Map, level: float, look: Mapping[str, Any]) -> list[Array]:
    """Draw a contour of the critical μ; its parts (point, 2)."""
    common = np.ma.masked_invalid(critical(one))
    if common.count() == 0 or not common.min() < level < common.max():
        return []
    lines = ax.contour(one.x, one.y, common, levels=[level], colors=[look["color"]], zorder=3)
    lines.set(linestyle=look["linestyle"], linewidth=look["linewidth"])
    return [np.asarray(part) for part in lines.allsegs[0] if len(part) > 1]


def critical(one: Map) -> Array:
    """Critical μ (y, x) where the run was followed to its end, NaN elsewhere."""
    common = one.field("critical_mu_common")
    if "status" not in one.here:
        return common
    return np.where(np.isin(one.field("status"), COMPLETE), common, np.nan)


def _root(one: Map) -> Array | None:
    """The root-found boundary (point, 2), where there is one over these two axes."""
    if "boundary" not in one.here:
        return None
    axis = str(one.here["boundary"].attrs.get("axis", ""))
    other = {one.x_name: one.y_name, one.y_name: one.x_name}.get(axis)
    if other is None or one.here["boundary"].dims != (other,):
        return None
    units = one.here[axis].attrs.get("units", "1")
    along = style.shown(one.here["boundary"].assign_attrs(units=units))[0]
    across = style.shown(one.here[other])[0]
    pair = (along, across) if axis == one.x_name else (across, along)
    return np.column_stack(pair) if np.isfinite(along).any() else None


def edges(centres: Array) -> Array:
    """Borders of the cells around grid values, halfway between them."""
    middle = np.array([0.5 * (a + b) for a, b in pairwise(centres)])
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])
