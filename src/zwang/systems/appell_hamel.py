"""The disk, drum and weight of Appell and Hamel: with inertia, without, in the limit, as a ball."""

from typing import Literal

import sympy as sp

from zwang.bodies import AnyBody, Body, Force, Particle, Potential
from zwang.geometry import Point, Vector, across, along, velocity
from zwang.quantities import Coordinate, Input, Parameter, Rate
from zwang.system import Constraint, Contact, QuasiVelocity, Scale, System

Up = Literal["up", "down"]


# The letters of the paper, shared by all variants of the disk.
xi = Coordinate("xi", r"\xi", "m", "position of the contact point of the disk")
eta = Coordinate("eta", r"\eta", "m", "position of the contact point of the disk")
theta = Coordinate("theta", r"\theta", "rad", "heading of the disk from the ξ axis")
phi = Coordinate("phi", r"\varphi", "rad", "rolling angle of the disk")
HEIGHT = {
    "up": Coordinate("z", "z", "m", "height of the weight, upward"),
    "down": Coordinate("z", "z", "m", "depth of the weight, downward"),
}
m = Parameter("m", "m", "kg", "mass of the weight", domain="positive")
M = Parameter("M", "M", "kg", "mass of the disk", domain="nonnegative")
a = Parameter("a", "a", "m", "radius of the disk", domain="positive")
b = Parameter("b", "b", "m", "radius of the drum", domain="positive")
rho = Parameter("rho", r"\rho", "m", "distance of the weight ahead of the contact point, with sign")
C = Parameter(
    "C", "C", "kg*m**2", "moment of inertia of the disk about its axle", domain="nonnegative"
)
J = Parameter(
    "J",
    "J",
    "kg*m**2",
    "moment of inertia of disk and frame about the vertical",
    domain="nonnegative",
)
J_m = Parameter(
    "J_m",
    "J_m",
    "kg*m**2",
    "moment of inertia of the weight about its vertical axis",
    domain="nonnegative",
)
g = Parameter("g", "g", "m/s**2", "acceleration of gravity", domain="nonnegative")
mu = Parameter(
    "mu", r"\mu", "1", "friction coefficient between disk and ground", domain="nonnegative"
)
heading_rate = Input(
    "heading_rate", r"\dot\theta^*", "rad/s", "prescribed rate of the heading of the disk"
)
load_share = Parameter(
    "load_share", "s", "1", "share of the whole weight that the disk carries", domain="nonnegative"
)


def _weight_at(ahead: sp.Expr, z: Coordinate) -> Vector:
    """Return the place of the weight [Ivanov (1)]."""
    return Point(xi + ahead * sp.cos(theta), eta + ahead * sp.sin(theta), z)


def _disk() -> tuple[AnyBody, ...]:
    """Return the disk in its two turns: with the frame about the vertical, and about its axle."""
    B = Point(xi, eta)
    return Body(M, J, at=B, angle=theta), Body(sp.S.Zero, C, at=B, angle=phi)


def _system(
    name: str,
    title: str,
    z: Coordinate,
    up: Up,
    bodies: tuple[AnyBody, ...],
    disk_mass: sp.Expr = sp.S.Zero,
    scale: Scale = "absolute",
) -> System:
    """Return the system of these bodies under the three rolling constraints.

    `longitudinal` and `lateral` are [Ivanov (2)] along and across the heading, so their reactions X
    and Y are the forces of the ground on the disk, forward and to the left. `rope` is [Ivanov (3)],
    written so that its reaction is the pull of the rope, whichever way z is measured. The load of
    the contact is its share of the whole vertical force, (m + M) g + m z̈.
    """
    sign = 1 if up == "up" else -1
    load = load_share * ((m + disk_mass) * g + sign * m * z.ddot)
    rolling = velocity(Point(xi, eta))
    turning = QuasiVelocity(
        theta.dot.name, theta.dot, theta.dot.symbol, theta.dot.unit, theta.dot.meaning, scale
    )
    return System(
        name=name,
        title=title,
        source="Ivanov",
        coordinates=(xi, eta, theta, phi, z),
        bodies=bodies,
        forces=(Potential(sign * m * g * z),),
        constraints=(
            Contact(
                "longitudinal",
                rolling @ along(theta) - a * phi.dot,
                symbol="X",
                meaning="force of the ground on the disk along its heading",
                load=load,
                mu=mu,
                of="disk",
            ),
            Contact(
                "lateral",
                rolling @ across(theta),
                symbol="Y",
                meaning="force of the ground on the disk to the left of its heading",
                load=load,
                mu=mu,
                of="disk",
            ),
            Constraint(
                "rope",
                sign * (z.dot - b * phi.dot),
                symbol="S",
                meaning="pull of the rope on the weight, upward",
            ),
        ),
        quasi_velocities=(phi.dot, turning),
        defaults={"load_share": 1.0},
    )


