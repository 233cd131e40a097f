"""Linear constraints as Pfaffian forms ω = A dq + a₀ dt, and what Frobenius says about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mpmath
import sympy as sp

from zwang.constraints.places import (
    ZERO,
    Numbers,
    Place,
    Row,
    eliminate,
    null_vectors,
    precise,
)
from zwang.quantities import partial
from zwang.trigonometry import reduced

SMALL = 150  # operations up to which an entry is brought to its normal form


def tidy(e: sp.Expr) -> sp.Expr:
    """Return the normal form of a small expression, a large one as it is."""
    e = sp.S(e)
    if e.count_ops() > SMALL:
        return e
    try:
        return reduced(e)
    except sp.PolynomialError:
        return e


@dataclass(frozen=True)
class Echelon:
    """Forms solved for some differentials: row i is dq_p + …, p its pivot column."""

    rows: list[list[sp.Expr]]
    pivots: list[int]


@precise
def echelon(forms: Sequence[Sequence[sp.Expr]], columns: int, places: Sequence[Place]) -> Echelon:
    """Return the independent forms solved for differentials among the first `columns`.

    Which coefficients are zero is decided by their numbers at the places; the shortest of the
    others serves as pivot.
    """
    width = len(forms[0]) if forms else 0
    numbers = Numbers([c for f in forms for c in f])
    values = [v for v in (numbers(p) for p in places) if v is not None]
    shadow = [[[v[i * width + j] for v in values] for j in range(width)] for i in range(len(forms))]
    rows, pivots = [list(f) for f in forms], []
    done: list[int] = []
    for i in range(len(rows)):
        for k, p in zip(done, pivots, strict=True):
            _subtract(rows, shadow, i, k, p)
        usable = [j for j in range(columns) if all(abs(v) > ZERO for v in shadow[i][j])]
        if not usable:
            continue
        # Not by length alone: a pivot near zero at a place costs digits there.
        p = min(usable, key=lambda j: (min(map(abs, shadow[i][j])) < 1e-3, rows[i][j].count_ops()))
        pivot, pivot_values = rows[i][p], shadow[i][p]
        rows[i] = [tidy(c / pivot) for c in rows[i]]
        shadow[i] = [[a / b for a, b in zip(s, pivot_values, strict=True)] for s in shadow[i]]
        for k in done:
            _subtract(rows, shadow, k, i, p)
        done.append(i)
        pivots.append(p)
    return Echelon([rows[i] for i in done], pivots)


def _subtract(rows: list[list[sp.Expr]], shadow: list[list[Row]], i: int, k: int, p: int) -> None:
    """Take row k times entry p from row i, in symbols and in numbers."""
    factor, factors = rows[i][p], shadow[i][p]
    for j in range(len(rows[i])):
        shadow[i][j] = [
            a - f * b for a, f, b in zip(shadow[i][j], factors, shadow[k][j], strict=True)
        ]
        zero = all(abs(v) < ZERO for v in shadow[i][j])
        rows[i][j] = sp.S.Zero if zero else tidy(rows[i][j] - factor * rows[k][j])


def annihilated(e: Echelon, width: int) -> list[list[sp.Expr]]:
    """Return vector fields on (q, t) that span what all forms annihilate."""
    fields = []
    for free in (j for j in range(width) if j not in e.pivots):
        v = [sp.S(int(j == free)) for j in range(width)]
        for r, p in zip(e.rows, e.pivots, strict=True):
            v[p] = -r[free]
        fields.append(v)
    return fields


def bracket(
    X: Sequence[sp.Expr], Y: Sequence[sp.Expr], variables: Sequence[sp.Symbol]
) -> list[sp.Expr]:
    """Return Lie's bracket [X, Y]ⁱ = Xʲ ∂ⱼYⁱ − Yʲ ∂ⱼXⁱ."""
    return [
        sp.Add(
            *(
                X[j] * partial(Y[i], s) - Y[j] * partial(X[i], s)
                for j, s in enumerate(variables)
                if X[j] != 0 or Y[j] != 0
            )
        )
        for i in range(len(variables))
    ]


def reachable(
    fields: Sequence[Sequence[sp.Expr]], variables: Sequence[sp.Symbol], places: Sequence[Place]
) -> list[list[Row]]:
    """Return, at each place, vectors that span the directions the fields reach by brackets.

    The forms that annihilate all of them are the largest integrable subset (Frobenius).
    """
    spans = [[_at(f, p) for f in fields] for p in places]
    newest = list(fields)
    while newest and len(spans[0]) < len(variables):
        tried, newest = newest, []
        for Y in tried:
            for X in fields:
                Z = bracket(X, Y, variables)
                if all(c == 0 for c in Z):
                    continue
                grown = [[*s, _at(Z, p)] for s, p in zip(spans, places, strict=True)]
                if any(eliminate(s, len(variables)).rank == len(s) for s in grown):
                    spans = grown
                    newest.append([tidy(c) for c in Z])
    return spans


def _at(vector: Sequence[sp.Expr], place: Place) -> Row:
    values = Numbers(vector)(place)
    if values is None:
        raise ArithmeticError("a vector field is not finite at one of the fixed places")
    return values


@precise
def integrable_alone(
    form: Sequence[sp.Expr], variables: Sequence[sp.Symbol], places: Sequence[Place]
) -> bool:
    """Return whether dω(v, w) = 0 for all v, w with ω(v) = ω(w) = 0, that is dω ∧ ω = 0.

    Closedness dω = 0 would be too much: an integrating factor is allowed.
    """
    n = len(variables)
    d = Numbers(
        [
            partial(form[j], a) - partial(form[i], b)
            for i, a in enumerate(variables)
            for j, b in enumerate(variables)
        ]
    )
    for p in places:
        omega, values = _at(form, p), d(p)
        vectors = null_vectors([omega], n)
        for k, v in enumerate(vectors):
            for w in vectors[:k]:
                pair = mpmath.fsum(
                    values[i * n + j] * v[i] * w[j] for i in range(n) for j in range(n)
                )
                if abs(pair) > ZERO:
                    return False
    return True
