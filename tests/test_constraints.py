"""What constraints are, which ones hide, and what the sentences about bad input name."""

import time
from collections.abc import Sequence
from fractions import Fraction

import pytest
import sympy as sp

from zwang.bodies import Body, Particle
from zwang.constraints import (
    ConstraintError,
    Kind,
    analyse,
    check_chart,
    check_start,
    complete,
    consistent,
    require_regular,
)
from zwang.geometry import Point, across, along, velocity
from zwang.quantities import Coordinate, Parameter, Rate, t
from zwang.system import Constraint, Contact, Holonomic, QuasiVelocity, System
from zwang.systems.car import car

x, y, z = (Coordinate(n, unit="m", meaning=f"position {n}") for n in "xyz")
phi = Coordinate("phi", unit="rad", meaning="heading")
x1, x2, x3 = (Coordinate(f"x{i}", meaning=f"component {i}") for i in (1, 2, 3))
m = Parameter("m", unit="kg", meaning="mass")
J = Parameter("J", unit="kg*m**2", meaning="moment of inertia")
a = Parameter("a", unit="m", meaning="length")
c = Parameter("c", unit="m/s", meaning="speed")
h = Parameter("h", meaning="ratio")


def system(
    coordinates: Sequence[Coordinate],
    constraints: Sequence[Constraint],
    free: Sequence[QuasiVelocity | Rate],
    energy: sp.Expr | None = None,
) -> System:
    T = sp.Add(*(q.dot**2 for q in coordinates)) * m / 2 if energy is None else energy
    return System(
        name="trial",
        title="Trial",
        source="GaussPrinciple",
        coordinates=tuple(coordinates),
        constraints=tuple(constraints),
        quasi_velocities=tuple(free),
        kinetic_energy=T,
    )


def skate(*more: Constraint) -> System:
    C = Point(x, y)
    v = QuasiVelocity("v", velocity(C) @ along(phi))
    return System(
        name="skate",
        title="Skate",
        source="wipf",
        coordinates=(x, y, phi),
        bodies=(Body(m, J, at=C, angle=phi),),
        constraints=(Contact("blade", velocity(C) @ across(phi)), *more),
        quasi_velocities=(v, phi.dot)[: 2 - len(more)],
    )


def gauss() -> System:
    """Example 3.1 of the note on Gauss's principle."""
    return system(
        (x1, x2, x3),
        (Holonomic("first", x1 + x2), Constraint("second", x1.dot + x2.dot + x3)),
        (x1.dot,),
    )


# Kinds ------------------------------------------------------------------------------------------


def test_car_is_nonholonomic_with_two_degrees_of_freedom_within_a_second() -> None:
    start = time.perf_counter()
    found = analyse(car())
    assert time.perf_counter() - start < 1.0
    assert (found.rank, found.degrees_of_freedom) == (2, 2)
    assert [v.kind for v in found.constraints] == [Kind.NONHOLONOMIC] * 2
    assert all(v.linear and v.homogeneous and v.scleronomic for v in found.constraints)
    # One combination is closed modulo both forms, but not integrable: the derived flag ends empty.
    assert not found.integrable
    assert found.integrable_combinations == 0
    require_regular(car())


@pytest.mark.parametrize("factor", [sp.S.One, x**2 + 1, sp.exp(phi)])
def test_skate_is_nonholonomic_whatever_factor_it_carries(factor: sp.Expr) -> None:
    rolled = factor * (y.dot - sp.tan(phi) * x.dot)
    found = analyse(system((x, y, phi), (Constraint("blade", rolled),), (x.dot, phi.dot)))
    assert found["blade"].kind is Kind.NONHOLONOMIC
    assert not found.integrable


@pytest.mark.parametrize(
    "expression",
    [
        y.dot - y / x * x.dot,  # tan φ = y/x taken literally: y = const · x
        y * x.dot - x * y.dot,
        sp.exp(z) * (x * x.dot + y * y.dot),
    ],
)
def test_an_integrating_factor_is_enough(expression: sp.Expr) -> None:
    omega = [expression.diff(v) for v in (x.dot, y.dot)]
    assert (
        sp.expand(omega[1].diff(x) - omega[0].diff(y)) != 0 or omega[1].diff(z) != 0
    )  # not closed
    found = analyse(system((x, y, z), (Constraint("line", expression),), (x.dot, z.dot)))
    assert found["line"].kind is Kind.INTEGRABLE
    assert found["line"].alone
    assert found.integrable
    assert found.degrees_of_freedom == 2


