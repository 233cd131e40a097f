"""The kernel and the scipy engine share no equations, but tell the same story of stick and slip.

The kernel solves Maggi's rows with Taylor series; the reference solves Lagrange's multiplier form
and tries every pattern of holding and sliding.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
import xarray as xr

import zwang
from zwang.bodies import Body, Force
from zwang.geometry import Point, across, along, velocity
from zwang.laws import Contacts, Coulomb, FrictionCircle, Smoothed, Viscous
from zwang.quantities import Coordinate, Input, Parameter
from zwang.system import Contact, System

ENGINES = ("compiled", "scipy")
CAR = zwang.systems.car()
PARAMETERS = {
    **{"M1": 1000, "M2": 110, "J1": 1500, "J2": 30, "l1": 0.75, "l2": 1.65, "g": 9.81},
    **{"mu_rear": 0.6, "mu_front": 0.6},
}
INPUTS = {"F1": "1000", "F2": "50*v", "L1": "80*sin(3*t)", "L2": "120*theta_dot+600*theta"}
START = {"phi": 0, "theta": 0, "x": 0, "y": 0, "u": 20, "theta_dot": 0}
ROPE = {"m": 1, "M": 2, "a": 0.5, "b": 0.2, "rho": -0.3, "C": 0.3, "J": 0.4, "g": 9.81}
ROLLING = {"xi": 0, "eta": 0, "theta": 0, "phi": 0, "z": 0, "phi_dot": 12.0, "theta_dot": 18.0}
BLOCK = {"m": 1, "J": 1, "g": 9.81, "alpha": float(np.arctan(0.5)), "mu": 0.6}
OK, SLACK, LIFT_OFF, NOT_UNIQUE, DRIVE_EXCEEDS_GRIP, EVENT_LIMIT = 0, 2, 3, 4, 5, 9
SAME = 1e-8  # s for times; of the largest value for the rest
PLANE = 1e-7  # the same where a contact slides in two directions


def puck() -> System:
    """Return a body on the level with one foot away from its centre, which may slide any way."""
    x = Coordinate("x", "x", "m", "position of the centre")
    y = Coordinate("y", "y", "m", "position of the centre")
    phi = Coordinate("phi", r"\varphi", "rad", "turn of the body")
    m = Parameter("m", "m", "kg", "mass of the body")
    J = Parameter("J", "J", "kg*m**2", "moment of inertia of the body")
    a = Parameter("a", "a", "m", "distance of the foot from the centre")
    g = Parameter("g", "g", "m/s**2", "acceleration of gravity")
    mu = Parameter("mu", r"\mu", "1", "friction coefficient of the foot")
    F = Input("F", "F", "N", "force along x")
    G = Input("G", "G", "N", "force along y")
    C = Point(x, y)
    foot, zero = C - a * along(phi), sp.S.Zero
    return System(
        name="puck",
        title="Puck",
        source="Moreau",
        coordinates=(x, y, phi),
        bodies=(Body(m, J, at=C, angle=phi),),
        forces=(Force(F * along(zero) + G * across(zero), at=C),),
        constraints=(
            Contact("foot_x", velocity(foot) @ along(zero), load=m * g, mu=mu, of="foot"),
            Contact("foot_y", velocity(foot) @ across(zero), load=m * g, mu=mu, of="foot"),
        ),
        quasi_velocities=(phi.dot,),
    )


PUCK = puck()


@dataclass(frozen=True)
class Case:
    """A run both engines are asked for."""

    end: float
    contacts: Contacts = "coulomb"
    system: System = CAR
    parameters: Mapping[str, float] = field(default_factory=lambda: PARAMETERS)
    inputs: Mapping[str, str] = field(default_factory=lambda: INPUTS)
    start: Mapping[str, float] = field(default_factory=lambda: START)
    more: Mapping[str, Any] = field(default_factory=dict)

    def run(self, engine: str) -> xr.Dataset:
        return zwang.simulate(
            self.system,
            parameters=self.parameters,
            inputs=self.inputs,
            initial=self.start,
            times=np.linspace(0.0, self.end, 41),
            contacts=self.contacts,
            engine=engine,
            tolerance=1e-12,
            **self.more,
        )


def changes(run: xr.Dataset) -> list[tuple[int, int, int]]:
    """Return contact, mode before and mode after of all changes."""
    columns = (run.event_contact, run.event_from, run.event_to)
    return [tuple(map(int, one)) for one in zip(*(c.values for c in columns), strict=True)]


def agreed(case: Case, within: float = SAME, status: int = OK) -> xr.Dataset:
    """Return the run by scipy after comparing it with the kernel's."""
    fast, slow = case.run("compiled"), case.run("scipy")
    assert int(slow.status) == status
    assert int(fast.status) == status
    assert float(slow.time_reached) == pytest.approx(float(fast.time_reached), abs=within)
    if "event_time" in slow:
        assert changes(slow) == changes(fast)
        np.testing.assert_allclose(slow.event_time, fast.event_time, rtol=0, atol=within)
    if "mode" in slow:
        np.testing.assert_array_equal(slow["mode"], fast["mode"])
    left_out = {"residual", "power_balance", "event_time", "time_of_maximum"}
    for name in set(slow.data_vars) - left_out:
        if slow[name].dtype.kind == "f" and slow[name].size:
            size = max(1.0, float(np.nan_to_num(np.abs(fast[name])).max()))
            np.testing.assert_allclose(
                slow[name], fast[name], rtol=0, atol=within * size, err_msg=name
            )
    assert float(slow.residual.max()) < 1e-9
    return slow


