"""Contacts that hold, let go, slide, turn round and hold again, against exact solutions."""

from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
import xarray as xr
from scipy.optimize import brentq, lsq_linear

import zwang
from zwang import engine, laws
from zwang.bodies import Force, Particle, Potential
from zwang.codegen import generate
from zwang.engine.model import Model, from_text
from zwang.geometry import Point
from zwang.kernel.build import cached_library
from zwang.quantities import Coordinate, Input, Parameter
from zwang.system import Constraint, Contact, System

OK, NOT_UNIQUE, DRIVE_EXCEEDS_GRIP = 0, 4, 5
G = 9.81
CAR = zwang.systems.car()
P = {"M1": 1000.0, "M2": 110.0, "J1": 1500.0, "J2": 30.0, "l1": 0.75, "l2": 1.65, "g": G}
M1, M2, J1, J2, L1, L2 = (P[n] for n in ("M1", "M2", "J1", "J2", "l1", "l2"))
L, MASS = L1 + L2, M1 + M2
S, I_B = M1 * L2 + M2 * L, J1 + M1 * L2**2 + M2 * L**2
LOADS = np.array([M1 * G * L1 / L, S * G / L])  # rear, front
AT_ORIGIN = {"phi": 0.0, "theta": 0.0, "x": 0.0, "y": 0.0}
REAR, FRONT = 0, 1
CONSTANT = {"F1": "F", "L1": "T"}


def grip(rear: float, front: float) -> dict[str, float]:
    return P | {"mu_rear": rear, "mu_front": front}


def drive(
    grips: tuple[float, float],
    initial: dict[str, float],
    times: np.ndarray,
    contacts: laws.Contacts = "coulomb",
    **more: object,
) -> xr.Dataset:
    """Return one run of the car; what is not given of its place is zero."""
    run = zwang.simulate(
        CAR,
        parameters=grip(*grips) | more.pop("parameters", {}),
        initial=AT_ORIGIN | initial,
        times=times,
        contacts=contacts,
        **more,
    )
    return run


def events(run: xr.Dataset) -> list[tuple[float, int, int, int]]:
    """Return (time, contact, mode before, mode after) of every change."""
    columns = (run.event_time, run.event_contact, run.event_from, run.event_to)
    return [(float(t), int(c), int(a), int(b)) for t, c, a, b in zip(*columns, strict=True)]


# 1. The car on ice ------------------------------------------------------------------------------


@pytest.mark.parametrize("w0", [2.0, -3.0])
def test_a_car_that_slides_sideways_stops_after_w0_over_mu_g(w0: float) -> None:
    mu, u = 0.6, 5.0
    stop = abs(w0) / (mu * G)
    t = np.linspace(0.0, 2.0 * stop, 41)
    start = {"u": u, "v_rear": w0, "v_front": w0, "theta_dot": 0.0}
    run = drive((mu, mu), start, t, inputs=CONSTANT, constants={"F": 0.0, "T": 0.0})
    assert run.status == OK
    s = np.minimum(t, stop)
    sideways = w0 * s - np.sign(w0) * mu * G * s**2 / 2
    np.testing.assert_allclose(run.y, sideways, atol=1e-11)
    np.testing.assert_allclose(run.x, u * t, rtol=1e-12)
    for name, value in (("phi", 0.0), ("phi_dot", 0.0), ("theta", 0.0), ("u", u)):
        np.testing.assert_allclose(run[name], value, atol=1e-11, err_msg=name)
    sign = int(np.sign(w0))
    assert sorted(e[1:] for e in events(run)) == [(REAR, sign, 0), (FRONT, sign, 0)]
    np.testing.assert_allclose(run.event_time, stop, rtol=1e-12)
    np.testing.assert_allclose(run.slip_distance, w0**2 / (2 * mu * G), rtol=1e-11)


def sleigh(ahead: float, v0: float, spin0: float) -> tuple[float, float, float, float]:
    """Return V, W, k, s0 of Chaplygin's sleigh made of the whole car, mass `ahead` of the blade."""
    inertia = J1 + J2 + M1 * M2 / MASS * L1**2
    whole = inertia + MASS * ahead**2
    V = np.sqrt(v0**2 + whole / MASS * spin0**2)
    return V, V * np.sqrt(MASS / whole), MASS * ahead * V / whole, np.arctanh(v0 / V)


@pytest.mark.parametrize(
    ("ahead", "mu", "start"),
    [
        (-M1 * L1 / MASS, (0.0, 90.0), {"w": 4.0, "v_rear": -L * 0.2}),
        (S / MASS, (90.0, 0.0), {"u": 4.0, "v_front": L * 0.2}),
    ],
    ids=["rear on ice spins", "front on ice straightens"],
)
def test_with_one_axle_on_ice_the_car_is_a_sleigh(
    ahead: float, mu: tuple[float, float], start: dict[str, float]
) -> None:
    """The steering is kept straight by the torque that turns the axle with the body."""
    V, W, k, s0 = sleigh(ahead, 4.0, 0.2)
    t = np.linspace(0.0, 2.5, 26)
    run = drive(
        mu,
        start | {"theta_dot": 0.0},
        t,
        inputs={"L1": "-I*W*k*sinh(k*t+s0)/cosh(k*t+s0)**2"},
        constants={"I": J2, "W": W, "k": k, "s0": s0},
    )
    assert run.status == OK
    assert run.event_time.size == 0
    np.testing.assert_allclose(run.phi_dot, W / np.cosh(k * t + s0), rtol=1e-7)
    blade = run.w if ahead < 0.0 else run.u
    np.testing.assert_allclose(blade, V * np.tanh(k * t + s0), atol=1e-6)
    np.testing.assert_allclose(run.theta, 0.0, atol=1e-7)
    turned = float(run.phi_dot[-1] / run.phi_dot[0])
    assert turned < 0.1 if ahead > 0.0 else float(run.phi_dot.max()) > 5.0 * 0.2


# 2. A block -------------------------------------------------------------------------------------

BLOCK = zwang.systems.block()


def slide(
    alpha: float,
    mu: float,
    velocity: tuple[float, float] | None = None,
    end: float = 1.0,
    **more: object,
) -> xr.Dataset:
    start = {} if velocity is None else {"x_dot": velocity[0], "y_dot": velocity[1]}
    return zwang.simulate(
        BLOCK,
        parameters={"m": 2.0, "g": G, "alpha": alpha, "mu": mu},
        initial={"x": 0.0, "y": 0.0} | start,
        times=more.pop("times", np.linspace(0.0, end, 21)),
        contacts=more.pop("contacts", "coulomb"),
        **more,
    )


@pytest.mark.parametrize("alpha", [0.05, 0.5, 1.2, -0.5])
@pytest.mark.parametrize(("excess", "sticks"), [(1e-6, True), (-1e-6, False)])
def test_a_block_holds_exactly_when_mu_exceeds_the_slope(
    alpha: float, excess: float, sticks: bool
) -> None:
    run = slide(alpha, abs(np.tan(alpha)) + excess)
    assert (run.event_time.size == 0) is sticks
    assert bool((run["mode"] == 0).all()) is sticks
    assert (float(abs(run.x[-1])) == 0.0) is sticks


def test_a_block_too_steep_slides_down_evenly() -> None:
    alpha, mu = 0.4, 0.3
    run = slide(alpha, mu)
    a = G * (np.sin(alpha) - mu * np.cos(alpha))
    np.testing.assert_allclose(run.x, a * run.t**2 / 2, rtol=1e-13)
    np.testing.assert_allclose(run.y, 0.0, atol=1e-15)
    assert events(run) == [(0.0, 0, 0, 1)]
    assert float(run.first_slip[0]) == 0.0


@pytest.mark.parametrize("speed", [1e-3, 5.0, 60.0])
@pytest.mark.parametrize("angle", np.linspace(0.0, 2.0 * np.pi, 9)[:-1] + 0.1)
def test_a_block_on_the_flat_stops_straight(speed: float, angle: float) -> None:
    mu = 0.3
    direction = np.array([np.cos(angle), np.sin(angle)])
    stop = speed / (mu * G)
    run = slide(0.0, mu, tuple(speed * direction), end=1.5 * stop)
    assert [e[1:] for e in events(run)] == [(0, 1, 0)]
    assert float(run.event_time[0]) == pytest.approx(stop, rel=1e-9)
    way = speed**2 / (2 * mu * G)
    assert (float(run.x[-1]), float(run.y[-1])) == pytest.approx(tuple(way * direction), rel=1e-9)
    assert float(run.slip_distance[0]) == pytest.approx(way, rel=1e-9)
    assert float(run.slip_time[0]) == pytest.approx(stop, rel=1e-9)
    assert float(run.energy[-1]) == 0.0


