"""Newton's law of the representing point: all particles as one point in 3n dimensions."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from zwang.bodies import Particle
from zwang.formulations.equations import (
    DoesNotApply,
    Equations,
    constraint_rows,
    kinetics,
    unknowns,
)
from zwang.system import System


def newton(system: System) -> Equations:
    """Return M W = Y + R along the basis eσ = ∂y/∂qσ, R = Σ Λ ∇'φ [Juschkov (5), (14)].

    The accelerations of the particles enter, not their kinetic energy.
    """
    if not system.bodies or not all(isinstance(b, Particle) for b in system.bodies):
        raise DoesNotApply(
            f"Newton's law of the representing point does not apply to {system.name}: "
            "it is made for particles, and the system has others or none"
        )
    k = kinetics(system)
    Lambda = [c.reaction for c in system.constraints]
    lhs = [
        sp.Add(*(b.inertia_on(q, system.coordinates) for b in system.bodies))
        for q in system.coordinates
    ]
    rhs = [
        system.written_out(Q) + sp.Add(*(L * k.A[row, i] for row, L in enumerate(Lambda)))
        for i, Q in enumerate(system.applied_forces)
    ]
    left, right = constraint_rows(system, k)
    return Equations(
        form="newton",
        system=system,
        lhs=(*lhs, *left),
        rhs=(*rhs, *right),
        unknowns=unknowns(system),
        references=("Juschkov (5)", "Juschkov (14)"),
    )


@dataclass(frozen=True)
class Spaces:
    """The space of the representing point's velocities at one instant, split by the constraints.

    Columns are vectors in the basis eσ: those of `L` are admissible, those of `K` orthogonal to
    them in the metric M of the masses [Juschkov (15)–(21)].
    """

    M: sp.Matrix
    A: sp.Matrix
    L: sp.Matrix
    K: sp.Matrix


def spaces(system: System) -> Spaces:
    """Return L, the null space of ∇'φ, and K, spanned by the vectors M⁻¹ ∇'φ."""
    k = kinetics(system)
    if k.M.det(method="berkowitz") == 0:
        raise DoesNotApply(
            f"{system.name}: a coordinate has no mass, so that there is no metric and no K ⟂ L"
        )
    L = sp.Matrix.hstack(*k.A.nullspace()) if k.A.rows else sp.eye(len(system.coordinates))
    return Spaces(k.M, k.A, L, k.M.LUsolve(k.A.T) if k.A.rows else sp.zeros(k.M.rows, 0))


def split(space: Spaces, reaction: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
    """Return the parts N in K and T₀ in L of a reaction R = N + T₀ [Juschkov (22)].

    Components along the basis eσ (covariant); for ideal constraints T₀ = 0.
    """
    gram = space.A * space.K
    multipliers = gram.LUsolve(space.K.T * reaction)
    N = space.A.T * multipliers
    return N, reaction - N
