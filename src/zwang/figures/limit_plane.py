"""Map over distance and inertia on both sides: the value in the corner depends on the way there."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from zwang.figures import _maps, _place, style
from zwang.figures.results import Results

Array = NDArray[np.float64]
NEEDS = ("thresholds", "runs")
OPTIONS = ("families",)
SMALL = 7  # pt
FINE, COARSE = (1.0, 2.0, 5.0), (1.0, 3.0)  # steps of colour within each power of ten
FAMILY = ("q", "J_1")  # what a path is given by
WORDS = {-1.0: "weight behind", 1.0: "weight ahead"}
HALO = [withStroke(linewidth=2.6, foreground="white")]


@dataclass(frozen=True)
class Path:
    """A way to the corner, J = J_1 |ρ|^q."""

    q: float
    factor: float

    def inside(self, x: Array, y: Array) -> Array:
        """Points (point, 2) of the path within the map, from the corner outwards."""
        r = np.geomspace(x[0], x[-1], 2001)
        J = self.factor * r**self.q
        keep = (y[0] <= J) & (y[-1] >= J)
        return np.column_stack([r, J])[keep]

    def name(self) -> str:
        """The exponent as a fraction."""
        return f"$q = {Fraction(self.q).limit_denominator(12)}$"


@dataclass(frozen=True, eq=False)
class Field:
    """One row of maps: values (side, y, x) as shown, their unit and words."""

    values: Array
    unit: str
    label: str

    def levels(self) -> Array:
        """Borders between the colours, around all values above zero."""
        good = self.values[np.isfinite(self.values) & (self.values > 0.0)]
        if not good.size:
            raise style.FigureError(f"{self.label} is zero or missing everywhere; nothing to map")
        powers = np.arange(np.floor(np.log10(good.min())), np.floor(np.log10(good.max())) + 2)
        ladder = (10.0 ** powers[:, None] * (FINE if len(powers) < 6 else COARSE)).ravel()
        first = max(int(np.searchsorted(ladder, good.min(), "right")) - 1, 0)
        last = int(np.searchsorted(ladder, good.max(), "left"))
        return np.asarray(ladder[first : max(last, first + 1) + 1])

    def said(self, side: int, point: Array, x: Array, y: Array) -> str:
        """The value in the cell of a point."""
        column = int(np.argmin(np.abs(np.log(x / point[0]))))
        row = int(np.argmin(np.abs(np.log(y / point[1]))))
        value = self.values[side, row, column]
        gap = "" if self.unit.startswith("°") else "\N{NO-BREAK SPACE}"
        return f"{float(f'{value:.2g}'):g}{gap}{self.unit}"


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """A row for the heading, a row for the distance; a column for each side."""
    columns = _thresholds(data).sizes["side"]
    width = style.PAGE if columns > 1 else style.COLUMN
    return style.Layout(2, 152.0, columns, width, sharex="all", sharey="all")


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw heading and distance at the end in steps of colour, with the ways to the corner."""
    known = _thresholds(data)
    paths = _paths(options)
    x, y = np.abs(known["rho"].isel(side=0).values), np.asarray(known["J"].values, dtype=float)
    grid = np.array(axes, dtype=object).reshape(2, known.sizes["side"])
    fields = _fields(data, known)
    for row, field in zip(grid, fields, strict=True):
        _row(row, field, x, y)
    for ax, side in zip(grid[0], known["side"].values, strict=True):
        words = WORDS.get(float(side), "")
        ax.set_title(rf"$\rho {'<' if side < 0 else '>'} 0$: {words}", loc="left")
    for ax in grid[-1]:
        ax.set_xlabel(rf"distance $|\rho|$ [{style.unit(known['rho'].attrs.get('units', 'm'))}]")
    for ax in grid[:, 0]:
        ax.set_ylabel(style.label(known["J"]))
    if paths:
        words = (
            r"lines $J = J_1|\rho|^q$ on the way to the corner, each with the value where it ends"
        )
        style.heading(axes[0], [words])
    _place.settle(axes[0])
    for row, field in zip(grid, fields, strict=True):
        for side, ax in enumerate(row):
            _ways(ax, paths, field, side, x, y)


