"""Families of runs as a parameter goes to zero: distances to where they should go, and orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

Array = NDArray[np.float64]
FLOOR = 1e-10  # relative; distances below it are rounding and tolerance, not the family's
FITTED = 4  # smallest values of the parameter that an observed order rests on


def distances(paths: xr.Dataset, targets: Mapping[str, Mapping[str, xr.DataArray]]) -> xr.Dataset:
    """Largest distance over time between each trajectory and its target, by target and quantity.

    `targets[name][quantity]` has the dims (trajectory, t) of `paths`. A run that ended before is
    compared as far as it went; `compared_until` says how far.
    """
    out = xr.Dataset(coords={n: c for n, c in paths.coords.items() if "t" not in c.dims})
    names = list(targets)
    for quantity in dict.fromkeys(q for target in targets.values() for q in target):
        var = paths[quantity]
        values = np.asarray(var.transpose("trajectory", "t").values)
        apart, size = [], []
        for name in names:
            wanted = targets[name].get(quantity)
            gap = np.full(values.shape, np.nan)
            if wanted is not None:
                gap = np.abs(values - np.asarray(wanted.transpose("trajectory", "t").values))
                size.append(_largest(np.asarray(wanted.values)))
            apart.append(_largest(gap))
        attrs = {
            "units": str(var.attrs.get("units", "1")),
            "long_name": f"largest distance of {var.attrs.get('long_name') or quantity}",
            "symbol": rf"\Delta {var.attrs.get('symbol', quantity)}",
            "size": float(np.nanmax(size)) if size else 0.0,
        }
        out[f"distance_{quantity}"] = (("target", "trajectory"), np.array(apart), attrs)
    finite = np.isfinite(np.asarray(paths[quantity].transpose("trajectory", "t").values))
    t = np.asarray(paths["t"].values)
    out["compared_until"] = (
        "trajectory",
        np.where(finite, t, -np.inf).max(axis=-1),
        {"units": "s", "long_name": "time up to which the run is compared", "symbol": "t"},
    )
    words = {"long_name": "motion that the family is compared with"}
    return out.assign_coords(target=("target", np.array(names, dtype=object), words))


def _largest(values: Array) -> Array:
    """Largest finite value along time, NaN where there is none."""
    return np.where(np.isfinite(values), np.abs(values), -np.inf).max(axis=-1)


def with_orders(found: xr.Dataset, axis: str) -> xr.Dataset:
    """The distances with observed orders: d ln(distance) / d ln|axis|, locally and at the end.

    The order at the end is that of a straight line through the `FITTED` smallest values of the
    axis whose distance is above rounding; NaN where fewer than two are.
    """
    size = np.abs(np.asarray(found[axis].values, dtype=float))
    order = np.argsort(size)
    for name in [str(n) for n in found.data_vars if str(n).startswith("distance_")]:
        var = found[name].transpose(..., axis)
        values = np.asarray(var.values)[..., order]
        floor = FLOOR * max(float(var.attrs["size"]), 1e-300)
        logs = np.log(np.where(values > floor, values, np.nan))
        x = np.log(size[order])
        local = np.full(values.shape, np.nan)
        local[..., :-1] = np.diff(logs, axis=-1) / np.diff(x)
        back = np.empty_like(order)
        back[order] = np.arange(order.size)
        word = name.removeprefix("distance_")
        attrs = {"units": "1", "symbol": "p"}
        found[f"local_order_{word}"] = (
            var.dims,
            local[..., back],
            {**attrs, "long_name": f"observed order of {word}, between neighbours"},
        )
        found[f"order_{word}"] = (
            var.dims[:-1],
            np.apply_along_axis(_slope, -1, logs, x),
            {**attrs, "long_name": f"observed order of {word}"},
        )
    return found


def _slope(logs: Array, x: Array) -> float:
    good = np.flatnonzero(np.isfinite(logs))[:FITTED]
    if good.size < 2:
        return float("nan")
    return float(np.polyfit(x[good], logs[good], 1)[0])


def matched(reference: xr.Dataset, paths: xr.Dataset, at: Mapping[str, Any]) -> xr.Dataset:
    """For each trajectory of `paths` the one of `reference` with the same axis values.

    `at` chooses among those of the reference by its own axes. One that is left serves all.
    """
    keep = np.ones(reference.sizes["trajectory"], dtype=bool)
    for name, place in at.items():
        keep &= _same(reference[name].values, place)
    left = reference.isel(trajectory=np.flatnonzero(keep))
    shared = [
        str(n)
        for n, c in left.coords.items()
        if c.dims == ("trajectory",) and n in paths.coords and n not in at
    ]
    index: list[int] = []
    for i in range(paths.sizes["trajectory"]):
        good = np.ones(left.sizes["trajectory"], dtype=bool)
        for name in shared if left.sizes["trajectory"] > 1 else ():
            good &= _same(left[name].values, paths[name].values[i])
        places = np.flatnonzero(good)
        if places.size != 1:
            raise ValueError(
                f"{places.size} trajectories of the reference match trajectory {i + 1}; "
                f"name one in `at` (axes: {', '.join(map(str, reference.coords))})"
            )
        index.append(int(places[0]))
    return left.isel(trajectory=index)


def _same(values: Sequence[Any] | np.ndarray, place: Any) -> np.ndarray:  # noqa: ANN401
    array = np.asarray(values)
    if array.dtype.kind in "OUST":
        return np.array([str(v) == str(place) for v in array])
    return np.isclose(array.astype(float), float(place), rtol=1e-9, atol=0.0)
