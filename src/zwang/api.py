"""What a notebook uses: derive, simulate and sweep in memory, and the run behind a map's point."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from zwang import assemble, certificate, certified, formulations, laws, systems, thresholds
from zwang import engine as engines
from zwang.codegen import generate
from zwang.constraints import check_chart
from zwang.domains import domain_fault
from zwang.engine.ensemble import EVENT_LIMIT, SINGULAR_CHART
from zwang.engine.model import Array, Model, from_text
from zwang.formulations import Equations
from zwang.kernel.build import cached_library
from zwang.laws import Contacts, Law
from zwang.nearest import nearest
from zwang.store import CONVENTIONS
from zwang.study import Samples
from zwang.system import System
from zwang.tables import Table, table
from zwang.tables import read as read_table
from zwang.typeset import symbol_of

Tables = Mapping[str, str | Path | Sequence[ArrayLike]]
ENGINES = ("compiled", "scipy")
EVENTS_KEPT = 1000  # of one run in full
RUNS_PER_CALL = 4096  # of one thread; results do not depend on it


@dataclass(frozen=True)
class Prepared:
    """A system with its inputs, generated and loaded; kept, since deriving takes a second."""

    system: System
    inputs: dict[str, str]
    constants: tuple[str, ...]
    contacts: dict[str, Law]
    tables: dict[str, Table]
    model: Model
    kernel: str

    @cached_property
    def digest(self) -> str:
        """Return what identifies the equations."""
        return hashlib.sha256(self.kernel.encode()).hexdigest()[:16]

    def library(self, engine: str) -> Path | None:
        """Return the compiled kernel, or None for the engine that needs none."""
        if engine not in ENGINES:
            raise ValueError(f"no engine {engine!r}; {nearest(engine, ENGINES)}")
        return cached_library(self.kernel) if engine == "compiled" else None


_PREPARED: list[Prepared] = []


def derive(system: System, form: str = "maggi") -> Equations:
    """Return the equations of motion in one of the classical forms."""
    return formulations.form(form)(system)


def certify(system: System) -> xr.Dataset:
    """Return form by form how every pair of applicable forms compares, and the verdict."""
    return certified.dataset(certificate.certify(system))


def simulate(
    system: System,
    *,
    parameters: Mapping[str, float],
    initial: Mapping[str, float],
    times: ArrayLike,
    inputs: Mapping[str, str | float] | None = None,
    constants: Mapping[str, float] | None = None,
    contacts: Contacts = "ideal",
    tables: Tables | None = None,
    mu: Sequence[float] = (),
    engine: str = "compiled",
    tolerance: float = 1e-12,
    event_limit: int = EVENT_LIMIT,
) -> xr.Dataset:
    """Return one run on the output grid `times`: motion, reactions, energy, status; SI units.

    `contacts` is a friction law of zwang.laws for all contacts, or one for each by name; `tables`
    holds what the inputs call table(name): a CSV or NetCDF file, or times and values in SI units.
    """
    grid = _times(times)
    constants = dict(constants or {})
    prepared = _prepare(system, inputs or {}, constants, contacts, tables)
    _check_names(prepared, parameters, initial, constants, {})
    result = engines.run(
        prepared.model,
        prepared.library(engine),
        parameters=_arrays({**parameters, **constants}),
        initial=_arrays(initial),
        t0=float(grid[0]),
        end=float(grid[-1]),
        mu=_friction(mu),
        times=grid,
        tolerance=tolerance,
        event_room=EVENTS_KEPT if prepared.model.names("switching") else 0,
        event_limit=event_limit,
    )
    run = assemble.trajectories(prepared.model, *result).squeeze("trajectory", drop=True)
    if int(run["status"]) == SINGULAR_CHART and float(run["time_reached"]) == float(grid[0]):
        place = {n: float(initial[n]) for n in prepared.model.names("coordinates")}
        run["message"].values = "; ".join(check_chart(system, place)) or run["message"].item()
    return run.assign_attrs(_attrs(prepared, engine, tolerance))


def sweep(
    system: System,
    *,
    parameters: Mapping[str, float],
    initial: Mapping[str, float],
    end: float,
    grid: Mapping[str, ArrayLike] | None = None,
    points: Mapping[str, ArrayLike] | None = None,
    inputs: Mapping[str, str | float] | None = None,
    constants: Mapping[str, float] | None = None,
    contacts: Contacts = "ideal",
    tables: Tables | None = None,
    mu: Sequence[float] = (),
    engine: str = "compiled",
    tolerance: float = 1e-12,
    threads: int | None = None,
) -> xr.Dataset:
    """Return thresholds of all runs of a grid, or of points given as equally long columns.

    Axes are parameters, constants, or initial values with `_0`; numbers are in SI units.
    """
    axes = _axes(grid, points)
    constants = dict(constants or {})
    taken = {*(p.name for p in system.parameters), *(f"{n}_0" for n in _movable(system))}
    named = {**constants, **{n: 0.0 for n in axes if n not in taken}}
    prepared = _prepare(system, inputs or {}, named, contacts, tables)
    _check_names(prepared, parameters, initial, constants, axes)
    model, library = prepared.model, prepared.library(engine)
    if "mu" in axes and assemble.holds(model):
        raise ValueError(
            "axis mu: contacts that hold need no friction coefficient; give `mu` a list, and the "
            'onset of sliding is found for each, or let them slide with contacts="coulomb"'
        )
    fixed = {k: v for k, v in initial.items() if f"{k}_0" not in axes}
    units = {name: assemble.axis_words(model, name)["units"] for name in axes}
    samples = Samples(axes, "points" if grid is None else "grid", units)

    def part(start: int) -> xr.Dataset:
        columns = samples.columns(start, min(start + RUNS_PER_CALL, samples.size))
        values, starts = split_columns(model, columns)
        result = engines.run(
            model,
            library,
            parameters=_arrays({**parameters, **constants}) | values,
            initial=_arrays(fixed) | starts,
            end=float(end),
            mu=_friction(mu),
            times=np.zeros(0),
            tolerance=tolerance,
        )
        return assemble.run_table(model, *result)

    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        parts = pool.map(part, range(0, samples.size, RUNS_PER_CALL))
        flat = assemble.joined(parts, samples.size)
    runs = assemble.shaped(flat, samples, model)
    call = {
        "inputs": prepared.inputs,
        "parameters": {k: float(v) for k, v in parameters.items() if k not in axes},
        "initial": {k: float(v) for k, v in fixed.items()},
        "constants": {k: float(v) for k, v in constants.items() if k not in axes},
        "contacts": {name: laws.record(law) for name, law in prepared.contacts.items()},
        "tables": {name: (table.times, table.values) for name, table in prepared.tables.items()},
        "mu": [float(m) for m in mu],
        "engine": engine,
        "tolerance": tolerance,
        "end": float(end),
    }
    out = runs.assign(thresholds.analyse(runs).data_vars) if assemble.holds(model) else runs
    attrs = _attrs(prepared, engine, tolerance)
    return out.assign_attrs(attrs, axes=json.dumps(list(axes)), call=json.dumps(call))


def run_of(ensemble: xr.Dataset, times: ArrayLike | None = None, **point: float) -> xr.Dataset:
    """Return the full run behind one point of a sweep; every axis is given by its name."""
    if "call" not in ensemble.attrs:
        raise ValueError("this dataset is not the result of zwang.sweep; give the one it returned")
    call, axes = json.loads(ensemble.attrs["call"]), json.loads(ensemble.attrs["axes"])
    for name in point:
        if name not in axes:
            raise ValueError(f"no axis {name!r}; {nearest(name, axes)}")
    missing = [name for name in axes if name not in point]
    if missing:
        raise ValueError(f"give every axis of the sweep; {', '.join(missing)} is missing")
    system = _system_of(ensemble.attrs["model"], ensemble.attrs["system"])
    end = call.pop("end")
    for name, value in point.items():
        if name in {p.name for p in system.parameters}:
            call["parameters"][name] = value
        elif name.endswith("_0") and name.removesuffix("_0") in _movable(system):
            call["initial"][name.removesuffix("_0")] = value
        else:
            call["constants"][name] = value
    grid = np.linspace(0.0, end, 501) if times is None else times
    return simulate(system, times=grid, **call)


def split_columns(
    model: Model, columns: Mapping[str, Array]
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return axis values by what they replace: parameters, and initial values without `_0`."""
    known = set(model.names("parameters"))
    values = {name: column for name, column in columns.items() if name in known}
    starts = {n.removesuffix("_0"): c for n, c in columns.items() if n not in known}
    return values, starts


