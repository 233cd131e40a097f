"""Woronetz' equations: Lagrange's operator of the constrained energy and its correction."""

from __future__ import annotations

import sympy as sp

from zwang.formulations.elimination import Elimination, eliminate
from zwang.formulations.equations import Equations, need_linear
from zwang.quantities import Coordinate, partial, t, total_rate
from zwang.system import System


def woronetz(system: System) -> Equations:
    """Return (V): d/dt ∂E''/∂q̇_i − (∂E''/∂ϑ_i) + Σ_m J_{n+m} (Σ_s β_{i,s,n+m} q̇_s + β_{i,t,n+m})
    = K'_i.

    E'' is E with the dependent rates inserted, J_{n+m} = ∂E/∂q̇_{n+m} before that, and
    (∂/∂ϑ_i) = ∂/∂q_i + Σ_m a_{m,i} ∂/∂q_{n+m}.
    """
    need_linear(system, "woronetz")
    e = eliminate(system)
    E2 = system.kinetic_energy.xreplace(e.rates)
    J = [system.kinetic_energy.diff(q.dot).xreplace(e.rates) for q in e.dependent]
    slope = e.projected({q: E2.diff(q) for q in system.coordinates})
    left = []
    for i, q in enumerate(e.independent):
        turning = sp.Add(*(J[m] * _beta(e, i, m) for m in range(len(J))))
        left.append(total_rate(E2.diff(q.dot), system.coordinates) - slope[i] + turning)
    return e.equations("woronetz", left, "Hamel (V)")  # [Hamel (V)]


def _beta(e: Elimination, i: int, m: int) -> sp.Expr:
    """Return Σ_s β_{i,s,n+m} q̇_s + β_{i,t,n+m}, from [Hamel (17)] with b given by [Hamel (23)].

    β_{i,s,n+m} = X_i a_{m,s} − X_s a_{m,i} with X_s = ∂/∂q_s + Σ_μ a_{μ,s} ∂/∂q_{n+μ}; time is one
    more coordinate with q̇ = 1, a_{m,t} = a_m and X_t = ∂/∂t + Σ_μ a_μ ∂/∂q_{n+μ}.
    """
    columns = e.a.row_join(e.a0)
    variables: tuple[Coordinate | sp.Symbol, ...] = (*e.independent, t)
    rates = (*(q.dot for q in e.independent), sp.S.One)

    def X(s: int, expr: sp.Expr) -> sp.Expr:
        return partial(expr, variables[s]) + sp.Add(
            *(columns[mu, s] * expr.diff(q) for mu, q in enumerate(e.dependent))
        )

    return sp.Add(
        *((X(i, columns[m, s]) - X(s, columns[m, i])) * rate for s, rate in enumerate(rates))
    )
