"""The inputs of a run: expressions read, break functions and resistances made regular."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import sympy as sp

from zwang.codegen.friction import Friction, read_friction
from zwang.codegen.samples import Given, Sampled, sampled
from zwang.expressions import ExpressionError, parse, pulse, ramp, step, table
from zwang.geometry import speed
from zwang.laws import Law, Value
from zwang.nearest import nearest
from zwang.quantities import (
    Constant,
    Input,
    Known,
    Output,
    Parameter,
    Quantity,
    explicit_rate,
    t,
)
from zwang.system import System

HIGHEST_RATE = 2  # of a prescribed motion: a place, its velocity, its acceleration


class Switch(Quantity):
    """A constant that is 0 before its break time and 1 from then on."""


@dataclass(frozen=True)
class Laws:
    """Every input and every ratio F/v as an expression; the break times they hold.

    `motions` are the inputs that move the system, and their rates, as functions of time.
    """

    values: dict[sp.Symbol, sp.Expr]
    motions: dict[Known, sp.Expr]
    constants: tuple[Constant, ...]
    switches: tuple[Switch, ...]
    break_times: tuple[sp.Expr, ...]
    speeds: dict[Output, sp.Expr]
    dry: tuple[Output, ...]
    friction: tuple[Friction, ...]
    tables: tuple[Sampled, ...] = ()

    @property
    def _expressions(self) -> list[sp.Expr]:
        found = [*self.values.values(), *self.break_times]
        return found + [e for f in self.friction for e in (f.mu, f.mu_kinetic, f.drive, f.rate)]

    def names(self) -> list[str]:
        """Return every name that occurs in an input or a friction law, sorted."""
        return sorted({s.name for e in self._expressions for s in e.free_symbols})

    def written_in_time(self, expr: sp.Expr) -> sp.Expr:
        """Return the expression with tables written as polynomials between their knots."""
        return expr.subs(
            {
                symbol: s.polynomial(order, t - s.knot)
                for s in self.tables
                for order, symbol in enumerate(s.derivatives)
            }
        )


def read_laws(
    system: System,
    inputs: Mapping[str, str],
    words: Mapping[str, Mapping[str, str]],
    contacts: Mapping[str, Law] | None = None,
    tables: Given | None = None,
) -> Laws:
    """Return the laws of inputs and contacts, zero and ideal where none is given.

    `words` describes the constants the laws may name, `tables` holds those of table(name).
    """
    known = {i.name: i for i in system.inputs}
    for name in inputs:
        if name not in known:
            raise ExpressionError(f"inputs.{name}: no such input; {nearest(name, known)}")
    constants = tuple(
        Constant(name, w["symbol"], w["units"], w["long_name"]) for name, w in sorted(words.items())
    )
    samples = {s.name: s for s in sampled(tables or {})}
    values: dict[sp.Symbol, sp.Expr] = {i: sp.S.Zero for i in system.inputs}
    for name, text in inputs.items():
        values[known[name]] = read_expression(system, text, constants, tables=samples)
    for i in system.prescribed:
        _require_motion(system, i, values[i])
    switches: dict[sp.Expr, Switch] = {}
    values = {s: _sampled(_switched(e, switches), samples) for s, e in values.items()}

    def read(value: Value) -> sp.Expr:
        text = value if isinstance(value, str) else repr(float(value))
        law = read_expression(system, text, constants, known, samples)
        return _sampled(_switched(law, switches), samples).subs(values)

    friction = read_friction(system, contacts or {}, read)
    motions: dict[Known, sp.Expr] = {}
    for i in system.prescribed:
        law, u = values[i], i
        for _ in range(HIGHEST_RATE + 1):
            motions[u] = law
            law, u = explicit_rate(law), u.dot
    speeds: dict[Output, sp.Expr] = {}
    dry: list[Output] = []
    for r in system.resistances:
        v = _speed_symbol(system, r.at)
        magnitude = values[r.magnitude]
        values[r.ratio] = sp.expand(magnitude / v)  # F/v, cancelled: regular at v = 0
        speeds[v] = speed(r.at)
        if magnitude.subs(v, 0) != 0:
            dry.append(v)
    times = tuple(switches)
    laws = Laws(
        values,
        motions,
        constants,
        tuple(switches.values()),
        times,
        speeds,
        tuple(dry),
        friction,
        tuple(samples.values()),
    )
    unused = sorted(set(samples) - {s.name for s in laws.tables if s.value.name in laws.names()})
    if unused:
        raise ExpressionError(f"table {unused[0]!r} is used in no input; write table({unused[0]})")
    return laws


def read_expression(
    system: System,
    text: str,
    constants: tuple[Constant, ...],
    inputs: Mapping[str, sp.Symbol] | None = None,
    tables: Collection[str] = (),
) -> sp.Expr:
    """Return one law as an expression in the system's symbols, of inputs too where allowed."""
    fixed = {p.name: p for p in (*system.parameters, *constants)}
    known = system.expression_names() | fixed | dict(inputs or {})
    return parse(text, known, constant_names=frozenset(fixed), table_names=tables)


