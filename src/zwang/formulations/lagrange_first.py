"""Lagrange's equations of the first kind: every coordinate, reactions as multipliers."""

from __future__ import annotations

import sympy as sp

from zwang.formulations.equations import Equations, constraint_rows, kinetics, unknowns
from zwang.system import System


def lagrange_first(system: System) -> Equations:
    """Return M q̈ + c = Q + Aᵀ Λ with A q̈ = γ.

    The force of constraint κ on the system is +Λ_κ ∂φ^κ/∂q̇ [Juschkov (14)].
    """
    k = kinetics(system)
    qddot = sp.Matrix([q.ddot for q in system.coordinates])
    Lambda = sp.Matrix([con.reaction for con in system.constraints])
    force = k.A.T * Lambda if system.constraints else sp.zeros(len(qddot), 1)
    lhs, rhs = constraint_rows(system, k)
    out = system.written_out
    return Equations(
        form="lagrange_first",
        system=system,
        lhs=(*(k.M * qddot + k.c), *lhs),
        rhs=(*(out(e) for e in k.Q + force), *rhs),
        unknowns=unknowns(system),
        references=("Juschkov (14)",),
    )
