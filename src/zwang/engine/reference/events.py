"""What ends a phase of the reference engine: bounds reached, slips gone, loads lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from zwang.engine.model import Array
from zwang.engine.reference.modes import Mechanics, Mode

SAMPLES = 9  # per step of the integrator, between which events are bracketed
FLAT = 1e-11  # of what a watched value is measured by: below it, it counts as zero
LEFT = 1e-12  # m/s per m/s of the rates: a slip beyond it has left zero
LEFT_PLANE = 1e-6  # m/s, the same of a slip in two directions
STOPPED = 1e-7  # m/s, from here the last bit of a slip in two directions is extrapolated

RELEASE, STOP, GAP, LOAD, DRIVE = "release", "stop", "gap", "load", "drive"
Key = tuple[str, int]


@dataclass(frozen=True)
class Watched:
    """Values that are positive while the mode goes on, and what they are measured by."""

    value: Array
    size: Array


@dataclass(frozen=True)
class Event:
    """What happened when."""

    what: str
    which: int
    t: float


def watched(mechanics: Mechanics, t: Array, y: Array, mode: Mode) -> dict[Key, Watched]:
    """Return everything that may end the mode; states run along the last axis of y."""
    forces = mechanics.forces(t, y, mode)
    n = mechanics.n
    out: dict[Key, Watched] = {}
    for place in mechanics.pressed:
        out[LOAD, place] = Watched(forces.loads[..., place], np.abs(forces.loads[..., place]))
    speed = 1.0 + np.abs(y[n : 2 * n]).max(0)
    for c, contact in enumerate(mechanics.contacts):
        sign, rows = mode.signs[c], list(contact.rows)
        slip = forces.slips[..., rows]
        if contact.law == "friction_circle":
            mu = (forces.kinetic if sign else forces.static)[..., contact.load]
            grip = mu * forces.loads[..., contact.load]
            out[DRIVE, c] = Watched(grip - np.abs(forces.drive[..., contact.load]), np.abs(grip))
        if contact.law == "one_sided":
            pull = forces.reactions[..., rows[0]]
            size = np.abs(forces.reactions).max(-1)
            gap = y[2 * n + contact.gap]
            out[(GAP if sign else RELEASE), c] = (
                Watched(gap, 1.0 + np.abs(y[:n]).max(0)) if sign else Watched(pull, size)
            )
        elif sign == 0:
            bound = forces.bound(contact)
            out[RELEASE, c] = Watched(bound - forces.carried(contact), bound)
        elif len(rows) == 1:
            out[STOP, c] = Watched(sign * slip[..., 0], speed)
        else:
            out[STOP, c] = Watched(np.linalg.norm(slip, axis=-1) - STOPPED, speed)
    return out


def _crossing(
    t: Array, seen: Watched, value: Callable[[float], float]
) -> tuple[float, float] | None:
    """Return between which times a value becomes negative for the first time, or None.

    A value that starts at zero and falls has crossed it at the start.
    """
    v, flat = seen.value, FLAT * seen.size
    negative = np.flatnonzero(v < -flat)
    end = int(negative[0]) if negative.size else len(v)
    for i in range(1, min(end, len(v) - 1)):  # dips between the samples
        drop = max(v[i - 1] - v[i], v[i + 1] - v[i])
        if v[i] < v[i - 1] and v[i] <= v[i + 1] and 0.0 < v[i] < 2.0 * drop:
            low = minimize_scalar(
                value, bounds=(t[i - 1], t[i + 1]), method="bounded", options={"xatol": 1e-12}
            )
            if low.fun < -flat[i]:
                return float(t[i - 1]), float(low.x)
    if not negative.size:
        return None
    positive = np.flatnonzero(v[:end] > 0.0)
    if not positive.size:
        return float(t[0]), float(t[0])
    return float(t[positive[-1]]), float(t[positive[-1] + 1])


def _has_left(mechanics: Mechanics, key: Key, seen: Watched) -> int | None:
    """Return the sample from which a slip or gap counts as having left zero, if any."""
    what, c = key
    if what == STOP and len(mechanics.contacts[c].rows) == 2:
        beyond = seen.value + STOPPED > LEFT_PLANE
    else:
        beyond = np.abs(seen.value) > LEFT * seen.size
    return int(np.argmax(beyond)) if beyond.any() else None


def _located(
    bracket: tuple[float, float], exact: Callable[[float], float], rough: Callable[[float], float]
) -> float:
    """Return the root of `exact`, of `rough` where the two do not agree on the signs."""
    left, right = bracket
    if left == right:
        return left
    for value in (exact, rough):
        if value(left) >= 0.0 > value(right):
            return float(brentq(value, left, right, xtol=1e-15, rtol=1e-15))
    return right


@dataclass(frozen=True)
class Step:
    """One step of the integrator: its interpolant, and its states without that one's error."""

    start: float
    stop: float
    before: float  # the laws hold up to here
    dense: Callable[[Any], Array]
    exact: Callable[[float], Array]


def first_event(mechanics: Mechanics, mode: Mode, step: Step, left: list[bool]) -> Event | None:
    """Return what ends the mode within a step; note in `left` which slips and gaps left zero."""
    if not mechanics.contacts and not mechanics.pressed:
        return None
    t = np.linspace(step.start, step.stop, SAMPLES)
    found: Event | None = None
    leaving: dict[int, float] = {}

    def value(key: Key, at: Callable[[Any], Array]) -> Callable[[float], float]:
        def one(time: float) -> float:
            now = np.asarray(min(time, step.before))
            return float(watched(mechanics, now, at(time), mode)[key].value)

        return one

    for key, seen in watched(mechanics, np.minimum(t, step.before), step.dense(t), mode).items():
        first = 0
        if key[0] in (STOP, GAP) and not left[key[1]]:
            beyond = _has_left(mechanics, key, seen)
            if beyond is None:
                continue
            first = beyond
            leaving[key[1]] = float(t[first])
        rest = Watched(seen.value[first:], seen.size[first:])
        bracket = _crossing(t[first:], rest, value(key, step.dense))
        if bracket is None or (found is not None and bracket[0] >= found.t):
            continue
        when = _located(bracket, value(key, step.exact), value(key, step.dense))
        if found is None or when < found.t:
            found = Event(*key, when)
    for c, when in leaving.items():
        left[c] = found is None or when <= found.t
    return found
