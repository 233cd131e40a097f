"""Consistent start values: some velocities are given, the constraints supply the rest."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zwang.engine.model import Array, Model

POSITION = 1e-9  # largest |g| of a holonomic constraint at the start, in its own unit
DEPENDENT = 1e-10  # determinant of the unit rows below which they do not fix the rates


class StartError(ValueError):
    """Initial values that do not fix one motion."""


@dataclass(frozen=True)
class Start:
    """State of all runs at t = 0; `singular` marks runs whose velocities do not fix the rates."""

    q: Array  # (n, runs)
    v: Array  # (n, runs)
    singular: NDArray[np.bool_]


def wrong_count(given: Collection[str], held: Collection[str], free: int) -> str | None:
    """Return the sentence about too few or too many given velocities, or None."""
    named = [name for name in given if name not in held]
    if len(named) == free:
        return None
    came = ", ".join(named) if named else "none"
    if len(named) < free:
        more = f"give {free - len(named)} more"
    else:
        more = f"leave out {len(named) - free}"
    return f"the motion has {free} free velocities, given are {len(named)} ({came}); {more}"


def consistent_start(
    model: Model, initial: Mapping[str, Array], parameters: Array, t0: float
) -> Start:
    """Return coordinates and rates of all runs; `parameters` is (parameters, runs).

    Solved are the given velocities' rows together with the constraints' rows, which are zero.
    """
    coordinates, velocities = model.names("coordinates"), model.names("velocities")
    runs = parameters.shape[1]
    missing = [name for name in coordinates if name not in initial]
    if missing:
        raise StartError(f"initial values of {', '.join(missing)} are missing; give them")
    given = [name for name in initial if name in velocities]
    held = [f"v_{name}" for name in model.names("constraints")]
    may_slip = {f"v_{name}" for name in model.names("sliding_rows")}
    for name in given:
        if name in held and name not in may_slip and np.any(initial[name] != 0.0):
            raise StartError(
                f"{name} starts at {np.ravel(initial[name])[0]:g}, but ideal constraints hold it "
                "at zero; leave it out"
            )
    if not model.facts["linear"]:  # these do not supply velocities: which of several is open
        held = [name for name in held if name in model.names("linear_rows")]
    free = tuple(name for name in given if name not in held or name in may_slip)
    held = [name for name in held if name not in free]
    if len(free) + len(held) > len(coordinates):  # velocities enough to say how contacts slip
        held = [name for name in held if name not in may_slip]
    fault = wrong_count(free, held, len(coordinates) - len(held))
    if fault:
        raise StartError(fault)

    t = np.full(runs, t0)
    q = np.array([np.broadcast_to(initial[name], runs) for name in coordinates], dtype=float)
    zero = np.zeros_like(q)
    _check_positions(model, t, q, parameters)
    wanted = model.columns("velocities", (*free, *held))
    rows = model.matrix("velocity_rows", t, q, zero, parameters)[:, wanted, :]
    right = np.zeros((runs, len(coordinates)))
    for i, name in enumerate(free):
        right[:, i] = initial[name]
    right -= model.vector("velocity_offsets", t, q, zero, parameters)[:, wanted]
    lengths = np.linalg.norm(rows, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        sizes = np.abs(np.linalg.det(rows / lengths[..., None]))
    singular = ~(sizes > DEPENDENT)
    if singular.all():
        raise StartError(
            f"{', '.join(free)} together with the constraints do not fix the motion at the start; "
            f"choose other velocities among {', '.join(v for v in velocities if v not in held)}"
        )
    rows[singular] = np.eye(len(coordinates))
    v = np.asarray(np.linalg.solve(rows, right[..., None])[..., 0].T, dtype=np.float64)
    v[:, singular] = np.nan
    _check_velocities(model, t, q, v, parameters)
    return Start(q, np.ascontiguousarray(v), singular)


def _check_velocities(model: Model, t: Array, q: Array, v: Array, parameters: Array) -> None:
    """Raise StartError where a constraint that is not linear is not satisfied by the rates."""
    values = model.vector("slips", t, q, v, parameters)
    scale = 1.0 + np.nanmax(v**2, initial=0.0)
    for i, name in enumerate(model.names("constraints")):
        worst = float(np.nanmax(np.abs(values[:, i]), initial=0.0))
        if f"v_{name}" not in model.names("linear_rows") and not worst <= POSITION * scale:
            raise StartError(
                f"the start does not satisfy constraint {name}: it is off by {worst:g}; give "
                "velocities that make it zero, it cannot choose among several"
            )


def _check_positions(model: Model, t: Array, q: Array, parameters: Array) -> None:
    """Raise StartError where a holonomic constraint is not satisfied by the coordinates."""
    values = model.vector("positions", t, q, np.zeros_like(q), parameters)
    for i, name in enumerate(model.names("holonomic")):
        worst = float(np.abs(values[:, i]).max(initial=0.0))
        if not worst <= POSITION:
            raise StartError(
                f"the start does not satisfy constraint {name}: it is off by {worst:g}; change the "
                "coordinates so that it is zero"
            )
