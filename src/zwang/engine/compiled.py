"""The compiled engine: one call of the kernel's library for an ensemble."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np

from zwang.engine.ensemble import ENDED, Ensemble, Outcome, Slip
from zwang.engine.model import Array, Model, Motion
from zwang.kernel.build import load

_DOUBLES = (
    *("x_end", "rate_end", "reaction_end", "t_reached", "pivot", "defect", "maximum"),
    *("t_maximum", "onset", "x_out", "rate_out", "reaction_out"),
    *("first_slip", "slip_time", "slip_distance", "event_time"),
)
_INTEGERS = ("status", "event_what", "mode_end", "mode_out")
_LONGS = ("steps", "events")
_Pointer = ctypes.c_void_p


class _Call(ctypes.Structure):
    """`ensemble` of kernel/step.h."""

    _fields_ = (
        ("runs", ctypes.c_long),
        ("times", ctypes.c_long),
        ("mus", ctypes.c_long),
        ("event_room", ctypes.c_long),
        ("event_limit", ctypes.c_long),
        ("t0", ctypes.c_double),
        ("t_end", ctypes.c_double),
        ("tolerance", ctypes.c_double),
        ("parameters", _Pointer),
        ("start", _Pointer),
        ("time", _Pointer),
        ("mu", _Pointer),
        *((name, _Pointer) for name in (*_DOUBLES, *_INTEGERS, *_LONGS)),
    )


def run(model: Model, library: Path, ensemble: Ensemble) -> Outcome:
    """Return the outcome of every run, computed by the kernel."""
    parameters, start = _start(model, ensemble)
    shapes = _shapes(model, ensemble, start.shape[1])
    arrays = {name: np.full(shapes[name], np.nan) for name in _DOUBLES}
    integers = {name: np.full(shapes[name], ENDED, dtype=np.intc) for name in _INTEGERS}
    longs = {name: np.zeros(ensemble.runs, dtype=np.int_) for name in _LONGS}
    inputs = {
        "parameters": np.ascontiguousarray(parameters.T),
        "start": start,
        "time": np.ascontiguousarray(ensemble.times),
        "mu": np.ascontiguousarray(ensemble.mu),
    }
    pointers = {n: a.ctypes.data for n, a in (inputs | arrays | integers | longs).items()}
    call = _Call(
        runs=ensemble.runs,
        times=len(ensemble.times),
        mus=len(ensemble.mu),
        event_room=ensemble.event_room,
        event_limit=ensemble.event_limit,
        t0=ensemble.t0,
        t_end=ensemble.end,
        tolerance=ensemble.tolerance,
        **pointers,
    )
    if load(library).zwang_run(ctypes.byref(call)) != 0:
        raise MemoryError("the kernel could not allocate its series; give it fewer runs at once")
    ideal = model.columns("contacts", model.names("ideal"))
    contacts = len(model.names("contacts"))
    return Outcome(
        status=integers["status"],
        steps=longs["steps"],
        time_reached=arrays["t_reached"],
        pivot=arrays["pivot"],
        defect=arrays["defect"],
        maximum=_scattered(arrays["maximum"], ideal, contacts),
        time_of_maximum=_scattered(arrays["t_maximum"], ideal, contacts),
        onset=_scattered(arrays["onset"], ideal, contacts),
        slip=Slip(
            arrays["first_slip"],
            arrays["slip_time"],
            arrays["slip_distance"],
            integers["mode_end"],
            integers["mode_out"],
            longs["events"],
            arrays["event_time"],
            integers["event_what"],
        ),
        end=_motion(model, ensemble, arrays, "end", ensemble.law_time(arrays["t_reached"])),
        path=_motion(model, ensemble, arrays, "out", ensemble.law_time(ensemble.times[None, :])),
        logs=_logs(model, parameters, arrays["x_out"]),
    )


def _start(model: Model, ensemble: Ensemble) -> tuple[Array, Array]:
    """Return parameters (parameters, runs) and the kernel's states (runs, states) at the start."""
    if not model.facts["linear"]:
        return ensemble.parameters, np.ascontiguousarray(np.vstack([ensemble.q, ensemble.v]).T)
    moving = model.names("moving")
    places = model.columns("velocities", moving)
    velocities = model.velocities(
        np.full(ensemble.runs, ensemble.t0), ensemble.q, ensemble.v, ensemble.parameters
    )[:, places]
    parameters = ensemble.parameters
    for name in model.names("relative"):  # carried as start · exp(state)
        parameters = parameters.copy() if parameters is ensemble.parameters else parameters
        column = moving.index(name)
        parameters[model.names("parameters").index(f"start_{name}")] = velocities[:, column]
        velocities[:, column] = 0.0
    gaps = np.zeros((ensemble.runs, len(model.names("one_sided"))))
    return parameters, np.ascontiguousarray(np.hstack([ensemble.q.T, velocities, gaps]))


