"""Appell and Hamel: bounces in the limit, rope and gear, the heading without mass, the control."""

from functools import cache

import mpmath
import numpy as np
import pytest
import xarray as xr

import zwang
from zwang.constraints import ConstraintError

A_, B_, G = 0.5, 0.2, 9.81  # radii of disk and drum, gravity
LIMIT = zwang.systems.load("appell_hamel_limit")
MASSLESS = {"m": 1.0, "M": 0.0, "a": A_, "b": B_, "C": 0.0, "J": 0.0, "g": G}
REST = {"xi": 0.0, "eta": 0.0, "theta": 0.0, "phi": 0.0, "z": 0.0}
ENGINES = ("compiled", "scipy")


def rolled(rho: float, p0: float, spin: float, times: np.ndarray, **more: float) -> xr.Dataset:
    return zwang.simulate(
        LIMIT,
        parameters=MASSLESS | {"rho": rho} | more,
        initial=REST | {"phi_dot": p0, "theta_dot": spin},
        times=times,
    )


class Exact:
    """The massless disk as ½Ap² + U(φ) = const: times and turns of the bounces by quadrature."""

    def __init__(self, rho: float, p0: float, spin: float) -> None:
        a, b, g, r = (mpmath.mpf(x) for x in (A_, B_, G, rho))
        self.A, self.B, self.k = a**2 + b**2, r**2, a * r
        self.weight, self.spin = g * b, mpmath.mpf(spin)
        self.E = self.A * p0**2 / 2 + self.B * self.spin**2 / 2

    def turn(self, phi: mpmath.mpf) -> mpmath.mpf:
        return self.spin * mpmath.exp(-self.k / self.B * phi)

    def left(self, phi: mpmath.mpf) -> mpmath.mpf:
        """Return ½Ap²."""
        return self.E + self.weight * phi - self.B * self.turn(phi) ** 2 / 2

    def wall(self) -> mpmath.mpf:
        """Return where the exponential wall turns the motion back."""
        phi = mpmath.mpf(0)
        for _ in range(60):  # a contraction: the wall is thin
            spin = mpmath.sqrt(2 * (self.E + self.weight * phi) / self.B)
            phi = -self.B / self.k * mpmath.log(spin / abs(self.spin))
        return phi

    def lowest(self) -> mpmath.mpf:
        """Return where the weight's own pull turns it back, far from the wall (ρ < 0)."""
        return -self.E / self.weight

    def between(self, start: mpmath.mpf, stop: mpmath.mpf) -> tuple[float, float]:
        """Return time and turn of the heading on the way from one angle to the other."""
        layer = 25 * abs(self.B / self.k)
        wall = self.wall()
        inside = [wall - s * layer for s in (-1, -0.2, 0.2, 1)]
        low, high = sorted((start, stop))
        points = [low, *sorted(p for p in inside if low < p < high), high]

        def slow(phi: mpmath.mpf) -> mpmath.mpf:
            return mpmath.sqrt(self.A / (2 * abs(self.left(phi))))

        time = mpmath.quad(slow, points)
        return float(time), float(mpmath.quad(lambda f: self.turn(f) * slow(f), points))


@mpmath.workdps(30)
def bouncing(rho: float, p0: float, spin: float) -> tuple[float, float, float, float]:
    """Return time of the first bounce, period, turn on the way out and turn of a bounce (ρ < 0)."""
    exact = Exact(rho, p0, spin)
    low, wall = exact.lowest(), exact.wall()
    time, turn = exact.between(low, mpmath.mpf(0))
    rise, turned = exact.between(low, wall)
    return time + rise, 2 * rise, turn, 2 * turned


@pytest.mark.parametrize("spin", [1.0, -1.0, 1e-3])
def test_bounces_come_in_time_and_turn_the_right_way(spin: float) -> None:
    """ρ = −1e-3: between bounces |θ̇| sinks below 1e-300 and still decides the next one."""
    rho, p0 = -1e-3, -5.0
    first, period, out, turn = bouncing(rho, p0, spin)
    count = np.arange(4)
    times = np.sort(np.concatenate([[0.0], first + period * count, first + period * (count + 0.5)]))
    run = rolled(rho, p0, spin, times)
    bounce, lowest = run.isel(t=slice(1, None, 2)), run.isel(t=slice(2, None, 2))
    assert run.status == 0
    assert float(lowest.log_theta_dot.max()) < -900.0
    # at the wall p̈ is of the size 1e4: 1e-5 in p is 1e-9 in time
    np.testing.assert_allclose(bounce.phi_dot, 0.0, atol=1e-5)
    np.testing.assert_allclose(lowest.theta, out + turn * (count + 1), rtol=1e-8)
    assert np.sign(turn) == np.sign(spin)
    limit = np.pi * np.sqrt(1 + B_**2 / A_**2)
    assert abs(abs(turn) - limit) < 10 * abs(rho)


