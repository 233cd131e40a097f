"""One run of the reference engine: its state, its mode, and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zwang.engine.model import Array
from zwang.engine.reference.events import DRIVE, GAP, LOAD, RELEASE, Event, watched
from zwang.engine.reference.maxima import Maxima
from zwang.engine.reference.modes import Contact, Mechanics, Mode
from zwang.engine.reference.patterns import decide

OK, AT_REST, SLACK, LIFT_OFF, NOT_UNIQUE, DRIVE_EXCEEDS_GRIP = range(6)
STEP_TOO_SMALL, NON_FINITE, EVENT_LIMIT = 7, 8, 9
ENDS = {GAP: SLACK, LOAD: LIFT_OFF, DRIVE: DRIVE_EXCEEDS_GRIP}
NO_SLIP = 1e-10  # m/s per m/s of the rates, at the start
FIRST_SLIP = 1e-10  # m/s, with which a slip in two directions starts
GROWN = 1e-3  # m/s, from where a slip in two directions is not stiff
AHEAD = 1e-5  # J's difference quotient over directions


@dataclass(frozen=True)
class Piece:
    """The motion of one phase."""

    start: float
    stop: float
    dense: Callable[[Any], Array]
    mode: Mode


@dataclass
class Run:
    """One run while it is computed; y is q, q̇, gaps of one-sided constraints, slip distances."""

    mechanics: Mechanics
    maxima: Maxima
    t: float
    y: Array
    mode: Mode
    limit: int
    left: list[bool] = field(default_factory=list)  # slips and gaps that have left zero
    grown: list[bool] = field(default_factory=list)
    status: int = OK
    steps: int = 0
    pieces: list[Piece] = field(default_factory=list)
    changes: list[tuple[float, int, int, int]] = field(default_factory=list)
    duration: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Return the contacts that may let go."""
        return self.mechanics.contacts

    @property
    def stiff(self) -> bool:
        """Return whether a contact with two rows has only begun to slide."""
        return any(
            sign and len(contact.rows) == 2 and not grown
            for sign, contact, grown in zip(self.mode.signs, self.contacts, self.grown, strict=True)
        )

    def slips(self, t: float, y: Array) -> list[Array]:
        """Return the slip of each contact, one value or two."""
        found = self.mechanics.model.reference.slips(*self.mechanics.given(np.asarray(t), y))
        return [found[list(contact.rows)] for contact in self.contacts]

    def slope(self, t: float, y: Array) -> Array:
        """Return the rates of q, q̇, gaps and distances."""
        n = self.mechanics.n
        a = self.mechanics.solve(np.asarray(t), y, self.mode)[0]
        out = np.zeros_like(y)
        out[:n], out[n : 2 * n] = y[n : 2 * n], a
        if any(self.mode.signs):
            for c, slip in enumerate(self.slips(t, y)):
                sign, contact = self.mode.signs[c], self.contacts[c]
                if sign and contact.gap >= 0:
                    out[2 * n + contact.gap] = slip[0]
                if sign:
                    out[len(y) - len(self.contacts) + c] = np.linalg.norm(slip)
        return out

    def jacobian(self, t: float, y: Array) -> Array:
        """Return what is stiff in the slope's derivative: directions s/|s| turn at the rate 1/|s|.

        The rest only costs Newton's method a digit or two per step.
        """
        n, mechanics = self.mechanics.n, self.mechanics
        out = np.zeros((len(y), len(y)))
        out[:n, n : 2 * n] = np.eye(n)
        at = np.asarray(t)
        A = mechanics.model.matrix("constraint_matrix", *mechanics.given(at, y))
        for c, slip in enumerate(self.slips(t, y)):
            if not self.mode.signs[c] or len(slip) == 1:
                continue
            size = float(np.linalg.norm(slip))
            direction, rows = slip / size, A[list(self.contacts[c].rows)]
            out[len(y) - len(self.contacts) + c, n : 2 * n] = direction @ rows
            turned = []
            for e in np.eye(2) * AHEAD:
                ends = [
                    mechanics.solve(at, y, self.mode.put(c, 1, (d[0], d[1])))[0]
                    for d in (direction + e, direction - e)
                ]
                turned.append((ends[0] - ends[1]) / (2.0 * AHEAD))
            turning = (np.eye(2) - np.outer(direction, direction)) / size
            out[n : 2 * n, n : 2 * n] += np.array(turned).T @ turning @ rows
        return out

    # Changes of mode ----------------------------------------------------------------------------

    def begin(self) -> None:
        """Take the mode of a start from its slips."""
        rest = NO_SLIP * (1.0 + float(np.abs(self.y[self.mechanics.n :]).max(initial=0.0)))
        for c, slip in enumerate(self.slips(self.t, self.y)):
            if np.linalg.norm(slip) > rest:
                one_way = len(slip) == 2 or self.contacts[c].gap >= 0
                self.mode = self.mode.put(c, 1 if one_way else int(np.sign(slip[0])))
                self.left[c] = self.contacts[c].gap < 0
                self.grown[c] = bool(np.linalg.norm(slip) > GROWN)

    def rethink(self) -> None:
        """Decide over all held contacts where forces may have jumped."""
        held = [c for c, sign in enumerate(self.mode.signs) if sign == 0]
        if not held:
            return
        for (what, _), seen in watched(
            self.mechanics, np.asarray(self.t), self.y, self.mode
        ).items():
            if what == DRIVE and seen.value < 0.0:
                self.status = DRIVE_EXCEEDS_GRIP
                return
        self._change(held, {})

    def react(self, event: Event) -> None:
        """Change the mode, or end the run."""
        if event.what in ENDS:
            self.status = ENDS[event.what]
            return
        c, contact = event.which, self.contacts[event.which]
        held = [i for i, sign in enumerate(self.mode.signs) if sign == 0]
        if event.what == RELEASE:
            forces = self.mechanics.forces(np.asarray(self.t), self.y, self.mode)
            one_way = len(contact.rows) == 2 or contact.law == "one_sided"
            sign = 1 if one_way else -int(np.sign(forces.reactions[contact.rows[0]]))
            self._change(held, {c: sign})
            return
        if len(contact.rows) == 2:
            self._stop(c)
        self._change([*held, c], {})

    def _stop(self, c: int) -> None:
        """Extrapolate the last bit of a slip in two directions."""
        rows = list(self.contacts[c].rows)
        forces = self.mechanics.forces(np.asarray(self.t), self.y, self.mode)
        slip = forces.slips[rows]
        size = float(np.linalg.norm(slip))
        braking = -float(slip @ forces.slip_rates[rows]) / size
        h = size / braking if braking > 0.0 else 0.0
        self.y, self.t = self.y + h * self.slope(self.t, self.y), self.t + h
        self.duration += h * np.abs(self.mode.signs)

    def _change(self, at_rest: Collection[int], released: Mapping[int, int]) -> None:
        mechanics, old = self.mechanics, self.mode
        loose = {row for c in range(len(self.contacts)) for row in self.contacts[c].rows}
        fixed = [
            row
            for row in range(len(mechanics.model.names("constraints")))
            if row not in loose and row not in mechanics.never_held
        ]
        fixed += [row for c in at_rest for row in self.contacts[c].rows]
        slips = mechanics.model.reference.slips(*mechanics.given(np.asarray(self.t), self.y))
        self.y = mechanics.pushed(self.t, self.y, fixed, -slips[fixed])
        found = decide(mechanics, self.t, self.y, old, at_rest, released)
        if found is None:
            self.status = NOT_UNIQUE
            return
        for c in at_rest:
            contact, along = self.contacts[c], found.along[c]
            if found.signs[c]:
                self.left[c] = self.grown[c] = False
            if found.signs[c] and contact.gap >= 0:
                self.y[2 * mechanics.n + contact.gap] = 0.0
            if found.signs[c] and along is not None:
                aim = np.zeros(len(fixed))
                for row, part in zip(contact.rows, along, strict=True):
                    aim[fixed.index(row)] = FIRST_SLIP * part
                self.y = mechanics.pushed(self.t, self.y, fixed, aim)
        self.mode = found.moving()
        for c, (before, after) in enumerate(zip(old.signs, found.signs, strict=True)):
            if before != after:
                self.changes.append((self.t, c, before, after))
        if len(self.changes) > self.limit:
            self.status = EVENT_LIMIT
