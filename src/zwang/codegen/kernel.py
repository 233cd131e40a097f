"""Maggi's rows as kernel.c: the one compiled form of a system with its inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp
from sympy.printing.c import C99CodePrinter

from zwang.codegen.laws import Laws
from zwang.codegen.tape import Node, Tape, solve_symmetric
from zwang.codegen.taylor import Writer, array
from zwang.formulations.maggi import Rows, rows
from zwang.quantities import Parameter, t
from zwang.system import System
from zwang.trigonometry import reduced

SPEED_FLOOR = sp.Rational(1, 10**12)  # (m/s)², below rounding of v² yet keeps √ differentiable


@dataclass(frozen=True)
class Program:
    """What kernel.c is written from: the tape of operations and which of its nodes mean what."""

    system: System
    maggi: Rows
    laws: Laws
    tape: Tape
    parameters: tuple[sp.Symbol, ...]
    rates: list[Node | sp.Expr]  # of the states
    reactions: list[Node]
    scales: list[Node]  # of the reactions, for the step size
    utilisation: list[Node]
    pivots: list[tuple[Node, Node]]  # with the diagonal entries they come from
    rest: list[Node]  # speeds at whose zero a dry resistance ends the run
    speeds: list[Node]  # that have a kink at zero


def write_kernel(system: System, laws: Laws, switchable: frozenset[str] = frozenset()) -> str:
    """Return kernel.c: constraint rows are held, those in `switchable` by a mask at run time.

    A switchable row κ has the parameters `mask_κ` (1 moves, 0 held) and `known_κ` (its reaction
    while it moves); masked rows and columns of M* become the identity.
    """
    fixed = frozenset(r.velocity.name for r in system.constraints if r.name not in switchable)
    maggi = rows(system, held=fixed)
    moving = [i for i, s in enumerate(system.states) if s.name not in fixed]
    tape = Tape([*system.coordinates, *(system.states[i] for i in moving)], t)
    substitute = _definitions(tape, system, maggi, laws)
    mass, force = maggi.mass, [substitute(f) for f in maggi.force]

    masks = {i: _mask(system, i) for i in moving}
    matrix = sp.Matrix(
        [
            [
                masks[i][0] * masks[j][0] * mass[i, j] + int(i == j) * (1 - masks[i][0])
                for j in moving
            ]
            for i in moving
        ]
    )
    vector = [masks[i][0] * (force[i] + masks[i][1]) for i in moving]
    vdot, pivots = solve_symmetric(tape, matrix, vector)
    rates = [tape.build(e) for e in maggi.qdot] + vdot

    reactions, scales = [], []
    for row in range(len(system.quasi_velocities), len(system.states)):
        terms = [
            tape.multiply(tape.build(mass[row, i]), a) for i, a in zip(moving, vdot, strict=True)
        ]
        parts = [(term, sp.S.One) for term in terms] + [(tape.build(force[row]), sp.S.NegativeOne)]
        reactions.append(tape.node(tape.combine(parts), "reaction"))
        scales.append(tape.node(tape.build(mass[row, row])))
    loads = {c.name: tape.build(substitute(c.load)) for c in system.contacts}
    utilisation = [
        tape.node(tape.divide(reaction, loads[c.name]))
        for c, reaction in zip(system.constraints, reactions, strict=True)
        if c.name in loads
    ]
    return _text(
        Program(
            system=system,
            maggi=maggi,
            laws=laws,
            tape=tape,
            parameters=kernel_parameters(system, laws, switchable),
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
        )
    )


def kernel_parameters(
    system: System, laws: Laws, switchable: frozenset[str] = frozenset()
) -> tuple[sp.Symbol, ...]:
    """Return the run-time parameters in the kernel's order."""
    rows_ = [i for i, s in enumerate(system.states) if s.name.removeprefix("v_") in switchable]
    masks = [s for i in rows_ for s in _mask(system, i)]
    return (*system.parameters, *laws.constants, *masks)


def _mask(system: System, row: int) -> tuple[sp.Expr, sp.Expr]:
    if row < len(system.quasi_velocities):
        return sp.S.One, sp.S.Zero
    name = system.constraints[row - len(system.quasi_velocities)].name
    return Parameter(f"mask_{name}"), Parameter(f"known_{name}", unit="N")


def _definitions(
    tape: Tape, system: System, maggi: Rows, laws: Laws
) -> Callable[[sp.Expr], sp.Expr]:
    """Define outputs that the laws use; return the substitution of rates and inputs."""
    rate = dict(zip(system.rates, maggi.qdot, strict=True))
    needed = [*maggi.force, *(c.load for c in system.contacts)]
    occurring = set().union(*(sp.S(e).free_symbols for e in needed))
    used = set().union(*(e.free_symbols for s, e in laws.values.items() if s in occurring))
    used |= set(laws.dry)
    expressions = {system.output_symbols[n]: e for n, (e, *_) in system.outputs.items()}
    for symbol, expr in (expressions | laws.speeds).items():
        if symbol in used:
            inner = expr.subs(rate)
            if isinstance(expr, sp.Pow) and expr.exp == sp.Rational(1, 2):
                tape.define(symbol, sp.sqrt(reduced(inner.args[0]) + SPEED_FLOOR))
            else:
                tape.define(symbol, reduced(inner))
    laws_by_state = {s: e.subs(rate) for s, e in laws.values.items()}
    return lambda e: sp.S(e).subs(laws_by_state).subs(rate)


