"""Whole runs of the catalogue's systems, reactions included, against their closed forms."""

from collections.abc import Callable
from itertools import pairwise

import mpmath
import numpy as np
import pytest
import xarray as xr
from scipy.integrate import quad
from scipy.special import ellipj, ellipk

import zwang
from zwang.bodies import Particle
from zwang.geometry import Point
from zwang.quantities import Coordinate, Parameter, t
from zwang.system import Constraint, System

systems = zwang.systems
TOLERANCE = {"compiled": 1e-14, "scipy": 1e-13}
BOUND = {"compiled": 1e-12, "scipy": 1e-9}  # of the largest value of what is compared
G = 9.81


@pytest.fixture(params=TOLERANCE)
def engine(request: pytest.FixtureRequest) -> str:
    return request.param


def move(
    engine: str,
    system: System,
    parameters: dict[str, float],
    start: dict[str, float],
    times: np.ndarray,
    mu: tuple[float, ...] = (),
) -> xr.Dataset:
    run = zwang.simulate(
        system,
        parameters=parameters,
        initial=start,
        times=times,
        mu=mu,
        engine=engine,
        tolerance=TOLERANCE[engine],
    )
    assert int(run.status) == 0
    return run


def close(run: xr.Dataset, got: object, expected: object, scale: float | None = None) -> None:
    """Every value is right to the bound of the engine times the largest one, or `scale`."""
    got, expected = np.asarray(got), np.asarray(expected)
    size = float(np.abs(expected).max()) if scale is None else scale
    assert np.abs(got - expected).max() <= BOUND[run.attrs["engine"]] * size


def constant(run: xr.Dataset, got: object, scale: float | None = None) -> None:
    """The values stay what they are at the start."""
    got = np.asarray(got)
    close(run, got, np.full_like(got, got[0]), scale)


# Blades ------------------------------------------------------------------------------------------

EDGE = {"m": 2.0, "J": 0.6, "g": G, "alpha": 0.3}
PULL = G * np.sin(0.3)


def edge(engine: str, turn: float, u0: float, mu: tuple[float, ...] = ()) -> xr.Dataset:
    """One turn of the knife edge and a bit more, heading downhill at the start."""
    start = {"x": 0.0, "y": 0.0, "phi": 0.0, "v": u0, "phi_dot": turn}
    times = np.linspace(0.0, 7.0 / abs(turn), 57)
    return move(engine, systems.knife_edge(), EDGE, start, times, mu)


@pytest.mark.parametrize(
    ("turn", "u0"), [(1.5, 0.0), (-1.5, 0.0), (0.8, 2.5), (0.8, -2.5), (-2.0, 1.2)]
)
def test_knife_edge_on_an_incline(engine: str, turn: float, u0: float) -> None:
    """A cycloid across the slope for u₀ = 0: on average it does not slide down [Bloch sec. 1.6]."""
    run = edge(engine, turn, u0)
    angle = turn * run.t
    fall = PULL / (2 * turn**2)
    close(run, run.phi, angle)
    close(run, run.v, u0 + PULL / turn * np.sin(angle))
    close(run, run.x, u0 / turn * np.sin(angle) + fall * np.sin(angle) ** 2)
    along = fall * (angle - np.sin(2 * angle) / 2)
    close(run, run.y, u0 / turn * (1 - np.cos(angle)) + along)
    left = EDGE["m"] * (turn * u0 + 2 * PULL * np.sin(angle))
    close(run, run.reaction_blade, left)
    close(run, run.utilisation.sel(contact="blade"), np.abs(left) / (EDGE["m"] * G * np.cos(0.3)))


@pytest.mark.parametrize("turn", [1.5, -1.5])
def test_knife_edge_first_slips_where_its_reaction_reaches_the_bound(
    engine: str, turn: float
) -> None:
    """From rest at t = arcsin(μ/(2 tan α))/Ω."""
    mu = (0.05, 0.2, 0.45, 0.6)
    run = edge(engine, turn, 0.0, mu)
    expected = np.arcsin(np.array(mu) / (2 * np.tan(0.3))) / abs(turn)
    close(run, run.onset.sel(contact="blade"), expected)


@pytest.mark.parametrize("turn", [1.5, -1.5])
@pytest.mark.parametrize("u0", [0.9, -0.9])
def test_knife_edge_with_a_speed_slips_sooner_or_later(engine: str, turn: float, u0: float) -> None:
    """Λ/N = Ωu₀/(g cos α) + 2 tan α sin Ωt: loaded at the start, with or against the slope."""
    mu = 0.3
    run = edge(engine, turn, u0, (mu,))
    loaded = abs(turn) * u0 / (G * np.cos(0.3))  # in the sense in which the slope loads
    assert 0.1 < abs(loaded) < mu
    time = np.arcsin((mu - loaded) / (2 * np.tan(0.3))) / abs(turn)
    close(run, run.onset.sel(contact="blade"), [time])


@pytest.mark.parametrize("turn", [1.5, -0.7])
def test_knife_edge_never_slips_exactly_when_mu_is_at_least_twice_the_slope(
    engine: str, turn: float
) -> None:
    """2 tan α is the largest |Λ|/N, across the slope, whatever the rate of turn."""
    critical = 2 * np.tan(0.3)
    mu = (critical * (1 - 1e-9), critical * (1 + 1e-9))
    run = edge(engine, turn, 0.0, mu)
    run = run.sel(contact="blade")
    assert float(run.critical_mu) == pytest.approx(critical, rel=1e-12)
    assert abs(np.cos(turn * float(run.time_of_maximum))) < 1e-6
    slips, holds = run.onset.values
    assert np.isnan(holds)
    # One part in 1e9 below the top is √(2e-9) of an angle before it.
    assert slips == pytest.approx(np.arcsin(1 - 1e-9) / abs(turn), rel=1e-6)


def test_skate_runs_a_circle(engine: str) -> None:
    m, v, turn = 2.0, -1.9, 1.2
    start = {"x": 0.3, "y": -0.4, "phi": 0.7, "v": v, "phi_dot": turn}
    run = move(engine, systems.skate(), {"m": m, "J": 0.6}, start, np.linspace(0.0, 12.0, 49))
    close(run, run.x, 0.3 + v / turn * (np.sin(0.7 + turn * run.t) - np.sin(0.7)))
    close(run, run.y, -0.4 - v / turn * (np.cos(0.7 + turn * run.t) - np.cos(0.7)))
    close(run, run.reaction_blade, np.full(49, m * v * turn))


