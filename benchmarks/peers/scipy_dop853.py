"""scipy as it is usually used: solve_ivp, DOP853, lambdified equations, event functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from peers.car import AXLES, END, MU, Array, Found, Solve, final, parameters, symbolic

NAME = "scipy DOP853, lambdify"


@cache
def functions(modules: str) -> SimpleNamespace:
    """Return rates, ratios Λ/N and their slopes as Python functions of (t, x, p)."""
    import sympy

    s = symbolic()

    def compiled(wanted: Any) -> Callable[..., Any]:  # noqa: ANN401 - one expression or many
        return sympy.lambdify((s.t, s.x, s.p), wanted, modules=modules, cse=True)

    return SimpleNamespace(
        rates=compiled(s.rates),
        ratios=[compiled(r) for r in s.ratios],
        slopes=[compiled(r) for r in s.slopes],
    )


def _events(made: SimpleNamespace) -> list[Callable[..., float]]:

    def threshold(ratio: Callable[..., float], mu: float) -> Callable[..., float]:
        def reached(t: float, x: Array, p: list[float]) -> float:
            return abs(ratio(t, x, p)) - mu

        reached.direction = 1.0  # type: ignore[attr-defined]
        return reached

    def extremum(slope: Callable[..., float]) -> Callable[..., float]:
        return lambda t, x, p: slope(t, x, p)

    crossings = [threshold(ratio, mu) for ratio in made.ratios for mu in MU]
    return crossings + [extremum(slope) for slope in made.slopes]


def full(tolerance: float) -> Solve:
    """Return the solver of the full task as users write it: lambdify makes numpy's functions."""
    return _full(tolerance, "numpy")


def full_with_math(tolerance: float) -> Solve:
    """Return the same with functions of Python's math module, which are faster for one number."""
    return _full(tolerance, "math")


def _full(tolerance: float, modules: str) -> Solve:
    """Return the solver of the full task, all events by scipy's root finding."""
    made = functions(modules)
    events, fixed = _events(made), list(parameters().values())

    def solve(u: Array, A: Array) -> Found:
        n = u.size
        states, onset = np.empty((n, 6)), np.full((n, AXLES, len(MU)), np.nan)
        best, when = np.empty((n, AXLES)), np.empty((n, AXLES))
        for run in range(n):
            p = [*fixed, A[run]]
            done = solve_ivp(
                made.rates,
                (0.0, END),
                [0.0, 0.0, 0.0, 0.0, u[run], 0.0],
                method="DOP853",
                rtol=tolerance,
                atol=tolerance,
                events=events,
                args=(p,),
            )
            states[run] = done.y[:, -1]
            for axle in range(AXLES):
                for m in range(len(MU)):
                    times = done.t_events[axle * len(MU) + m]
                    if len(times):
                        onset[run, axle, m] = times[0]
                place = AXLES * len(MU) + axle
                times = [*done.t_events[place], END]
                points = [*done.y_events[place], done.y[:, -1]]
                ratio = made.ratios[axle]
                sizes = [abs(ratio(t, x, p)) for t, x in zip(times, points, strict=True)]
                largest = int(np.argmax(sizes))
                best[run, axle], when[run, axle] = sizes[largest], times[largest]
        return Found(final(states), best, when, onset)

    return solve
