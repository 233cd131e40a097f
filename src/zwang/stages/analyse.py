"""Friction thresholds of a study, boundary curves root-found with the kernel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr

from zwang import engine, thresholds
from zwang.engine.model import Array, Model, load
from zwang.provenance import module_digest
from zwang.stages.reading import arguments, attributes, study_with
from zwang.store import read, write
from zwang.study import Study


def analyse(
    study: str | Path,
    variant: str | None,
    runs: str | Path,
    model: str | Path,
    reference: str | Path,
    library: str | Path | None,
    out: str | Path,
) -> None:
    """Write thresholds.nc."""
    known = load(Path(model), Path(reference))
    found = study_with(known, study, variant)
    table = read(runs)
    result = thresholds.analyse(table)
    shown = found.map or {}
    if "boundary" in shown and found.samples.kind == "grid":
        result["boundary"] = boundary_curves(
            found, known, None if library is None else Path(library), result, shown["boundary"]
        )
    drawn = {f"map_{key}": value for key, value in shown.items()}
    compiler = table.attrs["compiler"]
    attrs = attributes(found, known, module_digest(__name__), compiler=compiler, **drawn)
    result.attrs = attrs
    write(result, out)


def boundary_curves(
    study: Study, model: Model, library: Path | None, result: xr.Dataset, axis: str
) -> xr.DataArray:
    """Return the values along `axis` at which the critical friction equals each μ of the study."""
    others = [name for name in study.samples.axes if name != axis]
    common = result["critical_mu_common"].transpose(*others, axis)
    grid = study.samples.axes[axis]
    mu = np.array(study.mu)
    low, high = thresholds.brackets(common.values[..., None, :], grid, mu)
    columns = np.meshgrid(*(study.samples.axes[name] for name in others), mu, indexing="ij")
    flat = {name: c.ravel() for name, c in zip(others, columns, strict=False)}

    def critical(x: Array, index: np.ndarray) -> Array:
        _, outcome = engine.run(
            model,
            library,
            **arguments(study, model, {n: c[index] for n, c in flat.items()} | {axis: x}),
            end=study.end,
            mu=np.zeros(0),
            times=np.zeros(0),
            tolerance=study.tolerance,
        )
        complete = np.isin(outcome.status, thresholds.COMPLETE)
        return np.where(complete, outcome.maximum.max(axis=-1), np.nan)

    words = result[axis].attrs
    return xr.DataArray(
        thresholds.boundary(critical, low, high, np.broadcast_to(mu, low.shape)),
        dims=(*others, "mu"),
        attrs={
            "units": words["units"],
            "long_name": f"{words['long_name'] or axis} at which sliding begins",
            "symbol": words["symbol"],
            "axis": axis,
        },
    )
