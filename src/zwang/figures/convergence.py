"""How fast families of motions reach their limit: distance against the small parameter."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import NDArray

from zwang import formula
from zwang.figures import _formulas, _place, style
from zwang.figures.results import Results
from zwang.nearest import nearest

Array = NDArray[np.float64]
NEEDS = ("limits",)
OPTIONS = ("quantities", "slopes", "target", "normalise", "at")
SMALL = 7  # pt, names of the curves
PREFIX = "distance_"
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
RELATIVE = "largest distance / largest value"
REFERENCE: dict[str, Any] = {"color": style.BLACK, "linestyle": (0, (4, 2)), "linewidth": 0.7}


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """A column per family and a row per unit, or one row where distances are normalised."""
    rows = len(_rows(data, options))
    columns = len(data.cases)
    width = style.COLUMN if columns == 1 else style.PAGE
    height = 20.0 + (58.0 if rows == 1 else 40.0) * rows
    return style.Layout(
        rows=rows, columns=columns, height=height, width=width, sharex="col", sharey="row"
    )


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw distances and predicted slopes on logarithmic axes, the observed order at each curve."""
    rows = _rows(data, options)
    grid = np.array(axes, dtype=object).reshape(len(rows), len(data.cases))
    families = [_family(data, case, options) for case in data.cases]
    for column, case, family in zip(grid.T, data.cases, families, strict=True):
        for ax, (word, quantities) in zip(column, rows.items(), strict=True):
            ax.set(xscale="log", yscale="log")
            for name in quantities:
                _curve(ax, family, name, _form(options, case, name), word == RELATIVE)
        target = data.title(str(family["target"].item()))
        forms = [_form(options, case, name) for names in rows.values() for name in names]
        said = f"{data.title(case)} → {target}\n{_said(family, forms)}"
        column[0].set_title(said, loc="left")
        column[-1].set_xlabel(_parameter(family))
    for row, word in zip(grid, rows, strict=True):
        row[0].set_ylabel(word)
    _place.settle(axes[0])
    for column, family in zip(grid.T, families, strict=True):
        ends = [_ends(family, names, word == RELATIVE) for word, names in rows.items()]
        _widen(column[0], _size(family), [end for few in ends for end in few])
        for ax, few in zip(column, ends, strict=True):
            _names(ax, few)


def _quantities(data: Results, options: Mapping[str, Any]) -> list[str]:
    """The quantities asked for, else all that every family has."""
    known = [
        [
            str(n).removeprefix(PREFIX)
            for n in data.get("limits", (), c).data_vars
            if PREFIX in str(n)
        ]
        for c in data.cases
    ]
    common = [name for name in known[0] if all(name in others for others in known)]
    asked = [str(name) for name in options.get("quantities") or common]
    for name in asked:
        if name not in common:
            raise style.FigureError(
                f"quantities: no distance of {name} in every family; {nearest(name, common)}"
            )
    return asked


def _rows(data: Results, options: Mapping[str, Any]) -> dict[str, list[str]]:
    """The quantities of each row of panels, by the words on its axis."""
    first = data.get("limits")
    found: dict[str, list[str]] = {}
    for name in _quantities(data, options):
        units = style.unit(str(first[PREFIX + name].attrs.get("units", "1")))
        word = f"largest distance [{units}]" if units else "largest distance"
        found.setdefault(RELATIVE if options.get("normalise") else word, []).append(name)
    return found


def _family(data: Results, case: str, options: Mapping[str, Any]) -> xr.Dataset:
    """The limits of one case towards one target, sorted by the size of the small parameter."""
    limits = data.get("limits", ("target",), case)
    here = style.chosen(limits, options.get("at") or {})
    targets = [str(name) for name in here["target"].values]
    asked = str(options.get("target", targets[0]))
    if asked not in targets:
        raise style.FigureError(
            f"target: {case} is not compared with {asked}; {nearest(asked, targets)}"
        )
    here = here.isel(target=targets.index(asked))
    axis = _axis_name(here)
    return here.isel({axis: np.argsort(np.abs(np.asarray(here[axis].values, dtype=float)))})


def _axis_name(family: xr.Dataset) -> str:
    """The small parameter; a sentence where the distances have other axes too."""
    name = str(family.attrs.get("limit_axis", ""))
    axes = [str(d) for d in family.dims if d != "target"]
    if axes != [name]:
        raise style.FigureError(
            f"the distances have the axes {', '.join(axes)} beside {name or 'no small parameter'}; "
            "say with `at` which values of the others are drawn"
        )
    return name


