"""Measured functions of time: columns of a CSV or NetCDF file, in SI units."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zwang.nearest import nearest
from zwang.units import UnitError, convert, to_si

HEADER = "expected a name with its unit, such as t [s] or delta [deg]; [1] for a pure number"
NETCDF = (".nc", ".nc4", ".cdf", ".netcdf")
_named = re.compile(r"\s*(?P<name>[^\[\]]*?)\s*(?:\[\s*(?P<unit>[^\[\]]*?)\s*\])?\s*")


class TableError(ValueError):
    """A table that cannot be read or is no function of time."""


class Table(NamedTuple):
    """Values over ascending times in SI units; `unit` and `long_name` are those of the values."""

    times: tuple[float, ...]
    values: tuple[float, ...]
    unit: str = "1"
    long_name: str = ""


class _Column(NamedTuple):
    name: str
    unit: str
    values: NDArray[np.float64]
    long_name: str = ""


def read(path: str | Path, column: str = "") -> Table:
    """Return the table of a CSV file (`t [s], delta [deg]`) or of a NetCDF file with `units`.

    Time is the first column of a CSV, and in a NetCDF file the variable with a unit of time. Where
    there are several others, `column` says which; where there is one, it need not have that name.
    """
    path = Path(path)
    if not path.is_file():
        raise TableError(f"table {path.name}: there is no file {path}; give the path of a .csv")
    time, others = _netcdf(path) if path.suffix.lower() in NETCDF else _csv(path)
    chosen = others[0] if len(others) == 1 else None
    for item in others:
        chosen = item if item.name == column else chosen
    if chosen is None:
        names = [item.name for item in others]
        hint = nearest(column, names) if column else f"known: {', '.join(names)}"
        raise TableError(f"table {path.name}: say which of its columns is meant; {hint}")
    seconds, _ = _si(path.name, time)
    values, unit = _si(path.name, chosen)
    return table(path.name, seconds, values, unit, chosen.long_name or chosen.name)


def table(
    name: str, times: ArrayLike, values: ArrayLike, unit: str = "1", long_name: str = ""
) -> Table:
    """Return the table of numbers in SI units; TableError where they are no function of time."""
    t, x = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    if t.ndim != 1 or t.shape != x.shape or t.size < 2:
        raise TableError(
            f"table {name}: {t.shape} times and {x.shape} values came; expected two columns of one "
            "length, at least two rows"
        )
    for what, column in (("time", t), ("value", x)):
        bad = np.flatnonzero(~np.isfinite(column))
        if bad.size:
            raise TableError(
                f"table {name}: the {what} of row {bad[0] + 1} came as {column[bad[0]]}; expected "
                "finite numbers, leave out rows that were not measured"
            )
    back = np.flatnonzero(np.diff(t) <= 0.0)
    if back.size:
        i = int(back[0])
        raise TableError(
            f"table {name}: the times do not ascend, row {i + 2} has {t[i + 1]:g} s after "
            f"{t[i]:g} s; sort the rows and leave out those measured twice"
        )
    return Table(tuple(t.tolist()), tuple(x.tolist()), unit, long_name)


def _si(file: str, column: _Column) -> tuple[NDArray[np.float64], str]:
    """Return the values in SI units and their unit."""
    if column.unit in ("1", ""):
        return column.values, "1"
    try:
        factor, unit = to_si(f"1 {column.unit}")
    except UnitError as error:
        raise TableError(f"table {file}, column {column.name}: {error}") from None
    return column.values * factor, unit


def _is_time(unit: str) -> bool:
    try:
        return convert(f"1 {unit}", "s") > 0.0
    except UnitError:
        return False


def _csv(path: Path) -> tuple[_Column, list[_Column]]:
    """Return the column of the times and the others."""
    lines = [
        line
        for line in path.read_text(encoding="utf-8-sig").splitlines()
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise TableError(f"table {path.name}: the file is empty; {HEADER}")
    separator = max(",;\t", key=lines[0].count)
    header, *rows = csv.reader(lines, delimiter=separator)
    names = [_header(path.name, cell) for cell in header]
    if len(names) < 2:
        raise TableError(f"table {path.name}: one column came, {header[0]!r}; expected t [s], …")
    numbers = np.empty((len(rows), len(names)))
    for i, row in enumerate(rows):
        numbers[i] = _numbers(path.name, i + 1, row, len(names))
    columns = [_Column(*name, numbers[:, j]) for j, name in enumerate(names)]
    if not _is_time(columns[0].unit):
        raise TableError(
            f"table {path.name}: the first column is {header[0].strip()!r}; expected the time with "
            "a unit such as t [s]"
        )
    return columns[0], columns[1:]


def _header(file: str, cell: str) -> tuple[str, str]:
    found = _named.fullmatch(cell)
    if not found or not found["name"] or not found["unit"]:
        raise TableError(f"table {file}: the header {cell.strip()!r} has no unit; {HEADER}")
    return found["name"], found["unit"]


def _numbers(file: str, number: int, row: Sequence[str], count: int) -> list[float]:
    if len(row) != count:
        raise TableError(
            f"table {file}: row {number} has {len(row)} entries; expected {count} as the header has"
        )
    try:
        return [float(cell) for cell in row]
    except ValueError:
        raise TableError(
            f"table {file}: row {number} came as {', '.join(row)!r}; expected decimal numbers with "
            "a point"
        ) from None


def _netcdf(path: Path) -> tuple[_Column, list[_Column]]:
    """Return the variable with a unit of time and those along the same dimension."""
    import xarray as xr  # a CSV needs no NetCDF library

    try:
        with xr.open_dataset(path, decode_times=False, decode_timedelta=False) as data:
            found = {str(name): v.load() for name, v in data.variables.items() if v.ndim == 1}
    except (OSError, ValueError) as error:
        raise TableError(f"table {path.name}: not a NetCDF file ({error})") from None
    columns = []
    for name, v in found.items():
        unit = str(v.attrs.get("units", "")).partition(" since ")[0].strip()
        if not unit:
            raise TableError(f"table {path.name}: variable {name!r} has no units; give them")
        word = str(v.attrs.get("long_name", ""))
        columns.append(_Column(name, unit, np.asarray(v.values, dtype=float), word))
    times = [c for c in columns if _is_time(c.unit)]
    if len(times) != 1:
        raise TableError(
            f"table {path.name}: {len(times)} of its variables have a unit of time; expected one"
        )
    along = found[times[0].name].dims
    others = [c for c in columns if c is not times[0] and found[c.name].dims == along]
    if not others:
        raise TableError(f"table {path.name}: no variable beside the time {times[0].name!r}")
    return times[0], others
