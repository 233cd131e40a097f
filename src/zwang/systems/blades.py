"""Bodies that a blade lets move only along themselves: skate, knife edge, Chaplygin's sleigh."""

import sympy as sp

from zwang.bodies import Body, Potential
from zwang.geometry import Point, Vector, across, along, velocity
from zwang.quantities import Coordinate, Parameter
from zwang.system import Constraint, Contact, QuasiVelocity, System

SIDEWAYS = "force of the ground on the blade, to the left of its heading"


def _plane(of: str, x_axis: str = "") -> tuple[Coordinate, Coordinate, Coordinate]:
    return (
        Coordinate("x", "x", "m", f"position of {of}{x_axis}"),
        Coordinate("y", "y", "m", f"position of {of}"),
        Coordinate("phi", r"\varphi", "rad", "heading of the blade from the x axis"),
    )


def _forward(at: Vector, phi: Coordinate) -> QuasiVelocity:
    return QuasiVelocity(
        "v", velocity(at) @ along(phi), "v", "m/s", "velocity of the blade along its heading"
    )


def skate() -> System:
    """Return the skate on level ice, a mass point with an orientation.

    ẏ − ẋ tan φ = 0 of the text after [Wipf (6.23)], times cos φ: regular for every heading, and Λ
    is a force in N. Its φ is a coordinate of its own, not arctan(y/x).
    """
    x, y, phi = _plane("the skate")
    m = Parameter("m", "m", "kg", "mass of the skate", domain="positive")
    J = Parameter(
        "J", "J", "kg*m**2", "moment of inertia of the skate about the vertical", domain="positive"
    )
    at = Point(x, y)
    return System(
        name="skate",
        title="Skate",
        source="Wipf",
        coordinates=(x, y, phi),
        bodies=(Body(m, J, at=at, angle=phi),),
        constraints=(Constraint("blade", velocity(at) @ across(phi), meaning=SIDEWAYS),),
        quasi_velocities=(_forward(at, phi), phi.dot),
    )


def knife_edge() -> System:
    """Return the knife edge on an incline, x downhill [Bloch sec. 1.6].

    Its reaction to the left is m v φ̇ + m g sin α sin φ.
    """
    x, y, phi = _plane("the knife edge", ", x downhill")
    m = Parameter("m", "m", "kg", "mass of the knife edge", domain="positive")
    J = Parameter(
        "J", "J", "kg*m**2", "moment of inertia about the normal of the incline", domain="positive"
    )
    g = Parameter("g", "g", "m/s**2", "acceleration of gravity", domain="nonnegative")
    alpha = Parameter("alpha", r"\alpha", "rad", "angle of the incline")
    mu = Parameter(
        "mu", r"\mu", "1", "friction coefficient of the knife edge, sideways", domain="nonnegative"
    )
    at = Point(x, y)
    return System(
        name="knife_edge",
        title="Knife edge on an incline",
        source="Bloch",
        coordinates=(x, y, phi),
        bodies=(Body(m, J, at=at, angle=phi),),
        forces=(Potential(-m * g * sp.sin(alpha) * x),),
        constraints=(
            Contact(
                "blade",
                velocity(at) @ across(phi),
                load=m * g * sp.cos(alpha),
                mu=mu,
                meaning=SIDEWAYS,
            ),
        ),
        quasi_velocities=(_forward(at, phi), phi.dot),
    )


def chaplygin_sleigh() -> System:
    """Return the sleigh with its centre of mass at the distance a ahead of the blade.

    The coordinates are those of the blade. v̇ = aω², (J + ma²)ω̇ = −m a v ω, Λ = m J v ω/(J + ma²).
    """
    x, y, phi = _plane("the blade")
    m = Parameter("m", "m", "kg", "mass of the sleigh", domain="positive")
    J = Parameter(
        "J",
        "J",
        "kg*m**2",
        "moment of inertia of the sleigh about its centre of mass",
        domain="nonnegative",
    )
    a = Parameter("a", "a", "m", "distance of the centre of mass ahead of the blade, with sign")
    blade = Point(x, y)
    return System(
        name="chaplygin_sleigh",
        title="Chaplygin sleigh",
        source="NeimarkFufaev",
        coordinates=(x, y, phi),
        bodies=(Body(m, J, at=blade + a * along(phi), angle=phi),),
        constraints=(Constraint("blade", velocity(blade) @ across(phi), meaning=SIDEWAYS),),
        quasi_velocities=(_forward(blade, phi), phi.dot),
    )
