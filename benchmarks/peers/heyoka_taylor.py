"""heyoka: Taylor integrator in batches of four with run-time parameters; events by callbacks.

All events are divided by the axle's load, because heyoka puts them into the norm of its step.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import heyoka as hy
import numpy as np

from peers.car import AXLES, END, HOISTED, MU, Array, Found, Solve, equations, final, parameters

NAME = "heyoka, batches of 4"
BATCH = 4
SLOPE = 0.1  # s; brings the ratios' slopes to the size of the ratios


@cache
def expressions() -> SimpleNamespace:
    """Return the system, the ratios Λ/N and their slopes as heyoka expressions."""
    x = hy.make_vars("phi", "theta", "x", "y", "w", "spin")
    p = SimpleNamespace(**{name: hy.par[i] for i, name in enumerate(HOISTED)})
    t = hy.make_vars("t")  # heyoka differentiates by variables only, not by its time
    rates, ratios = equations(t, tuple(x), p, hy)
    slopes = [
        sum((hy.diff(r, z) * f for z, f in zip(x, rates, strict=True)), hy.diff(r, t))
        for r in ratios
    ]
    rates, ratios, slopes = (hy.subs(es, {t: hy.time}) for es in (rates, ratios, slopes))
    return SimpleNamespace(
        x=x, system=list(zip(x, rates, strict=True)), ratios=ratios, slopes=slopes
    )


@cache
def ratios_of() -> Callable[..., Array]:
    """Return the compiled function giving Λ/N of both axles at many states."""
    e = expressions()
    return hy.cfunc(e.ratios, vars=e.x)


def _events(
    make: Callable[..., Any],
    note: Callable[[str, int, int], Callable[..., None]],
    **options: type,
) -> list[Any]:
    """Return thresholds and extrema as events of one kind, noted by axle and threshold."""
    e = expressions()
    up, down = hy.event_direction.positive, hy.event_direction.negative
    found = []
    for axle, ratio in enumerate(e.ratios):
        for m, mu in enumerate(MU):  # two lines are cheaper than a square
            seen = note("onset", axle, m)
            found.append(make(ratio - mu, callback=seen, direction=up, **options))
            found.append(make(ratio + mu, callback=seen, direction=down, **options))
        slope = SLOPE * e.slopes[axle]
        found.append(make(slope, callback=note("extremum", axle, 0), **options))
    return found


class Notes:
    """What the callbacks write down: onsets by run, and states at extrema."""

    def __init__(self) -> None:
        self.first = 0  # the run in lane 0
        self.onsets: dict[tuple[int, int, int], float] = {}
        self.runs: list[list[int]] = [[], []]
        self.times: list[list[float]] = [[], []]
        self.states: list[list[Array]] = [[], []]

    def onset(self, runs: int) -> Array:
        """Return the first times at the thresholds (runs, axles, μ); NaN if never."""
        out = np.full((runs, AXLES, len(MU)), np.nan)
        for (run, axle, m), time in self.onsets.items():
            if run < runs:  # the last batch may be filled up
                out[run, axle, m] = time
        return out

    def maxima(self, end: Array, A: Array) -> tuple[Array, Array]:
        """Return the largest |Λ|/N of every run and its time; the end counts too."""
        n = len(end)
        best, when = np.empty((n, AXLES)), np.empty((n, AXLES))
        for axle in range(AXLES):
            run = np.concatenate([np.arange(n), np.array(self.runs[axle], dtype=int)])
            t = np.concatenate([np.full(n, END, end.dtype), np.array(self.times[axle], end.dtype)])
            x = np.concatenate([end, np.array(self.states[axle], end.dtype).reshape(-1, 6)])
            real = run < n
            run, t, x = run[real], t[real], x[real]
            size = np.abs(_ratios(x, t, A[run])[axle])
            order = np.lexsort((size, run))
            last = np.append(np.flatnonzero(np.diff(run[order])), len(run) - 1)
            best[:, axle], when[:, axle] = size[order][last], t[order][last]
        return best, when


def _ratios(x: Array, t: Array, A: Array) -> Array:
    fixed = list(parameters().values())
    p = np.empty((len(HOISTED), len(t)))
    p[:-1], p[-1] = np.array(fixed)[:, None], A
    return ratios_of()(
        np.ascontiguousarray(x.T, dtype=float), pars=p, time=np.asarray(t, dtype=float)
    )


def full(tolerance: float) -> Solve:
    """Return the solver of the full task: thresholds from both sides and extrema as events."""
    notes = Notes()

    def note(kind: str, axle: int, m: int) -> Callable[..., None]:
        def onset(ta: Any, time: float, sign: int, lane: int) -> None:  # noqa: ANN401
            notes.onsets.setdefault((notes.first + lane, axle, m), time)

        def extremum(ta: Any, time: float, sign: int, lane: int) -> None:  # noqa: ANN401
            notes.runs[axle].append(notes.first + lane)
            notes.times[axle].append(time)
            notes.states[axle].append(ta.update_d_output(time)[:, lane].copy())

        return onset if kind == "onset" else extremum

    integrator = _integrator(tolerance, nt_events=_events(hy.nt_event_batch, note))

    def solve(u: Array, A: Array) -> Found:
        notes.__init__()  # type: ignore[misc]
        end = _propagate(integrator, u, A, notes)
        best, when = notes.maxima(end, A)
        return Found(final(end), best, when, notes.onset(u.size))

    return solve


def state(tolerance: float) -> Solve:
    """Return the solver for the final state only."""
    integrator = _integrator(tolerance)
    return lambda u, A: Found(final(_propagate(integrator, u, A, Notes())))


def _integrator(tolerance: float, **events: Any) -> Any:  # noqa: ANN401
    start = np.zeros((6, BATCH))
    start[4] = 10.0
    pars = np.zeros((len(HOISTED), BATCH))
    pars[:-1] = np.array(list(parameters().values()))[:, None]
    return hy.taylor_adaptive_batch(expressions().system, start, pars=pars, tol=tolerance, **events)


def _propagate(integrator: Any, u: Array, A: Array, notes: Notes) -> Array:  # noqa: ANN401
    """Return the final states in w; the last batch is filled up with its last run."""
    n = u.size
    filled = np.minimum(np.arange(-(-n // BATCH) * BATCH), n - 1)
    speeds, torques = u[filled].reshape(-1, BATCH), A[filled].reshape(-1, BATCH)
    ends = np.empty((len(filled), 6))
    for i in range(len(speeds)):
        notes.first = i * BATCH
        integrator.set_time(0.0)
        integrator.state[:] = 0.0
        integrator.state[4] = speeds[i]
        integrator.pars[-1] = torques[i]
        integrator.propagate_until(END)
        ends[i * BATCH : (i + 1) * BATCH] = integrator.state.T
    return ends[:n]


def extended(tolerance: float = 1e-18) -> Solve:
    """Return the solver in 80-bit numbers, one run at a time: the reference of the table."""
    wide = np.longdouble
    notes = Notes()

    def note(kind: str, axle: int, m: int) -> Callable[..., None]:
        def onset(ta: Any, time: Any, sign: int) -> None:  # noqa: ANN401
            notes.onsets.setdefault((notes.first, axle, m), time)

        def extremum(ta: Any, time: Any, sign: int) -> None:  # noqa: ANN401
            notes.runs[axle].append(notes.first)
            notes.times[axle].append(time)
            notes.states[axle].append(ta.update_d_output(time).copy())

        return onset if kind == "onset" else extremum

    pars = np.array([*parameters().values(), 0.0], dtype=wide)
    start = np.array([0, 0, 0, 0, 10, 0], dtype=wide)
    integrator = hy.taylor_adaptive(
        expressions().system,
        start,
        pars=pars,
        tol=wide(tolerance),
        fp_type=wide,
        compact_mode=True,
        nt_events=_events(hy.nt_event, note, fp_type=wide),
    )

    def solve(u: Array, A: Array) -> Found:
        notes.__init__()  # type: ignore[misc]
        ends = np.empty((u.size, 6), dtype=wide)
        for run in range(u.size):
            notes.first = run
            integrator.time = wide(0)
            integrator.state[:] = 0
            integrator.state[4] = u[run]
            integrator.pars[-1] = A[run]
            integrator.propagate_until(wide(END))
            ends[run] = integrator.state
        best, when = notes.maxima(ends, A)
        return Found(final(ends), best, when, notes.onset(u.size))

    return solve