def test_time_counts_as_a_variable_of_integrability() -> None:
    moving = analyse(system((x, y), (Constraint("belt", x.dot + t * x),), (y.dot,)))
    assert moving["belt"].kind is Kind.INTEGRABLE  # x exp(t²/2) = const
    assert (moving["belt"].scleronomic, moving["belt"].homogeneous) == (False, False)
    coupled = analyse(system((x, y), (Constraint("belt", x.dot - y),), (y.dot,)))
    assert coupled["belt"].kind is Kind.NONHOLONOMIC  # dx − y dt
    assert (coupled["belt"].scleronomic, coupled["belt"].homogeneous) == (True, False)
    turning = analyse(system((x, y), (Constraint("belt", x.dot - t * y.dot),), (y.dot,)))
    assert turning["belt"].kind is Kind.NONHOLONOMIC  # dx − t dy, integrable at any fixed time
    assert (turning["belt"].scleronomic, turning["belt"].homogeneous) == (False, True)


def test_one_integrable_constraint_in_a_set_that_is_not() -> None:
    u, w = (Coordinate(n, unit="m", meaning=n) for n in "uw")
    found = analyse(
        system(
            (x, y, phi, u, w),
            (
                Constraint("blade", sp.cos(phi) * y.dot - sp.sin(phi) * x.dot),
                Constraint("ray", w * u.dot - u * w.dot),
            ),
            (x.dot, phi.dot, u.dot),
        )
    )
    assert [v.kind for v in found.constraints] == [Kind.NONHOLONOMIC, Kind.INTEGRABLE]
    assert found.integrable_combinations == 1
    assert not found.integrable


def test_a_skate_that_cannot_turn_is_integrable_only_together() -> None:
    found = analyse(skate(Constraint("fixed", phi.dot)))
    assert found["blade"].kind is Kind.INTEGRABLE
    assert not found["blade"].alone
    assert found.integrable
    assert "together with the others" in str(found)
    assert analyse(skate())["blade"].kind is Kind.NONHOLONOMIC


def test_rheonomic_holonomic() -> None:
    found = analyse(system((x, y), (Holonomic("lift", y - c * t),), (x.dot,)))
    lift = found["lift"]
    assert (lift.kind, lift.linear) == (Kind.POSITION, True)
    assert (lift.homogeneous, lift.scleronomic) == (False, False)
    assert found.integrable
    assert analyse(system((x, y), (Holonomic("lift", y - a),), (x.dot,)))["lift"].scleronomic


@pytest.mark.parametrize(
    ("expression", "degree"),
    [
        (x.dot**2 + y.dot**2 - c**2, None),
        (x.dot**2 + y.dot**2 - h**2 * z.dot**2, 2),
        (sp.sqrt(x.dot**2 + y.dot**2) - h * z.dot, 1),
        (x.dot**2 + y.dot, None),
    ],
)
def test_nonlinear_constraints_scale_with_the_rates_or_do_not(
    expression: sp.Expr, degree: int | None
) -> None:
    found = analyse(system((x, y, z), (Constraint("path", expression),), (x.dot, z.dot)))
    path = found["path"]
    assert (path.kind, path.linear) == (Kind.NONHOLONOMIC, False)
    assert path.degree == degree
    assert found.degrees_of_freedom == 2


def test_an_expression_that_only_looks_nonlinear_is_linear() -> None:
    hidden_linear = (x.dot + y.dot) ** 2 - x.dot**2 - 2 * x.dot * y.dot - y.dot**2 + z.dot
    found = analyse(system((x, y, z), (Constraint("flat", hidden_linear),), (x.dot, y.dot)))
    assert found["flat"].linear
    assert found["flat"].homogeneous


def test_sentences_say_it() -> None:
    said = analyse(gauss()).sentences()
    assert said[0] == "trial: 3 coordinates, 2 constraints of rank 1, 1 degree of freedom."
    assert "Hidden in second: the position x3 = 0." in said
    nonlinear = Constraint("path", x.dot**2 + y.dot**2 - c**2)
    assert "path: nonholonomic; nonlinear in the rates, inhomogeneous, scleronomic." in str(
        analyse(system((x, y), (nonlinear,), (x.dot,)))
    )


# Hidden constraints -----------------------------------------------------------------------------


def test_gauss_example_ends_as_the_source_says() -> None:
    whole = complete(gauss())
    first, second = whole.constraints
    assert (first.position, first.expression) == (x1 + x2, x1.dot + x2.dot)
    assert (second.position, second.expression) == (x3, x3.dot)
    assert whole.quasi_velocities == (x1.dot,)
    found = analyse(whole)
    assert (found.rank, found.degrees_of_freedom) == (2, 1)
    assert found.integrable
    assert complete(whole) is whole
    require_regular(whole)
    with pytest.raises(ConstraintError, match=r"'second' hides the position x3 = 0"):
        require_regular(gauss())


