"""Numbers a text quotes: each taken from a result, in a unit and with digits, as LaTeX macros."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from zwang import expected
from zwang.nearest import nearest
from zwang.units import UnitError, convert, is_quantity, to_si

KEYS = ("case", "quantity", "at", "unit", "digits", "meaning")
UNIT_COMMANDS = {"deg": r"^\circ", "°": r"^\circ", "1": "", "%": r"\,\%"}


@dataclass(frozen=True)
class Number:
    """One quoted number: its macro, its value in SI units, and how it is printed."""

    name: str
    case: str
    quantity: str
    where: str
    value: float
    units: str
    text: str
    printed_unit: str
    meaning: str


def findings(entries: Mapping[str, Mapping[str, Any]], cases: Collection[str]) -> list[str]:
    """List of what is wrong with the block `quoted` of a study."""
    found = []
    for name, entry in entries.items():
        path = f"quoted.{name}"
        if not re.fullmatch(r"[A-Za-z]+", name):
            found.append(f"{path}: LaTeX wants letters alone in the name of a macro; rename it")
        found += [
            f"{path}.{k}: unknown key; {nearest(str(k), KEYS)}" for k in entry if k not in KEYS
        ]
        if "quantity" not in entry:
            found.append(f"{path}.quantity: missing; give the name of a result")
        case = str(entry.get("case", ""))
        if case not in cases and not (case == "" and len(cases) == 1):
            found.append(f"{path}.case: no case {case or 'given'}; {nearest(case, cases)}")
        if not 1 <= entry.get("digits", 3) <= 12:
            found.append(f"{path}.digits: came {entry['digits']}; expected 1 to 12")
        if "unit" in entry:
            try:
                to_si(f"1 {entry['unit']}")
            except UnitError as error:
                found.append(f"{path}.unit: {error}")
    return found


def number(name: str, entry: Mapping[str, Any], datasets: Collection[xr.Dataset]) -> Number:
    """The number an entry speaks of; ExpectedError where the result has none or several."""
    at = {k: to_si(v)[0] if is_quantity(v) else str(v) for k, v in (entry.get("at") or {}).items()}
    asked = expected.Expectation(
        str(entry["quantity"]), at, "0", expected.EVERYWHERE, 0.0, 0.0, "quoted", ()
    )
    result = expected.select(asked, datasets).squeeze(drop=False)
    if result.ndim:
        sizes = ", ".join(f"{dim}: {size}" for dim, size in result.sizes.items())
        raise expected.ExpectedError(
            f"quoted.{name}: {entry['quantity']} has {result.size} values there ({sizes}); "
            "name one place of each axis in `at`"
        )
    value, units = float(result.values), str(result.attrs.get("units", "1"))
    if not np.isfinite(value):
        raise expected.ExpectedError(f"quoted.{name}: {entry['quantity']} is missing there")
    unit = str(entry.get("unit", units))
    shown = value if unit == units else value / convert(f"1 {unit}", units)
    return Number(
        name,
        str(entry.get("case", "")),
        str(entry["quantity"]),
        ", ".join(f"{k} = {v}" for k, v in (entry.get("at") or {}).items()),
        value,
        units,
        _text(shown, int(entry.get("digits", 3))),
        unit,
        str(entry.get("meaning", "")),
    )


def _text(value: float, digits: int) -> str:
    """A number with so many significant digits, as LaTeX prints it in text or formulas."""
    if value == 0.0 or 1e-3 <= abs(value) < 1e5:
        places = digits - 1 - int(np.floor(np.log10(abs(value)))) if value else 0
        return f"{round(value, places):.{max(places, 0)}f}"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return rf"\ensuremath{{{mantissa}\cdot 10^{{{int(exponent)}}}}}"


def macros(numbers: Collection[Number], title: str) -> str:
    """A LaTeX file: for each number a macro with its value, one with its unit, one with both."""
    lines = [f"% {title}: numbers from the results; remade with them, not to be edited."]
    for n in numbers:
        unit = UNIT_COMMANDS.get(n.printed_unit, rf"\,\mathrm{{{_latex_unit(n.printed_unit)}}}")
        source = " ".join(filter(None, [n.case, n.quantity, n.where and f"at {n.where}"]))
        lines += [
            f"% {n.meaning + ': ' if n.meaning else ''}{source}",
            rf"\newcommand{{\{n.name}}}{{{n.text}}}",
            rf"\newcommand{{\{n.name}WithUnit}}{{\ensuremath{{{n.text}{unit}}}}}",
        ]
    return "\n".join(lines) + "\n"


def _latex_unit(unit: str) -> str:
    text = re.sub(r"(?:\^|\*\*)(-?\d+)", r"^{\1}", unit)
    return re.sub(r"\s*\*\s*", r"\\,", text)