def gudermann(s: np.ndarray) -> np.ndarray:
    """∫ sech."""
    return 2 * np.arctan(np.tanh(s / 2))


@pytest.mark.parametrize("a", [0.5, -0.3])
@pytest.mark.parametrize(("ahead", "turn0"), [(-1.9, 1.2), (0.3, -0.7)])
def test_chaplygin_sleigh(engine: str, a: float, ahead: float, turn0: float) -> None:
    """v = V tanh s, ω = W sech s, Λ = m J v ω/(J + ma²), s = kt + s₀; the mass ends up ahead."""
    m, J, v0 = 2.0, 0.6, ahead * np.sign(a)
    about = J + m * a**2
    V = np.sqrt(v0**2 + about / m * turn0**2)
    W = np.sign(turn0) * V * np.sqrt(m / about)
    k, s0 = m * a * V / about, np.arctanh(v0 / V)
    top = np.array([np.arcsinh(-1.0), np.arcsinh(1.0)])  # of |tanh s sech s| = 1/2
    peaks = (top - s0) / k
    times = np.unique([*np.linspace(0.0, 5.0 / abs(k), 41), *peaks[peaks > 0.0]])
    start = {"x": 0.0, "y": 0.0, "phi": 0.4, "v": v0, "phi_dot": turn0}
    run = move(engine, systems.chaplygin_sleigh(), {"m": m, "J": J, "a": a}, start, times)
    s = k * run.t + s0
    close(run, run.v, V * np.tanh(s))
    close(run, run.phi_dot, W / np.cosh(s))
    phi = 0.4 + W / k * (gudermann(s) - gudermann(s0))
    close(run, run.phi, phi)
    close(run, run.energy, np.full(len(times), m * V**2 / 2))
    left = m * J * V * W / about * np.tanh(s) / np.cosh(s)
    largest = m * J * V * abs(W) / (2 * about)
    close(run, run.reaction_blade, left, largest)
    assert peaks[-1 if a > 0.0 else 0] > 0.0
    assert float(np.abs(run.reaction_blade).max()) == pytest.approx(largest, rel=1e-8)

    def trace(time: float, axis: int) -> float:
        at = k * time + s0
        heading = 0.4 + W / k * (gudermann(at) - gudermann(s0))
        return V * np.tanh(at) * (np.cos(heading), np.sin(heading))[axis]

    for axis, name in enumerate("xy"):
        path = [0.0]
        for left_end, right_end in pairwise(times):
            path.append(path[-1] + quad(trace, left_end, right_end, (axis,), epsabs=1e-14)[0])
        close(run, run[name], path)


@pytest.mark.parametrize("a", [0.5, -0.3])
def test_chaplygin_sleigh_turns_once_and_for_all(engine: str, a: float) -> None:
    """From straight backwards to straight forwards: the turn is π√(1 + J/(ma²))."""
    m, J, V, far = 2.0, 0.6, 1.7, 26.0
    about = J + m * a**2
    W, k = V * np.sqrt(m / about), m * a * V / about
    begin = -far * np.sign(k)
    start = {"x": 0.0, "y": 0.0, "phi": 0.0}
    start |= {"v": V * np.tanh(begin), "phi_dot": W / np.cosh(begin)}
    # The start differs from straight by 1e-11, so the turn comes at a time known to a few digits.
    times = np.linspace(0.0, 2 * (far + 3.0) / abs(k), 9)
    run = move(engine, systems.chaplygin_sleigh(), {"m": m, "J": J, "a": a}, start, times)
    assert float(run.phi[-1]) == pytest.approx(np.pi * np.sqrt(1 + J / (m * a**2)), rel=1e-9)
    close(run, run.v[-1], -run.v[0])


# Disks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("turn", "spin"), [(1.2, 2.5), (-0.8, 2.5), (1.2, -3.0)])
def test_vertical_rolling_disk(engine: str, turn: float, spin: float) -> None:
    """Circles of radius RΩ_t/Ω_p, held by a lateral force alone."""
    m, R = 2.0, 0.4
    start = {"x": 0.3, "y": -0.4, "phi": 0.7, "theta": 1.1, "phi_dot": turn, "theta_dot": spin}
    parameters = {"m": m, "R": R, "C": 0.16, "J": 0.08}
    run = move(
        engine, systems.rolling_disk_vertical(), parameters, start, np.linspace(0.0, 9.0, 37)
    )
    phi, rho = 0.7 + turn * run.t, R * spin / turn
    close(run, run.phi, phi)
    close(run, run.theta, 1.1 + spin * run.t)
    close(run, run.x, 0.3 + rho * (np.sin(phi) - np.sin(0.7)))
    close(run, run.y, -0.4 - rho * (np.cos(phi) - np.cos(0.7)))
    force = m * turn * R * spin
    X, Y = run.reaction_longitudinal, run.reaction_lateral
    close(run, X * np.cos(run.phi) - Y * np.sin(run.phi), -force * np.sin(phi))
    close(run, X * np.sin(run.phi) + Y * np.cos(run.phi), force * np.cos(phi))


@pytest.mark.parametrize("inertia", [0.5, 1.0])  # uniform coin, ring
@pytest.mark.parametrize("turn", [1.5, -0.9])
def test_coin_on_an_incline(engine: str, inertia: float, turn: float) -> None:
    """From rest: the knife edge with the share f = 1/(1 + C/(mR²)) of gravity, 2/3 if uniform.

    Lateral reaction (1 + f) m g sin α sin ωt, longitudinal −(1 − f) m g sin α cos ωt.
    """
    m, R = 2.0, 0.4
    parameters = {"m": m, "R": R, "C": inertia * m * R**2, "J": 0.08, "g": G, "alpha": 0.3}
    start = {"x": 0.0, "y": 0.0, "phi": 0.0, "theta": 0.0, "phi_dot": turn, "theta_dot": 0.0}
    times = np.linspace(0.0, 7.0 / abs(turn), 57)
    run = move(engine, systems.coin_on_incline(), parameters, start, times)
    f, angle = 1 / (1 + inertia), turn * run.t
    fall = f * PULL / (2 * turn**2)
    close(run, run.theta_dot, f * PULL / (R * turn) * np.sin(angle))
    close(run, run.theta, 2 * fall / R * (1 - np.cos(angle)))
    close(run, run.x, fall * np.sin(angle) ** 2)
    close(run, run.y, fall * (angle - np.sin(2 * angle) / 2))
    close(run, run.reaction_lateral, (1 + f) * m * PULL * np.sin(angle))
    close(run, run.reaction_longitudinal, -(1 - f) * m * PULL * np.cos(angle))