def _chart(system: System, maggi: Rows, parameters: list[sp.Symbol]) -> str:
    """Return C for |det α| / Π ‖row of α‖, or 1 where the chart is regular everywhere."""
    if not maggi.chart.determinant.free_symbols & {t, *system.coordinates}:
        return "    (void)t; (void)x; (void)p;\n    return 1.0;"
    alpha = maggi.chart.alpha
    norms = sp.Mul(*(sp.sqrt(reduced(sum(e**2 for e in alpha.row(i)))) for i in range(alpha.rows)))
    names = {q: sp.Symbol(f"x[{i}]") for i, q in enumerate(system.coordinates)}
    names |= {p: sp.Symbol(f"p[{i}]") for i, p in enumerate(parameters)}
    value = sp.Abs(maggi.chart.determinant / norms).subs(names)
    return f"    (void)t; (void)x; (void)p;\n    return {C99CodePrinter().doprint(value)};"


def _text(program: Program) -> str:
    system, laws, tape = program.system, program.laws, program.tape
    parameters = [*program.parameters, *laws.switches]
    rates = [r for r in program.rates if isinstance(r, Node)]
    writer = Writer(
        tape,
        [*rates, *program.reactions, *program.utilisation, *program.rest, *program.speeds],
    )
    nodes = tape.nodes
    n_states = sum(n.kind == "state" for n in nodes)
    advance = []
    for node, rate in zip(nodes[:n_states], program.rates, strict=True):
        if isinstance(rate, Node):
            advance.append(f"{array(node)}[n] = {array(rate)}[n - 1] * inverse[n];")
        else:
            value = writer.constants.use(rate)
            advance.append(f"{array(node)}[n] = n == 1 ? ZERO + {value} : ZERO;")
    own = writer.arrays()
    names = {p: sp.Symbol(f"p[{i}]") for i, p in enumerate(parameters)}
    printer = C99CodePrinter()
    breaks = [
        f"    tau[{i}] = {printer.doprint(e.subs(names))};" for i, e in enumerate(laws.break_times)
    ]

    def table(name: str, items: list[Node]) -> str:
        return f"static const int {name}[] = {{{', '.join(str(n.index) for n in items) or '0'}}};"

    sizes = {
        "NX": (n_states, "states: " + " ".join(n.text for n in nodes[:n_states])),
        "NP": (len(program.parameters), "parameters: " + " ".join(map(str, program.parameters))),
        "NB": (len(laws.switches), "break times of the inputs"),
        "NK": (len(writer.constants.expressions), "constants hoisted out of the step"),
        "NW": (len(nodes) + len(own), "series"),
        "NR": (
            len(program.reactions),
            "reactions: " + " ".join(c.name for c in system.constraints),
        ),
        "NC": (len(program.utilisation), "contacts: " + " ".join(c.name for c in system.contacts)),
        "NPIVOT": (len(program.pivots), "pivots of M* that vary"),
        "NS": (len(program.speeds), "speeds the inputs depend on"),
    }
    equations = [
        f" *   {s}' : {m}" for s, m in zip(system.states, program.maggi.force, strict=True)
    ]
    law_lines = [f" *   {s} = {e}" for s, e in laws.values.items()]
    return "\n".join(
        [
            f"/* {system.title}: Maggi's rows M* v' = f* + Lambda* as Taylor series.",
            " * f* by row:",
            *equations,
            " * inputs:",
            *law_lines,
            " */",
            '#include "lanes.h"',
            *(f"#define {k} {n} /* {c} */" for k, (n, c) in sizes.items()),
            table("reaction_node", program.reactions),
            table("reaction_scale", program.scales),
            table("utilisation_node", program.utilisation),
            table("speed_node", program.speeds),
            table("pivot_node", [a for a, _ in program.pivots]),
            table("diagonal_node", [b for _, b in program.pivots]),
            f"static const int rest_node = {program.rest[0].index if program.rest else -1};",
            "",
            "/* What depends on parameters alone. */",
            "static void constants(const double *p, double *k)\n{\n    (void)p; (void)k;",
            writer.constants.code(parameters),
            "}",
            "",
            "static void breaks(const double *p, double *tau)\n{\n    (void)p; (void)tau;",
            *breaks,
            "}",
            "",
            "/* 1 where the quasi-velocities are a good chart, 0 where they fail. */",
            "static double chart(double t, const double *x, const double *p)\n{",
            _chart(system, program.maggi, parameters),
            "}",
            "",
            "/* All Taylor coefficients of all series, from order zero of the states. */",
            "static void series(V (*w)[ORDER + 1], const V *k)\n{",
            *(f"    V *const {array(n)} = w[{n.index}];" for n in nodes),
            *(f"    V *const {a} = w[{len(nodes) + i}];" for i, a in enumerate(own)),
            *(f"    {line}" for line in writer.start),
            "    for (int n = 1; n <= ORDER; ++n) {",
            *(f"        {line}" for line in [*advance, *writer.sums.code(), *writer.order]),
            "    }",
            "}",
            "",
            '#include "events.h"',
            '#include "driver.h"',
            "",
        ]
    )
