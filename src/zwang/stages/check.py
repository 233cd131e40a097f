"""Results of a study against what is known from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp
import xarray as xr

from zwang import expected as expectations
from zwang.engine.model import load
from zwang.expected import Comparison, Expectation, ExpectedError
from zwang.expressions import parse
from zwang.provenance import module_digest
from zwang.stages.reading import attributes, study_with
from zwang.store import read, variable, write


def check(
    study: str | Path,
    variant: str | None,
    expected: str | Path | None,
    model: str | Path,
    reference: str | Path,
    runs: str | Path,
    thresholds: str | Path,
    trajectories: str | Path,
    out: str | Path,
) -> None:
    """Write checks.nc; ExpectedError with every mismatch if a result is not as expected."""
    known = load(Path(model), Path(reference))
    found = study_with(known, study, variant)
    entries = () if expected is None else expectations.read(Path(expected), lambda _: [])
    datasets = [read(path) for path in (thresholds, runs, trajectories)]
    constants = {**found.parameters, **found.constants, "end": found.end}
    done = [
        expectations.compare(e, expectations.select(e, datasets), evaluate, constants)
        for e in entries
    ]
    wrong = [_sentence(e, c) for e, c in zip(entries, done, strict=True) if not c.passed]
    if wrong:
        raise ExpectedError("\n".join([f"{study}: results differ from expected.yaml:", *wrong]))
    attrs = attributes(found, known, module_digest(__name__))
    write(_table(entries, done).assign_attrs(attrs), out)


def evaluate(text: str, values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - number or array
    """Return the value of a whitelisted expression at numbers or arrays by name."""
    symbols = {name: sp.Symbol(name, real=True) for name in values}
    expression = parse(text, symbols)
    used = sorted(expression.free_symbols, key=str)
    return sp.lambdify(used, expression, "numpy")(*(values[s.name] for s in used))


def _sentence(entry: Expectation, comparison: Comparison) -> str:
    return (
        f"  {entry.quantity} at {comparison.where or 'the only point'}: got {comparison.got!r}, "
        f"expected {comparison.expected!r} = {entry.value}, error {comparison.error:.3g}, "
        f"allowed {comparison.allowed:.3g}; source: {entry.source}"
    )


def _table(entries: tuple[Expectation, ...], done: list[Comparison]) -> xr.Dataset:
    def texts(values: list[str], meaning: str) -> xr.Variable:
        return xr.Variable("check", np.array(values, dtype=object), {"long_name": meaning})

    def numbers(values: list[float], meaning: str, symbol: str) -> xr.Variable:
        return variable("check", np.array(values), "1", meaning, symbol)

    return xr.Dataset(
        {
            "quantity": texts([e.quantity for e in entries], "variable compared"),
            "expected": texts([e.value for e in entries], "expected value, SI units"),
            "source": texts([e.source for e in entries], "where the expected value comes from"),
            "where": texts([c.where for c in done], "point of the largest error"),
            "points": numbers([c.points for c in done], "points compared", "n"),
            "error": numbers([c.error for c in done], "largest error, in the quantity's unit", "e"),
            "allowed": numbers(
                [c.allowed for c in done], "error allowed there, in the quantity's unit", "e_0"
            ),
        }
    )
