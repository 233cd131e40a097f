"""Hamilton's principle for nonholonomic systems, with Woronetz' correction."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from zwang.formulations.elimination import Elimination, eliminate
from zwang.formulations.equations import Equations, need_linear
from zwang.quantities import Coordinate, Quantity, per_second, rate_of_change, total_rate
from zwang.system import System


@dataclass(frozen=True)
class FirstVariation:
    """The three parts of the integrand of (VI), linear in δq_i and δq̇_i = (δq_i)˙.

    Along a motion the integral of their sum vanishes for all δq_i(t) that are zero at both ends;
    i runs over the independent coordinates, δq_{n+m} = Σ a_{m,i} δq_i [Hamel (2')].
    """

    elimination: Elimination
    variations: tuple[Quantity, ...]
    rates: tuple[Quantity, ...]
    energy: sp.Expr
    correction: sp.Expr
    work: sp.Expr

    @property
    def integrand(self) -> sp.Expr:
        """Return δE'' + Σ J_{n+m} δω_{n+m} + δA."""
        return self.energy + self.correction + self.work


def first_variation(system: System) -> FirstVariation:
    """Return the integrand of ∫ (δE'' + Σ J_{n+m} δω_{n+m} + δA) dt = 0 [Hamel (VI)].

    E'' is E with the constraints used, ω_{n+m} = q̇_{n+m} − Σ a_{m,s} q̇_s − a_m their left sides
    [Hamel (23)], J_{n+m} = ∂E/∂q̇_{n+m}. Variation and d/dt commute for every coordinate
    [Hamel (26)]; therefore δω_{n+m} is not zero although ω_{n+m} and δϑ_{n+m} are.
    """
    need_linear(system, "hamilton")
    e = eliminate(system)
    free = tuple(_variation(q) for q in e.independent)
    free_rates = tuple(_rate(q) for q in e.independent)
    delta = dict(zip(e.independent, free, strict=True))
    delta_dot = dict(zip(e.independent, free_rates, strict=True))
    for m, q in enumerate(e.dependent):
        delta[q] = sp.Add(*(e.a[m, i] * d for i, d in enumerate(free)))  # [Hamel (2')]
        delta_dot[q] = sp.Add(  # [Hamel (26)]
            *(rate_of_change(e.a[m, i]) * d for i, d in enumerate(free)),
            *(e.a[m, i] * d for i, d in enumerate(free_rates)),
        )

    def varied(expr: sp.Expr) -> sp.Expr:
        return sp.Add(
            *(expr.diff(q) * delta[q] + expr.diff(q.dot) * delta_dot[q] for q in system.coordinates)
        )

    E = system.kinetic_energy
    correction = sp.Add(
        *(E.diff(q.dot).xreplace(e.rates) * varied(q.dot - e.rates[q.dot]) for q in e.dependent)
    )
    K = zip(system.coordinates, system.applied_forces, strict=True)
    return FirstVariation(
        elimination=e,
        variations=free,
        rates=free_rates,
        energy=varied(E.xreplace(e.rates)),
        correction=correction,
        work=sp.Add(*(system.written_out(force) * delta[q] for q, force in K)),
    )


def hamilton(system: System) -> Equations:
    """Return the equations of motion of (VI): d/dt ∂F/∂δq̇_i − ∂F/∂δq_i = 0, F without the work.

    With arbitrary δq_i and one integration by parts; the work's part is K'_i on the right.
    """
    v = first_variation(system)
    F = v.energy + v.correction  # [Hamel (VI)]
    left = [
        total_rate(F.diff(d_dot), system.coordinates) - F.diff(d)
        for d, d_dot in zip(v.variations, v.rates, strict=True)
    ]
    return v.elimination.equations("hamilton", left, "Hamel (VI)", "Hamel (26)")


def _variation(q: Coordinate) -> Quantity:
    return Quantity(f"delta_{q.name}", rf"\delta {q.symbol}", q.unit, f"variation of {q.meaning}")


def _rate(q: Coordinate) -> Quantity:
    return Quantity(
        f"delta_{q.name}_dot",
        rf"\delta\dot{{{q.symbol}}}",
        per_second(q.unit),
        f"rate of the variation of {q.meaning}",
    )
