"""Contacts on the tape: slips, laws, loads and bounds as series."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import sympy as sp

from zwang.codegen.friction import Friction
from zwang.codegen.tape import Node, Operand, Tape
from zwang.formulations.maggi import Rows
from zwang.laws import FrictionCircle, LawError, OneSided, Smoothed, Viscous
from zwang.quantities import Quantity
from zwang.system import Constraint, System
from zwang.trigonometry import reduced


class Mode(Quantity):
    """A constant that changes with the mode of a contact, set by the kernel itself."""


@dataclass(eq=False)
class Switching:
    """A contact that is held at times: its mode constants and its nodes."""

    friction: Friction
    mask: Mode  # 1 moves, 0 held
    slide: Mode  # sign of the slip; 1 for two rows
    fresh: Mode  # 1: the direction of two rows is given, not yet found from the slip
    still: Mode  # 1 unless the direction is found from the slip
    known: tuple[Mode, Mode]  # reactions imposed while the mode is being decided
    slip: list[Node] = field(default_factory=list)
    accelerations: list[Node] = field(default_factory=list)
    reactions: list[Node] = field(default_factory=list)
    scales: list[Node] = field(default_factory=list)  # M* on its rows
    bound: Node | None = None  # what it can carry while held
    carried: Node | None = None  # what it carries while it slides
    load: Node | None = None  # only where it varies
    radicand: Node | None = None  # of a friction circle
    margin: Node | None = None  # bound² − Λ₁² − Λ₂² of two rows
    speed: Node | None = None  # √(s₁² + s₂²)
    direction: Node | None = None  # given angle of the slip, its cosine and sine
    cosine: Node | None = None
    sine: Node | None = None
    gap: Node | None = None  # ∫ s dt of a one-sided row

    @property
    def modes(self) -> tuple[Mode, ...]:
        """Return the mode constants in the kernel's order."""
        return (self.mask, self.slide, self.fresh, self.still, *self.known)

    @property
    def one_sided(self) -> bool:
        """Return whether the row may go slack."""
        return isinstance(self.friction.law, OneSided)


@dataclass(frozen=True)
class Frame:
    """What all parts of a program share: the rows, those that move, the tape, the substitution."""

    system: System
    rows: Rows
    tape: Tape
    moving: list[int]
    substitute: Callable[[sp.Expr], sp.Expr]  # of rates and inputs

    @property
    def first_constraint(self) -> int:
        """Return the number of free rows, which come first."""
        return len(self.system.quasi_velocities)

    def row(self, constraint: Constraint) -> int:
        """Return the row of a constraint."""
        return self.first_constraint + self.system.constraints.index(constraint)


