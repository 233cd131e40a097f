"""How fast families of motions reach their limit: distance against the small parameter."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import NDArray

from zwang import formula, verdicts
from zwang.figures import _formulas, _place, style
from zwang.figures.results import Results
from zwang.nearest import nearest

Array = NDArray[np.float64]
NEEDS = ("limits",)
OPTIONS = ("quantities", "slopes", "target", "measure", "normalise", "at")
SMALL = 7  # pt, names of the curves
MEASURES = {"largest": "", "mean": "mean_"}  # over time; how the names of their variables begin
BROWN = "#8A5F00"  # orange, dark enough for words
LOOKS = (
    (style.BLUE, "o"),
    (style.VERMILLION, "s"),
    (style.GREEN, "^"),
    (style.PURPLE, "D"),
    (BROWN, "v"),
    (style.GREY, "P"),
    (style.SKY, "X"),
)
REFERENCE: dict[str, Any] = {"color": style.BLACK, "linestyle": (0, (4, 2)), "linewidth": 0.7}


@dataclass(frozen=True)
class Family:
    """One column of panels: a family of a case on its way to one target."""

    title: str
    places: tuple[str, ...]  # values of the axes beside the small parameter, in words
    limits: xr.Dataset  # along the small parameter alone, from small to large
    axis: str
    prefix: str
    forms: Mapping[str, str]  # predicted, by quantity

    @property
    def size(self) -> Array:
        """The sizes of the small parameter."""
        return np.abs(np.asarray(self.limits[self.axis].values, dtype=float))

    def distance(self, name: str) -> xr.DataArray:
        """The distances of a quantity."""
        return self.limits[f"{self.prefix}distance_{name}"]

    def values(self, name: str, relative: bool) -> Array:
        """The distances as drawn, NaN where they are zero and have no logarithm."""
        var = self.distance(name)
        values = np.asarray(var.values, dtype=float)
        if relative:
            values = values / (float(var.attrs["size"]) or np.nan)
        return np.where(values > 0.0, values, np.nan)

    def label(self, name: str) -> str:
        """Symbol of a quantity with its observed order."""
        var = f"{self.prefix}order_{name}"
        order = float(self.limits[var]) if var in self.limits else np.nan
        text = style.symbol(self.distance(name))
        return f"{text}, $p$ = {order:.2f}" if np.isfinite(order) else text

    def predicted(self, name: str, size: Array) -> tuple[Array, Array] | None:
        """Sizes of the parameter and the predicted form there; None where nothing is predicted."""
        if name in self.forms:
            return size, self._form(self.forms[name], size)
        if f"rate_{name}" not in self.limits:
            return None
        rate = np.asarray(self.limits[f"rate_{name}"].values, dtype=float)
        return self.size, np.where(rate > 0.0, rate, np.nan)

    def _form(self, form: str, size: Array) -> Array:
        sign = -1.0 if float(self.limits[self.axis][0]) < 0.0 else 1.0
        try:
            found = formula.evaluate(form, {self.axis: sign * size})
        except formula.FormulaError as error:
            raise style.FigureError(f"slopes: {error}") from None
        found = np.broadcast_to(np.abs(found), size.shape)
        return np.where(found > 0.0, found, np.nan)


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """A column per family and a row per unit, or one row where distances are normalised."""
    families = _families(data, options)
    rows, columns = len(_rows(families, options)), len(families)
    return style.Layout(
        rows=rows,
        columns=columns,
        height=20.0 + (58.0 if rows == 1 else 40.0) * rows,
        width=style.COLUMN if columns == 1 else style.PAGE,
        sharex="col",
        sharey="row",
    )


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw distances and predicted slopes on logarithmic axes, the observed order at each curve."""
    families = _families(data, options)
    rows, relative = _rows(families, options), bool(options.get("normalise"))
    grid = np.array(axes, dtype=object).reshape(len(rows), len(families))
    for column, family in zip(grid.T, families, strict=True):
        for ax, names in zip(column, rows.values(), strict=True):
            ax.set(xscale="log", yscale="log")
            for k, name in names:
                _curve(ax, family, name, LOOKS[k % len(LOOKS)], relative)
        said = _said(family, [name for names in rows.values() for _, name in names])
        narrow = ",\n" if len(families) > 2 else ", "
        title = narrow.join([family.title, *family.places])
        column[0].set_title("\n".join([title, narrow.join(said)]), loc="left")
        column[-1].set_xlabel(_parameter(family))
    for row, word in zip(grid, rows, strict=True):
        row[0].set_ylabel(word)
    _place.settle(axes[0])
    for column, family in zip(grid.T, families, strict=True):
        ends = [_ends(family, names, relative) for names in rows.values()]
        _widen(column[0], family.size, [end for few in ends for end in few])
        for ax, few in zip(column, ends, strict=True):
            _names(ax, few)