@pytest.mark.parametrize(("lean", "turn"), [(0.4, 1.7), (-0.25, 2.4), (0.3, -3.0)])
def test_tilted_disk_rolls_a_steady_circle(engine: str, lean: float, turn: float) -> None:
    """(C + mR²) φ̇ψ̇ cos θ = −(C − J + mR²) ψ̇² sin θ cos θ − m g R sin θ keeps its lean θ.

    The ground's lateral force m(Rφ̇ψ̇ + R sin θ ψ̇²) turns the centre of mass.
    """
    m, R, C, J = 2.0, 0.4, 0.16, 0.08
    s, c = np.sin(lean), np.cos(lean)
    spin = -((C - J + m * R**2) * turn**2 * s * c + m * G * R * s) / ((C + m * R**2) * turn * c)
    start = {"x": 0.3, "y": -0.4, "psi": 0.7, "theta": lean, "phi": 0.2}
    start |= {"psi_dot": turn, "theta_dot": 0.0, "phi_dot": spin}
    parameters = {"m": m, "R": R, "C": C, "J": J, "g": G}
    run = move(engine, systems.rolling_disk(), parameters, start, np.linspace(0.0, 2.0, 21))
    psi, radius = 0.7 + turn * run.t, R * spin / turn
    close(run, run.theta, np.full(21, lean))
    close(run, run.phi, 0.2 + spin * run.t)
    close(run, run.x, 0.3 + radius * (np.sin(psi) - np.sin(0.7)))
    close(run, run.y, -0.4 - radius * (np.cos(psi) - np.cos(0.7)))
    lateral = m * R * turn * (spin + turn * s)
    close(run, run.reaction_lateral, np.full(21, lateral))
    close(run, run.reaction_longitudinal, np.zeros(21), abs(lateral))


# Car ---------------------------------------------------------------------------------------------

CAR = {"M1": 1000.0, "M2": 110.0, "J1": 1500.0, "J2": 30.0, "l1": 0.75, "l2": 1.65, "g": G}
MASS, WHEELBASE = 1110.0, 2.4
ABOUT_REAR = 1500.0 + 1000.0 * 1.65**2 + 110.0 * 2.4**2


@pytest.mark.parametrize("contact", ["rear", "front"])
@pytest.mark.parametrize("excess", [1e-9, -1e-9])
def test_steady_circle_slides_exactly_above_its_speed(
    engine: str, contact: str, excess: float
) -> None:
    """The rear axle slides from u² = μ g R_B on, the front axle from u² = μ g R_B cos θ."""
    theta, mu = 0.3, 0.5
    radius = WHEELBASE / np.tan(theta) * (np.cos(theta) if contact == "front" else 1.0)
    u = np.sqrt(mu * G * radius) * (1 + excess)
    start = {"phi": 0.0, "theta": theta, "x": 0.0, "y": 0.0, "u": u, "theta_dot": 0.0}
    run = move(engine, systems.car(), CAR, start, np.linspace(0.0, 1.0, 5), (mu,))
    assert float(run.critical_mu.sel(contact=contact)) == pytest.approx(
        mu * (1 + excess) ** 2, rel=1e-10
    )
    onset = float(run.onset.sel(contact=contact, mu=mu))
    assert onset == 0.0 if excess > 0.0 else np.isnan(onset)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_car_without_forces_keeps_two_quantities_far_beyond_ninety_degrees(
    engine: str, side: float
) -> None:
    """φ̇ + θ̇ and v_A²(M cos²θ + (I_B/L²) sin²θ), while the free front axle turns round."""
    start = {"phi": 0.3, "theta": side * 0.05, "x": 1.0, "y": -2.0, "u": -6.0}
    start |= {"theta_dot": side * 0.3}
    run = move(engine, systems.car(), CAR, start, np.linspace(0.0, 4.0, 81))
    theta = run.theta * side
    assert float(theta[0]) < np.pi / 2 < 2.0 < float(theta[-1])
    constant(run, run.phi_dot + run.theta_dot)
    # A is l1 ahead of the centre of mass, whose velocity is that of the coordinates.
    speed2 = (run.x_dot - CAR["l1"] * np.sin(run.phi) * run.phi_dot) ** 2
    speed2 += (run.y_dot + CAR["l1"] * np.cos(run.phi) * run.phi_dot) ** 2
    inertia = MASS * np.cos(theta) ** 2 + ABOUT_REAR / WHEELBASE**2 * np.sin(theta) ** 2
    assert float(speed2.max() - speed2.min()) > 0.1 * float(speed2.max())
    constant(run, speed2 * inertia)


# Appell and Hamel --------------------------------------------------------------------------------

DISK = {"m": 2.0, "M": 0.8, "a": 0.7, "b": 0.3, "rho": 0.5, "C": 0.15, "J": 0.1, "g": G}
AT = {"xi": 0.2, "eta": -0.1, "theta": 0.4, "phi": 0.3, "z": 1.5}
UP = {"up": 1.0, "down": -1.0}


def letters(d: dict[str, float], zs: float) -> tuple[float, float, float, float]:
    """A, B, k, Γ of A ṗ = kΩ² + Γ, B Ω̇ = −k p Ω."""
    A = d["m"] * (d["a"] ** 2 + d["b"] ** 2) + d["C"] + d["M"] * d["a"] ** 2
    return (
        A,
        d["m"] * d["rho"] ** 2 + d["J"],
        d["m"] * d["a"] * d["rho"],
        -zs * d["m"] * d["g"] * d["b"],
    )


def disk_reactions(
    run: xr.Dataset, d: dict[str, float], zs: float, p: xr.DataArray, turn: xr.DataArray
) -> None:
    """X = m(aṗ − ρΩ²) + Maṗ, Y = (mJ/B + M) a p Ω, rope m(g + zs b ṗ)."""
    A, B, k, Gamma = letters(d, zs)
    p_dot = (k * turn**2 + Gamma) / A
    X = d["m"] * (d["a"] * p_dot - d["rho"] * turn**2) + d["M"] * d["a"] * p_dot
    rope = d["m"] * (d["g"] + zs * d["b"] * p_dot)
    size = float(max(np.abs(X).max(), np.abs(rope).max()))
    close(run, run.reaction_longitudinal, X, size)
    close(run, run.reaction_lateral, (d["m"] * d["J"] / B + d["M"]) * d["a"] * p * turn, size)
    close(run, run.reaction_rope, rope, size)
    # The drum: C ṗ = −a X − zs b S.
    close(run, d["C"] * p_dot + d["a"] * run.reaction_longitudinal, -zs * d["b"] * rope, size)