@pytest.mark.parametrize("mu", [0.2, 0.6])
def test_the_energy_a_block_loses_is_friction_times_the_way_it_slid(mu: float) -> None:
    alpha = 0.4
    run = slide(alpha, mu, (1.0, 2.0), end=3.0)
    work = 2.0 * G * np.sin(alpha) * float(run.x[-1])
    lost = mu * 2.0 * G * np.cos(alpha) * float(run.slip_distance[0])
    assert float(run.energy[-1] - run.energy[0]) == pytest.approx(work - lost, rel=1e-9)
    assert (float(run.energy[-1]) == 0.0) == (mu > np.tan(alpha))


# 3. The knife edge ------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", [1.5, -1.5])
@pytest.mark.parametrize("mu", [0.2, 0.6, 0.84])
def test_a_knife_edge_lets_go_when_its_closed_form_says(mu: float, turn: float) -> None:
    alpha, m = 0.4, 3.0
    first = np.arcsin(mu / (2.0 * np.tan(alpha))) / abs(turn)
    arguments = {
        "system": zwang.systems.knife_edge(),
        "parameters": {"m": m, "J": 0.2, "g": G, "alpha": alpha, "mu": mu},
        "initial": {"x": 0.0, "y": 0.0, "phi": 0.0, "v": 0.0, "phi_dot": turn},
        "contacts": "coulomb",
    }
    run = zwang.simulate(times=np.linspace(0.0, 1.23 * first, 61), **arguments)
    side = int(np.sign(turn))  # the reaction points uphill: to the left of a left turn
    assert events(run)[0] == (pytest.approx(first, abs=1e-10), 0, 0, -side)
    assert float(run.first_slip[0]) == float(run.event_time[0])
    load = m * G * np.cos(alpha)
    held = (run.t < first).values
    np.testing.assert_allclose(
        run.reaction_blade[held],
        2.0 * m * G * np.sin(alpha) * np.sin(turn * run.t[held]),
        rtol=1e-11,
        atol=1e-12,
    )
    np.testing.assert_allclose(run.reaction_blade[~held], side * mu * load, rtol=1e-13)
    np.testing.assert_allclose(run.v_blade[held], 0.0, atol=1e-12)
    assert bool((side * run.v_blade[~held] < 0.0).all())


def test_a_knife_edge_with_enough_grip_never_lets_go() -> None:
    alpha = 0.4
    for excess, slips in ((1e-7, False), (-1e-7, True)):
        run = zwang.simulate(
            zwang.systems.knife_edge(),
            parameters={
                "m": 3.0, "J": 0.2, "g": G, "alpha": alpha, "mu": 2 * np.tan(alpha) + excess
            },
            initial={"x": 0.0, "y": 0.0, "phi": 0.0, "v": 0.0, "phi_dot": 1.5},
            times=np.linspace(0.0, 5.0, 6),
            contacts="coulomb",
        )  # fmt: skip
        assert (run.event_time.size > 0) is slips


# 4. Release -------------------------------------------------------------------------------------

ENOUGH = 30.0
HYSTERESIS = {n: laws.Coulomb(mu_kinetic=f"q*mu_{n}") for n in ("rear", "front")}


def steered(
    side: float, grips: tuple[float, float], contacts: laws.Contacts = "coulomb", **more: object
) -> xr.Dataset:
    """Return a car whose steering is turned to one side and back, its speed rising."""
    return drive(
        grips,
        {"u": 9.0, "theta_dot": 0.0},
        more.pop("times", np.linspace(0.0, 1.6, 33)),
        contacts,
        inputs={"L1": "A*sin(3*t)", "F1": 900.0, "L2": "60*theta_dot"},
        constants={"A": 60.0 * side} | ({"q": more.pop("ratio")} if "ratio" in more else {}),
        **more,
    )


@cache
def ideally_steered(side: float) -> xr.Dataset:
    return steered(side, (0.0, 0.0), "ideal")


def with_grip(axle: int, value: float) -> tuple[float, float]:
    return (value, ENOUGH) if axle == REAR else (ENOUGH, value)


@pytest.mark.parametrize("axle", [REAR, FRONT])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_contact_lets_go_only_above_its_bound(side: float, axle: int) -> None:
    ideal = ideally_steered(side)
    critical = float(ideal.critical_mu[axle])
    last = float(ideal.time_of_maximum[axle])
    assert 0.1 < last < 1.55
    below = steered(side, with_grip(axle, critical * (1 + 1e-9)))
    assert below.event_time.size == 0
    assert bool((below["mode"] == 0).all())
    np.testing.assert_allclose(below.x, ideal.x, rtol=1e-11)
    np.testing.assert_allclose(below.reaction_rear, ideal.reaction_rear, rtol=1e-9, atol=1e-6)
    above = steered(side, with_grip(axle, critical * (1 - 1e-5)))
    assert [e[1] for e in events(above)] == [axle, axle]
    assert 0.0 < last - float(above.event_time[0]) < 0.05


@pytest.mark.parametrize("axle", [REAR, FRONT])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_release_comes_at_the_ideal_onset_and_slides_against_the_reaction(
    side: float, axle: int
) -> None:
    name = ("rear", "front")[axle]
    mu = 0.7 * float(ideally_steered(side).critical_mu[axle])
    onset = float(steered(side, (0.0, 0.0), "ideal", mu=[mu]).onset[axle, 0])
    dt = 1e-4
    run = steered(side, with_grip(axle, mu), times=np.array([0.0, onset - dt, onset + dt, 1.6]))
    assert float(run.event_time[0]) == pytest.approx(onset, abs=1e-10)
    assert events(run)[0][1:] == (axle, 0, -int(side))
    reaction = float(run[f"reaction_{name}"][2])
    assert reaction == pytest.approx(side * mu * LOADS[axle], rel=1e-13)
    assert side * float(run[f"v_{name}"][2]) < 0.0
    assert abs(float(run[f"v_{name}"][1])) < 1e-14


@pytest.mark.parametrize("axle", [REAR, FRONT])
@pytest.mark.parametrize("ratio", [1.0, 0.8])
def test_forces_jump_at_release_only_if_kinetic_friction_is_smaller(
    axle: int, ratio: float
) -> None:
    mu = 0.7 * float(ideally_steered(1.0).critical_mu[axle])
    name, other = ("rear", "front")[axle], ("front", "rear")[axle]
    more = {} if ratio == 1.0 else {"contacts": HYSTERESIS, "ratio": ratio}
    first = float(steered(1.0, with_grip(axle, mu), **more).event_time[0])
    times = np.array([0.0, first - 1e-11, first + 1e-11, 1.6])
    run = steered(1.0, with_grip(axle, mu), times=times, **more)
    before, after = (float(run[f"reaction_{name}"][i]) for i in (1, 2))
    assert before == pytest.approx(mu * LOADS[axle], rel=1e-9)
    assert after == pytest.approx(ratio * mu * LOADS[axle], rel=1e-9)
    change = float(run[f"reaction_{other}"][2] / run[f"reaction_{other}"][1]) - 1.0
    assert abs(change) < 1e-9 if ratio == 1.0 else abs(change) > 1e-3


# 5. Oscillators with dry friction ---------------------------------------------------------------


def oscillator() -> System:
    """Return a mass on a line, a spring to a moving end, and friction."""
    x = Coordinate("x", "x", "m", "position of the mass")
    m, k, g, mu = (Parameter(n) for n in ("m", "k", "g", "mu"))
    end = Input("end", "x_e", "m", "position of the far end of the spring")
    at = Point(x)
    return System(
        name="dry_oscillator",
        title="Oscillator with dry friction",
        source="Moreau",
        coordinates=(x,),
        bodies=(Particle(m, at=at),),
        forces=(Force(Point(k * (end - x)), at=at),),
        constraints=(Contact("floor", x.dot, load=m * g, mu=mu),),
    )


OSCILLATOR = oscillator()
M, K, OMEGA = 2.0, 50.0, 5.0  # ω² = k/m


def shaken(
    mu: float,
    times: np.ndarray,
    start: dict[str, float],
    contacts: laws.Contacts = "coulomb",
    **more: object,
) -> xr.Dataset:
    return zwang.simulate(
        OSCILLATOR,
        parameters={"m": M, "k": K, "g": G, "mu": mu},
        initial=start,
        times=times,
        contacts=contacts,
        **more,
    )