def _prepare(
    system: System,
    inputs: Mapping[str, str | float],
    constants: Iterable[str],
    contacts: Contacts = "ideal",
    tables: Tables | None = None,
) -> Prepared:
    texts = {
        name: law if isinstance(law, str) else repr(float(law)) for name, law in inputs.items()
    }
    names = tuple(sorted(constants))
    groups, rows = [g.name for g in system.contacts], [c.name for c in system.constraints]
    chosen = laws.by_contact(contacts, groups, rows)
    measured = {name: _table(name, given) for name, given in (tables or {}).items()}
    wanted = (texts, names, chosen, measured)
    for known in _PREPARED:
        there = (known.inputs, known.constants, known.contacts, known.tables)
        if there == wanted and known.system == system:
            return known
    meaning = "constant of the inputs"
    words = {n: {"units": "1", "symbol": symbol_of(n), "long_name": meaning} for n in names}
    made = generate(system, texts, words, chosen, tables=measured)
    model = from_text(made.model, made.reference)
    _PREPARED.append(Prepared(system, texts, names, chosen, measured, model, made.kernel))
    return _PREPARED[-1]


def _table(name: str, given: str | Path | Sequence[ArrayLike]) -> Table:
    """Return a table given by its file, or by times and values in SI units."""
    if isinstance(given, str | Path):
        return read_table(given, name)
    if not 2 <= len(given) <= 4:
        raise ValueError(f"table {name}: give a path, or (times, values) in SI units")
    return table(name, *given)


