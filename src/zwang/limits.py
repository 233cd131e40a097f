"""Families of runs as a parameter goes to zero: distances to where they should go, and orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

Array = NDArray[np.float64]
FLOOR = 1e-10  # relative; distances below it are rounding and tolerance, not the family's
NEAR = 0.05  # mean distance of a path that has come near, relative to its target
FALLING = 0.15  # least order with which it still falls
FITTED = 4  # smallest values of the parameter that an observed order rests on


def distances(
    paths: xr.Dataset, targets: Mapping[str, Mapping[str, xr.DataArray]], path: Sequence[str]
) -> xr.Dataset:
    """Distances over time between each trajectory and its target, by target and quantity.

    The largest, and the mean, which a short delay of a jump does not spoil. A target's quantities
    have the dims (trajectory, t) of `paths`; a run that ended before is compared as far as it went.
    `distance_path` joins the quantities of `path`, all of one unit, relative to the target's reach.
    """
    out = xr.Dataset(coords={n: c for n, c in paths.coords.items() if "t" not in c.dims})
    names = list(targets)
    every = dict.fromkeys(q for target in targets.values() for q in target)
    for quantity in every:
        var = paths[quantity]
        gaps = [_gap(paths, target, [quantity]) for target in targets.values()]
        size = max(_size(target, [quantity]) for target in targets.values())
        meaning = str(var.attrs.get("long_name") or quantity)
        symbol = rf"\Delta {var.attrs.get('symbol', quantity)}"
        _put(out, quantity, gaps, str(var.attrs.get("units", "1")), meaning, symbol, size)
    if path:
        gaps, sizes = [], []
        for target in targets.values():
            sizes.append(_size(target, path))
            gaps.append(_gap(paths, target, path) / (sizes[-1] or 1.0))
        _put(out, "path", gaps, "1", "the path, relative to its size", r"\Delta r/r", 1.0)
    finite = np.isfinite(_values(paths[next(iter(every))]))
    out["compared_until"] = (
        "trajectory",
        np.where(finite, np.asarray(paths["t"].values), -np.inf).max(axis=-1),
        {"units": "s", "long_name": "time up to which the run is compared", "symbol": "t"},
    )
    words = {"long_name": "motion that the family is compared with"}
    return out.assign_coords(target=("target", np.array(names, dtype=object), words))


def _values(var: xr.DataArray) -> Array:
    return np.asarray(var.transpose("trajectory", "t").values, dtype=float)


def _gap(paths: xr.Dataset, target: Mapping[str, xr.DataArray], names: Sequence[str]) -> Array:
    """Distance over time (trajectory, t), NaN where the target does not say."""
    if any(name not in target for name in names):
        return np.full(_values(paths[names[0]]).shape, np.nan)
    return np.sqrt(sum((_values(paths[n]) - _values(target[n])) ** 2 for n in names))


def _size(target: Mapping[str, xr.DataArray], names: Sequence[str]) -> float:
    values = [np.abs(_values(target[name])) for name in names if name in target]
    return max((float(np.nanmax(v, initial=0.0)) for v in values), default=0.0)


def _put(
    out: xr.Dataset,
    name: str,
    gaps: Sequence[Array],
    units: str,
    words: str,
    symbol: str,
    size: float,
) -> None:
    attrs = {"units": units, "symbol": symbol, "size": size}
    largest = [np.where(np.isfinite(g), g, -np.inf).max(axis=-1) for g in gaps]
    with np.errstate(invalid="ignore"):
        mean = [np.nansum(g, axis=-1) / np.isfinite(g).sum(axis=-1) for g in gaps]
    dims = ("target", "trajectory")
    known = [np.where(np.isfinite(x), x, np.nan) for x in largest]
    out[f"distance_{name}"] = (
        dims,
        np.array(known),
        {**attrs, "long_name": f"largest distance of {words}"},
    )
    out[f"mean_distance_{name}"] = (
        dims,
        np.array(mean),
        {**attrs, "long_name": f"mean distance of {words}"},
    )


def with_orders(found: xr.Dataset, axis: str) -> xr.Dataset:
    """The distances with observed orders: d ln(distance) / d ln|axis|, locally and at the end.

    The order at the end is that of a straight line through the `FITTED` smallest values of the
    axis whose distance is above rounding, NaN where fewer than two are; the predicted one is that
    of the predicted rate at the same values.
    """
    size = np.abs(np.asarray(found[axis].values, dtype=float))
    order = np.argsort(size)
    back = np.argsort(order)
    x = np.log(size[order])
    attrs = {"units": "1", "symbol": "p"}
    for name in [str(n) for n in found.data_vars if "distance_" in str(n)]:
        prefix, _, word = name.partition("distance_")
        var = found[name].transpose(..., axis)
        values = np.asarray(var.values)[..., order]
        floor = FLOOR * max(float(var.attrs["size"]), 1e-300)
        logs = np.log(np.where(values > floor, values, np.nan))
        local = np.full(values.shape, np.nan)
        local[..., :-1] = np.diff(logs, axis=-1) / np.diff(x)
        found[f"{prefix}local_order_{word}"] = (
            var.dims,
            local[..., back],
            {**attrs, "long_name": f"observed order of {word}, between neighbours"},
        )
        found[f"{prefix}order_{word}"] = (
            var.dims[:-1],
            np.apply_along_axis(_slope, -1, logs, x),
            {**attrs, "long_name": f"observed order of {word}"},
        )
        if f"rate_{word}" in found and not prefix:
            rate = np.asarray(found[f"rate_{word}"].transpose(*var.dims).values)[..., order]
            shape = np.where(np.isfinite(logs), np.log(rate), np.nan)
            found[f"predicted_order_{word}"] = (
                var.dims[:-1],
                np.apply_along_axis(_slope, -1, shape, x),
                {**attrs, "long_name": f"predicted order of {word}"},
            )
    return found


def _slope(logs: Array, x: Array) -> float:
    good = np.flatnonzero(np.isfinite(logs))[:FITTED]
    if good.size < 2:
        return float("nan")
    return float(np.polyfit(x[good], logs[good], 1)[0])


def verdict(found: xr.Dataset, axis: str) -> xr.DataArray:
    """Whether a family goes to a target: its path is near at the smallest value and still falls.

    Near is a mean distance below NEAR of the target's size, or rounding; falling an order above
    FALLING. Missing where the target has no path.
    """
    mean = found["mean_distance_path"].transpose(..., axis)
    last = mean.isel({axis: int(np.argmin(np.abs(found[axis].values)))})
    order = found["mean_order_path"].transpose(*last.dims)
    exact = mean.max(axis) <= FLOOR
    yes = exact | ((last < NEAR) & (order > FALLING))
    flags = xr.where(last.isnull(), -1, yes.astype(int)).astype(np.int8)
    return flags.assign_attrs(
        units="1",
        long_name="whether the family goes to this motion",
        symbol="v",
        flag_values=np.array([-1, 0, 1], dtype=np.int8),
        flag_meanings="not_compared no yes",
    )


def bounces(t: Array, heading: Array, rolling: Array, side: Array) -> tuple[Array, Array, Array]:
    """Number of bounces of each run, time of the first, and the turn of the heading in it.

    In a bounce the rolling speed passes zero against the weight, in the direction of `side`; the
    turn is the change of the heading between the middles of the intervals before and after it.
    """
    count = np.zeros(len(side))
    first, turn = np.full(len(side), np.nan), np.full(len(side), np.nan)
    for i, s in enumerate(side):
        p = s * rolling[i]
        places = np.flatnonzero((p[:-1] < 0.0) & (p[1:] >= 0.0))
        count[i] = places.size
        if not places.size:
            continue
        at = places[0]
        first[i] = t[at] + (t[at + 1] - t[at]) * p[at] / (p[at] - p[at + 1])
        after = places[1] if places.size > 1 else t.size - 1
        turn[i] = heading[i, (at + after) // 2] - heading[i, at // 2]
    return count, first, turn


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