def _families(data: Results, options: Mapping[str, Any]) -> list[Family]:
    """The columns: every case, at every value of the axes that option `at` names."""
    at = options.get("at") or {}
    wanted = [value if isinstance(value, list) else [value] for value in at.values()]
    return [
        _family(data, case, dict(zip(at, place, strict=True)), options)
        for case in data.cases
        for place in product(*wanted)
    ]


def _family(data: Results, case: str, at: Mapping[str, Any], options: Mapping[str, Any]) -> Family:
    """One family towards one target, sorted by the size of the small parameter."""
    limits = data.get("limits", ("target",), case)
    here = style.chosen(limits, at)
    targets = [str(name) for name in here["target"].values]
    target = str(options.get("target", targets[0]))
    if target not in targets:
        raise style.FigureError(
            f"target: {case or 'this family'} is not compared with {target}; "
            f"{nearest(target, targets)}"
        )
    here = here.isel(target=targets.index(target))
    axis = str(here.attrs.get("limit_axis", ""))
    axes = [str(d) for d in here.dims]
    if axes != [axis]:
        raise style.FigureError(
            f"the distances have the axes {', '.join(axes)}; say with `at` which values of those "
            f"beside {axis or 'the small parameter'} are drawn"
        )
    places = tuple(verdicts.label(here, name) for name in at)
    title = f"{data.title(case)} → {data.title(target)}"
    order = np.argsort(np.abs(np.asarray(here[axis].values, dtype=float)))
    forms = _forms(case, here, options)
    return Family(title, places, here.isel({axis: order}), axis, _prefix(options), forms)


def _prefix(options: Mapping[str, Any]) -> str:
    asked = str(options.get("measure", "largest"))
    if asked not in MEASURES:
        raise style.FigureError(f"measure: {asked}; {nearest(asked, MEASURES)}")
    return MEASURES[asked]


def _forms(case: str, limits: xr.Dataset, options: Mapping[str, Any]) -> dict[str, str]:
    """The predicted form of each quantity: the family's, or its own."""
    slopes = options.get("slopes") or {}
    given = slopes.get(case, {}) if isinstance(slopes, Mapping) else slopes
    if isinstance(given, Mapping):
        return {str(name): str(form) for name, form in given.items()}
    names = [str(n).partition("distance_")[2] for n in limits.data_vars if "distance_" in str(n)]
    return dict.fromkeys(names, str(given))


def _quantities(families: list[Family], options: Mapping[str, Any]) -> list[str]:
    """The quantities asked for, else all that every family has."""
    start = f"{families[0].prefix}distance_"
    every = [str(n) for n in families[0].limits.data_vars if str(n).startswith(start)]
    common = [n.removeprefix(start) for n in every if all(n in f.limits for f in families)]
    asked = [str(name) for name in options.get("quantities") or common]
    for name in asked:
        if name not in common:
            raise style.FigureError(
                f"quantities: no distance of {name} in every family; {nearest(name, common)}"
            )
    return asked


def _rows(families: list[Family], options: Mapping[str, Any]) -> dict[str, list[tuple[int, str]]]:
    """The quantities of each row of panels with their numbers, by the words on its axis."""
    measure = str(options.get("measure", "largest"))
    found: dict[str, list[tuple[int, str]]] = {}
    for k, name in enumerate(_quantities(families, options)):
        units = style.unit(str(families[0].distance(name).attrs.get("units", "1")))
        word = f"{measure} distance" + (f" [{units}]" if units else "")
        if options.get("normalise"):
            word = f"{measure} distance / largest value"
        found.setdefault(word, []).append((k, name))
    return found


