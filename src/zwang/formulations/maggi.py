"""Maggi's equations: Lagrange's operator projected on quasi-velocities, in two groups."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from zwang.formulations.equations import (
    DoesNotApply,
    Equations,
    Kinetics,
    constraint_rows,
    kinetics,
    need_linear,
    unknowns,
)
from zwang.quantities import Quantity, rate_of_change
from zwang.system import System
from zwang.trigonometry import reduced


class SingularChart(DoesNotApply):
    """Quasi-velocities that do not determine the rates anywhere."""


@dataclass(frozen=True)
class Chart:
    """The linear change of velocities v* = α q̇ + α₀ and its inverse q̇ = β v* + β₀."""

    alpha: sp.Matrix
    alpha0: sp.Matrix
    beta: sp.Matrix
    beta0: sp.Matrix
    determinant: sp.Expr


@dataclass(frozen=True)
class Rows:
    """Maggi's rows M* v̇* = f* + Λ*, with q̈ = β v̇* + drift; functions of time, q and velocities.

    The velocities are the v* themselves, or q̇ where a constraint is not linear in the rates.
    """

    system: System
    chart: Chart
    velocities: tuple[Quantity, ...]
    qdot: tuple[sp.Expr, ...]
    mass: sp.Matrix
    force: tuple[sp.Expr, ...]
    drift: tuple[sp.Expr, ...]


def chart(system: System) -> Chart:
    """Return ∂v*/∂q̇ and its inverse [Juschkov (24), (25)].

    Where all v* are linear in the rates, the constant parts α₀, β₀ complete the map.
    """
    qdot = list(system.rates)
    v = [row.expression for row in system.rows]
    alpha = sp.Matrix(len(v), len(v), [e.diff(r) for e in v for r in qdot])
    alpha0 = sp.Matrix([e.subs(dict.fromkeys(qdot, 0)) for e in v])
    determinant = reduced(alpha.det(method="berkowitz"))
    if determinant == 0:
        raise SingularChart(
            f"{system.name}: the velocities {', '.join(r.name for r in system.rows)} are "
            "dependent; choose other quasi-velocities or remove the dependent constraint"
        )
    beta = alpha.adjugate().applyfunc(lambda e: reduced(e / determinant))
    return Chart(alpha, alpha0, beta, (-beta * alpha0).applyfunc(reduced), determinant)


def rows(system: System, held: frozenset[str] = frozenset()) -> Rows:
    """Return Maggi's rows in quasi-velocities; the velocities of `held` rows are zero.

    M* = βᵀ M β and f* = βᵀ (Q − c − M (β̇ v* + β̇₀)) [Juschkov (28), (30)].
    """
    need_linear(system, "the kernel in quasi-velocities")
    k, ch = kinetics(system), chart(system)
    rate = dict(zip(system.rates, _qdot(system, ch, held), strict=True))

    def along_motion(e: sp.Expr) -> sp.Expr:
        return rate_of_change(e).subs(rate)

    v = _states(system, held)
    drift = ch.beta.applyfunc(along_motion) * v + ch.beta0.applyfunc(along_motion)
    h = k.Q.subs(rate) - k.c.subs(rate) - k.M * drift
    return Rows(
        system=system,
        chart=ch,
        velocities=tuple(s for s in system.states if s.name not in held),
        qdot=tuple(rate.values()),
        mass=(ch.beta.T * k.M * ch.beta).applyfunc(reduced),
        force=tuple(reduced(e) for e in ch.beta.T * h),
        drift=tuple(drift),
    )


def rows_in_rates(system: System) -> Rows:
    """Return Maggi's rows as functions of q and q̇, for constraints that are not linear in q̇.

    v̇* = α q̈ + b with α = ∂v*/∂q̇ and b = (∂v*/∂q) q̇ + ∂v*/∂t, hence q̈ = β (v̇* − b) [Ivanov (8)].
    """
    k, ch = kinetics(system), chart(system)
    bias = sp.Matrix([rate_of_change(row.expression) for row in system.rows])
    drift = -ch.beta * bias
    return Rows(
        system=system,
        chart=ch,
        velocities=system.rates,
        qdot=tuple(system.rates),
        mass=(ch.beta.T * k.M * ch.beta).applyfunc(reduced),
        force=tuple(reduced(e) for e in ch.beta.T * (k.Q - k.c - k.M * drift)),
        drift=tuple(drift),
    )


def _states(system: System, held: frozenset[str]) -> sp.Matrix:
    return sp.Matrix([sp.S.Zero if s.name in held else s for s in system.states])


def _qdot(system: System, ch: Chart, held: frozenset[str]) -> list[sp.Expr]:
    return [reduced(e) for e in ch.beta * _states(system, held) + ch.beta0]


def maggi(system: System) -> Equations:
    """Return both groups of Maggi's equations with the differentiated constraints.

    First group  (M W − Q)·∂q̇/∂v* = 0  [Juschkov (28)], one row a free quasi-velocity;
    second group (M W − Q)·∂q̇/∂v* = Λ  [Juschkov (30)], one row a constraint.
    Where v*(q̇) is not linear and cannot be solved for q̇, its Jacobian is inverted [Ivanov (8)].
    """
    k: Kinetics = kinetics(system)
    beta = chart(system).beta
    qddot = sp.Matrix([q.ddot for q in system.coordinates])
    moved = beta.T * (k.M * qddot + k.c)
    applied = beta.T * k.Q
    free = len(system.quasi_velocities)
    reaction = [sp.S.Zero] * free + [con.reaction for con in system.constraints]
    lhs, rhs = constraint_rows(system, k)
    out = system.written_out
    return Equations(
        form="maggi",
        system=system,
        lhs=(*moved, *lhs),
        rhs=(*(out(a) + r for a, r in zip(applied, reaction, strict=True)), *rhs),
        unknowns=unknowns(system),
        references=("Juschkov (28)", "Juschkov (30)", "Ivanov (8)"),
    )
