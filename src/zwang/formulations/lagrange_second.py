"""Lagrange's equations of the second kind, for constraints that are holonomic."""

from __future__ import annotations

import sympy as sp

from zwang.formulations.elimination import eliminate
from zwang.formulations.equations import DoesNotApply, Equations
from zwang.quantities import total_rate
from zwang.system import System


def lagrange_second(system: System) -> Equations:
    """Return d/dt ∂T*/∂q̇ − ∂T*/∂q = Q* in independent coordinates [Wipf (6.8)].

    The dependent coordinates are functions of the independent ones and of time, known by their
    derivatives a = ∂q_dep/∂q_ind. T* is the kinetic energy with their rates inserted, and
    ∂T*/∂q counts the change of the dependent coordinates too.
    """
    free = [c.name for c in system.constraints if c.position is None]
    if free:
        raise DoesNotApply(
            f"Lagrange's equations of the second kind do not apply to {system.name}: "
            f"constraint {', '.join(free)} is not given as a relation between coordinates"
        )
    e = eliminate(system)
    T = sp.S(system.kinetic_energy).subs(e.rates)
    slopes = {q: T.diff(q) for q in system.coordinates}
    rates = e.rates
    left = [
        total_rate(T.diff(q.dot), system.coordinates).subs(rates) - slope
        for q, slope in zip(e.independent, e.projected(slopes), strict=True)
    ]
    return e.equations("lagrange_second", left, "Wipf (6.8)")
