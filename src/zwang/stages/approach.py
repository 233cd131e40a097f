"""A family of runs against the motions it should approach as its parameter goes to zero."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from scipy.interpolate import CubicSpline

from zwang import formula, limits
from zwang.engine.model import load
from zwang.provenance import module_digest
from zwang.stages.reading import attributes, study_with
from zwang.store import read, variable, write
from zwang.study import Study
from zwang.units import is_quantity, to_si

NAMED = ("heading", "rolling")  # quantities that show a bounce


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
    references = {name: read(path) for name, path in others.items()}
    asked: dict[str, Any] = found.limit
    targets = {
        name: _target(found, paths, target, references) for name, target in asked["to"].items()
    }
    flat = limits.distances(paths, targets, asked["path"])
    result = _on_axes(flat.assign(_rates(found, paths, asked["to"])), found)
    result = limits.with_orders(result, asked["axis"])
    if asked["path"]:
        result["goes_to"] = limits.verdict(result, asked["axis"])
    if asked["bounce"]:
        result = result.assign(_on_axes(_bounces(found, paths, asked["bounce"]), found).data_vars)
    attrs = attributes(found, known, module_digest(__name__), limit_axis=asked["axis"])
    write(result.assign_attrs(attrs), out)


def _values(found: Study, paths: xr.Dataset) -> dict[str, np.ndarray]:
    """Return every named value of the trajectories as columns, and the time as a row."""
    columns = {n: paths[n].values[:, None] for n in found.samples.axes}
    return {**found.resolve(columns), "t": paths["t"].values[None, :]}


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
        return {q: other[q] for q in asked if q in other}
    values = _values(found, paths)
    shape = (paths.sizes["trajectory"], paths.sizes["t"])
    for name, text in target["formulas"].items():
        inner = re.fullmatch(r"integral\((.*)\)", str(text))
        value = formula.evaluate(inner[1] if inner else str(text), values)
        if inner:
            spline = CubicSpline(values["t"][0], np.broadcast_to(value, shape), axis=-1)
            value = spline.antiderivative()(values["t"][0])
        values[name] = value
    return {
        q: xr.DataArray(np.broadcast_to(values[q], shape), dims=("trajectory", "t"))
        for q in asked
        if q in target["formulas"]
    }


def _rates(
    found: Study, paths: xr.Dataset, targets: Mapping[str, Mapping[str, Any]]
) -> dict[str, xr.Variable]:
    """Return how the distances should fall, up to a factor, by target and quantity."""
    values = _values(found, paths)
    count = paths.sizes["trajectory"]
    names = dict.fromkeys(q for target in targets.values() for q in target.get("rates") or {})
    out = {}
    for quantity in names:
        rows = np.full((len(targets), count), np.nan)
        for i, target in enumerate(targets.values()):
            text = (target.get("rates") or {}).get(quantity)
            if text is not None:
                rows[i] = np.broadcast_to(formula.evaluate(str(text), values), (count, 1))[:, 0]
        words = f"predicted rate of {quantity}, up to a factor"
        out[f"rate_{quantity}"] = variable(("target", "trajectory"), rows, "1", words, "r")
    return out


def _bounces(found: Study, paths: xr.Dataset, asked: Mapping[str, str]) -> xr.Dataset:
    """Return number, first time and turn of the bounces, and the turn predicted for them."""
    values = _values(found, paths)
    count = paths.sizes["trajectory"]

    def column(text: str) -> np.ndarray:
        return np.broadcast_to(formula.evaluate(text, values), (count, 1))[:, 0]

    heading, rolling = (paths[asked[k]].transpose("trajectory", "t").values for k in NAMED)
    t = np.asarray(paths["t"].values)
    number, first, turn = limits.bounces(t, heading, rolling, np.sign(column(asked["side"])))
    dims = "trajectory"
    out = paths.drop_dims("t")[[]].assign(
        bounces=variable(dims, number, "1", "bounces", "n"),
        bounce_time=variable(dims, first, "s", "time of the first bounce", r"t_{\mathrm{b}}"),
        bounce_turn=variable(dims, turn, "rad", "turn of the heading in it", r"\Delta\theta"),
        predicted_turn=variable(
            dims, column(asked["turn"]), "rad", "predicted turn", r"\Delta\theta^*"
        ),
    )
    return out


def _on_axes(flat: xr.Dataset, found: Study) -> xr.Dataset:
    """Return what is known along `trajectory` on the axes of the grid."""
    samples = found.samples
    if samples.kind != "grid" or flat.sizes["trajectory"] != samples.size:
        if len(samples.axes) == 1:
            return flat.swap_dims(trajectory=next(iter(samples.axes)))
        return flat
    out = xr.Dataset(coords={"target": flat["target"]} if "target" in flat else {})
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