@pytest.mark.parametrize(("x0", "mu"), [(1.0, 0.2), (-1.3, 0.15), (0.5, 0.05), (2.0, 0.31)])
def test_dry_friction_takes_the_same_from_every_half_swing(x0: float, mu: float) -> None:
    d, half = mu * M * G / K, np.pi / OMEGA
    swings = int(np.ceil((abs(x0) - d) / (2.0 * d)))  # until |k x| ≤ μ m g
    t = np.linspace(0.0, (swings + 1) * half, 20 * swings + 31)
    run = shaken(mu, t, {"x": x0})
    n = np.minimum(np.floor(t / half + 1e-12), swings)
    side = np.sign(x0) * (-1.0) ** n
    middle, amplitude = side * d, abs(x0) - d - 2.0 * n * d
    exact = middle + side * amplitude * np.cos(OMEGA * (t - n * half))
    exact = np.where(n == swings, side * (abs(x0) - 2.0 * swings * d), exact)
    np.testing.assert_allclose(run.x, exact, atol=1e-11)
    first = -int(np.sign(x0))
    modes = [0, *(first * (-1) ** i for i in range(swings)), 0]
    found = events(run)
    assert [e[2:] for e in found] == list(pairwise(modes))
    np.testing.assert_allclose([e[0] for e in found], np.arange(swings + 1) * half, atol=1e-10)
    assert float(run.slip_distance[0]) == pytest.approx(
        swings * 2.0 * (abs(x0) - swings * d), rel=1e-11
    )


def test_a_mass_that_just_reaches_the_band_of_rest_stays_in_it() -> None:
    """One half swing more or less, if next to nothing is missing; it is slow, so is its end."""
    mu = 0.2
    d = mu * M * G / K
    for excess, stops in ((-1e-7, 1), (1e-7, 2)):
        run = shaken(mu, np.linspace(0.0, 4.0, 5), {"x": 3.0 * d * (1.0 + excess)})
        assert len(events(run)) == stops + 1
        assert float(run.slip_time[0]) == pytest.approx(stops * np.pi / OMEGA, abs=1e-6)


@pytest.mark.parametrize(("static", "kinetic"), [(0.4, 0.3), (0.5, 0.2), (0.3, 0.29)])
@pytest.mark.parametrize("speed", [0.1, -0.7])
def test_stick_and_slip_on_a_moving_spring_keep_their_exact_period(
    static: float, kinetic: float, speed: float
) -> None:
    """Released at μ_s m g; the slip lasts (2π − 2 arctan(ωΔ/kV))/ω, Δ = (μ_s − μ_k) m g."""
    gap = (static - kinetic) * M * G
    lasts = (2.0 * np.pi - 2.0 * np.arctan(OMEGA * gap / (K * abs(speed)))) / OMEGA
    waits = 2.0 * gap / (K * abs(speed))
    first = static * M * G / (K * abs(speed))
    expected = [first]
    for _ in range(3):
        expected += [expected[-1] + lasts, expected[-1] + lasts + waits]
    run = shaken(
        0.0,
        np.linspace(0.0, expected[-1] + 0.5 * lasts, 40),
        {"x": 0.0},
        laws.Coulomb(mu=static, mu_kinetic=kinetic),
        inputs={"end": "V*t"},
        constants={"V": speed},
    )
    assert run.status == OK
    np.testing.assert_allclose(run.event_time, expected, rtol=0, atol=1e-9)
    way = int(np.sign(speed))
    assert [e[2:] for e in events(run)] == [(0, way), (way, 0)] * 3 + [(0, way)]
    each = speed * (lasts + waits)  # the mass keeps up with the end
    assert float(run.slip_distance[0]) > 3.0 * abs(each)
    assert float(run.slip_time[0]) == pytest.approx(3.5 * lasts, abs=1e-8)


def test_without_hysteresis_a_pulled_mass_only_touches_rest() -> None:
    """With μ_s = μ_k it moves like V(t − sin(ωt)/ω) after release, halting for an instant."""
    mu, speed = 0.3, 0.4
    first = mu * M * G / (K * speed)
    t = np.linspace(0.0, first + 8.0, 81)
    run = shaken(mu, t, {"x": 0.0}, inputs={"end": f"{speed}*t"})
    assert run.status == OK
    s = np.maximum(t - first, 0.0)
    np.testing.assert_allclose(run.x, speed * (s - np.sin(OMEGA * s) / OMEGA), atol=1e-9)
    assert float(run.event_time[0]) == pytest.approx(first, abs=1e-11)


# 6. Two contacts that load each other -----------------------------------------------------------

ENDS = {
    "m1": 1.0, "m2": 1.0, "m3": 4.0, "k1": 30.0, "k2": 20.0, "N1": 10.0, "N2": 10.0,
    "mu1": 0.3, "mu2": 0.5,
}  # fmt: skip
STARTS = [  # each with two changes of mode at one instant
    (0.024, 0.901, -1.423, 1.795),
    (-0.617, 0.605, -1.235, -1.674),
    (0.71, 0.723, 1.506, -0.112),
    (-0.452, -0.986, 0.583, 0.88),
    (0.308, -0.138, 1.469, 0.529),
    (-0.068, -0.816, 0.527, 0.466),
    (-0.869, 0.929, 0.583, 1.788),
    (0.03, -0.393, -1.302, -0.059),
    (-0.846, -0.023, -1.149, -1.469),
]


@cache
def bar() -> System:
    """Return a light bar with a load in its middle, shifted sideways on two rough supports.

    Small angles: each end on its own line, a spring at each, the middle between them.
    """
    x1 = Coordinate("x1", "x_1", "m", "shift of the left end")
    x2 = Coordinate("x2", "x_2", "m", "shift of the right end")
    m1, m2, m3, k1, k2, N1, N2, mu1, mu2 = (Parameter(n) for n in ENDS)
    left, right = Point(x1), Point(x2)
    middle = sp.Rational(1, 2) * (left + right)
    return System(
        name="bar",
        title="Bar on two supports",
        source="Moreau",
        coordinates=(x1, x2),
        bodies=(Particle(m1, at=left), Particle(m2, at=right), Particle(m3, at=middle)),
        forces=(Potential(k1 * x1**2 / 2 + k2 * x2**2 / 2),),
        constraints=(
            Contact("left", x1.dot, load=N1, mu=mu1),
            Contact("right", x2.dot, load=N2, mu=mu2),
        ),
    )


def shifted(start: tuple[float, ...], times: np.ndarray) -> xr.Dataset:
    names = ("x1", "x2", "v_left", "v_right")
    return zwang.simulate(
        bar(),
        parameters=ENDS,
        initial=dict(zip(names, start, strict=True)),
        times=times,
        contacts="coulomb",
    )


def box(W: np.ndarray, c: np.ndarray, H: np.ndarray) -> np.ndarray:
    """Return the Λ that makes ½ΛᵀWΛ + cᵀΛ least with |Λ| ≤ H."""
    root = np.linalg.cholesky(W)
    return lsq_linear(root.T, -np.linalg.solve(root, c), (-H, H), method="bvls", tol=1e-15).x


@pytest.mark.parametrize("start", STARTS)
def test_the_modes_after_every_event_solve_the_problem_of_gauss(start: tuple[float, ...]) -> None:
    first = shifted(start, np.linspace(0.0, 4.0, 5))
    assert first.status == OK
    times = np.unique(first.event_time)
    run = shifted(start, np.array([0.0, *(times + 1e-10), 4.0]))
    assert np.array_equal(run.event_time, first.event_time)
    M = np.diag([ENDS["m1"], ENDS["m2"]]) + ENDS["m3"] / 4.0
    W, H = np.linalg.inv(M), np.array([3.0, 5.0])
    decided = 0
    for i in range(1, len(times) + 1):
        slip = np.array([run.v_left[i], run.v_right[i]])
        reaction = np.array([run.reaction_left[i], run.reaction_right[i]])
        mode = run["mode"].values[:, i]
        spring = -np.array([ENDS["k1"], ENDS["k2"]]) * [run.x1[i], run.x2[i]]
        rest = np.abs(slip) < 1e-8
        assert rest.any()
        known = np.where(rest, 0.0, -np.sign(slip) * H)
        c = W @ (spring + known)
        wanted = known.copy()
        wanted[rest] = box(W[np.ix_(rest, rest)], c[rest], H[rest])
        np.testing.assert_allclose(reaction, wanted, atol=1e-7)
        a = W @ (spring + reaction)
        assert (np.abs(reaction) <= H * (1 + 1e-12)).all()
        assert np.array_equal(mode[~rest], np.sign(slip[~rest]))
        for j in np.flatnonzero(rest):
            if mode[j] == 0:
                assert abs(a[j]) < 1e-12
            else:
                assert reaction[j] == pytest.approx(-mode[j] * H[j], rel=1e-13)
                assert mode[j] * a[j] > -1e-7
        decided += int((np.array(first.event_time) == times[i - 1]).sum() > 1)
    assert decided > 0


