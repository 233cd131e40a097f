"""D'Alembert's principle: inertia and applied forces do no work on admissible displacements."""

from __future__ import annotations

import sympy as sp

from zwang.formulations.elimination import eliminate
from zwang.formulations.equations import Equations
from zwang.system import System


def dalembert(system: System) -> Equations:
    """Return Σ (F − m w) · δr = 0 for every δq_dep = a δq_ind [Wipf (6.30)].

    Virtual displacements of constraints that are not linear in the rates are those of Chetaev:
    ∂φ/∂q̇ · δq = 0. A system without bodies gives Lagrange's operator instead of m w.
    """
    e = eliminate(system)
    inertia = {
        q: sp.Add(*(b.inertia_on(q, system.coordinates) for b in system.bodies))
        if system.bodies
        else system.inertial_force(q)
        for q in system.coordinates
    }
    return e.equations("dalembert", e.projected(inertia), "Wipf (6.30)")
