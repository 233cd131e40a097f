"""A system with its laws as a tape of operations, and which of the nodes mean what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import sympy as sp

from zwang.codegen.contacts import Contacts, Frame, Switching, new_modes
from zwang.codegen.laws import Laws
from zwang.codegen.tape import Node, Operand, Tape, solve_general, solve_symmetric
from zwang.formulations.equations import DoesNotApply, is_linear
from zwang.formulations.maggi import Rows, rows, rows_in_rates
from zwang.quantities import Parameter, Quantity, Velocity, t
from zwang.system import System
from zwang.trigonometry import reduced

Wanted = Literal["reactions", "states"]
SPEED_FLOOR = sp.Rational(1, 10**12)  # (m/s)², below rounding of v² yet keeps √ differentiable


@dataclass(frozen=True)
class Program:
    """What kernel.c is written from."""

    system: System
    rows: Rows
    laws: Laws
    tape: Tape
    parameters: tuple[sp.Symbol, ...]
    rates: list[Operand]  # of the states
    reactions: list[Node]
    scales: list[Node]  # of the reactions, for the step size
    utilisation: list[Node]  # Λ/N, or its square for two rows, of contacts that hold
    pivots: list[tuple[Node, Node]]  # with the diagonal entries they come from
    rest: list[Node]  # speeds at whose zero a dry resistance ends the run
    speeds: list[Node]  # that have a kink at zero
    switching: list[Switching]
    projected: list[Operand]  # q̇ brought back onto the constraints


def always_held(system: System, laws: Laws) -> frozenset[str]:
    """Return the velocities of the rows that no law lets move."""
    moving = {row.name for f in laws.friction if not f.ideal for row in f.rows}
    return frozenset(c.velocity.name for c in system.constraints if c.name not in moving)


def relative_rows(system: System) -> tuple[str, ...]:
    """Return the names of the quasi-velocities that are carried as Ω₀ eˡ."""
    return tuple(r.name for r in system.rows if r.scale == "relative")


def kernel_parameters(system: System, laws: Laws) -> tuple[sp.Symbol, ...]:
    """Return the run-time parameters in the kernel's order."""
    starts = (Parameter(f"start_{name}") for name in relative_rows(system))
    return (*system.parameters, *laws.constants, *starts)


def write_program(system: System, laws: Laws, wanted: Wanted = "reactions") -> Program:
    """Return the tape of a system's motion, reactions and friction; or of its motion alone."""
    linear = is_linear(system)
    if not linear and any(not f.ideal for f in laws.friction):
        raise DoesNotApply(
            f"{system.name}: contacts that may slide need constraints that are linear in the "
            "rates; let its contacts be ideal"
        )
    maggi = rows(system, always_held(system, laws)) if linear else rows_in_rates(system)
    whole = _Builder(system, maggi, laws, linear).program()
    if wanted == "reactions" or whole.switching:
        return whole
    return replace(whole, reactions=[], scales=[], utilisation=[])


