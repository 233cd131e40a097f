"""Prescribed motion: inputs in constraints, their reactions, and the same run driven by them."""

import numpy as np
import pytest
import sympy as sp
import xarray as xr

import zwang
from zwang.bodies import Particle, Potential
from zwang.certificate import certify
from zwang.constraints import analyse
from zwang.engine.start import StartError
from zwang.expressions import ExpressionError
from zwang.geometry import Point
from zwang.quantities import Coordinate, Input, Parameter, t
from zwang.system import Holonomic, QuasiVelocity, System

CAR, STEERED, GUIDED, FRONT = (
    zwang.systems.load(n) for n in ("car", "car_steered", "car_guided", "car_front_drive")
)
P = {"M1": 1000.0, "M2": 110.0, "J1": 1500.0, "J2": 30.0, "l1": 0.75, "l2": 1.65, "g": 9.81}
M = P["M1"] + P["M2"]
PLACE = {"phi": 0.2, "theta": 0.1, "x": 0.0, "y": 0.0}
TIMES = np.linspace(0.0, 2.0, 41)
WEAVING = "0.6*cos(2*t)"
RESISTED = {"F2": "20*v + 0.5*v**2", "L2": "15*theta_dot"}
ENGINES = ("compiled", "scipy")


def run(system: System, inputs: dict, start: dict | None = None, **more: object) -> xr.Dataset:
    given = {"parameters": P, "times": TIMES, "inputs": inputs} | more
    return zwang.simulate(system, initial=PLACE | (start or {}), **given)  # type: ignore[arg-type]


def close(a: xr.Dataset, b: xr.Dataset, names: tuple[str, ...], tolerance: float) -> None:
    for n in names:
        gap = float((abs(a[n] - b[n]) / (1.0 + abs(b[n]).max())).max())
        assert gap < tolerance, (n, gap)


def second(found: xr.Dataset, name: str) -> np.ndarray:
    """Second derivative by a fit of high degree: independent of what the engines differentiate."""
    degree = 30 if found.sizes["t"] < 100 else 60
    s = np.polynomial.Chebyshev.fit(found.t.values, found[f"{name}_dot"].values, degree)
    return s.deriv()(found.t.values)


# Steering ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_reaction_of_the_steering_is_the_torque_it_takes(engine: str) -> None:
    """Λ = J₂(θ̈ + φ̈) + L₂ where L₁ = 0."""
    found = run(
        STEERED, RESISTED | {"steering_rate": WEAVING, "F1": "900"}, {"w": 8.0}, engine=engine
    )
    np.testing.assert_allclose(found.theta_dot, 0.6 * np.cos(2 * TIMES), atol=1e-11)
    np.testing.assert_allclose(found.theta, 0.1 + 0.3 * np.sin(2 * TIMES), atol=1e-11)
    torque = 30.0 * (-1.2 * np.sin(2 * TIMES) + second(found, "phi")) + 15.0 * found.theta_dot
    np.testing.assert_allclose(found.reaction_steering, torque, atol=1e-6)
    assert float(abs(found.reaction_steering).max()) > 20.0
    assert float(found.residual.max()) < 1e-12
    assert float(abs(found.power_balance).max()) < 1e-6


def test_a_torque_equal_to_the_reaction_gives_the_prescribed_run() -> None:
    """The recorded Λ as a measured steering torque: both are exact, the spline is not."""
    fine = np.linspace(0.0, 2.0, 801)
    laws = RESISTED | {"F1": "900"}
    held = run(STEERED, laws | {"steering_rate": WEAVING}, {"w": 8.0}, times=fine)
    torque = (fine, held.reaction_steering.values)
    start = {"w": 8.0, "theta_dot": 0.6}
    free = run(CAR, laws | {"L1": "table(torque)"}, start, times=fine, tables={"torque": torque})
    close(free, held, ("phi", "theta", "x", "y", "w", "reaction_front", "reaction_rear"), 1e-8)