@pytest.mark.parametrize("z", UP)
@pytest.mark.parametrize(
    ("rho", "p0", "turn0"), [(0.5, 1.7, -1.3), (-0.5, -1.7, 1.3), (0.2, 0.0, 2.0)]
)
def test_disk_and_weight_keep_two_quantities(
    engine: str, z: str, rho: float, p0: float, turn0: float
) -> None:
    """Ω exp(kφ/B) and A p² + BΩ² − 2Γφ; the reactions follow from p, Ω; z hangs by the rope."""
    d, zs = DISK | {"rho": rho}, UP[z]
    start = AT | {"phi_dot": p0, "theta_dot": turn0}
    run = move(engine, systems.appell_hamel(z), d, start, np.linspace(0.0, 1.5, 46))
    A, B, k, Gamma = letters(d, zs)
    p, turn = run.phi_dot, run.theta_dot
    close(run, turn, turn0 * np.exp(-k / B * (run.phi - 0.3)))
    energy = A * p**2 + B * turn**2 - 2 * Gamma * (run.phi - 0.3)
    close(run, energy, np.full(46, A * p0**2 + B * turn0**2), float((A * p**2 + B * turn**2).max()))
    close(run, run.z, 1.5 + d["b"] * (run.phi - 0.3))
    close(run, run.xi_dot, d["a"] * p * np.cos(run.theta))
    close(run, run.eta_dot, d["a"] * p * np.sin(run.theta))
    disk_reactions(run, d, zs, p, turn)


def test_disk_and_weight_pass_every_angle_at_the_time_of_the_quadrature(engine: str) -> None:
    """½A p² + U(φ) = const, U = −Γφ + ½BΩ₀² exp(−2(k/B)(φ − φ₀)): t = ∫ dφ/p."""
    start = AT | {"phi_dot": 0.4, "theta_dot": 2.2}
    run = move(engine, systems.appell_hamel("down"), DISK, start, np.linspace(0.0, 1.2, 13))
    A, B, k, Gamma = letters(DISK, -1.0)

    def p(phi: float) -> float:
        wall = B * 2.2**2 * np.expm1(-2 * k / B * (phi - 0.3))
        return np.sqrt(0.4**2 + (2 * Gamma * (phi - 0.3) - wall) / A)

    expected = [quad(lambda x: 1 / p(x), 0.3, float(f), epsabs=1e-13)[0] for f in run.phi]
    close(run, run.t, expected)


@pytest.mark.parametrize("rho", [0.5, -0.5])
def test_weightless_disk_bounces_once(engine: str, rho: float) -> None:
    """Γ = 0: p = P tanh(kPt/B), Ω = P√(A/B) sech; p reverses, θ turns by π√(AB)/|k|."""
    d, P, far = DISK | {"rho": rho, "g": 0.0}, 1.6, 9.0
    A, B, k, _ = letters(d, 1.0)
    rate = k * P / B
    s0 = -far * np.sign(rate)
    start = AT | {"phi_dot": P * np.tanh(s0), "theta_dot": P * np.sqrt(A / B) / np.cosh(s0)}
    times = np.linspace(0.0, 2 * far / abs(rate), 57)
    run = move(engine, systems.appell_hamel(), d, start, times)
    s = rate * run.t + s0
    close(run, run.phi_dot, P * np.tanh(s))
    close(run, run.theta_dot, P * np.sqrt(A / B) / np.cosh(s))
    whole = np.pi * np.sqrt(A * B) / abs(k)
    seen = whole * 2 * gudermann(far) / np.pi
    close(run, run.theta[-1] - run.theta[0], seen)
    assert seen == pytest.approx(whole, rel=1e-3)
    close(run, run.phi_dot[-1], -run.phi_dot[0])
    disk_reactions(run, d, 1.0, run.phi_dot, run.theta_dot)


@pytest.mark.parametrize("z", UP)
@pytest.mark.parametrize("system", ["appell_hamel", "appell_hamel_centred"])
def test_weight_over_the_contact_point(engine: str, z: str, system: str) -> None:
    """ρ = 0: Ω stays, p grows evenly; a spiral with X = (m + M) aγ, Y = (m + M) a p Ω."""
    d, zs, p0, turn = DISK | {"rho": 0.0}, UP[z], 0.8, 1.9
    given = d if system == "appell_hamel" else {n: v for n, v in d.items() if n != "rho"}
    start = AT | {"phi_dot": p0, "theta_dot": turn}
    run = move(engine, getattr(systems, system)(z), given, start, np.linspace(0.0, 5.0, 51))
    A, _, _, Gamma = letters(d, zs)
    a, both, grow = d["a"], d["m"] + d["M"], Gamma / A
    p, theta = p0 + grow * run.t, 0.4 + turn * run.t
    close(run, run.theta, theta)
    close(run, run.phi_dot, p)
    xi = a * (p * np.sin(theta) / turn + grow * np.cos(theta) / turn**2)
    eta = a * (-p * np.cos(theta) / turn + grow * np.sin(theta) / turn**2)
    close(run, run.xi, 0.2 + xi - xi[0])
    close(run, run.eta, -0.1 + eta - eta[0])
    size = float(both * a * turn * np.abs(p).max())
    close(run, run.reaction_longitudinal, np.full(51, both * a * grow), size)
    close(run, run.reaction_lateral, both * a * p * turn)


