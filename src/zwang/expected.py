"""What is known from elsewhere: expected.yaml read, and a result compared with one entry of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import yaml

from zwang import formula
from zwang.nearest import nearest
from zwang.units import UnitError, convert, is_quantity, to_si

KEYS = ("case", "quantity", "at", "value", "range", "relative", "absolute", "source")
NEEDED = ("quantity", "value", "source")
EVERYWHERE = (-np.inf, np.inf)


class ExpectedError(ValueError):
    """Entries of expected.yaml that cannot be used, or results that are not as expected."""


@dataclass(frozen=True)
class Expectation:
    """One entry: a variable of the results, its value as a number or expression, the source."""

    quantity: str
    at: dict[str, str | float]
    value: str  # expression in parameters, constants, axes, mu, t; numbers in SI units
    range: tuple[float, float]  # outside, the result must be missing
    relative: float
    absolute: float
    source: str
    cases: tuple[str, ...] = ()  # of the study; all where none is named


@dataclass(frozen=True)
class Comparison:
    """The worst point of one comparison; error / allowed above one is a mismatch."""

    points: int
    got: float
    expected: float
    error: float
    allowed: float
    where: str

    @property
    def passed(self) -> bool:
        """Whether every point lies within its tolerance."""
        return self.points > 0 and self.error <= self.allowed


Check = Callable[[str, tuple[str, ...]], list[str]]  # of a formula, for the cases it speaks of


def read(path: Path, check: Check) -> tuple[Expectation, ...]:
    """Return the entries of a file; ExpectedError with every finding if they cannot be used."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = str(error).splitlines()[0]
        raise ExpectedError(f"{path} cannot be read: {reason}") from None
    if not isinstance(data, list):
        raise ExpectedError(f"{path}: expected a list of entries with {', '.join(NEEDED)}")
    findings: list[str] = []
    entries = [_entry(i, item, check, findings) for i, item in enumerate(data)]
    if findings:
        raise ExpectedError("\n".join([f"{path} cannot be used:", *findings]))
    return tuple(entry for entry in entries if entry is not None)


def _entry(i: int, item: object, check: Check, findings: list[str]) -> Expectation | None:
    if not isinstance(item, dict):
        findings.append(f"{i}: came {item!r}; expected an entry with {', '.join(NEEDED)}")
        return None
    before = len(findings)
    findings += [f"{i}.{k}: unknown key; {nearest(str(k), KEYS)}" for k in item if k not in KEYS]
    findings += [f"{i}.{k}: missing; give it" for k in NEEDED if k not in item]
    if ("relative" in item) == ("absolute" in item):
        findings.append(f"{i}: give one tolerance, relative or absolute")
    if len(findings) > before:
        return None
    value = str(item["value"])
    named = item.get("case", [])
    cases = tuple(str(c) for c in (named if isinstance(named, list) else [named]))
    try:
        at = {k: _plain(v) for k, v in (item.get("at") or {}).items()}
        low, high = (to_si(v)[0] for v in item["range"]) if "range" in item else EVERYWHERE
        relative, absolute = (convert(item.get(k, 0.0), "1") for k in ("relative", "absolute"))
    except (UnitError, ValueError, TypeError, AttributeError) as error:
        findings.append(f"{i}: {error}")
        return None
    if is_quantity(value):
        value = repr(to_si(value)[0])
    else:
        findings += [f"{i}.value: {finding}" for finding in check(value, cases)]
    return Expectation(
        str(item["quantity"]),
        at,
        value,
        (low, high),
        relative,
        absolute,
        str(item["source"]),
        cases,
    )


def _plain(value: object) -> str | float:
    """Return a selection as its label, or as a number in SI units."""
    text = value if isinstance(value, (str, int, float)) else str(value)
    return to_si(text)[0] if is_quantity(text) else str(text)


def select(
    entry: Expectation,
    datasets: Collection[xr.Dataset],
    constants: Mapping[str, float] | None = None,
) -> xr.DataArray:
    """Return the variable an entry speaks of, or a formula of several, at the places it names."""
    found = next((d[entry.quantity] for d in datasets if entry.quantity in d.data_vars), None)
    if found is None:
        found = _computed(entry.quantity, datasets, constants or {})
    if found is None:
        known = {str(name) for d in datasets for name in d.data_vars}
        raise ExpectedError(f"no result {entry.quantity!r}; {nearest(entry.quantity, known)}")
    for name, place in entry.at.items():
        if name not in found.coords:
            hint = nearest(name, map(str, found.coords))
            raise ExpectedError(f"{entry.quantity} has no coordinate {name}; {hint}")
        values = found[name].values
        same = values == place if isinstance(place, str) else np.isclose(values, place, rtol=1e-9)
        if not np.any(same):
            raise ExpectedError(
                f"{entry.quantity} is not given at {name} = {place}; there are: "
                + ", ".join(map(str, np.ravel(values)))
            )
        if found[name].ndim:
            found = found.isel({found[name].dims[0]: np.flatnonzero(same)})
    return found


def _computed(
    text: str, datasets: Collection[xr.Dataset], constants: Mapping[str, float]
) -> xr.DataArray | None:
    """Return a formula of variables of one dataset and of constants; None where there is none."""
    try:
        names = formula.names(text)
    except formula.FormulaError:
        return None
    for data in datasets:
        own = [name for name in names if name in data.variables]
        if own and all(name in own or name in constants for name in names):
            parts = xr.broadcast(*(data[name] for name in own))
            values = {**constants, **{n: v.values for n, v in zip(own, parts, strict=True)}}
            result = parts[0].copy(data=formula.evaluate(text, values)).rename(None)
            return result.assign_attrs(units="", long_name=text)
    return None


def compare(
    entry: Expectation,
    result: xr.DataArray,
    evaluate: Callable[[str, Mapping[str, Any]], Any],
    constants: Mapping[str, float],
) -> Comparison:
    """Return the worst point of a result against an entry over all points selected.

    `evaluate(expression, values)` gives the expected value at arrays of the names' values.
    """
    coords = {str(k): v for k, v in result.coords.items() if v.dtype.kind in "fi"}
    names = {**constants, **{k: v.broadcast_like(result).values for k, v in coords.items()}}
    expected = np.broadcast_to(
        np.asarray(evaluate(entry.value, names), dtype=float), result.shape
    ).copy()
    expected[(expected < entry.range[0]) | (expected > entry.range[1])] = np.nan
    got = result.values.astype(float)
    missing = np.isnan(expected)
    allowed = np.where(missing, 0.0, np.maximum(entry.absolute, entry.relative * np.abs(expected)))
    error = np.where(missing & np.isnan(got), 0.0, np.abs(got - expected))
    error[np.isnan(error)] = np.inf  # one of the two is missing
    if not result.size:
        return Comparison(0, np.nan, np.nan, np.inf, 0.0, "no point")
    ratio = np.divide(error, allowed, out=np.where(error > 0.0, np.inf, 0.0), where=allowed > 0.0)
    worst = np.unravel_index(int(np.argmax(ratio)), result.shape)
    place = result[worst].coords
    where = ", ".join(f"{k} = {v.item()}" for k, v in place.items() if v.ndim == 0)
    return Comparison(
        int((~missing).sum()),
        float(got[worst]),
        float(expected[worst]),
        float(error[worst]),
        float(allowed[worst]),
        where,
    )
