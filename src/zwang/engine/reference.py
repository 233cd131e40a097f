"""The slow reference engine: Lagrange's multiplier form, integrated by scipy, run by run.

A run is a chain of phases in each of which every contact is held or slides one way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import DOP853, OdeSolution, Radau
from scipy.optimize import brentq

from zwang.engine.ensemble import ENDED, Ensemble, Outcome, Slip
from zwang.engine.model import Array, Model, Motion
from zwang.engine.reference_events import (
    GAP,
    SAMPLES,
    STOP,
    Event,
    Watched,
    crossing,
    has_left,
    located,
    watched,
)
from zwang.engine.reference_maxima import Maxima
from zwang.engine.reference_modes import Mechanics, Mode
from zwang.engine.reference_run import (
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
    done = [_integrate(model, ensemble, i) for i in range(ensemble.runs)]
    t_end = np.array([one.t for one in done])
    ends = [_sampled(one, ensemble, np.array([one.t]), _last(one)) for one in done]
    paths = [_sampled(one, ensemble, ensemble.times, one.pieces) for one in done]
    end = [np.moveaxis(np.array([e[i][:, 0] for e in ends]), 0, -1) for i in range(4)]
    path = [np.moveaxis(np.array([p[i] for p in paths]), 0, 1) for i in range(4)]
    at = np.broadcast_to(ensemble.times, (ensemble.runs, len(ensemble.times)))
    return Outcome(
        status=np.array([one.status for one in done], dtype=np.intc),
        steps=np.array([one.steps for one in done], dtype=np.int_),
        time_reached=t_end,
        pivot=np.full(ensemble.runs, np.nan),
        defect=np.full(ensemble.runs, np.nan),
        maximum=np.array([one.maxima.maximum for one in done]),
        time_of_maximum=np.array([one.maxima.time for one in done]),
        onset=np.array([one.maxima.onset for one in done]),
        slip=_slip(model, ensemble, done, np.array([p[4] for p in paths])),
        end=Motion(ensemble.law_time(t_end), *end),
        path=Motion(ensemble.law_time(at), *path),
    )


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
    one.begin()
    for stop in [*sorted(inside), ensemble.end]:
        if one.status == OK:
            _segment(one, stop, ensemble.tolerance)
    return one


def _segment(one: Run, stop: float, tolerance: float) -> None:
    """Integrate to the next break of the inputs, where the right side may jump."""
    before = float(np.nextafter(stop, -np.inf))  # the laws of this segment hold to its last point
    longest = max((stop - one.t) / STEPS_AT_LEAST, 1e-12)
    one.rethink()
    while one.status == OK and one.t < stop:
        event = _phase(one, stop, before, tolerance, longest)
        if event is not None and one.status == OK:
            one.react(event)


def _phase(
    one: Run, stop: float, before: float, tolerance: float, longest: float
) -> Event | None:
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
        event = _first_event(one, times[-1], old, dense, before, slope, tolerance)
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


def _first_event(
    one: Run,
    start: float,
    y: Array,
    dense: Callable[[Any], Array],
    before: float,
    slope: Callable[[float, Array], Array],
    tolerance: float,
) -> Event | None:
    """Return the first event of a step, and put the run there."""
    mechanics, mode, stop = one.mechanics, one.mode, one.t
    if not mechanics.contacts and not mechanics.pressed:
        return None
    t = np.linspace(start, stop, SAMPLES)
    found: Event | None = None
    leaving: dict[int, float] = {}

    def state(time: float) -> Array:
        """Return the state at a time of the step, without the error of the interpolant."""
        if one.stiff or time in (start, stop):
            return np.asarray(y if time == start else dense(time))
        solver = DOP853(slope, start, y, time, rtol=max(tolerance, FINEST), atol=tolerance)
        while solver.status == "running":
            solver.step()
        return np.asarray(solver.y)

    seen = watched(mechanics, np.minimum(t, before), dense(t), mode)
    for key, values in seen.items():
        first = 0
        if key[0] in (STOP, GAP) and not one.left[key[1]]:
            beyond = has_left(mechanics, key, values)
            if beyond is None:
                continue
            first = beyond
            leaving[key[1]] = t[first]

        def value(time: float, at: Callable[[float], Array], key: tuple[str, int] = key) -> float:
            now = np.asarray(min(time, before))
            return float(watched(mechanics, now, at(time), mode)[key].value)

        rest = Watched(values.value[first:], values.size[first:])
        bracket = crossing(t[first:], rest, lambda x: value(x, dense))  # noqa: B023
        if bracket is None or (found is not None and bracket[0] >= found.t):
            continue
        when = located(bracket, lambda x: value(x, state), lambda x: value(x, dense))  # noqa: B023
        if found is None or when < found.t:
            found = Event(*key, when)
    for c, when in leaving.items():
        one.left[c] = found is None or when <= found.t
    if found is None:
        return None
    one.t, one.y = found.t, state(found.t)
    return found


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


def _last(one: Run) -> list[Piece]:
    """Return the end of a run as a piece."""
    return [Piece(one.t, one.t, lambda t: np.repeat(one.y[:, None], len(t), axis=1), one.mode)]


def _sampled(
    one: Run, ensemble: Ensemble, times: Array, pieces: list[Piece]
) -> tuple[Array, Array, Array, Array, Array]:
    """Return q, q̇, q̈ (n, times), Λ (k, times) and modes (times, switching).

    NaN and ENDED after the time reached.
    """
    n, model = one.mechanics.n, one.mechanics.model
    q, v, a = (np.full((n, len(times)), np.nan) for _ in range(3))
    reactions = np.full((len(model.names("constraints")), len(times)), np.nan)
    modes = np.full((len(times), len(one.contacts)), ENDED, dtype=np.intc)
    for piece in pieces:
        inside = (times >= piece.start) & (times <= piece.stop)
        if not inside.any():
            continue
        y = piece.dense(times[inside])
        q[:, inside], v[:, inside], modes[inside] = y[:n], y[n : 2 * n], piece.mode.signs
        if np.isfinite(y).all():
            found = one.mechanics.solve(ensemble.law_time(times[inside]), y, piece.mode)
            a[:, inside], reactions[:, inside] = found[0].T, found[1].T
    return q, v, a, reactions, modes


def _slip(model: Model, ensemble: Ensemble, done: list[Run], mode: Array) -> Slip:
    """Return the record of all changes of mode."""
    runs, count, room = len(done), len(model.names("switching")), ensemble.event_room
    first = np.full((runs, count), np.nan)
    time = np.full((runs, room), np.nan)
    what = np.zeros((runs, room), dtype=np.intc)
    for i, one in enumerate(done):
        for t, c, before, _ in reversed(one.changes):
            if before == 0:
                first[i, c] = t
        for k, (t, c, before, after) in enumerate(one.changes[:room]):
            time[i, k], what[i, k] = t, 9 * c + 3 * (before + 1) + after + 1
    return Slip(
        first,
        np.array([one.duration for one in done]).reshape(runs, count),
        np.array([one.y[len(one.y) - count :] for one in done]).reshape(runs, count),
        np.array([one.mode.signs for one in done], dtype=np.intc).reshape(runs, count),
        mode.astype(np.intc).reshape(runs, len(ensemble.times), count),
        np.array([len(one.changes) for one in done], dtype=np.int_),
        time,
        what,
    )
