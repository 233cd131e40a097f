"""Lagrange's multiplier form as a numpy module: the slow, independent reference of the kernel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import sympy as sp
from sympy.printing.numpy import NumPyPrinter

from zwang.codegen.laws import Laws
from zwang.formulations.equations import kinetics
from zwang.laws import Smoothed, Viscous
from zwang.quantities import explicit_rate, rate_of_change
from zwang.system import System

HEAD = '''"""{title}: Lagrange's equations of the first kind, M q'' = h + A^T Lambda, A q'' = gamma.

Every function takes time t, coordinates q, rates v (first axis: which one) and parameters p.
"""

import numpy


def table(rows, like):
    """Return the values as one array, all broadcast to a common shape; one state if t is one."""
    if numpy.ndim(like[0]) == 0:
        return numpy.array(rows, dtype=float)
    shape = numpy.broadcast_shapes(*(numpy.shape(x) for x in like))
    flat = [numpy.broadcast_to(numpy.asarray(x, dtype=float), shape) for x in rows]
    return numpy.array(flat).reshape(len(flat), *shape)


KNOTS = {knots}  # of the tables
PIECES = {pieces}  # polynomials from knot to knot
'''

SAMPLED = '''

def sampled(which, order, t):
    """Return a table's value, or its derivative of some order, by the polynomial at t."""
    factors = [[1, 1, 1, 1], [1, 2, 3, 0], [2, 6, 0, 0], [6, 0, 0, 0]][order]
    knots = KNOTS[which]
    i = numpy.clip(numpy.searchsorted(knots, t, side="right") - 1, 0, len(knots) - 2)
    s, c = t - knots[i], numpy.zeros((*numpy.shape(i), 4))
    c[..., : 4 - order] = PIECES[which][i, order:]
    c = c * numpy.array(factors)
    return c[..., 0] + s * (c[..., 1] + s * (c[..., 2] + s * c[..., 3]))
