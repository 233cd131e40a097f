"""What a system is made of and what acts on it: bodies, forces, potentials."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy as sp

from zwang.geometry import Vector, acceleration, derivative, velocity
from zwang.quantities import Coordinate, Input, Ratio, rate_of_change, total_rate


@dataclass(frozen=True)
class Particle:
    """A point mass."""

    mass: sp.Expr
    at: Vector

    def kinetic_energy(self) -> sp.Expr:
        """Return ½ m v²."""
        v = velocity(self.at)
        return self.mass * (v @ v) / 2

    def acceleration_energy(self, coordinates: Iterable[Coordinate]) -> sp.Expr:
        """Return ½ m w², w the acceleration [Hamel (9)]."""
        w = acceleration(self.at, coordinates)
        return self.mass * (w @ w) / 2

    def inertia_on(self, q: Coordinate, coordinates: Iterable[Coordinate]) -> sp.Expr:
        """Return m w · ∂r/∂q: the work of mass times acceleration on a change of q."""
        return self.mass * (acceleration(self.at, coordinates) @ derivative(self.at, q))


@dataclass(frozen=True)
class Body:
    """A rigid body moving in the plane: mass, central moment of inertia, centre of mass, angle."""

    mass: sp.Expr
    inertia: sp.Expr
    at: Vector
    angle: sp.Expr

    def kinetic_energy(self) -> sp.Expr:
        """Return ½ m v² + ½ J ω²  (König)."""
        v = velocity(self.at)
        return self.mass * (v @ v) / 2 + self.inertia * rate_of_change(self.angle) ** 2 / 2

    def acceleration_energy(self, coordinates: Iterable[Coordinate]) -> sp.Expr:
        """Return ½ m w² + ½ J ω̇², up to terms without accelerations."""
        coordinates = tuple(coordinates)
        w = acceleration(self.at, coordinates)
        spin = total_rate(rate_of_change(self.angle), coordinates)
        return self.mass * (w @ w) / 2 + self.inertia * spin**2 / 2

    def inertia_on(self, q: Coordinate, coordinates: Iterable[Coordinate]) -> sp.Expr:
        """Return m w · ∂r/∂q + J ω̇ ∂ω/∂q̇."""
        coordinates = tuple(coordinates)
        spin = rate_of_change(self.angle)
        moment = self.inertia * total_rate(spin, coordinates)
        linear = self.mass * (acceleration(self.at, coordinates) @ derivative(self.at, q))
        return linear + moment * spin.diff(q.dot)


@dataclass(frozen=True)
class RigidBody:
    """A rigid body in space: mass, principal moments of inertia, centre of mass, body-fixed spin.

    `spin` holds the components of the angular velocity along the principal axes of the body, a
    right-handed set: the kinetic energy would not notice a left-handed one, the accelerations do.
    """

    mass: sp.Expr
    inertia: tuple[sp.Expr, sp.Expr, sp.Expr]
    at: Vector
    spin: tuple[sp.Expr, sp.Expr, sp.Expr]

    def kinetic_energy(self) -> sp.Expr:
        """Return ½ m v² + ½ Σ Jᵢ ωᵢ²  (König)."""
        v = velocity(self.at)
        turning = sp.Add(*(J * w**2 for J, w in zip(self.inertia, self.spin, strict=True)))
        return (self.mass * (v @ v) + turning) / 2

    def acceleration_energy(self, coordinates: Iterable[Coordinate]) -> sp.Expr:
        """Return ½ m w² + ½ Σ Jᵢ ω̇ᵢ² + ω̇ · (ω × Jω), up to terms without accelerations."""
        coordinates = tuple(coordinates)
        w = acceleration(self.at, coordinates)
        rate = [total_rate(c, coordinates) for c in self.spin]
        gyration = self._gyration()
        turning = sp.Add(*(J * c**2 for J, c in zip(self.inertia, rate, strict=True))) / 2
        coupling = sp.Add(*(a * b for a, b in zip(rate, gyration, strict=True)))
        return self.mass * (w @ w) / 2 + turning + coupling

    def inertia_on(self, q: Coordinate, coordinates: Iterable[Coordinate]) -> sp.Expr:
        """Return m w · ∂r/∂q + (J ω̇ + ω × Jω) · ∂ω/∂q̇."""
        coordinates = tuple(coordinates)
        linear = self.mass * (acceleration(self.at, coordinates) @ derivative(self.at, q))
        parts = zip(self.inertia, self.spin, self._gyration(), strict=True)
        turning = [(J * total_rate(w, coordinates) + g) * sp.S(w).diff(q.dot) for J, w, g in parts]
        return linear + sp.Add(*turning)

    def _gyration(self) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
        """Return ω × Jω along the principal axes."""
        (p, q, r), (A, B, C) = self.spin, self.inertia
        return (C - B) * q * r, (A - C) * r * p, (B - A) * p * q


@dataclass(frozen=True)
class Force:
    """A force vector acting at a point."""

    vector: Vector
    at: Vector

    def on(self, q: Coordinate) -> sp.Expr:
        """Return the generalised force F · ∂r/∂q."""
        return self.vector @ derivative(self.at, q)


@dataclass(frozen=True)
class Resistance:
    """A force of given magnitude against the velocity of a point."""

    magnitude: Input
    at: Vector

    @property
    def ratio(self) -> Ratio:
        """Return the symbol of magnitude / speed, which is regular where the speed is zero."""
        name = self.magnitude.name
        return Ratio(
            f"{name}_per_speed",
            rf"\frac{{{self.magnitude.symbol}}}{{v}}",
            f"({self.magnitude.unit})*s/m",
            f"{self.magnitude.meaning} divided by the speed",
        )

    def on(self, q: Coordinate) -> sp.Expr:
        """Return the generalised force −(F/v) v · ∂r/∂q."""
        return Force(-self.ratio * velocity(self.at), self.at).on(q)


@dataclass(frozen=True)
class Torque:
    """A generalised force on one coordinate."""

    magnitude: sp.Expr
    coordinate: Coordinate

    def __init__(self, magnitude: sp.Expr, on: Coordinate) -> None:
        object.__setattr__(self, "magnitude", magnitude)
        object.__setattr__(self, "coordinate", on)

    def on(self, q: Coordinate) -> sp.Expr:
        """Return the torque if it acts on q, else 0."""
        return self.magnitude if q == self.coordinate else sp.S.Zero


@dataclass(frozen=True)
class Potential:
    """Forces with a potential energy V(t, q)."""

    energy: sp.Expr

    def on(self, q: Coordinate) -> sp.Expr:
        """Return the generalised force −∂V/∂q."""
        return -sp.S(self.energy).diff(q)


AnyBody = Particle | Body | RigidBody
AnyForce = Force | Resistance | Torque | Potential