@pytest.mark.parametrize("spin", [1.0, -2.0])
def test_one_bounce_on_the_stable_side(spin: float) -> None:
    """ρ > 0, p₀ < 0: p reverses at once, the heading jumps, then it rolls straight for ever."""
    rho, p0 = 1e-3, -3.0
    with mpmath.workdps(30):
        exact = Exact(rho, p0, spin)
        wall = exact.wall()
        time, there = exact.between(wall, mpmath.mpf(0))
        _, back = exact.between(wall, mpmath.mpf(1))
    run = rolled(rho, p0, spin, np.array([0.0, time, 2 * time, 6.0]))
    assert time < 1e-2
    assert abs(float(run.phi_dot[1])) < 1e-5
    np.testing.assert_allclose(run.phi_dot[2], -p0, rtol=1e-9)
    np.testing.assert_allclose(run.theta[-1], there + back, rtol=1e-8)
    assert float(run.log_theta_dot[-1]) < -1e4


@pytest.mark.parametrize(("rho", "J"), [(1e-3, 0.0), (-1e-3, 0.0), (-5e-3, 1e-5)])
def test_both_integrals_hold_through_bounces(rho: float, J: float) -> None:
    run = rolled(rho, -3.0, 1.0, np.linspace(0.0, 4.0, 401), J=J)
    A, B, k = A_**2 + B_**2, rho**2 + J, A_ * rho
    np.testing.assert_allclose(run.log_theta_dot, -k / B * run.phi, rtol=1e-10, atol=1e-9)
    energy = A * run.phi_dot**2 + B * run.theta_dot**2 - 2 * G * B_ * run.phi
    np.testing.assert_allclose(energy, A * 9.0 + B, rtol=1e-11)


def test_a_massless_disk_uses_b_to_a_of_its_load_in_every_motion() -> None:
    """M = J = C = 0: |X|/N ≡ b/a, bounces included; Y = 0."""
    run = rolled(-1e-3, -3.0, 1.0, np.linspace(0.0, 4.0, 401))
    np.testing.assert_allclose(run.utilisation, B_ / A_, rtol=1e-8)
    scale = float(abs(run.reaction_longitudinal).max())
    np.testing.assert_allclose(run.reaction_lateral / scale, 0.0, atol=1e-10)


@pytest.mark.parametrize("rho", [1e-3, -1e-3])
def test_without_a_turn_it_rolls_straight(rho: float) -> None:
    times = np.linspace(0.0, 4.0, 41)
    run = rolled(rho, -3.0, 0.0, times)
    rate = G * B_ / (A_**2 + B_**2)
    assert run.status == 0
    assert np.array_equal(run.theta, np.zeros(41))
    np.testing.assert_allclose(run.xi, A_ * (-3.0 * times + rate * times**2 / 2), atol=1e-11)


# Rope and gear -----------------------------------------------------------------------------------

HEAVY = {"m": 1.0, "M": 0.3, "a": A_, "b": B_, "C": 0.02, "J": 0.01, "g": G, "rho": 0.3}
BACK = REST | {"phi_dot": -6.0, "theta_dot": 8.0}  # against the wall: the disk runs from its rope


@cache
def thrown(rope: str, engine: str) -> xr.Dataset:
    return zwang.simulate(
        zwang.systems.load("appell_hamel_down"),
        parameters=HEAVY,
        initial=BACK,
        times=np.linspace(0.0, 1.0, 1001),
        contacts={"rope": rope},
        engine=engine,
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_gear_pushes_where_a_rope_goes_slack(engine: str) -> None:
    gear, rope = thrown("ideal", engine), thrown("one_sided", engine)
    assert gear.status == 0
    pull = gear.reaction_rope
    assert float(pull.min()) < 0.0 < float(pull.max())
    slack = float(rope.event_time[0])
    before = gear.t[np.flatnonzero(pull < 0.0)[0]]
    assert float(before) - 0.001 <= slack <= float(before)
    loose = rope.isel(t=np.flatnonzero((rope.t > slack) & (rope.t < float(rope.time_reached))))
    np.testing.assert_allclose(loose.reaction_rope, 0.0, atol=1e-9)
    assert float((loose.z - B_ * loose.phi).max()) < 1e-9  # the weight is above the rope's end
    assert rope.status == 2  # taut again: an impact
    assert abs(float((loose.z - B_ * loose.phi)[-1])) < 0.01
    np.testing.assert_allclose(np.diff(loose.z_dot), G * 0.001, rtol=1e-6)  # free fall
    held = rope.isel(t=np.flatnonzero(rope.t < slack))
    np.testing.assert_allclose(held.phi, gear.phi.isel(t=slice(0, held.sizes["t"])), atol=1e-9)


def test_both_engines_agree_on_the_rope() -> None:
    a, b = (thrown("one_sided", e) for e in ENGINES)
    np.testing.assert_allclose(a.event_time, b.event_time, atol=1e-9)
    assert int(a.status) == int(b.status)
    np.testing.assert_allclose(a.phi, b.phi, atol=1e-8)
    np.testing.assert_allclose(a.z, b.z, atol=1e-8)


# The heading without mass ------------------------------------------------------------------------

BALL = {"m": 2.0, "a": A_, "b": B_, "g": G}
h = B_ / A_


def test_a_heading_that_nothing_determines_is_refused() -> None:
    with pytest.raises(ConstraintError, match="coordinate 'theta' has no inertia"):
        zwang.simulate(
            zwang.systems.load("appell_hamel_ball_heading"),
            parameters=BALL,
            initial={"x": 0, "y": 0, "z": 0, "theta": 0, "w": 1, "z_dot": h, "theta_dot": 0},
            times=[0.0, 1.0],
        )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("rise", "end"), [(-1, 1.0), (1, 0.2)])
