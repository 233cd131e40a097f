"""The slow reference engine: Lagrange's multiplier form, integrated by scipy, run by run.

A run is a chain of phases in each of which every contact is held or slides one way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import DOP853, OdeSolution, Radau
from scipy.optimize import brentq

from zwang.engine.ensemble import Ensemble, Outcome
from zwang.engine.model import Array, Model
from zwang.engine.reference.events import Event, Step, first_event
from zwang.engine.reference.maxima import Maxima
from zwang.engine.reference.modes import Mechanics, Mode
from zwang.engine.reference.outcome import gathered
from zwang.engine.reference.run import (
    AT_REST,
    GROWN,
    NON_FINITE,
    OK,
    STEP_TOO_SMALL,
    Piece,
    Run,
)

STEPS_AT_LEAST = 100  # per segment: between steps the interpolant is of lower order than the steps
STEPS_AT_MOST = 20_000  # of one run
REST_SPEED = 1e-5  # m/s, from here the last bit to rest is one extrapolated step
FINEST = 3e-14  # relative tolerance that DOP853 accepts
IMPLICIT = 1e-11  # finest tolerance of the implicit method: finer ones need very many steps


def run(model: Model, ensemble: Ensemble) -> Outcome:
    """Return the outcome of every run, computed one after the other."""
    return gathered(model, ensemble, [_integrate(model, ensemble, i) for i in range(ensemble.runs)])


def _integrate(model: Model, ensemble: Ensemble, i: int) -> Run:
    mechanics = Mechanics(model, ensemble.parameters[:, i])
    count = len(mechanics.contacts)
    more = np.zeros(len(model.names("one_sided")) + count)
    one = Run(
        mechanics,
        Maxima(mechanics, ensemble.mu),
        t=ensemble.t0,
        y=np.concatenate([ensemble.q[:, i], ensemble.v[:, i], more]),
        mode=Mode((0,) * count, (None,) * count),
        limit=ensemble.event_limit,
        left=[False] * count,
        grown=[False] * count,
        duration=np.zeros(count),
    )
    if not np.isfinite(one.y).all():
        one.status = NON_FINITE
        return one
    given = mechanics.given(np.asarray(one.t), one.y)
    breaks = np.ravel(model.reference.break_times(*given))
    inside = {float(b) for b in breaks if ensemble.t0 < b < ensemble.end}
    knots = np.unique(np.concatenate([[], *model.reference.KNOTS]))
    one.begin()
    for stop in [*sorted(inside), ensemble.end]:
        if one.status == OK:
            _segment(one, stop, knots, ensemble.tolerance)
    return one


def _segment(one: Run, stop: float, knots: Array, tolerance: float) -> None:
    """Integrate to the next break of the inputs, where the right side may jump.

    At the knots of tables on the way only higher derivatives do: the integrator starts anew.
    """
    longest = max((stop - one.t) / STEPS_AT_LEAST, 1e-12)
    apart = 1e-12 * (stop - one.t)
    one.rethink()
    for end in [*knots[(knots > one.t + apart) & (knots < stop - apart)], stop]:
        before = float(np.nextafter(end, -np.inf))  # the laws of this part hold to its last point
        while one.status == OK and one.t < end:
            event = _phase(one, float(end), before, tolerance, longest)
            if event is not None and one.status == OK:
                one.react(event)


def _phase(one: Run, stop: float, before: float, tolerance: float, longest: float) -> Event | None:
    """Integrate in one mode; return what ended it before its time."""

    def slope(t: float, y: Array) -> Array:
        found = one.slope(min(t, before), y)
        if not np.isfinite(found).all():
            raise FloatingPointError  # DOP853 would shorten its step forever
        return found

    def begun() -> Any:  # noqa: ANN401 - one of scipy's solvers
        if one.stiff:
            fine = max(tolerance, IMPLICIT)
            options = {"rtol": fine, "atol": fine, "max_step": longest}
            return Radau(slope, one.t, one.y, stop, jac=one.jacobian, **options)
        options = {"rtol": max(tolerance, FINEST), "atol": tolerance, "max_step": longest}
        return DOP853(slope, one.t, one.y, stop, **options)

    solver, event, stiff, mode = None, None, one.stiff, one.mode
    times, pieces = [one.t], []
    while one.status == OK and event is None and one.stiff == stiff:
        if solver is not None and solver.status != "running":
            break
        try:
            with np.errstate(all="raise", under="ignore"):
                solver = solver or begun()
                solver.step()
        except (FloatingPointError, np.linalg.LinAlgError):
            one.status = NON_FINITE
            break
        if solver.status == "failed" or one.steps >= STEPS_AT_MOST:
            one.status = STEP_TOO_SMALL
            break
        one.steps += 1
        dense, old = solver.dense_output(), one.y
        one.t, one.y = float(solver.t), solver.y
        exact = dense if stiff else _exact(slope, times[-1], old, tolerance)
        step = Step(times[-1], one.t, before, dense, exact)
        event = first_event(one.mechanics, mode, step, one.left)
        if event is not None:
            one.t, one.y = event.t, exact(event.t)
        if one.mechanics.model.facts["dry"] and event is None:
            _look_for_rest(one, times[-1], dense)
        if one.t > times[-1]:
            times.append(one.t)
            pieces.append(dense)
        for c, slip in enumerate(one.slips(one.t, one.y) if stiff else []):
            one.grown[c] |= bool(np.linalg.norm(slip) > GROWN)
    if pieces:
        solution = OdeSolution(times, pieces)
        one.maxima.search(np.array(times), solution, before, mode)
        one.pieces.append(Piece(times[0], times[-1], solution, mode))
        one.duration += (times[-1] - times[0]) * np.abs(mode.signs)
    if one.status == AT_REST:
        _stop(one, stop)
    return event


def _exact(
    slope: Callable[[float, Array], Array], start: float, y: Array, tolerance: float
) -> Callable[[float], Array]:
    """Return the states of a step by integration, without the error of the interpolant."""

    def state(time: float) -> Array:
        if time == start:
            return y
        solver = DOP853(slope, start, y, time, rtol=max(tolerance, FINEST), atol=tolerance)
        while solver.status == "running":
            solver.step()
        return np.asarray(solver.y)

    return state


def _look_for_rest(one: Run, start: float, dense: Callable[[float], Array]) -> None:
    """End the step where the speed against which a dry resistance acts has nearly vanished."""

    def above(t: float) -> float:
        return _dry_speed(one, t, dense(t)) - REST_SPEED

    if above(start) > 0.0 >= above(one.t):
        one.t = float(brentq(above, start, one.t, xtol=1e-14))
        one.y, one.status = dense(one.t), AT_REST


def _dry_speed(one: Run, t: float, y: Array) -> float:
    given = one.mechanics.given(np.asarray(t), y)
    return float(one.mechanics.model.reference.dry_speeds(*given)[0])


def _stop(one: Run, stop: float) -> None:
    """Extrapolate the last bit to rest."""
    slope = one.slope(one.t, one.y)
    moved = one.y + 1e-7 * slope
    braking = (_dry_speed(one, one.t, one.y) - _dry_speed(one, one.t, moved)) / 1e-7
    h = min(stop - one.t, _dry_speed(one, one.t, one.y) / braking) if braking > 0.0 else 0.0
    one.y, one.t = one.y + h * slope, one.t + h