@pytest.mark.parametrize("z", UP)
def test_disk_pivots_where_the_weight_is_held_by_the_turn(engine: str, z: str) -> None:
    """kΓ < 0: p = 0 and Ω² = −Γ/k stay; nearby motions go round that centre and come back."""
    d, zs = DISK | {"rho": UP[z] * 0.5}, UP[z]
    A, B, k, Gamma = letters(d, zs)
    turn = np.sqrt(-Gamma / k)
    times = np.linspace(0.0, 3.0, 31)
    still = move(
        engine, systems.appell_hamel(z), d, AT | {"phi_dot": 0.0, "theta_dot": turn}, times
    )
    close(still, still.phi_dot, np.zeros(31), turn)
    close(still, still.theta, 0.4 + turn * still.t)
    size = float(np.abs(still.reaction_longitudinal).max())
    close(still, still.reaction_longitudinal, np.full(31, -d["m"] * d["rho"] * turn**2), size)
    close(still, still.reaction_lateral, np.zeros(31), size)
    close(still, still.reaction_rope, np.full(31, d["m"] * G))

    # Period from the effective potential between the turning points of φ, ends taken out.
    start = AT | {"phi_dot": 0.0, "theta_dot": 1.4 * turn}
    period = pivot_period(A, B, k, Gamma, 1.4 * turn)
    run = move(engine, systems.appell_hamel(z), d, start, np.linspace(0.0, 2 * period, 5))
    for name in ("phi", "phi_dot", "theta_dot"):
        close(run, run[name][::2], np.full(3, float(run[name][0])), turn)
    assert abs(float(run.phi[1] - run.phi[0])) > 0.1


def pivot_period(A: float, B: float, k: float, Gamma: float, turn: float) -> float:
    """2∫ dφ/p between the two zeros of A p² = 2Γφ − BΩ₀²(exp(−2kφ/B) − 1), to 30 digits."""
    with mpmath.workdps(30):

        def square(phi: mpmath.mpf) -> mpmath.mpf:
            return (2 * Gamma * phi - B * turn**2 * mpmath.expm1(-2 * k / B * phi)) / A

        way = np.sign(k * turn**2 + Gamma)  # of ṗ at the start
        other = mpmath.findroot(square, way * 1.0)
        assert abs(other) > 0.1
        time = mpmath.quad(
            # φ = other sin²(x): the ends are where p has its square roots.
            lambda x: (
                2
                * abs(other)
                * mpmath.sin(x)
                * mpmath.cos(x)
                / mpmath.sqrt(square(other * mpmath.sin(x) ** 2))
            ),
            [0, mpmath.pi / 4, mpmath.pi / 2],
            method="gauss-legendre",
        )
        return float(2 * time)


@pytest.mark.parametrize("z", UP)
@pytest.mark.parametrize("rho", [0.4, -0.4])
def test_massless_disk_uses_friction_in_a_fixed_ratio(engine: str, z: str, rho: float) -> None:
    """X = −zs (b/a) N, Y = 0 in every motion, bounces included; N = m(g + zs b ṗ)."""
    zs = UP[z]
    d = DISK | {"M": 0.0, "C": 0.0, "J": 0.0, "rho": rho}
    given = {n: d[n] for n in ("m", "a", "b", "rho", "g")}
    start = AT | {"phi_dot": -1.1 * np.sign(rho), "theta_dot": 1.5}
    run = move(engine, systems.appell_hamel_massless(z), given, start, np.linspace(0.0, 2.0, 81))
    A, _, k, Gamma = letters(d, zs)
    load = d["m"] * (G + zs * d["b"] * (k * run.theta_dot**2 + Gamma) / A)
    size = float(np.abs(load).max())
    close(run, run.reaction_rope, load, size)
    close(run, run.reaction_longitudinal, -zs * d["b"] / d["a"] * load, size)
    close(run, run.reaction_lateral, np.zeros(81), size)
    assert bool((np.diff(np.sign(run.phi_dot)) != 0).any()), "no bounce in this run"


# Pendulums ---------------------------------------------------------------------------------------

PENDULUM = {"m": 2.0, "R": 0.1, "g": G}


def pendulum_starts(
    theta: float, theta_dot: float, phi_dot: float
) -> dict[str, tuple[System, dict[str, float]]]:
    """One start in polar angles and in Cartesian coordinates, at φ = 0."""
    R, s, c = PENDULUM["R"], np.sin(theta), np.cos(theta)
    return {
        "polar": (
            systems.spherical_pendulum(),
            {"theta": theta, "phi": 0.0, "theta_dot": theta_dot, "phi_dot": phi_dot},
        ),
        "cartesian": (
            systems.spherical_pendulum_cartesian(),
            {
                "x": R * s,
                "y": 0.0,
                "z": R * c,
                "x_dot": R * c * theta_dot,
                "y_dot": R * s * phi_dot,
            },
        ),
    }


def height(run: xr.Dataset) -> xr.DataArray:
    return run.z if "z" in run else PENDULUM["R"] * np.cos(run.theta)


def azimuth(run: xr.Dataset) -> np.ndarray:
    return np.unwrap(np.arctan2(run.y, run.x)) if "x" in run else run.phi.values


def elliptic(theta: float, phi_dot: float) -> tuple[float, float, float, float, float]:
    """z₁, z₂, z₃ and T, 2π + Δφ of the pendulum started level at θ [Wipf (6.15) to (6.19)]."""
    R, g = PENDULUM["R"], PENDULUM["g"]
    z0, l = R * np.cos(theta), (R * np.sin(theta)) ** 2 * phi_dot
    E = (R * np.sin(theta) * phi_dot) ** 2 / 2 + g * z0
    # V = 2(E − gz)(R² − z²) − l² has the zero z₀; the two others by Vieta.
    total = E / g
    rest, product = total - z0, -(R**2) - z0 * (total - z0)
    root = np.sqrt(rest**2 / 4 - product)
    z1, z2, z3 = sorted([z0, rest / 2 - root, rest / 2 + root])
    assert 2 * (E - g * z1) * (R**2 - z1**2) == pytest.approx(l**2)
    k2, rate = (z2 - z1) / (z3 - z1), np.sqrt(2 * g * (z3 - z1))
    sides = [
        mpmath.ellippi((z2 - z1) / (R - z1), k2) / (R - z1),
        mpmath.ellippi(-(z2 - z1) / (R + z1), k2) / (R + z1),
    ]
    return z1, z2, z3, float(8 * R * ellipk(k2) / rate), float(4 * l / rate * sum(sides))


