"""Where expressions are tried: fixed places, on or off the constraints, in 50-digit arithmetic.

A generic rank is the rank at places without a special property. The places start from fixed
rational numbers, so every verdict is the same on every machine and in every run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import mpmath
import sympy as sp

from zwang.quantities import KnownRate

DIGITS = 50
ZERO = mpmath.mpf("1e-15")  # a double root is met to the root of MET only, so not smaller than that
MET = mpmath.mpf("1e-40")  # residual of equations that hold at a place
STARTS = 12  # fixed starts from which places are looked for
ENOUGH = 3  # places that decide
STEPS = 80  # a double root halves the error once a step, a simple one squares it

Place = dict[sp.Symbol, mpmath.mpf]
Row = list[mpmath.mpf]
precise = mpmath.workdps(DIGITS)


def fixed(symbols: Iterable[sp.Symbol], number: int) -> dict[sp.Symbol, sp.Rational]:
    """Return rational numbers between 1/3 and 4/3, other ones for every symbol and number."""
    ordered = sorted(symbols, key=lambda s: (s.name, sp.default_sort_key(s)))
    return {
        s: sp.Rational(1, 3) + sp.Rational(pow(sp.prime(i + 4), 3 + number, 1009), 1009)
        for i, s in enumerate(ordered)
    }


@precise
def anywhere(symbols: Iterable[sp.Symbol]) -> list[Place]:
    """Return places that know no constraint."""
    symbols = list(symbols)
    return [_exact(fixed(symbols, j)) for j in range(ENOUGH)]


def _exact(values: Mapping[sp.Symbol, sp.Rational]) -> Place:
    return {s: mpmath.mpf(v.p) / v.q for s, v in values.items()}


def symbols_of(expressions: Iterable[sp.Expr]) -> set[sp.Symbol]:
    """Return every symbol that occurs."""
    return set().union(*(sp.S(e).free_symbols for e in expressions))


class Numbers:
    """Expressions as functions of a place; None where one of them is not a real number."""

    def __init__(self, expressions: Sequence[sp.Expr]) -> None:
        self.symbols = sorted(symbols_of(expressions), key=sp.default_sort_key)
        function = sp.lambdify(
            self.symbols, list(expressions), modules="mpmath", cse=True, dummify=True
        )
        self._function = function

    def __call__(self, place: Place) -> Row | None:
        """Return the values at a place."""
        with mpmath.workdps(DIGITS):
            try:
                values = self._function(*(_number(place, s) for s in self.symbols))
            except (ZeroDivisionError, ValueError, OverflowError):
                return None
            if not all(mpmath.isfinite(v) and mpmath.im(v) == 0 for v in values):
                return None
            return [mpmath.mpf(mpmath.re(v)) for v in values]


def _number(place: Place, s: sp.Symbol) -> mpmath.mpf:
    """Return the value of a symbol; rates of known functions have one of their own everywhere."""
    if s not in place and isinstance(s, KnownRate):
        return mpmath.mpf(1) / 3 + mpmath.mpf(crc32(s.name.encode()) % 1009) / 1009
    return place[s]


def vanish(expressions: Sequence[sp.Expr], places: Sequence[Place]) -> list[bool]:
    """Return which expressions are zero at all places."""
    numbers = Numbers(expressions)
    values = [v for v in (numbers(p) for p in places) if v is not None]
    if not values:
        raise ArithmeticError("an expression is not a real number at any of the fixed places")
    return [all(abs(v[i]) < ZERO for v in values) for i in range(len(expressions))]


@dataclass(frozen=True)
class Elimination:
    """Rows in reduced echelon form; `parts` says of which given rows a dependent row consists."""

    rows: list[Row]
    pivots: list[int]  # pivot column of each echelon row
    independent: list[int]
    dependent: list[int]
    parts: dict[int, list[int]]
    sizes: dict[int, mpmath.mpf]  # how much of each given row the rows before it leave over

    @property
    def rank(self) -> int:
        """Return the number of independent rows."""
        return len(self.independent)


@precise
def eliminate(rows: Sequence[Row], columns: int, zero: mpmath.mpf = ZERO) -> Elimination:
    """Return the echelon form; rows are taken in order, pivots only in the first `columns`."""
    out: list[Row] = []
    made_of: list[dict[int, mpmath.mpf]] = []
    pivots: list[int] = []
    independent: list[int] = []
    dependent: list[int] = []
    parts: dict[int, list[int]] = {}
    sizes: dict[int, mpmath.mpf] = {}
    for i, given in enumerate(rows):
        length = max([abs(a) for a in given[:columns]], default=mpmath.mpf(0))
        row, origin = list(given), {i: mpmath.mpf(1)}
        for r, p, m in zip(out, pivots, made_of, strict=True):
            factor = row[p]
            row = [a - factor * b for a, b in zip(row, r, strict=True)]
            for k, c in m.items():
                origin[k] = origin.get(k, mpmath.mpf(0)) - factor * c
        p = max(range(columns), key=lambda j: abs(row[j]), default=0)
        size = abs(row[p]) if columns else mpmath.mpf(0)
        sizes[i] = size / length if length > 0 else mpmath.mpf(0)
        if size <= zero * max(length, 1):
            dependent.append(i)
            parts[i] = [k for k, c in sorted(origin.items()) if k != i and abs(c) > zero]
            continue
        pivot = row[p]
        row = [a / pivot for a in row]
        origin = {k: c / pivot for k, c in origin.items()}
        for n, (r, m) in enumerate(zip(out, made_of, strict=True)):
            factor = r[p]
            out[n] = [a - factor * b for a, b in zip(r, row, strict=True)]
            for k, c in origin.items():
                m[k] = m.get(k, mpmath.mpf(0)) - factor * c
        out.append(row)
        made_of.append(origin)
        pivots.append(p)
        independent.append(i)
    return Elimination(out, pivots, independent, dependent, parts, sizes)


@precise
def null_vectors(rows: Sequence[Row], columns: int, zero: mpmath.mpf = ZERO) -> list[Row]:
    """Return a basis of the vectors that all rows annihilate."""
    e = eliminate(rows, columns, zero)
    basis = []
    for free in (j for j in range(columns) if j not in e.pivots):
        v = [mpmath.mpf(int(j == free)) for j in range(columns)]
        for r, p in zip(e.rows, e.pivots, strict=True):
            v[p] = -r[free]
        basis.append(v)
    return basis


class Equalities:
    """Equations F = 0 in some unknowns, solved by Newton's method from the fixed starts."""

    def __init__(self, equations: Sequence[sp.Expr], unknowns: Sequence[sp.Symbol]) -> None:
        self.equations = [sp.S(e) for e in equations]
        self.unknowns = list(unknowns)
        self._F = Numbers(self.equations)
        self._J = Numbers([e.diff(u) for e in self.equations for u in self.unknowns])

    def places(self, symbols: Iterable[sp.Symbol], enough: int = ENOUGH) -> list[Place]:
        """Return up to `enough` places that meet all equations; none if no start leads to one."""
        symbols = {*symbols, *symbols_of(self.equations), *self.unknowns}
        found: list[Place] = []
        for j in range(STARTS):
            place = self._solved(_exact(fixed(symbols, j)))
            if place is not None:
                found.append(place)
            if len(found) == enough:
                break
        return found

    @precise
    def _solved(self, place: Place) -> Place | None:
        F = self._F(place)
        for _ in range(STEPS):
            if F is None:
                return None
            size = max(map(abs, F), default=mpmath.mpf(0))
            if size < MET:
                return place
            J = self._J(place)
            if J is None:
                return None
            step = self._step(J, F)
            for halvings in range(12):
                there = place | {
                    u: place[u] + mpmath.ldexp(d, -halvings)
                    for u, d in zip(self.unknowns, step, strict=True)
                }
                F = self._F(there)
                if F is not None and max(map(abs, F)) < size:
                    break
            else:
                return None
            place = there
        return None

    def _step(self, J: Row, F: Row) -> Row:
        """Return a solution of J d = −F that moves as few unknowns as possible."""
        n = len(self.unknowns)
        e = eliminate([[*J[i * n : (i + 1) * n], -f] for i, f in enumerate(F)], n, MET)
        d = [mpmath.mpf(0)] * n
        for r, p in zip(e.rows, e.pivots, strict=True):
            d[p] = r[n]
        return d
