"""Where families of motions go as a parameter goes to zero: a row each, and a LaTeX table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import xarray as xr
import yaml

DEGENERATE, PREDICTED = "degenerate", "predicted"  # targets a family is compared with
FOLLOWED = {"theta": r"\theta", "phi": r"\varphi"}  # whose order is told: the first predicted one
NONE = "–"  # where there is nothing to tell
HEAD = (
    ("family", ""),
    ("limit", "degenerate?"),
    (r"$\Delta r/r$", "mean"),
    ("order", "of it"),
    ("limit", "predicted?"),
    ("order", "observed"),
    ("order", "predicted"),
    ("turn", "observed"),
    ("turn", "predicted"),
)


@dataclass(frozen=True)
class Verdict:
    """One family: whether it goes to the degenerate motion, to the predicted one, and how fast.

    Missing numbers are NaN, missing answers None.
    """

    case: str
    title: str
    member: str
    degenerate: bool | None
    distance: float  # mean distance of the path to the degenerate one, at the smallest parameter
    distance_order: float
    predicted: bool | None
    quantity: str  # symbol of that whose order is told
    order: float
    predicted_order: float
    turn: float  # rad, in a bounce, at the smallest parameter
    predicted_turn: float

    def cells(self) -> tuple[str, ...]:
        """What is printed behind the member, in the order of HEAD."""
        symbol = f"${self.quantity}$: " if np.isfinite(self.order) else ""
        return (
            _answer(self.degenerate),
            _size(self.distance),
            _fixed(self.distance_order, 2),
            _answer(self.predicted),
            symbol + _fixed(self.order, 2),
            _fixed(self.predicted_order, 2),
            _degrees(self.turn),
            _degrees(self.predicted_turn),
        )


def rows(limits: Mapping[str, xr.Dataset], titles: Mapping[str, str]) -> list[Verdict]:
    """A row for each family of each case with verdicts, in the order given."""
    found = []
    for case, whole in limits.items():
        if "goes_to" not in whole or DEGENERATE not in _targets(whole):
            continue
        axis = str(whole.attrs["limit_axis"])
        smallest = int(np.argmin(np.abs(np.asarray(whole[axis].values, dtype=float))))
        end = whole.isel({axis: smallest})
        dims = [str(d) for d in whole["goes_to"].dims if d != "target"]
        for place in product(*(range(whole.sizes[d]) for d in dims)):
            here = end.isel(dict(zip(dims, place, strict=True)))
            member = ", ".join(label(here, d) for d in dims)
            found.append(_row(here, case, titles.get(case) or case, member))
    return found


def merged(found: Sequence[Verdict]) -> list[tuple[str, list[tuple[str, tuple[str, ...]]]]]:
    """Printed rows (members, cells) by the title of their case; equal cells share a row."""
    tables: dict[str, dict[tuple[str, ...], list[str]]] = {}
    titles = {}
    for one in found:
        titles[one.case] = one.title
        tables.setdefault(one.case, {}).setdefault(one.cells(), []).append(one.member)
    return [
        (titles[case], [(_joined(members), cells) for cells, members in table.items()])
        for case, table in tables.items()
    ]


def _joined(members: Sequence[str]) -> str:
    """Members that share a row: what they have in common, then what tells them apart."""
    parts = [member.split(", ") for member in members]
    common = [p for p in parts[0] if len(parts) > 1 and all(p in other for other in parts)]
    rest = [", ".join(p for p in part if p not in common) for part in parts]
    if len(rest) > 3:
        rest = [f"{rest[0]} to {rest[-1]} (all {len(rest)})"]
    return ", ".join([*common, " and ".join(rest)])


def _row(here: xr.Dataset, case: str, title: str, member: str) -> Verdict:
    degenerate = here.isel(target=_targets(here).index(DEGENERATE))
    quantity, order, predicted = _orders(here)
    return Verdict(
        case,
        title,
        member,
        _yes(here, DEGENERATE),
        _number(degenerate, "mean_distance_path"),
        _number(degenerate, "mean_order_path"),
        _yes(here, PREDICTED),
        quantity,
        order,
        predicted,
        _number(here, "bounce_turn"),
        _number(here, "predicted_turn"),
    )


def _orders(here: xr.Dataset) -> tuple[str, float, float]:
    """Symbol, observed and predicted order of what a prediction speaks of.

    Where nothing is predicted, the order of the first towards the degenerate motion, if it goes
    there.
    """
    for target in range(here.sizes["target"]):
        one = here.isel(target=target)
        for name, symbol in FOLLOWED.items():
            predicted = _number(one, f"predicted_order_{name}")
            if np.isfinite(predicted):
                return symbol, _number(one, f"order_{name}"), predicted
    name, symbol = next(iter(FOLLOWED.items()))
    one = here.isel(target=_targets(here).index(DEGENERATE))
    goes = _yes(here, DEGENERATE)
    return symbol, _number(one, f"order_{name}") if goes else np.nan, np.nan


def _targets(limits: xr.Dataset) -> list[str]:
    return [str(name) for name in limits["target"].values]


def _yes(here: xr.Dataset, target: str) -> bool | None:
    """Whether the family goes there; None where it is not compared."""
    if target not in _targets(here):
        return None
    flag = int(here["goes_to"].isel(target=_targets(here).index(target)))
    return None if flag < 0 else bool(flag)


def _number(here: xr.Dataset, name: str) -> float:
    return float(here[name]) if name in here else float("nan")


def label(here: xr.Dataset, name: str) -> str:
    """One value of an axis: the title of a set's member, a sign, or symbol = number unit."""
    var = here[name]
    if var.dtype.kind in "OUST":
        if f"{name}_title" in here:
            return str(here[f"{name}_title"].values)
        return _titles(here, name).get(str(var.values), str(var.values))
    value, symbol = float(var), str(var.attrs.get("symbol", rf"\mathrm{{{name}}}"))
    signed = re.fullmatch(r"\\mathrm\{sign\}\\?,?\s*(.+)", symbol)
    if signed and abs(value) == 1.0:
        return f"${signed[1]} {'<' if value < 0 else '>'} 0$"
    return f"${symbol} = {value:.4g}{_unit(str(var.attrs.get('units', '1')))}$"