def _require_motion(system: System, i: Input, law: sp.Expr) -> None:
    """Raise ExpressionError unless the law of a prescribed motion is a smooth function of time."""
    depends = sorted(
        s.name
        for s in law.free_symbols
        if isinstance(s, Quantity) and not isinstance(s, Parameter) and s != t
    )
    if depends:
        raise ExpressionError(
            f"inputs.{i.name}: came {law}, which depends on {', '.join(depends)}; {i.name} "
            "prescribes a motion and is a function of time: t, numbers, parameters and constants"
        )
    moving = [system.kinetic_energy, *(v.expression for v in system.velocities.values())]
    moving = set().union(*(e.free_symbols for e in moving))
    position = i.dot in moving  # then its second derivative is an acceleration
    for kind in (step, pulse, ramp) if position else (step, pulse):
        if law.has(kind):
            what = "velocities would jump" if kind is not ramp else "its slope and velocities jump"
            use = "a smooth law" if position else "ramp(t0, t1) or a smooth law"
            raise ExpressionError(
                f"inputs.{i.name}: came {kind.__name__} in {law}, but {i.name} prescribes a motion "
                f"and {what}, an impact, which is not computed; use {use}"
            )


def _sampled(expr: sp.Expr, samples: Mapping[str, Sampled]) -> sp.Expr:
    """Return the law with every table by the symbol of its value."""
    return expr.replace(lambda e: isinstance(e, table), lambda e: samples[e.args[0].name].value)


def _speed_symbol(system: System, point: object) -> Output:
    wanted = speed(point)  # type: ignore[arg-type]
    for name, (expr, *_rest) in system.outputs.items():
        if expr == wanted:
            return system.output_symbols[name]
    return Output("speed", "v", "m/s", "speed of the resisted point")


def _switched(expr: sp.Expr, switches: dict[sp.Expr, Switch]) -> sp.Expr:
    """Return the law with step, ramp and pulse written with switches."""

    def switch(time: sp.Expr) -> Switch:
        if time not in switches:
            n = len(switches)
            switches[time] = Switch(f"switch_{n}", rf"\sigma_{{{n}}}", "1", "0 before, 1 after")
        return switches[time]

    def rising(a: sp.Expr, b: sp.Expr) -> sp.Expr:
        return (switch(a) - switch(b)) * (t - a) / (b - a) + switch(b)

    expr = expr.replace(lambda e: isinstance(e, step), lambda e: switch(e.args[0]))
    expr = expr.replace(
        lambda e: isinstance(e, pulse), lambda e: switch(e.args[0]) - switch(e.args[1])
    )
    return expr.replace(lambda e: isinstance(e, ramp), lambda e: rising(*e.args))
