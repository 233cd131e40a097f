"""Pendulums: on a sphere in two sets of coordinates, and in the plane with a prescribed length."""

import sympy as sp

from zwang.bodies import Particle, Potential
from zwang.geometry import Point
from zwang.quantities import Coordinate, Parameter, t
from zwang.system import Holonomic, QuasiVelocity, System


def _parameters() -> tuple[Parameter, Parameter, Parameter]:
    return (
        Parameter("m", "m", "kg", "mass of the particle", domain="positive"),
        Parameter("R", "R", "m", "length of the rod", domain="positive"),
        Parameter("g", "g", "m/s**2", "acceleration of gravity", domain="nonnegative"),
    )


def spherical_pendulum() -> System:
    """Return the particle on a sphere in polar angles, θ from the upward vertical.

    z = R cos θ, so it hangs at θ = π, as in Wipf's section 6.1. The angles are singular
    at both poles.
    """
    m, R, g = _parameters()
    theta = Coordinate("theta", r"\theta", "rad", "angle of the rod from the upward vertical")
    phi = Coordinate("phi", r"\varphi", "rad", "azimuth of the rod")
    x, y, z = (
        R * sp.sin(theta) * sp.cos(phi),
        R * sp.sin(theta) * sp.sin(phi),
        R * sp.cos(theta),
    )
    return System(
        name="spherical_pendulum",
        title="Spherical pendulum",
        source="Wipf",
        coordinates=(theta, phi),
        bodies=(Particle(m, at=Point(x, y, z)),),
        forces=(Potential(m * g * z),),
        quasi_velocities=(theta.dot, phi.dot),
    )


def spherical_pendulum_cartesian() -> System:
    """Return the particle in Cartesian coordinates, held by a rod [Wipf (6.1)].

    The constraint is (R² − r²)/(2R) = 0, its force −Λ r/R: Λ is the pull of the rod, in N.
    The quasi-velocities are those along two perpendicular unit tangents, which turn into the x and
    y axes at the bottom; only at the top, z = R, they are not defined.
    """
    m, R, g = _parameters()
    x = Coordinate("x", "x", "m", "horizontal position of the particle")
    y = Coordinate("y", "y", "m", "horizontal position of the particle")
    z = Coordinate("z", "z", "m", "height of the particle over the support")
    return System(
        name="spherical_pendulum_cartesian",
        title="Spherical pendulum, Cartesian",
        source="Wipf",
        coordinates=(x, y, z),
        bodies=(Particle(m, at=Point(x, y, z)),),
        forces=(Potential(m * g * z),),
        constraints=(
            Holonomic(
                "rod",
                (R**2 - x**2 - y**2 - z**2) / (2 * R),
                symbol="S",
                meaning="pull of the rod on the particle",
            ),
        ),
        quasi_velocities=(
            QuasiVelocity(
                "w_x",
                x.dot + x * z.dot / (R - z),
                "w_x",
                "m/s",
                "velocity of the particle along the sphere, at its bottom along x",
            ),
            QuasiVelocity(
                "w_y",
                y.dot + y * z.dot / (R - z),
                "w_y",
                "m/s",
                "velocity of the particle along the sphere, at its bottom along y",
            ),
        ),
    )


def pendulum_variable_length() -> System:
    """Return the plane pendulum whose length is prescribed: l = l₀ + l₁ sin ωt.

    Wipf's example of a rheonomic constraint, before (6.24).
    The constraint is (l² − r²)/(2l) = 0, its force −Λ r/l: Λ is the pull of the rod, in N.
    """
    x = Coordinate("x", "x", "m", "horizontal position of the particle")
    y = Coordinate("y", "y", "m", "height of the particle over the support")
    m = Parameter("m", "m", "kg", "mass of the particle", domain="positive")
    g = Parameter("g", "g", "m/s**2", "acceleration of gravity", domain="nonnegative")
    l0 = Parameter("l0", "l_0", "m", "mean length of the rod", domain="positive")
    l1 = Parameter("l1", "l_1", "m", "amplitude of the length")
    omega = Parameter("omega", r"\omega", "rad/s", "angular frequency of the length")
    l = l0 + l1 * sp.sin(omega * t)
    return System(
        name="pendulum_variable_length",
        title="Pendulum of variable length",
        source="Wipf",
        coordinates=(x, y),
        bodies=(Particle(m, at=Point(x, y)),),
        forces=(Potential(m * g * y),),
        constraints=(
            Holonomic(
                "rod",
                (l**2 - x**2 - y**2) / (2 * l),
                symbol="S",
                meaning="pull of the rod on the particle",
            ),
        ),
        quasi_velocities=(
            QuasiVelocity(
                "w",
                (x * y.dot - y * x.dot) / l,
                "w",
                "m/s",
                "velocity across the rod, anticlockwise",
            ),
        ),
    )
