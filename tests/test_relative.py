"""Velocities carried as Ω₀ eˡ: exact relative to their size, however small they become."""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

import zwang
from zwang.formulations.equations import DoesNotApply
from zwang.system import System

P = {"m": 1.0, "M": 0.3, "a": 0.5, "b": 0.2, "C": 0.02, "g": 9.81}
START = {"xi": 0.0, "eta": 0.0, "theta": 0.0, "phi": 0.0, "z": 0.0}
DISK = zwang.systems.appell_hamel("down")


def relative(system: System, *names: str) -> System:
    """The same system with these quasi-velocities carried relative to their start."""
    rows = system.rows[: len(system.quasi_velocities)]
    scaled = tuple(replace(r, scale="relative") if r.name in names else r for r in rows)
    return replace(system, quasi_velocities=scaled)


CARRIED = relative(DISK, "theta_dot")


def rolled(system: System, end: float, **given: float) -> xr.Dataset:
    start = START | {n: given.pop(n) for n in ("phi_dot", "theta_dot")}
    return zwang.simulate(
        system,
        parameters=P | given,
        initial=start,
        times=np.linspace(0.0, end, 201),
        tolerance=1e-14,
    )


def test_both_scales_give_the_same_motion_while_the_velocity_is_not_small() -> None:
    given = {"rho": 0.05, "J": 0.01, "phi_dot": -2.0, "theta_dot": 1.5}
    plain, carried = (rolled(s, 1.0, **given) for s in (DISK, CARRIED))
    for name in ("theta", "phi", "theta_dot", "phi_dot", "reaction_lateral", "reaction_rope"):
        np.testing.assert_allclose(carried[name], plain[name], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(carried.log_theta_dot, np.log(plain.theta_dot), atol=1e-12)
    assert float(carried.residual.max()) < 1e-12


@pytest.mark.parametrize("spin", [1.5, -1.5, 1e-200])
def test_the_first_integral_holds_far_below_the_smallest_number(spin: float) -> None:
    """Ω exp(kφ/B) = const, k = maρ, B = mρ² + J: after 3 s ln|Ω| is below −10⁴."""
    rho, J = 1e-3, 0.0
    run = rolled(CARRIED, 3.0, rho=rho, J=J, phi_dot=0.5, theta_dot=spin)
    rate = P["m"] * P["a"] * rho / (P["m"] * rho**2 + J)
    expected = np.log(abs(spin)) - rate * run.phi
    assert run.status == 0
    assert float(run.log_theta_dot[-1]) < -1e4
    np.testing.assert_allclose(run.log_theta_dot, expected, rtol=1e-11)
    assert abs(float(run.theta_dot[-1])) < 1e-150


def test_a_velocity_that_starts_at_zero_stays_there() -> None:
    run = rolled(CARRIED, 1.0, rho=0.1, J=0.01, phi_dot=1.0, theta_dot=0.0)
    assert np.array_equal(run.theta_dot, np.zeros(201))
    assert run.status == 0


def test_a_velocity_that_may_change_its_sign_is_refused() -> None:
    with pytest.raises(DoesNotApply, match="phi_dot cannot have a relative scale"):
        rolled(relative(DISK, "phi_dot"), 1.0, rho=0.1, J=0.01, phi_dot=1.0, theta_dot=1.0)


def test_contacts_that_may_slide_need_absolute_velocities() -> None:
    with pytest.raises(DoesNotApply, match="relative scale need contacts that hold"):
        zwang.simulate(
            CARRIED,
            parameters=P | {"rho": 0.1, "J": 0.01, "mu": 0.5},
            initial=START | {"phi_dot": 1.0, "theta_dot": 1.0},
            times=np.linspace(0.0, 1.0, 3),
            contacts="coulomb",
        )


def test_a_velocity_far_below_the_others_keeps_its_sign_and_its_digits() -> None:
    """The rate itself is written from its logarithm, not from the rates, which only add up."""
    limit = zwang.systems.load("appell_hamel_limit")
    values = {"m": 1.0, "M": 0.0, "a": 0.3, "b": 0.1, "C": 0.0, "J": 0.002, "g": 9.81, "rho": 0.05}
    start = {"xi": 0, "eta": 0, "theta": 0, "phi": 0, "z": 0, "phi_dot": 0, "theta_dot": -8.0}
    run = zwang.simulate(limit, parameters=values, initial=start, times=np.linspace(0, 2, 41))
    B, k = values["m"] * values["rho"] ** 2 + values["J"], values["m"] * 0.3 * values["rho"]
    np.testing.assert_allclose(run.theta_dot, -8.0 * np.exp(-k / B * run.phi), rtol=1e-9)
    assert abs(run.theta_dot[-1]) < 1e-20
