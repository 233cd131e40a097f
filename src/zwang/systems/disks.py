"""Disks that roll without sliding: upright on the level and on an incline, and free to tilt."""

import sympy as sp

from zwang.bodies import AnyForce, Body, Potential, RigidBody
from zwang.geometry import Point, across, along, velocity
from zwang.quantities import Coordinate, Parameter
from zwang.system import Constraint, System


def _rolling(
    x: Coordinate, y: Coordinate, heading: Coordinate, turn: Coordinate, R: Parameter
) -> tuple[Constraint, Constraint]:
    """Return the two rows of rolling: the trace of the contact point along and across the heading.

    The rolling angle grows when the disk rolls forward along its heading.
    """
    trace = velocity(Point(x, y))
    return (
        Constraint(
            "longitudinal",
            trace @ along(heading) - R * turn.dot,
            symbol="X",
            meaning="force of the ground on the disk along its heading",
        ),
        Constraint(
            "lateral",
            trace @ across(heading),
            symbol="Y",
            meaning="force of the ground on the disk to the left of its heading",
        ),
    )


def _disk_parameters() -> tuple[Parameter, Parameter, Parameter, Parameter]:
    return (
        Parameter("m", "m", "kg", "mass of the disk", domain="positive"),
        Parameter("R", "R", "m", "radius of the disk", domain="positive"),
        Parameter(
            "C",
            "C",
            "kg*m**2",
            "moment of inertia of the disk about its axle",
            domain="nonnegative",
        ),
        Parameter(
            "J",
            "J",
            "kg*m**2",
            "moment of inertia of the disk about a diameter",
            domain="nonnegative",
        ),
    )


def _upright(
    name: str, title: str, source: str, downhill: str, forces: tuple[AnyForce, ...]
) -> System:
    x, y, phi, theta = _upright_coordinates(downhill)
    m, R, C, J = _disk_parameters()
    at = Point(x, y)
    return System(
        name=name,
        title=title,
        source=source,
        coordinates=(x, y, phi, theta),
        # Two turns of one disk: about the normal of the ground, and about the axle.
        bodies=(Body(m, J, at=at, angle=phi), Body(sp.S.Zero, C, at=at, angle=theta)),
        forces=forces,
        constraints=_rolling(x, y, phi, theta, R),
        quasi_velocities=(theta.dot, phi.dot),
    )


def _upright_coordinates(
    downhill: str = "",
) -> tuple[Coordinate, Coordinate, Coordinate, Coordinate]:
    return (
        Coordinate("x", "x", "m", f"position of the contact point{downhill}"),
        Coordinate("y", "y", "m", "position of the contact point"),
        Coordinate("phi", r"\varphi", "rad", "heading of the disk from the x axis"),
        Coordinate("theta", r"\theta", "rad", "rolling angle of the disk"),
    )


def rolling_disk_vertical() -> System:
    """Return the disk that stays upright on level ground.

    Letters x, y, φ (heading), θ (rolling) as Bloch has them; his moments I, J are C, J here.
    """
    return _upright("rolling_disk_vertical", "Vertical rolling disk", "Bloch", "", ())


def coin_on_incline() -> System:
    """Return the coin that stays normal to an incline, x downhill; uniform: C = mR²/2, J = mR²/4.

    For a uniform coin v̇ = (2/3) g sin α cos φ, X = −(1/3) m g sin α cos φ and
    Y = m v φ̇ + m g sin α sin φ.
    """
    g = Parameter("g", "g", "m/s**2", "acceleration of gravity", domain="nonnegative")
    alpha = Parameter("alpha", r"\alpha", "rad", "angle of the incline")
    downhill = ", x downhill"
    x, *_ = _upright_coordinates(downhill)
    m, *_ = _disk_parameters()
    weight = Potential(-m * g * sp.sin(alpha) * x)
    return _upright("coin_on_incline", "Coin on an incline", "Lemos", downhill, (weight,))


def rolling_disk() -> System:
    """Return the disk that rolls on level ground and may tilt, the problem of Woronetz.

    Turns in this order: heading ψ about the vertical, lean θ about the heading (θ = 0 upright,
    positive to the right), rolling φ about the axle, which points to the left. x, y are those of
    the contact point; the height R cos θ of the centre is eliminated. With them rolling is the
    same pair of rows as for the upright disk. Singular where the disk lies flat, |θ| = π/2.
    """
    x = Coordinate("x", "x", "m", "position of the contact point")
    y = Coordinate("y", "y", "m", "position of the contact point")
    psi = Coordinate("psi", r"\psi", "rad", "heading of the disk from the x axis")
    theta = Coordinate(
        "theta", r"\theta", "rad", "lean of the disk from the vertical, to the right"
    )
    phi = Coordinate("phi", r"\varphi", "rad", "rolling angle of the disk")
    m, R, C, J = _disk_parameters()
    g = Parameter("g", "g", "m/s**2", "acceleration of gravity", domain="nonnegative")
    left = across(psi).components
    sin, cos = sp.sin, sp.cos
    centre = Point(
        x - R * sin(theta) * left[0],
        y - R * sin(theta) * left[1],
        R * cos(theta),
    )
    steer = psi.dot * cos(theta)  # about the diameter through the contact point
    spin = (
        theta.dot * cos(phi) - steer * sin(phi),
        phi.dot + psi.dot * sin(theta),
        theta.dot * sin(phi) + steer * cos(phi),
    )
    return System(
        name="rolling_disk",
        title="Rolling disk",
        source="Woronetz",
        coordinates=(x, y, psi, theta, phi),
        bodies=(RigidBody(m, (J, C, J), at=centre, spin=spin),),
        forces=(Potential(m * g * R * cos(theta)),),
        constraints=_rolling(x, y, psi, phi, R),
        quasi_velocities=(psi.dot, theta.dot, phi.dot),
    )
