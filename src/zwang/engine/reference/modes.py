"""Lagrange's equations of the first kind while some rows are held and others slide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from zwang.engine.model import Array, Model


@dataclass(frozen=True)
class Contact:
    """One contact or constraint that is held at times."""

    law: str  # coulomb, friction_circle, one_sided
    rows: tuple[int, ...]  # among the constraints
    load: int  # among the loads
    gap: int  # among the one-sided ones, -1 for the others


@dataclass(frozen=True)
class Mode:
    """What every switching contact does: 0 held, otherwise the sign of its slip.

    A contact with two rows slides along s/|s|; `along` says where to while s is still zero.
    """

    signs: tuple[int, ...]
    along: tuple[tuple[float, float] | None, ...]

    def put(self, c: int, sign: int, along: tuple[float, float] | None = None) -> Mode:
        """Return the mode with another state of one contact."""
        signs, directions = list(self.signs), list(self.along)
        signs[c], directions[c] = sign, along
        return Mode(tuple(signs), tuple(directions))

    def moving(self) -> Mode:
        """Return the mode in which every direction is that of the slip."""
        return replace(self, along=(None,) * len(self.signs))


@dataclass(frozen=True)
class Forces:
    """Accelerations and reactions in one mode, and what decides whether it goes on."""

    a: Array  # (…, n)
    reactions: Array  # (…, k)
    loads: Array  # (…, contacts and one-sided constraints)
    slips: Array  # (…, k)
    slip_rates: Array  # (…, k)
    static: Array  # friction coefficients and drives, as the loads
    kinetic: Array
    drive: Array
    scale: Array  # (…, k): size of the terms of which the slip rates are differences

    def bound(self, contact: Contact) -> Array:
        """Return the largest |Λ| that holds."""
        carried = self.static[..., contact.load] * self.loads[..., contact.load]
        if contact.law == "friction_circle":
            return _leg(carried, self.drive[..., contact.load])
        return carried

    def carried(self, contact: Contact) -> Array:
        """Return |Λ|."""
        return np.linalg.norm(self.reactions[..., contact.rows], axis=-1)


@dataclass(frozen=True)
class Mechanics:
    """One run's equations."""

    model: Model
    p: Array

    @cached_property
    def n(self) -> int:
        """Return the number of coordinates."""
        return len(self.model.names("coordinates"))

    @cached_property
    def places(self) -> list[str]:
        """Return the names of the loads' entries."""
        return [*self.model.names("contacts"), *self.model.names("one_sided")]

    @cached_property
    def contacts(self) -> tuple[Contact, ...]:
        """Return the contacts that may let go."""
        model, one_sided = self.model, self.model.names("one_sided")
        return tuple(
            Contact(
                law=model.facts["laws"][name]["law"],
                rows=tuple(model.columns("constraints", tuple(rows))),
                load=self.places.index(name),
                gap=one_sided.index(name) if name in one_sided else -1,
            )
            for name, rows in zip(
                model.names("switching"), model.facts["switching_rows"], strict=True
            )
        )

    @cached_property
    def never_held(self) -> dict[int, int]:
        """Return the rows with a viscous or smoothed law, each with the place of its load."""
        model = self.model
        return {
            row: self.places.index(name)
            for name, rows in zip(model.names("contacts"), model.facts["contact_rows"], strict=True)
            if model.facts["laws"][name]["law"] in ("viscous", "smoothed")
            for row in model.columns("constraints", tuple(rows))
        }

    @cached_property
    def pressed(self) -> list[int]:
        """Return the places of the loads on which a friction force depends."""
        rubbing = ("coulomb", "friction_circle", "smoothed")
        laws = self.model.facts["laws"]
        return [i for i, name in enumerate(self.places) if laws[name]["law"] in rubbing]

    def given(self, t: Array, y: Array) -> tuple[Array, Array, Array, Array]:
        """Return what every function of the model takes; y is (q, q̇, …)."""
        n = self.n
        return t, y[:n], y[n : 2 * n], self.p.reshape(-1, *[1] * np.ndim(t))

    def loads(self, t: Array, y: Array) -> tuple[Array, Array]:
        """Return N₀ (…, places) and dN/d(q̈, Λ) (…, places, n + k)."""
        given = self.given(t, y)
        k, count = len(self.model.names("constraints")), len(self.places)
        parts = [
            self.model.vector(name, *given).reshape(*np.shape(t), count, size)
            for name, size in (("load_accelerations", self.n), ("load_reactions", k))
        ]
        return self.model.vector("loads", *given), np.concatenate(parts, axis=-1)

    def solve(self, t: Array, y: Array, mode: Mode) -> tuple[Array, Array]:
        """Return q̈ and Λ (…, n), (…, k): M q̈ − AᵀΛ = h, and one equation for every row.

        Held, A q̈ = γ; sliding, Λ + σ μ N = 0, where N may depend on q̈ and Λ [Juschkov (22)].
        """
        given, n = self.given(t, y), self.n
        M = self.model.matrix("mass", *given)
        A = self.model.matrix("constraint_matrix", *given)
        k = A.shape[-2]
        system = np.zeros((*M.shape[:-2], n + k, n + k))
        system[..., :n, :n] = M
        system[..., :n, n:] = -np.swapaxes(A, -1, -2)
        system[..., n:, :n] = A
        right = np.concatenate(
            [self.model.vector("force", *given), self.model.vector("constraint_bias", *given)], -1
        )
        if not self.never_held and not any(mode.signs):
            found = np.linalg.solve(system, right[..., None])[..., 0]
            return found[..., :n], found[..., n:]
        load, on = self.loads(t, y)
        for row, place, factor, rest in self._laws(t, y, mode, load):
            # Λ + factor N = rest
            system[..., n + row, :] = factor[..., None] * on[..., place, :]
            system[..., n + row, n + row] += 1.0
            right[..., n + row] = rest - factor * load[..., place]
        found = np.linalg.solve(system, right[..., None])[..., 0]
        return found[..., :n], found[..., n:]

    def _laws(
        self, t: Array, y: Array, mode: Mode, load: Array
    ) -> Iterable[tuple[int, int, Array, Array]]:
        """Return row, place of the load, factor, rest of each Λ + factor N = rest."""
        given, model = self.given(t, y), self.model
        zero = np.zeros(np.shape(t))
        shares, forces = model.vector("law_shares", *given), model.vector("law_forces", *given)
        for row, place in self.never_held.items():
            yield row, place, shares[..., row], forces[..., row]
        kinetic = model.vector("friction_kinetic", *given)
        slips = model.vector("slips", *given)
        for sign, along, contact in zip(mode.signs, mode.along, self.contacts, strict=True):
            mu, rows, place = kinetic[..., contact.load], contact.rows, contact.load
            if sign and contact.law == "one_sided":
                yield rows[0], place, zero, zero
            elif sign and contact.law == "friction_circle":
                drive = model.vector("friction_drive", *given)[..., place]
                # ASSUME: the load of a friction circle depends on no acceleration
                yield rows[0], place, zero, -sign * _leg(mu * load[..., place], drive)
            elif sign and len(rows) == 1:
                yield rows[0], place, sign * mu, zero
            elif sign:
                s = slips[..., rows]
                with np.errstate(invalid="ignore"):
                    n = s / np.linalg.norm(s, axis=-1)[..., None] if along is None else along
                for i, row in enumerate(rows):
                    yield row, place, mu * np.asarray(n)[..., i], zero

    def forces(self, t: Array, y: Array, mode: Mode) -> Forces:
        """Return accelerations, reactions, loads and slips."""
        a, reactions = self.solve(t, y, mode)
        given, model = self.given(t, y), self.model
        load, on = self.loads(t, y)
        A = model.matrix("constraint_matrix", *given)
        gamma = model.vector("constraint_bias", *given)
        return Forces(
            a,
            reactions,
            load + np.einsum("...gi,...i->...g", on, np.concatenate([a, reactions], -1)),
            model.vector("slips", *given),
            np.einsum("...ki,...i->...k", A, a) - gamma,
            model.vector("friction_static", *given),
            model.vector("friction_kinetic", *given),
            model.vector("friction_drive", *given),
            np.einsum("...ki,...i->...k", np.abs(A), np.abs(a)) + np.abs(gamma),
        )

    def pushed(self, t: float, y: Array, rows: list[int], change: Array) -> Array:
        """Return the state after impulses in these rows that change their slips."""
        given, n, k = self.given(np.asarray(t), y), self.n, len(rows)
        A = self.model.matrix("constraint_matrix", *given)[rows]
        M = self.model.matrix("mass", *given)
        system = np.block([[M, -A.T], [A, np.zeros((k, k))]])
        right = np.concatenate([np.zeros(n), change])
        out = y.copy()
        out[n : 2 * n] += np.linalg.solve(system, right)[:n]
        return out


def _leg(hypotenuse: Array, other: Array) -> Array:
    """Return the other leg of a right triangle, 0 where there is none."""
    return np.sqrt(np.maximum((hypotenuse - other) * (hypotenuse + other), 0.0))