def with_(given: Mapping[str, Any], **changed: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return a mapping with some entries changed."""
    return {**given, **changed}


FRONT_ONLY = with_(PARAMETERS, mu_rear=0.9)
TALL = with_(PARAMETERS, h=0.55)
DRIVEN: Contacts = {"rear": FrictionCircle(drive="F1"), "front": "coulomb"}
CASES = {
    "both axles let go and stick again in turn": Case(5.0),
    "the front axle is overloaded from the start": Case(
        1.0, parameters=FRONT_ONLY, start=with_(START, theta=0.04)
    ),
    "both axles are overloaded from the start": Case(1.0, start=with_(START, theta=0.2)),
    "the rear axle slips at the start": Case(1.0, start=with_(START, v_rear=0.5)),
    "both axles slip at the start, against each other": Case(
        1.0, start=with_(START, v_rear=0.5, v_front=-0.3)
    ),
    "holding carries more than sliding": Case(3.0, Coulomb(mu=0.6, mu_kinetic=0.5)),
    "overloaded from the start, no more axles let go than must": Case(
        1.0,
        Coulomb(mu=0.6, mu_kinetic=0.5),
        start=with_(START, theta=0.174, u=8.3, theta_dot=0.77),
    ),
    "loads follow the acceleration": Case(3.0, Coulomb(load="transfer"), parameters=TALL),
    "the drive takes its part of the rear axle's grip": Case(3.0, DRIVEN),
    "a step of the steering torque overloads": Case(1.0, inputs=with_(INPUTS, L1="400*step(0.3)")),
    "only the front axle may slide": Case(2.0, {"front": "coulomb"}),
}


LIFTING = Case(
    2.0,
    Coulomb(load="transfer"),
    parameters=with_(PARAMETERS, h=1.5),
    inputs=with_(INPUTS, F1="12000*t", F2="0", L1="0"),
)


@pytest.mark.parametrize("name", CASES)
def test_both_engines_tell_the_same_story(name: str) -> None:
    run = agreed(CASES[name])
    assert changes(run)


def test_a_long_run_with_many_changes_is_one_of_the_cases() -> None:
    run = CASES["both axles let go and stick again in turn"].run("scipy")
    assert len(changes(run)) > 10
    assert {c for c, *_ in changes(run)} == {0, 1}


@pytest.mark.parametrize(
    "law",
    [
        Viscous(k=20_000.0),
        Smoothed(eps=0.05),
        {"rear": Smoothed(eps=0.05, load="transfer"), "front": "ideal"},
        {"rear": Viscous(k=20_000.0), "front": "coulomb"},
    ],
)
def test_rows_that_are_never_held_move_alike(law: Contacts) -> None:
    agreed(Case(1.0, law, parameters=TALL))


def test_the_overload_at_a_break_is_found_at_the_break() -> None:
    case = CASES["a step of the steering torque overloads"]
    strong = Case(1.0, inputs=with_(INPUTS, L1="20000*step(0.3)"), start=case.start)
    assert float(agreed(strong).event_time[0]) == pytest.approx(0.3, abs=1e-12)


def test_a_rope_goes_slack_and_is_taut_again() -> None:
    """The gap is back at zero at the end; the way there counts both directions."""
    system = zwang.systems.appell_hamel()
    case = Case(2.0, {"rope": "one_sided"}, system, ROPE, {}, ROLLING)
    run = agreed(case, status=SLACK)
    assert changes(run) == [(0, 0, 1)]
    slack = run.t.values > float(run.event_time[0])
    np.testing.assert_allclose(run.reaction_rope[slack & run.xi.notnull().values], 0.0, atol=1e-12)
    wound = run.z - ROPE["b"] * run.phi
    assert float(run.slip_distance[0]) > float(wound.max()) > 0.0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_drive_beyond_the_grip_ends_the_run(engine: str) -> None:
    """F1 = 3000 t alone needs μN = 0.6 M1 g l1/L at t = 0.613125 s."""
    run = Case(2.0, DRIVEN, inputs=with_(INPUTS, F1="3000*t")).run(engine)
    assert int(run.status) == DRIVE_EXCEEDS_GRIP
    assert float(run.time_reached) == pytest.approx(0.613125, abs=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("v_front", [0.0, 0.7])
def test_a_drive_beyond_the_grip_from_the_start(v_front: float, engine: str) -> None:
    """Whether the other axle slips does not matter to the driven one."""
    strong, start = with_(INPUTS, F1="3000"), with_(START, v_front=v_front)
    run = Case(1.0, DRIVEN, inputs=strong, start=start).run(engine)
    assert int(run.status) == DRIVE_EXCEEDS_GRIP
    assert float(run.time_reached) == 0.0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_front_axle_without_load_ends_the_run(engine: str) -> None:
    """Straight ahead (h/L) F1 = N2 at the end."""
    run = LIFTING.run(engine)
    needed = (1000 * 1.65 / 2.4 + 110) * 9.81 * 2.4 / 1.5
    assert int(run.status) == LIFT_OFF
    assert float(run.time_reached) == pytest.approx(needed / 12000, abs=1e-9)


def test_a_front_axle_slides_before_it_lifts_off_in_a_turn() -> None:
    run = agreed(replace(LIFTING, start=with_(START, theta=0.01)), status=LIFT_OFF)
    assert changes(run)


def test_too_many_changes_end_the_run() -> None:
    run = agreed(Case(5.0, more={"event_limit": 3}), status=EVENT_LIMIT)
    assert len(changes(run)) == 4


@pytest.mark.parametrize(("mu", "after"), [(0.6, 0), (0.4, -1)])
def test_a_block_pushed_uphill_stays_or_comes_back(mu: float, after: int) -> None:
    """It stops after v/(g(sin α + μ cos α)) and stays iff μ ≥ tan α = 0.5."""
    start = {"x": 0, "y": 0, "phi": np.pi / 2, "v": 0, "phi_dot": 0, "v_blade": 1.0}
    system = zwang.systems.knife_edge()
    run = agreed(Case(1.0, Coulomb(mu=mu), system, BLOCK, {}, start))
    assert changes(run) == [(0, 1, after)]
    stop = 1.0 / (9.81 * (0.5 + mu) / np.sqrt(1.25))
    assert float(run.event_time[0]) == pytest.approx(stop, abs=1e-10)


PUCK_PARAMETERS = {"m": 2, "J": 0.3, "a": 0.4, "g": 9.81, "mu": 0.5}
PUCK_START = {"x": 0, "y": 0, "phi": 0.3, "phi_dot": 0.0}
PUCK_CASES = {
    "pushed until it slides": (1.0, {"F": "20*t", "G": "5*sin(4*t)"}, PUCK_START, "coulomb"),
    "overloaded from the start": (0.5, {"F": "14", "G": "5"}, PUCK_START, "coulomb"),
    "sliding until it stops": (
        *(1.0, {"F": "1"}),
        *(with_(PUCK_START, phi_dot=0.5, v_foot_x=1.0, v_foot_y=-0.5), "coulomb"),
    ),
    "stopping and starting": (
        *(1.5, {"F": "14*sin(6*t)", "G": "5*cos(4*t)"}),
        *(PUCK_START, "coulomb"),
    ),
    "holding more than sliding": (
        *(1.0, {"F": "20*sin(6*t)", "G": "5*cos(4*t)"}),
        *(PUCK_START, Coulomb(mu=0.5, mu_kinetic=0.4)),
    ),
}


@pytest.mark.parametrize("name", PUCK_CASES)
def test_a_foot_that_slides_any_way_does_so_in_both_engines(name: str) -> None:
    end, inputs, start, law = PUCK_CASES[name]
    run = agreed(Case(end, law, PUCK, PUCK_PARAMETERS, inputs, start), within=PLANE)
    assert changes(run)


def test_a_smoothed_foot_moves_alike() -> None:
    inputs = {"F": "20*t", "G": "5*sin(4*t)"}
    agreed(Case(1.0, Smoothed(eps=0.05), PUCK, PUCK_PARAMETERS, inputs, PUCK_START))