'''


def write_reference(system: System, laws: Laws, parameters: tuple[sp.Symbol, ...]) -> str:
    """Return the text of reference.py."""
    k = kinetics(system)
    values = _resolved(system, laws)

    def put(e: sp.Expr) -> sp.Expr:
        return sp.S(e).subs(values).subs(values)

    qdot = sp.Matrix(system.rates)
    named = [v.expression for v in system.velocities.values()]
    linear = [e.diff(r) for e in named for r in qdot]
    offset = [e.subs(dict.fromkeys(qdot, 0)) for e in named]
    bias = [rate_of_change(e) for e in named]
    dry = [put(v) for v in laws.dry]
    Q = k.Q.applyfunc(put)
    outputs = [put(e) for e, *_ in system.outputs.values()]
    functions: dict[str, tuple[str, list[sp.Expr]]] = {
        "mass": ("M, row by row", list(k.M)),
        "force": ("h = Q - c", list(Q - k.c)),
        "constraint_matrix": ("A, row by row", list(k.A)),
        "constraint_bias": ("gamma", list(k.gamma)),
        "positions": (
            "g of each holonomic constraint, zero on the way",
            [c.position for c in system.constraints if c.position is not None],
        ),
        "velocity_rows": ("each named velocity's coefficients of the rates", linear),
        "velocity_offsets": ("each named velocity at zero rates", offset),
        "velocity_bias": ("each named velocity's rate of change at zero q''", bias),
        "dry_speeds": ("speeds at whose zero a dry resistance stops the run", dry),
        "outputs": ("the declared outputs", outputs),
        **_friction(system, laws, put),
        "energy": ("kinetic energy", [system.kinetic_energy]),
        "energy_rate": ("dE/dt + dT/dt of explicit time, without q''", [_energy_rate(system)]),
        "energy_slopes": ("dE/dq'", [_energy(system).diff(r) for r in qdot]),
        "power": ("power of the applied forces", [(qdot.T * Q)[0]]),
        "break_times": ("when inputs switch", list(laws.break_times)),
    }
    arguments = {
        **{q: sp.Symbol(f"q[{i}]") for i, q in enumerate(system.coordinates)},
        **{r: sp.Symbol(f"v[{i}]") for i, r in enumerate(system.rates)},
        **{p: sp.Symbol(f"p[{i}]") for i, p in enumerate(parameters)},
    }
    functions = {
        name: (word, [sp.S(e).subs(laws.motions) for e in expressions])
        for name, (word, expressions) in functions.items()
    }
    knots, pieces = ([getattr(s, n) for s in laws.tables] for n in ("knots", "coefficients"))
    text = [HEAD.format(title=system.title, knots=_data(knots), pieces=_data(pieces))]
    text += [SAMPLED.strip() + "\n"] if laws.tables else []
    text += [_function(n, d, e, arguments, laws) for n, (d, e) in functions.items()]
    return "\n\n".join(text)


def _data(arrays: list[np.ndarray]) -> str:
    """Return arrays as the text of a list; every number is met exactly."""
    return f"[{', '.join(f'numpy.array({a.tolist()})' for a in arrays)}]"


def _friction(
    system: System, laws: Laws, put: Callable[[sp.Expr], sp.Expr]
) -> dict[str, tuple[str, list[sp.Expr]]]:
    """Return the functions of the contacts' laws, one entry a contact or a constraint row."""
    friction = laws.friction
    qddot = [q.ddot for q in system.coordinates]
    reactions = [c.reaction for c in system.constraints]
    zero = dict.fromkeys([*qddot, *reactions], 0)
    shares, forces = [], []
    for con in system.constraints:
        f = next((f for f in friction if con in f.rows), None)
        slip = [row.expression for row in f.rows] if f else []
        share = force = sp.S.Zero
        if f and isinstance(f.law, Viscous):
            force = -f.rate * con.expression
        elif f and isinstance(f.law, Smoothed) and len(slip) == 1:
            share = f.mu * sp.tanh(con.expression / f.rate)
        elif f and isinstance(f.law, Smoothed):
            share = f.mu * con.expression / sp.sqrt(slip[0] ** 2 + slip[1] ** 2 + f.rate**2)
        shares.append(put(share))
        forces.append(put(force))
    return {
        "loads": (
            "normal load of each contact at zero q'' and Lambda",
            [put(sp.S(f.load).subs(zero)) for f in friction],
        ),
        "load_accelerations": (
            "dN/dq'' of each contact, row by row",
            [put(sp.S(f.load).diff(a)) for f in friction for a in qddot],
        ),
        "load_reactions": (
            "dN/dLambda of each contact, row by row",
            [put(sp.S(f.load).diff(x)) for f in friction for x in reactions],
        ),
        "friction_static": ("mu of each contact while held", [put(f.mu) for f in friction]),
        "friction_kinetic": ("mu of each contact in motion", [put(f.mu_kinetic) for f in friction]),
        "friction_drive": ("driving force in each contact", [put(f.drive) for f in friction]),
        "law_shares": ("share in Lambda = force - share N of each row never held", shares),
        "law_forces": ("force in Lambda = force - share N of each row never held", forces),
        "slips": (
            "constraint velocity of each row",
            [con.expression for con in system.constraints],
        ),
    }


def _resolved(system: System, laws: Laws) -> dict[sp.Symbol, sp.Expr]:
    """Return inputs, ratios, outputs and quasi-velocities as expressions in q and q̇."""
    known: dict[sp.Symbol, sp.Expr] = {
        system.output_symbols[n]: e for n, (e, *_) in system.outputs.items()
    }
    known |= dict(laws.speeds)
    known |= {s: r.expression for s, r in zip(system.states, system.rows, strict=True)}
    known = {s: e.subs(laws.motions) for s, e in known.items()}
    return known | {s: e.subs(known) for s, e in laws.values.items()}


def _energy(system: System) -> sp.Expr:
    """Return E = q̇·∂T/∂q̇ − T, which is T where the places of the bodies do not depend on time.

    dE/dt = Q·q̇ + Λᵀ A q̇ − ∂T/∂t follows from Lagrange's equations.
    """
    T = system.kinetic_energy
    return sp.expand(sp.Add(*(r * T.diff(r) for r in system.rates)) - T)


def _energy_rate(system: System) -> sp.Expr:
    return rate_of_change(_energy(system)) + explicit_rate(system.kinetic_energy)


def _function(
    name: str,
    meaning: str,
    expressions: list[sp.Expr],
    arguments: dict[sp.Symbol, sp.Symbol],
    laws: Laws,
) -> str:
    printer = NumPyPrinter({"fully_qualified_modules": True})
    shared, results = sp.cse(
        [sp.S(e).subs(arguments) for e in expressions], symbols=sp.numbered_symbols("c")
    )
    used = set().union(*(e.free_symbols for e in [*results, *(e for _, e in shared)]))
    lines = [f"def {name}(t, q, v, p):", f'    """Return {meaning}."""']
    for switch, time in zip(laws.switches, laws.break_times, strict=True):
        if switch in used:
            at = printer.doprint(time.subs(arguments))
            lines.append(f"    {switch} = numpy.where(t >= {at}, 1.0, 0.0)")
    for i, s in enumerate(laws.tables):
        for order, symbol in enumerate(s.derivatives):
            if symbol in used:
                lines.append(f"    {symbol} = sampled({i}, {order}, t)")
    lines += [f"    {s} = {printer.doprint(e)}" for s, e in shared]
    body = ", ".join(printer.doprint(e) for e in results)
    lines.append(f"    return table([{body}], [t, *q, *v, *p])")
    return "\n".join(lines) + "\n"
