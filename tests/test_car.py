"""The car's motion and reactions against closed forms, invariants and quadrature, to 1e-9."""

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import quad

import zwang

P = {"M1": 1000.0, "M2": 110.0, "J1": 1500.0, "J2": 30.0, "l1": 0.75, "l2": 1.65, "g": 9.81}
M, L = P["M1"] + P["M2"], P["l1"] + P["l2"]
I_B = P["J1"] + P["M1"] * P["l2"] ** 2 + P["M2"] * L**2  # about the rear axle, axle as a point
S = P["M1"] * P["l2"] + P["M2"] * L
N = {"rear": P["M1"] * P["g"] * P["l1"] / L, "front": S * P["g"] / L}
CAR = zwang.systems.car()
ENGINES = ("compiled", "scipy")


def drive(
    engine: str = "compiled", end: float = 3.0, points: int = 31, **given: object
) -> xr.Dataset:
    start = {"phi": 0.3, "theta": 0.0, "x": 1.0, "y": -2.0, "u": 10.0, "theta_dot": 0.0}
    return zwang.simulate(
        CAR,
        parameters=P,
        initial=start | given.get("start", {}),
        inputs=given.get("inputs"),
        mu=given.get("mu", ()),
        times=np.linspace(0.0, end, points),
        engine=engine,
        tolerance=1e-14 if engine == "compiled" else 1e-13,
    )


def close(got: object, expected: object, scale: float = 1.0) -> None:
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9 * scale)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("u", "theta"), [(12.0, 0.2), (12.0, -0.2), (-9.0, 0.3)])
def test_steady_circle(engine: str, u: float, theta: float) -> None:
    """Both axles roll on circles about one centre; the load times u φ̇/g is carried sideways."""
    # In reverse the free steering is unstable: rounding grows like exp(|u| t/L).
    run = drive(engine, start={"u": u, "theta": theta}, end=3.0 if u > 0.0 else 1.5)
    turn = u * np.tan(theta) / L
    t = run.t.values
    close(run.phi, 0.3 + turn * t)
    close(run.theta, np.full_like(t, theta))
    centre = np.array([1.0, -2.0]) - P["l2"] * np.array([np.cos(0.3), np.sin(0.3)])
    centre += u / turn * np.array([-np.sin(0.3), np.cos(0.3)])
    rear_x = run.x - P["l2"] * np.cos(run.phi)
    close(rear_x, centre[0] + u / turn * np.sin(run.phi), 10.0)
    close(run.reaction_rear, np.full_like(t, N["rear"] * u * turn / P["g"]))
    close(run.reaction_front, np.full_like(t, N["front"] * u * turn / P["g"] / np.cos(theta)))
    if u > 0.0 and theta > 0.0:
        assert (run.reaction_rear > 0.0).all()
        assert (run.reaction_front > 0.0).all()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("start", [2.0, 60.0])
def test_straight_line_with_quadratic_resistance(engine: str, start: float) -> None:
    """M u̇ = F₁ − c₂u²: u = v∞ tanh(artanh(u₀/v∞) + √(F₁c₂) t/M), coth above v∞."""
    F1, c2 = 2000.0, 1.25
    run = drive(engine, inputs={"F1": F1, "F2": f"{c2}*v**2"}, start={"u": start}, end=20.0)
    limit, rate = np.sqrt(F1 / c2), np.sqrt(F1 * c2) / M
    if start < limit:
        u = limit * np.tanh(np.arctanh(start / limit) + rate * run.t)
    else:
        u = limit / np.tanh(np.arctanh(limit / start) + rate * run.t)
    close(run.u, u)
    close(run.reaction_rear, np.zeros(31), 1e3)
    close(run.reaction_front, np.zeros(31), 1e3)
    close(run.y, -2.0 + (run.x - 1.0) * np.tan(0.3), 100.0)


@pytest.mark.parametrize("engine", ENGINES)
def test_braking_through_standstill_into_reverse(engine: str) -> None:
    """A constant force on a straight line: u = u₀ − F t/M, also after the car has stopped."""
    force = -6000.0
    run = drive(engine, inputs={"F1": force}, end=4.0)
    u = 10.0 + force / M * run.t
    assert float(u.min()) < -10.0
    close(run.u, u)
    close(run.x, 1.0 + np.cos(0.3) * (10.0 * run.t + force / M * run.t**2 / 2), 10.0)


def test_braking_through_standstill_with_resistance() -> None:
    """F₂ = c v opposes both ways: one exponential through u = 0, where v has a corner."""
    force, c = -6000.0, 300.0
    run = drive(inputs={"F1": force, "F2": f"{c}*v"}, end=4.0)
    assert float(run.u[-1]) < -5.0
    close(run.u, force / c + (10.0 - force / c) * np.exp(-c * run.t / M))


def test_standstill_in_a_turn() -> None:
    """(M + I_B κ²) u̇ = F₁ with the steering held by its own torque: u, Λ through u = 0."""
    theta, force = 0.4, -5000.0
    kappa = np.tan(theta) / L
    # θ̈ = 0 needs τ = J₂ φ̈ = J₂ κ u̇, which itself slows the car.
    u_dot = force / (M + I_B * kappa**2 + P["J2"] * kappa**2)
    tau = P["J2"] * kappa * u_dot
    run = drive(inputs={"F1": force, "L1": float(tau)}, start={"theta": theta}, end=4.0)
    u = 10.0 + u_dot * run.t
    assert float(u[-1]) < -5.0
    close(run.u, u)
    close(run.theta, np.full(31, theta))
    phi_dot, phi_ddot = kappa * u, kappa * u_dot
    front = (I_B * phi_ddot + S * u * phi_dot + tau) / (L * np.cos(theta))
    close(run.reaction_front, front, 1e3)
    close(run.reaction_rear, M * u * phi_dot + S * phi_ddot - front * np.cos(theta), 1e3)


