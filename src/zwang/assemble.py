"""Outcomes of an engine as datasets: every number with its unit, meaning and symbol."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from zwang.engine.ensemble import ENDED, Ensemble, Outcome, changes, power_balance, residual
from zwang.engine.model import Model, Motion
from zwang.store import STATUS, status_attrs, variable
from zwang.study import Samples

MODES = {-1: "sliding_to_minus", 0: "held", 1: "sliding_to_plus", ENDED: "ended"}


def without_contacts(table: xr.Dataset, model: Model) -> xr.Dataset:
    """Return the table without its empty dimension where the system has no contacts."""
    return table if model.names("contacts") else table.drop_dims("contact")


def axis_words(model: Model, name: str) -> dict[str, str]:
    """Return units, long_name and symbol of an axis: a parameter, a constant, a value at t = 0."""
    known = model.facts["quantities"]
    if name in known:
        return {word: known[name][word] for word in ("units", "long_name", "symbol")}
    if name.removesuffix("_0") not in known:  # a set, whose members have labels
        return {"long_name": name}
    words = known[name.removesuffix("_0")]
    return {
        "units": words["units"],
        "long_name": f"{words['long_name']} at the start",
        "symbol": f"{words['symbol']}(0)",
    }


def message(status: int, time: float) -> str:
    """Return the sentence about how a run ended; a run that reached its end needs none."""
    return "" if status == 0 else STATUS[status][1].format(time=time, detail="")


def run_table(model: Model, ensemble: Ensemble, outcome: Outcome) -> xr.Dataset:
    """Return the summaries of all runs along the dimension `run`."""
    runs = outcome.status.size
    data: dict[str, xr.Variable] = _thresholds(outcome) if holds(model) else {}
    data |= {
        "status": xr.Variable("run", outcome.status.astype(np.int8), status_attrs()),
        "message": xr.Variable(
            "run", _messages(outcome), {"long_name": "why the run ended before its time"}
        ),
        "time_reached": variable(
            "run", outcome.time_reached, "s", "time the run reached", r"t_{\mathrm{e}}"
        ),
    }
    if model.names("switching"):
        data |= _slip(model, outcome)
    end = outcome.end
    for name, values in _state(model, ensemble, end).items():
        words = model.words(name)
        data[f"{name}_end"] = variable(
            "run",
            values,
            words["units"],
            f"{words['long_name']} at the end",
            rf"{words['symbol']}(t_{{\mathrm{{e}}}})",
        )
    data["residual"] = variable(
        "run",
        residual(model, end, ensemble.parameters, ensemble.duration),
        "1",
        "Lagrange's equations at the end, relative",
        r"\varepsilon",
    )
    data["power_balance"] = variable(
        "run",
        power_balance(model, end, ensemble.parameters),
        "W",
        "rate of energy minus power of all forces, at the end",
        r"\Delta P",
    )
    data["defect"] = variable(
        "run", outcome.defect, "1", "largest gap of slopes between two steps", r"\delta"
    )
    data["pivot"] = variable(
        "run", outcome.pivot, "1", "smallest pivot or measure of the chart", r"d_{\mathrm{min}}"
    )
    data["steps"] = variable(
        "run", outcome.steps.astype(np.int64), "1", "steps of the integrator", r"n"
    )
    number = variable("run", np.arange(runs), "1", "number of the run", "i")
    return xr.Dataset(data, coords={**_shared(model, ensemble), "run": number})


def _messages(outcome: Outcome) -> np.ndarray:
    """Return why each run ended before its time, empty where it did not."""
    out = np.full(outcome.status.size, "", dtype=object)
    for i in np.flatnonzero(outcome.status):
        out[i] = message(int(outcome.status[i]), float(outcome.time_reached[i]))
    return out


def holds(model: Model) -> bool:
    """Return whether there are contacts that hold throughout, or none at all."""
    return bool(model.names("ideal")) or not model.names("contacts")


def _thresholds(outcome: Outcome) -> dict[str, xr.Variable]:
    """Return what bounds the contacts that hold would need, along `run` and `contact`."""
    return {
        "critical_mu": variable(
            ("run", "contact"),
            np.where(outcome.maximum < 0.0, np.nan, outcome.maximum),
            "1",
            "largest |reaction| / load while the contact is held",
            r"\mu_{\mathrm{c}}",
        ),
        "time_of_maximum": variable(
            ("run", "contact"),
            outcome.time_of_maximum,
            "s",
            "time at which |reaction| / load is largest",
            r"t_{\mathrm{max}}",
        ),
        "onset": variable(
            ("run", "contact", "mu"),
            outcome.onset,
            "s",
            "first time |reaction| = mu load; missing where it never comes",
            r"t_{\mathrm{s}}",
        ),
    }


def _slip(model: Model, outcome: Outcome) -> dict[str, xr.Variable]:
    """Return what the contacts that may slide did, along `run` and `sliding`."""
    slip, dims = outcome.slip, ("run", "sliding")
    return {
        "first_slip": variable(
            dims, slip.first, "s", "time of the first release; missing where it never comes", "t_1"
        ),
        "slip_time": variable(dims, slip.duration, "s", "how long the contact slides", "T_s"),
        "slip_distance": variable(dims, slip.distance, "m", "how far the contact slides", "d_s"),
        "mode_end": xr.Variable(dims, slip.mode_end.astype(np.int8), mode_attrs()),
        "mode_changes": variable("run", slip.count, "1", "changes of mode", r"n_\sigma"),
    }


def mode_attrs() -> dict[str, Any]:
    """Return the attributes of a flag variable of modes."""
    return {
        "units": "1",
        "long_name": "whether the contact is held or slides",
        "symbol": r"\sigma",
        "flag_values": np.array(list(MODES), dtype=np.int8),
        "flag_meanings": " ".join(MODES.values()),
    }


def joined(tables: Iterable[xr.Dataset], runs: int) -> xr.Dataset:
    """Return tables of runs, one after the other, as one; each is let go when it is copied."""
    arrays: dict[Hashable, np.ndarray] = {}
    along: dict[Hashable, xr.Variable] = {}
    first, start = xr.Dataset(), 0
    for table in tables:
        stop = start + table.sizes["run"]
        if not arrays:
            first = table
            along = {n: v for n, v in table.variables.items() if "run" in v.dims}
            arrays = {n: np.empty((runs, *v.shape[1:]), v.dtype) for n, v in along.items()}
        for name, values in arrays.items():
            values[start:stop] = table.variables[name].values
        start = stop
    arrays["run"][:] = np.arange(runs)  # each part counted its own
    whole = dict(first.variables)
    whole |= {n: xr.Variable(along[n].dims, values, along[n].attrs) for n, values in arrays.items()}
    shared = {name: whole.pop(name) for name in first.coords}
    return xr.Dataset(whole, coords=shared, attrs=first.attrs)


def shaped(
    flat: xr.Dataset,
    samples: Samples,
    model: Model,
    words: Mapping[str, Mapping[str, str]] | None = None,
) -> xr.Dataset:
    """Return the runs on the dimensions of their samples, axis values as coordinates.

    `words` describes axes that the kernel does not know, since only formulas use them.
    """
    known = words or {}
    axes = {
        name: xr.Variable(
            name if samples.kind == "grid" else "run",
            values,
            known.get(name) or axis_words(model, name),
        )
        for name, values in samples.axes.items()
    }
    if samples.kind != "grid":
        return flat.assign_coords(axes)
    out = xr.Dataset(attrs=flat.attrs)
    for name, var in flat.variables.items():
        if name == "run":
            continue
        if "run" not in var.dims:
            out[name] = var
            continue
        values = var.values.reshape((*samples.shape, *var.shape[1:]))
        out[name] = (samples.dims + var.dims[1:], values, var.attrs)
    return out.assign_coords(axes).set_coords(
        [n for n in ("contact", "mu", "sliding") if n in out.variables]
    )


def trajectories(model: Model, ensemble: Ensemble, outcome: Outcome) -> xr.Dataset:
    """Return full runs along `trajectory` and `t`: motion, reactions, loads, energy, residual."""
    path, p = outcome.path, ensemble.parameters[..., None]
    dims = ("trajectory", "t")
    data: dict[str, xr.Variable] = {}
    for name, values in _state(model, ensemble, path).items():
        data[name] = variable(dims, values, *_three(model, name))
    for i, name in enumerate(model.names("relative")):
        unit, word, symbol = _three(model, name)
        size = np.exp(outcome.logs[..., i])  # exact relatively, unlike what the rates give
        data[name].values = np.sign(data[name].values[:, :1]) * size
        data[f"log_{name}"] = variable(
            dims, outcome.logs[..., i], "1", f"ln |{word}| in {unit}", rf"\ln|{symbol}|"
        )
    for i, name in enumerate(model.names("outputs")):
        if name not in data:
            values = model.vector("outputs", path.t, path.q, path.v, p)[..., i]
            data[name] = variable(dims, values, *_three(model, name))
    for i, name in enumerate(model.names("constraints")):
        key = f"reaction_{name}"
        data[key] = variable(dims, path.reactions[i], *_three(model, key))
    if model.names("contacts"):
        data |= _contacts(model, outcome, p)
    if model.names("switching"):
        data |= _events(model, outcome)
    energy = model.vector("energy", path.t, path.q, path.v, p)[..., 0]
    balance = power_balance(model, path, ensemble.parameters)
    data["energy"] = variable(dims, energy, "J", "kinetic energy", "T")
    data["power_balance"] = variable(
        dims, balance, "W", "rate of energy minus power of all forces", r"\Delta P"
    )
    data["residual"] = variable(
        dims,
        residual(model, path, ensemble.parameters, ensemble.duration),
        "1",
        "Lagrange's equations along the path, relative",
        r"\varepsilon",
    )
    summary = run_table(model, ensemble, outcome).drop_vars("run").rename(run="trajectory")
    wanted = ("critical_mu", "time_of_maximum", "onset", "status", "message", "time_reached")
    kept = [n for n in (*wanted, "first_slip", "slip_time", "slip_distance") if n in summary]
    out = summary[kept].assign(data).assign_coords(_shared(model, ensemble))
    return out.assign_coords(t=variable("t", ensemble.times, *_three(model, "t")))


def _contacts(model: Model, outcome: Outcome, p: np.ndarray) -> dict[str, xr.Variable]:
    path, dims = outcome.path, ("trajectory", "contact", "t")
    load = np.moveaxis(model.loads(path, p), -1, 1)
    load = np.where(np.isfinite(path.q[0])[:, None, :], load, np.nan)
    carried = [
        np.linalg.norm(path.reactions[model.columns("constraints", tuple(rows))], axis=0)
        for rows in model.facts["contact_rows"]
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        used = np.moveaxis(np.array(carried), 0, 1) / load
    mode = np.where(np.isnan(load), ENDED, 0).astype(np.int8)
    for i, name in enumerate(model.names("switching")):
        if name in model.names("contacts"):
            mode[:, model.names("contacts").index(name)] = outcome.slip.mode[..., i]
    return {
        "normal_load": variable(dims, load, "N", "normal load of the contact", "N"),
        "utilisation": variable(dims, used, "1", "|reaction| / load", r"|\Lambda|/N"),
        "mode": xr.Variable(dims, mode, mode_attrs()),
    }


def _events(model: Model, outcome: Outcome) -> dict[str, xr.Variable]:
    """Return the changes of mode along `trajectory` and `event`, as many as any run has."""
    slip, dims = outcome.slip, ("trajectory", "event")
    contact, before, after = changes(slip)
    none = np.isnan(slip.time)
    longest = int((~none).sum(-1).max(initial=0))
    named: dict[str, Any] = {
        "flag_values": np.arange(len(model.names("switching")), dtype=np.int8),
        "flag_meanings": " ".join(model.names("switching")),
    }

    def flags(values: np.ndarray, word: str, attrs: dict[str, Any]) -> xr.Variable:
        kept = np.where(none, ENDED, values).astype(np.int8)[:, :longest]
        return xr.Variable(dims, kept, {**attrs, "units": "1", "long_name": word, "symbol": "e"})

    return {
        "event_time": variable(
            dims, slip.time[:, :longest], "s", "time at which a contact changes its mode", "t_e"
        ),
        "event_contact": flags(contact, "contact that changes its mode", named),
        "event_from": flags(before, "its mode before", mode_attrs()),
        "event_to": flags(after, "its mode after", mode_attrs()),
    }


def _state(model: Model, ensemble: Ensemble, motion: Motion) -> dict[str, np.ndarray]:
    """Return coordinates and every named velocity by name."""
    p = ensemble.parameters.reshape(-1, ensemble.runs, *[1] * (motion.q.ndim - 2))
    named = dict(zip(model.names("coordinates"), motion.q, strict=True))
    velocities = model.velocities(motion.t, motion.q, motion.v, p)
    for i, name in enumerate(model.names("velocities")):
        named[name] = velocities[..., i]
    return named


def _shared(model: Model, ensemble: Ensemble) -> dict[str, xr.Variable]:
    contact = np.array(model.names("contacts"), dtype=object)
    sliding = np.array(model.names("switching"), dtype=object)
    words = {"long_name": "contact or constraint that may let go"}
    more = {"sliding": xr.Variable("sliding", sliding, words)} if sliding.size else {}
    more["contact"] = xr.Variable("contact", contact, {"long_name": "contact kept by friction"})
    if holds(model):
        more["mu"] = variable("mu", ensemble.mu, "1", "friction coefficient", r"\mu")
    return more


def _three(model: Model, name: str) -> tuple[str, str, str]:
    words = model.words(name)
    return words["units"], words["long_name"], words["symbol"]
