"""How errors and steps follow the tolerance: order 16 shows, and an error stays below it."""

from functools import cache

import numpy as np
import pytest
import xarray as xr

import zwang

CAR = zwang.systems.car()
P = {"M1": 1000.0, "M2": 110.0, "J1": 1500.0, "J2": 30.0, "l1": 0.75, "l2": 1.65, "g": 9.81}
STEERED = {"F1": 1000.0, "F2": "50*v", "L1": "60*sin(3*t)", "L2": "120*theta_dot + 600*theta"}
START = {"phi": 0.0, "theta": 0.0, "x": 0.0, "y": 0.0, "theta_dot": 0.0}
SPEED, END = 15.0, 5.0
MU = (0.1, 0.2, 0.3, 0.6)
STATES = ("phi", "theta", "x", "y", "w", "theta_dot")
REACTIONS = ("reaction_rear", "reaction_front")
ORDER = 16
TOLERANCES = tuple(10.0**-k for k in range(6, 14))
# Measured on this run: states 0.20 of the tolerance at 1e-6 and 0.05 to 0.11 below, reactions 0.14
# and 0.02 to 0.06; defects up to 1.0 over the speeds from 5 to 25 m/s.
CONSTANT = 1.0
DEFECT = 3.0


@cache
def steered(tolerance: float, engine: str = "compiled") -> xr.Dataset:
    return zwang.simulate(
        CAR,
        parameters=P,
        initial=START | {"u": SPEED},
        inputs=STEERED,
        times=np.linspace(0.0, END, 251),
        mu=MU,
        tolerance=tolerance,
        engine=engine,
    )


@cache
def swept(tolerance: float) -> xr.Dataset:
    """Many speeds, so that the last step, cut by the end, does not count."""
    return zwang.sweep(
        CAR,
        parameters=P,
        initial=START,
        inputs=STEERED,
        points={"u_0": np.linspace(5.0, 25.0, 100)},
        end=END,
        tolerance=tolerance,
    )


def error(run: xr.Dataset, exact: xr.Dataset, names: tuple[str, ...]) -> float:
    """Largest error along the run, each quantity over its own size, of 1 at least."""
    return max(
        float(np.abs(run[n] - exact[n]).max()) / max(1.0, float(np.abs(exact[n]).max()))
        for n in names
    )


def test_the_finest_run_is_right_by_an_independent_engine() -> None:
    fine, scipy = steered(1e-15), steered(1e-14, "scipy")
    assert float(np.abs(fine.theta).max()) > 0.05
    assert error(scipy, fine, STATES) < 1e-12
    assert error(scipy, fine, REACTIONS) < 1e-12


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_error_is_below_the_tolerance(tolerance: float) -> None:
    run, fine = steered(tolerance), steered(1e-15)
    assert error(run, fine, STATES) <= CONSTANT * tolerance
    assert error(run, fine, REACTIONS) <= CONSTANT * tolerance


@pytest.mark.parametrize("names", [STATES, REACTIONS], ids=["states", "reactions"])
def test_error_shrinks_as_the_tolerance_does(names: tuple[str, ...]) -> None:
    """Over six decades: the error is proportional to the tolerance, neither faster nor slower."""
    above_rounding = TOLERANCES[:-1]
    errors = [error(steered(tol), steered(1e-15), names) for tol in above_rounding]
    slope = np.polyfit(np.log(above_rounding), np.log(errors), 1)[0]
    assert slope == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_thresholds_are_as_accurate_as_the_run(tolerance: float) -> None:
    run, fine = steered(tolerance), steered(1e-15)
    assert np.isfinite(fine.onset).any()
    assert np.array_equal(np.isnan(run.onset), np.isnan(fine.onset))
    assert float(np.abs(run.onset - fine.onset).max()) <= CONSTANT * tolerance
    assert float(np.abs(run.critical_mu - fine.critical_mu).max()) <= CONSTANT * tolerance


def test_number_of_steps_shows_the_order() -> None:
    """h ~ tol^(1/16), so the steps grow like tol^(−1/16)."""
    steps = [float(swept(tol).steps.mean()) for tol in TOLERANCES]
    slope = np.polyfit(-np.log(TOLERANCES), np.log(steps), 1)[0]
    assert slope == pytest.approx(1 / ORDER, rel=0.05)


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_slopes_meet_between_steps_to_the_tolerance(tolerance: float) -> None:
    runs = swept(tolerance)
    assert (runs.steps > 5).all()
    assert (runs.defect > 0.0).all()
    assert float(runs.defect.max()) <= DEFECT * tolerance


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_error_against_a_closed_form_is_below_the_tolerance(tolerance: float) -> None:
    """Chaplygin's sleigh turns round once: v = V tanh s, ω = W sech s, Λ = m J v ω/(J + ma²)."""
    m, J, a, V, s0 = 2.0, 0.6, 0.5, 1.7, -4.0
    about = J + m * a**2
    W, k = V * np.sqrt(m / about), m * a * V / about
    run = zwang.simulate(
        zwang.systems.chaplygin_sleigh(),
        parameters={"m": m, "J": J, "a": a},
        initial={"x": 0, "y": 0, "phi": 0, "v": V * np.tanh(s0), "phi_dot": W / np.cosh(s0)},
        times=np.linspace(0.0, 8.0 / k, 101),
        tolerance=tolerance,
    )
    s = k * run.t + s0
    v, turn = V * np.tanh(s), W / np.cosh(s)
    exact = {"v": v, "phi_dot": turn, "reaction_blade": m * J / about * v * turn}
    # The turn starts at 1/27 of its height: an error made there has grown 27 times at the top.
    growth = np.cosh(s0)
    assert error(run, xr.Dataset(exact), tuple(exact)) <= CONSTANT * growth * tolerance
