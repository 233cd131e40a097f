"""Quasi-velocities that do not fix the rates at a state, and others that would."""

from __future__ import annotations

import mpmath

from zwang.constraints.completion import quoted, system_symbols
from zwang.constraints.places import Numbers, Place, anywhere, eliminate, precise, symbols_of
from zwang.constraints.start import State, place_of
from zwang.quantities import t
from zwang.system import System

DEPENDENT = mpmath.mpf("1e-10")  # share of a velocity left over by the others: dependent below it


def check_chart(system: System, state: State) -> list[str]:
    """Return what is wrong with the quasi-velocities at a state; nothing where they are regular.

    What the state does not give is taken at fixed numbers without a special property.
    """
    place, _ = place_of(system, state)
    if t not in state and "t" not in state:
        del place[t]
    expressions = [v.expression for v in system.velocities.values()]
    rest = anywhere({*system_symbols(system), *symbols_of(expressions)})[0]
    return chart_faults(system, rest | place)


@precise
def chart_faults(system: System, place: Place) -> list[str]:
    """Return which quasi-velocities depend on others at a place, and which ones would not."""
    n, k = len(system.coordinates), len(system.constraints)
    held = [c.velocity for c in system.constraints]
    free = list(system.rows[: n - k])
    taken = {v.name for v in (*held, *free)}
    spare = [v for v in system.velocities.values() if v.name not in taken]
    velocities = [*held, *free, *spare]
    values = Numbers([v.expression.diff(r) for v in velocities for r in system.rates])(place)
    if values is None:
        return ["a quasi-velocity is not a real number there; choose others"]
    rows = [values[i * n : (i + 1) * n] for i in range(len(velocities))]
    chart = eliminate(rows[:n], n, DEPENDENT)
    if not chart.dependent:
        return []
    bound = [i for i in chart.dependent if i < k]
    if bound:
        names = [velocities[i].name for i in bound]
        return [f"the constraint velocities {quoted(names)} depend on the other constraints there"]
    good = list(chart.independent)
    offers = []
    for i in range(n, len(velocities)):
        trial = eliminate([*(rows[j] for j in good), rows[i]], n, DEPENDENT)
        if not trial.dependent:
            offers.append((round(float(trial.sizes[len(good)]), 6), velocities[i].name))
    offers.sort(key=lambda o: -o[0])
    kept = [velocities[i].name for i in good if i >= k]
    faults = []
    for i in chart.dependent:
        parts = [velocities[j].name for j in chart.parts[i]]
        why = f"depends on {quoted(parts)}" if parts else "says nothing about the rates"
        faults.append(f"quasi-velocity {velocities[i].name!r} {why} there")
    missing = len(chart.dependent)
    advice = " or ".join(repr(name) for _, name in offers[:3]) or "another velocity, to be declared"
    beside = f" beside {quoted(kept)}" if kept else ""
    count = f"{missing} of " if missing > 1 else ""
    faults[-1] += f"; choose {count}{advice}{beside}, which is regular there"
    return faults
