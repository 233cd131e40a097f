"""Appell's equations: the acceleration energy differentiated by independent accelerations."""

from __future__ import annotations

import sympy as sp

from zwang.formulations.elimination import eliminate
from zwang.formulations.equations import DoesNotApply, Equations
from zwang.system import System


def acceleration_energy(system: System, form: str) -> sp.Expr:
    """Return W(t, q, q̇, q̈) of the bodies, or raise DoesNotApply where there are none."""
    if not system.bodies:
        raise DoesNotApply(
            f"{form} does not apply to {system.name}: the system is declared without bodies, so "
            "that its acceleration energy is not known"
        )
    return system.acceleration_energy


def appell(system: System) -> Equations:
    """Return ∂W/∂q̈_i = K'_i, the dependent accelerations inserted in W before.

    Holds for constraints of any kind, since q̈_dep = a q̈_ind + b always. The source prints the
    derivative by q̇_i; it is by q̈_i.
    """
    W = acceleration_energy(system, "appell")
    e = eliminate(system)
    W = W.xreplace(e.accelerations)  # [Hamel (3)]
    left = [W.diff(q.ddot) for q in e.independent]  # [Hamel (10)]
    return e.equations("appell", left, "Hamel (10)")