@pytest.mark.parametrize("start", STARTS)
def test_at_the_time_of_a_change_the_run_shows_what_comes_after(start: tuple[float, ...]) -> None:
    found = events(shifted(start, np.linspace(0.0, 4.0, 5)))
    run = shifted(start, np.array([0.0, *sorted({e[0] for e in found}), 4.0]))
    for time, contact, _, after in found:
        assert int(run["mode"].sel(t=time)[contact]) == after


def test_a_contact_that_stops_releases_the_other_one() -> None:
    run = shifted(STARTS[5], np.linspace(0.0, 4.0, 5))
    pairs = [(a[1:], b[1:]) for a, b in pairwise(events(run)) if a[0] == b[0]]
    assert pairs == [((0, 1, 0), (1, 0, -1))]


def test_between_events_the_bar_obeys_newton() -> None:
    run = shifted(STARTS[0], np.linspace(0.0, 4.0, 401))
    assert float(run.residual.max()) < 1e-12
    potential = (ENDS["k1"] * run.x1**2 + ENDS["k2"] * run.x2**2) / 2
    lost = float((run.energy + potential)[0] - (run.energy + potential)[-1])
    assert lost == pytest.approx(float(run.slip_distance.values @ [3.0, 5.0]), rel=1e-10)


# 7., 8. The car's equations of sliding, written out --------------------------------------------