def test_hidden_position_is_taken_modulo_the_known_ones() -> None:
    rows = (Holonomic("first", x1 + x2), Constraint("second", x1.dot + x2.dot + x3 + x1 + x2))
    assert complete(system((x1, x2, x3), rows, (x1.dot,))).constraints[1].position == x3


def test_a_chain_of_hidden_constraints_is_followed_to_its_end() -> None:
    rows = (
        Constraint("one", x1.dot),
        Constraint("two", x1.dot + x2),
        Constraint("three", x2.dot + x3),
    )
    whole = complete(system((x1, x2, x3), rows, ()))
    assert [k.expression for k in whole.constraints] == [x1.dot, x2.dot, x3.dot]
    assert [k.position for k in whole.constraints] == [None, x2, x3]


def test_a_position_declared_as_a_constraint_without_rates_is_differentiated() -> None:
    whole = complete(system((x, y), (Constraint("wall", x - a),), (y.dot,)))  # [GaussPrinciple (4)]
    assert (whole.constraints[0].position, whole.constraints[0].expression) == (x - a, x.dot)
    with pytest.raises(ConstraintError, match="'never' cannot be met: a = 0 has no solution"):
        complete(system((x, y), (Constraint("never", a),), (y.dot,)))


def test_rank_lost_only_where_the_constraints_hold_is_noticed() -> None:
    rows = (Holonomic("flat", x3), Constraint("bent", (1 + x3) * x3.dot + x2 - a))
    whole = complete(system((x1, x2, x3), rows, (x1.dot,)))
    assert whole.constraints[1].position == x2 - a
    with pytest.raises(ConstraintError, match=r"'double'.*simple zeros"):
        complete(system((x1, x2), (Holonomic("double", x2**2),), (x1.dot,)))


def test_dependent_constraints_are_dropped_and_named() -> None:
    rows = (Constraint("one", x.dot - y.dot), Constraint("two", 2 * x.dot - 2 * y.dot))
    trial = system((x, y, z), rows, (z.dot,))
    assert analyse(trial).dropped == {"two": ("one",)}
    whole = complete(trial)
    assert [k.name for k in whole.constraints] == ["one"]
    assert len(whole.quasi_velocities) == 2
    require_regular(whole)
    with pytest.raises(ConstraintError, match=r"'two' follows from 'one'.*remove"):
        require_regular(trial)


def test_dependent_nonlinear_constraints_are_dropped() -> None:
    path = x.dot**2 + y.dot**2 - c**2
    rows = (Constraint("one", path), Constraint("two", 3 * path))
    assert [k.name for k in complete(system((x, y, z), rows, (z.dot,))).constraints] == ["one"]


@pytest.mark.parametrize(
    "rows",
    [
        (Constraint("one", x.dot - y.dot), Constraint("two", x.dot - y.dot - 1)),
        (Constraint("one", x.dot - y.dot), Constraint("two", x.dot - y.dot - c)),
        (Holonomic("one", x**2 + y**2 - a**2), Holonomic("two", x**2 + y**2 - 2 * a**2)),
        (Constraint("one", x.dot**2 - c**2), Constraint("two", x.dot**2 - 3 * c**2)),
        (Holonomic("one", x), Constraint("two", x.dot + t)),
    ],
)
def test_contradictory_constraints_are_named(rows: tuple[Constraint, ...]) -> None:
    third = Constraint("three", z.dot)
    with pytest.raises(ConstraintError, match=r"'one' and 'two' contradict") as error:
        require_regular(system((x, y, z), (third, *rows), ()))
    assert "three" not in str(error.value)


# Declarations -----------------------------------------------------------------------------------


def test_an_undeclared_symbol_is_named_with_its_place() -> None:
    k = sp.Symbol("k")
    with pytest.raises(ConstraintError, match=r"k in constraint 'row' is not declared"):
        require_regular(system((x, y), (Constraint("row", x.dot - k * y.dot),), (x.dot,)))
    with pytest.raises(ConstraintError, match=r"k in the kinetic energy is not declared"):
        require_regular(system((x,), (), (x.dot,), k * x.dot**2))
    with pytest.raises(ConstraintError, match=r"z_dot in constraint 'row'.*Coordinate"):
        require_regular(system((x, y), (Constraint("row", x.dot - z.dot),), (x.dot,)))