class Contacts:
    """The contacts of one program; `switching` collects the nodes of those that come and go."""

    def __init__(self, frame: Frame, switching: list[Switching]) -> None:
        self.frame, self.switching = frame, switching
        for w in switching:
            self._define_slip(w)

    def mask(self, row: int) -> sp.Expr:
        """Return 1 for a row that always moves, else the constant that is 0 while it is held."""
        for w in self.switching:
            if row in [self.frame.row(r) for r in w.friction.rows]:
                return w.mask
        return sp.S.One

    def _define_slip(self, w: Switching) -> None:
        """Define the slip, and for two rows its direction, found or given."""
        tape, name = self.frame.tape, w.friction.name
        s = [self.frame.system.states[self.frame.row(r)] for r in w.friction.rows]
        w.slip.extend(tape.known[x] for x in s)
        if len(s) == 1:
            return
        speed, angle = Quantity(f"slip_{name}"), Quantity(f"angle_{name}")
        tape.define(speed, sp.sqrt(s[0] ** 2 + s[1] ** 2 + w.still))
        w.speed, w.direction = tape.known[speed], tape.given(angle)
        for i, (x, given) in enumerate(zip(s, (sp.cos(angle), sp.sin(angle)), strict=True)):
            tape.define(_along(name, i), w.fresh * given + (1 - w.fresh) * x / speed)
        w.cosine, w.sine = tape.known[sp.cos(angle)], tape.known[sp.sin(angle)]

    def laws_of(self, f: Friction) -> list[tuple[int, sp.Expr, sp.Expr]]:
        """Return (row, force, share) of a contact that moves: Λ = force − share · N."""
        out = []
        for i, r in enumerate(f.rows):
            row = self.frame.row(r)
            s = self.frame.system.states[row]
            if isinstance(f.law, Viscous):
                out.append((row, -f.rate * s, sp.S.Zero))
            elif isinstance(f.law, Smoothed):
                out.append((row, sp.S.Zero, f.mu * self._smooth_sign(f, i)))
            else:
                w = next(w for w in self.switching if w.friction is f)
                along = w.slide * (_along(f.name, i) if len(f.rows) > 1 else 1)
                if isinstance(f.law, FrictionCircle):
                    grip = f.mu_kinetic * self.frame.substitute(f.load)
                    carried = sp.sqrt(grip**2 - f.drive**2)
                    out.append((row, w.known[i] - along * carried, sp.S.Zero))
                else:
                    out.append((row, w.known[i], along * f.mu_kinetic))
        return [
            (row, self.frame.substitute(force), self.frame.substitute(share))
            for row, force, share in out
        ]

    def _smooth_sign(self, f: Friction, i: int) -> sp.Expr:
        s = [self.frame.system.states[self.frame.row(r)] for r in f.rows]
        if len(s) == 1:
            return sp.tanh(s[0] / f.rate)
        return s[i] / sp.sqrt(s[0] ** 2 + s[1] ** 2 + f.rate**2)  # a disk for every ε

    def affine_load(self, f: Friction) -> tuple[sp.Expr, dict[int, sp.Expr]]:
        """Return N = offset + Σ slope_j v̇*_j over the moving rows."""
        system, maggi = self.frame.system, self.frame.rows
        qddot = [q.ddot for q in system.coordinates]
        lam = [c.reaction for c in system.constraints]
        load = sp.expand(f.load)
        on_q, on_lam = [load.diff(a) for a in qddot], [load.diff(x) for x in lam]
        rest = load.subs(dict.fromkeys([*qddot, *lam], 0))
        rest += sp.Add(*(n * d for n, d in zip(on_q, maggi.drift, strict=True)))
        first = self.frame.first_constraint
        rest -= sp.Add(*(n * maggi.force[first + k] for k, n in enumerate(on_lam)))
        slopes = {}
        for j in self.frame.moving:
            slope = sp.Add(*(n * maggi.chart.beta[i, j] for i, n in enumerate(on_q)))
            slope += sp.Add(*(n * maggi.mass[first + k, j] for k, n in enumerate(on_lam)))
            slope = reduced(self.frame.substitute(slope))
            if slope != 0:
                slopes[j] = slope
        if slopes and isinstance(f.law, FrictionCircle):
            raise LawError(
                f"contact {f.name!r}: a friction circle needs a load that does not depend on "
                "accelerations; use load: static"
            )
        return reduced(self.frame.substitute(rest)), slopes

    def load(self, f: Friction, vdot: list[Operand]) -> Operand:
        """Return the normal load of a contact as a series."""
        offset, slopes = self.affine_load(f)
        acceleration = dict(zip(self.frame.moving, vdot, strict=True))
        tape = self.frame.tape
        terms = [
            (tape.multiply(tape.build(slope), acceleration[j]), sp.S.One)
            for j, slope in slopes.items()
        ]
        return tape.combine([(tape.build(offset), sp.S.One), *terms])

    def utilisation(self, f: Friction, vdot: list[Operand], on: list[Node]) -> Node:
        """Return Λ/N of a contact that holds, squared for two rows: the root has a kink."""
        load = self.load(f, vdot)
        tape = self.frame.tape
        if len(on) == 1:
            return tape.node(tape.divide(on[0], load))
        squares = tape.combine([(tape.multiply(x, x), sp.S.One) for x in on])
        return tape.node(tape.divide(squares, tape.multiply(load, load)))

    def complete(self, w: Switching, vdot: list[Operand], on: list[Node]) -> None:
        """Complete the nodes of a switching contact: what it can carry, and its accelerations."""
        tape, f = self.frame.tape, w.friction
        acceleration = dict(zip(self.frame.moving, vdot, strict=True))
        w.reactions.extend(on)
        places = [self.frame.row(r) for r in f.rows]
        w.scales.extend(tape.node(tape.build(self.frame.rows.mass[i, i])) for i in places)
        w.accelerations.extend(tape.node(acceleration[i]) for i in places)
        if w.one_sided:
            return
        load = self.load(f, vdot)
        if isinstance(load, Node):
            w.load = load

        def carried(mu: sp.Expr) -> tuple[Node, Node | None]:
            force = tape.multiply(tape.build(self.frame.substitute(mu)), load)
            if not isinstance(f.law, FrictionCircle):
                return tape.node(force), None
            drive = tape.build(self.frame.substitute(f.drive))
            squares = [(tape.multiply(force, force), sp.S.One)]
            inside = tape.node(
                tape.combine([*squares, (tape.multiply(drive, drive), sp.S.NegativeOne)])
            )
            return tape.root(inside), inside

        w.carried, w.radicand = carried(f.mu_kinetic)
        w.bound = w.carried if f.mu == f.mu_kinetic else carried(f.mu)[0]
        if len(on) == 2:
            parts = [(tape.multiply(w.bound, w.bound), sp.S.One)]
            parts += [(tape.multiply(x, x), sp.S.NegativeOne) for x in on]
            w.margin = tape.node(tape.combine(parts))


def new_modes(name: str) -> tuple[Mode, Mode, Mode, Mode, tuple[Mode, Mode]]:
    """Return the mode constants of a contact that switches."""
    return (
        Mode(f"mask_{name}"),
        Mode(f"slide_{name}"),
        Mode(f"fresh_{name}"),
        Mode(f"still_{name}"),
        (Mode(f"known_0_{name}"), Mode(f"known_1_{name}")),
    )


def _along(name: str, i: int) -> Quantity:
    return Quantity(f"along_{i}_{name}")
