"""The one contract of all formulations: rows that are linear in named unknowns."""

from __future__ import annotations

from dataclasses import dataclass

import mpmath
import sympy as sp

from zwang.quantities import Quantity, rate_of_change
from zwang.system import Constraint, System
from zwang.trigonometry import reduced

DIGITS = 60  # of a solution at a state that is not given in fractions


@dataclass(frozen=True)
class Equations:
    """Equations of motion lhs = rhs, linear in the unknowns q̈ and Λ."""

    form: str
    system: System
    lhs: tuple[sp.Expr, ...]
    rhs: tuple[sp.Expr, ...]
    unknowns: tuple[Quantity, ...]
    references: tuple[str, ...]

    def linear(self) -> tuple[sp.Matrix, sp.Matrix]:
        """Return (matrix, vector) of the linear system for the unknowns."""
        difference = [a - b for a, b in zip(self.lhs, self.rhs, strict=True)]
        matrix, vector = sp.linear_eq_to_matrix(difference, list(self.unknowns))
        return matrix, vector

    def solve(self, state: dict[sp.Symbol, sp.Expr]) -> dict[Quantity, sp.Expr]:
        """Return q̈ and Λ at one state: every symbol but the unknowns has a value there."""
        matrix, vector = (m.subs(state) for m in self.linear())
        values = _exact(matrix, vector) if _rational(matrix, vector) else _precise(matrix, vector)
        return dict(zip(self.unknowns, values, strict=True))

    def _repr_latex_(self) -> str:
        rows = (rf"{sp.latex(a)} &= {sp.latex(b)}" for a, b in zip(self.lhs, self.rhs, strict=True))
        return "$$\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}$$"


def _rational(*matrices: sp.Matrix) -> bool:
    return all(e.is_Rational for m in matrices for e in m)


def _exact(matrix: sp.Matrix, vector: sp.Matrix) -> list[sp.Expr]:
    return list(matrix.LUsolve(vector))


def _precise(matrix: sp.Matrix, vector: sp.Matrix) -> list[sp.Expr]:
    """Return the solution with partial pivoting, which sympy's own elimination lacks."""
    with mpmath.workdps(DIGITS):
        A, b = (mpmath.matrix(m.evalf(DIGITS).tolist()) for m in (matrix, vector))
        return [sp.Float(x, DIGITS) for x in mpmath.lu_solve(A, b)]


@dataclass(frozen=True)
class Kinetics:
    """What every form starts from: M q̈ + c = Q + Aᵀ Λ and A q̈ = γ."""

    M: sp.Matrix
    c: sp.Matrix
    Q: sp.Matrix
    A: sp.Matrix
    gamma: sp.Matrix


class DoesNotApply(ValueError):
    """A form that does not hold for a system, with the reason."""


def is_linear(system: System) -> bool:
    """Return whether every constraint is linear in the rates."""
    return all(linear_in_rates(system, con) for con in system.constraints)


def linear_in_rates(system: System, con: Constraint) -> bool:
    """Return whether a constraint is linear in the rates."""
    slopes = [con.expression.diff(r) for r in system.rates]
    return not any(e.free_symbols & set(system.rates) for e in slopes)


def need_linear(system: System, form: str) -> None:
    """Raise DoesNotApply if a constraint is not linear in the rates."""
    for con in system.constraints:
        if not linear_in_rates(system, con):
            raise DoesNotApply(
                f"{form} does not apply to {system.name}: constraint {con.name!r} is not linear "
                "in the rates"
            )


def kinetics(system: System) -> Kinetics:
    """Return mass matrix, Euler terms, applied forces and the differentiated constraints."""
    q, qdot = system.coordinates, list(system.rates)
    p = [system.kinetic_energy.diff(v) for v in qdot]
    M = sp.Matrix([[reduced(pi.diff(v)) for v in qdot] for pi in p])
    c = sp.Matrix(
        [
            reduced(rate_of_change(pi) - system.kinetic_energy.diff(qi))
            for pi, qi in zip(p, q, strict=True)
        ]
    )
    phi = [con.expression for con in system.constraints]
    A = sp.Matrix(len(phi), len(q), [f.diff(v) for f in phi for v in qdot])
    gamma = sp.Matrix([-rate_of_change(f) for f in phi]) if phi else sp.zeros(0, 1)
    return Kinetics(M, c, sp.Matrix(system.applied_forces), A, gamma)


def constraint_rows(system: System, k: Kinetics) -> tuple[list[sp.Expr], list[sp.Expr]]:
    """Return the differentiated constraints A q̈ = γ as left and right sides."""
    qddot = sp.Matrix([q.ddot for q in system.coordinates])
    return list(k.A * qddot), list(k.gamma)


def unknowns(system: System) -> tuple[Quantity, ...]:
    """Return q̈ and Λ."""
    return (
        *(q.ddot for q in system.coordinates),
        *(con.reaction for con in system.constraints),
    )