def _height(z: Up) -> Coordinate:
    if z not in HEIGHT:
        raise ValueError(f"z is measured 'up' or 'down', not {z!r}")
    return HEIGHT[z]


def _named(name: str, z: Up) -> str:
    return name if z == "up" else f"{name}_down"


def appell_hamel(z: Up = "up") -> System:
    """Return the disk with inertia and the weight at the distance ρ ahead of its contact point.

    ż = bφ̇ holds for both directions of z. With z up [Ivanov (3)] the falling weight rolls the disk
    backwards, φ̇ < 0; with z down it rolls it forwards. The reaction of `rope` is a pull: with
    contacts={"rope": "one_sided"} it is a rope that may go slack, "ideal" is Novoselov's gear.
    """
    height = _height(z)
    weight = Particle(m, at=_weight_at(rho, height))
    title = "Disk and weight of Appell and Hamel"
    return _system(_named("appell_hamel", z), title, height, z, (*_disk(), weight), M)


def appell_hamel_massless(z: Up = "up") -> System:
    """Return the same with a disk without mass: M is singular, the motion regular while ρ ≠ 0."""
    height = _height(z)
    weight = Particle(m, at=_weight_at(rho, height))
    title = "Appell and Hamel, disk without mass"
    return _system(_named("appell_hamel_massless", z), title, height, z, (weight,))


def appell_hamel_centred(z: Up = "up") -> System:
    """Return the disk with inertia and the weight over its contact point, ρ = 0."""
    height = _height(z)
    weight = Particle(m, at=_weight_at(sp.S.Zero, height))
    title = "Appell and Hamel, weight over the contact point"
    return _system(_named("appell_hamel_centred", z), title, height, z, (*_disk(), weight), M)


def appell_hamel_body(z: Up = "up") -> System:
    """Return the disk without mass and, instead of a point, a body that turns with the frame.

    It is regular for ρ = 0 too, the case for which the end of Ivanov's paper proposes it.
    """
    height = _height(z)
    weight = Body(m, J_m, at=_weight_at(rho, height), angle=theta)
    title = "Appell and Hamel, a body as weight"
    return _system(_named("appell_hamel_body", z), title, height, z, (weight,))


def appell_hamel_down() -> System:
    """Return `appell_hamel` with z measured downward: the falling weight rolls it forwards."""
    return appell_hamel("down")


def appell_hamel_massless_down() -> System:
    """Return `appell_hamel_massless` with z measured downward."""
    return appell_hamel_massless("down")


def appell_hamel_centred_down() -> System:
    """Return `appell_hamel_centred` with z measured downward."""
    return appell_hamel_centred("down")


def appell_hamel_body_down() -> System:
    """Return `appell_hamel_body` with z measured downward."""
    return appell_hamel_body("down")


def appell_hamel_limit() -> System:
    """Return `appell_hamel_down` for ρ → 0: θ̇ = Ω₀ eˡ keeps its relative accuracy.

    Between two bounces θ̇ falls below 1e-300 and still says when and which way the next one turns.
    Its contacts hold throughout; M, C and J may be zero, ρ may not with J = 0.
    """
    weight = Particle(m, at=_weight_at(rho, HEIGHT["down"]))
    title = "Disk and weight of Appell and Hamel, in the limit"
    bodies = (*_disk(), weight)
    return _system("appell_hamel_limit", title, HEIGHT["down"], "down", bodies, M, scale="relative")


# The degenerate system ---------------------------------------------------------------------------

