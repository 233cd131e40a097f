"""One style for every figure: size, fonts, colours that differ in grey too, labels, saving."""

import io
import math
import re
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import matplotlib.style
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.mathtext import MathTextParser
from numpy.typing import NDArray

from zwang import store
from zwang.nearest import nearest
from zwang.units import UnitError, to_si

COLUMN = 86.0  # mm, one column of a journal page
PAGE = 178.0  # mm, both columns
INCH = 25.4  # mm
# Okabe and Ito's palette, safe for colour-blind readers; in an order that also differs in grey.
BLUE, ORANGE, GREEN, VERMILLION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, YELLOW, BLACK = "#56B4E9", "#CC79A7", "#F0E442", "#000000"
GREY = "#6E6E6E"

RC: Mapping[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.2,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "hatch.linewidth": 0.35,
    "mathtext.fontset": "dejavusans",
    "pdf.fonttype": 42,  # fonts embedded as TrueType, as journals ask
    "pdf.compression": 6,
    "savefig.dpi": 300,
    "figure.dpi": 100,
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.03,
}

SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


class FigureError(ValueError):
    """A figure that cannot be drawn, in a sentence."""


@dataclass(frozen=True)
class Layout:
    """Panels in rows and columns, `height` and `width` mm in all; one column wide if not said."""

    rows: int
    height: float
    columns: int = 1
    width: float = COLUMN
    sharex: bool | Literal["none", "all", "row", "col"] = "col"
    sharey: bool | Literal["none", "all", "row", "col"] = "none"
    ratios: Mapping[str, Any] = field(default_factory=dict)  # height_ratios, width_ratios

    def inches(self) -> tuple[float, float]:
        """Width and height for matplotlib."""
        return self.width / INCH, self.height / INCH


def context() -> AbstractContextManager[None]:
    """The style as a context; matplotlib's own defaults below it, not the user's."""
    manager: AbstractContextManager[None] = matplotlib.style.context(["default", dict(RC)])
    return manager


def save(figure: Figure, pdf: str | Path, png: str | Path) -> None:
    """Write the figure as PDF and as PNG, each whole or not at all; equal figures, equal bytes."""
    with context():
        for path, kind, metadata in ((pdf, "pdf", {"CreationDate": None}), (png, "png", {})):
            buffer = io.BytesIO()
            figure.savefig(buffer, format=kind, dpi=300, metadata=metadata)
            store.atomic_bytes(path, buffer.getvalue())


def unit(text: str) -> str:
    """A unit as it is printed: `m/s^2` gives m/s², `N*m` gives N m, `1` nothing."""
    if text in ("1", ""):
        return ""
    text = re.sub(r"(?:\^|\*\*)(-?\d+)", lambda m: m[1].translate(SUPERSCRIPT), text)
    return re.sub(r"\s*[*·]\s*", "\N{NO-BREAK SPACE}", text)


def symbol(var: xr.DataArray) -> str:
    """The variable's symbol between dollar signs; its name where mathtext cannot set it."""
    text = str(var.attrs.get("symbol", ""))
    try:
        MathTextParser("path").parse(f"${text}$")
    except ValueError:
        text = ""
    return f"${text}$" if text else str(var.name)


def shown(var: xr.DataArray) -> tuple[NDArray[np.float64], str]:
    """Values and unit as a reader expects them: angles in degrees, all else as stored."""
    values, units = np.asarray(var.values, dtype=float), str(var.attrs.get("units", "1"))
    if units == "rad":
        return np.rad2deg(values), "°"
    if units == "rad/s":
        return np.rad2deg(values), "°/s"
    return values, unit(units)


def label(var: xr.DataArray) -> str:
    """An axis label: symbol and unit, with the meaning before it where that is short."""
    units = shown(var)[1]
    text = f"{symbol(var)} [{units}]" if units else symbol(var)
    meaning = str(var.attrs.get("long_name", ""))
    return f"{meaning} {text}" if 0 < len(meaning) <= 30 else text


def equation(var: xr.DataArray) -> str:
    """One value in words: symbol = number unit."""
    values, units = shown(var)
    number = f"{float(values):.4g}"
    gap = "" if units.startswith("°") or not units else "\N{NO-BREAK SPACE}"
    return f"{symbol(var)} = {number}{gap}{units}"


def meaning(flags: xr.DataArray, value: int) -> str:
    """What a value of a flag variable means, in words."""
    values = np.atleast_1d(flags.attrs.get("flag_values", [])).tolist()
    words = str(flags.attrs.get("flag_meanings", "")).split()
    return dict(zip(values, words, strict=False)).get(value, str(value)).replace("_", " ")


def nearest_mu(dataset: xr.Dataset, options: Mapping[str, Any]) -> tuple[int, str]:
    """Position of the friction coefficient asked for (else the first), and how to say it."""
    values = np.asarray(dataset["mu"].values, dtype=float)
    asked = float(options["mu"]) if options.get("mu") is not None else float(values[0])
    at = int(np.argmin(np.abs(values - asked)))
    text = rf"$\mu$ = {values[at]:.4g}"
    if not math.isclose(values[at], asked, rel_tol=1e-9, abs_tol=1e-12):
        text += f" (nearest to {asked:.4g})"
    return at, text


def chosen(dataset: xr.Dataset, places: Mapping[str, Any]) -> xr.Dataset:
    """The dataset at one value of each axis named: a label, or the nearest number in SI units."""
    for name, place in places.items():
        if name not in dataset.dims:
            raise FigureError(f"at: {name} names no axis; {nearest(name, map(str, dataset.dims))}")
        values = dataset[name].values
        if values.dtype.kind in "OUST":
            if str(place) not in [str(v) for v in values]:
                raise FigureError(f"at: {name}: {nearest(str(place), map(str, values))}")
            dataset = dataset.isel({name: [str(v) for v in values].index(str(place))})
        else:
            wanted = numbers([place], f"at: {name}")[0]
            dataset = dataset.isel({name: int(np.argmin(np.abs(values - wanted)))})
    return dataset


def numbers(values: Iterable[Any], option: str) -> list[float]:
    """The numbers an option gives, in SI units; a sentence where it gives something else."""
    try:
        return [to_si(value)[0] for value in values]
    except (UnitError, TypeError) as error:
        raise FigureError(f"{option}: {error}") from None


def label_of(dataset: xr.Dataset, name: str, place: Any) -> str:  # noqa: ANN401 - label or number
    """One chosen value in words: the title of a set's member, or symbol = number unit."""
    here = chosen(dataset, {name: place})
    if here[name].dtype.kind in "OUST":
        titles = here.get(f"{name}_title", here[name])
        return str(titles.values)
    return equation(here[name])


def heading(axes: Axes, parts: Iterable[str]) -> None:
    """Phrases that hold for every panel, above the figure."""
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    figure.suptitle(", ".join(parts), fontsize=8, x=0.012, ha="left")


def lines(parts: Iterable[str], width: int = 46) -> str:
    """Phrases joined by commas and broken into lines of about `width` printed characters."""
    rows: list[str] = []
    for part in parts:
        longer = f"{rows[-1]}, {part}" if rows else part
        if rows and len(re.sub(r"[$\\{}_^]|mathrm", "", longer)) <= width:
            rows[-1] = longer
        elif rows:
            rows[-1] += ","
            rows.append(part)
        else:
            rows.append(part)
    return "\n".join(rows)
