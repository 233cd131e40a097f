"""A pair of constraints that hides a third one."""

from zwang.bodies import Particle
from zwang.geometry import Point
from zwang.quantities import Coordinate, Input, Parameter
from zwang.system import Constraint, Holonomic, System


def gauss_example_31() -> System:
    """Return example 3.1 of the note on Gauss's principle: x₁ + x₂ = 0 and ẋ₁ + ẋ₂ + x₃ = 0.

    Both rows have the same gradient (1, 1, 0): the rank is one, on purpose. Their difference is the
    hidden constraint x₃ = 0; then ẋ₁ + ẋ₂ = 0, ẋ₃ = 0 are regular, with one degree of freedom.
    """
    # ASSUME: the source has pure numbers; here x₃ in the second row stands for x₃ · 1/s.
    x1, x2, x3 = (
        Coordinate(f"x{i}", f"x_{i}", "m", f"coordinate {i} of the system") for i in (1, 2, 3)
    )
    f = tuple(
        Input(f"f{i}", f"f_{i}", "m/s**2", f"acceleration of x{i} without constraints")
        for i in (1, 2, 3)
    )
    m = Parameter("m", "m", "kg", "mass, the same for all coordinates", domain="positive")
    return System(
        name="gauss_example_31",
        title="Constraints with a hidden one",
        source="GaussPrinciple",
        coordinates=(x1, x2, x3),
        bodies=(Particle(m, at=Point(x1, x2, x3)),),
        accelerations=f,
        constraints=(
            Holonomic("first", x1 + x2, symbol=r"\Lambda_1", meaning="force on x1 and on x2"),
            Constraint(
                "second",
                x1.dot + x2.dot + x3,
                symbol=r"\Lambda_2",
                meaning="force on x1 and on x2",
            ),
        ),
        quasi_velocities=(x1.dot,),
    )
