"""The slow reference engine: Lagrange's multiplier form, integrated by scipy, run by run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import DOP853, OdeSolution
from scipy.optimize import brentq, minimize_scalar

from zwang.engine.ensemble import Ensemble, Outcome, no_slip
from zwang.engine.model import Array, Model, Motion

OK, AT_REST, STEP_TOO_SMALL, NON_FINITE = 0, 1, 7, 8
FLAT = 1e-13  # of the largest value
SAMPLES = 9  # per step of the integrator, between which maxima and crossings are bracketed
STEPS_AT_LEAST = 100  # per segment: between steps the interpolant is of lower order than the steps
STEPS_AT_MOST = 20_000  # of one run
REST_SPEED = 1e-5  # m/s, from here the last bit to rest is one extrapolated step
FINEST = 3e-14  # relative tolerance that DOP853 accepts


@dataclass
class _Run:
    """One run while it is computed."""

    model: Model
    p: Array
    mu: Array
    maximum: Array
    time_of_maximum: Array
    onset: Array
    pieces: list[tuple[float, float, OdeSolution]] = field(default_factory=list)
    t: float = 0.0
    y: Array = field(default_factory=lambda: np.zeros(0))
    status: int = OK
    steps: int = 0

    def split(self, y: Array) -> tuple[Array, Array]:
        return y[: len(y) // 2], y[len(y) // 2 :]

    def slope(self, t: float, y: Array) -> Array:
        q, v = self.split(y)
        return np.concatenate([v, self.model.accelerations(np.asarray(t), q, v, self.p)[0]])

    def reactions(self, t: Array, y: Array) -> Array:
        q, v = self.split(y)
        return self.model.accelerations(t, q, v, self._p(t))[1]

    def utilisation(self, t: Array, y: Array) -> Array:
        """Return Λ/N with its sign, (times, contacts)."""
        q, v = self.split(y)
        loads = self.model.vector("loads", t, q, v, self._p(t))
        constraints = self.model.names("constraints")
        places = [constraints.index(c) for c in self.model.names("contacts")]
        return self.reactions(t, y)[..., places] / loads

    def dry_speed(self, t: float, y: Array) -> float:
        q, v = self.split(y)
        return float(self.model.reference.dry_speeds(np.asarray(t), q, v, self.p)[0])

    def _p(self, t: Array) -> Array:
        return self.p.reshape(-1, *[1] * np.ndim(t))


def run(model: Model, ensemble: Ensemble) -> Outcome:
    """Return the outcome of every run, computed one after the other."""
    done = [_integrate(model, ensemble, i) for i in range(ensemble.runs)]
    ends = np.array([one.y for one in done]).T
    t_end = np.array([one.t for one in done])
    paths = np.array([_sampled(one, ensemble.times) for one in done])
    return Outcome(
        status=np.array([one.status for one in done], dtype=np.intc),
        steps=np.array([one.steps for one in done], dtype=np.int_),
        time_reached=t_end,
        pivot=np.full(ensemble.runs, np.nan),
        defect=np.full(ensemble.runs, np.nan),
        maximum=np.array([one.maximum for one in done]),
        time_of_maximum=np.array([one.time_of_maximum for one in done]),
        onset=np.array([one.onset for one in done]),
        slip=no_slip(ensemble),
        end=_motion(model, ensemble, ensemble.law_time(t_end), ends),
        path=_motion(
            model, ensemble, ensemble.law_time(ensemble.times[None, :]), np.moveaxis(paths, -1, 0)
        ),
    )


def _integrate(model: Model, ensemble: Ensemble, i: int) -> _Run:
    contacts = len(model.names("contacts"))
    one = _Run(
        model,
        ensemble.parameters[:, i],
        ensemble.mu,
        np.full(contacts, np.nan),
        np.full(contacts, np.nan),
        np.full((contacts, len(ensemble.mu)), np.nan),
        t=ensemble.t0,
        y=np.concatenate([ensemble.q[:, i], ensemble.v[:, i]]),
    )
    if not np.isfinite(one.y).all():
        one.status = NON_FINITE
        return one
    q, v = one.split(one.y)
    breaks = np.ravel(model.reference.break_times(np.asarray(one.t), q, v, one.p))
    inside = {float(b) for b in breaks if ensemble.t0 < b < ensemble.end}
    for stop in [*sorted(inside), ensemble.end]:
        if one.status == OK:
            _segment(one, stop, ensemble.tolerance)
    return one


def _segment(one: _Run, stop: float, tolerance: float) -> None:
    """Integrate to the next break of the inputs, where the right side may jump."""
    before = float(
        np.nextafter(stop, -np.inf)
    )  # the law of this segment holds up to its last point

    def slope(t: float, y: Array) -> Array:
        found = one.slope(min(t, before), y)
        if not np.isfinite(found).all():
            raise FloatingPointError  # DOP853 would shorten its step forever
        return found

    options = {
        "rtol": max(tolerance, FINEST),
        "atol": tolerance,
        "max_step": max((stop - one.t) / STEPS_AT_LEAST, 1e-12),
    }
    solver = None
    times, pieces = [one.t], []
    while one.status == OK and (solver is None or solver.status == "running"):
        try:
            with np.errstate(all="raise", under="ignore"):
                solver = solver or DOP853(slope, one.t, one.y, stop, **options)
                solver.step()
        except (FloatingPointError, np.linalg.LinAlgError):
            one.status = NON_FINITE
            break
        if solver.status == "failed" or one.steps >= STEPS_AT_MOST:
            one.status = STEP_TOO_SMALL
            break
        one.steps += 1
        dense = solver.dense_output()
        one.t, one.y = float(solver.t), solver.y
        if one.model.facts["dry"]:
            _look_for_rest(one, times[-1], dense)
        times.append(one.t)
        pieces.append(dense)
    if not pieces:
        return
    solution = OdeSolution(times, pieces)
    _search(one, np.array(times), solution, before)
    one.pieces.append((times[0], times[-1], solution))
    if one.status == AT_REST:
        _stop(one, stop)


def _look_for_rest(one: _Run, start: float, dense: Callable[[float], Array]) -> None:
    """End the step where the speed against which a dry resistance acts has nearly vanished."""

    def above(t: float) -> float:
        return one.dry_speed(t, dense(t)) - REST_SPEED

    if above(start) > 0.0 >= above(one.t):
        one.t = float(brentq(above, start, one.t, xtol=1e-14))
        one.y, one.status = dense(one.t), AT_REST


def _stop(one: _Run, stop: float) -> None:
    """Extrapolate the last bit to rest."""
    slope = one.slope(one.t, one.y)
    moved = one.y + 1e-7 * slope
    braking = (one.dry_speed(one.t, one.y) - one.dry_speed(one.t, moved)) / 1e-7
    h = min(stop - one.t, one.dry_speed(one.t, one.y) / braking) if braking > 0.0 else 0.0
    one.y, one.t = one.y + h * slope, one.t + h


def _search(one: _Run, steps: Array, dense: OdeSolution, before: float) -> None:
    """Locate the maxima of |Λ|/N and the first times |Λ| = μN between samples of the steps."""
    part = np.linspace(0.0, 1.0, SAMPLES)[:-1]
    t = np.append((steps[:-1, None] + np.diff(steps)[:, None] * part).ravel(), steps[-1])
    inner = np.minimum(t, before)
    values = np.abs(one.utilisation(inner, dense(t)))
    for c in range(values.shape[1]):

        def value(time: float, c: int = c) -> float:
            at = min(time, before)
            return abs(float(one.utilisation(np.asarray(at), dense(time))[c]))

        for when, top, left, right in _peaks(t, values[:, c], value):
            if not top <= one.maximum[c]:
                one.maximum[c], one.time_of_maximum[c] = top, when
            for m, mu in enumerate(one.mu):
                if not np.isnan(one.onset[c, m]):
                    continue
                early = (t >= left) & (t <= right) & (values[:, c] >= mu)
                if early.any():
                    first = int(np.argmax(early))
                    if t[first] == left:
                        one.onset[c, m] = left
                    else:
                        one.onset[c, m] = brentq(
                            lambda x, mu=mu: value(x) - mu, t[first - 1], t[first], xtol=1e-14
                        )
                elif top >= mu:
                    low = t[np.searchsorted(t, when, side="left") - 1]
                    one.onset[c, m] = brentq(lambda x, mu=mu: value(x) - mu, low, when, xtol=1e-14)


def _peaks(
    t: Array, values: Array, value: Callable[[float], float]
) -> list[tuple[float, float, float, float]]:
    """Return (time, value, from, to) of the local maxima in order; intervals cover all of t."""
    rise = np.diff(values)
    flat = FLAT * np.abs(values).max()  # rounding is no peak
    inner = np.flatnonzero((rise[:-1] > flat) & (rise[1:] <= 0.0)) + 1
    found = [(float(t[0]), float(values[0]), float(t[0]), float(t[0]))]
    last = float(t[0])
    for i in inner:
        best = minimize_scalar(
            lambda x: -value(x),
            bounds=(t[i - 1], t[i + 1]),
            method="bounded",
            options={"xatol": 1e-10},
        )
        when, top = float(best.x), -float(best.fun)
        if top < values[i]:
            when, top = float(t[i]), float(values[i])
        found.append((when, top, last, float(t[i + 1])))
        last = float(t[i + 1])
    return [*found, (float(t[-1]), float(values[-1]), last, float(t[-1]))]


def _sampled(one: _Run, times: Array) -> Array:
    """Return (times, 2n) states at the output times, NaN after the time reached."""
    out = np.full((len(times), len(one.y)), np.nan)
    for start, stop, dense in one.pieces:
        inside = (times >= start) & (times <= stop)
        if inside.any():
            out[inside] = dense(times[inside]).T
    return out


def _motion(model: Model, ensemble: Ensemble, t: Array, y: Array) -> Motion:
    n = len(y) // 2
    t = np.broadcast_to(t, y.shape[1:])
    p = ensemble.parameters.reshape(-1, ensemble.runs, *[1] * (y.ndim - 2))
    good = np.isfinite(y).all(0)
    safe = np.where(good, y, 0.0)
    a = np.full((n, *y.shape[1:]), np.nan)
    reactions = np.full((len(model.names("constraints")), *y.shape[1:]), np.nan)
    if good.any():
        p_all = np.broadcast_to(p, (len(p), *y.shape[1:]))[:, good]
        found = model.accelerations(t[good], safe[:n, good], safe[n:, good], p_all)
        a[:, good], reactions[:, good] = found[0].T, found[1].T
    return Motion(t, y[:n], y[n:], a, reactions)