def slip_accelerations(
    theta: float, u: float, v: float, spin: float, theta_dot: float, F1: float, torque: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return G and c of (v_rear', v_front') = c + G R, R the lateral forces of the ground."""
    D = MASS * I_B - S**2
    G12 = (J1 - M1 * L1 * L2) * np.cos(theta) / D
    G22 = (J1 + M1 * L1**2) * np.cos(theta) ** 2 / D + np.sin(theta) ** 2 / MASS
    a = (F1 + S * spin**2) / MASS
    b, turn = np.linalg.solve([[MASS, S], [S, I_B]], [0.0, -torque])
    w = u * np.cos(theta) + (v + L * spin) * np.sin(theta)
    lateral = b - u * spin
    front = (lateral + L * turn) * np.cos(theta) - (a + v * spin) * np.sin(theta) - theta_dot * w
    return np.array([[I_B / D, G12], [G12, G22]]), np.array([lateral, front])


OVERLOADED = [
    # u, theta, theta_dot, F1, torque, mu_rear, mu_front
    (20.0, 0.25, 0.0, 0.0, 0.0, 0.8, 0.8),
    (12.0, -0.2, 0.0, 0.0, 0.0, 0.4, 0.9),
    (12.0, 0.2, 0.0, 0.0, 0.0, 0.9, 0.4),
    (5.0, 0.1, 3.0, 0.0, 0.0, 0.3, 0.3),
    (5.0, 0.1, -6.0, 3000.0, 0.0, 0.5, 0.1),
    (8.0, 0.0, 0.0, 0.0, 4000.0, 0.4, 0.2),
    (8.0, 0.0, 0.0, 0.0, -4000.0, 0.05, 0.6),
    (8.0, 0.4, 1.0, -5000.0, 2000.0, 0.2, 0.6),
    (-9.0, 0.5, 0.0, 0.0, 0.0, 0.3, 0.2),
    (6.0, 0.1, 0.0, 0.0, 0.0, 0.6, 0.6),
    (3.0, 1.4, 0.0, 6000.0, 0.0, 0.2, 0.2),
]


@pytest.mark.parametrize(("u", "theta", "theta_dot", "F1", "torque", "rear", "front"), OVERLOADED)
def test_the_modes_of_an_overloaded_start_solve_the_box_problem(
    u: float, theta: float, theta_dot: float, F1: float, torque: float, rear: float, front: float
) -> None:
    G2, c = slip_accelerations(theta, u, 0.0, u * np.tan(theta) / L, theta_dot, F1, torque)
    H = np.array([rear, front]) * LOADS
    R = box(G2, c, H)
    wanted = np.where(np.abs(R) < H * (1 - 1e-9), 0, -np.sign(R))
    run = drive(
        (rear, front),
        {"u": u, "theta": theta, "theta_dot": theta_dot},
        np.array([0.0, 1e-8]),
        inputs=CONSTANT,
        constants={"F": F1, "T": torque},
    )
    assert run.status == OK
    assert np.array_equal(run["mode"].values[:, 0], wanted)
    np.testing.assert_allclose(
        [float(run.reaction_rear[0]), float(run.reaction_front[0])], R, rtol=1e-9, atol=1e-6
    )
    assert [e[:3] for e in events(run)] == [(0.0, i, 0) for i in (0, 1) if wanted[i]]
    a = c + G2 @ R
    for i, name in enumerate(("v_rear", "v_front")):
        assert wanted[i] * a[i] > 0.0 if wanted[i] else abs(a[i]) < 1e-10
        assert float(run[name][1]) == pytest.approx(1e-8 * a[i], rel=1e-3, abs=1e-14)


def test_overloaded_starts_show_all_patterns() -> None:
    """The cases above cover holding, either axle, both, and both signs."""
    found = set()
    for u, theta, theta_dot, F1, torque, rear, front in OVERLOADED:
        G2, c = slip_accelerations(theta, u, 0.0, u * np.tan(theta) / L, theta_dot, F1, torque)
        H = np.array([rear, front]) * LOADS
        R = box(G2, c, H)
        found.add(tuple(np.where(np.abs(R) < H * (1 - 1e-9), 0, -np.sign(R)).astype(int)))
    assert {(0, 0)} < found
    assert any(a and not b for a, b in found)
    assert any(b and not a for a, b in found)
    assert any(a and b for a, b in found)


MANOEUVRES = {
    "front lets go": ({"u": 13.0, "theta_dot": 0.0}, (0.8, 0.5)),
    "rear lets go": ({"u": 13.0, "theta_dot": 0.0}, (0.35, 0.8)),
    "both, again and again": ({"u": 20.0, "theta_dot": 0.0}, (0.6, 0.6)),
    "sideways and turning": (
        {"u": 6.0, "theta": 0.2, "theta_dot": 0.3, "v_rear": 1.0, "v_front": -2.0},
        (0.5, 0.7),
    ),
}
RESISTED = {"F1": "1000", "F2": "50*v", "L1": "80*sin(3*t)", "L2": "120*theta_dot+600*theta"}


@cache
def compiled() -> tuple[Model, Path]:
    made = generate(CAR, RESISTED, {}, laws.by_contact("coulomb", ["rear", "front"], []))
    return from_text(made.model, made.reference), cached_library(made.kernel)


@cache
def accelerated(name: str) -> dict[str, np.ndarray]:
    """Return the path of a manoeuvre with its accelerations and reactions by name."""
    initial, mu = MANOEUVRES[name]
    model, library = compiled()
    parameters = {**grip(*mu), "h": 0.0}
    _, outcome = engine.run(
        model,
        library,
        parameters={k: np.asarray(v) for k, v in parameters.items()},
        initial={k: np.asarray(v) for k, v in (AT_ORIGIN | initial).items()},
        end=4.0,
        mu=np.zeros(0),
        times=np.linspace(0.0, 4.0, 801),
        tolerance=1e-12,
        event_room=100,
    )
    assert outcome.status[0] == OK
    path, q = outcome.path, model.names("coordinates")
    out = {"t": path.t[0], "R1": path.reactions[0, 0], "R2": path.reactions[1, 0]}
    for kind, values in (("", path.q), ("_dot", path.v), ("_ddot", path.a)):
        out |= {n + kind: column[0] for n, column in zip(q, values, strict=True)}
    return out | {"mode": outcome.slip.mode[0].T}


@pytest.mark.parametrize("name", MANOEUVRES)
def test_in_every_mode_the_accelerations_obey_the_equations_of_sliding(name: str) -> None:
    """Newton and Euler in body axes at the rear axle, of the whole car and of its steering."""
    p = accelerated(name)
    phi, theta, spin, turn = p["phi"], p["theta"], p["phi_dot"], p["phi_ddot"]
    cos, sin = np.cos(phi), np.sin(phi)
    u = p["x_dot"] * cos + p["y_dot"] * sin
    v = -p["x_dot"] * sin + p["y_dot"] * cos - L2 * spin
    a = p["x_ddot"] * cos + p["y_ddot"] * sin + L2 * spin**2
    b = -p["x_ddot"] * sin + p["y_ddot"] * cos - L2 * turn
    R1, R2, torque = p["R1"], p["R2"], 80 * np.sin(3 * p["t"]) - 120 * p["theta_dot"] - 600 * theta
    drag = 50.0  # F2/v
    sides = (
        (MASS * a, 1000.0 - drag * u - R2 * np.sin(theta) + S * spin**2),
        (MASS * b + S * turn, R1 + R2 * np.cos(theta) - drag * (v + L2 * spin)),
        (S * b + I_B * turn, L * R2 * np.cos(theta) - torque - drag * L2 * (v + L2 * spin)),
        (J2 * (p["theta_ddot"] + turn), torque),
    )
    for left, right in sides:
        np.testing.assert_allclose(left, right, rtol=0, atol=1e-9 * MASS * G)
    rear, front = p["mode"]
    slips = (v, (v + L * spin) * np.cos(theta) - u * np.sin(theta))
    for mode, slip, R, H in zip((rear, front), slips, (R1, R2), MANOEUVRES[name][1] * LOADS,
                                strict=True):  # fmt: skip
        np.testing.assert_allclose(slip[mode == 0], 0.0, atol=1e-11)
        np.testing.assert_allclose(R[mode != 0], -mode[mode != 0] * H, rtol=1e-12)
        assert (mode[mode != 0] * slip[mode != 0] > -1e-12).all()
        assert (np.abs(R) <= H * (1 + 1e-9)).all()


def test_the_manoeuvres_go_through_all_modes() -> None:
    seen = {tuple(np.abs(m)) for n in MANOEUVRES for m in accelerated(n)["mode"].T}
    assert seen == {(0, 0), (0, 1), (1, 0), (1, 1)}


# 9. Load transfer -------------------------------------------------------------------------------

HEIGHT = 0.55
TRANSFER = laws.Coulomb(load="transfer")


def transferred(mu: tuple[float, float], initial: dict[str, float], **more: object) -> xr.Dataset:
    return drive(
        mu,
        initial,
        np.linspace(0.0, 2.0, 201),
        TRANSFER,
        parameters={"h": HEIGHT},
        inputs={"F1": "-3000*step(0.5)", "F2": "40*v", "L1": "60*sin(3*t)", "L2": "100*theta_dot"},
        **more,
    )


@pytest.mark.parametrize("mu", [(0.9, 0.35), (0.3, 0.9), (0.4, 0.4)])
def test_load_goes_forward_when_the_car_brakes_and_bounds_follow_it(
    mu: tuple[float, float],
) -> None:
    run = transferred(mu, {"u": 12.0, "theta_dot": 0.0})
    assert run.status == OK
    rear, front = run.normal_load.sel(contact="rear"), run.normal_load.sel(contact="front")
    np.testing.assert_allclose(rear + front, MASS * G, rtol=1e-13)
    F1 = np.where(run.t >= 0.5, -3000.0, 0.0)
    R2, theta = run.reaction_front, run.theta
    push = F1 - 40.0 * run.u - R2 * np.sin(theta)  # M a_x, the drag along the body is (F2/v) u
    np.testing.assert_allclose(front, LOADS[FRONT] - HEIGHT / L * push, rtol=1e-11)
    ratio = HEIGHT / L * mu[FRONT]
    for i, name, load in ((REAR, "rear", rear), (FRONT, "front", front)):
        mode, R = run["mode"][i], run[f"reaction_{name}"]
        slides = (mode != 0).values
        np.testing.assert_allclose(R[slides], (-mode * mu[i] * load)[slides], rtol=1e-12)
        assert bool((np.abs(R) <= mu[i] * load * (1 + 1e-9)).all())
    slides = (run["mode"][FRONT] != 0).values
    if slides.any():
        free = LOADS[FRONT] - HEIGHT / L * (F1 - 40.0 * run.u)
        closed = mu[FRONT] * free / (1 + run["mode"][FRONT] * ratio * np.sin(theta))
        np.testing.assert_allclose(np.abs(R2)[slides], closed[slides], rtol=1e-11)
    assert int((run["mode"] != 0).sum()) > 10
    assert float(run.residual.max()) < 1e-10


def test_transferred_load_is_what_the_body_accelerations_say() -> None:
    """N_front = N₂ − (h/L) M a_x with a_x from differences of the momentum along the body."""
    t = 1.0 + np.arange(-3, 4) * 1e-3
    run = drive(
        (0.9, 0.35),
        {"u": 12.0, "theta_dot": 0.0},
        np.array([0.0, *t, 2.0]),
        TRANSFER,
        parameters={"h": HEIGHT},
        inputs={"F1": "-3000*step(0.5)", "F2": "40*v", "L1": "60*sin(3*t)", "L2": "100*theta_dot"},
    )
    assert int(run["mode"][FRONT][4]) != 0
    momentum = [
        MASS * run[f"{q}_dot"] + sign * M2 * L1 * run.phi_dot * turn
        for q, sign, turn in (("x", -1, np.sin(run.phi)), ("y", 1, np.cos(run.phi)))
    ]
    weights = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60e-3
    change = [float(weights @ p.values[1:8]) for p in momentum]
    phi = float(run.phi[4])
    lengthwise = change[0] * np.cos(phi) + change[1] * np.sin(phi)
    front = float(run.normal_load[FRONT][4])
    assert front == pytest.approx(LOADS[FRONT] - HEIGHT / L * lengthwise, rel=1e-9)


@cache
def ramp() -> System:
    """Return a particle on a ramp y = c x whose horizontal friction is carried by its own floor."""
    x, y = Coordinate("x", "x", "m", "way"), Coordinate("y", "y", "m", "height")
    m, g, c, mu = (Parameter(n) for n in ("m", "g", "c", "mu"))
    floor = Constraint("floor", y.dot - c * x.dot)
    at = Point(x, y)
    return System(
        name="ramp",
        title="Particle on a ramp",
        source="Moreau",
        coordinates=(x, y),
        bodies=(Particle(m, at=at),),
        forces=(Force(Point(sp.S.Zero, -m * g), at=at),),
        constraints=(floor, Contact("brake", x.dot, load=floor.reaction, mu=mu)),
    )


@pytest.mark.parametrize("way", [1.0, -1.0])
@pytest.mark.parametrize("mu", [0.2, 0.6])
def test_a_load_that_is_another_reaction_follows_what_friction_does_to_it(
    mu: float, way: float
) -> None:
    """m x'' = -(c + σμ) N and m y'' = N - m g with y'' = c x''; uphill, then held or back."""
    m, c, v0 = 2.0, 0.3 * way, 1.5 * way

    def acceleration(slope: float) -> float:
        return -slope * G / (1.0 + c * slope)

    up, back = acceleration(c + mu * way), acceleration(c - mu * way)
    stop = -v0 / up
    run = zwang.simulate(
        ramp(),
        parameters={"m": m, "g": G, "c": c, "mu": mu},
        initial={"x": 0.0, "y": 0.0, "x_dot": v0},
        times=np.linspace(0.0, 2.0 * stop, 9),
        contacts="coulomb",
    )
    after = 0.0 if mu > abs(c) else back
    t = run.t.values
    way_up = v0 * np.minimum(t, stop) + up * np.minimum(t, stop) ** 2 / 2
    np.testing.assert_allclose(run.x, way_up + after * np.maximum(t - stop, 0) ** 2 / 2, atol=1e-11)
    N = m * (G + c * np.where(t < stop, up, after))
    apart = abs(t - stop) > 1e-9
    np.testing.assert_allclose(run.reaction_floor[apart], N[apart], rtol=1e-12)
    held = c * m * G if mu > abs(c) else mu * N[-1] * way
    assert float(run.reaction_brake[0]) == pytest.approx(-mu * N[0] * way, rel=1e-12)
    assert float(run.reaction_brake[-1]) == pytest.approx(held, rel=1e-12)


# 10. Friction circle ----------------------------------------------------------------------------

CIRCLE = {"rear": laws.FrictionCircle(drive="F1"), "front": laws.Coulomb()}
DRIVEN = {"F1": "F", "L1": "70*sin(3*t)", "L2": "100*theta_dot"}


@pytest.mark.parametrize("F1", [1500.0, -1800.0])
def test_a_driven_axle_that_slides_uses_its_whole_circle(F1: float) -> None:
    mu = 0.7
    run = drive(
        (mu, 5.0),
        {"u": 12.0, "theta_dot": 0.0},
        np.linspace(0.0, 1.2, 121),
        CIRCLE,
        inputs=DRIVEN,
        constants={"F": F1},
    )
    assert run.status == OK
    slides = (run["mode"][REAR] != 0).values
    assert slides.sum() > 5
    used = np.hypot(run.reaction_rear, F1)
    np.testing.assert_allclose(used[slides], mu * LOADS[REAR], rtol=1e-12)
    assert bool((used <= mu * LOADS[REAR] * (1 + 1e-9)).all())
    assert bool((run["mode"][REAR] * run.reaction_rear <= 0.0).all())


def test_drive_takes_grip_from_the_axle_it_drives() -> None:
    arguments = ({"u": 12.0, "theta_dot": 0.0}, np.linspace(0.0, 1.0, 11))
    inputs = {"inputs": DRIVEN, "constants": {"F": 1500.0}}
    plain = drive((0.7, 5.0), *arguments, "coulomb", **inputs)
    circle = drive((0.7, 5.0), *arguments, CIRCLE, **inputs)
    reduced = np.sqrt((0.7 * LOADS[REAR]) ** 2 - 1500.0**2) / LOADS[REAR]
    equal = drive((reduced, 5.0), *arguments, "coulomb", **inputs)
    assert float(circle.first_slip[REAR]) < float(plain.first_slip[REAR])
    np.testing.assert_allclose(circle.event_time, equal.event_time, rtol=0, atol=1e-9)
    np.testing.assert_allclose(circle.y, equal.y, rtol=1e-9, atol=1e-12)


def test_a_drive_that_grows_through_the_grip_ends_the_run_there() -> None:
    mu = 0.5
    run = drive(
        (mu, 5.0),
        {"u": 8.0, "theta": 0.05, "theta_dot": 0.0},
        np.linspace(0.0, 2.0, 21),
        CIRCLE,
        inputs={"F1": "4000*ramp(0, 2)"},
    )
    assert run.status == DRIVE_EXCEEDS_GRIP
    assert float(run.time_reached) == pytest.approx(mu * LOADS[REAR] / 2000.0, rel=1e-4)


# 11. The record of a run ------------------------------------------------------------------------


@pytest.mark.parametrize("name", MANOEUVRES)
def test_modes_events_and_slip_tell_one_story(name: str) -> None:
    initial, mu = MANOEUVRES[name]
    run = drive(mu, initial, np.linspace(0.0, 4.0, 801), inputs=RESISTED)
    for i, axle in enumerate(("rear", "front")):
        own = [e for e in events(run) if e[1] == i]
        v = run[f"v_{axle}"].values
        mode = int(np.sign(v[0])) if abs(v[0]) > 1e-12 else 0
        along = np.full(run.t.size, mode)
        slid, since = 0.0, 0.0
        for time, _, before, after in own:
            assert before == mode != after
            slid += (time - since) * (mode != 0)
            along[run.t.values >= time] = after
            mode, since = after, time
        slid += (4.0 - since) * (mode != 0)
        assert np.array_equal(run["mode"][i], along)
        assert float(run.slip_time[i]) == pytest.approx(slid, abs=1e-11)
        assert (np.sign(np.where(np.abs(v) < 1e-9, 0.0, v)) * along >= 0).all()
        assert (np.abs(v[along == 0]) < 1e-11).all()
        grid = np.trapezoid(np.abs(v), run.t)
        assert float(run.slip_distance[i]) == pytest.approx(grid, rel=2e-3, abs=1e-6)
        released = [e[0] for e in own if e[2] == 0]
        first = released[0] if released else np.nan
        assert np.array_equal(float(run.first_slip[i]), first, equal_nan=True)
    assert list(run.event_time) == sorted(run.event_time.values)


def test_a_second_run_has_the_same_events_and_no_more() -> None:
    """Nothing is left over from an earlier run of the same kernel."""
    arguments = (MANOEUVRES["both, again and again"][0], np.linspace(0.0, 4.0, 41))
    first, again = (drive((0.6, 0.6), *arguments, inputs=RESISTED) for _ in range(2))
    xr.testing.assert_identical(first, again)
    assert len(set(events(first))) == len(events(first)) > 4


def test_a_run_continued_from_its_middle_has_the_rest_of_the_events() -> None:
    initial, mu = MANOEUVRES["both, again and again"]
    inputs = RESISTED
    whole = drive(mu, initial, np.array([0.0, 1.0, 4.0]), inputs=inputs)
    assert [int(m) for m in whole["mode"][:, 1]] == [-1, -1]
    names = ("phi", "theta", "x", "y", "w", "theta_dot", "v_rear", "v_front")
    rest = drive(mu, {n: float(whole[n][1]) for n in names}, np.array([1.0, 4.0]), inputs=inputs)
    later = whole.event_time.values[whole.event_time.values > 1.0]
    np.testing.assert_allclose(rest.event_time, later, rtol=0, atol=1e-8)
    np.testing.assert_allclose(rest.x[-1], whole.x[-1], rtol=1e-9)


def test_a_step_that_overloads_releases_exactly_at_its_time() -> None:
    run = slide(0.0, 0.5, inputs={"push_x": "30*step(0.3)"}, times=np.array([0.0, 0.3, 0.8]))
    assert events(run) == [(0.3, 0, 0, 1)]
    a = 30.0 / 2.0 - 0.5 * G
    assert float(run.x[-1]) == pytest.approx(a * 0.25 / 2, rel=1e-12)
    assert float(run["mode"][0, 1]) == 1
    assert float(run.slip_time[0]) == pytest.approx(0.5, rel=1e-14)


def test_a_step_within_the_grip_changes_nothing() -> None:
    run = slide(0.0, 0.5, inputs={"push_x": "9.8*step(0.3)"})
    assert run.event_time.size == 0
    assert float(run.reaction_down[-1]) == -9.8


def test_a_step_of_a_held_car_releases_the_axles_of_the_box_problem() -> None:
    """A jerk of the steering while both axles hold: decided anew at the break."""
    inputs = {"L1": "5000*step(0.5)"}
    run = drive((0.3, 0.3), {"u": 8.0, "theta_dot": 0.0}, np.array([0.0, 0.5, 0.6]), inputs=inputs)
    G2, c = slip_accelerations(0.0, 8.0, 0.0, 0.0, 0.0, 0.0, 5000.0)
    R = box(G2, c, 0.3 * LOADS)
    np.testing.assert_allclose(
        [float(run.reaction_rear[1]), float(run.reaction_front[1])], R, rtol=1e-10, atol=1e-8
    )
    slides = np.where(np.abs(R) < 0.3 * LOADS * (1 - 1e-9), 0, -np.sign(R))
    wanted = [(0.5, i, 0, int(slides[i])) for i in (0, 1) if slides[i]]
    assert [e for e in events(run) if e[0] == 0.5] == wanted


@pytest.mark.parametrize("way", ["", "-"])
def test_a_grip_exceeded_only_within_one_step_lets_go_and_one_touched_does_not(way: str) -> None:
    """The push rises to half the weight at 0.4 s and falls again, all in one step of the series."""
    push = {"push_x": f"{way}{2.0 * G}*(0.5 - 4*(t - 0.4)**2)"}
    run = slide(0.0, 0.49, end=0.7, inputs=push)
    assert events(run)[0] == (pytest.approx(0.35, rel=0, abs=1e-12), 0, 0, 1)
    for mu in (0.5, 0.51):
        assert not events(slide(0.0, mu, end=0.7, inputs=push))


def test_a_push_that_ends_at_the_last_instant_is_no_event() -> None:
    run = slide(0.0, 0.5, inputs={"push_x": "30*step(1)"})
    assert run.event_time.size == 0
    early = slide(0.0, 0.5, inputs={"push_x": "30*step(0.999)"})
    assert events(early) == [(0.999, 0, 0, 1)]


def test_a_slip_that_stops_at_the_end_of_the_run_is_at_rest_there() -> None:
    mu, speed = 0.3, 2.0
    stop = speed / (mu * G)
    for end in (stop * (1 - 1e-9), stop, stop * (1 + 1e-9)):
        run = slide(0.0, mu, (speed, 0.0), end=end)
        assert run.status == OK
        assert len(events(run)) <= 1
        assert float(run.x[-1]) == pytest.approx(speed**2 / (2 * mu * G), rel=1e-9)


# 12. Independence of company --------------------------------------------------------------------

POINTS = {"u_0": np.linspace(8.0, 20.0, 9), "theta_0": np.linspace(-0.2, 0.3, 9)}
SLIPS = ("first_slip", "slip_time", "slip_distance", "mode_end", "mode_changes")
RECORD = (*SLIPS, "theta_end", "x_end", "steps", "defect", "status", "time_reached", "residual")


def swept(points: dict[str, np.ndarray], **more: object) -> xr.Dataset:
    return zwang.sweep(
        CAR,
        parameters=grip(0.6, 0.6),
        initial={"phi": 0.0, "x": 0.0, "y": 0.0, "theta_dot": 0.0},
        inputs=RESISTED,
        end=3.0,
        points=points,
        contacts="coulomb",
        **more,
    )


def test_a_sliding_run_does_not_depend_on_its_lane_or_its_neighbours() -> None:
    whole = swept(POINTS)
    assert int(whole.mode_changes.max()) > 6
    turned = swept({k: v[::-1] for k, v in POINTS.items()})
    for name in RECORD:
        assert np.array_equal(whole[name], turned[name][::-1], equal_nan=True), name
    for i in range(9):
        alone = swept({k: v[i : i + 1] for k, v in POINTS.items()})
        for name in RECORD:
            assert np.array_equal(alone[name][0], whole[name][i], equal_nan=True), name
    initial = {k.removesuffix("_0"): float(v[5]) for k, v in POINTS.items()}
    full = drive((0.6, 0.6), initial | {"theta_dot": 0.0}, np.linspace(0, 3, 7), inputs=RESISTED)
    for name in ("first_slip", "slip_time", "slip_distance"):
        assert np.array_equal(full[name], whole[name][5], equal_nan=True)
    assert full.event_time.size == int(whole.mode_changes[5])


def test_a_sliding_sweep_does_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = swept(POINTS)
    monkeypatch.setattr("zwang.api.RUNS_PER_CALL", 2)
    for threads in (1, 2):
        xr.testing.assert_identical(swept(POINTS, threads=threads), whole)


def test_a_sliding_block_does_not_depend_on_its_lane_or_its_neighbours() -> None:
    """Slips in the plane find their direction in a series of their own."""
    points = {"x_dot_0": np.array([3.0, 0.0, 0.0, 1e-3, -2.0]), "A": np.array([4.0, 3, 0, 2, 5])}
    arguments = {
        "parameters": {"m": 2.0, "g": G, "alpha": 0.1, "mu": 0.5},
        "initial": {"x": 0.0, "y": 0.0, "y_dot": 0.0},
        "inputs": {"push_x": "A*t*cos(2*t)+1", "push_y": "A*t*sin(2*t)"},
        "end": 5.0,
        "contacts": "coulomb",
    }
    whole = zwang.sweep(BLOCK, points=points, **arguments)
    turned = zwang.sweep(BLOCK, points={k: v[::-1] for k, v in points.items()}, **arguments)
    for name in (*SLIPS, "x_end", "y_end", "steps", "status"):
        assert np.array_equal(whole[name], turned[name][::-1], equal_nan=True), name
    for i in range(5):
        alone = zwang.sweep(BLOCK, points={k: v[i : i + 1] for k, v in points.items()}, **arguments)
        for name in (*SLIPS, "x_end", "y_end", "steps", "status"):
            assert np.array_equal(alone[name][0], whole[name][i], equal_nan=True), name


def test_the_motion_of_a_sliding_run_does_not_depend_on_its_output_times() -> None:
    initial, mu = MANOEUVRES["both, again and again"]
    coarse, fine = (drive(mu, initial, np.linspace(0, 4, n), inputs=RESISTED) for n in (5, 401))
    for name in ("x", "theta", "v_front", "reaction_front"):
        assert np.array_equal(coarse[name], fine[name][::100]), name
    assert np.array_equal(coarse.event_time, fine.event_time)


# 13. Contacts with two rows ---------------------------------------------------------------------

PUSH = {"push_x": "4*t*cos(2*t)+1", "push_y": "4*t*sin(2*t)"}


def pushed(t: float) -> np.ndarray:
    return np.array([4 * t * np.cos(2 * t) + 1, 4 * t * np.sin(2 * t)])


@cache
def turned_push(tolerance: float, contacts: laws.Law | str = "coulomb") -> xr.Dataset:
    start = (0.0, 0.0) if isinstance(contacts, laws.Smoothed) else None
    return slide(0.0, 0.5, start, 6.0, inputs=PUSH, contacts=contacts, tolerance=tolerance)


def test_a_growing_push_moves_the_block_when_it_reaches_the_grip() -> None:
    run = turned_push(1e-12)
    release = brentq(lambda t: np.hypot(*pushed(t)) - 0.5 * 2.0 * G, 2.0, 3.0, xtol=1e-15)
    assert events(run)[0] == (pytest.approx(release, abs=1e-11), 0, 0, 1)
    near = slide(0.0, 0.5, inputs=PUSH, times=np.array([0.0, release, release + 1e-4, 6.0]))
    force, slip = pushed(release), np.array([near.x_dot[2], near.y_dot[2]])
    np.testing.assert_allclose(slip / np.hypot(*slip), force / np.hypot(*force), atol=1e-3)
    at = np.array([near.reaction_down[1], near.reaction_across[1]])
    np.testing.assert_allclose(at, -force, rtol=1e-9)
    slides = (run["mode"][0] != 0).values
    friction = np.array([run.reaction_down, run.reaction_across])[:, slides]
    velocity = np.array([run.x_dot, run.y_dot])[:, slides]
    np.testing.assert_allclose(
        friction, -0.5 * 2.0 * G * velocity / np.hypot(*velocity), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("angle", [0.0, 0.7, -2.5])
@pytest.mark.parametrize("excess", [1e-4, 1e-3, 1e-2, 0.1, 0.3])
def test_a_push_just_above_the_grip_moves_the_block_for_an_instant(
    excess: float, angle: float
) -> None:
    """Pushed with A sin t, it slides straight from A sin t = μmg until m v = ∫(A sin t − μmg)."""
    bound = 0.5 * 2.0 * G
    A = bound * (1.0 + excess)
    first = np.arcsin(bound / A)

    def momentum(t: float) -> float:
        return A * (np.cos(first) - np.cos(t)) - bound * (t - first)

    last = brentq(momentum, np.pi - first, 5.0, xtol=1e-15)
    way = (
        A * np.cos(first) * (last - first)
        - A * (np.sin(last) - np.sin(first))
        - bound * (last - first) ** 2 / 2
    ) / 2.0
    run = slide(
        0.0,
        0.5,
        end=4.0,
        inputs={"push_x": "A*cos(c)*sin(t)", "push_y": "A*sin(c)*sin(t)"},
        constants={"A": A, "c": angle},
    )
    assert [e[1:] for e in events(run)][:2] == [(0, 0, 1), (0, 1, 0)]
    np.testing.assert_allclose(run.event_time[:2], [first, last], rtol=0, atol=1e-8)
    assert (float(run.x[-1]), float(run.y[-1])) == pytest.approx(
        (way * np.cos(angle), way * np.sin(angle)), abs=1e-10
    )
    assert float(run.slip_distance[0]) == pytest.approx(way, abs=1e-10)


def test_a_pushed_block_converges_with_the_tolerance() -> None:
    best = turned_push(1e-14)
    for tolerance in (1e-8, 1e-10, 1e-12):
        run = turned_push(tolerance)
        off = np.hypot(run.x - best.x, run.y - best.y)
        assert float(off.max()) < 20.0 * tolerance
    assert float(best.residual.max()) < 1e-13


def test_a_smoothed_law_tends_to_the_pushed_block() -> None:
    best = turned_push(1e-12)
    errors = []
    for eps in (1e-2, 1e-3, 1e-4):
        run = turned_push(1e-10, laws.Smoothed(eps))
        errors.append(float(np.hypot(run.x - best.x, run.y - best.y).max()))
    assert errors[0] > 3.0 * errors[1] > 9.0 * errors[2]
    assert errors[2] < 5e-3


DISK = zwang.systems.appell_hamel("up")
WEIGHT = {"m": 1.0, "M": 0.3, "a": 0.5, "b": 0.2, "rho": 0.1, "C": 0.02, "J": 0.01, "g": G}
ROLLING = {"xi": 0.0, "eta": 0.0, "theta": 0.0, "phi": 0.0, "z": 0.0}


def rolled(contacts: laws.Contacts, friction: float = 0.0, **more: object) -> xr.Dataset:
    return zwang.simulate(
        DISK,
        parameters=WEIGHT | {"mu": friction},
        initial=ROLLING | {"phi_dot": 2.0, "theta_dot": 1.5},
        times=np.linspace(0.0, 2.0, 41),
        contacts=contacts,
        **more,
    )


def test_a_rolling_disk_slips_only_below_its_critical_friction() -> None:
    ideal = rolled("ideal")
    critical, when = float(ideal.critical_mu[0]), float(ideal.time_of_maximum[0])
    above = rolled("coulomb", critical * (1 + 1e-9))
    assert above.event_time.size == 0
    np.testing.assert_allclose(above.xi, ideal.xi, atol=1e-10)
    below = rolled("coulomb", critical * (1 - 1e-6))
    assert below.event_time.size > 0
    assert 0.0 < when - float(below.event_time[0]) < 0.01


@pytest.mark.parametrize("mu", [0.5, 0.7, 0.79])
def test_a_rolling_disk_begins_to_slip_at_the_ideal_onset(mu: float) -> None:
    onset = float(rolled("ideal", mu=[mu]).onset[0, 0])
    assert 0.0 < onset < 2.0
    run = rolled("coulomb", mu)
    assert run.status == OK
    assert events(run)[0] == (pytest.approx(onset, abs=1e-10), 0, 0, 1)
    assert float(run.residual.max()) < 1e-10


def test_a_disk_whose_slip_ends_goes_on_in_the_only_way_left() -> None:
    """Its load depends on its friction: holding takes 1.14 μN, and one direction is left to slide.

    The slip falls to zero and starts anew, turned by a quarter; the smoothed law passes by rest.
    """
    arguments = {
        "system": DISK,
        "parameters": {
            "m": 1.0, "M": 0.56, "a": 0.5, "b": 0.2, "rho": 0.184, "C": 0.00657, "J": 0.0189,
            "g": G, "mu": 0.63,
        },
        "initial": ROLLING | {
            "phi_dot": -2.708, "theta_dot": 0.158, "v_longitudinal": -1.82, "v_lateral": 1.133
        },
        "times": np.linspace(0.0, 0.6, 61),
    }  # fmt: skip
    run = zwang.simulate(contacts="coulomb", **arguments)
    near = zwang.simulate(contacts=laws.Smoothed(1e-4), tolerance=1e-9, **arguments)
    assert run.status == OK
    for name in ("xi", "eta", "theta", "phi"):
        np.testing.assert_allclose(run[name], near[name], atol=2e-3, err_msg=name)
    s = np.array([run.v_longitudinal, run.v_lateral])
    R = np.array([run.reaction_longitudinal, run.reaction_lateral])
    friction = 0.63 * run.normal_load.values[0] * s / np.hypot(*s)
    np.testing.assert_allclose(R, -friction, atol=1e-6)


@pytest.mark.parametrize("tolerance", [1e-8, 1e-10, 1e-11, 1e-12, 1e-13])
def test_a_disk_whose_slip_ends_while_it_turns_gets_past_that_instant(tolerance: float) -> None:
    """Close to rest the direction of a slip asks for ever smaller steps; its end is found still."""
    run = zwang.simulate(
        DISK,
        parameters={
            "m": 1.0, "M": 0.97, "a": 0.5, "b": 0.2, "rho": 0.0537, "C": 0.0194, "J": 0.0441,
            "g": G, "mu": 0.275,
        },
        initial=ROLLING | {
            "phi_dot": -1.09, "theta_dot": -2.47, "v_longitudinal": 0.79, "v_lateral": -1.99
        },
        times=np.linspace(0.0, 1.5, 16),
        contacts="coulomb",
        tolerance=tolerance,
    )  # fmt: skip
    assert run.status == OK
    assert float(run.residual.max()) < 100.0 * tolerance


@pytest.mark.parametrize("rho", [0.1, -0.05])
def test_a_disk_without_mass_needs_friction_b_over_a(rho: float) -> None:
    arguments = {
        "system": zwang.systems.appell_hamel_massless("up"),
        "initial": ROLLING | {"phi_dot": 1.0, "theta_dot": 1.5},
        "times": np.linspace(0.0, 1.0, 11),
    }
    values = {"m": 1.0, "a": 0.5, "b": 0.2, "rho": rho, "g": G}
    ideal = zwang.simulate(parameters=values, **arguments)
    assert float(ideal.critical_mu[0]) == pytest.approx(0.4, rel=1e-12)
    np.testing.assert_allclose(ideal.utilisation, 0.4, rtol=1e-12)


# 14. Coulomb's law in motions nobody chose ------------------------------------------------------


def check_coulomb(run: xr.Dataset, rows: tuple[str, ...], H: np.ndarray) -> None:
    """Held rows stay within their bounds, sliding ones carry it against their slip."""
    assert run.status == OK
    assert float(run.residual.max()) < 1e-9
    for i, name in enumerate(rows):
        mode, v, R = run["mode"].values[i], run[f"v_{name}"].values, run[f"reaction_{name}"].values
        slides = mode != 0
        assert np.abs(v[~slides]).max(initial=0.0) < 1e-10
        assert (mode * v).min() > -1e-10
        assert (np.abs(R) <= H[i] * (1 + 1e-8)).all()
        np.testing.assert_allclose(R[slides], -mode[slides] * H[i], rtol=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_a_car_at_random_obeys_coulomb(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mu = rng.uniform(0.05, 1.0, 2)
    start = {"theta": rng.uniform(-0.8, 0.8), "theta_dot": rng.uniform(-1, 1)}
    start["w"] = rng.uniform(-20, 20)
    start |= {n: rng.uniform(-3, 3) for n in ("v_rear", "v_front") if rng.uniform() < 0.5}
    run = drive(
        tuple(mu),
        start,
        np.linspace(0.0, 4.0, 201),
        inputs={"F1": "F*sin(t)", "F2": "50*v", "L1": "A*sin(w*t)", "L2": "120*theta_dot"},
        constants={
            "A": rng.uniform(0, 150), "w": rng.uniform(0.5, 6), "F": rng.uniform(-3000, 3000)
        },
    )  # fmt: skip
    check_coulomb(run, ("rear", "front"), mu * LOADS)


@pytest.mark.parametrize("seed", range(30))
def test_a_bar_at_random_obeys_coulomb_and_comes_to_rest(seed: int) -> None:
    start = np.random.default_rng(seed).uniform(-2.0, 2.0, 4)
    run = shifted(tuple(start), np.linspace(0.0, 8.0, 201))
    check_coulomb(run, ("left", "right"), np.array([3.0, 5.0]))
    assert [int(m) for m in run["mode"][:, -1]] == [0, 0]


@pytest.mark.parametrize("seed", range(30))
def test_a_block_pushed_at_random_obeys_coulomb(seed: int) -> None:
    rng = np.random.default_rng(seed)
    alpha, mu = rng.choice([0.0, 0.1, 0.3]), rng.uniform(0.05, 0.8)
    start = tuple(rng.uniform(-3, 3, 2)) if seed % 2 else None
    names = {"A": (0, 8), "B": (0, 8), "w": (0.3, 5), "c": (-10, 10), "d": (-10, 10), "f": (0, 6)}
    run = slide(
        alpha,
        mu,
        start,
        times=np.linspace(0.0, 6.0, 201),
        inputs={"push_x": "c+A*t*cos(w*t)", "push_y": "d+B*t*sin(w*t+f)"},
        constants={n: rng.uniform(*span) for n, span in names.items()},
    )
    assert run.status == OK
    assert float(run.residual.max()) < 1e-9
    H, slides = mu * 2.0 * G * np.cos(alpha), run["mode"].values[0] != 0
    R = np.array([run.reaction_down, run.reaction_across])
    v = np.array([run.x_dot, run.y_dot])
    speed = np.hypot(*v)
    assert speed[~slides].max(initial=0.0) < 1e-10
    assert (np.hypot(*R) <= H * (1 + 1e-9)).all()
    fast = slides & (speed > 1e-6)
    np.testing.assert_allclose(R[:, fast], -H * v[:, fast] / speed[fast], atol=1e-7 * H)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_push_that_sets_in_above_the_grip_and_fades_moves_the_block_at_once(way: float) -> None:
    """From t = 1 on P = 15 − 8(t − 1) N against μmg: v = ((15 − μmg) s − 4 s²)/m, then rest."""
    over = 15.0 - 0.5 * 2.0 * G
    run = slide(0.0, 0.5, end=4.0, inputs={"push_x": f"{way}*step(1)*(15 - 8*(t - 1))*pulse(0, 3)"})
    stop = over / 4.0
    assert run.status == OK
    np.testing.assert_allclose(run.event_time, [1.0, 1.0 + stop], rtol=0, atol=1e-9)
    assert float(run.x[-1]) == pytest.approx(way * (over * stop**2 / 2 - 4 * stop**3 / 3) / 2.0)
