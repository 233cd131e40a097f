"""Hamel's raw form: Lagrange's operator projected on the independent coordinates."""

from __future__ import annotations

from zwang.formulations.elimination import eliminate
from zwang.formulations.equations import Equations
from zwang.system import System


def hamel_raw(system: System) -> Equations:
    """Return Q_i + Σ a_{m,i} Q_{n+m} = K_i + Σ a_{m,i} K_{n+m} with Q = d/dt ∂E/∂q̇ − ∂E/∂q.

    For nonlinear constraints a = ∂q̈_dep/∂q̈_ind, which gives virtual displacements as Chetaev's.
    """
    e = eliminate(system)
    Q = {q: system.inertial_force(q) for q in system.coordinates}  # [Hamel (9)]
    return e.equations("hamel_raw", e.projected(Q), "Hamel (8)", "Hamel (9)")  # [Hamel (8)]