def test_a_massless_coordinate_is_named_unless_a_constraint_fixes_it() -> None:
    theta = Coordinate("theta", unit="rad", meaning="angle of a massless wheel")
    T = Particle(m, Point(x, y)).kinetic_energy()
    with pytest.raises(ConstraintError, match=r"'theta' has no inertia") as error:
        require_regular(system((x, y, theta), (), (x.dot, y.dot, theta.dot), T))
    assert "'x'" not in str(error.value)
    rolling = Constraint("rolling", x.dot - a * theta.dot)
    require_regular(system((x, y, theta), (rolling,), (x.dot, y.dot), T))
    blade = Constraint("blade", sp.cos(theta) * y.dot - sp.sin(theta) * x.dot)
    with pytest.raises(ConstraintError, match=r"'theta' has no inertia"):
        require_regular(system((x, y, theta), (blade,), (x.dot, theta.dot), T))


def test_a_negative_kinetic_energy_is_refused_where_it_can_move() -> None:
    T = m * (x.dot**2 - y.dot**2) / 2
    with pytest.raises(ConstraintError, match="negative"):
        require_regular(system((x, y), (), (x.dot, y.dot), T))
    require_regular(system((x, y), (Constraint("row", y.dot),), (x.dot,), T))


def test_a_position_that_is_not_the_one_of_its_constraint() -> None:
    wrong = Constraint("rod", x.dot, position=x + y)
    with pytest.raises(ConstraintError, match=r"'rod' is not the time derivative"):
        require_regular(system((x, y), (wrong,), (x.dot,)))


# Starts and charts ------------------------------------------------------------------------------


def rod() -> System:
    return system((x, y), (Holonomic("rod", x**2 + y**2 - a**2),), (x.dot,))


def test_a_start_is_checked_on_both_levels() -> None:
    good = {"x": Fraction(3, 5), "y": Fraction(4, 5), "x_dot": -4, "y_dot": 3, "a": 1}
    assert check_start(rod(), good) == []
    (position,) = check_start(rod(), good | {"x": Fraction(3, 5), "a": 2})
    assert "'rod' on the level of its position" in position
    assert "-3.0, not 0" in position
    (rate,) = check_start(rod(), good | {"x_dot": 4})
    assert "'rod' on the level of its velocity" in rate
    assert "9.6, not 0" in rate
    assert not consistent(rod(), good | {"x_dot": 4})


def test_exact_starts_are_judged_exactly_and_rounded_ones_with_their_rounding() -> None:
    angle = {"x": sp.cos(sp.Rational(3, 10)), "y": sp.sin(sp.Rational(3, 10)), "a": 1}
    still = {"x_dot": 0, "y_dot": 0}
    assert consistent(rod(), angle | still)
    assert consistent(rod(), {k: float(v) for k, v in (angle | still).items()})
    off = angle | {"x": sp.cos(sp.Rational(3, 10)) + sp.Rational(1, 10**20)}
    assert not consistent(rod(), off | still)


def test_a_start_must_meet_hidden_constraints_too() -> None:
    start = {"x1": 1, "x2": -1, "x3": 0, "x1_dot": 2, "x2_dot": -2, "x3_dot": 0}
    assert check_start(gauss(), start) == []
    (fault,) = check_start(gauss(), start | {"x3_dot": 1})
    assert "hidden velocity" in fault


def test_a_start_without_a_value_or_with_a_wrong_name() -> None:
    with pytest.raises(ConstraintError, match="no value of a"):
        check_start(rod(), {"x": 0, "y": 1, "x_dot": 0, "y_dot": 0})
    with pytest.raises(ConstraintError, match="did you mean x_dot"):
        check_start(rod(), {"xdot": 0})


def test_the_papers_chart_of_the_car_fails_when_driving_straight() -> None:
    paper = car().with_quasi_velocities("phi_dot", "theta_dot")
    (fault,) = check_chart(paper, {"theta": 0})
    assert "'phi_dot' depends on 'v_rear' and 'v_front'" in fault
    assert "'u'" in fault
    assert "'w'" in fault
    assert "beside 'theta_dot'" in fault
    assert check_chart(paper, {"theta": 0.1}) == []
    assert check_chart(car(), {"theta": 0}) == []
    require_regular(paper)  # the chart is singular at some places, not everywhere


def test_a_chart_that_is_singular_everywhere_is_refused() -> None:
    fast = QuasiVelocity("fast", 2 * x.dot)
    with pytest.raises(ConstraintError, match=r"'fast' depends on 'x_dot'"):
        require_regular(system((x, y), (), (x.dot, fast)))
