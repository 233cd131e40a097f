"""Friction thresholds: critical coefficients, the contact that slides first, boundary curves."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

TOUCH = 1e-9  # of μ
TOGETHER = 1e-9  # s; onsets closer than this are one event
COMPLETE = (0, 1)  # status codes of runs that were followed to their end: ok, at_rest
FAILED = -1  # 0: none slides
MOST_ITERATIONS = 60


def analyse(runs: xr.Dataset) -> xr.Dataset:
    """Thresholds of an ensemble of ideal runs; dims as in `runs` (any axes, contact, mu).

    critical_mu_common is the largest critical_mu; first_onset the earliest onset; first_contact
    the flag of the contact it belongs to. What a failed run showed up to the time it reached stays.
    """
    _require(runs, ("critical_mu", "time_of_maximum", "onset", "status"))
    contacts = [str(name) for name in runs["contact"].values]
    given = runs.variables  # without their coordinates, which would be compared at every step
    critical, status = given["critical_mu"], given["status"]
    onset, touch = _with_touches(given)
    axes = tuple(dim for dim in onset.dims if dim not in ("contact", "mu"))
    times = np.where(np.isnan(onset.values), np.inf, onset.values)
    failed = ~np.isin(status.transpose(*axes).values, COMPLETE)
    earliest = times.min(axis=-2, initial=np.inf)
    common = critical.max("contact", skipna=True) if contacts else status * np.nan
    common.attrs = {
        "units": "1",
        "long_name": "smallest friction coefficient at which no contact slides",
        "symbol": r"\mu_{\mathrm{c}}",
    }
    first = _first(times, earliest, failed)
    first_onset = (
        (*axes, "mu"),
        np.where(np.isinf(earliest), np.nan, earliest),
        {"units": "s", "long_name": "time at which the first contact slides", "symbol": "t_1"},
    )
    found = {
        "critical_mu": critical,
        "critical_mu_common": common,
        "onset": onset,
        "touch": touch,
        "first_onset": first_onset,
        "first_contact": ((*axes, "mu"), first, first_contact_attrs(contacts)),
        "status": status,
    }
    return xr.Dataset(found, coords=runs.coords, attrs=runs.attrs)


def margin(found: xr.Dataset) -> xr.DataArray:
    """The friction left before a contact slides, for each μ; negative where one does."""
    return (found["mu"] - found["critical_mu_common"]).assign_attrs(
        units="1",
        long_name="friction left before a contact slides; negative where one does",
        symbol=r"\mu - \mu_{\mathrm{c}}",
    )


def sliding(runs: xr.Dataset) -> xr.Dataset:
    """What contacts that may slide did in an ensemble; dims as in `runs` (any axes, sliding).

    first_contact is the contact that lets go first, motion_type which of them slide at all.
    """
    _require(runs, ("first_slip", "slip_time", "slip_distance", "status"))
    contacts = [str(name) for name in runs["sliding"].values]
    released = runs["first_slip"].transpose(..., "sliding")
    axes = released.dims[:-1]
    slid = runs["slip_time"].transpose(*released.dims).values > 0.0
    times = np.where(slid, np.fmin(released.values, np.inf), np.inf)
    times = np.where(slid & np.isnan(released.values), 0.0, times)  # it slid from the start
    failed = ~runs["status"].transpose(*axes).isin(COMPLETE).values
    out = xr.Dataset(coords=runs.coords, attrs=dict(runs.attrs))
    earliest = times.min(axis=-1)
    out["first_onset"] = (
        axes,
        np.where(np.isinf(earliest), np.nan, earliest),
        {"units": "s", "long_name": "time at which the first contact slides", "symbol": "t_1"},
    )
    kinds = np.isfinite(times) @ (1 << np.arange(len(contacts)))
    first = _first(times[..., None], earliest[..., None], failed)[..., 0]
    out["first_contact"] = (axes, first, first_contact_attrs(contacts))
    out["motion_type"] = (axes, kinds.astype(np.int8), motion_type_attrs(contacts))
    kept = ("slip_time", "slip_distance", "mode_end", "mode_changes", "status", "time_reached")
    return out.assign({name: runs[name] for name in kept})


def motion_type_attrs(contacts: list[str]) -> dict[str, Any]:
    """Attributes of the flag variable `motion_type`: which contacts slide at some time."""
    named = [
        "_and_".join(c for i, c in enumerate(contacts) if flag >> i & 1) or "none"
        for flag in range(1 << len(contacts))
    ]
    return {
        "units": "1",
        "long_name": "contacts that slide at some time",
        "symbol": r"\kappa",
        "flag_values": np.arange(len(named), dtype=np.int8),
        "flag_meanings": " ".join(named),
    }


def deviations(runs: xr.Dataset, ideal: xr.Dataset, spin: str | None) -> dict[str, xr.DataArray]:
    """How far runs end from those of another case at the same axis values, by coordinate.

    `distance` joins all coordinates in metres; `spins` is whether the velocity `spin`, along the
    body, ends with the other sign. Only runs that reached the same time are compared.
    """
    shared = xr.align(runs, ideal, join="left", exclude=("contact", "mu", "sliding"))[1]
    same = abs(runs["time_reached"] - shared["time_reached"]) <= TOGETHER
    out: dict[str, xr.DataArray] = {}
    square: xr.DataArray | None = None
    for name in [str(n) for n in ideal.data_vars if str(n).endswith("_end")]:
        units = str(ideal[name].attrs.get("units", ""))
        if name not in runs or units not in ("m", "rad"):
            continue
        gap = (runs[name] - shared[name]).where(same)
        word = f"{ideal[name].attrs['long_name']}, from that of the ideal motion"
        symbol = ideal[name].attrs["symbol"].split("(")[0]
        out[f"{name.removesuffix('_end')}_deviation"] = gap.assign_attrs(
            units=units, long_name=word, symbol=rf"\Delta {symbol}"
        )
        if units == "m":
            square = gap**2 if square is None else square + gap**2
    if square is not None:
        out["distance"] = (square**0.5).assign_attrs(
            units="m", long_name="distance from the ideal place at the end", symbol="d"
        )
    if spin is not None:
        backwards = (runs[f"{spin}_end"] * shared[f"{spin}_end"]).where(same) < 0.0
        out["spins"] = backwards.astype(np.int8).assign_attrs(
            units="1",
            long_name="whether it ends facing backwards",
            symbol="s",
            flag_values=np.array([0, 1], dtype=np.int8),
            flag_meanings="no spins",
        )
    return out


def _with_touches(runs: Mapping[Any, xr.Variable]) -> tuple[xr.Variable, xr.Variable]:
    """Onsets, and which are touches: the largest |Λ|/N equals μ within TOUCH of it.

    A touch is an onset at the time of the maximum, whether rounding leaves it above μ or below.
    """
    onset = runs["onset"].transpose(..., "contact", "mu")
    mu = runs["mu"]
    near = (abs(runs["critical_mu"] - mu) <= TOUCH * mu).transpose(*onset.dims)
    added = near.values & np.isnan(onset.values)
    filled = onset
    if added.any():
        sizes = dict(zip(onset.dims, onset.shape, strict=True))
        when = runs["time_of_maximum"].set_dims(sizes).transpose(*onset.dims)
        filled = onset.copy(data=np.where(added, when.values, onset.values))
    attrs = {
        "units": "1",
        "long_name": "whether the bound is only touched",
        "symbol": r"\tau",
        "flag_values": np.array([0, 1], dtype=np.int8),
        "flag_meanings": "crossed_or_never touched",
    }
    return filled, xr.Variable(onset.dims, near.values.astype(np.int8), attrs)


def first_contact_attrs(contacts: list[str]) -> dict[str, Any]:
    """Attributes of the flag variable `first_contact` for these contact names."""
    names = ["_".join(name.split()) for name in contacts]
    return {
        "units": "1",
        "long_name": "contact that slides first",
        "symbol": r"\kappa_1",
        "flag_values": np.arange(FAILED, len(contacts) + 2, dtype=np.int8),
        "flag_meanings": " ".join(["failed", "none", *names, "together"]),
    }


def _first(times: Array, earliest: Array, failed: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Flags (..., mu) from onsets (..., contact, mu), never = inf, and failed (...).

    The earliest of `times` become inf: a million runs leave no room for a copy.
    """
    count = times.shape[-2]
    slides = np.isfinite(earliest)
    flag = np.zeros(earliest.shape, dtype=np.int8)
    if count:
        who = np.argmin(times, axis=-2)
        flag[slides] = who[slides] + 1
        np.put_along_axis(times, who[..., None, :], np.inf, axis=-2)
        with np.errstate(invalid="ignore"):  # never minus never
            flag[times.min(axis=-2) - earliest <= TOGETHER] = count + 1
    flag[~slides & failed[..., None]] = FAILED
    return flag


