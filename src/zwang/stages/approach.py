"""A family of runs against the motions it should approach as its parameter goes to zero."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from zwang import formula, limits
from zwang.engine.model import load
from zwang.provenance import module_digest
from zwang.stages.reading import attributes, study_with
from zwang.store import read, write
from zwang.study import Study
from zwang.units import is_quantity, to_si


def approach(
    study: str | Path,
    variant: str | None,
    case: str,
    model: str | Path,
    reference: str | Path,
    trajectories: str | Path,
    others: Mapping[str, str | Path],
    out: str | Path,
) -> None:
    """Write limits.nc; `others` holds the trajectories of the cases that serve as targets."""
    known = load(Path(model), Path(reference))
    found = study_with(known, study, variant, case)
    assert found.limit is not None
    paths = read(trajectories)
    if found.limit["until"] is not None:
        paths = paths.sel(t=slice(None, to_si(found.limit["until"])[0] * (1 + 1e-12)))
    references = {name: read(path) for name, path in others.items()}
    targets = {
        name: _target(found, paths, target, references)
        for name, target in found.limit["to"].items()
    }
    result = _on_axes(limits.distances(paths, targets), found)
    result = limits.with_orders(result, found.limit["axis"])
    attrs = attributes(found, known, module_digest(__name__), limit_axis=found.limit["axis"])
    write(result.assign_attrs(attrs), out)


def _target(
    found: Study, paths: xr.Dataset, target: Mapping[str, Any], references: Mapping[str, xr.Dataset]
) -> dict[str, xr.DataArray]:
    """Return the quantities of one target on the family's trajectories and times."""
    assert found.limit is not None
    asked = found.limit["quantities"]
    if "case" in target:
        at = {k: to_si(v)[0] if is_quantity(v) else v for k, v in (target.get("at") or {}).items()}
        other = limits.matched(references[target["case"]], paths, at)
        other = other.sel(t=paths["t"], method="nearest", tolerance=1e-9)
        names = target.get("names") or {}
        return {q: other[names.get(q, q)] for q in asked if names.get(q, q) in other}
    columns = {n: paths[n].values[:, None] for n in found.samples.axes}
    values = {**found.resolve(columns), "t": paths["t"].values[None, :]}
    shape = (paths.sizes["trajectory"], paths.sizes["t"])
    out = {}
    for name, text in target["formulas"].items():
        value = np.broadcast_to(formula.evaluate(str(text), values), shape)
        out[name] = xr.DataArray(value, dims=("trajectory", "t"))
        values = {**values, name: value}
    return {q: out[q] for q in asked if q in out}


def _on_axes(flat: xr.Dataset, found: Study) -> xr.Dataset:
    """Return what is known along `trajectory` on the axes of the grid."""
    samples = found.samples
    if samples.kind != "grid" or flat.sizes["trajectory"] != samples.size:
        if len(samples.axes) == 1:
            return flat.swap_dims(trajectory=next(iter(samples.axes)))
        return flat
    out = xr.Dataset(coords={"target": flat["target"]})
    for name, values in samples.axes.items():
        out = out.assign_coords({name: (name, values, flat[name].attrs)})
    for name, var in flat.variables.items():
        if name in out.coords or "trajectory" not in var.dims:
            continue
        rest = [d for d in var.dims if d != "trajectory"]
        values = var.transpose(*rest, "trajectory").values
        shaped = values.reshape(*values.shape[:-1], *samples.shape)
        out[name] = ((*rest, *samples.dims), shaped, var.attrs)
    return out.set_coords([n for n in flat.coords if n in out.variables])