def _curve(ax: Axes, family: Family, name: str, look: tuple[str, str], relative: bool) -> None:
    """Draw one distance and, through its smallest parameter, its predicted form."""
    x, y = family.size, family.values(name, relative)
    ax.plot(x, y, color=look[0], marker=look[1], markersize=3.4, linewidth=1.0, zorder=3)
    if not np.isfinite(y).any():
        return
    first = int(np.flatnonzero(np.isfinite(y))[0])
    found = family.predicted(name, np.geomspace(x[first], x[-1], 101))
    if found is not None:
        size, shape = found
        there = shape[int(np.argmin(np.abs(size - x[first])))]
        ax.plot(size, y[first] * shape / there, **REFERENCE, zorder=4)


def _said(family: Family, names: list[str]) -> list[str]:
    """What the dashed lines are proportional to, and what p is."""
    symbols = {family.axis: str(family.limits[family.axis].attrs.get("symbol", family.axis))}
    forms = dict.fromkeys(family.forms[name] for name in names if name in family.forms)
    said = [f"dashed ∝ {_formulas.typeset(form, symbols)}" for form in forms]
    if not said and any(f"rate_{name}" in family.limits for name in names):
        said = ["dashed as predicted"]
    return [*said, "$p$ observed order"]


def _parameter(family: Family) -> str:
    """Label of the small parameter, its size where it is negative."""
    var = family.limits[family.axis]
    if (np.asarray(var.values) >= 0.0).all():
        return style.label(var)
    units = style.unit(str(var.attrs.get("units", "1")))
    return f"|{style.symbol(var)}|" + (f" [{units}]" if units else "")


@dataclass(frozen=True, order=True)
class End:
    """The small end of a curve, and what is written there."""

    y: float
    x: float
    text: str
    colour: str


def _ends(family: Family, names: list[tuple[int, str]], relative: bool) -> list[End]:
    """The small ends of the curves of a panel, from below, with name and observed order."""
    found = []
    for k, name in names:
        values = family.values(name, relative)
        if np.isfinite(values).any():
            first = int(np.flatnonzero(np.isfinite(values))[0])
            at = float(values[first]), float(family.size[first])
            found.append(End(*at, family.label(name), LOOKS[k % len(LOOKS)][0]))
    return sorted(found)


def _widen(ax: Axes, size: Array, ends: list[End]) -> None:
    """Make room for the names to the left of the curves."""
    width = max((_place.size(ax, end.text, SMALL)[0] for end in ends), default=0.0)
    share = (width + 16.0) / ax.get_window_extent().width
    low, high = np.log(size[0]), np.log(size[-1]) + 0.04 * np.log(size[-1] / size[0])
    ax.set_xlim(np.exp(high - (high - low) / (1.0 - share)), np.exp(high))


def _names(ax: Axes, ends: list[End]) -> None:
    """Write at the small end of each curve what it is and its observed order."""
    pixels = [ax.transData.transform((end.x, end.y)) for end in ends]
    gap = max((_place.size(ax, end.text, SMALL)[1] for end in ends), default=0.0)
    levels = _apart([pixel[1] for pixel in pixels], 0.86 * gap)
    for end, at, level in zip(ends, pixels, levels, strict=True):
        beside, up = ax.transData.inverted().transform((at[0] - 9.0, level))
        look: dict[str, Any] = {"fontsize": SMALL, "ha": "right", "va": "center"}
        ax.text(beside, up, end.text, color=end.colour, **look).set_in_layout(False)
        if abs(level - at[1]) > 2.0:
            ax.plot([beside, end.x], [up, end.y], color=end.colour, linewidth=0.4, zorder=1)


def _apart(levels: list[float], gap: float) -> list[float]:
    """Increasing heights moved as little as needed to be `gap` apart, around their middle."""
    spread = list(levels)
    for _ in range(200):
        for k in range(len(spread) - 1):
            missing = gap - (spread[k + 1] - spread[k])
            if missing > 0.0:
                spread[k] -= missing / 2
                spread[k + 1] += missing / 2
    return spread
