"""Any constraint row of one kernel is held or moves, as its contact does."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import zwang
from zwang import engine, laws
from zwang.codegen import generate
from zwang.engine.ensemble import Ensemble, Outcome, residual
from zwang.engine.model import Model, Motion, from_text
from zwang.kernel.build import cached_library

P = {"M1": 1000.0, "M2": 110.0, "J1": 1500.0, "J2": 30.0, "l1": 0.75, "l2": 1.65, "g": 9.81}
L = P["l1"] + P["l2"]
LOAD = {"rear": P["M1"] * 9.81 * P["l1"] / L, "front": (P["M1"] * P["l2"] / L + P["M2"]) * 9.81}
START = {"phi": 0.3, "theta": 0.2, "x": 1.0, "y": -2.0}
SIDEWAYS = {"phi_dot": 0.7, "theta_dot": -0.2, "x_dot": 6.0, "y_dot": 3.0}
GRIPS = 1e3


@cache
def kernel(**inputs: str) -> tuple[Model, Path]:
    made = generate(zwang.systems.car(), inputs, {}, laws.by_contact("coulomb", LOAD, []))
    return from_text(made.model, made.reference), cached_library(made.kernel)


def motion(
    rates: dict[str, float], mu: dict[str, float], *, end: float = 2.0, **inputs: str
) -> tuple[Model, Ensemble, Outcome, Motion]:
    """Return a run of the car with one kernel for all modes, with its accelerations."""
    model, library = kernel(**inputs)
    values = {**P, "h": 0.0, **{f"mu_{n}": mu[n] for n in LOAD}}
    ensemble, outcome = engine.run(
        model,
        library,
        parameters={k: np.asarray(v) for k, v in values.items()},
        initial={k: np.asarray(v) for k, v in {**START, **rates}.items()},
        end=end,
        mu=np.zeros(0),
        times=np.linspace(0.0, end, 21),
        tolerance=1e-14,
        event_room=10,
    )
    assert outcome.status[0] == 0
    return model, ensemble, outcome, outcome.path


def test_all_rows_held_is_the_ideal_motion() -> None:
    inputs = {"F1": "2000", "L1": "300*sin(3*t)"}
    ideal = zwang.simulate(
        zwang.systems.car(),
        parameters=P,
        inputs=inputs,
        initial={**START, "u": 8.0, "theta_dot": 0.1},
        times=np.linspace(0.0, 2.0, 21),
        tolerance=1e-14,
    )
    held = {"rear": GRIPS, "front": GRIPS}
    model, _, outcome, path = motion({"u": 8.0, "theta_dot": 0.1}, held, **inputs)
    assert outcome.slip.count[0] == 0
    for i, name in enumerate(model.names("coordinates")):
        np.testing.assert_allclose(path.q[i, 0], ideal[name], rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(path.reactions[1, 0], ideal.reaction_front, rtol=1e-10, atol=1e-8)


def test_all_rows_moving_without_friction_is_free_flight() -> None:
    """The body with the axle's mass turns evenly, the common centre of mass goes straight on."""
    model, _, outcome, path = motion(SIDEWAYS, {"rear": 0.0, "front": 0.0})
    np.testing.assert_allclose(path.reactions[:, 0], 0.0, atol=1e-11)
    assert (outcome.slip.mode[0] != 0).all()
    q = dict(zip(model.names("coordinates"), path.q[:, 0], strict=True))
    t = path.t[0]
    np.testing.assert_allclose(q["phi"], 0.3 + 0.7 * t, rtol=1e-12)
    np.testing.assert_allclose(q["theta"], 0.2 - 0.2 * t, rtol=1e-11, atol=1e-12)
    share = P["M2"] * P["l1"] / (P["M1"] + P["M2"])
    x = q["x"] + share * np.cos(q["phi"])
    y = q["y"] + share * np.sin(q["phi"])
    x_dot = 6.0 - share * 0.7 * np.sin(0.3)
    y_dot = 3.0 + share * 0.7 * np.cos(0.3)
    np.testing.assert_allclose(x, x[0] + x_dot * t, rtol=1e-12)
    np.testing.assert_allclose(y, y[0] + y_dot * t, rtol=1e-11, atol=1e-11)