def brackets(
    values: ArrayLike, grid: ArrayLike, target: ArrayLike, axis: int = -1
) -> tuple[Array, Array]:
    """The first interval of `grid` in which `values` along `axis` cross `target`: low and high.

    `target` has the shape of the other axes, or broadcasts to it. NaN where nothing crosses.
    """
    f = np.moveaxis(np.asarray(values, dtype=float), axis, -1)
    x = np.asarray(grid, dtype=float)
    if x.ndim != 1 or x.size != f.shape[-1] or x.size < 2:
        raise ValueError(
            f"grid of shape {x.shape} for {f.shape[-1]} values along the axis; "
            "give one grid value for each, at least two"
        )
    f = f - np.asarray(target, dtype=float)[..., None]
    left, right = f[..., :-1], f[..., 1:]
    crosses = np.sign(left) * np.sign(right) <= 0  # a NaN on either side is no crossing
    at = np.argmax(crosses, axis=-1)
    found = crosses.any(axis=-1)
    return np.where(found, x[at], np.nan), np.where(found, x[at + 1], np.nan)


def boundary(
    evaluate: Callable[[Array, NDArray[np.intp]], ArrayLike],
    low: ArrayLike,
    high: ArrayLike,
    target: ArrayLike,
    tolerance: float = 1e-10,
) -> Array:
    """Roots x of f(x) = target in [low, high], many independent problems at once.

    `evaluate(x, index)` gives f at x of the problems `index` (positions in the flattened `low`);
    only unfinished problems are asked again. The error is at most `tolerance` times the larger end
    of the bracket. NaN where f has no sign change or is NaN on the way. Method: interpolate,
    truncate, project (ITP, Oliveira and Takahashi 2021), superlinear and never more than one step
    behind bisection.
    """
    shape = np.broadcast_shapes(np.shape(low), np.shape(high), np.shape(target))
    a, b, goal = (
        np.broadcast_to(np.asarray(v, dtype=float), shape).ravel().copy()
        for v in (low, high, target)
    )
    root = np.full(a.size, np.nan)
    every = np.flatnonzero(np.isfinite(a) & np.isfinite(b) & np.isfinite(goal))

    def f(x: Array, index: NDArray[np.intp]) -> Array:
        if not index.size:
            return np.empty(0)
        value = np.asarray(evaluate(x, index), dtype=float)
        if value.shape != index.shape:
            raise ValueError(
                f"evaluate gave shape {value.shape} for {index.size} problems; "
                "it should give one value for each"
            )
        return value - goal[index]

    fa, fb = np.full(a.size, np.nan), np.full(a.size, np.nan)
    fa[every], fb[every] = f(a[every], every), f(b[every], every)
    root[fb == 0.0] = b[fb == 0.0]
    root[fa == 0.0] = a[fa == 0.0]
    active = np.flatnonzero(fa * fb < 0.0)

    # the root is anywhere in the last bracket, whose width is twice this
    error = 0.5 * max(tolerance, 8 * np.finfo(float).eps) * np.maximum(np.abs(a), np.abs(b))
    width = np.abs(b - a)
    with np.errstate(divide="ignore", invalid="ignore"):
        budget = np.ceil(np.log2(width / (2 * error))).clip(0) + 1
    for step in range(MOST_ITERATIONS):
        i = active[np.abs(b[active] - a[active]) > 2 * error[active]]
        if not i.size:
            break
        middle = 0.5 * (a[i] + b[i])
        secant = (fb[i] * a[i] - fa[i] * b[i]) / (fb[i] - fa[i])
        toward = np.sign(middle - secant)
        # never below the error allowed: the step beyond the root is what closes the bracket
        truncation = np.maximum(0.2 / width[i] * (b[i] - a[i]) ** 2, error[i])
        inner = np.where(
            truncation <= np.abs(middle - secant), secant + toward * truncation, middle
        )
        radius = (error[i] * 2.0 ** (budget[i] - step) - 0.5 * np.abs(b[i] - a[i])).clip(0)
        x = np.where(np.abs(inner - middle) <= radius, inner, middle - toward * radius)
        fx = f(x, i)
        root[i[fx == 0.0]] = x[fx == 0.0]
        same = fx * fa[i] > 0.0
        a[i], fa[i] = np.where(same, x, a[i]), np.where(same, fx, fa[i])
        b[i], fb[i] = np.where(same, b[i], x), np.where(same, fb[i], fx)
        lost = i[np.isnan(fx) | (fx == 0.0)]
        active = active[~np.isin(active, lost)]
    secant = (fb[active] * a[active] - fa[active] * b[active]) / (fb[active] - fa[active])
    root[active] = secant
    return root.reshape(shape)


def _require(runs: xr.Dataset, names: tuple[str, ...]) -> None:
    missing = [name for name in names if name not in runs]
    if missing:
        raise ValueError(
            f"runs have {', '.join(map(str, runs.data_vars))} but lack {', '.join(missing)}; "
            "give the dataset that the simulate and gather steps make"
        )