@pytest.mark.parametrize("chart", ["polar", "cartesian"])
@pytest.mark.parametrize(("theta", "phi_dot"), [(np.pi - 0.5, 3.0), (1.9, -6.0), (2.2, 40.0)])
def test_spherical_pendulum(engine: str, chart: str, theta: float, phi_dot: float) -> None:
    """z = z₁ + (z₂ − z₁) sn², and after T/2 it is back, its azimuth advanced by π + Δφ/2."""
    m, R, g = PENDULUM.values()
    z1, z2, z3, T, advance = elliptic(theta, phi_dot)
    system, start = pendulum_starts(theta, 0.0, phi_dot)[chart]
    run = move(engine, system, PENDULUM, start, np.linspace(0.0, T, 65))
    k2 = (z2 - z1) / (z3 - z1)
    lowest = abs(R * np.cos(theta) - z1) < abs(R * np.cos(theta) - z2)
    phase = np.sqrt(2 * g * (z3 - z1)) / (2 * R) * run.t + (0.0 if lowest else ellipk(k2))
    z = z1 + (z2 - z1) * ellipj(phase, k2)[0] ** 2
    close(run, height(run), z, R)
    turned = azimuth(run)
    close(run, turned[[32, 64]] - turned[0], [advance / 2, advance], 2 * np.pi)

    E = (R * np.sin(theta) * phi_dot) ** 2 / 2 + g * R * np.cos(theta)
    close(run, run.energy + m * g * height(run), np.full(65, m * E), m * (g * R + abs(E)))
    if chart == "polar":
        spin = (R * np.sin(run.theta)) ** 2 * run.phi_dot
    else:
        spin = run.x * run.y_dot - run.y * run.x_dot
        close(run, run.reaction_rod, m / R * (2 * E - 3 * g * z))
        close(run, run.x**2 + run.y**2 + run.z**2, np.full(65, R**2))
    close(run, spin, np.full(65, (R * np.sin(theta)) ** 2 * phi_dot))


def test_spherical_pendulum_is_the_same_in_both_sets_of_coordinates(engine: str) -> None:
    """A start that is no turning point: the places agree, and the rod pulls as the energy says."""
    m, R, g = PENDULUM.values()
    theta, theta_dot, phi_dot = 2.3, 4.0, -5.0
    both = pendulum_starts(theta, theta_dot, phi_dot)
    times = np.linspace(0.0, 2.0, 41)
    polar, cartesian = (move(engine, *(s, PENDULUM, at), times) for s, at in both.values())
    close(polar, cartesian.x, R * np.sin(polar.theta) * np.cos(polar.phi), R)
    close(polar, cartesian.y, R * np.sin(polar.theta) * np.sin(polar.phi), R)
    close(polar, cartesian.z, R * np.cos(polar.theta), R)
    E = R**2 * (theta_dot**2 + (np.sin(theta) * phi_dot) ** 2) / 2 + g * R * np.cos(theta)
    pull = m / R * (2 * E - 3 * g * R * np.cos(polar.theta))
    close(polar, cartesian.reaction_rod, pull)
    # The polar angles know no rod; its pull is what the weight and the inertia leave over.
    inward = m * R * (polar.theta_dot**2 + (np.sin(polar.theta) * polar.phi_dot) ** 2)
    close(polar, inward - m * g * np.cos(polar.theta), pull)


PAIR = {"m1": 2.0, "m2": 3.0, "k": 5.0, "R": 3.0}
PLACES = {"x1": 1.0, "y1": 2.0, "z1": -2.0, "x2": 2.0, "y2": -2.0, "z2": 1.0}
SPEEDS = {"w1": 0.4, "z1_dot": -0.7, "w2": 0.9, "z2_dot": 0.5}


def places(run: xr.Dataset, i: int, rate: str = "") -> np.ndarray:
    return np.array([run[f"{axis}{i}{rate}"].values for axis in "xyz"])


@pytest.mark.slow
def test_pair_on_a_sphere_keeps_energy_and_angular_momentum_in_its_own_frame(engine: str) -> None:
    """The forces of the sphere pass through its centre; seen in motion they do work."""
    times = np.linspace(0.0, 3.0, 31)
    still = move(engine, systems.sphere_pair(), PAIR, PLACES | SPEEDS, times)
    r, v = ({i: places(still, i, rate) for i in (1, 2)} for rate in ("", "_dot"))
    stretch2 = ((r[1] - r[2]) ** 2).sum(0)
    constant(still, still.energy + PAIR["k"] * stretch2 / 2)
    momentum = sum(PAIR[f"m{i}"] * np.cross(r[i], v[i], axis=0) for i in (1, 2))
    size = float(np.abs(momentum).max())
    for component in momentum:
        constant(still, component, size)
    forces = {
        i: still[f"reaction_{which}"].values * r[i] / PAIR["R"]
        for i, which in ((1, "first"), (2, "second"))
    }
    for i, other in ((1, 2), (2, 1)):
        outward = PAIR["k"] * (r[i] * (r[i] - r[other])).sum(0) - PAIR[f"m{i}"] * (v[i] ** 2).sum(0)
        close(still, (forces[i] * r[i]).sum(0), outward)

    u = np.array([0.5, -0.8, 0.3])
    names = dict(zip(("u_x", "u_y", "u_z"), u, strict=True))
    start = PLACES | {f"{q}{i}_dot": v[i][j, 0] - u[j] for i in (1, 2) for j, q in enumerate("xyz")}
    free = ("x1_dot", "z1_dot", "x2_dot", "z2_dot")
    start = {n: x for n, x in start.items() if n in PLACES or n in free}
    moving = move(engine, systems.sphere_pair_moving(), PAIR | names, start, times)
    for i in (1, 2):
        close(moving, places(moving, i) + u[:, None] * times, r[i])
    for which in ("first", "second"):
        close(moving, moving[f"reaction_{which}"], still[f"reaction_{which}"])
    # E' = E − u·P + ½(m₁ + m₂)u²: its change is the work of the reactions in that frame.
    drift = sum(PAIR[f"m{i}"] * u @ v[i] for i in (1, 2))
    close(moving, moving.energy - still.energy, (PAIR["m1"] + PAIR["m2"]) * u @ u / 2 - drift)
    assert np.ptp(drift) > 1.0


ROD = {"m": 2.0, "g": G, "l0": 1.0, "l1": 0.4, "omega": 3.0}


