"""A block that friction holds on an incline, in the plane of the incline."""

import sympy as sp

from zwang.bodies import Force, Particle
from zwang.geometry import Point, Vector, speed, velocity
from zwang.quantities import Coordinate, Input, Parameter
from zwang.system import Contact, System


def block() -> System:
    """Return a block on an incline, x downhill, with a contact of two rows: it holds or slides.

    It stays where it is as long as μ ≥ tan α; on level ground it slides straight and stops after
    v₀/(μg) [Moreau].
    """
    x = Coordinate("x", "x", "m", "position of the block, downhill")
    y = Coordinate("y", "y", "m", "position of the block, across the slope")
    m = Parameter("m", "m", "kg", "mass of the block", domain="positive")
    g = Parameter("g", "g", "m/s**2", "acceleration of gravity", domain="nonnegative")
    alpha = Parameter("alpha", r"\alpha", "rad", "angle of the incline")
    mu = Parameter("mu", r"\mu", "1", "friction coefficient of the block", domain="nonnegative")
    push_x = Input("push_x", "P_x", "N", "applied force downhill")
    push_y = Input("push_y", "P_y", "N", "applied force across the slope")
    at = Point(x, y)
    weight = m * g * sp.sin(alpha)

    def row(name: str, direction: Vector, word: str) -> Contact:
        return Contact(
            name,
            velocity(at) @ direction,
            load=m * g * sp.cos(alpha),
            mu=mu,
            of="ground",
            meaning=f"force of the ground on the block, {word}",
        )

    return System(
        name="block",
        title="Block on an incline",
        source="Moreau",
        coordinates=(x, y),
        bodies=(Particle(m, at=at),),
        forces=(Force(Point(weight + push_x, push_y), at=at),),
        constraints=(
            row("down", Point(sp.S.One, sp.S.Zero), "downhill"),
            row("across", Point(sp.S.Zero, sp.S.One), "across the slope"),
        ),
        outputs={"v": (speed(at), "v", "m/s", "speed of the block")},
    )
