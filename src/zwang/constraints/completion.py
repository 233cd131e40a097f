"""Hidden constraints, found by differentiating and testing the rank [GaussPrinciple 3.1]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import mpmath
import sympy as sp

from zwang.constraints.pfaff import echelon, tidy
from zwang.constraints.places import (
    Equalities,
    Numbers,
    Place,
    anywhere,
    eliminate,
    symbols_of,
    vanish,
)
from zwang.quantities import Parameter, Rate, per_second, t
from zwang.system import Constraint, Holonomic, QuasiVelocity, System


class ConstraintError(ValueError):
    """Constraints that do not describe a mechanical system, with the reason."""


@dataclass(frozen=True)
class Completion:
    """Independent constraints equivalent to the declared ones, and what was done to get there."""

    constraints: tuple[Constraint, ...]
    places: tuple[Place, ...]  # positions and rates that meet all constraints
    declared_rank: int  # of ∂φ/∂q̇ as declared, where the constraints hold
    hidden: dict[str, sp.Expr]  # position g = 0 found in the row of this name
    dropped: dict[str, tuple[str, ...]]  # dependent row, the rows it follows from


def quoted(names: Sequence[str]) -> str:
    """Return names in quotes, the last after `and`."""
    *first, last = (repr(n) for n in names)
    return f"{', '.join(first)} and {last}" if first else last


def is_linear(e: sp.Expr, rates: Sequence[Rate]) -> bool:
    """Return whether an expression is linear in the rates."""
    second = [e.diff(a).diff(b) for i, a in enumerate(rates) for b in rates[: i + 1]]
    second = [d for d in second if d != 0]
    return not second or all(vanish(second, anywhere(symbols_of(second))))


def form(e: sp.Expr, system: System) -> list[sp.Expr]:
    """Return the coefficients of dq and dt of a constraint that is linear in the rates."""
    rest = dict.fromkeys(system.rates, 0)
    return [*(e.diff(r).subs(rest) for r in system.rates), e.subs(rest)]


def gradients(constraints: Sequence[Constraint], system: System) -> list[sp.Expr]:
    """Return ∂φ/∂q̇, row by row."""
    return [c.expression.diff(r) for c in constraints for r in system.rates]


def system_symbols(system: System) -> set[sp.Symbol]:
    """Return time and every symbol of constraints, velocities and kinetic energy."""
    expressions = [system.kinetic_energy, *(r.expression for r in system.rows)]
    expressions += [c.position for c in system.constraints if c.position is not None]
    return {t, *system.coordinates, *system.rates, *symbols_of(expressions)}


def places_on(constraints: Sequence[Constraint], system: System) -> list[Place]:
    """Return places where these constraints hold, on both levels; none if they contradict."""
    equations = [c.position for c in constraints if c.position is not None]
    equations += [c.expression for c in constraints]
    unknowns = (*system.coordinates, *system.rates)
    return Equalities(equations, unknowns).places(system_symbols(system))


def completion(system: System) -> Completion:
    """Return the independent constraints, hidden ones included; contradictions are an error."""
    rows = _positions_first(system.constraints)
    hidden: dict[str, sp.Expr] = {}
    dropped: dict[str, tuple[str, ...]] = {}
    declared_rank: int | None = None
    for _ in range(2 * len(rows) + len(system.coordinates) + 1):
        places = places_on(rows, system)
        if not places:
            raise _contradiction(rows, system)
        names, dependent, parts = _dependent(rows, system, places)
        if declared_rank is None:
            declared_rank = len(rows) - len(dependent)
        if not dependent:
            order = {c.name: i for i, c in enumerate(system.constraints)}
            rows = sorted(rows, key=lambda c: order[c.name])
            return Completion(tuple(rows), tuple(places), declared_rank, hidden, dropped)
        i = dependent[0]
        others = [*rows[:i], *rows[i + 1 :]]
        if _follows(rows[i], others, system):
            dropped[rows[i].name] = tuple(names[k] for k in parts[i])
            hidden.pop(rows[i].name, None)
            rows = others
            continue
        g = _without_rates(rows, i, parts[i], system, places)
        hidden[rows[i].name] = g
        rows[i] = _from_position(rows[i], g)
        rows = _positions_first(rows)
    raise ConstraintError(
        f"{system.name}: new hidden constraints appear without end; write the constraints "
        f"{quoted([c.name for c in system.constraints])} in independent form"
    )


def _positions_first(constraints: Sequence[Constraint]) -> list[Constraint]:
    """Return the rows so that those without a position are found dependent, not the others."""
    return sorted(constraints, key=lambda c: c.position is None)


def _dependent(
    rows: Sequence[Constraint], system: System, places: Sequence[Place]
) -> tuple[list[str], list[int], dict[int, list[int]]]:
    n = len(system.coordinates)
    A = Numbers(gradients(rows, system))
    found = []
    for p in places:
        values = A(p)
        if values is not None:
            found.append(eliminate([values[i * n : (i + 1) * n] for i in range(len(rows))], n))
    if not found:
        raise ConstraintError(f"{system.name}: the constraints have no gradient where they hold")
    best = max(found, key=lambda e: e.rank)
    return [c.name for c in rows], best.dependent, best.parts


def _follows(row: Constraint, others: Sequence[Constraint], system: System) -> bool:
    """Return whether a constraint holds wherever the other ones do."""
    places = places_on(others, system)
    both = [row.expression, *([] if row.position is None else [row.position])]
    return bool(places) and all(vanish(both, places))


def _without_rates(
    rows: Sequence[Constraint],
    i: int,
    parts: Sequence[int],
    system: System,
    places: Sequence[Place],
) -> sp.Expr:
    """Return g(t, q), the combination of row i with the rows in `parts` that has no rates."""
    name, n = rows[i].name, len(system.coordinates)
    used = [rows[k] for k in parts]
    if rows[i].position is not None:
        raise ConstraintError(
            f"{system.name}: the gradient of constraint {name!r} vanishes or depends on the others "
            "exactly where the constraints hold, like that of x**2 = 0; write it so that it has "
            "simple zeros (x = 0)"
        )
    if not all(is_linear(c.expression, system.rates) for c in (*used, rows[i])):
        on = f"depends on {quoted([c.name for c in used])}" if used else "vanishes"
        raise ConstraintError(
            f"{system.name}: constraint {name!r} is nonlinear in the rates and its gradient "
            f"{on} where the constraints hold; replace it by a regular one"
        )
    solved = echelon([form(c.expression, system) for c in used], n, places)
    row = form(rows[i].expression, system)
    g = row[n] - sp.Add(*(row[p] * r[n] for r, p in zip(solved.rows, solved.pivots, strict=True)))
    g = _modulo(tidy(g), [c.position for c in rows if c.position is not None], system)
    if not g.free_symbols & {t, *system.coordinates}:
        raise ConstraintError(
            f"{system.name}: constraints {quoted([*(c.name for c in used), name])} contradict each "
            f"other: they demand {g} = 0; remove or correct one of them"
        )
    return g


def _modulo(g: sp.Expr, positions: Sequence[sp.Expr], system: System) -> sp.Expr:
    """Return the remainder of g by the known positions where all are polynomials."""
    numerator, denominator = sp.fraction(sp.together(g))
    if not positions or not all(
        e.is_polynomial(*system.coordinates) for e in (numerator, *positions)
    ):
        return g
    basis = sp.groebner(positions, *system.coordinates, order="grevlex")
    _, rest = sp.reduced(numerator, basis.exprs, *system.coordinates, order="grevlex")
    return rest / denominator


def _from_position(row: Constraint, g: sp.Expr) -> Constraint:
    return Holonomic(
        row.name,
        g,
        symbol=row.symbol,
        unit=per_second(row.unit),
        reaction_unit=f"({row.reaction_unit})*s",
        meaning=f"{row.meaning} (position hidden in the declared constraints)".strip(),
    )


def _contradiction(rows: Sequence[Constraint], system: System) -> ConstraintError:
    """Return the error that names a smallest contradictory set of constraints."""
    left = list(rows)
    for row in rows:
        without = [c for c in left if c is not row]
        if without and not places_on(without, system):
            left = without
    names = [c.name for c in left]
    shown = " and ".join(_shown(c) for c in left)
    if len(left) == 1:
        what = f"constraint {names[0]!r} cannot be met: {shown} has no solution"
    else:
        what = f"constraints {quoted(names)} contradict each other: {shown} have no common solution"
    free = sorted({s.name for c in left for s in _parameters(c)})
    hint = f" unless {', '.join(free)} have special values" if free else ""
    return ConstraintError(f"{system.name}: {what}{hint}; remove or correct one of them")


def _shown(c: Constraint) -> str:
    return f"{c.expression if c.position is None else c.position} = 0"


def _parameters(c: Constraint) -> set[sp.Symbol]:
    found = symbols_of([c.expression, c.position or sp.S.Zero])
    return {s for s in found if isinstance(s, Parameter)}


def complete(system: System) -> System:
    """Return the system with independent constraints, the hidden ones among them.

    Dependent constraints are dropped; declared quasi-velocities stay as far as they are still
    independent, rates fill up. A regular system is returned as it is.
    """
    done = completion(system)
    if not done.hidden and not done.dropped:
        return system
    n = len(system.coordinates)
    candidates = [*system.quasi_velocities, *system.rates]
    expressions = [
        *(c.expression for c in done.constraints),
        *(v.expression if isinstance(v, QuasiVelocity) else v for v in candidates),
    ]
    alpha = Numbers([e.diff(r) for e in expressions for r in system.rates])
    values = next(v for v in map(alpha, done.places) if v is not None)
    rows = [values[i * n : (i + 1) * n] for i in range(len(expressions))]
    k = len(done.constraints)
    chosen = [i - k for i in eliminate(rows, n, mpmath.mpf("1e-6")).independent if i >= k]
    free = tuple(candidates[i] for i in chosen)
    outputs = dict(system.outputs)
    for v in system.quasi_velocities:
        if isinstance(v, QuasiVelocity) and v not in free and v.name not in outputs:
            outputs[v.name] = (v.expression, v.symbol, v.unit, v.meaning)
    return replace(system, constraints=done.constraints, quasi_velocities=free, outputs=outputs)
