"""A program as kernel.c: constants, the loop of the series, and the tables the runtime reads."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from zwang.codegen.laws import Laws
from zwang.codegen.printer import c_text
from zwang.codegen.program import Program, Wanted, write_program
from zwang.codegen.tape import Node
from zwang.codegen.taylor import Writer, array
from zwang.formulations.equations import is_linear
from zwang.laws import Smoothed
from zwang.quantities import t
from zwang.system import System
from zwang.trigonometry import reduced

SATURATING = ("tanh", "exp", "integral", "hyperbolic")  # flat far from where they change


def write_kernel(system: System, laws: Laws, wanted: Wanted = "reactions") -> str:
    """Return kernel.c of a system with its laws."""
    program = write_program(system, laws, wanted)
    tape, nodes = program.tape, program.tape.nodes
    writer = Writer(tape, _wanted(program), _values(program))
    own = writer.arrays()
    pieces = [c for s in laws.tables for c in (s.knot, *s.pieces)]
    parameters = [*program.parameters, *laws.switches, *_modes(program), *pieces]
    pointers = [
        f"    V *const {array(n)} = w[{n.index}];" for n in nodes if n.index in writer.written
    ]
    pointers += [f"    V *const {a} = w[{len(nodes) + i}];" for i, a in enumerate(own)]
    start = [f"    {line}" for line in writer.start]
    order = [*_advance(program, writer), *writer.order]
    first, second = [*writer.sums.first(), *order], [*writer.sums.second(), *order]
    return "\n".join(
        [
            *_head(program),
            '#include "lanes.h"',
            *_sizes(program, writer, own),
            *_tables(program),
            *_samples(laws),
            "",
            "/* What depends on parameters, breaks and modes alone. */",
            "static void constants(const double *p, double *k)\n{\n    (void)p; (void)k;",
            writer.constants.code(parameters),
            "}",
            "",
            "static void breaks(const double *p, double *tau)\n{\n    (void)p; (void)tau;",
            *_breaks(laws, parameters),
            "}",
            "",
            "/* 1 or -1 where the velocities are a good chart, 0 where they fail. */",
            "static double chart(double t, const double *x, const double *p)\n{",
            _chart(program, parameters),
            "}",
            "",
            "/* Order zero of all series: the equations at one instant. */",
            "static __attribute__((unused)) void values(V (*w)[ORDER + 1], const V *k)\n{",
            *pointers,
            *start,
            "}",
            "",
            "/* All Taylor coefficients of all series, from order zero of the states. */",
            "static void series(V (*w)[ORDER + 1], const V *k)\n{",
            *pointers,
            *start,
            "    for (int m = 1; m < ORDER; m += 2) { /* orders m and m + 1 */",
            "        const double later = m > 1;",
            *(f"        {line}" for line in writer.sums.carried()),
            "        {",
            "            const int n = m;",
            *(f"            {line}" for line in first),
            "        }",
            "        {",
            "            const int n = m + 1;",
            *(f"            {line}" for line in second),
            "        }",
            "    }",
            "}",
            "",
            '#include "events.h"',
            '#include "step.h"',
            '#include "contacts.h"',
            '#include "patterns.h"',
            '#include "modes.h"',
            '#include "driver.h"',
            "",
        ]
    )


def _modes(program: Program) -> list[sp.Symbol]:
    return [m for w in program.switching for m in w.modes]


def _wanted(program: Program) -> list[Node]:
    """Return the nodes whose whole series is needed."""
    nodes = [r for r in program.rates if isinstance(r, Node)]
    nodes += [*program.reactions, *program.utilisation, *program.rest, *program.speeds]
    for w in program.switching:
        own = (w.bound, w.carried, w.load, w.radicand, w.margin, w.speed, w.direction)
        nodes += [n for n in own if n is not None]
    return nodes


def _values(program: Program) -> list[Node]:
    """Return the nodes of which order zero is needed."""
    nodes = [*program.scales, *(n for pair in program.pivots for n in pair)]
    nodes += [n for n in program.projected if isinstance(n, Node)]
    for w in program.switching:
        nodes += [*w.scales, *w.accelerations]
    return nodes


def _advance(program: Program, writer: Writer) -> list[str]:
    """Return x[n] = (rate of x)[n − 1] / n for every state."""
    lines = []
    for node, rate in zip(program.tape.nodes, program.rates, strict=False):
        if isinstance(rate, Node):
            lines.append(f"{array(node)}[n] = {array(rate)}[n - 1] * inverse[n];")
        else:
            value = writer.constants.use(rate)
            lines.append(f"{array(node)}[n] = n == 1 ? ZERO + {value} : ZERO;")
    return lines


def _head(program: Program) -> list[str]:
    system, laws = program.system, program.laws
    rows = zip(system.states, program.rows.force, strict=True)
    return [
        f"/* {system.title}: Maggi's rows M* v' = f* + Lambda* as Taylor series.",
        " * f* by row:",
        *(f" *   {s}' : {m}" for s, m in rows),
        " * inputs:",
        *(f" *   {s} = {e}" for s, e in laws.values.items()),
        " * contacts:",
        *(f" *   {f.name}: {f.law}, load {f.load}" for f in laws.friction),
        " */",
    ]


def _sizes(program: Program, writer: Writer, own: list[str]) -> list[str]:
    states = [n for n in program.tape.nodes if n.kind == "state"]
    named = " ".join
    sizes = {
        "NX": (len(states), "states: " + named(n.text for n in states)),
        "NQ": (len(program.system.coordinates), "coordinates"),
        "NP": (len(program.parameters), "parameters: " + named(map(str, program.parameters))),
        "NB": (len(program.laws.switches), "break times of the inputs"),
        "NT": (
            len(program.laws.tables),
            "tables of the inputs: " + named(s.name for s in program.laws.tables),
        ),
        "NG": (
            len(program.switching),
            "contacts that switch: " + named(w.friction.name for w in program.switching),
        ),
        "NK": (len(writer.constants.expressions), "constants hoisted out of the step"),
        "NW": (len(program.tape.nodes) + len(own), "series"),
        "NR": (
            len(program.reactions),
            "reactions: " + named(c.name for c in program.system.constraints),
        ),
        "NC": (
            len(program.utilisation),
            "contacts that hold: " + named(f.name for f in program.laws.friction if f.ideal),
        ),
        "NPIVOT": (len(program.pivots), "pivots of M* that vary"),
        "NS": (len(program.speeds), "speeds the inputs depend on"),
        "STEEP": (
            int(_steep(program)),
            "whether a function may change within a step and leave no trace at its start",
        ),
        "CHART_VARIES": (int(chart_varies(program)), "whether the velocities may become dependent"),
        "NPROJECT": (len(program.projected), "rates brought back onto nonlinear constraints"),
    }
    return [f"#define {k} {n} /* {c} */" for k, (n, c) in sizes.items()]


def _tables(program: Program) -> list[str]:
    squared = [int(len(f.rows) > 1) for f in program.laws.friction if f.ideal]
    switching = program.switching
    jumps = [int(w.bound is not w.carried) for w in switching]
    return [
        _table("rate_node", [r if isinstance(r, Node) else None for r in program.rates]),
        _table("reaction_node", program.reactions),
        _table("reaction_scale", program.scales),
        _table("utilisation_node", program.utilisation),
        _table("utilisation_squared", squared),
        _table("speed_node", program.speeds),
        _table("pivot_node", [a for a, _ in program.pivots]),
        _table("diagonal_node", [b for _, b in program.pivots]),
        _table("projected_node", [n for n in program.projected if isinstance(n, Node)]),
        f"static const int rest_node = {program.rest[0].index if program.rest else -1};",
        "/* By switching contact; -1 where it has no such node. */",
        _table("rows_of", [len(w.slip) for w in switching]),
        _table("slip_state", [n for w in switching for n in _two(w.slip)]),
        _table("slip_scale", [n for w in switching for n in _two(w.scales)]),
        _table("slip_rate", [n for w in switching for n in _two(w.accelerations)]),
        _table("slip_reaction", [n for w in switching for n in _two(w.reactions)]),
        _table("bound_node", [w.bound for w in switching]),
        _table("bound_constant", [int(_constant(w.bound)) for w in switching]),
        _table("carried_node", [w.carried for w in switching]),
        _table("load_node", [w.load for w in switching]),
        _table("radicand_node", [w.radicand for w in switching]),
        _table("margin_node", [w.margin for w in switching]),
        _table("slip_node", [w.speed for w in switching]),
        _table("direction_node", [w.direction for w in switching]),
        _table("cosine_node", [w.cosine for w in switching]),
        _table("sine_node", [w.sine for w in switching]),
        _table("gap_state", [w.gap for w in switching]),
        _table("jumps", jumps),
    ]


def _samples(laws: Laws) -> list[str]:
    """Return the knots and polynomials of the tables as data."""
    if not laws.tables:
        return []
    lines = []
    for i, s in enumerate(laws.tables):
        knots = ",\n".join(repr(x) for x in s.knots.tolist())
        pieces = ",\n".join(f"{{{', '.join(map(repr, c))}}}" for c in s.coefficients.tolist())
        lines += [f"static const double knots_{i}[] = {{{knots}}};"]
        lines += [f"static const double pieces_{i}[][4] = {{{pieces}}};"]
    count = range(len(laws.tables))
    sizes = ", ".join(str(len(s.knots)) for s in laws.tables)
    knots, pieces = (", ".join(f"{w}_{i}" for i in count) for w in ("knots", "pieces"))
    return [
        *lines,
        f"static const int table_size[] = {{{sizes}}};",
        f"static const double *const table_knots[] = {{{knots}}};",
        f"static const double (*const table_pieces[])[4] = {{{pieces}}};",
    ]


def _constant(node: Node | None) -> bool:
    return node is not None and node.kind == "sum" and not node.args


def _steep(program: Program) -> bool:
    smoothed = any(isinstance(f.law, Smoothed) for f in program.laws.friction)
    return smoothed or any(n.kind in SATURATING for n in program.tape.nodes)


def _two(nodes: list[Node]) -> list[Node | None]:
    return [nodes[0], nodes[1] if len(nodes) > 1 else None]


def _table(name: str, items: Iterable[Node | int | None]) -> str:
    numbers = [-1 if n is None else n.index if isinstance(n, Node) else n for n in items]
    text = ", ".join(map(str, numbers)) or "0"
    return f"static const int {name}[] __attribute__((unused)) = {{{text}}};"


def _breaks(laws: Laws, parameters: list[sp.Symbol]) -> list[str]:
    names = {p: sp.Symbol(f"p[{i}]") for i, p in enumerate(parameters)}
    return [f"    tau[{i}] = {c_text(e.subs(names))};" for i, e in enumerate(laws.break_times)]


def _chart_states(program: Program) -> list[sp.Symbol]:
    system = program.system
    return [*system.coordinates, *(() if is_linear(system) else system.rates)]


def chart_varies(program: Program) -> bool:
    """Return whether the velocities may become dependent on the way."""
    states = {t, *_chart_states(program), *program.laws.motions}
    return bool(program.rows.chart.determinant.free_symbols & states)


def _chart(program: Program, parameters: list[sp.Symbol]) -> str:
    """Return C for det α / Π ‖row of α‖, or 1 where the chart is regular everywhere."""
    chart, states = program.rows.chart, _chart_states(program)
    unused = "    (void)t; (void)x; (void)p;\n"
    if not chart_varies(program):
        return f"{unused}    return 1.0;"
    alpha = chart.alpha
    norms = sp.Mul(*(sp.sqrt(reduced(sum(e**2 for e in alpha.row(i)))) for i in range(alpha.rows)))
    names = {q: sp.Symbol(f"x[{i}]") for i, q in enumerate(states)}
    names |= {p: sp.Symbol(f"p[{i}]") for i, p in enumerate(parameters)}
    laws = program.laws
    value = laws.written_in_time((chart.determinant / norms).subs(laws.motions)).subs(names)
    return f"{unused}    return {c_text(value)};"