def test_a_prescribed_heading_gives_the_lateral_force(engine: str, rise: int, end: float) -> None:
    """m(ẇ e + w θ̇ n) = 2Λ w e + Λ* n, hence Λ* = m w θ̇ to the left, ẇ as without it."""
    times = np.linspace(0.0, end, 21)
    run = zwang.simulate(
        zwang.systems.load("appell_hamel_ball_steered"),
        parameters=BALL,
        inputs={"heading_rate": "1 + 3*sin(5*t)"},
        initial={"x": 0.0, "y": 0.0, "z": 0.0, "theta": 0.3, "w": 1.5, "z_dot": rise * h * 1.5},
        times=times,
        engine=engine,
    )
    w = 1.5 - rise * G * h / (1 + h**2) * times
    rate = 1 + 3 * np.sin(5 * times)
    assert run.status == 0
    np.testing.assert_allclose(run.w, w, rtol=1e-11)
    np.testing.assert_allclose(run.z_dot, rise * h * w, rtol=1e-11)
    np.testing.assert_allclose(run.theta, 0.3 + times + 0.6 * (1 - np.cos(5 * times)), rtol=1e-11)
    np.testing.assert_allclose(run.reaction_heading, 2.0 * w * rate, rtol=1e-10)
    cone = -2.0 * G * h**2 / (2 * rise * h * w * (1 + h**2))
    np.testing.assert_allclose(run.reaction_cone, cone, rtol=1e-10)
    np.testing.assert_allclose(run.reaction_steering, 0.0, atol=1e-12)
    change = -rise * G * h / (1 + h**2) * np.cos(run.theta) - w * rate * np.sin(run.theta)
    force = 2 * cone * run.x_dot - run.reaction_heading * np.sin(run.theta)
    np.testing.assert_allclose(2.0 * change, force, rtol=1e-9, atol=1e-9)
    assert float(run.residual.max()) < 1e-12


def test_the_reaction_as_a_control_keeps_the_particle_on_the_cone() -> None:
    """R = Λ (2ẋ, 2ẏ, −2ż/h²) of the constrained run, as a feedback on a free particle."""
    start = {"x": 0.0, "y": 0.0, "z": 0.0, "x_dot": 1.2, "y_dot": -0.9, "z_dot": -1.5 * h}
    given = {"parameters": BALL, "initial": start, "times": np.linspace(0.0, 1.0, 21)}
    ball = zwang.simulate(zwang.systems.load("appell_hamel_ball"), **given)
    law = "-m*g*b**2/(a**2 + b**2)*{}/z_dot"
    inputs = {"R_x": law.format("x_dot"), "R_y": law.format("y_dot"), "R_z": "m*g/(1 + b**2/a**2)"}
    free = zwang.simulate(zwang.systems.load("appell_hamel_control"), inputs=inputs, **given)
    for name in ("x", "y", "z", "x_dot", "y_dot", "z_dot"):
        np.testing.assert_allclose(free[name], ball[name], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(free.cone, 0.0, atol=1e-10)
    force = 2.0 * ball.reaction_cone * ball.x_dot
    np.testing.assert_allclose(force, -2.0 * G * h**2 / (1 + h**2) * ball.x_dot / ball.z_dot)
    lift = -2.0 * ball.reaction_cone * ball.z_dot / h**2
    np.testing.assert_allclose(lift, 2.0 * G / (1 + h**2))
    lifted = zwang.simulate(
        zwang.systems.load("appell_hamel_control"), inputs={"R_z": inputs["R_z"]}, **given
    )
    assert float(abs(lifted.cone).max()) > 0.1  # the lift alone does not keep it