def test_without_friction_a_slip_passes_through_zero() -> None:
    """The slip of a free rear axle changes its sign as the car turns: nothing marks the place."""
    _, _, outcome, path = motion(SIDEWAYS, {"rear": 0.0, "front": 0.0}, end=8.0)
    phi, phi_dot, x_dot, y_dot = path.q[0, 0], path.v[0, 0], path.v[2, 0], path.v[3, 0]
    slip = -x_dot * np.sin(phi) + y_dot * np.cos(phi) - P["l2"] * phi_dot
    assert slip.min() < -1.0 < 1.0 < slip.max()
    assert np.array_equal(outcome.slip.mode[0, :, 0], np.sign(slip))
    np.testing.assert_allclose(phi, 0.3 + 0.7 * path.t[0], rtol=1e-11)


@pytest.mark.parametrize("moving", [("rear",), ("front",), ("rear", "front")])
def test_sliding_forces_act_and_held_ones_are_found(moving: tuple[str, ...]) -> None:
    """Newton: the momentum of the whole changes by the lateral forces of both axles."""
    force = {"rear": 400.0, "front": 700.0}
    mu = {n: force[n] / LOAD[n] if n in moving else GRIPS for n in LOAD}
    model, ensemble, outcome, path = motion(consistent(moving), mu, end=0.5)
    for row, name in enumerate(("rear", "front")):
        reaction, mode = path.reactions[row, 0], outcome.slip.mode[0, :, row]
        if name in moving:
            assert (mode != 0).all()
            np.testing.assert_allclose(reaction, -mode * force[name], rtol=1e-11)
        else:
            assert (mode == 0).all()
            assert np.ptp(reaction) > 1.0
    phi, theta = path.q[0, 0], path.q[1, 0]
    rear, front = path.reactions[:, 0]
    share = P["M2"] * P["l1"]
    phi_dot, phi_ddot = path.v[0, 0], path.a[0, 0]
    mass = P["M1"] + P["M2"]
    x_ddot, y_ddot = path.a[2, 0], path.a[3, 0]
    px = mass * x_ddot - share * (phi_ddot * np.sin(phi) + phi_dot**2 * np.cos(phi))
    py = mass * y_ddot + share * (phi_ddot * np.cos(phi) - phi_dot**2 * np.sin(phi))
    np.testing.assert_allclose(px, -rear * np.sin(phi) - front * np.sin(phi + theta), atol=1e-6)
    np.testing.assert_allclose(py, rear * np.cos(phi) + front * np.cos(phi + theta), atol=1e-6)
    assert float(residual(model, path, ensemble.parameters, 2.0).max()) < 1e-11


def consistent(moving: tuple[str, ...]) -> dict[str, float]:
    """Rates that respect the rows that stay held."""
    x_dot, y_dot, phi, theta = 6.0, 3.0, START["phi"], START["theta"]
    phi_dot = 0.7
    if "rear" not in moving:  # v_rear = −ẋ sin φ + ẏ cos φ − l₂ φ̇ = 0
        y_dot = (P["l2"] * phi_dot + x_dot * np.sin(phi)) / np.cos(phi)
    if "front" not in moving:  # v_front = −ẋ sin(φ+θ) + ẏ cos(φ+θ) + l₁ φ̇ cos θ = 0
        phi_dot = (x_dot * np.sin(phi + theta) - y_dot * np.cos(phi + theta)) / (
            P["l1"] * np.cos(theta)
        )
    return {"phi_dot": phi_dot, "theta_dot": -0.2, "x_dot": x_dot, "y_dot": y_dot}
