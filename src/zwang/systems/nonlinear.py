"""Particles under constraints that are not linear in the velocities."""

from zwang.bodies import Particle, Potential
from zwang.geometry import Point
from zwang.quantities import Coordinate, Parameter
from zwang.system import Constraint, System


def constant_speed_particle() -> System:
    """Return a heavy particle in a vertical plane whose speed is kept constant.

    A case of [Juschkov (1)]: ẋ² + ẏ² − c² = 0, force 2Λ(ẋ, ẏ), Λ = m g ẏ/(2c²). The constraint
    does work: it brakes the falling particle, Λ < 0. Singular where ẋ = 0.
    """
    x = Coordinate("x", "x", "m", "horizontal position of the particle")
    y = Coordinate("y", "y", "m", "height of the particle")
    m = Parameter("m", "m", "kg", "mass of the particle", domain="positive")
    c = Parameter("c", "c", "m/s", "speed of the particle", domain="positive")
    g = Parameter("g", "g", "m/s**2", "acceleration of gravity", domain="nonnegative")
    return System(
        name="constant_speed_particle",
        title="Particle of constant speed",
        source="Juschkov",
        coordinates=(x, y),
        bodies=(Particle(m, at=Point(x, y)),),
        forces=(Potential(m * g * y),),
        constraints=(
            Constraint(
                "speed",
                x.dot**2 + y.dot**2 - c**2,
                symbol=r"\Lambda",
                unit="m**2/s**2",
                reaction_unit="kg/s",
                meaning="multiplier of the quadratic constraint",
            ),
        ),
        quasi_velocities=(y.dot,),
    )


def parallel_velocities() -> System:
    """Return two heavy particles in a vertical plane whose velocities stay parallel.

    ẋ₁ẏ₂ − ẋ₂ẏ₁ = 0 with the forces Λ(ẏ₂, −ẋ₂) and Λ(−ẏ₁, ẋ₁), across the velocities: they do no
    work. Singular where ẋ₁ = 0.
    """
    x1 = Coordinate("x1", "x_1", "m", "horizontal position of the first particle")
    y1 = Coordinate("y1", "y_1", "m", "height of the first particle")
    x2 = Coordinate("x2", "x_2", "m", "horizontal position of the second particle")
    y2 = Coordinate("y2", "y_2", "m", "height of the second particle")
    m1 = Parameter("m1", "m_1", "kg", "mass of the first particle", domain="positive")
    m2 = Parameter("m2", "m_2", "kg", "mass of the second particle", domain="positive")
    g = Parameter("g", "g", "m/s**2", "acceleration of gravity", domain="nonnegative")
    return System(
        name="parallel_velocities",
        title="Two particles with parallel velocities",
        source="Benenti",
        coordinates=(x1, y1, x2, y2),
        bodies=(Particle(m1, at=Point(x1, y1)), Particle(m2, at=Point(x2, y2))),
        forces=(Potential(m1 * g * y1 + m2 * g * y2),),
        constraints=(
            Constraint(
                "parallel",
                x1.dot * y2.dot - x2.dot * y1.dot,
                symbol=r"\Lambda",
                unit="m**2/s**2",
                reaction_unit="kg/s",
                meaning="multiplier of the bilinear constraint",
            ),
        ),
        quasi_velocities=(x1.dot, y1.dot, x2.dot),
    )
