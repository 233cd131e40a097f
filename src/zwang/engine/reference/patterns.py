"""Which contacts at rest stay held and which slide: every pattern is tried."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import brentq

from zwang.engine.model import Array
from zwang.engine.reference.modes import Contact, Forces, Mechanics, Mode

NEAR = 1e-9  # relative, by which a pattern may miss its conditions
SAME = 1e-8  # relative difference of accelerations of one and the same motion
ANGLES = 48  # directions between which the slip of a contact with two rows is bracketed
SWEEPS = 60  # over contacts with two rows that start to slide together


@dataclass(frozen=True)
class Pattern:
    """A consistent pattern with its accelerations."""

    mode: Mode
    a: Array


def decide(
    mechanics: Mechanics,
    t: float,
    y: Array,
    mode: Mode,
    at_rest: Collection[int],
    released: Mapping[int, int],
) -> Mode | None:
    """Return the mode after t, or None where no motion or several are possible.

    `at_rest` are the contacts without slip, `released` those of them that must slide, by sign.
    Of the contacts held in `mode` no more let go than must; patterns with the same accelerations
    are one motion, of which the one that holds more is taken.
    """
    options = [
        _options(contact, mode.signs[c], c in at_rest, released.get(c))
        for c, contact in enumerate(mechanics.contacts)
    ]
    found = [
        pattern
        for signs in product(*options)
        for pattern in _consistent(mechanics, t, y, mode, signs, at_rest)
    ]
    before = [c for c, sign in enumerate(mode.signs) if sign == 0 and c not in released]
    kept = [{c for c in before if p.mode.signs[c] == 0} for p in found]
    found = [p for p, held in zip(found, kept, strict=True) if not any(held < k for k in kept)]
    if not found:
        return None
    first = found[0]
    size = SAME * (1.0 + max(float(np.abs(p.a).max()) for p in found))
    if any(float(np.abs(p.a - first.a).max()) > size for p in found[1:]):
        return None
    return max(found, key=lambda p: p.mode.signs.count(0)).mode


def _options(contact: Contact, now: int, at_rest: bool, must: int | None) -> tuple[int, ...]:
    if must is not None:
        return (must,)
    if not at_rest:
        return (now,)
    return (0, 1) if contact.law == "one_sided" or len(contact.rows) == 2 else (0, 1, -1)


def _consistent(
    mechanics: Mechanics,
    t: float,
    y: Array,
    mode: Mode,
    signs: tuple[int, ...],
    at_rest: Collection[int],
) -> Iterator[Pattern]:
    """Yield the pattern of these signs if it meets its conditions, once per direction of slip."""
    turning = [c for c in at_rest if signs[c] and len(mechanics.contacts[c].rows) == 2]
    tried = mode.moving()
    for c, sign in enumerate(signs):
        tried = tried.put(c, sign, (1.0, 0.0) if c in turning else None)
    for candidate in _directed(mechanics, t, y, tried, turning):
        try:
            forces = mechanics.forces(np.asarray(t), y, candidate)
        except np.linalg.LinAlgError:
            continue
        checks = (_holds(forces, mechanics.contacts[c], candidate, c) for c in at_rest)
        if all(checks):
            yield Pattern(candidate, forces.a)


def _holds(forces: Forces, contact: Contact, mode: Mode, c: int) -> bool:
    """Return whether a contact without slip meets the conditions of its mode."""
    sign, rows = mode.signs[c], list(contact.rows)
    leaving = NEAR * float(forces.scale[rows].max())
    if sign == 0 and contact.law == "one_sided":
        return bool(forces.reactions[rows[0]] >= -NEAR * np.abs(forces.reactions).max())
    if sign == 0:
        bound = float(forces.bound(contact))
        return bool(forces.carried(contact) <= bound + NEAR * max(bound, 1e-300))
    if len(rows) == 2:
        along = np.array(mode.along[c])
        return bool(forces.slip_rates[rows] @ along >= -leaving)
    return bool(sign * forces.slip_rates[rows[0]] >= -leaving)


def _directed(
    mechanics: Mechanics, t: float, y: Array, mode: Mode, turning: list[int]
) -> list[Mode]:
    """Return the mode with directions in which the slips of contacts with two rows start.

    The slip starts along its rate: Λ = −μ N n, ṡ ∥ n. One contact after the other is turned until
    nothing changes, which for loads without reactions is descent of a convex function.
    """
    if not turning:
        return [mode]
    found = [mode]
    for sweep in range(SWEEPS):
        last = found[0]
        for c in turning:
            found = _turned(mechanics, t, y, found[0], c)
            if not found:
                return []
        if len(turning) == 1:
            return found
        change = np.abs(np.subtract(_angles(found[0], turning), _angles(last, turning)))
        if sweep and change.max() < 1e-13:
            return found
    return found


def _angles(mode: Mode, turning: list[int]) -> list[tuple[float, float]]:
    return [mode.along[c] or (0.0, 0.0) for c in turning]


def _turned(mechanics: Mechanics, t: float, y: Array, mode: Mode, c: int) -> list[Mode]:
    """Return the mode with every direction along which this contact's slip can start."""
    rows = list(mechanics.contacts[c].rows)

    def put(angle: float) -> Mode:
        return mode.put(c, 1, (float(np.cos(angle)), float(np.sin(angle))))

    def parts(angle: float) -> tuple[float, float, float]:
        forces = mechanics.forces(np.asarray(t), y, put(angle))
        rate = forces.slip_rates[rows]
        n = np.array([np.cos(angle), np.sin(angle)])
        size = float(forces.scale[rows].max())
        return float(n[0] * rate[1] - n[1] * rate[0]), float(n @ rate), size

    grid = np.linspace(0.0, 2.0 * np.pi, ANGLES + 1) + 0.1  # axes are where symmetry puts roots
    across = [parts(a)[0] for a in grid]
    out = []
    for left, right, one, two in zip(grid, grid[1:], across, across[1:], strict=False):
        if one * two <= 0.0 and one != two:
            angle = float(brentq(lambda a: parts(a)[0], left, right, xtol=1e-15))
            _, forward, size = parts(angle)
            if forward >= -NEAR * size:
                out.append(put(angle))
    return out
