"""Tables of measured values as splines: a polynomial in time between neighbouring knots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike, NDArray

from zwang.quantities import Known, Quantity
from zwang.tables import Table, table

DERIVATIVES = 3  # of a cubic that do not vanish


class Piece(Quantity):
    """A coefficient of the polynomial between two knots, constant until the next knot."""


@dataclass(frozen=True)
class Sampled:
    """A table as a spline whose first two derivatives are continuous, Σ cₙ (t − t_knot)ⁿ.

    Its ends have no condition of their own (not-a-knot), so that a cubic is met exactly.
    """

    name: str
    table: Table

    @cached_property
    def value(self) -> Known:
        """Return the symbol of the value; its derivatives are known functions, too."""
        word = self.table.long_name or f"table {self.name}"
        return Known(f"table_{self.name}", rf"\mathrm{{{self.name}}}", self.table.unit, word)

    @cached_property
    def derivatives(self) -> tuple[Known, ...]:
        """Return the symbols of the value and of its derivatives that do not vanish."""
        found = [self.value]
        while len(found) <= DERIVATIVES:
            found.append(found[-1].dot)
        return tuple(found)

    @cached_property
    def knot(self) -> Piece:
        """Return the symbol of the knot before the present time."""
        return Piece(f"knot_{self.name}", "t_k", "s", f"last knot of {self.name}")

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Return the symbols c₀ … c₃ of the present polynomial."""
        return tuple(Piece(f"piece_{self.name}_{n}", f"c_{n}") for n in range(DERIVATIVES + 1))

    def weights(self, order: int) -> tuple[sp.Expr, ...]:
        """Return the coefficients of the derivative of this order, four of them."""
        found = [sp.ff(n, order) * c for n, c in enumerate(self.pieces)][order:]
        return (*found, *[sp.S.Zero] * order)

    def polynomial(self, order: int, s: sp.Expr) -> sp.Expr:
        """Return the derivative of this order at the time s after the knot."""
        return sp.Add(*(c * s**n for n, c in enumerate(self.weights(order))))

    @cached_property
    def knots(self) -> NDArray[np.float64]:
        """Return the times of the table."""
        return np.array(self.table.times)

    @cached_property
    def coefficients(self) -> NDArray[np.float64]:
        """Return c₀ … c₃ of every interval, (intervals, 4)."""
        from scipy.interpolate import CubicSpline  # only tables need it

        spline = CubicSpline(self.knots, np.array(self.table.values), bc_type="not-a-knot")
        return np.ascontiguousarray(spline.c[::-1].T)


Given = Mapping[str, "tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, str] | Table"]


def sampled(tables: Given) -> tuple[Sampled, ...]:
    """Return the splines of tables given as times, values and unit, sorted by name."""
    return tuple(Sampled(name, table(name, *given)) for name, given in sorted(tables.items()))