class _Builder:
    """One pass over the rows; the order of its steps is the order of the nodes on the tape."""

    def __init__(self, system: System, maggi: Rows, laws: Laws, linear: bool) -> None:
        self.system, self.maggi, self.laws, self.linear = system, maggi, laws, linear
        free, held = len(system.quasi_velocities), always_held(system, laws)
        self.moving = [i for i, s in enumerate(system.states) if s.name not in held]
        self.relative = relative_rows(system) if linear else ()
        self.first_constraint = free
        self.switching = [Switching(f, *new_modes(f.name)) for f in laws.friction if f.switches]
        gaps = [Velocity(f"gap_{w.friction.name}") for w in self.switching if w.one_sided]
        self.logs = {
            s: Velocity(f"log_{s.name}") for s in maggi.velocities if s.name in self.relative
        }
        states = [self.logs.get(s, s) for s in maggi.velocities]
        self.tape = Tape([*system.coordinates, *states, *gaps], t)
        for s, log in self.logs.items():
            self.tape.define(s, Parameter(f"start_{s.name}") * sp.exp(log))
        self._define_motions()
        self.accelerations: dict[int, Quantity] = {}  # v̇* by moving row
        self.carried: dict[int, Operand] = {}  # Λ of a row while it moves
        self.substitute = self._definitions()
        self.force = [self.substitute(f) for f in maggi.force]
        if not linear:
            self.force = [reduced(f) for f in self.force]
        self.contacts = Contacts(
            Frame(system, maggi, self.tape, self.moving, self.substitute), self.switching
        )
        for w, gap in zip((w for w in self.switching if w.one_sided), gaps, strict=True):
            w.gap = self.tape.known[gap]

    def program(self) -> Program:
        tape, system, laws = self.tape, self.system, self.laws
        vdot, pivots = self._accelerations()
        for row, a in zip(self.moving, vdot, strict=True):
            self.accelerations[row] = Quantity(f"rate of {system.states[row].name}")
            tape.name(self.accelerations[row], a)
        rates = self._rates(vdot)
        reactions = [
            tape.node(self._reaction(row), "reaction")
            for row in range(self.first_constraint, len(system.states))
        ]
        scales = [
            tape.node(tape.build(self.maggi.mass[row, row]))
            for row in range(self.first_constraint, len(system.states))
        ]
        by_row = dict(zip((c.name for c in system.constraints), reactions, strict=True))
        utilisation = []
        for f in laws.friction:
            on = [by_row[row.name] for row in f.rows]
            if f.ideal:
                utilisation.append(self.contacts.utilisation(f, vdot, on))
        for w in self.switching:
            self.contacts.complete(w, vdot, [by_row[r.name] for r in w.friction.rows])
        return Program(
            system=system,
            rows=self.maggi,
            laws=laws,
            tape=tape,
            parameters=kernel_parameters(system, laws),
            rates=rates,
            reactions=reactions,
            scales=scales,
            utilisation=utilisation,
            pivots=[
                (a, b)
                for a, b in pivots
                if isinstance(a, Node) and isinstance(b, Node) and a is not b
            ],
            rest=[tape.known[v] for v in laws.dry],
            speeds=[tape.known[v] for v in laws.speeds if v in tape.known],
            switching=self.switching,
            projected=[] if self.linear else self._projected(),
        )

    # Motion -------------------------------------------------------------------------------------

    def _accelerations(self) -> tuple[list[Operand], list[tuple[Operand, Operand]]]:
        """Return v̇* of the moving rows from the masked M* v̇* = f* + Λ*."""
        mass, masks = self.maggi.mass, {i: self.contacts.mask(i) for i in self.moving}
        if self.relative:
            return self._relative_accelerations()
        tape = self.tape
        vector = [[(tape.build(self.force[i]), masks[i])] for i in self.moving]
        matrix = [
            [
                [(tape.build(mass[i, j]), masks[i] * masks[j]), (1 - masks[i], sp.S(int(i == j)))]
                for j in self.moving
            ]
            for i in self.moving
        ]
        symmetric = True
        diagonal = [tape.combine(list(matrix[k][k])) for k in range(len(self.moving))]
        for f in self.laws.friction:
            if f.ideal:
                continue
            offset, slopes = self.contacts.affine_load(f)
            for row, force, share in self.contacts.laws_of(f):
                k = self.moving.index(row)
                # Λ = force − share · N, and N = offset + slopes · v̇
                carried = tape.build(force - share * offset)
                vector[k].append((carried, masks[row]))
                if not slopes:
                    self.carried[row] = carried
                for j, slope in slopes.items():
                    symmetric = False
                    entry = (tape.build(share * slope), masks[row] * masks[j])
                    matrix[k][self.moving.index(j)].append(entry)
        entries = [[tape.combine(parts) for parts in line] for line in matrix]
        right = [tape.combine(parts) for parts in vector]
        if symmetric:
            return solve_symmetric(tape, entries, right)
        vdot, pivots = solve_general(tape, entries, right)
        return vdot, list(zip(pivots, diagonal, strict=True))  # a pivot is measured by M* itself

    def _relative_accelerations(self) -> tuple[list[Operand], list[tuple[Operand, Operand]]]:
        """Return v̇* where some rows are carried as Ω₀ eˡ: Ω̇ = Ω l̇, the row divided by Ω."""
        mass, system = self.maggi.mass, self.system
        if any(not f.ideal for f in self.laws.friction):
            raise DoesNotApply(
                f"{system.name}: velocities with relative scale need contacts that hold throughout"
            )
        plain = [i for i in self.moving if system.states[i].name not in self.relative]
        matrix = [[self.tape.build(mass[i, j]) for j in plain] for i in plain]
        forces = [self.tape.build(self.force[i]) for i in plain]
        found, pivots = solve_symmetric(self.tape, matrix, forces)
        vdot = dict(zip(plain, found, strict=True))
        self.log_rates: dict[int, Operand] = {}
        for i in self.moving:
            if i in plain:
                continue
            omega = system.states[i]
            share = sp.cancel(sp.expand(self.force[i]) / omega)
            coupled = [j for j in self.moving if j != i and mass[i, j] != 0]
            if coupled or sp.fraction(sp.together(share))[1].has(omega):
                raise DoesNotApply(
                    f"{system.name}: {omega.name} cannot have a relative scale: its equation is "
                    "not linear and homogeneous in it, so that it may change its sign"
                )
            self.log_rates[i] = self.tape.divide(
                self.tape.build(share), self.tape.build(mass[i, i])
            )
            vdot[i] = self.tape.multiply(self.tape.known[omega], self.log_rates[i])
        return [vdot[i] for i in self.moving], pivots

    def _rates(self, vdot: list[Operand]) -> list[Operand]:
        tape, maggi = self.tape, self.maggi
        rates = [tape.build(e) for e in maggi.qdot]
        if self.linear:
            of_row = getattr(self, "log_rates", {})
            rates += [of_row.get(i, a) for i, a in zip(self.moving, vdot, strict=True)]
        else:
            rates += self._back_to_rates(vdot, list(maggi.drift))
        for w in self.switching:
            if w.one_sided:
                rates.append(tape.combine([(w.slip[0], w.mask)]))
        return rates

    def _back_to_rates(self, vdot: list[Operand], drift: list[sp.Expr]) -> list[Operand]:
        """Return β v̇* + drift, the constraint rows of v̇* being zero."""
        tape, beta = self.tape, self.maggi.chart.beta
        out = []
        for i, d in enumerate(drift):
            terms = [
                (tape.multiply(tape.build(beta[i, j]), a), sp.S.One)
                for j, a in zip(self.moving, vdot, strict=True)
            ]
            out.append(tape.combine([*terms, (tape.build(self.substitute(d)), sp.S.One)]))
        return out

    def _projected(self) -> list[Operand]:
        """Return q̇ + δ with φ(q̇ + δ) = 0 to first order and δ orthogonal to the motion in M."""
        tape, mass = self.tape, self.maggi.mass
        constraint = range(self.first_constraint, len(self.system.states))
        off = {
            i: -self.system.constraints[i - self.first_constraint].expression for i in constraint
        }
        matrix = [[tape.build(mass[i, j]) for j in self.moving] for i in self.moving]
        right = [
            tape.build(-sp.Add(*(mass[i, k] * off[k] for k in constraint))) for i in self.moving
        ]
        free, _ = solve_symmetric(tape, matrix, right)
        change: dict[int, Operand] = dict(zip(self.moving, free, strict=True))
        change |= {k: tape.build(off[k]) for k in constraint}
        beta, out = self.maggi.chart.beta, []
        for i, rate in enumerate(self.system.rates):
            terms = [
                (tape.multiply(tape.build(beta[i, j]), change[j]), sp.S.One) for j in sorted(change)
            ]
            out.append(tape.node(tape.combine([(tape.known[rate], sp.S.One), *terms])))
        return out

    def _reaction(self, row: int) -> Operand:
        """Return Λ = (M* v̇*) − f* of a row; while it moves, what its law says where that is known.

        While it is held its own v̇* is zero.
        """
        tape, known = self.tape, row in self.carried
        moves = self.contacts.mask(row) if known else sp.S.Zero
        parts = [(self.carried[row], moves)] if known else []
        inertia = sp.Add(
            *(
                self.maggi.mass[row, i] * a
                for i, a in self.accelerations.items()
                if not (known and i == row)
            )
        )
        parts.append((tape.build(inertia), 1 - moves))
        return tape.combine([*parts, (tape.build(self.force[row]), moves - 1)])

    # Inputs and outputs -------------------------------------------------------------------------

    def _define_motions(self) -> None:
        """Define what is known as a function of time: tables, prescribed motions, their rates."""
        tape = self.tape
        for s in self.laws.tables:
            for order, symbol in enumerate(s.derivatives):
                weights = s.weights(order)
                make = partial(tape.cubic, t - s.knot, weights, str(symbol))
                tape.define_later(symbol, make)
        for u, law in self.laws.motions.items():
            tape.define_later(u, partial(tape.build, law))

    def _definitions(self) -> Callable[[sp.Expr], sp.Expr]:
        """Define outputs that the laws use; return the substitution of rates and inputs."""
        tape, system, maggi, laws = self.tape, self.system, self.maggi, self.laws
        rate = dict(zip(system.rates, maggi.qdot, strict=True))
        needed = [*maggi.force, *(f.load for f in laws.friction)]
        occurring = set().union(*(sp.S(e).free_symbols for e in needed))
        used = set().union(*(e.free_symbols for s, e in laws.values.items() if s in occurring))
        for f in laws.friction:
            used |= set().union(*(e.free_symbols for e in (f.mu, f.mu_kinetic, f.drive, f.rate)))
        used |= set(laws.dry)
        expressions = {system.output_symbols[n]: e for n, (e, *_) in system.outputs.items()}
        for symbol, expr in (expressions | laws.speeds).items():
            if symbol in used:
                inner = expr.subs(rate)
                if isinstance(expr, sp.Pow) and expr.exp == sp.Rational(1, 2):
                    tape.define(symbol, sp.sqrt(reduced(inner.args[0]) + SPEED_FLOOR))
                else:
                    tape.define(symbol, reduced(inner))
        own = laws.motions  # of which the tape knows the values
        inputs = {s: e.subs(rate) for s, e in laws.values.items() if s not in own}
        if not self.linear:  # laws may name quasi-velocities, which are not states here
            own = {s: r.expression for s, r in zip(system.states, system.rows, strict=True)}
            inputs = {s: e.subs(own) for s, e in inputs.items()}
        return lambda e: sp.S(e).subs(inputs).subs(rate)