def _titles(here: xr.Dataset, name: str) -> dict[str, str]:
    """Titles of a set's members, from the study that the dataset carries."""
    study: Any = yaml.safe_load(str(here.attrs.get("study", ""))) or {}
    members = study.get("sets", {}).get(name, {}) if isinstance(study, dict) else {}
    return {str(k): str(v.get("title", k)) for k, v in members.items() if isinstance(v, dict)}


def _unit(unit: str) -> str:
    if unit in ("1", ""):
        return ""
    text = re.sub(r"(?:\^|\*\*)(-?\d+)", r"^{\1}", unit)
    text = re.sub(r"\s*\*\s*", r"\\,", text)
    return rf"\,\mathrm{{{text}}}"


def _answer(yes: bool | None) -> str:
    return NONE if yes is None else "yes" if yes else "no"


def _fixed(value: float, digits: int) -> str:
    """A number with so many decimals, never -0.00."""
    return f"${round(value, digits) + 0.0:.{digits}f}$" if np.isfinite(value) else NONE


def _degrees(angle: float) -> str:
    return rf"${np.rad2deg(angle):.1f}^{{\circ}}$" if np.isfinite(angle) else NONE


def _size(value: float) -> str:
    """A number with two digits, as a power of ten where it is small."""
    if not np.isfinite(value):
        return NONE
    if value == 0.0:
        return "$0$"
    mantissa, exponent = f"{value:.1e}".split("e")
    if int(exponent) >= -3:
        return f"${float(f'{value:.1e}'):.{max(1 - int(exponent), 0)}f}$"
    return rf"${mantissa}\cdot 10^{{{int(exponent)}}}$"


def latex(found: Sequence[Verdict], title: str) -> str:
    """A LaTeX file with one tabular that needs no package; a comment alone where there are no rows.

    Each case has a line of its own above its families.
    """
    words = "where the families go; remade with the results, not to be edited."
    first = f"% {' '.join(title.split())}: {words}"
    if not found:
        return f"{first}\n% No case of this study compares paths with a limit.\n"
    width = len(HEAD)
    lines = [first, rf"\begin{{tabular}}{{l{'c' * (width - 1)}}}", r"\hline"]
    lines += [_line(words) for words in zip(*HEAD, strict=True)]
    for case, table in merged(found):
        lines += [r"\hline", rf"\multicolumn{{{width}}}{{l}}{{{_escaped(case)}}} \\"]
        lines += [_line((rf"\quad {member}", *cells)) for member, cells in table]
    return "\n".join([*lines, r"\hline", r"\end{tabular}"]) + "\n"


def _line(cells: Sequence[str]) -> str:
    return " & ".join(_escaped(cell) for cell in cells) + r" \\"


def _escaped(text: str) -> str:
    """The text with LaTeX's own characters escaped outside formulas."""
    parts = text.replace(NONE, "--").split("$")
    parts[::2] = [re.sub(r"([%&#_])", r"\\\1", part) for part in parts[::2]]
    return "$".join(parts)
