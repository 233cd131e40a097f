"""What kind of constraints a system has, in values and in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import mpmath
import sympy as sp

from zwang.constraints.completion import Completion, completion, form, is_linear, quoted
from zwang.constraints.pfaff import annihilated, echelon, integrable_alone, reachable
from zwang.constraints.places import (
    ZERO,
    Numbers,
    Place,
    Row,
    anywhere,
    eliminate,
    precise,
    symbols_of,
    vanish,
)
from zwang.quantities import Known, t
from zwang.system import Constraint, System


class Kind(StrEnum):
    """What a constraint restricts: positions, or velocities only."""

    POSITION = "holonomic, given by its position"
    INTEGRABLE = "holonomic, because it is integrable"
    NONHOLONOMIC = "nonholonomic"


@dataclass(frozen=True)
class Verdict:
    """What one constraint is; `degree` is None where it is not homogeneous in the rates."""

    name: str
    kind: Kind
    linear: bool
    degree: sp.Rational | None
    scleronomic: bool
    alone: bool  # integrable without the other constraints

    @property
    def homogeneous(self) -> bool:
        """Return whether φ(t, q, λq̇) = λᵈ φ(t, q, q̇) for some d."""
        return self.degree is not None

    def __str__(self) -> str:
        kind = str(self.kind)
        if self.kind is Kind.INTEGRABLE:
            kind += " on its own" if self.alone else " together with the others"
        order = "linear in the rates" if self.linear else "nonlinear in the rates"
        if not self.homogeneous:
            scaling = "inhomogeneous"
        else:
            scaling = "homogeneous" if self.linear else f"homogeneous of degree {self.degree}"
        time = "scleronomic" if self.scleronomic else "rheonomic"
        return f"{self.name}: {kind}; {order}, {scaling}, {time}."


@dataclass(frozen=True)
class Analysis:
    """What the constraints of a system are, one by one and together."""

    system: str
    coordinates: int
    constraints: tuple[Verdict, ...]
    rank: int  # of ∂φ/∂q̇ as declared, where the constraints hold
    degrees_of_freedom: int  # coordinates minus independent constraints, hidden ones included
    integrable: bool  # all constraints together
    integrable_combinations: int  # of the linear constraints, Frobenius
    hidden: dict[str, sp.Expr]
    dropped: dict[str, tuple[str, ...]]

    def __getitem__(self, name: str) -> Verdict:
        """Return the verdict on the constraint of this name."""
        return next(v for v in self.constraints if v.name == name)

    def sentences(self) -> list[str]:
        """Return the analysis in words."""
        m, out = len(self.constraints), [str(v) for v in self.constraints]
        count = "1 constraint" if m == 1 else f"{m} constraints"
        freedom = "degree" if self.degrees_of_freedom == 1 else "degrees"
        out.insert(
            0,
            f"{self.system}: {self.coordinates} coordinates, {count} of rank {self.rank}, "
            f"{self.degrees_of_freedom} {freedom} of freedom.",
        )
        if m == 1:
            out.append(f"The system is {'holonomic' if self.integrable else 'nonholonomic'}.")
        elif m and self.integrable:
            out.append("Together they are integrable: the system is holonomic.")
        elif m:
            k = self.integrable_combinations
            which = {0: "no combination of them is", 1: "one combination of them is"}
            several = f"{k} independent combinations of them are"
            out.append(f"Together they are not integrable; {which.get(k, several)}.")
        for name, g in self.hidden.items():
            out.append(f"Hidden in {name}: the position {g} = 0.")
        for name, parts in self.dropped.items():
            why = f"follows from {quoted(parts)}" if parts else "says 0 = 0"
            out.append(f"Dependent: {name} {why} and is dropped.")
        return out

    def __str__(self) -> str:
        return "\n".join(self.sentences())


def analyse(system: System) -> Analysis:
    """Return kind, rank, degrees of freedom and integrability of the constraints.

    Integrability is Frobenius's: the forms that annihilate all directions reached by brackets of
    admissible motions on (q, t).
    ASSUME: a constraint that is nonlinear in the rates counts as nonholonomic.
    """
    done = completion(system)
    linear = [is_linear(c.expression, system.rates) for c in system.constraints]
    within, combinations = _within(system, done, linear)
    verdicts = tuple(
        _verdict(c, system, is_linear_, integrable)
        for c, is_linear_, integrable in zip(system.constraints, linear, within, strict=True)
    )
    return Analysis(
        system=system.name,
        coordinates=len(system.coordinates),
        constraints=verdicts,
        rank=done.declared_rank,
        degrees_of_freedom=len(system.coordinates) - len(done.constraints),
        integrable=all(v.kind is not Kind.NONHOLONOMIC for v in verdicts),
        integrable_combinations=combinations,
        hidden=done.hidden,
        dropped=done.dropped,
    )


@precise
def _within(system: System, done: Completion, linear: Sequence[bool]) -> tuple[list[bool], int]:
    """Return which constraints are integrable in the set, and how many combinations are."""
    n, width = len(system.coordinates), len(system.coordinates) + 1
    variables = (*system.coordinates, t)
    kept = [c.expression for c in done.constraints if is_linear(c.expression, system.rates)]
    if not kept:
        return [False] * len(linear), 0
    solved = echelon([form(e, system) for e in kept], n, done.places)
    fields = annihilated(solved, width)
    spans = reachable(fields, variables, done.places)
    reached = max(eliminate(s, width).rank for s in spans)
    within = [
        is_linear_ and _annihilates(form(c.expression, system), spans, done.places)
        for c, is_linear_ in zip(system.constraints, linear, strict=True)
    ]
    return within, width - reached


def _annihilates(
    omega: Sequence[sp.Expr], spans: Sequence[Sequence[Row]], places: Sequence[Place]
) -> bool:
    numbers = Numbers(omega)
    for span, place in zip(spans, places, strict=True):
        values = numbers(place)
        if values is None or any(abs(mpmath.fdot(values, v)) > ZERO for v in span):
            return False
    return True


def _verdict(c: Constraint, system: System, linear: bool, integrable: bool) -> Verdict:
    if c.position is not None:
        kind = Kind.POSITION
    else:
        kind = Kind.INTEGRABLE if integrable else Kind.NONHOLONOMIC
    omega, variables = form(c.expression, system), (*system.coordinates, t)
    everywhere = anywhere({*variables, *symbols_of(omega)})
    return Verdict(
        name=c.name,
        kind=kind,
        linear=linear,
        degree=_degree(c.expression, system, linear),
        scleronomic=_scleronomic(c),
        alone=linear and integrable_alone(omega, variables, everywhere),
    )


def _scleronomic(c: Constraint) -> bool:
    """Return whether time does not enter, in the rates' equation or in the position."""
    expressions = [c.expression, *([] if c.position is None else [c.position])]
    symbols = symbols_of(expressions)
    if any(isinstance(s, Known) for s in symbols):
        return False
    return all(vanish([e.diff(t) for e in expressions], anywhere(symbols)))


@precise
def _degree(e: sp.Expr, system: System, linear: bool) -> sp.Rational | None:
    """Return d of Euler's Σ q̇ ∂φ/∂q̇ = d φ, or None."""
    if linear:
        constant = e.subs(dict.fromkeys(system.rates, 0))
        return sp.S.One if vanish([constant], anywhere(symbols_of([constant])))[0] else None
    euler = sp.Add(*(r * e.diff(r) for r in system.rates))
    numbers = Numbers([e, euler])
    values = [v for v in map(numbers, anywhere(symbols_of([e, euler]))) if v is not None]
    ratios = [b / a for a, b in values if abs(a) > ZERO]
    if not ratios:
        return None
    d = sp.Rational(int(mpmath.nint(2 * ratios[0])), 2)
    same = all(abs(r - mpmath.mpf(d.p) / d.q) < ZERO for r in ratios)
    return d if same else None