def test_weightless_pendulum_of_variable_length_keeps_its_angular_momentum(engine: str) -> None:
    """g = 0: l²β̇ = const, so β = ∫ const/l² and the rod pulls with m(lβ̇² − l̈), and may push."""
    m, l0, l1, omega = ROD["m"], ROD["l0"], ROD["l1"], ROD["omega"]
    beta, rate = 0.5, 0.6
    start = {"x": l0 * np.sin(beta), "y": -l0 * np.cos(beta), "w": l0 * rate}
    system, times = systems.pendulum_variable_length(), np.linspace(0.0, 6.0, 61)
    run = move(engine, system, ROD | {"g": 0.0}, start, times)
    l = l0 + l1 * np.sin(omega * run.t)
    spin = rate * l0**2
    close(run, run.w * l, np.full(61, spin))
    swept = [0.0]
    for a, b in pairwise(times):
        part = quad(lambda s: spin / (l0 + l1 * np.sin(omega * s)) ** 2, a, b, epsabs=1e-14)[0]
        swept.append(swept[-1] + part)
    angle = beta + np.array(swept)
    close(run, run.x, l * np.sin(angle))
    close(run, run.y, -l * np.cos(angle))
    pull = m * (spin**2 / l**3 + l1 * omega**2 * np.sin(omega * run.t))
    assert float(pull.min()) < 0.0
    close(run, run.reaction_rod, pull)


@pytest.mark.parametrize("speed", [4.0, 6.6])
def test_pendulum_of_fixed_length(engine: str, speed: float) -> None:
    """l₁ = 0: sin(β/2) = k sn for a swing, sn(·|1/k²) where it goes over; S = m(w² + g h)/l."""
    m, l = ROD["m"], ROD["l0"]
    start = {"x": 0.0, "y": -l, "w": speed}
    parameters = ROD | {"l1": 0.0}
    run = move(
        engine, systems.pendulum_variable_length(), parameters, start, np.linspace(0.0, 6.0, 61)
    )
    k = speed / (2 * np.sqrt(G * l))
    if k < 1.0:
        sine = k * ellipj(np.sqrt(G / l) * run.t, k**2)[0]
    else:
        sine = ellipj(k * np.sqrt(G / l) * run.t, k**-2)[0]
    y = -l * (1 - 2 * sine**2)
    close(run, run.y, y)
    close(run, np.abs(run.x), 2 * l * np.abs(sine) * np.sqrt(1 - sine**2))
    w2 = speed**2 - 2 * G * (l + y)
    close(run, run.w**2, w2)
    close(run, run.reaction_rod, m * (w2 - G * y) / l)
    assert bool((run.reaction_rod < 0.0).any()) == (2 * G * l < speed**2 < 5 * G * l)


# Constraints that are not linear in the velocities -----------------------------------------------


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_particle_of_constant_speed(engine: str, way: float) -> None:
    """T = gt/c: x = (c²/g)(2 arctan eᵀ − π/2), y = −(c²/g) ln cosh T, Λ = −(mg/2c) tanh T."""
    m, c = 2.0, 3.0
    start = {"x": 0.0, "y": 0.0, "x_dot": way * c, "y_dot": 0.0}
    system, times = systems.constant_speed_particle(), np.linspace(0.0, 1.2, 49)
    run = move(engine, system, {"m": m, "c": c, "g": G}, start, times)
    T = G * run.t / c
    close(run, run.x, way * c**2 / G * (2 * np.arctan(np.exp(T)) - np.pi / 2))
    close(run, run.y, -(c**2) / G * np.log(np.cosh(T)))
    close(run, run.x_dot, way * c / np.cosh(T))
    close(run, run.y_dot, -c * np.tanh(T))
    close(run, run.reaction_speed, -m * G / (2 * c) * np.tanh(T))
    close(run, run.energy, np.full(49, m * c**2 / 2))


def test_speed_is_kept_over_a_long_time(engine: str) -> None:
    """Thrown upwards: the particle turns over its top and falls, ever steeper, at its speed c."""
    m, c, up = 2.0, 3.0, 0.9
    start = {"x": 0.0, "y": 0.0, "x_dot": c * np.cos(up), "y_dot": c * np.sin(up)}
    system, times = systems.constant_speed_particle(), np.linspace(0.0, 2.5, 51)
    run = move(engine, system, {"m": m, "c": c, "g": G}, start, times)
    # The direction obeys ψ̇ = −(g/c) cos ψ: sin ψ = tanh(artanh(sin ψ₀) − gt/c).
    T = np.arctanh(np.sin(up)) - G * run.t / c
    close(run, run.y_dot, c * np.tanh(T))
    close(run, run.x_dot, c / np.cosh(T))
    close(run, run.reaction_speed, m * G / (2 * c) * np.tanh(T))
    close(run, run.x_dot**2 + run.y_dot**2, np.full(51, c**2))


@pytest.mark.parametrize("ratio", [1.5, 0.4, -0.7])
def test_parallel_velocities(engine: str, ratio: float) -> None:
    """Λ = g(ẋ₁ − ẋ₂)/(v₂²/m₁ + v₁²/m₂) does no work: the energy stays, and ẋ₁ẏ₂ = ẋ₂ẏ₁."""
    m1, m2 = 2.0, 3.0
    start = {"x1": 0.0, "y1": 1.0, "x2": 2.0, "y2": 3.0, "x1_dot": 1.2, "y1_dot": -0.8}
    start |= {"x2_dot": 1.2 * ratio, "y2_dot": -0.8 * ratio}
    system, times = systems.parallel_velocities(), np.linspace(0.0, 1.0, 41)
    run = move(engine, system, {"m1": m1, "m2": m2, "g": G}, start, times)
    v1, v2 = run.x1_dot**2 + run.y1_dot**2, run.x2_dot**2 + run.y2_dot**2
    close(run, run.reaction_parallel, G * (run.x1_dot - run.x2_dot) / (v2 / m1 + v1 / m2))
    cross = run.x1_dot * run.y2_dot - run.x2_dot * run.y1_dot
    close(run, cross, np.zeros(41), float(np.sqrt(v1 * v2).max()))
    close(run, run.energy, (m1 * v1 + m2 * v2) / 2)
    heights = m1 * G * (run.y1 - 1.0) + m2 * G * (run.y2 - 3.0)
    kinetic = (m1 + m2 * ratio**2) * (1.2**2 + 0.8**2) / 2
    close(run, run.energy + heights, np.full(41, kinetic), float(run.energy.max()))


def test_equal_parallel_velocities_fall_freely(engine: str) -> None:
    """ẋ₁ = ẋ₂: Λ = 0 and both are thrown parabolas."""
    start = {"x1": 0.0, "y1": 1.0, "x2": 2.0, "y2": 3.0, "x1_dot": 1.2, "y1_dot": -0.8}
    start |= {"x2_dot": 1.2, "y2_dot": -0.8}
    system, times = systems.parallel_velocities(), np.linspace(0.0, 1.0, 11)
    run = move(engine, system, {"m1": 2.0, "m2": 3.0, "g": G}, start, times)
    for i, y0 in ((1, 1.0), (2, 3.0)):
        close(run, run[f"y{i}"], y0 - 0.8 * run.t - G * run.t**2 / 2)
        close(run, run[f"x{i}_dot"], np.full(11, 1.2))
    close(run, run.reaction_parallel, np.zeros(11), G)


