"""Friction thresholds of a case, boundary curves root-found with the kernel; what sliding did."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr

from zwang import engine, thresholds
from zwang.assemble import holds
from zwang.engine.model import Array, Model, load
from zwang.provenance import module_digest
from zwang.stages.reading import arguments, attributes, study_with
from zwang.store import read, write
from zwang.study import Study


def analyse(
    study: str | Path,
    variant: str | None,
    case: str,
    runs: str | Path,
    against: str | Path | None,
    model: str | Path,
    reference: str | Path,
    library: str | Path | None,
    out: str | Path,
) -> None:
    """Write thresholds.nc; `against` are the runs of the case this one is compared with."""
    known = load(Path(model), Path(reference))
    found = study_with(known, study, variant, case)
    table = read(runs)
    shown = found.map or {}
    result = thresholds.sliding(table) if known.names("switching") else xr.Dataset()
    if holds(known) and not known.names("switching"):
        result = thresholds.analyse(table)
        if known.names("contacts"):
            result["margin"] = thresholds.margin(result)
        if "boundary" in shown and found.samples.kind == "grid" and known.names("contacts"):
            chosen = None if library is None else Path(library)
            result = result.assign(boundary_curves(found, known, chosen, result, shown["boundary"]))
    if not result.data_vars:  # contacts that are never held: neither thresholds nor modes
        result = table[["status", "time_reached"]]
    if against is not None:
        ideal = read(against)
        ideal = ideal.sel({n: label for n, label in found.chosen.items() if n in ideal.dims})
        spin = (found.against or {})["spin"]
        result = result.assign(thresholds.deviations(table, ideal, spin))
    compiler = table.attrs["compiler"]
    result.attrs = attributes(found, known, module_digest(__name__), compiler=compiler)
    write(result, out)


def boundary_curves(
    study: Study, model: Model, library: Path | None, result: xr.Dataset, axis: str
) -> dict[str, xr.DataArray]:
    """Return the values along `axis` at which the critical friction equals each μ of the study.

    `boundary` is where the first contact slides, `boundary_by_contact` where each one would.
    """
    contacts = list(model.names("contacts"))
    others = [name for name in study.samples.axes if name != axis]
    common = result["critical_mu_common"].transpose(*others, axis).values
    each = result["critical_mu"].transpose("contact", *others, axis).values
    wanted = np.concatenate([common[None], each])  # the common one first
    grid = study.samples.axes[axis]
    mu = np.array(study.mu)
    low, high = thresholds.brackets(wanted[..., None, :], grid, mu)
    axes = [np.arange(len(contacts) + 1), *(study.samples.axes[name] for name in others), mu]
    columns = np.meshgrid(*axes, indexing="ij")
    which = columns[0].ravel()
    flat = {name: c.ravel() for name, c in zip(others, columns[1:], strict=False)}

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
        values = np.concatenate([outcome.maximum.max(-1, keepdims=True), outcome.maximum], axis=-1)
        return np.where(complete, values[np.arange(index.size), which[index]], np.nan)

    found = thresholds.boundary(critical, low, high, np.broadcast_to(mu, low.shape))
    words = result[axis].attrs
    attrs = {"units": words["units"], "symbol": words["symbol"], "axis": axis}
    meaning = f"{words['long_name'] or axis} at which"
    return {
        "boundary": xr.DataArray(
            found[0],
            dims=(*others, "mu"),
            attrs={**attrs, "long_name": f"{meaning} sliding begins"},
        ),
        "boundary_by_contact": xr.DataArray(
            found[1:],
            dims=("contact", *others, "mu"),
            attrs={**attrs, "long_name": f"{meaning} this contact would slide"},
        ),
    }
