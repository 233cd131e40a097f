"""What a text quotes from a study: numbers as dataset and LaTeX macros, verdicts as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from zwang import quoted, verdicts
from zwang.store import atomic_text, read, variable, write


def quote(
    entries: Mapping[str, Mapping[str, Any]],
    title: str,
    titles: Mapping[str, str],
    folders: Mapping[str, Path],
    kinds: Sequence[str],
    numbers: str | Path,
    macros: str | Path,
    table: str | Path,
) -> None:
    """Write numbers.nc, numbers.tex, verdicts.tex; ExpectedError where there is no such number."""
    datasets: dict[str, list[xr.Dataset]] = {}
    found = []
    for name, entry in entries.items():
        case = str(entry.get("case", ""))
        if case not in datasets:
            paths = [folders[case] / f"{kind}.nc" for kind in kinds]
            datasets[case] = [read(path) for path in paths if path.exists()]
        found.append(quoted.number(name, entry, datasets[case]))
    first = next(iter(folders.values()))
    attrs = read(first / "runs.nc").attrs
    kept = ("Conventions", "source", "references")
    about = {"title": f"{title}: numbers quoted", **{k: attrs[k] for k in kept if k in attrs}}
    write(_table(found).assign_attrs(about), numbers)
    atomic_text(macros, quoted.macros(found, title))
    compared = {case: folder / "limits.nc" for case, folder in folders.items()}
    limits = {case: read(path) for case, path in compared.items() if path.exists()}
    atomic_text(table, verdicts.latex(verdicts.rows(limits, titles), title))


def _table(found: Sequence[quoted.Number]) -> xr.Dataset:
    def texts(values: list[str], meaning: str) -> xr.Variable:
        return xr.Variable("name", np.array(values, dtype=object), {"long_name": meaning})

    return xr.Dataset(
        {
            "value": variable("name", np.array([n.value for n in found]), "1", "value, SI", "x"),
            "units": texts([n.units for n in found], "unit of the value"),
            "printed": texts([n.text for n in found], "as printed"),
            "printed_unit": texts([n.printed_unit for n in found], "unit as printed"),
            "case": texts([n.case for n in found], "case of the study"),
            "quantity": texts([n.quantity for n in found], "variable it is taken from"),
            "where": texts([n.where for n in found], "place it is taken at"),
            "meaning": texts([n.meaning for n in found], "meaning"),
        },
        coords={"name": texts([n.name for n in found], "macro")},
    )
