"""Lagrange's equations of the first kind with the multipliers eliminated."""

from __future__ import annotations

import sympy as sp

from zwang.formulations.equations import DoesNotApply, Equations, kinetics, unknowns
from zwang.system import System


def lagrange_eliminated(system: System) -> Equations:
    """Return Σ a_αβ Λ_β = γ_α − A M⁻¹(Q − c) and q̈ = M⁻¹(Q − c + AᵀΛ).

    a = A M⁻¹ Aᵀ: for particles Σᵢ ∇ᵢF_α·∇ᵢF_β / mᵢ; the printed a_αβ lacks the 1/mᵢ
    [Wipf (6.36)–(6.39)].
    """
    k = kinetics(system)
    if k.M.det(method="berkowitz") == 0:
        raise DoesNotApply(
            f"elimination of the multipliers does not apply to {system.name}: its mass matrix is "
            "singular, a coordinate has no mass"
        )
    qddot = sp.Matrix([q.ddot for q in system.coordinates])
    Lambda = sp.Matrix(len(system.constraints), 1, [c.reaction for c in system.constraints])
    force = k.Q.applyfunc(system.written_out) - k.c
    W = k.M.LUsolve(k.A.T) if k.A.rows else sp.zeros(k.M.rows, 0)
    free = k.M.LUsolve(force)
    return Equations(
        form="lagrange_eliminated",
        system=system,
        lhs=(*(k.A * W * Lambda), *qddot),
        rhs=(*(k.gamma - k.A * free), *(free + W * Lambda)),
        unknowns=unknowns(system),
        references=("Wipf (6.36)", "Wipf (6.39)"),
    )
