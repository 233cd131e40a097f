"""Results of a study against what is known from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from zwang import expected as expectations
from zwang import formula
from zwang.engine.model import load
from zwang.expected import Comparison, Expectation, ExpectedError
from zwang.provenance import module_digest
from zwang.stages.reading import attributes, study_with
from zwang.store import read, variable, write


def check(
    study: str | Path,
    variant: str | None,
    expected: str | Path | None,
    folders: Mapping[str, Path],
    kinds: Sequence[str],
    out: str | Path,
) -> None:
    """Write checks.nc; ExpectedError with every mismatch if a result is not as expected.

    `folders` holds the folder of each case's results, `kinds` the datasets that are looked into.
    """
    entries = () if expected is None else expectations.read(Path(expected), lambda *_: [])
    wrong: list[str] = []
    rows: list[tuple[str, Expectation, Comparison]] = []
    attrs = {}
    for case, folder in folders.items():
        model = load(folder / "kernel.json", folder / "reference.py")
        found = study_with(model, study, variant, case)
        attrs = attrs or attributes(found, model, module_digest(__name__))
        paths = [folder / f"{kind}.nc" for kind in kinds]
        datasets = [read(path) for path in paths if path.exists()]
        constants = {**found.fixed(), "end": found.end}
        for entry in entries:
            if entry.cases and case not in entry.cases:
                continue
            result = expectations.select(entry, datasets, constants)
            done = expectations.compare(entry, result, formula.evaluate, constants)
            rows.append((case, entry, done))
            wrong += [] if done.passed else [_sentence(case, entry, done)]
    unknown = sorted({c for e in entries for c in e.cases} - set(folders))
    if unknown and variant is None:
        wrong.append(f"  expected.yaml speaks of cases that are not there: {', '.join(unknown)}")
    if wrong:
        raise ExpectedError("\n".join([f"{study}: results differ from expected.yaml:", *wrong]))
    write(_table(rows).assign_attrs(attrs), out)


def _sentence(case: str, entry: Expectation, comparison: Comparison) -> str:
    return (
        f"  {case + ': ' if case else ''}{entry.quantity} at "
        f"{comparison.where or 'the only point'}: got {comparison.got!r}, "
        f"expected {comparison.expected!r} = {entry.value}, error {comparison.error:.3g}, "
        f"allowed {comparison.allowed:.3g}; source: {entry.source}"
    )


def _table(rows: list[tuple[str, Expectation, Comparison]]) -> xr.Dataset:
    def texts(values: list[str], meaning: str) -> xr.Variable:
        return xr.Variable("check", np.array(values, dtype=object), {"long_name": meaning})

    def numbers(values: list[float], meaning: str, symbol: str) -> xr.Variable:
        return variable("check", np.array(values), "1", meaning, symbol)

    return xr.Dataset(
        {
            "case": texts([case for case, _, _ in rows], "case of the study"),
            "quantity": texts([e.quantity for _, e, _ in rows], "variable compared"),
            "expected": texts([e.value for _, e, _ in rows], "expected value, SI units"),
            "source": texts([e.source for _, e, _ in rows], "where the value comes from"),
            "where": texts([c.where for _, _, c in rows], "point of the largest error"),
            "points": numbers([c.points for _, _, c in rows], "points compared", "n"),
            "error": numbers(
                [c.error for _, _, c in rows], "largest error, in the quantity's unit", "e"
            ),
            "allowed": numbers(
                [c.allowed for _, _, c in rows], "error allowed, in the quantity's unit", "e_0"
            ),
        }
    )