@pytest.mark.parametrize("rise", [1.0, -1.0])
def test_degenerate_ball_moves_straight(engine: str, rise: float) -> None:
    """z̈ = −g b²/(a² + b²), ẇ = −s g h/(1 + h²), Λ = −m g h²/(2ż(1 + h²)), h = b/a."""
    m, a, b, w0, way = 2.0, 0.7, 0.3, 4.0, 0.6
    h = b / a
    start = {"x": 0.1, "y": 0.2, "z": 0.3, "z_dot": rise * h * w0}
    start |= {"x_dot": w0 * np.cos(way), "y_dot": w0 * np.sin(way)}
    stop = w0 * (1 + h**2) / (G * h)  # where the rising ball would come to rest
    system, times = systems.appell_hamel_ball(), np.linspace(0.0, 0.8 * stop, 41)
    run = move(engine, system, {"m": m, "a": a, "b": b, "g": G}, start, times)
    slower = -rise * G * h / (1 + h**2)
    path = w0 * run.t + slower * run.t**2 / 2
    close(run, run.x, 0.1 + path * np.cos(way))
    close(run, run.y, 0.2 + path * np.sin(way))
    close(run, run.z, 0.3 + rise * h * path)
    z_dot = rise * h * w0 - G * b**2 / (a**2 + b**2) * run.t
    close(run, run.z_dot, z_dot)
    close(run, run.reaction_cone, -m * G * h**2 / (2 * z_dot * (1 + h**2)))
    # The forces upward: weight and 2Λ(a/b)²ż downward leave m g/(1 + h²) to the rope.
    pull = -2 * run.reaction_cone * (a / b) ** 2 * run.z_dot
    close(run, pull, np.full(41, m * G / (1 + h**2)))


def paced_particle() -> System:
    """A free particle whose speed is prescribed: ẋ² + ẏ² = (c + kt)², a constraint with time."""
    x, y = (Coordinate(n, n, "m", "position of the particle") for n in ("x", "y"))
    m = Parameter("m", "m", "kg", "mass of the particle")
    c = Parameter("c", "c", "m/s", "speed at the start")
    k = Parameter("k", "k", "m/s**2", "rate of the speed")
    pace = Constraint("pace", x.dot**2 + y.dot**2 - (c + k * t) ** 2, unit="m**2/s**2")
    return System(
        name="paced_particle",
        title="Particle of prescribed speed",
        source="Juschkov",
        coordinates=(x, y),
        bodies=(Particle(m, at=Point(x, y)),),
        constraints=(pace,),
        quasi_velocities=(y.dot,),
    )


@pytest.mark.parametrize("engine", ["compiled", "scipy"])
def test_a_particle_of_prescribed_speed_goes_straight(engine: str) -> None:
    """Without other forces it keeps its direction; m k = 2Λ (c + kt)."""
    m, c, k, angle = 1.5, 2.0, 0.7, 0.4
    times = np.linspace(0.0, 3.0, 31)
    run = zwang.simulate(
        paced_particle(),
        parameters={"m": m, "c": c, "k": k},
        initial={"x": 0.0, "y": 0.0, "x_dot": c * np.cos(angle), "y_dot": c * np.sin(angle)},
        times=times,
        engine=engine,
    )
    way = c * times + k * times**2 / 2
    np.testing.assert_allclose(run.x, way * np.cos(angle), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(run.y, way * np.sin(angle), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(run.reaction_pace, m * k / (2 * (c + k * times)), rtol=1e-9)


# Functions of the inputs --------------------------------------------------------------------------


def ramped(t: np.ndarray) -> np.ndarray:
    return np.clip((t - 0.3) / 0.4, 0.0, 1.0)


PUSHES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "(1 + 0.3*sin(2*t))**1.7": lambda t: (1 + 0.3 * np.sin(2 * t)) ** 1.7,
    "(1 + 0.3*sin(2*t))**(-0.4)": lambda t: (1 + 0.3 * np.sin(2 * t)) ** -0.4,
    "asin(0.5*sin(2*t))": lambda t: np.arcsin(0.5 * np.sin(2 * t)),
    "acos(0.5*sin(2*t))": lambda t: np.arccos(0.5 * np.sin(2 * t)),
    "atan(0.9*sin(2*t))": lambda t: np.arctan(0.9 * np.sin(2 * t)),
    "tan(0.8*sin(2*t))": lambda t: np.tan(0.8 * np.sin(2 * t)),
    "tanh(sin(2*t))": lambda t: np.tanh(np.sin(2 * t)),
    "sinh(sin(2*t)) + 2*cosh(t**2)": lambda t: np.sinh(np.sin(2 * t)) + 2 * np.cosh(t**2),
    "exp(sin(2*t))": lambda t: np.exp(np.sin(2 * t)),
    "log(1.5 + sin(2*t))": lambda t: np.log(1.5 + np.sin(2 * t)),
    "sqrt(1.5 + sin(2*t))": lambda t: np.sqrt(1.5 + np.sin(2 * t)),
    "1/(1.5 + cos(2*t))": lambda t: 1 / (1.5 + np.cos(2 * t)),
    "t/(1.5 + cos(2*t))": lambda t: t / (1.5 + np.cos(2 * t)),
    "ramp(0.3, 0.7)": ramped,
    "t*ramp(0.3, 0.7)": lambda t: t * ramped(t),
    "pulse(0.3, 0.7)": lambda t: 1.0 * ((t >= 0.3) & (t < 0.7)),
}


@pytest.mark.parametrize("push", PUSHES)
def test_a_held_block_shows_in_its_reaction_what_pushes_it(engine: str, push: str) -> None:
    times = np.linspace(0.0, 1.5, 61)
    run = zwang.simulate(
        systems.block(),
        parameters={"m": 2.0, "g": G, "alpha": 0.0},
        initial={"x": 0.0, "y": 0.0},
        inputs={"push_x": push},
        times=times,
        engine=engine,
    )
    apart = (abs(times - 0.3) > 1e-9) & (abs(times - 0.7) > 1e-9)  # where pulses jump
    np.testing.assert_allclose(-run.reaction_down[apart], PUSHES[push](times)[apart], atol=1e-11)