def test_a_measured_steering_rate() -> None:
    knots = np.linspace(0.0, 2.0, 401)
    table = {"rate": (knots, 0.6 * np.cos(2 * knots))}
    laws = RESISTED | {"F1": "900"}
    exact = run(STEERED, laws | {"steering_rate": WEAVING}, {"w": 8.0})
    a, b = (
        run(STEERED, laws | {"steering_rate": "table(rate)"}, {"w": 8.0}, tables=table, engine=e)
        for e in ENGINES
    )
    close(a, exact, ("phi", "theta", "x", "y", "w", "theta_dot"), 1e-9)
    close(a, exact, ("reaction_steering",), 1e-4)  # its slope is that of the spline
    close(a, b, ("phi", "theta", "x", "y", "w", "reaction_steering", "reaction_front"), 1e-9)


def test_a_ramp_bends_the_path_and_steps_the_torque() -> None:
    """θ̇ = 0.4 ramp(0.5, 1): θ̈ is 0.8 between 0.5 s and 1 s and zero elsewhere."""
    laws = {"steering_rate": "0.4*ramp(0.5, 1)"}
    a, b = (run(STEERED, laws, {"w": 8.0}, engine=e) for e in ENGINES)
    np.testing.assert_allclose(a.theta_dot, 0.4 * np.clip((TIMES - 0.5) / 0.5, 0, 1), atol=1e-12)
    close(a, b, ("phi", "x", "y", "w", "reaction_steering"), 1e-9)
    jump = a.reaction_steering.sel(t=0.5) - a.reaction_steering.sel(t=0.45)
    assert float(jump) > 10.0


# Speed -------------------------------------------------------------------------------------------


