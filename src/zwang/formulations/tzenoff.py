"""Tzénoff's equations: Lagrange's operator for independent, Appell's for dependent coordinates."""

from __future__ import annotations

import sympy as sp

from zwang.formulations.appell import acceleration_energy
from zwang.formulations.elimination import Elimination, eliminate
from zwang.formulations.equations import Equations, need_linear
from zwang.quantities import total_rate
from zwang.system import System


def tzenoff_first(system: System) -> Equations:
    """Return d/dt ∂E/∂q̇_i − ∂E/∂q_i + ∂W'/∂q̈_i = K'_i.

    The stroke: differentiated only through the dependent accelerations, so that
    ∂W'/∂q̈_i = Σ a_{m,i} ∂W/∂q̈_{n+m}. The numbering is Hamel's; Tzénoff's own is the reverse.
    """
    W = acceleration_energy(system, "tzenoff_first")
    e = eliminate(system)
    left = [  # [Hamel (I)]
        system.inertial_force(q) + W_i for q, W_i in zip(e.independent, _W(e, W), strict=True)
    ]
    return e.equations("tzenoff_first", left, "Hamel (I)")


def tzenoff_second(system: System) -> Equations:
    """Return d/dt ∂E''/∂q̇_i − ∂E''/∂q_i + ∂E'/∂q_i − d/dt ∂E'/∂q̇_i + ∂W'/∂q̈_i = K'_i.

    E'' is E with the dependent rates inserted; ∂E'/∂q̇_i = Σ ∂E/∂q̇_{n+m} a_{m,i} and
    ∂E'/∂q_i = Σ ∂E/∂q̇_{n+m} ∂q̇_{n+m}/∂q_i [Hamel (11), (12)]. The source prints ∂W'/∂q_i.
    """
    need_linear(system, "tzenoff_second")
    W = acceleration_energy(system, "tzenoff_second")
    e = eliminate(system)
    E = system.kinetic_energy
    E2 = E.xreplace(e.rates)
    J = {q: E.diff(q.dot) for q in e.dependent}
    left = []
    for q, momentum, W_i in zip(e.independent, e.through_dependent(J), _W(e, W), strict=True):
        position = sp.Add(*(J[d] * e.rates[d.dot].diff(q) for d in e.dependent))  # [Hamel (12)]
        left.append(  # [Hamel (II)], the difference of E'' and E' taken before d/dt
            total_rate(E2.diff(q.dot) - momentum, system.coordinates) - E2.diff(q) + position + W_i
        )
    return e.equations("tzenoff_second", left, "Hamel (II)")


def _W(e: Elimination, W: sp.Expr) -> list[sp.Expr]:
    """Return ∂W'/∂q̈_i by independent coordinate."""
    return e.through_dependent({q: W.diff(q.ddot) for q in e.dependent})