def _size(family: xr.Dataset) -> Array:
    return np.abs(np.asarray(family[_axis_name(family)].values, dtype=float))


def _values(family: xr.Dataset, name: str, relative: bool) -> Array:
    """The distances of a quantity, NaN where they are zero and have no logarithm."""
    var = family[PREFIX + name]
    values = np.asarray(var.values, dtype=float) / (float(var.attrs["size"]) if relative else 1.0)
    return np.where(values > 0.0, values, np.nan)


def _form(options: Mapping[str, Any], case: str, name: str) -> str | None:
    """The predicted form of a distance: one of the family, or one of each quantity."""
    slopes = options.get("slopes") or {}
    found = slopes.get(case) if isinstance(slopes, Mapping) else slopes
    found = found.get(name) if isinstance(found, Mapping) else found
    return None if found is None else str(found)


def _curve(ax: Axes, family: xr.Dataset, name: str, form: str | None, relative: bool) -> None:
    """Draw one distance and, through its smallest parameter, its predicted form."""
    x, y = _size(family), _values(family, name, relative)
    colour, marker = _look(family, name)
    if form is not None and np.isfinite(y).any():
        first = int(np.flatnonzero(np.isfinite(y))[0])
        fine = np.geomspace(x[first], x[-1], 101)
        shape = _shape(family, form, fine)
        ax.plot(fine, y[first] * shape / shape[0], **REFERENCE, zorder=4)
    ax.plot(x, y, color=colour, marker=marker, markersize=3.4, linewidth=1.0, zorder=3)


def _look(family: xr.Dataset, name: str) -> tuple[str, str]:
    """Colour and marker of a quantity: those of its place among all of the family."""
    known = [str(n) for n in family.data_vars if str(n).startswith(PREFIX)]
    return LOOKS[known.index(PREFIX + name) % len(LOOKS)]


def _shape(family: xr.Dataset, form: str, size: Array) -> Array:
    """The predicted form where the small parameter has these sizes; a sentence if it is none."""
    axis = _axis_name(family)
    sign = -1.0 if float(family[axis][0]) < 0.0 else 1.0
    try:
        found = formula.evaluate(form, {axis: sign * size})
    except formula.FormulaError as error:
        raise style.FigureError(f"slopes: {error}") from None
    found = np.broadcast_to(np.abs(found), size.shape)
    return np.where(found > 0.0, found, np.nan)


def _parameter(family: xr.Dataset) -> str:
    """Label of the small parameter, its size where it is negative."""
    var = family[_axis_name(family)]
    if (np.asarray(var.values) >= 0.0).all():
        return style.label(var)
    units = style.unit(str(var.attrs.get("units", "1")))
    return f"|{style.symbol(var)}|" + (f" [{units}]" if units else "")


def _said(family: xr.Dataset, forms: list[str | None]) -> str:
    """What the dashed lines are proportional to, and what p is."""
    axis = _axis_name(family)
    symbols = {axis: str(family[axis].attrs.get("symbol", axis))}
    known = [_formulas.typeset(form, symbols) for form in dict.fromkeys(forms) if form is not None]
    return ", ".join([*(f"dashed ∝ {one}" for one in known), "$p$ observed order"])


@dataclass(frozen=True, order=True)
class End:
    """The small end of a curve, and what is written there."""

    y: float
    x: float
    text: str
    colour: str


def _ends(family: xr.Dataset, quantities: list[str], relative: bool) -> list[End]:
    """The small ends of the curves of a panel, from below, with name and observed order."""
    found = []
    for name in quantities:
        size, values = _size(family), _values(family, name, relative)
        if not np.isfinite(values).any():
            continue
        first = int(np.flatnonzero(np.isfinite(values))[0])
        order = float(family[f"order_{name}"]) if f"order_{name}" in family else np.nan
        text = style.symbol(family[PREFIX + name])
        text += f", $p$ = {order:.2f}" if np.isfinite(order) else ""
        found.append(End(float(values[first]), float(size[first]), text, _look(family, name)[0]))
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
    for end, at, level in zip(
        ends, pixels, _apart([p[1] for p in pixels], 0.86 * gap), strict=True
    ):
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