def _logs(model: Model, parameters: Array, x: Array) -> Array:
    """Return ln|Ω| = ln|Ω₀| + l of the velocities carried as Ω₀ eˡ, exact far below underflow."""
    n, names = len(model.names("coordinates")), model.names("relative")
    rows = [model.names("parameters").index(f"start_{name}") for name in names]
    places = [n + model.names("moving").index(name) for name in names]
    with np.errstate(divide="ignore"):
        return np.asarray(x[..., places] + np.log(np.abs(parameters[rows])).T[:, None, :])


def _scattered(values: Array, places: list[int], count: int) -> Array:
    """Return the values of some contacts among all, NaN for the others."""
    if places == list(range(count)):
        return values
    out = np.full((len(values), count, *values.shape[2:]), np.nan)
    out[:, places] = values
    return out


def _shapes(model: Model, ensemble: Ensemble, states: int) -> dict[str, tuple[int, ...]]:
    runs, times, mus = ensemble.runs, len(ensemble.times), len(ensemble.mu)
    reactions, held = len(model.names("reactions")), len(model.names("ideal"))
    switching = len(model.names("switching"))
    return {
        "x_end": (runs, states),
        "rate_end": (runs, states),
        "reaction_end": (runs, reactions),
        "t_reached": (runs,),
        "pivot": (runs,),
        "defect": (runs,),
        "maximum": (runs, held),
        "t_maximum": (runs, held),
        "onset": (runs, held, mus),
        "x_out": (runs, times, states),
        "rate_out": (runs, times, states),
        "reaction_out": (runs, times, reactions),
        "first_slip": (runs, switching),
        "slip_time": (runs, switching),
        "slip_distance": (runs, switching),
        "event_time": (runs, ensemble.event_room),
        "event_what": (runs, ensemble.event_room),
        "mode_end": (runs, switching),
        "mode_out": (runs, times, switching),
        "status": (runs,),
    }


def _motion(
    model: Model, ensemble: Ensemble, arrays: dict[str, Array], which: str, t: Array
) -> Motion:
    """Return q, q̇, q̈, Λ from the kernel's states x = (q, v*) or (q, q̇) and their rates.

    q̈ solves α q̈ = v̇* − (α̇ q̇ + α̇₀); held rows have v̇* = 0.
    """
    x = np.moveaxis(arrays[f"x_{which}"], -1, 0)
    rate = np.moveaxis(arrays[f"rate_{which}"], -1, 0)
    reactions = np.moveaxis(arrays[f"reaction_{which}"], -1, 0)
    if not len(reactions):
        reactions = np.full((len(model.names("constraints")), *x.shape[1:]), np.nan)
    n = len(model.names("coordinates"))
    t = np.broadcast_to(t, x.shape[1:])
    if not model.facts["linear"]:
        return Motion(t, x[:n], x[n:], rate[n:], reactions)
    q, v = x[:n], rate[:n]
    p = ensemble.parameters.reshape(-1, ensemble.runs, *[1] * (x.ndim - 2))
    rows, moving = model.names("rows"), model.names("moving")
    places = model.columns("velocities", rows)
    alpha = model.matrix("velocity_rows", t, q, v, p)[..., places, :]
    right = -model.vector("velocity_bias", t, q, v, p)[..., places]
    for i, name in enumerate(rows):
        if name not in moving:
            continue
        change = rate[n + moving.index(name)]
        if name in model.names("relative"):  # d/dt (Ω₀ eˡ) = Ω l̇
            change = change * model.velocities(t, q, v, p)[..., places[i]]
        right[..., i] += change
    lost = ~(np.isfinite(alpha).all((-1, -2)) & np.isfinite(right).all(-1))
    alpha[lost] = np.eye(n)
    lost |= np.abs(np.linalg.det(alpha)) == 0.0
    alpha[lost] = np.eye(n)
    a = np.asarray(np.linalg.solve(alpha, right[..., None])[..., 0], dtype=np.float64)
    a[lost] = np.nan
    return Motion(t, q, v, np.moveaxis(a, -1, 0), reactions)