def test_commonroads_kinematic_single_track() -> None:
    """A BMW 320i from rest, full acceleration and a constant steering rate; rear axle after 1 s."""
    l1, l2 = 1.1561957064, 1.4227170936
    for engine in ENGINES:
        end = zwang.simulate(
            GUIDED,
            parameters=P | {"l1": l1, "l2": l2},
            inputs={"steering_rate": "0.15", "speed": "0.63*9.81*t"},
            initial={"phi": 0, "theta": 0, "x": l2, "y": 0},
            times=[0.0, 1.0],
            engine=engine,
        ).isel(t=-1)
        assert end.x - l2 * np.cos(end.phi) == pytest.approx(3.0845676868, abs=1e-9)
        assert end.y - l2 * np.sin(end.phi) == pytest.approx(0.1484249222, abs=1e-9)
        assert float(end.phi) == pytest.approx(0.1203664469, abs=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
def test_driving_force_on_a_straight_line(engine: str) -> None:
    """M u̇ = F − F₂, with the paper's F₁ = 0."""
    laws = {"speed": "10 + 3*sin(t)", "F2": "20*v + 0.5*v**2"}
    found = run(GUIDED, laws, {"theta": 0.0}, engine=engine)
    u = 10 + 3 * np.sin(TIMES)
    force = M * 3 * np.cos(TIMES) + 20 * u + 0.5 * u**2
    np.testing.assert_allclose(found.reaction_drive, force, rtol=1e-10)
    np.testing.assert_allclose(found.reaction_front, 0.0, atol=1e-8)


def test_driving_force_in_a_bend_does_the_work() -> None:
    """dT/dt = Λ_u u + Λ_θ θ̇ − F₂ v − L₂ θ̇, T by the rigid bodies."""
    laws = RESISTED | {"speed": "8 + 2*sin(3*t)", "steering_rate": WEAVING}
    found = run(GUIDED, laws, times=np.linspace(0.0, 2.0, 161))
    T = np.polynomial.Chebyshev.fit(found.t.values, found.energy.values, 50)
    v = found.v
    power = found.reaction_drive * found.u + found.reaction_steering * found.theta_dot
    power = power - (20 * v + 0.5 * v**2) * v - 15 * found.theta_dot**2
    np.testing.assert_allclose(power, T.deriv()(found.t.values), rtol=1e-7, atol=1e-3)


def test_both_engines_agree_with_nothing_left_free() -> None:
    laws = RESISTED | {"speed": "8 + 2*sin(3*t)", "steering_rate": WEAVING}
    a, b = (run(GUIDED, laws, engine=e) for e in ENGINES)
    names = ("phi", "theta", "x", "y", "w", *(f"reaction_{c.name}" for c in GUIDED.constraints))
    close(a, b, names, 1e-10)


def test_both_engines_agree_while_the_guided_car_slides() -> None:
    laws = {"speed": "8 + t", "steering_rate": "0.5*cos(2*t)"}
    rough = P | {"mu_rear": 0.3, "mu_front": 0.35}
    a, b = (
        run(GUIDED, laws, {"theta": 0.0}, contacts="coulomb", parameters=rough, engine=e)
        for e in ENGINES
    )
    assert a.sizes["event"] == b.sizes["event"] > 0
    np.testing.assert_allclose(a.event_time, b.event_time, atol=1e-8)
    np.testing.assert_allclose(a.u, 8 + TIMES, rtol=1e-10)  # the drive holds while the axles slide
    close(a, b, ("phi", "x", "y", "reaction_drive", "reaction_steering"), 1e-7)


# Front drive -------------------------------------------------------------------------------------


def test_front_drive_is_a_force_along_the_front_wheels() -> None:
    """F₃ at A along φ + θ: the same as F₁ straight ahead, and by its work w F₃ in a bend."""
    straight = {"theta": 0.0, "w": 5.0, "theta_dot": 0.0}
    a = run(FRONT, {"F3": "700"}, straight)
    b = run(CAR, {"F1": "700"}, straight)
    close(a, b, ("x", "y", "u"), 1e-12)
    bend = {"theta": 0.4, "w": 5.0, "theta_dot": 0.0}
    found = run(FRONT, {"F3": "700"}, bend)
    T = np.polynomial.Chebyshev.fit(found.t.values, found.energy.values, 30)
    np.testing.assert_allclose(T.deriv()(TIMES), 700 * found.w, rtol=1e-7)
    assert not np.allclose(found.w, found.u)


# What the law of a prescribed motion may be ------------------------------------------------------


@pytest.mark.parametrize(
    ("law", "says"),
    [
        ("step(1)", "came step in .*impact"),
        ("pulse(1, 2)*t", "came pulse in .*impact"),
        ("0.1*u", "depends on u; steering_rate prescribes a motion"),
        ("-theta", "depends on theta"),
    ],
)
def test_laws_that_prescribe_no_motion_are_refused(law: str, says: str) -> None:
    with pytest.raises(ExpressionError, match=says):
        run(STEERED, {"steering_rate": law}, {"w": 8.0})


def test_velocities_that_are_prescribed_are_not_given_again() -> None:
    with pytest.raises(StartError, match="0 free velocities, given are 1"):
        run(GUIDED, {"speed": "5"}, {"u": 5.0})
    with pytest.raises(StartError, match="1 free velocities, given are 0"):
        run(STEERED, {"steering_rate": "0.1"})


def test_prescribed_steering_is_rheonomic_and_integrable() -> None:
    kinds = {v.name: v for v in analyse(STEERED).constraints}
    assert not kinds["steering"].scleronomic
    assert "holonomic" in kinds["steering"].kind
    assert kinds["rear"].scleronomic


# Prescribed places: the input is written out or given, the motion is the same --------------------

x = Coordinate("x", "x", "m", "horizontal position")
y = Coordinate("y", "y", "m", "height")
m = Parameter("m", "m", "kg", "mass")
g = Parameter("g", "g", "m/s**2", "gravity")
length = Input("length", "l", "m", "length of the rod")
MASS = {"m": 2.0, "g": 9.81}
LENGTH = "1.2 + 0.3*sin(2*t)"


def hoisted(l: sp.Expr) -> System:
    """A pendulum whose rod has a length prescribed as a place: φ holds its rate."""
    return System(
        name="hoisted",
        title="Pendulum",
        source="Wipf",
        coordinates=(x, y),
        bodies=(Particle(m, at=Point(x, y)),),
        forces=(Potential(m * g * y),),
        constraints=(Holonomic("rod", (l**2 - x**2 - y**2) / (2 * l), meaning="pull"),),
        quasi_velocities=(
            QuasiVelocity("w", (x * y.dot - y * x.dot) / l, "w", "m/s", "velocity across the rod"),
        ),
    )


def swung(system: System, engine: str = "compiled", **more: object) -> xr.Dataset:
    start = {"x": 1.2 * np.sin(0.8), "y": -1.2 * np.cos(0.8), "w": 0.5}
    given = {"parameters": MASS, "initial": start, "times": TIMES, "engine": engine} | more
    return zwang.simulate(system, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_prescribed_length_has_its_velocity_and_acceleration(engine: str) -> None:
    a = swung(hoisted(length), engine, inputs={"length": LENGTH})
    more = {"l0": 1.2, "l1": 0.3, "omega": 2.0}
    b = swung(zwang.systems.load("pendulum_variable_length"), parameters=MASS | more)
    close(a, b, ("x", "y", "w", "reaction_rod"), 1e-10)
    np.testing.assert_allclose(a.x**2 + a.y**2, (1.2 + 0.3 * np.sin(2 * TIMES)) ** 2, rtol=1e-11)


def test_a_measured_length() -> None:
    knots = np.linspace(0.0, 2.0, 401)
    table = {"l": (knots, 1.2 + 0.3 * np.sin(2 * knots))}
    a, b = (swung(hoisted(length), e, inputs={"length": "table(l)"}, tables=table) for e in ENGINES)
    close(a, b, ("x", "y", "w", "reaction_rod"), 1e-9)
    close(a, swung(hoisted(length), inputs={"length": LENGTH}), ("x", "y", "w"), 1e-8)


def test_a_place_whose_velocity_would_jump_is_refused() -> None:
    with pytest.raises(ExpressionError, match=r"came ramp in .*slope and velocities jump"):
        swung(hoisted(length), inputs={"length": "1.2 + 0.3*ramp(0.5, 1)"})


def test_all_forms_agree_for_a_prescribed_place() -> None:
    found = certify(hoisted(length), states=5)
    assert found.valid
    assert {"hamel", "woronetz", "lagrange_second", "hamilton"} <= set(found.forms)


def test_a_support_that_moves_as_prescribed() -> None:
    """The kinetic energy holds the input's rate: θ̈ = −(g sin θ + ü cos θ)/R."""
    theta = Coordinate("theta", r"\theta", "rad", "angle from the downward vertical")
    R = Parameter("R", "R", "m", "length of the rod")
    support = Input("support", "u", "m", "place of the support")

    def pendulum(u: sp.Expr) -> System:
        at = Point(u + R * sp.sin(theta), -R * sp.cos(theta))
        return System(
            name="moved",
            title="Pendulum with a moved support",
            source="Wipf",
            coordinates=(theta,),
            bodies=(Particle(m, at=at),),
            forces=(Potential(-m * g * R * sp.cos(theta)),),
            quasi_velocities=(theta.dot,),
        )

    times = np.linspace(0.0, 2.0, 201)
    given = {
        "parameters": MASS | {"R": 0.7},
        "initial": {"theta": 0.3, "theta_dot": 0.0},
        "times": times,
    }
    written = zwang.simulate(pendulum(sp.sin(5 * t) / 5), **given)
    for engine in ENGINES:
        law = {"support": "sin(5*t)/5"}
        found = zwang.simulate(pendulum(support), inputs=law, engine=engine, **given)
        close(found, written, ("theta", "theta_dot"), 1e-10)
        slope = -(9.81 * np.sin(found.theta) - 5 * np.sin(5 * times) * np.cos(found.theta)) / 0.7
        np.testing.assert_allclose(second(found, "theta"), slope, atol=1e-6)
        assert float(abs(found.power_balance).max()) < 1e-9