x = Coordinate("x", "x", "m", "position of the particle")
y = Coordinate("y", "y", "m", "position of the particle")
z_up = Coordinate("z", "z", "m", "height of the particle, upward")
CONE = Constraint(  # [Ivanov (4)]
    "cone",
    x.dot**2 + y.dot**2 - (a / b) ** 2 * z_up.dot**2,
    symbol=r"\Lambda",
    unit="m**2/s**2",
    reaction_unit="kg/s",
    meaning="multiplier of the quadratic constraint",
)
HEADING = Constraint(  # [Ivanov (15)] times cos θ: regular for every heading, and Λ* is a force
    "heading",
    velocity(Point(x, y)) @ across(theta),
    symbol=r"\Lambda^*",
    meaning="force of the ground on the disk to the left of its heading",
)

FORWARD = QuasiVelocity(
    "w", velocity(Point(x, y)) @ along(theta), "w", "m/s", "speed of the particle along the heading"
)


def _particle(
    name: str,
    title: str,
    constraints: tuple[Constraint, ...],
    quasi_velocities: tuple[QuasiVelocity | Rate, ...],
    more: tuple[Coordinate, ...] = (),
) -> System:
    return System(
        name=name,
        title=title,
        source="Ivanov",
        coordinates=(x, y, z_up, *more),
        bodies=(Particle(m, at=Point(x, y, z_up)),),
        forces=(Potential(m * g * z_up),),
        constraints=constraints,
        quasi_velocities=quasi_velocities,
    )


def appell_hamel_ball() -> System:
    """Return the degenerate system: a particle whose rise is proportional to its ground speed.

    The force of the constraint is Λ (2ẋ, 2ẏ, −2(a/b)²ż) [Ivanov (13), (14)]: Λ < 0 while it rises,
    so it slows the rising and drives the falling particle. Singular at ż = 0, the apex of the cone.
    """
    free = (x.dot, y.dot)  # [Ivanov (7)]
    return _particle("appell_hamel_ball", "Appell and Hamel, degenerate", (CONE,), free)


def appell_hamel_ball_heading() -> System:
    """Return the degenerate system with the heading of a disk, which nothing determines.

    With [Ivanov (15)] beside (4) the heading θ is a coordinate without mass: no equation of motion
    determines it, and the system is refused.
    """
    title = "Appell and Hamel, degenerate, with a heading"
    rows = (CONE, HEADING)
    return _particle("appell_hamel_ball_heading", title, rows, (FORWARD, theta.dot), (theta,))


def appell_hamel_ball_steered() -> System:
    """Return the same with a mechanism that turns the disk, θ̇ = `heading_rate`(t).

    With w along the heading and ż = s h w, h = b/a: ẇ = −s g h/(1 + h²) as without it, and the
    lateral force is Λ* = m w θ̇. The mechanism needs no torque, since θ has no inertia.
    """
    steering = Constraint(
        "steering",
        theta.dot - heading_rate,
        symbol=r"\Lambda_\theta",
        unit="rad/s",
        reaction_unit="N*m",
        meaning="torque of the mechanism that turns the disk",
    )
    title = "Appell and Hamel, degenerate, with a prescribed heading"
    rows = (CONE, HEADING, steering)
    return _particle("appell_hamel_ball_steered", title, rows, (FORWARD,), (theta,))


def appell_hamel_control() -> System:
    """Return a free particle and the forces that control it, with (4) as an output to be kept.

    The control that keeps [Ivanov (4)] is R = Λ (2ẋ, 2ẏ, −2(a/b)²ż) with Λ of `appell_hamel_ball`,
    here as inputs: R_x = −c ẋ/ż, R_y = −c ẏ/ż, R_z = m g/(1 + h²), c = m g h²/(1 + h²), h = b/a.
    """
    R = [Input(f"R_{c}", f"R_{c}", "N", f"control force on the particle along {c}") for c in "xyz"]
    at = Point(x, y, z_up)
    return System(
        name="appell_hamel_control",
        title="Appell and Hamel as a control task",
        source="Ivanov",
        coordinates=(x, y, z_up),
        bodies=(Particle(m, at=at),),
        forces=(Potential(m * g * z_up), Force(Point(*R), at=at)),
        quasi_velocities=(x.dot, y.dot, z_up.dot),
        outputs={
            "cone": (CONE.expression, r"\varphi^1", "m**2/s**2", "left side of the relation (4)")
        },
    )
