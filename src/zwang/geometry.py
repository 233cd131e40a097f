"""Points and directions in the plane or in space, written in a system's coordinates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy as sp

from zwang.quantities import Coordinate, rate_of_change, total_rate


@dataclass(frozen=True)
class Vector:
    """Components along the fixed axes."""

    components: tuple[sp.Expr, ...]

    def __add__(self, other: Vector) -> Vector:
        return Vector(tuple(a + b for a, b in zip(self.components, other.components, strict=True)))

    def __sub__(self, other: Vector) -> Vector:
        return self + (-1) * other

    def __mul__(self, factor: sp.Expr) -> Vector:
        return Vector(tuple(factor * a for a in self.components))

    __rmul__ = __mul__

    def __neg__(self) -> Vector:
        return -1 * self

    def __matmul__(self, other: Vector) -> sp.Expr:
        """Return the inner product."""
        return sp.Add(*(a * b for a, b in zip(self.components, other.components, strict=True)))


def Point(*components: sp.Expr) -> Vector:
    """Return the position vector with these components."""
    return Vector(tuple(sp.S(c) for c in components))


def along(angle: sp.Expr) -> Vector:
    """Return the unit vector at this angle from the x axis."""
    return Vector((sp.cos(angle), sp.sin(angle)))


def across(angle: sp.Expr) -> Vector:
    """Return the unit vector to the left of `along(angle)`."""
    return Vector((-sp.sin(angle), sp.cos(angle)))


def derivative(point: Vector, q: Coordinate) -> Vector:
    """Return ∂r/∂q."""
    return Vector(tuple(sp.S(c).diff(q) for c in point.components))


def velocity(point: Vector) -> Vector:
    """Return the velocity of a point, in coordinates and rates."""
    return Vector(tuple(rate_of_change(c) for c in point.components))


def acceleration(point: Vector, coordinates: Iterable[Coordinate]) -> Vector:
    """Return the acceleration of a point, in coordinates, rates and accelerations."""
    coordinates = tuple(coordinates)
    return Vector(tuple(total_rate(v, coordinates) for v in velocity(point).components))


def speed(point: Vector) -> sp.Expr:
    """Return the magnitude of the velocity of a point."""
    v = velocity(point)
    return sp.sqrt(v @ v)
