"""Dependent rates and accelerations in terms of independent ones, for the forms of Hamel's § 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from zwang.formulations.equations import DoesNotApply, Equations, need_linear
from zwang.quantities import Acceleration, Coordinate, Rate, rate_of_change
from zwang.system import System
from zwang.trigonometry import reduced


@dataclass(frozen=True)
class Elimination:
    """The constraints solved for the rates and accelerations of the dependent coordinates.

    q̈_dep = a q̈_ind + b for all constraints [Hamel (3)], q̇_dep = a q̇_ind + a₀ for those that are
    linear in the rates [Hamel (2)]; A q̈ = γ are the differentiated constraints themselves.
    """

    system: System
    independent: tuple[Coordinate, ...]
    dependent: tuple[Coordinate, ...]
    a: sp.Matrix
    b: sp.Matrix
    a0: sp.Matrix | None
    A: sp.Matrix
    gamma: sp.Matrix

    @property
    def rates(self) -> dict[Rate, sp.Expr]:
        """Return q̇_dep = a q̇_ind + a₀ by rate [Hamel (2)]."""
        if self.a0 is None:
            need_linear(self.system, "an elimination of rates")
        values = self.a * _column(q.dot for q in self.independent) + self.a0
        return dict(zip((q.dot for q in self.dependent), values, strict=True))

    @property
    def accelerations(self) -> dict[Acceleration, sp.Expr]:
        """Return q̈_dep = a q̈_ind + b by acceleration [Hamel (3)]."""
        values = self.a * _column(q.ddot for q in self.independent) + self.b
        return dict(zip((q.ddot for q in self.dependent), values, strict=True))

    def through_dependent(self, values: Mapping[Coordinate, sp.Expr]) -> list[sp.Expr]:
        """Return Σ_m a_{m,i} x_{n+m}: what the dependent coordinates add to x_i [Hamel (4)]."""
        x = [values[q] for q in self.dependent]
        return [
            sp.Add(*(self.a[m, i] * x[m] for m in range(len(x))))
            for i in range(len(self.independent))
        ]

    def projected(self, values: Mapping[Coordinate, sp.Expr]) -> list[sp.Expr]:
        """Return x_i + Σ_m a_{m,i} x_{n+m}, a side of [Hamel (8)]."""
        return [
            values[q] + more
            for q, more in zip(self.independent, self.through_dependent(values), strict=True)
        ]

    def equations(self, form: str, left: Sequence[sp.Expr], *references: str) -> Equations:
        """Return left = K' [Hamel (8)], one row an independent coordinate, with A q̈ = γ."""
        system = self.system
        forces = dict(zip(system.coordinates, system.applied_forces, strict=True))
        qddot = tuple(q.ddot for q in system.coordinates)
        return Equations(
            form=form,
            system=system,
            lhs=(*left, *(self.A * sp.Matrix(qddot))),
            rhs=(*(system.written_out(K) for K in self.projected(forces)), *self.gamma),
            unknowns=qddot,
            references=references,
        )


def eliminate(system: System) -> Elimination:
    """Return the elimination whose dependent coordinates are, where possible, the last ones.

    a = −A_dep⁻¹ A_ind and b = A_dep⁻¹ γ with A = ∂φ/∂q̇, γ = −(∂φ/∂t + ∂φ/∂q q̇).
    """
    phi = [con.expression for con in system.constraints]
    rates = system.rates
    A = sp.Matrix(len(phi), len(rates), [f.diff(v) for f in phi for v in rates])
    gamma = _column(-rate_of_change(f) for f in phi)
    dependent = _last_regular_columns(system, A)
    independent = [j for j in range(len(rates)) if j not in dependent]
    minor, others = A[:, dependent], A[:, independent]
    determinant = minor.det(method="berkowitz") if phi else sp.S.One
    inverse = (minor.adjugate() if phi else minor) / determinant
    linear = not A.free_symbols & set(rates)
    a, a0 = -inverse * others, None
    if linear:
        a = a.applyfunc(reduced)
        a0 = -inverse * _column(f.xreplace(dict.fromkeys(rates, sp.S.Zero)) for f in phi)
        a0 = a0.applyfunc(reduced)
    return Elimination(
        system=system,
        independent=tuple(system.coordinates[j] for j in independent),
        dependent=tuple(system.coordinates[j] for j in dependent),
        a=a,
        b=inverse * gamma,
        a0=a0,
        A=A,
        gamma=gamma,
    )


def _last_regular_columns(system: System, A: sp.Matrix) -> list[int]:
    """Return the columns of a minor that does not vanish identically, the last ones that give one.

    The minor is judged at one fixed point of small fractions, so that the choice never changes.
    """
    symbols = sorted(A.free_symbols, key=lambda s: (s.name, type(s).__name__))
    point = {s: sp.Rational(sp.prime(i + 5), sp.prime(i + 9)) for i, s in enumerate(symbols)}
    values = A.xreplace(point).evalf(30)
    columns: list[int] = []
    for j in reversed(range(A.cols)):
        trial = values[:, [*columns, j]]
        if trial.rank(iszerofunc=lambda x: abs(x) < 1e-15) > len(columns):
            columns.append(j)
    if len(columns) < A.rows:
        raise DoesNotApply(
            f"an elimination does not apply to {system.name}: its constraints are dependent"
        )
    return sorted(columns)


def _column(entries: Iterable[sp.Expr]) -> sp.Matrix:
    entries = list(entries)
    return sp.Matrix(len(entries), 1, entries)
