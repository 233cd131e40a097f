"""Hamel's Lagrange–Euler equations: the energy in quasi-velocities, reactions included."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from zwang.formulations.equations import (
    DoesNotApply,
    Equations,
    constraint_rows,
    kinetics,
    need_linear,
    unknowns,
)
from zwang.formulations.maggi import Chart, chart
from zwang.quantities import Acceleration, explicit_rate, partial, per_second, t, total_rate
from zwang.system import System
from zwang.trigonometry import reduced


@dataclass(frozen=True)
class LagrangeEuler:
    """The accelerations Q_i of all n quasi-velocities, functions of t, q, ω and ω̇."""

    system: System
    chart: Chart
    energy: sp.Expr
    accelerations: tuple[sp.Expr, ...]
    omega_dot: tuple[Acceleration, ...]


def transposition_coefficients(system: System) -> sp.ImmutableDenseNDimArray:
    """Return β[i, s, m], shape (n, n + 1, n), functions of t and q.

    β_{i,s,m} = Σ_{h,l} (∂b_{m,l}/∂q_h − ∂b_{m,h}/∂q_l) c_{l,i} c_{h,s}  [Hamel (17)], where
    ω_s = Σ b_{s,i} q̇_i and q̇_s = Σ c_{s,i} ω_i; the source's (13) has the indices of b reversed.
    Time is the last coordinate and its own quasi-velocity, q̇ = ω = 1 [Hamel (20)]: b_{s,t} and
    c_{s,t} are the parts without rates, and s = n of the array stands for β_{i,t,m}. It is not
    displaced, δt = 0, and has no β_{i,s,t}, since ϑ_t = t is a coordinate.
    """
    _need_linear_rows(system)
    return _transposition(system, chart(system))


def _transposition(system: System, ch: Chart) -> sp.ImmutableDenseNDimArray:
    n = len(system.coordinates)
    b = ch.alpha.row_join(ch.alpha0)
    c = ch.beta.row_join(ch.beta0).col_join(sp.Matrix([[0] * n + [1]]))
    variables = (*system.coordinates, t)
    beta = sp.MutableDenseNDimArray.zeros(n, n + 1, n)
    for m in range(n):
        curl = sp.Matrix(
            n + 1,
            n + 1,
            lambda l, h, m=m: partial(b[m, l], variables[h]) - partial(b[m, h], variables[l]),
        ).applyfunc(reduced)
        if curl.is_zero_matrix:
            continue
        for i in range(n):
            for s in range(i + 1, n + 1):
                value = reduced((c[:, i].T * curl * c[:, s])[0])  # [Hamel (17)]
                beta[i, s, m] = value
                if s < n:
                    beta[s, i, m] = -value
    return beta.as_immutable()


def lagrange_euler(system: System) -> LagrangeEuler:
    """Return Q_i = d/dt ∂E/∂ω_i + Σ_{s,m} β_{i,s,m} ω_s ∂E/∂ω_m − Σ_s c_{s,i} ∂E/∂q_s.

    E = E(t, q, ω) in all n quasi-velocities, those of the constraints included; nothing is set to
    zero. For a free rigid body in its spins these are Euler's equations [Hamel (III)].
    """
    _need_linear_rows(system)
    ch = chart(system)
    beta = _transposition(system, ch)
    n = len(system.coordinates)
    omega = sp.Matrix(system.states)
    omega_dot = tuple(
        Acceleration(
            f"{w.name}_dot", rf"\dot{{{w.symbol}}}", per_second(w.unit), f"rate of {w.meaning}"
        )
        for w in system.states
    )
    qdot = dict(zip(system.rates, ch.beta * omega + ch.beta0, strict=True))  # [Hamel (13)]
    E = system.kinetic_energy.xreplace(qdot)
    J = [E.diff(w) for w in omega]
    with_time = (*omega, sp.S.One)

    def along_motion(f: sp.Expr) -> sp.Expr:
        return (
            explicit_rate(f)
            + sp.Add(*(f.diff(q) * qdot[q.dot] for q in system.coordinates))
            + sp.Add(*(f.diff(w) * a for w, a in zip(omega, omega_dot, strict=True)))
        )

    def turning(i: int) -> sp.Expr:
        return sp.Add(
            *(beta[i, s, m] * with_time[s] * J[m] for s in range(n + 1) for m in range(n))
        )

    def slope(i: int) -> sp.Expr:
        return sp.Add(*(ch.beta[s, i] * E.diff(q) for s, q in enumerate(system.coordinates)))

    Q = tuple(along_motion(J[i]) + turning(i) - slope(i) for i in range(n))  # [Hamel (19')]
    return LagrangeEuler(system, ch, E, Q, omega_dot)


def hamel(system: System) -> Equations:
    """Return Q_i = K_i for the free and Q_κ = K_κ + Λ_κ for the constraint quasi-velocities.

    K_i = Σ_s c_{s,i} K_s; the constraint velocities are set to zero after the differentiations.
    The second group is not in the source, which leaves the reactions aside.
    """
    le = lagrange_euler(system)
    free = len(system.quasi_velocities)
    inserted = dict.fromkeys(
        (*system.states[free:], *le.omega_dot[free:]), sp.S.Zero
    )  # [Hamel (21)]
    for row, w, w_dot in zip(system.rows[:free], system.states, le.omega_dot, strict=False):
        inserted |= {w: row.expression, w_dot: total_rate(row.expression, system.coordinates)}
    k = kinetics(system)
    K = [system.written_out(e) for e in le.chart.beta.T * k.Q]
    reaction = [sp.S.Zero] * free + [con.reaction for con in system.constraints]
    lhs, rhs = constraint_rows(system, k)
    return Equations(
        form="hamel",
        system=system,
        lhs=(*(Q.xreplace(inserted) for Q in le.accelerations), *lhs),
        rhs=(*(a + r for a, r in zip(K, reaction, strict=True)), *rhs),  # [Hamel (III)]
        unknowns=unknowns(system),
        references=("Hamel (17)", "Hamel (19')", "Hamel (III)"),
    )


def _need_linear_rows(system: System) -> None:
    need_linear(system, "hamel")
    for row in system.rows:
        if any(row.expression.diff(r).free_symbols & set(system.rates) for r in system.rates):
            raise DoesNotApply(
                f"hamel does not apply to {system.name}: quasi-velocity {row.name!r} is not linear "
                "in the rates"
            )
