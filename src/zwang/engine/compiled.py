"""The compiled engine: one call of the kernel's library for an ensemble."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np

from zwang.engine.ensemble import Ensemble, Motion, Outcome
from zwang.engine.model import Array, Model
from zwang.kernel.build import load

_DOUBLES = (
    *("x_end", "rate_end", "reaction_end", "t_reached", "pivot", "defect", "maximum"),
    *("t_maximum", "onset", "x_out", "rate_out", "reaction_out"),
)
_Pointer = ctypes.c_void_p


class _Call(ctypes.Structure):
    """`ensemble` of kernel/driver.h."""

    _fields_ = (
        ("runs", ctypes.c_long),
        ("times", ctypes.c_long),
        ("mus", ctypes.c_long),
        ("t0", ctypes.c_double),
        ("t_end", ctypes.c_double),
        ("tolerance", ctypes.c_double),
        ("parameters", _Pointer),
        ("start", _Pointer),
        ("time", _Pointer),
        ("mu", _Pointer),
        *((name, _Pointer) for name in _DOUBLES),
        ("status", _Pointer),
        ("steps", _Pointer),
    )


def run(model: Model, library: Path, ensemble: Ensemble) -> Outcome:
    """Return the outcome of every run, computed by the kernel."""
    n, moving = len(model.names("coordinates")), model.names("moving")
    places = model.columns("velocities", moving)
    velocities = model.velocities(
        np.full(ensemble.runs, ensemble.t0), ensemble.q, ensemble.v, ensemble.parameters
    )
    start = np.ascontiguousarray(np.hstack([ensemble.q.T, velocities[:, places]]))
    shapes = _shapes(model, ensemble, start.shape[1])
    arrays = {name: np.full(shape, np.nan) for name, shape in shapes.items()}
    status, steps = np.zeros(ensemble.runs, dtype=np.intc), np.zeros(ensemble.runs, dtype=np.int_)
    inputs = {
        "parameters": np.ascontiguousarray(ensemble.parameters.T),
        "start": start,
        "time": np.ascontiguousarray(ensemble.times),
        "mu": np.ascontiguousarray(ensemble.mu),
    }
    pointers = {name: a.ctypes.data for name, a in (inputs | arrays).items()}
    call = _Call(
        runs=ensemble.runs,
        times=len(ensemble.times),
        mus=len(ensemble.mu),
        t0=ensemble.t0,
        t_end=ensemble.end,
        tolerance=ensemble.tolerance,
        status=status.ctypes.data,
        steps=steps.ctypes.data,
        **pointers,
    )
    if load(library).zwang_run(ctypes.byref(call)) != 0:
        raise MemoryError("the kernel could not allocate its series; give it fewer runs at once")
    return Outcome(
        status=status,
        steps=steps,
        time_reached=arrays["t_reached"],
        pivot=arrays["pivot"],
        defect=arrays["defect"],
        maximum=arrays["maximum"],
        time_of_maximum=arrays["t_maximum"],
        onset=arrays["onset"],
        end=_motion(model, ensemble, n, arrays, "end", ensemble.law_time(arrays["t_reached"])),
        path=_motion(model, ensemble, n, arrays, "out", ensemble.law_time(ensemble.times[None, :])),
    )


def _shapes(model: Model, ensemble: Ensemble, states: int) -> dict[str, tuple[int, ...]]:
    runs, times, mus = ensemble.runs, len(ensemble.times), len(ensemble.mu)
    reactions, contacts = len(model.names("constraints")), len(model.names("contacts"))
    return {
        "x_end": (runs, states),
        "rate_end": (runs, states),
        "reaction_end": (runs, reactions),
        "t_reached": (runs,),
        "pivot": (runs,),
        "defect": (runs,),
        "maximum": (runs, contacts),
        "t_maximum": (runs, contacts),
        "onset": (runs, contacts, mus),
        "x_out": (runs, times, states),
        "rate_out": (runs, times, states),
        "reaction_out": (runs, times, reactions),
    }


def _motion(
    model: Model,
    ensemble: Ensemble,
    n: int,
    arrays: dict[str, Array],
    which: str,
    t: Array,
) -> Motion:
    """Return q, q̇, q̈, Λ from the kernel's states x = (q, v*) and their rates.

    q̈ solves α q̈ = v̇* − (α̇ q̇ + α̇₀); held rows have v̇* = 0.
    """
    x = np.moveaxis(arrays[f"x_{which}"], -1, 0)
    rate = np.moveaxis(arrays[f"rate_{which}"], -1, 0)
    q, v = x[:n], rate[:n]
    p = ensemble.parameters.reshape(-1, ensemble.runs, *[1] * (x.ndim - 2))
    t = np.broadcast_to(t, x.shape[1:])
    rows, moving = model.names("rows"), model.names("moving")
    places = model.columns("velocities", rows)
    alpha = model.matrix("velocity_rows", t, q, v, p)[..., places, :]
    right = -model.vector("velocity_bias", t, q, v, p)[..., places]
    for i, name in enumerate(rows):
        if name in moving:
            right[..., i] += rate[n + moving.index(name)]
    lost = ~(np.isfinite(alpha).all((-1, -2)) & np.isfinite(right).all(-1))
    alpha[lost] = np.eye(n)
    lost |= np.abs(np.linalg.det(alpha)) == 0.0
    alpha[lost] = np.eye(n)
    a = np.asarray(np.linalg.solve(alpha, right[..., None])[..., 0], dtype=np.float64)
    a[lost] = np.nan
    return Motion(t, q, v, np.moveaxis(a, -1, 0), np.moveaxis(arrays[f"reaction_{which}"], -1, 0))
