"""The two-axle car of Juschkov, section 5."""

from zwang.bodies import Body, Force, Resistance, Torque
from zwang.geometry import Point, acceleration, across, along, speed, velocity
from zwang.quantities import Coordinate, Input, Parameter
from zwang.system import Contact, QuasiVelocity, System


def car() -> System:
    """Return Juschkov's car: body, steered front axle, two contacts that may slide."""
    phi = Coordinate("phi", r"\varphi", "rad", "angle of the body axis from the x axis")
    theta = Coordinate("theta", r"\theta", "rad", "steering angle of the front axle")
    x = Coordinate("x", "x_C", "m", "position of the body's centre of mass")
    y = Coordinate("y", "y_C", "m", "position of the body's centre of mass")
    M1 = Parameter("M1", "M_1", "kg", "mass of the body")
    M2 = Parameter("M2", "M_2", "kg", "mass of the front axle")
    J1 = Parameter("J1", "J_1", "kg*m**2", "moment of inertia of the body")
    J2 = Parameter("J2", "J_2", "kg*m**2", "moment of inertia of the front axle")
    l1 = Parameter("l1", "l_1", "m", "distance from the centre of mass to the front axle")
    l2 = Parameter("l2", "l_2", "m", "distance from the centre of mass to the rear axle")
    g = Parameter("g", "g", "m/s**2", "acceleration of gravity")
    mu_rear = Parameter("mu_rear", r"\mu_1", "1", "friction coefficient of the rear axle")
    mu_front = Parameter("mu_front", r"\mu_2", "1", "friction coefficient of the front axle")
    h = Parameter("h", "h", "m", "height of the centre of mass, for load transfer")
    F1 = Input("F1", "F_1", "N", "driving force along the body axis")
    F2 = Input("F2", "F_2", "N", "resistance against the velocity of the centre of mass")
    L1 = Input("L1", "L_1", "N*m", "steering torque")
    L2 = Input("L2", "L_2", "N*m", "resisting torque of the steering")

    L = l1 + l2
    C = Point(x, y)
    A = C + l1 * along(phi)
    B = C - l2 * along(phi)
    coordinates = (phi, theta, x, y)
    lengthwise = M1 * acceleration(C, coordinates) + M2 * acceleration(A, coordinates)
    transfer = h / L * (lengthwise @ along(phi))  # from the front to the rear axle
    return System(
        name="car",
        title="Two-axle car",
        source="Juschkov",
        coordinates=coordinates,
        bodies=(
            Body(M1, J1, at=C, angle=phi),
            Body(M2, J2, at=A, angle=phi + theta),
        ),  # T is [Juschkov (33)]
        forces=(
            Force(F1 * along(phi), at=C),
            Resistance(F2, at=C),
            Torque(L1 - L2, on=theta),
        ),  # [Juschkov (34)]
        constraints=(  # [Juschkov (31)]: a velocity along a unit vector, so Λ is a force in N
            Contact(
                "rear",
                velocity(B) @ across(phi),
                symbol=r"\Lambda_1",
                load=M1 * g * l1 / L,
                mu=mu_rear,
                transfer=transfer,
                meaning="lateral force of the ground on the rear axle, to the left",
            ),
            Contact(
                "front",
                velocity(A) @ across(phi + theta),
                symbol=r"\Lambda_2",
                load=(M1 * l2 / L + M2) * g,
                mu=mu_front,
                transfer=-transfer,
                meaning="lateral force of the ground on the front axle, to the left",
            ),
        ),
        quasi_velocities=(
            QuasiVelocity(
                "w",
                velocity(A) @ along(phi + theta),
                "w",
                "m/s",
                "speed of the front axle's centre along its wheels",
            ),
            theta.dot,
        ),
        outputs={
            "u": (
                velocity(B) @ along(phi),
                "u",
                "m/s",
                "speed of the rear axle's centre along the body",
            ),
            "v": (speed(C), "v_C", "m/s", "speed of the centre of mass"),
        },
        optional=(h,),
    )
