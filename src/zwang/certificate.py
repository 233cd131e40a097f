"""The certificate of a system: all its forms give the same accelerations and reactions."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

import mpmath
import sympy as sp

from zwang.constraints import require_regular
from zwang.formulations import FORMS
from zwang.formulations.equations import DoesNotApply, Equations
from zwang.quantities import Acceleration, Coordinate, Known, Parameter, Quantity, t
from zwang.system import System
from zwang.trigonometry import reduced

DIGITS = 60  # computed with; residuals are asked to vanish to EQUAL
EQUAL = mpmath.mpf(10) ** -40
STATES = 20
QUICK = 300  # operations up to which a symbolic zero is tried
ATTEMPTS = 40  # to find an admissible state from a random guess


class NotCertified(ValueError):
    """Forms that do not agree, or a system on which they cannot be compared."""


@dataclass(frozen=True)
class Comparison:
    """Two forms on one kind of unknowns: how they were compared and what the worst was."""

    first: str
    second: str
    kind: str  # accelerations or reactions
    method: str  # symbolic, or numbers with so many digits
    states: int
    residual: float

    @property
    def equal(self) -> bool:
        """Whether the two agree."""
        return self.residual <= float(EQUAL)


@dataclass(frozen=True)
class Certificate:
    """Which forms apply to a system, and how every pair of them compares."""

    system: str
    forms: tuple[str, ...]
    refused: Mapping[str, str]  # form -> why it does not apply
    comparisons: tuple[Comparison, ...]

    @property
    def valid(self) -> bool:
        """Whether all forms agree."""
        return all(c.equal for c in self.comparisons)


def certify(system: System, states: int = STATES, seed: int = 1) -> Certificate:
    """Return the certificate of a system at random admissible states with many digits."""
    require_regular(system)
    applied: dict[str, Equations] = {}
    refused: dict[str, str] = {}
    for name, form in FORMS.items():
        try:
            applied[name] = form(system)
        except DoesNotApply as reason:
            refused[name] = str(reason)
    with mpmath.workdps(DIGITS):
        solutions = _solutions(system, applied, states, seed)
        comparisons = tuple(
            comparison
            for a, b in combinations(applied, 2)
            for comparison in _compare(applied[a], applied[b], solutions[a], solutions[b])
        )
    return Certificate(system.name, tuple(applied), refused, comparisons)


@dataclass(frozen=True)
class _Solution:
    """q̈ and Λ of one form at one state, and the numbers of the rows they solve."""

    values: Mapping[str, mpmath.mpf]
    rows: list[mpmath.mpf]


def _compare(
    a: Equations, b: Equations, first: list[_Solution], second: list[_Solution]
) -> list[Comparison]:
    here, there = first[0].rows, second[0].rows
    alike = len(here) == len(there) and all(
        abs(x - y) <= EQUAL * max(1, abs(x)) for x, y in zip(here, there, strict=True)
    )
    same = alike and _identical(a, b)  # rows that differ in numbers are not the same in symbols
    found = []
    for kind, is_acceleration in (("accelerations", True), ("reactions", False)):
        names = [
            u.name
            for u in a.unknowns
            if u in b.unknowns and isinstance(u, Acceleration) == is_acceleration
        ]
        if not names:
            continue
        worst = max(
            _distance(x.values, y.values, names) for x, y in zip(first, second, strict=True)
        )
        method = "symbolic" if same else f"{DIGITS} digits"
        found.append(Comparison(a.form, b.form, kind, method, len(first), float(worst)))
    return found


def _distance(
    x: Mapping[str, mpmath.mpf], y: Mapping[str, mpmath.mpf], names: list[str]
) -> mpmath.mpf:
    scale = max(mpmath.mpf(1), *(abs(x[n]) for n in names))
    return max(abs(x[n] - y[n]) for n in names) / scale


def _identical(a: Equations, b: Equations) -> bool:
    """Return whether the rows of two forms are the same expressions, where that is quickly seen."""
    if a.unknowns != b.unknowns:
        return False
    gaps = [p - q - (r - s) for p, q, r, s in zip(a.lhs, a.rhs, b.lhs, b.rhs, strict=True)]
    if sum(sp.count_ops(g) for g in gaps) > QUICK * len(gaps):
        return False
    return all(reduced(g) == 0 for g in gaps)


def _solutions(
    system: System, forms: Mapping[str, Equations], states: int, seed: int
) -> dict[str, list[_Solution]]:
    """Return q̈ and Λ of every form at the same admissible states."""
    symbols = sorted(
        set().union(*(s.free_symbols for e in forms.values() for s in (*e.lhs, *e.rhs)))
        - set().union(*(e.unknowns for e in forms.values())),
        key=lambda s: s.name,
    )
    solvers = {name: _solver(e, symbols) for name, e in forms.items()}
    draw = random.Random(seed)
    found: dict[str, list[_Solution]] = {name: [] for name in forms}
    for _ in range(states):
        for _attempt in range(ATTEMPTS):
            state = admissible_state(system, symbols, draw)
            try:
                here = {name: solve(state) for name, solve in solvers.items()}
                break
            except (ZeroDivisionError, ValueError):
                continue  # a chart or a minor vanished there
        else:
            raise NotCertified(
                f"{system.name}: no state found at which every form can be solved; the constraints "
                "may be dependent or a coordinate massless"
            )
        for name, values in here.items():
            found[name].append(values)
    return found


def _solver(
    equations: Equations, symbols: list[Quantity]
) -> Callable[[Mapping[sp.Symbol, mpmath.mpf]], _Solution]:
    matrix, vector = equations.linear()
    evaluate = sp.lambdify(symbols, [list(matrix), list(vector)], "mpmath", cse=True)
    names = [u.name for u in equations.unknowns]
    n = len(names)

    def solve(state: Mapping[sp.Symbol, mpmath.mpf]) -> _Solution:
        flat, right = evaluate(*(state[s] for s in symbols))
        A = mpmath.matrix(len(right), n)
        for i, value in enumerate(flat):
            A[i // n, i % n] = value
        values = mpmath.lu_solve(A, mpmath.matrix(right))
        return _Solution(dict(zip(names, values, strict=True)), [*flat, *right])

    return solve


def admissible_state(
    system: System, symbols: list[Quantity], draw: random.Random
) -> dict[sp.Symbol, mpmath.mpf]:
    """Return values of all symbols: constraints satisfied in position and in velocity."""

    def number(low: float, high: float) -> mpmath.mpf:
        return mpmath.mpf(draw.randint(int(low * 10**6), int(high * 10**6))) / 10**6

    state: dict[sp.Symbol, mpmath.mpf] = {}
    for s in sorted({*symbols, t, *system.parameters, *system.inputs}, key=lambda s: s.name):
        if isinstance(s, Parameter):
            state[s] = number(0.5, 2.5)
        elif isinstance(s, Known) or s == t:
            state[s] = number(-2.0, 2.0)
    q = {c: number(0.2, 1.2) for c in system.coordinates}
    v = {r: number(-2.0, 2.0) for r in system.rates}
    positions = [c.position for c in system.constraints if c.position is not None]
    q = _satisfied(positions, q, state)
    v = _satisfied([c.expression for c in system.constraints], v, state | q)
    return state | q | v


def _satisfied(
    equations: list[sp.Expr],
    guess: dict[Coordinate, mpmath.mpf],
    known: Mapping[sp.Symbol, mpmath.mpf],
) -> dict[Coordinate, mpmath.mpf]:
    """Return the values near the guess that satisfy the equations, by Newton's least steps."""
    if not equations:
        return guess
    names = list(guess)
    rows = [sp.S(e).subs(known) for e in equations]
    jacobian = [[e.diff(s) for s in names] for e in rows]
    evaluate = sp.lambdify(names, [rows, jacobian], "mpmath")
    x = mpmath.matrix([guess[n] for n in names])
    for _ in range(60):
        value, slope = evaluate(*x)
        F, J = mpmath.matrix(value), mpmath.matrix(slope)
        if mpmath.norm(F) < mpmath.mpf(10) ** (5 - DIGITS):
            return dict(zip(names, x, strict=True))
        x -= J.T * mpmath.lu_solve(J * J.T, F)
    raise NotCertified("no admissible state was found near a random guess")
