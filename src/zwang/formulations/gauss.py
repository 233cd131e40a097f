"""Gauss's principle of least constraint: the acceleration nearest to the free one."""

from __future__ import annotations

import sympy as sp

from zwang.formulations.equations import Equations, constraint_rows, kinetics, unknowns
from zwang.system import System


def constraint_measure(system: System) -> sp.Expr:
    """Return Gauss's constraint Z(q̈), up to terms without accelerations.

    Z = T(x, r) with r = ẍ − f [GaussPrinciple (6)], of T the part quadratic in the rates. With
    M f = Q − c this is ½ q̈ᵀ M q̈ − q̈ᵀ(Q − c) plus what does not depend on q̈: no inverse of M is
    needed, a massless coordinate does no harm.
    """
    qddot = sp.Matrix([q.ddot for q in system.coordinates])
    if system.accelerations:
        r = dict(
            zip(system.rates, qddot - sp.Matrix(system.accelerations), strict=True)
        )  # T as a form in r
        return _quadratic(system).subs(r, simultaneous=True)
    k = kinetics(system)
    force = k.Q.applyfunc(system.written_out) - k.c
    return (qddot.T * k.M * qddot / 2 - qddot.T * force)[0]


def gauss(system: System) -> Equations:
    """Return ∂Z/∂q̈ + λ ∂(A q̈ − γ)/∂q̈ = 0 with A q̈ = γ [GaussPrinciple (5)–(7)]; λ = −Λ."""
    Z = constraint_measure(system)
    k = kinetics(system)
    reactions = [c.reaction for c in system.constraints]
    left, right = constraint_rows(system, k)
    stationary = [Z.diff(q.ddot) for q in system.coordinates]
    forces = [
        sp.Add(*(L * k.A[row, i] for row, L in enumerate(reactions)))
        for i in range(len(system.coordinates))
    ]
    return Equations(
        form="gauss",
        system=system,
        lhs=(*stationary, *left),
        rhs=(*forces, *right),
        unknowns=unknowns(system),
        references=("GaussPrinciple (5)", "GaussPrinciple (6)", "GaussPrinciple (7)"),
    )


def _quadratic(system: System) -> sp.Expr:
    """Return the part of T that is quadratic in the rates."""
    T, rates = system.kinetic_energy, system.rates
    return sp.Add(*(T.diff(a, b) * a * b for a in rates for b in rates)) / 2
