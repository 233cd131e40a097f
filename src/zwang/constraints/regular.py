"""Declarations whose equations of motion do not determine the motion, as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import mpmath
import sympy as sp
from sympy.core.function import AppliedUndef

from zwang.constraints.chart import chart_faults
from zwang.constraints.completion import ConstraintError, completion, gradients, quoted
from zwang.constraints.places import (
    ZERO,
    Numbers,
    Place,
    Row,
    anywhere,
    null_vectors,
    precise,
    symbols_of,
    vanish,
)
from zwang.nearest import nearest
from zwang.quantities import Coordinate, Known, Parameter, Rate, Ratio, rate_of_change, t
from zwang.system import System


def require_regular(system: System) -> None:
    """Raise ConstraintError unless the equations of motion determine q̈ and Λ.

    Every symbol is declared; the constraints are independent and without contradiction; M is
    positive definite on the velocities they admit; the quasi-velocities are independent.
    """
    _require_declared(system)
    _require_positions(system)
    done = completion(system)
    if done.dropped:
        name, parts = next(iter(done.dropped.items()))
        why = f"follows from {quoted(parts)}" if parts else "says 0 = 0"
        raise ConstraintError(
            f"{system.name}: constraint {name!r} {why}, so its reaction is not determined; remove "
            "it from the constraints and declare one more quasi-velocity, or use complete(system)"
        )
    if done.hidden:
        name, g = next(iter(done.hidden.items()))
        raise ConstraintError(
            f"{system.name}: constraint {name!r} hides the position {g} = 0, the rank of the "
            f"declared rows is {done.declared_rank}; declare Holonomic({name!r}, {g}) instead, or "
            "use complete(system)"
        )
    _require_inertia(system, done.places)
    faults = [chart_faults(system, p) for p in done.places]
    if all(faults):
        raise ConstraintError(f"{system.name}: {faults[0][0]}")


def _written(system: System) -> Iterator[tuple[str, sp.Expr]]:
    """Yield every expression of a declaration with the place where it stands."""
    yield "the kinetic energy", system.kinetic_energy
    for q, f in zip(system.coordinates, system.accelerations, strict=False):
        yield f"the free acceleration of {q.name}", f
    if not system.accelerations:
        for q, Q in zip(system.coordinates, system.applied_forces, strict=True):
            yield f"the applied force on {q.name}", Q
    for c in system.constraints:
        yield f"constraint {c.name!r}", c.expression
        yield f"the position of constraint {c.name!r}", c.position or sp.S.Zero
    affine = [q.ddot for q in system.coordinates] + [c.reaction for c in system.constraints]
    for g in system.contacts:
        yield (
            f"the load of contact {g.name!r}",
            (g.load + g.transfer).subs(dict.fromkeys(affine, 0)),
        )
    for v in system.rows[: len(system.quasi_velocities)]:
        yield f"quasi-velocity {v.name!r}", v.expression
    for name, (e, *_) in system.outputs.items():
        yield f"output {name!r}", e


def _require_declared(system: System) -> None:
    known = {t, *system.coordinates, *system.rates}
    for where, e in _written(system):
        e = sp.S(e)
        strange = [s for s in e.free_symbols if not _declared(s, known)]
        for s in sorted([*strange, *e.atoms(AppliedUndef)], key=str):
            kind = "Coordinate" if isinstance(s, Coordinate | Rate) else "Parameter or Input"
            names = [q.name for q in (*system.coordinates, *system.rates, *system.parameters)]
            raise ConstraintError(
                f"{system.name}: {s} in {where} is not declared; make it a {kind} of the system "
                f"({nearest(str(s), names)})"
            )


def _declared(s: sp.Symbol, known: set[sp.Symbol]) -> bool:
    return s in known or isinstance(s, Parameter | Known | Ratio)


def _require_positions(system: System) -> None:
    for c in system.constraints:
        if c.position is None:
            continue
        difference = c.expression - rate_of_change(c.position)
        if difference != 0 and not vanish([difference], anywhere(symbols_of([difference])))[0]:
            raise ConstraintError(
                f"{system.name}: the expression of constraint {c.name!r} is not the time "
                f"derivative of its position {c.position}; declare it with Holonomic"
            )


@precise
def _require_inertia(system: System, places: Sequence[Place]) -> None:
    """Raise ConstraintError unless vᵀ M v > 0 for every velocity with A v = 0."""
    n = len(system.coordinates)
    T, rates = system.kinetic_energy, system.rates
    mass = Numbers([T.diff(a, b) for a in rates for b in rates])
    A = Numbers(gradients(system.constraints, system))
    inert: set[int] | None = None
    for place in places:
        M, rows = mass(place), A(place)
        if M is None or rows is None:
            continue
        Z = null_vectors([rows[i : i + n] for i in range(0, len(rows), n)], n)
        Mz = [[mpmath.fdot(M[i * n : (i + 1) * n], z) for i in range(n)] for z in Z]
        S = [[mpmath.fdot(a, b) for b in Z] for a in Mz]
        if _negative(S):
            raise ConstraintError(
                f"{system.name}: the kinetic energy is negative for velocities the constraints "
                "admit; correct a sign in the bodies or the kinetic energy"
            )
        weights = null_vectors(S, len(Z))
        if not weights:
            return
        moved = {
            i
            for w in weights
            for i in range(n)
            if abs(mpmath.fsum(c * z[i] for c, z in zip(w, Z, strict=True))) > ZERO
        }
        inert = moved if inert is None or len(moved) < len(inert) else inert
    names = [system.coordinates[i].name for i in sorted(inert or ())]
    if len(names) == 1:
        what = f"coordinate {names[0]!r} has no inertia"
    else:
        what = f"coordinates {quoted(names)} have no inertia in a common motion"
    raise ConstraintError(
        f"{system.name}: {what} and no constraint fixes it, so its acceleration is not determined; "
        "give it a mass, add a constraint or remove the coordinate"
    )


def _negative(S: Sequence[Row]) -> bool:
    """Return whether a symmetric matrix has a negative eigenvalue."""
    if not S:
        return False
    values = mpmath.eigsy(mpmath.matrix([list(r) for r in S]), eigvals_only=True)
    return min(values) < -ZERO
