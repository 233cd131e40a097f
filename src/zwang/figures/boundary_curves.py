"""Where each contact begins to slide, for each μ: speed against steering angle, say."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import NDArray

from zwang import units
from zwang.figures import _maps, _place, _regions, style
from zwang.figures.results import Results
from zwang.formula import FormulaError, evaluate

Array = NDArray[np.float64]
NEEDS = ("thresholds",)
OPTIONS = ("at", "panels", "names", "unit", "formula", "scale")
VARIABLES = ("first_contact", "contact", "boundary_by_contact", "mu")
POINTS = 14  # of a formula, on each curve
SCALES = ("linear", "log")
# dark relatives of the colours the contacts have in maps; the line differs too, broken over whole
LOOKS: tuple[dict[str, Any], ...] = (
    {"color": style.BLUE, "linestyle": (0, (3, 2)), "zorder": 3.5},
    {"color": style.VERMILLION, "linestyle": "-", "zorder": 3},
    {"color": style.GREEN, "linestyle": (0, (1, 1)), "zorder": 3.6},
    {"color": style.PURPLE, "linestyle": (0, (6, 2, 1, 2)), "zorder": 3.7},
)
FORMULA: dict[str, Any] = {
    "color": style.BLACK,
    "linestyle": "none",
    "marker": "o",
    "markersize": 2.2,
    "markerfacecolor": "none",
    "markeredgewidth": 0.5,
}


@dataclass(frozen=True, eq=False)
class Curves:
    """What one panel shows: curves (contact, mu, x) over x, as shown, and where they are cut."""

    x: Array
    values: Array
    checks: Array | None
    said: tuple[str, ...]


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """One panel, or one for each member of the axis `panels`."""
    return _maps.layout(len(_members(_given(data), options)), 4.0)


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw a curve for each contact and μ, labelled by μ; a formula as markers on it."""
    given = _given(data)
    name = _across(given, options)
    factor, unit = _unit(given["boundary_by_contact"], options)
    found = [_curves(given, name, at, options, factor) for at in _members(given, options)]
    contacts = [str(c) for c in given["contact"].values]
    symbol = style.symbol(given["boundary_by_contact"])
    labels = style.label(given[name]), f"critical {symbol}" + (f" [{unit}]" if unit else "")
    _frames(axes, found, labels, _scale(found, options))
    for ax, one in zip(axes, found, strict=False):
        _panel(ax, one)
    names = _names(given["mu"].values, options)
    _regions.legend(axes[0], _handles(contacts, found))
    if options.get("names"):
        pairs = zip(names, given["mu"].values, strict=True)
        style.heading(
            axes[0], [rf"{text}: $\mu$ = {mu:.4g}" for text, mu in pairs if "$" not in text]
        )
    _place.settle(axes[0])
    for ax, one in zip(axes, found, strict=False):
        _label(ax, one, names)


def _given(data: Results) -> xr.Dataset:
    """The thresholds of a case whose boundary was sought for each contact."""
    given = data.get("thresholds", ("first_contact",))
    missing = [name for name in VARIABLES if name not in given.variables]
    if missing:
        raise style.FigureError(
            f"the thresholds lack {', '.join(missing)}: boundary_curves shows a case whose map "
            "names the axis of its boundary, and whose contacts are held"
        )
    return given