def _thresholds(data: Results) -> xr.Dataset:
    """The thresholds in order of both axes."""
    known = data.get("thresholds", ("side", "r", "inertia", "rho", "J", "distance", "status"))
    if known["J"].dims != ("inertia",) or set(known["rho"].dims) != {"side", "r"}:
        raise style.FigureError(
            "a plane of limits has a grid over side, r and inertia with rho = side*r and "
            f"J = inertia; here rho has {', '.join(map(str, known['rho'].dims)) or 'no axes'}, "
            f"J has {', '.join(map(str, known['J'].dims)) or 'no axes'}"
        )
    if min(known.sizes["r"], known.sizes["inertia"]) < 2:
        raise style.FigureError("a plane of limits needs two values of r and of inertia at least")
    return known.transpose("side", ...).sortby(["side", "r", "inertia"])


def _fields(data: Results, known: xr.Dataset) -> list[Field]:
    """Heading and distance where the runs came to their end, NaN elsewhere."""
    runs = data.get("runs", ("theta_end",)).sortby(["side", "r", "inertia"])
    dims = ("side", "inertia", "r")
    ended = np.isin(known["status"].transpose(*dims).values, _maps.COMPLETE)
    found = []
    for var, words in (
        (runs["theta_end"], "final heading"),
        (known["distance"], "distance from the degenerate end"),
    ):
        values, unit = style.shown(var.transpose(*dims))
        text = f"{words} {style.symbol(var)} [{unit}]"
        found.append(Field(np.where(ended, np.abs(values), np.nan), unit, text))
    return found


def _paths(options: Mapping[str, Any]) -> list[Path]:
    """The ways that option `families` names."""
    given = options.get("families") or []
    found = []
    for one in given if isinstance(given, list) else [given]:
        if not isinstance(one, Mapping) or set(one) != set(FAMILY):
            raise style.FigureError(
                f"families: came {one!r}; expected a list of {{q: number, J_1: number}}"
            )
        q, factor = style.numbers([one[name] for name in FAMILY], "families")
        if factor <= 0.0:
            raise style.FigureError(f"families: J_1 = {factor:g} has no logarithm; leave it out")
        found.append(Path(q, factor))
    return found


def _row(row: NDArray[Any], field: Field, x: Array, y: Array) -> None:
    """Paint the maps of one field and their common bar of colours; small is light."""
    levels = field.levels()
    shades = _shades(len(levels) - 1)
    norm = BoundaryNorm(levels, len(levels) - 1)
    for ax, values in zip(row, field.values, strict=True):
        ax.set(xscale="log", yscale="log", xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
        ax.spines[:].set_visible(True)
        shown = np.ma.masked_invalid(values)
        ax.contourf(x, y, shown, levels=levels, cmap=shades, norm=norm, zorder=0)
    bar = row[-1].figure.colorbar(
        ScalarMappable(norm, shades), ax=list(row), aspect=26, pad=0.015, fraction=0.05
    )
    bar.set_label(field.label)
    bar.set_ticks(list(levels), labels=[f"{level:g}" for level in levels])
    bar.ax.minorticks_off()
    bar.outline.set_linewidth(0.6)


def _shades(count: int) -> ListedColormap:
    """Colours from light to dark, even in grey."""
    return ListedColormap(colormaps["YlGnBu"](np.linspace(0.02, 0.98, count)))


def _ways(ax: Axes, paths: list[Path], field: Field, side: int, x: Array, y: Array) -> None:
    """Draw the ways with their exponents, and the value where each leaves the map."""
    drawn = [(path, path.inside(x, y)) for path in paths]
    drawn = [(path, points) for path, points in drawn if len(points) > 1]
    for _, points in drawn:
        ax.plot(*points.T, color=style.BLACK, linewidth=1.1, path_effects=HALO, zorder=3)
    taken: list[Array] = []
    for path, points in drawn:
        text = f"{path.name()} → {field.said(side, points[0], x, y)}"
        taken.append(_write(ax, text, _place.pixels(ax, *points.T), taken))


def _write(ax: Axes, text: str, line: Array, taken: list[Array]) -> Array:
    """Write on a line as near to its start as is free; centre and half size of the box, pixels."""
    half = np.array(_place.size(ax, text, SMALL)) / 2
    frame = ax.get_window_extent()
    room = np.minimum(line - [frame.x0, frame.y0], [frame.x1, frame.y1] - line) - half
    free = room.min(axis=1) >= 2.0
    for centre, other in taken:
        free &= (np.abs(line - centre) - half - other).max(axis=1) >= 1.0
    centre = line[int(np.argmax(free))] if free.any() else line[len(line) // 2]
    left, up = ax.transData.inverted().transform(centre)
    look: dict[str, Any] = {"fontsize": SMALL, "ha": "center", "va": "center", "zorder": 6}
    ax.text(left, up, text, bbox=_place.BACK, **look).set_in_layout(False)
    return np.array([centre, half])
