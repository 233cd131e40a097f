"""Starts that violate a constraint, as sentences."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Rational

import mpmath
import sympy as sp

from zwang.constraints.completion import ConstraintError, completion
from zwang.constraints.places import DIGITS, Numbers, Place, precise, symbols_of
from zwang.nearest import nearest
from zwang.quantities import Known, Parameter, rate_of_change, t
from zwang.system import System

ROUNDED = mpmath.mpf("1e-9")  # relative size up to which a start given in floats is taken as met
EXACT = mpmath.mpf("1e-30")  # the same for integers, fractions and exact sympy numbers

State = Mapping[str | sp.Symbol, object]


def consistent(system: System, state: State) -> bool:
    """Return whether a start meets all constraints, on the level of positions and of rates."""
    return not check_start(system, state)


@precise
def check_start(system: System, state: State) -> list[str]:
    """Return a sentence for every constraint, declared or hidden, that a start violates.

    `state` has coordinates, rates and the parameters of the constraints by name or symbol; time
    is 0 unless given. Integers, fractions and sympy numbers are exact, floats are rounded.
    """
    place, zero = place_of(system, state)
    faults = []
    hidden = completion(system).hidden
    checked = []
    for c in system.constraints:
        checked += [] if c.position is None else [(c.name, "position", c.position)]
        checked += [(c.name, "velocity", c.expression)]
    for name, g in hidden.items():
        checked += [(name, "hidden position", g), (name, "hidden velocity", rate_of_change(g))]
    missing = sorted(
        {s.name for s in symbols_of([e for *_, e in checked])} - {s.name for s in place}
    )
    if missing:
        raise ConstraintError(
            f"{system.name}: the start has no value of {', '.join(missing)}; give it"
        )
    for name, level, e in checked:
        terms = Numbers([e, *sp.Add.make_args(e)])(place)
        if terms is None:
            faults.append(f"constraint {name!r} is not a real number at the start ({level})")
        elif abs(terms[0]) > zero * max(1, *map(abs, terms[1:])):
            value = mpmath.nstr(terms[0], 6)
            faults.append(
                f"the start violates constraint {name!r} on the level of its {level}: "
                f"{e} = {value}, not 0"
            )
    return faults


@precise
def place_of(system: System, state: State) -> tuple[Place, mpmath.mpf]:
    """Return the state in 50 digits, and the relative size below which a value counts as zero."""
    known = {s.name: s for s in (t, *system.coordinates, *system.rates)}
    positions = [c.position for c in system.constraints if c.position is not None]
    held = symbols_of([*positions, *(c.expression for c in system.constraints)])
    parameters = sorted((s for s in held if isinstance(s, Parameter | Known)), key=str)
    known |= {s.name: s for s in (*system.parameters, *system.inputs, *parameters)}
    place, zero = {t: mpmath.mpf(0)}, EXACT
    for key, value in state.items():
        name = getattr(key, "name", key)
        if name not in known:
            raise ConstraintError(f"{system.name}: no quantity {name!r}; {nearest(name, known)}")
        if isinstance(value, Rational):
            number = sp.Rational(value.numerator, value.denominator)
        elif isinstance(value, sp.Expr) and value.is_real and value.is_number:
            number = value
        elif isinstance(value, float):
            number = sp.Rational(value)
        else:
            raise ConstraintError(f"{system.name}: {name} = {value!r} is not a real number")
        if isinstance(value, float | sp.Float):
            zero = ROUNDED
        place[known[name]] = mpmath.mpf(str(sp.N(number, DIGITS)))
    return place, zero