def _system_of(digest: str, name: str) -> System:
    for known in _PREPARED:
        if known.digest == digest:
            return known.system
    return systems.load(name)


def _movable(system: System) -> set[str]:
    return {q.name for q in system.coordinates} | set(system.velocities)


def _check_names(
    prepared: Prepared,
    parameters: Mapping[str, float],
    initial: Mapping[str, float],
    constants: Mapping[str, float],
    axes: Mapping[str, Array],
) -> None:
    """Raise a sentence for a name nobody declared, a missing parameter, a value without sense."""
    system = prepared.system
    declared = {p.name for p in system.parameters}
    for kind, given, known in (
        ("parameter", parameters, declared),
        ("initial value", initial, _movable(system)),
    ):
        for name in given:
            if name not in known:
                raise ValueError(f"no {kind} {name!r}; {nearest(name, known)}")
    used = set(prepared.model.facts["input_names"])
    for name in sorted({*constants, *axes} - declared - {f"{n}_0" for n in _movable(system)}):
        if name not in used:
            known = [*declared, *used, *(f"{n}_0" for n in _movable(system))]
            raise ValueError(f"{name!r} is used in no input; {nearest(name, known)}")
    optional = set(prepared.model.facts["optional_parameters"])
    missing = sorted(declared - set(parameters) - set(axes) - optional)
    if missing:
        raise ValueError(f"parameters {', '.join(missing)} are missing; give them in SI units")
    for name, value in {**parameters, **initial, **constants}.items():
        if not np.isfinite(value):
            raise ValueError(f"{name} came as {value}; expected a finite number in SI units")
    _check_domains(system, parameters, axes)


def _check_domains(
    system: System, parameters: Mapping[str, float], axes: Mapping[str, Array]
) -> None:
    """Raise a sentence for a parameter outside its domain, as a number or on an axis."""
    for p in system.parameters:
        domain = system.domains[p.name]
        values = [*([parameters[p.name]] if p.name in parameters else []), *axes.get(p.name, ())]
        faults = (domain_fault(p.name, float(value), domain) for value in values)
        fault = next((f for f in faults if f is not None), None)
        if fault is not None:
            where = f"axis {p.name}: " if p.name in axes else ""
            raise ValueError(f"{where}{fault} ({p.meaning}, in {p.unit})")


def _axes(
    grid: Mapping[str, ArrayLike] | None, points: Mapping[str, ArrayLike] | None
) -> dict[str, Array]:
    chosen = points if grid is None else grid
    if chosen is None or (grid is not None and points is not None):
        raise ValueError("give the runs either as grid={axis: values} or as points={axis: values}")
    axes = {name: np.atleast_1d(np.asarray(v, dtype=float)) for name, v in chosen.items()}
    for name, values in axes.items():
        if values.ndim != 1 or not values.size or not np.isfinite(values).all():
            raise ValueError(f"axis {name} needs a list of finite numbers in SI units")
    if grid is None and len({v.size for v in axes.values()}) > 1:
        sizes = ", ".join(f"{name}: {v.size}" for name, v in axes.items())
        raise ValueError(f"points need columns of one length, came {sizes}")
    return axes


def _times(times: ArrayLike) -> Array:
    grid = np.asarray(times, dtype=float)
    if grid.ndim != 1 or grid.size < 2 or not (np.diff(grid) > 0.0).all():
        raise ValueError(
            "times: expected at least two ascending times in s, such as linspace(0, 5)"
        )
    return grid


def _friction(mu: Sequence[float]) -> Array:
    values = np.asarray(mu, dtype=float)
    if values.ndim != 1 or not (values >= 0.0).all():
        raise ValueError(
            f"mu came as {mu}; expected a list of friction coefficients, none negative"
        )
    return values


def _arrays(values: Mapping[str, float]) -> dict[str, Array]:
    return {name: np.asarray(value, dtype=float) for name, value in values.items()}


def _attrs(prepared: Prepared, engine: str, tolerance: float) -> dict[str, Any]:
    return {
        "Conventions": CONVENTIONS,
        "title": prepared.system.title,
        "references": prepared.system.source,
        "system": prepared.system.name,
        "model": prepared.digest,
        "engine": engine,
        "tolerance": tolerance,
    }