@pytest.mark.parametrize("engine", ENGINES)
def test_steering_torque_turns_the_axle_in_space(engine: str) -> None:
    """J₂(φ̈ + θ̈) = L₁, whatever the car does; θ passes through 0 again and again."""
    A, omega = 400.0, 4.0
    inputs = {"F1": 1000.0, "L1": f"{A}*cos({omega}*t)"}
    run = drive(engine, inputs=inputs, end=6.0, points=121)
    t = run.t
    assert np.count_nonzero(np.diff(np.sign(run.theta[1:]))) >= 4
    close(
        run.phi_dot + run.theta_dot,
        float(run.phi_dot[0] + run.theta_dot[0]) + A / P["J2"] * np.sin(omega * t) / omega,
    )
    close(run.phi + run.theta, 0.3 + A / P["J2"] * (1 - np.cos(omega * t)) / omega**2)


def free_steering(start: dict[str, float]) -> tuple[float, float, object, object]:
    """Energy, spin Ω = φ̇ + θ̇, and w(θ), ẇ(θ) of the car without forces, by the two integrals.

    T = ½(M cos²θ + K sin²θ) w² + ½ J₂Ω², K = I_B/L²; θ̇ = Ω − w sin θ/L.
    """
    K, theta, u = I_B / L**2, start["theta"], start["u"]
    w0 = u / np.cos(theta)
    spin = w0 * np.sin(theta) / L + start["theta_dot"]
    moving = (M * np.cos(theta) ** 2 + K * np.sin(theta) ** 2) * w0**2

    def w(th: np.ndarray) -> np.ndarray:
        return np.sign(w0) * np.sqrt(moving / (M * np.cos(th) ** 2 + K * np.sin(th) ** 2))

    def w_dot(th: np.ndarray) -> np.ndarray:
        slope = (K - M) * np.sin(th) * np.cos(th) / (M * np.cos(th) ** 2 + K * np.sin(th) ** 2)
        return -w(th) * slope * (spin - w(th) * np.sin(th) / L)

    return (moving + P["J2"] * spin**2) / 2, spin, w, w_dot


@pytest.mark.parametrize("engine", ENGINES)
def test_free_steering_in_reverse_passes_ninety_degrees(engine: str) -> None:
    """θ(t) by quadrature, w and the reactions from the two integrals, θ from 0.1 past 90°."""
    start = {"theta": 0.1, "theta_dot": 0.4, "u": -6.0}
    energy, spin, w, w_dot = free_steering(start)
    run = drive(engine, start=start, end=1.5, points=16)
    theta = run.theta.values
    assert theta[0] < 0.5 * np.pi < theta[-1]
    close(run.energy, np.full(16, energy))
    close(run.phi_dot + run.theta_dot, np.full(16, spin))
    close(run.w, w(theta))

    def time_to(angle: float) -> float:
        return quad(lambda th: 1.0 / (spin - w(th) * np.sin(th) / L), 0.1, angle, epsabs=1e-13)[0]

    for t, angle in zip(run.t.values[1:], theta[1:], strict=True):
        assert abs(time_to(angle) - t) < 1e-9

    sin, cos = np.sin(theta), np.cos(theta)
    u, phi_dot = w(theta) * cos, w(theta) * sin / L
    theta_dot = spin - phi_dot
    u_dot = w_dot(theta) * cos - w(theta) * sin * theta_dot
    phi_ddot = (w_dot(theta) * sin + w(theta) * cos * theta_dot) / L
    front = cos * (I_B * phi_ddot + S * u * phi_dot) / L - sin * (M * u_dot - S * phi_dot**2)
    rear = M * u * phi_dot + S * phi_ddot - front * cos
    close(run.reaction_front, front, 1e3)
    close(run.reaction_rear, rear, 1e3)


def test_the_run_checks_itself() -> None:
    """Lagrange's equations and the power balance hold along a run with every force acting."""
    inputs = {"F1": 3000.0, "F2": "20*v + 0.5*v**2", "L1": "300*sin(3*t)", "L2": "15*theta_dot"}
    run = drive(inputs=inputs, end=5.0, points=501)
    assert float(np.abs(run.residual).max()) < 1e-11
    power = 3000.0 * run.u
    assert float(np.abs(run.power_balance).max()) < 1e-10 * float(np.abs(power).max())
    assert float(np.abs(run.v_rear).max()) < 1e-12
    assert float(np.abs(run.v_front).max()) < 1e-12


def test_critical_friction_of_a_swing_is_the_largest_utilisation() -> None:
    """Located maxima lie above every sample and onsets where the sampled curve crosses μ."""
    inputs = {"F1": 500.0, "L1": "300*sin(3*t) - 2000*theta", "L2": "150*theta_dot"}
    run = drive(inputs=inputs, end=5.0, points=5001, mu=[0.1, 0.2])
    for contact in ("rear", "front"):
        used = run.utilisation.sel(contact=contact)
        top = float(run.critical_mu.sel(contact=contact))
        assert 0.0 <= top - float(used.max()) < 1e-4
        for mu in (0.1, 0.2):
            first = int(np.argmax(used.values >= mu))
            assert first > 0
            onset = float(run.onset.sel(contact=contact, mu=mu))
            assert float(run.t[first - 1]) < onset <= float(run.t[first])