def _members(given: xr.Dataset, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The place of each panel."""
    places = dict(options.get("at") or {})
    if options.get("panels") in ("mu", given["boundary_by_contact"].attrs.get("axis")):
        raise style.FigureError(
            f"panels: {options['panels']} is what the curves show; name another axis"
        )
    found = _maps.members(given, {"panels": options.get("panels"), "at": places})
    return [places if m is None else {str(options["panels"]): m, **places} for m in found]


def _across(given: xr.Dataset, options: Mapping[str, Any]) -> str:
    """The axis along which the curves run: the other one of the map, else the last that is free."""
    taken = {"contact", "mu", options.get("panels"), *(options.get("at") or {})}
    free = [str(d) for d in given["boundary_by_contact"].dims if d not in taken]
    asked = [name for name in (options.get("x"), options.get("y")) if name in free]
    if not free:
        raise style.FigureError(
            "no axis is left along which the boundary runs; `at` and `panels` name all of "
            f"{', '.join(map(str, given['boundary_by_contact'].dims))}"
        )
    return str((asked or free)[-1])


def _unit(boundary: xr.DataArray, options: Mapping[str, Any]) -> tuple[float, str]:
    """Factor from the stored unit to the one shown, and how it is printed."""
    stored, asked = str(boundary.attrs.get("units", "1")), options.get("unit")
    if asked is None:
        ones, shown = style.shown(boundary.copy(data=np.ones(boundary.shape)))
        return float(ones.flat[0]), shown
    try:
        return units.convert(f"1 {stored}", str(asked)), style.unit(str(asked))
    except units.UnitError as error:
        raise style.FigureError(f"unit: {error}") from None


def _curves(
    given: xr.Dataset, name: str, at: Mapping[str, Any], options: Mapping[str, Any], factor: float
) -> Curves:
    """The curves of one panel."""
    whole = style.chosen(given, at)
    said = [style.label_of(given, axis, place) for axis, place in at.items()]
    dims = whole["boundary_by_contact"].dims
    for other in [str(d) for d in dims if d not in ("contact", "mu", name)]:
        words = style.label_of(whole, other, whole[other].values[0])
        said.append(f"{words} (first of {whole.sizes[other]})")
        whole = whole.isel({other: 0})
    here = whole.sortby(name)
    values = here["boundary_by_contact"].transpose("contact", "mu", name)
    shown = factor * np.asarray(values.values, dtype=float)
    checks = _checks(here, name, options.get("formula"))
    if checks is not None:
        checks = np.where(np.isfinite(shown), factor * checks, np.nan)
    return Curves(style.shown(here[name])[0], shown, checks, tuple(said))


def _checks(here: xr.Dataset, name: str, formula: str | Mapping[str, str] | None) -> Array | None:
    """Values (contact, mu, x) of the formula in SI units, one for all contacts or one for each."""
    if formula is None:
        return None
    contacts = [str(c) for c in here["contact"].values]
    texts = dict(formula) if isinstance(formula, Mapping) else dict.fromkeys(contacts, formula)
    wrong = [contact for contact in texts if contact not in contacts]
    if wrong:
        known = ", ".join(contacts)
        raise style.FigureError(f"formula: {wrong[0]} names no contact; known: {known}")
    coords = {str(k): v.values for k, v in here.coords.items() if v.dtype.kind in "fiu"}
    coords |= {name: here[name].values[None, :], "mu": here["mu"].values[:, None]}
    values = np.full((len(contacts), here.sizes["mu"], here.sizes[name]), np.nan)
    for contact, text in texts.items():
        try:
            values[contacts.index(contact)] = evaluate(str(text), coords)
        except FormulaError as error:
            raise style.FigureError(f"formula: {error}") from None
    return values


def _panel(ax: Axes, one: Curves) -> None:
    """Draw the curves, and sparse markers of the formula."""
    log = ax.get_xscale() == "log"
    even = (np.geomspace if log else np.linspace)(one.x[0], one.x[-1], POINTS)
    marked = np.unique(np.abs(one.x[:, None] - even).argmin(axis=0))
    for k, curves in enumerate(one.values):
        for j, curve in enumerate(curves):
            ax.plot(one.x, curve, **LOOKS[k % len(LOOKS)])
            if one.checks is not None:
                ax.plot(one.x[marked], one.checks[k, j, marked], **FORMULA, zorder=4)


def _scale(found: Sequence[Curves], options: Mapping[str, Any]) -> str:
    """The scale of both axes as asked, else logarithms where all values are positive."""
    parts = [part[np.isfinite(part)] for one in found for part in (one.x, one.values)]
    positive = all((part > 0).all() for part in parts)
    asked = str(options.get("scale") or ("log" if positive else "linear"))
    if asked not in SCALES:
        raise style.FigureError(f"scale: came {asked}; expected one of {', '.join(SCALES)}")
    if asked == "log" and not positive:
        raise style.FigureError("scale: log needs positive values on both axes; use linear")
    return asked


def _frames(
    axes: Sequence[Axes], found: Sequence[Curves], labels: tuple[str, str], scale: str
) -> None:
    """The same limits for every panel, titles, and labels on the outside."""
    values = np.concatenate([one.values.ravel() for one in found])
    if not np.isfinite(values).any():
        raise style.FigureError("the boundary has no value inside the grid; widen its axis")
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    air = 0.04 * (high - low or 1.0)
    limits = (0.93 * low, 1.08 * high) if scale == "log" else (low - air, high + air)
    for ax, one in zip(axes, found, strict=False):
        ax.set(xscale=scale, yscale=scale, xlim=(one.x[0], one.x[-1]), ylim=limits)
        ax.set(xlabel=labels[0], ylabel=labels[1])
        ax.set_title(style.lines(one.said, 46 if len(found) == 1 else 30), loc="left")
        if scale == "log":
            _ticks(ax.xaxis, one.x[-1] / one.x[0])
            _ticks(ax.yaxis, high / low)
    _maps.outside(axes, len(found))


def _ticks(axis: Axis, ratio: float) -> None:
    """Plain numbers along a logarithmic axis, more of them where it is short."""
    subs = (1.0, 2.0, 5.0) if ratio > 8.0 else (1.0, 2.0, 3.0, 5.0, 7.0)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _names(mu: Array, options: Mapping[str, Any]) -> list[str]:
    """What each μ is called on its curve: {ice: 0.1} gives ice at 0.1."""
    asked = options.get("names") or {}
    found = [rf"$\mu$ = {value:.4g}" for value in mu]
    for text, place in zip(asked, style.numbers(asked.values(), "names"), strict=True):
        same = [k for k, value in enumerate(mu) if math.isclose(place, value, rel_tol=1e-6)]
        if not same:
            known = ", ".join(f"{value:.5g}" for value in mu)
            raise style.FigureError(f"names: {place:g} is no friction coefficient; known: {known}")
        found[same[0]] = str(text)
    return found


def _handles(contacts: Sequence[str], found: Sequence[Curves]) -> list[Artist]:
    """Legend entries: a line for each contact, the marker of the formula."""
    handles: list[Artist] = [
        Line2D([], [], **LOOKS[k % len(LOOKS)], label=f"{contact} contact")
        for k, contact in enumerate(contacts)
    ]
    if any(one.checks is not None for one in found):
        handles.append(Line2D([], [], **FORMULA, label="closed formula"))
    return handles


def _label(ax: Axes, one: Curves, names: Sequence[str]) -> None:
    """Write the name of each μ on the last contact's curve, else at a free place near its end."""
    lines = [[_place.pixels(ax, one.x, curve) for curve in curves] for curves in one.values]
    blocked: list[Array] = []
    for j, text in enumerate(names):
        mine = [row[j] for row in lines if len(row[j])]
        if not mine:
            continue
        others = [row[i] for row in lines for i in range(len(names)) if i != j]
        pixel = _place.along(ax, text, [mine[-1]], [*others, *blocked], _regions.SMALL)
        if pixel is None:
            every = np.concatenate([*mine, *others, *blocked])
            blocked.append(_place.free(ax, text, mine[-1][-1], every, _regions.SMALL))
        else:
            blocked.append(_regions.write(ax, text, pixel, 1.0))
