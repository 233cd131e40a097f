"""The declaration of a mechanical system: what it is made of, what holds it, what drives it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import sympy as sp

from zwang.bodies import AnyBody, AnyForce, Potential, Resistance
from zwang.domains import Domain
from zwang.geometry import speed
from zwang.nearest import nearest
from zwang.quantities import (
    Coordinate,
    Input,
    KnownRate,
    Output,
    Parameter,
    Quantity,
    Rate,
    Reaction,
    Velocity,
    rate_of_change,
    t,
    total_rate,
)

Scale = Literal["absolute", "relative"]


class DeclarationError(ValueError):
    """A declaration that does not describe a mechanical system."""


@dataclass(frozen=True)
class QuasiVelocity:
    """A named velocity that serves as state instead of a rate.

    With scale "relative" it is carried as Ω = Ω₀ eˡ, l(0) = 0: exact however small it gets. It must
    keep its sign, as it does where its row is linear and homogeneous in it.
    """

    name: str
    expression: sp.Expr
    symbol: str = ""
    unit: str = "m/s"
    meaning: str = ""
    scale: Scale = "absolute"


@dataclass(frozen=True)
class Constraint:
    """An ideal constraint φ(t, q, q̇) = 0; its force on the system is +Λ ∂φ/∂q̇.

    A holonomic one also has its `position` g(t, q) = 0, of which φ is the time derivative.
    """

    name: str
    expression: sp.Expr
    symbol: str = ""
    unit: str = "m/s"
    reaction_unit: str = "N"
    meaning: str = ""
    position: sp.Expr | None = None

    @property
    def velocity(self) -> QuasiVelocity:
        """Return the constraint velocity as a quasi-velocity [Juschkov (27)]."""
        return QuasiVelocity(
            f"v_{self.name}",
            self.expression,
            rf"v_{{\mathrm{{{self.name}}}}}",
            self.unit,
            f"constraint velocity of {self.name}",
        )

    @property
    def reaction(self) -> Reaction:
        """Return the symbol of the reaction Λ."""
        return Reaction(
            f"reaction_{self.name}",
            self.symbol or rf"\Lambda_{{\mathrm{{{self.name}}}}}",
            self.reaction_unit,
            f"reaction of {self.name}" + (f": {self.meaning}" if self.meaning else ""),
        )


def Holonomic(name: str, position: sp.Expr, **words: str) -> Constraint:
    """Return the constraint g(t, q) = 0, replaced by its time derivative."""
    return Constraint(name, rate_of_change(position), position=position, **words)


@dataclass(frozen=True)
class Contact(Constraint):
    """A constraint row kept by dry friction: it holds while |Λ| ≤ μ N.

    Two rows with the same `of` are one contact whose bound is a disk, √(Λ₁² + Λ₂²) ≤ μ N. The load
    may hold accelerations and reactions, linearly; `transfer` is what load transfer adds to it.
    """

    load: sp.Expr = sp.S.Zero
    mu: Parameter | None = None
    transfer: sp.Expr = sp.S.Zero
    of: str = ""


@dataclass(frozen=True)
class ContactGroup:
    """One contact: its rows, one or two, with the load and the friction they share."""

    name: str
    rows: tuple[Contact, ...]

    @property
    def load(self) -> sp.Expr:
        """Return the normal load N without load transfer."""
        return self.rows[0].load

    @property
    def transfer(self) -> sp.Expr:
        """Return the change of N by load transfer."""
        return self.rows[0].transfer

    @property
    def mu(self) -> Parameter | None:
        """Return the friction coefficient."""
        return self.rows[0].mu


@dataclass(frozen=True)
class System:
    """One mechanical system, declared once; everything else is derived from it."""

    name: str
    title: str
    source: str
    coordinates: tuple[Coordinate, ...]
    bodies: tuple[AnyBody, ...] = ()
    forces: tuple[AnyForce, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    quasi_velocities: tuple[QuasiVelocity | Rate, ...] = ()
    outputs: Mapping[str, tuple[sp.Expr, str, str, str]] = field(default_factory=dict)
    optional: tuple[Parameter, ...] = ()
    defaults: Mapping[str, float] = field(default_factory=dict)  # of parameters, in SI units
    kinetic_energy: sp.Expr | None = None  # instead of bodies
    accelerations: tuple[sp.Expr, ...] = ()  # f in q̈ = f(t, q, q̇) without constraints

    def __post_init__(self) -> None:
        if self.kinetic_energy is None:
            T = sp.Add(*(b.kinetic_energy() for b in self.bodies))
            object.__setattr__(self, "kinetic_energy", T)
        elif self.bodies and self.kinetic_energy != sp.Add(
            *(b.kinetic_energy() for b in self.bodies)
        ):
            raise DeclarationError(
                f"{self.name}: bodies and a kinetic energy that is not theirs; give one of the two"
            )
        if self.accelerations and (self.forces or len(self.accelerations) != len(self.coordinates)):
            raise DeclarationError(
                f"{self.name}: give the free accelerations f of all {len(self.coordinates)} "
                "coordinates, or forces, not both"
            )
        free = len(self.coordinates) - len(self.constraints)
        if len(self.quasi_velocities) != free:
            raise DeclarationError(
                f"{self.name}: {len(self.quasi_velocities)} quasi-velocities for "
                f"{len(self.coordinates)} coordinates and {len(self.constraints)} constraints; "
                f"declare exactly {free} free ones, the constraint velocities supply the rest"
            )
        self._check_contacts()
        names = [q.name for q in self.symbols]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            raise DeclarationError(
                f"{self.name}: declared more than once: {', '.join(twice)}; rename one of them"
            )
        unknown = sorted(
            str(s)
            for s in self.kinetic_energy.free_symbols
            if isinstance(s, Coordinate) and s not in self.coordinates
        )
        if unknown:
            raise DeclarationError(
                f"{self.name}: the bodies move with {', '.join(unknown)}, "
                "which is not among the coordinates; add it there"
            )

    def _check_contacts(self) -> None:
        for contact in self.contacts:
            if len(contact.rows) > 2:
                raise DeclarationError(
                    f"{self.name}: contact {contact.name!r} has {len(contact.rows)} rows; friction "
                    "acts in a plane, give one or two"
                )
            shared = {(row.load, row.mu, row.transfer) for row in contact.rows}
            if len(shared) > 1:
                raise DeclarationError(
                    f"{self.name}: the rows of contact {contact.name!r} have different loads or "
                    "friction coefficients; one contact has one of each"
                )

    # What the declaration holds, by kind -------------------------------------------------------

    @cached_property
    def rates(self) -> tuple[Rate, ...]:
        """Return q̇."""
        return tuple(q.dot for q in self.coordinates)

    @cached_property
    def rows(self) -> tuple[QuasiVelocity, ...]:
        """Return all n quasi-velocities, the free ones first, then the constraint velocities."""
        free = tuple(
            QuasiVelocity(v.name, v, v.symbol, v.unit, v.meaning) if isinstance(v, Rate) else v
            for v in self.quasi_velocities
        )
        return free + tuple(c.velocity for c in self.constraints)

    @cached_property
    def states(self) -> tuple[Velocity, ...]:
        """Return the symbols v* of the n rows."""
        return tuple(Velocity(r.name, r.symbol, r.unit, r.meaning) for r in self.rows)

    @cached_property
    def contacts(self) -> tuple[ContactGroup, ...]:
        """Return the contacts kept by friction, each with its one or two rows."""
        rows: dict[str, list[Contact]] = {}
        for c in self.constraints:
            if isinstance(c, Contact):
                rows.setdefault(c.of or c.name, []).append(c)
        return tuple(ContactGroup(name, tuple(found)) for name, found in rows.items())

    @cached_property
    def output_symbols(self) -> dict[str, Output]:
        """Return the symbols of the outputs by name."""
        return {
            n: Output(n, symbol, unit, meaning)
            for n, (_, symbol, unit, meaning) in self.outputs.items()
        }

    @cached_property
    def velocities(self) -> dict[str, QuasiVelocity]:
        """Return every named velocity that is linear in the rates: it may fix a start value."""
        named = {r.name: QuasiVelocity(r.name, r, r.symbol, r.unit, r.meaning) for r in self.rates}
        named |= {r.name: r for r in self.rows}
        for n, (e, symbol, unit, meaning) in self.outputs.items():
            if all(e.diff(a, b) == 0 for a in self.rates for b in self.rates) and any(
                e.diff(a) != 0 for a in self.rates
            ):
                named.setdefault(n, QuasiVelocity(n, e, symbol, unit, meaning))
        return named

    def _all(self, kind: type[Quantity]) -> tuple[Any, ...]:
        expressions = [self.kinetic_energy, *self.applied_forces]
        expressions += [c.expression for c in self.constraints]
        expressions += [c.position for c in self.constraints if c.position is not None]
        expressions += [x for c in self.contacts for x in (c.load, c.transfer, c.mu or sp.S.Zero)]
        expressions += [r.expression for r in self.rows] + [e for e, *_ in self.outputs.values()]
        expressions += [r.magnitude for r in self.resistances]
        found = set().union(*(sp.S(e).free_symbols for e in expressions))
        return tuple(sorted((s for s in found if isinstance(s, kind)), key=lambda s: s.name))

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Return every parameter that occurs, sorted by name, and the optional ones."""
        return tuple(sorted({*self._all(Parameter), *self.optional}, key=lambda s: s.name))

    @cached_property
    def domains(self) -> dict[str, Domain]:
        """Return which values of each parameter make sense; friction is never negative."""
        friction = {c.mu for c in self.contacts if c.mu is not None}
        return {
            p.name: "nonnegative" if p in friction and p.domain == "any" else p.domain
            for p in self.parameters
        }

    @cached_property
    def optional_parameters(self) -> frozenset[str]:
        """Return the parameters an ideal run does not need, and those that have a value."""
        friction = {c.mu.name for c in self.contacts if c.mu is not None}
        return frozenset(friction | {p.name for p in self.optional} | set(self.defaults))

    @cached_property
    def inputs(self) -> tuple[Input, ...]:
        """Return the inputs, sorted by name, those of which only a rate occurs among them."""
        found = set(self._all(Input))
        for u in self._all(KnownRate):
            while isinstance(u, KnownRate):
                u = u.of
            found.add(u)
        return tuple(sorted(found, key=lambda s: s.name))

    @cached_property
    def prescribed(self) -> tuple[Input, ...]:
        """Return the inputs that move the system: in constraints, velocities, kinetic energy."""
        moving = [self.kinetic_energy, *(v.expression for v in self.velocities.values())]
        moving += [c.position for c in self.constraints if c.position is not None]
        found = set().union(*(sp.S(e).free_symbols for e in moving))
        return tuple(i for i in self.inputs if {i, i.dot, i.dot.dot} & found)

    @property
    def resistances(self) -> tuple[Resistance, ...]:
        """Return the forces that oppose a velocity."""
        return tuple(f for f in self.forces if isinstance(f, Resistance))

    @property
    def symbols(self) -> tuple[Quantity, ...]:
        """Return every symbol with a name a user may write."""
        rates = {r.name for r in self.rates}
        states = tuple(s for s in self.states if s.name not in rates)
        outputs = tuple(o for n, o in self.output_symbols.items() if n not in self.velocities)
        linear = tuple(
            o for n, o in self.output_symbols.items() if n in self.velocities and n not in rates
        )
        taken = {s.name for s in states}
        return (
            *self.coordinates,
            *self.rates,
            *states,
            *(o for o in (*linear, *outputs) if o.name not in taken),
            *self.parameters,
            *self.inputs,
        )

    # Mechanics ---------------------------------------------------------------------------------

    @cached_property
    def applied_forces(self) -> tuple[sp.Expr, ...]:
        """Return Q(t, q, q̇) by coordinate; resistances appear through their ratio F/v.

        Where the free accelerations f are given, Q = M f + c: the forces that cause them.
        """
        if self.accelerations:
            free = dict(zip((q.ddot for q in self.coordinates), self.accelerations, strict=True))
            return tuple(self.inertial_force(q).subs(free) for q in self.coordinates)
        return tuple(sp.Add(*(f.on(q) for f in self.forces)) for q in self.coordinates)

    def inertial_force(self, q: Coordinate) -> sp.Expr:
        """Return Lagrange's operator d/dt ∂T/∂q̇ − ∂T/∂q, linear in the accelerations."""
        T = self.kinetic_energy
        return total_rate(T.diff(q.dot), self.coordinates) - T.diff(q)

    @cached_property
    def acceleration_energy(self) -> sp.Expr:
        """Return S(t, q, q̇, q̈), the sum over the bodies, up to terms without accelerations."""
        if not self.bodies:
            raise DeclarationError(
                f"{self.name}: declared by its kinetic energy, not by bodies, so that its "
                "acceleration energy is not known; declare bodies"
            )
        return sp.Add(*(b.acceleration_energy(self.coordinates) for b in self.bodies))

    @property
    def potential_energy(self) -> sp.Expr:
        """Return the sum of the potentials."""
        return sp.Add(*(f.energy for f in self.forces if isinstance(f, Potential)))

    def written_out(self, expr: sp.Expr) -> sp.Expr:
        """Return the expression with every ratio F/v written as the paper does."""
        return expr.subs({r.ratio: r.magnitude / speed(r.at) for r in self.resistances})

    def with_quasi_velocities(self, *names: str) -> System:
        """Return the same system with other free quasi-velocities, named among its velocities."""
        unknown = [n for n in names if n not in self.velocities]
        if unknown:
            raise DeclarationError(
                f"{self.name}: no velocity {unknown[0]!r}; {nearest(unknown[0], self.velocities)}"
            )
        outputs = dict(self.outputs)
        for old in self.rows[: len(self.quasi_velocities)]:
            if old.name not in names and old.name not in {r.name for r in self.rates}:
                outputs[old.name] = (old.expression, old.symbol, old.unit, old.meaning)
        chosen = tuple(self.velocities[n] for n in names)
        return replace(self, quasi_velocities=chosen, outputs=outputs)

    def expression_names(self) -> dict[str, sp.Expr]:
        """Return what an input expression may name: time, coordinates, velocities, outputs."""
        known: Iterable[Quantity] = (t, *self.coordinates, *self.rates)
        names: dict[str, sp.Expr] = {s.name: s for s in known}
        names |= {v.name: names.get(v.name, v) for v in self.states[: len(self.quasi_velocities)]}
        return names | {n: names.get(n, o) for n, o in self.output_symbols.items()}
