"""The inputs of a run: expressions read, break functions and resistances made regular."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from zwang.codegen.friction import Friction, read_friction
from zwang.expressions import ExpressionError, parse, pulse, ramp, step
from zwang.geometry import speed
from zwang.laws import Law, Value
from zwang.nearest import nearest
from zwang.quantities import Constant, Output, Quantity, t
from zwang.system import System


class Switch(Quantity):
    """A constant that is 0 before its break time and 1 from then on."""


@dataclass(frozen=True)
class Laws:
    """Every input and every ratio F/v as an expression; the break times they hold."""

    values: dict[sp.Symbol, sp.Expr]
    constants: tuple[Constant, ...]
    switches: tuple[Switch, ...]
    break_times: tuple[sp.Expr, ...]
    speeds: dict[Output, sp.Expr]
    dry: tuple[Output, ...]
    friction: tuple[Friction, ...]

    def names(self) -> list[str]:
        """Return every name that occurs in an input or a friction law, sorted."""
        expressions = [*self.values.values(), *self.break_times]
        expressions += [e for f in self.friction for e in (f.mu, f.mu_kinetic, f.drive, f.rate)]
        return sorted({s.name for e in expressions for s in e.free_symbols})


def read_laws(
    system: System,
    inputs: Mapping[str, str],
    words: Mapping[str, Mapping[str, str]],
    contacts: Mapping[str, Law] | None = None,
) -> Laws:
    """Return the laws of inputs and contacts, zero and ideal where none is given.

    `words` describes the constants the laws may name.
    """
    known = {i.name: i for i in system.inputs}
    for name in inputs:
        if name not in known:
            raise ExpressionError(f"inputs.{name}: no such input; {nearest(name, known)}")
    constants = tuple(
        Constant(name, w["symbol"], w["units"], w["long_name"]) for name, w in sorted(words.items())
    )
    values: dict[sp.Symbol, sp.Expr] = {i: sp.S.Zero for i in system.inputs}
    for name, text in inputs.items():
        values[known[name]] = read_expression(system, text, constants)
    switches: dict[sp.Expr, Switch] = {}
    values = {s: _switched(e, switches) for s, e in values.items()}

    def read(value: Value) -> sp.Expr:
        text = value if isinstance(value, str) else repr(float(value))
        law = read_expression(system, text, constants, known)
        return _switched(law, switches).subs(values)

    friction = read_friction(system, contacts or {}, read)
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
    return Laws(values, constants, tuple(switches.values()), times, speeds, tuple(dry), friction)


def read_expression(
    system: System,
    text: str,
    constants: tuple[Constant, ...],
    inputs: Mapping[str, sp.Symbol] | None = None,
) -> sp.Expr:
    """Return one law as an expression in the system's symbols, of inputs too where allowed."""
    fixed = {p.name: p for p in (*system.parameters, *constants)}
    known = system.expression_names() | fixed | dict(inputs or {})
    return parse(text, known, constant_names=frozenset(fixed))


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
