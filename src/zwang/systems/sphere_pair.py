"""Two particles on a sphere, coupled by a spring, seen from two inertial frames."""

import sympy as sp

from zwang.bodies import Particle, Potential
from zwang.geometry import Point, Vector, velocity
from zwang.quantities import Coordinate, Parameter, t
from zwang.system import Holonomic, QuasiVelocity, System


def _pair(name: str, title: str, drift: Vector) -> System:
    """Return two particles on the sphere about −`drift`; their arms from its centre are r + drift.

    The constraint is ((r + drift)² − R²)/(2R) = 0: Λ is the force of the sphere on the particle,
    outward, in N. It is 2R times the λ of [Wipf (6.33), (6.34)].
    """
    first, second = (
        tuple(
            Coordinate(f"{c}{i}", f"{c}_{i}", "m", f"position of the {which} particle along {c}")
            for c in "xyz"
        )
        for i, which in ((1, "first"), (2, "second"))
    )
    m1 = Parameter("m1", "m_1", "kg", "mass of the first particle", domain="positive")
    m2 = Parameter("m2", "m_2", "kg", "mass of the second particle", domain="positive")
    k = Parameter("k", "k", "N/m", "stiffness of the spring", domain="nonnegative")
    R = Parameter("R", "R", "m", "radius of the sphere", domain="positive")
    r1, r2 = Point(*first), Point(*second)
    spring = r1 - r2
    arms = {"first": r1 + drift, "second": r2 + drift}
    return System(
        name=name,
        title=title,
        source="Wipf",
        coordinates=(*first, *second),
        bodies=(Particle(m1, at=r1), Particle(m2, at=r2)),
        forces=(Potential(k * (spring @ spring) / 2),),
        constraints=tuple(
            Holonomic(
                which,
                ((arm @ arm) - R**2) / (2 * R),
                symbol=f"N_{i}",
                meaning=f"force of the sphere on the {which} particle, outward",
            )
            for i, (which, arm) in enumerate(arms.items(), 1)
        ),
        quasi_velocities=(
            *(_round(i, which, arm, R) for i, (which, arm) in enumerate(arms.items(), 1)),
            first[2].dot,
            second[2].dot,
        ),
    )


def _round(i: int, which: str, arm: Vector, R: Parameter) -> QuasiVelocity:
    """Return (XẎ − YẊ)/R, which with ż is regular everywhere but at the two poles."""
    X, Y, _ = arm.components
    U, V, _ = velocity(arm).components
    meaning = f"areal velocity of the {which} particle about the z axis, twice, by the radius"
    return QuasiVelocity(f"w{i}", (X * V - Y * U) / R, f"w_{i}", "m/s", meaning)


def sphere_pair() -> System:
    """Return the pair in the frame in which the sphere rests [Wipf (6.33)]."""
    rest = Point(*[sp.S.Zero] * 3)
    return _pair("sphere_pair", "Two particles on a sphere at rest", rest)


def sphere_pair_moving() -> System:
    """Return the pair seen by an observer who moves with the velocity u [Wipf (6.34)].

    For the observer the sphere moves with −u: its centre is at −ut, the constraints are rheonomic
    and their forces do work [Wipf (6.35)].
    """
    u = Point(
        *(
            Parameter(f"u_{c}", f"u_{c}", "m/s", f"velocity of the observer along {c}")
            for c in "xyz"
        )
    )
    return _pair("sphere_pair_moving", "Two particles on a moving sphere", t * u)
