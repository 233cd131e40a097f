"""numba: a loop of its own around Dormand and Prince's method of order 8, events on dense output.

Coefficients are scipy's. A step looks for an extremum where the slope of Λ/N changes sign, and for
a threshold where |Λ|/N passes it at the step's end or at an extremum inside.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import sympy
from scipy.integrate._ivp import dop853_coefficients as tableau
from sympy.printing.numpy import NumPyPrinter

from peers.car import END, MU, Array, Found, Solve, final, parameters, symbolic

NAME = "numba, own DOP853 loop"
# Everything of fast maths except the promise that no number is NaN: an onset not found is NaN.
OPTIONS = {"fastmath": {"contract", "reassoc", "nsz", "arcp", "afn"}, "error_model": "numpy"}
STAGES, ALL_STAGES = 12, 16
A, C, B, D = tableau.A, tableau.C, tableau.B, tableau.D
E3, E5 = tableau.E3, tableau.E5
THRESHOLDS = np.array(MU)
SAFETY, SHRINK, GROW = 0.9, 0.2, 10.0
ROOT = 1e-13  # width of a bracket in units of the step


def _source(name: str, wanted: list[Any]) -> str:
    """Return a Python function (t, x, p, out) that fills `out`, with common parts computed once."""
    s = symbolic()
    printer = NumPyPrinter({"fully_qualified_modules": False})
    parts, results = sympy.cse(wanted)
    used = set().union(*(e.free_symbols for e in wanted))
    lines = [f"def {name}(t, x, p, out):"]
    for letter, symbols in (("x", s.x), ("p", s.p)):
        lines += [f"    {z} = {letter}[{i}]" for i, z in enumerate(symbols) if z in used]
    lines += [f"    {z} = {printer.doprint(e)}" for z, e in parts]
    lines += [f"    out[{i}] = {printer.doprint(e)}" for i, e in enumerate(results)]
    return "\n".join(lines)


@cache
def compiled() -> SimpleNamespace:
    """Return the right side, and Λ/N with its slopes, as numba functions."""
    s = symbolic()
    space: dict[str, Any] = {"sin": np.sin, "cos": np.cos}
    wanted = {"rates": s.rates, "signals": [*s.ratios, *s.slopes]}
    for name, expressions in wanted.items():
        exec(_source(name, expressions).replace("numpy.", ""), space)
    return SimpleNamespace(**{name: numba.njit(**OPTIONS)(space[name]) for name in wanted})


def _sum(row: Array) -> str:
    """Return the text of Σ row_j K_j for one component; zeros of the tableau cost nothing."""
    return " + ".join(f"{float(a)!r} * K[{j}, i]" for j, a in enumerate(row) if a != 0.0)


def _stages(name: str, first: int, stop: int, tail: list[str]) -> str:
    """Return a function that computes some stages and then `tail`."""
    lines = [f"def {name}(t, h, y, p, K, x, new, F):"]
    for s in range(first, stop):
        lines += ["    for i in range(6):", f"        x[i] = y[i] + h * ({_sum(A[s])})"]
        lines += [f"    rates(t + {float(C[s])!r} * h, x, p, K[{s}])"]
    return "\n".join([*lines, "    for i in range(6):", *(f"        {line}" for line in tail)])


@cache
def steps() -> SimpleNamespace:
    """Return the functions of one step: trial, its errors (into F), the dense polynomial F."""
    texts = {
        "trial": _stages("trial", 1, STAGES, [f"new[i] = y[i] + h * ({_sum(B)})"]),
        "errors": _stages("errors", 0, 0, [f"F[0, i] = {_sum(E5)}", f"F[1, i] = {_sum(E3)}"]),
        "polynomial": _stages(
            "polynomial",
            STAGES + 1,
            ALL_STAGES,
            [
                "F[0, i] = new[i] - y[i]",
                "F[1, i] = h * K[0, i] - F[0, i]",
                f"F[2, i] = 2.0 * F[0, i] - h * (K[{STAGES}, i] + K[0, i])",
                *(f"F[{3 + k}, i] = h * ({_sum(D[k])})" for k in range(4)),
            ],
        ),
    }
    space: dict[str, Any] = {"rates": compiled().rates}
    for text in texts.values():
        exec(text, space)
    return SimpleNamespace(**{name: numba.njit(**OPTIONS)(space[name]) for name in texts})


@numba.njit(**OPTIONS)
def dense(F: Array, y: Array, s: float, out: Array) -> None:
    """Put the state at the fraction s of a step into `out`."""
    for i in range(y.size):
        value = 0.0
        for j in range(6, -1, -1):
            value = (value + F[j, i]) * (s if j % 2 == 0 else 1.0 - s)
        out[i] = y[i] + value


@cache
def loop() -> Callable[..., None]:
    """Return the compiled loop over runs."""
    made = compiled()
    rates, signals = made.rates, made.signals
    trial, errors, polynomial = steps().trial, steps().errors, steps().polynomial

    @numba.njit(**OPTIONS)
    def inside(t: float, h: float, s: float, y: Array, F: Array, p: Array, x: Array, out: Array):  # noqa: ANN202
        dense(F, y, s, x)
        signals(t + s * h, x, p, out)

    @numba.njit(**OPTIONS)
    def root(  # noqa: ANN202
        t: float,
        h: float,
        y: Array,
        F: Array,
        p: Array,
        x: Array,
        out: Array,
        which: int,
        level: float,
        a: float,
        fa: float,
        b: float,
        fb: float,
    ):
        """Return the fraction where signal `which` less `level` changes sign, by Illinois."""
        side = 0
        for _ in range(100):
            s = (a * fb - b * fa) / (fb - fa)
            inside(t, h, s, y, F, p, x, out)
            fs = out[which] - level
            if fs == 0.0:
                return s
            if (fs > 0.0) == (fb > 0.0):
                near = abs(s - b) < ROOT
                b, fb = s, fs
                if side == 1:
                    fa *= 0.5
                side = 1
            else:
                near = abs(s - a) < ROOT
                a, fa = s, fs
                if side == -1:
                    fb *= 0.5
                side = -1
            if near or b - a < ROOT:
                break
        return s

    @numba.njit(**OPTIONS)
    def first_step(y: Array, p: Array, f: Array, f1: Array, x: Array, tolerance: float):  # noqa: ANN202
        """Return the first step as Hairer, Nørsett and Wanner choose it."""
        d0 = d1 = d2 = 0.0
        for i in range(6):
            scale = tolerance * (1.0 + abs(y[i]))
            d0 += (y[i] / scale) ** 2
            d1 += (f[i] / scale) ** 2
        h0 = 0.01 * np.sqrt(d0 / d1)
        for i in range(6):
            x[i] = y[i] + h0 * f[i]
        rates(h0, x, p, f1)
        for i in range(6):
            d2 += ((f1[i] - f[i]) / (tolerance * (1.0 + abs(y[i])))) ** 2
        d1, d2 = np.sqrt(d1 / 6.0), np.sqrt(d2 / 6.0) / h0
        return min(100.0 * h0, (0.01 / max(d1, d2)) ** 0.125)

    @numba.njit(**OPTIONS)
    def run(speeds, torques, fixed, tolerance, ends, best, when, onset) -> None:  # noqa: ANN001
        K, F = np.empty((ALL_STAGES, 6)), np.empty((7, 6))
        y, new, x = np.empty(6), np.empty(6), np.empty(6)
        p = np.empty(fixed.size + 1)
        p[: fixed.size] = fixed
        before, after, out = np.empty(4), np.empty(4), np.empty(4)
        levels = THRESHOLDS.size
        for r in range(speeds.size):
            p[fixed.size] = torques[r]
            y[:] = 0.0
            y[4] = speeds[r]
            t = 0.0
            rates(t, y, p, K[0])
            signals(t, y, p, before)
            for c in range(2):
                best[r, c], when[r, c] = abs(before[c]), 0.0
            h = first_step(y, p, K[0], K[1], x, tolerance)
            refused = False
            while t < END:
                last = h >= END - t
                if last:
                    h = END - t
                trial(t, h, y, p, K, x, new, F)
                rates(t + h, new, p, K[STAGES])
                errors(t, h, y, p, K, x, new, F)
                fifth = third = 0.0
                for i in range(6):
                    scale = tolerance * (1.0 + max(abs(y[i]), abs(new[i])))
                    fifth += (F[0, i] / scale) ** 2
                    third += (F[1, i] / scale) ** 2
                error = 0.0
                if fifth > 0.0:
                    error = h * fifth / np.sqrt((fifth + 0.01 * third) * 6.0)
                if error >= 1.0:
                    h *= max(SHRINK, SAFETY * error**-0.125)
                    refused = True
                    continue
                grow = GROW if error == 0.0 else min(GROW, SAFETY * error**-0.125)
                if refused:
                    grow = min(1.0, grow)
                refused = False

                signals(t + h, new, p, after)
                ready = False
                for c in range(2):
                    turns = (before[2 + c] > 0.0) != (after[2 + c] > 0.0)
                    low, high = abs(before[c]), abs(after[c])
                    passes = False
                    for m in range(levels):
                        mu = THRESHOLDS[m]
                        passes = passes or (np.isnan(onset[r, c, m]) and high >= mu)
                    if (turns or passes) and not ready:
                        polynomial(t, h, y, p, K, x, new, F)
                        ready = True
                    top, top_value = 1.0, after[c]
                    if turns:
                        top = root(
                            t, h, y, F, p, x, out, 2 + c, 0.0, 0.0, before[2 + c], 1.0, after[2 + c]
                        )
                        inside(t, h, top, y, F, p, x, out)
                        top_value = out[c]
                        if abs(top_value) > best[r, c]:
                            best[r, c], when[r, c] = abs(top_value), t + top * h
                    if high > best[r, c]:
                        best[r, c], when[r, c] = high, t + h
                    for m in range(levels):
                        mu = THRESHOLDS[m]
                        if not np.isnan(onset[r, c, m]) or low >= mu:
                            continue
                        end, value = 1.0, after[c]
                        if abs(top_value) >= mu:
                            end, value = top, top_value
                        if abs(value) >= mu:
                            level = mu if value > 0.0 else -mu
                            s = root(
                                t, h, y, F, p, x, out, c, level,
                                0.0, before[c] - level, end, value - level,
                            )  # fmt: skip
                            onset[r, c, m] = t + s * h

                t = END if last else t + h
                h *= grow
                for i in range(6):
                    y[i] = new[i]
                    K[0, i] = K[STAGES, i]
                before[:] = after
            ends[r] = y

    return run


def full(tolerance: float) -> Solve:
    """Return the solver of the full task."""
    run, fixed = loop(), np.array(list(parameters().values()))

    def solve(u: Array, A: Array) -> Found:
        n = u.size
        ends, onset = np.empty((n, 6)), np.full((n, 2, len(MU)), np.nan)
        best, when = np.empty((n, 2)), np.empty((n, 2))
        run(u, A, fixed, tolerance, ends, best, when, onset)
        return Found(final(ends), best, when, onset)

    return solve
