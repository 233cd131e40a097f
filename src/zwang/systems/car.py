"""The two-axle car of Juschkov, section 5, and cars whose steering or speed is prescribed."""

from zwang.bodies import AnyForce, Body, Force, Resistance, Torque
from zwang.geometry import Point, acceleration, across, along, speed, velocity
from zwang.quantities import Coordinate, Input, Parameter, Rate
from zwang.system import Constraint, Contact, QuasiVelocity, System

phi = Coordinate("phi", r"\varphi", "rad", "angle of the body axis from the x axis")
theta = Coordinate("theta", r"\theta", "rad", "steering angle of the front axle")
x = Coordinate("x", "x_C", "m", "position of the body's centre of mass")
y = Coordinate("y", "y_C", "m", "position of the body's centre of mass")
M1 = Parameter("M1", "M_1", "kg", "mass of the body", domain="positive")
M2 = Parameter("M2", "M_2", "kg", "mass of the front axle", domain="nonnegative")
J1 = Parameter("J1", "J_1", "kg*m**2", "moment of inertia of the body", domain="positive")
J2 = Parameter("J2", "J_2", "kg*m**2", "moment of inertia of the front axle", domain="positive")
l1 = Parameter(
    "l1", "l_1", "m", "distance from the centre of mass to the front axle", domain="positive"
)
l2 = Parameter(
    "l2", "l_2", "m", "distance from the centre of mass to the rear axle", domain="positive"
)
g = Parameter("g", "g", "m/s**2", "acceleration of gravity", domain="positive")
mu_rear = Parameter(
    "mu_rear", r"\mu_1", "1", "friction coefficient of the rear axle", domain="nonnegative"
)
mu_front = Parameter(
    "mu_front", r"\mu_2", "1", "friction coefficient of the front axle", domain="nonnegative"
)
h = Parameter(
    "h", "h", "m", "height of the centre of mass, for load transfer", domain="nonnegative"
)
F1 = Input("F1", "F_1", "N", "driving force along the body axis")
F2 = Input("F2", "F_2", "N", "resistance against the velocity of the centre of mass")
F3 = Input("F3", "F_3", "N", "driving force at the front axle along its wheels")
L1 = Input("L1", "L_1", "N*m", "steering torque")
L2 = Input("L2", "L_2", "N*m", "resisting torque of the steering")
steering_rate = Input(
    "steering_rate", r"\dot\theta^*", "rad/s", "prescribed rate of the steering angle"
)
prescribed_speed = Input("speed", "u^*", "m/s", "prescribed speed of the rear axle's centre")

L = l1 + l2
C = Point(x, y)
A = C + l1 * along(phi)
B = C - l2 * along(phi)
w = QuasiVelocity(
    "w",
    velocity(A) @ along(phi + theta),
    "w",
    "m/s",
    "speed of the front axle's centre along its wheels",
)
STEERING = Constraint(  # θ̇ = θ̇*(t); its force is a torque on θ
    "steering",
    theta.dot - steering_rate,
    symbol=r"\Lambda_\theta",
    unit="rad/s",
    reaction_unit="N*m",
    meaning="steering torque that turns the front axle as prescribed",
)
DRIVE = Constraint(  # u = u*(t)
    "drive",
    velocity(B) @ along(phi) - prescribed_speed,
    symbol=r"\Lambda_u",
    meaning="driving force along the body at the rear axle that gives the prescribed speed",
)


def _car(
    name: str,
    title: str,
    quasi_velocities: tuple[QuasiVelocity | Rate, ...],
    prescribed: tuple[Constraint, ...] = (),
    driven: tuple[AnyForce, ...] = (),
) -> System:
    """Return the car with these free velocities, further constraints and further forces."""
    coordinates = (phi, theta, x, y)
    lengthwise = M1 * acceleration(C, coordinates) + M2 * acceleration(A, coordinates)
    transfer = h / L * (lengthwise @ along(phi))  # from the front to the rear axle
    outputs = {
        "u": (
            velocity(B) @ along(phi),
            "u",
            "m/s",
            "speed of the rear axle's centre along the body",
        ),
        "v": (speed(C), "v_C", "m/s", "speed of the centre of mass"),
    }
    if w not in quasi_velocities:
        outputs["w"] = (w.expression, w.symbol, w.unit, w.meaning)
    return System(
        name=name,
        title=title,
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
            *driven,
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
            *prescribed,
        ),
        quasi_velocities=quasi_velocities,
        outputs=outputs,
        optional=(h,),
    )


def car() -> System:
    """Return Juschkov's car: body, steered front axle, two contacts that may slide."""
    return _car("car", "Two-axle car", (w, theta.dot))


def car_steered() -> System:
    """Return the car whose steering angle turns at a prescribed rate θ̇ = θ̇*(t).

    The reaction of `steering` is the torque this takes: Λ = J₂(θ̈ + φ̈) − L₁ + L₂.
    """
    return _car("car_steered", "Car with prescribed steering", (w,), (STEERING,))


def car_guided() -> System:
    """Return the car with prescribed steering and prescribed speed u = u*(t) of the rear axle.

    No velocity is left free; the reaction of `drive` is the force that drives the car.
    """
    return _car("car_guided", "Car with prescribed steering and speed", (), (STEERING, DRIVE))


def car_front_drive() -> System:
    """Return Juschkov's car with a further driving force F₃ at the front axle along its wheels.

    The paper's F₁ acts along the body; with front drive the force turns with the wheels.
    """
    front = (Force(F3 * along(phi + theta), at=A),)
    return _car("car_front_drive", "Car with front drive", (w, theta.dot), driven=front)
