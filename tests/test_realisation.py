"""Friction makes constraints: stiff viscous friction ideal ones, steep friction dry ones."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import solve_ivp

import zwang
from zwang import laws
from zwang.bodies import Force, Particle
from zwang.geometry import Point
from zwang.quantities import Coordinate, Parameter
from zwang.system import Contact, System

G = 9.81
CAR = zwang.systems.car()
P = {"M1": 1000.0, "M2": 110.0, "J1": 1500.0, "J2": 30.0, "l1": 0.75, "l2": 1.65, "g": G}
M1, M2, J1, J2, L1, L2 = (P[n] for n in ("M1", "M2", "J1", "J2", "l1", "l2"))
L, MASS = L1 + L2, M1 + M2
S, I_B = M1 * L2 + M2 * L, J1 + M1 * L2**2 + M2 * L**2
LOADS = np.array([M1 * G * L1 / L, S * G / L])  # rear, front
INPUTS = {"F1": "1000", "F2": "50*v", "L1": "80*sin(3*t)", "L2": "120*theta_dot+600*theta"}
COORDINATES = ("phi", "theta", "x", "y")


def drive(
    contacts: laws.Contacts,
    start: dict[str, float],
    mu: tuple[float, float] = (0.0, 0.0),
    end: float = 3.0,
    **more: object,
) -> xr.Dataset:
    return zwang.simulate(
        CAR,
        parameters=P | {"mu_rear": mu[0], "mu_front": mu[1]},
        initial={"phi": 0.0, "theta": 0.0, "x": 0.0, "y": 0.0, "theta_dot": 0.0} | start,
        times=np.linspace(0.0, end, 301),
        inputs=INPUTS,
        contacts=contacts,
        **more,
    )


def farthest(a: xr.Dataset, b: xr.Dataset, names: tuple[str, ...]) -> float:
    """Return the largest distance over time of any of the named quantities."""
    return max(float(np.abs(a[n] - b[n]).max()) for n in names)


def orders(eps: tuple[float, ...], errors: list[float]) -> np.ndarray:
    return np.diff(np.log(errors)) / np.diff(np.log(eps))


# Viscous friction -------------------------------------------------------------------------------

STIFF = (1.0, 0.3, 0.1)


@cache
def viscous(eps: float) -> xr.Dataset:
    return drive(laws.Viscous("1e5/eps"), {"w": 12.0, "v_rear": 0.0, "v_front": 0.0}, end=2.0,
                 constants={"eps": eps})  # fmt: skip


@pytest.mark.parametrize(
    "names",
    [COORDINATES, ("reaction_rear", "reaction_front"), ("u", "phi_dot"), ("v_rear", "v_front")],
)
def test_stiff_viscous_friction_tends_to_the_ideal_car(names: tuple[str, ...]) -> None:
    """Λ = −(k/ε) s: motion and reactions differ from the ideal ones by ε [Eldering]."""
    ideal = drive("ideal", {"w": 12.0}, end=2.0)
    errors = [farthest(viscous(eps), ideal, names) for eps in STIFF]
    assert errors[0] > 1e-4
    assert orders(STIFF, errors) == pytest.approx(1.0, abs=0.15)


def test_the_slip_of_stiff_friction_shows_the_reaction_of_the_constraint() -> None:
    run, ideal = viscous(STIFF[-1]), drive("ideal", {"w": 12.0}, end=2.0)
    for row in ("rear", "front"):
        np.testing.assert_allclose(
            run[f"reaction_{row}"], -1e5 / STIFF[-1] * run[f"v_{row}"], rtol=1e-8, atol=1e-6
        )
        size = float(np.abs(ideal[f"reaction_{row}"]).max())
        off = np.abs(run[f"reaction_{row}"] - ideal[f"reaction_{row}"])
        assert float(off.max()) < 0.02 * size


# Steep friction ---------------------------------------------------------------------------------

STEEP = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4)


@cache
def oscillator() -> System:
    x = Coordinate("x", "x", "m", "position of the mass")
    m, k, g, mu = (Parameter(n) for n in ("m", "k", "g", "mu"))
    at = Point(x)
    return System(
        name="realised_oscillator",
        title="Oscillator with friction",
        source="Moreau",
        coordinates=(x,),
        bodies=(Particle(m, at=at),),
        forces=(Force(Point(-k * x), at=at),),
        constraints=(Contact("floor", x.dot, load=m * g, mu=mu),),
    )


def swing(contacts: laws.Contacts, start: dict[str, float], **more: object) -> xr.Dataset:
    return zwang.simulate(
        oscillator(),
        parameters={"m": 2.0, "k": 50.0, "g": G, "mu": 0.2},
        initial={"x": 1.0} | start,
        times=np.linspace(0.0, 2.0, 201),
        contacts=contacts,
        **more,
    )


def edge(contacts: laws.Contacts, start: dict[str, float], **more: object) -> xr.Dataset:
    """Return a knife edge that turns on an incline and lets go again and again."""
    return zwang.simulate(
        zwang.systems.knife_edge(),
        parameters={"m": 3.0, "J": 0.2, "g": G, "alpha": 0.4, "mu": 0.6},
        initial={"x": 0.0, "y": 0.0, "phi": 0.0, "v": 0.0, "phi_dot": 1.5} | start,
        times=np.linspace(0.0, 4.0, 401),
        contacts=contacts,
        **more,
    )


AXLES = {"v_rear": 0.0, "v_front": 0.0}
SLIDING: dict[str, tuple[Callable[..., xr.Dataset], dict, dict, tuple[str, ...]]] = {
    "front first": (drive, {"w": 13.0, "mu": (0.8, 0.5)}, AXLES, COORDINATES),
    "rear first": (drive, {"w": 13.0, "mu": (0.35, 0.8)}, AXLES, COORDINATES),
    "both": (drive, {"w": 20.0, "mu": (0.6, 0.6)}, AXLES, COORDINATES),
    "knife edge": (edge, {}, {"v_blade": 0.0}, ("x", "y")),
}


def run_of(name: str, contacts: laws.Contacts, **more: object) -> xr.Dataset:
    run, words, slips, _ = SLIDING[name]
    start = {k: v for k, v in words.items() if k != "mu"}
    if isinstance(contacts, laws.Smoothed):
        start |= slips
    grip = {"mu": words["mu"]} if "mu" in words else {}
    return run(contacts, start, **grip, **more)


@cache
def dry(name: str) -> xr.Dataset:
    return run_of(name, "coulomb")


def check_logarithmic(eps: tuple[float, ...], errors: list[float]) -> None:
    """The error falls with ε, and over the last decade like ε ln(1/ε)."""
    assert (np.diff(errors) < 0.0).all()
    ratio = np.array(errors) / (np.array(eps) * np.log(1.0 / np.array(eps)))
    last = ratio[np.array(eps) <= 10.0 * eps[-1] * (1 + 1e-12)]
    assert len(last) > 1
    assert np.ptp(last) < 0.2 * last.mean()


@pytest.mark.parametrize("name", SLIDING)
def test_steep_friction_tends_to_the_solution_with_events(name: str) -> None:
    errors = []
    for eps in STEEP:
        smooth = run_of(name, laws.Smoothed("eps"), constants={"eps": eps}, tolerance=1e-9)
        errors.append(farthest(smooth, dry(name), SLIDING[name][3]))
    assert dry(name).event_time.size > 1
    check_logarithmic(STEEP, errors)


def test_steep_friction_of_an_oscillator_tends_to_its_reversals() -> None:
    """Nothing waits for release here, so that the error is ε itself."""
    exact = swing("coulomb", {})
    eps = (1e-1, 1e-2, 1e-3)
    errors = [
        farthest(
            swing(laws.Smoothed("eps"), {"x_dot": 0.0}, constants={"eps": e}, tolerance=1e-9),
            exact,
            ("x",),
        )
        for e in eps
    ]
    assert orders(eps, errors) == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize("eps", [1e-1, 1e-2, 1e-3])
@pytest.mark.parametrize("tolerance", [1e-8, 1e-12])
def test_steep_friction_is_integrated_through_its_step(eps: float, tolerance: float) -> None:
    """Where tanh(s/ε) is flat to the last bit, the step at s = 0 is still ahead."""
    run = swing(laws.Smoothed("eps"), {"x_dot": 0.0}, constants={"eps": eps}, tolerance=tolerance)

    def rate(_: float, z: np.ndarray) -> list[float]:
        return [z[1], -25.0 * z[0] - 0.2 * G * np.tanh(z[1] / eps)]

    found = solve_ivp(rate, (0.0, 2.0), [1.0, 0.0], "Radau", run.t.values, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(run.x, found.y[0], atol=max(1e-8, 100 * tolerance))


# The same from equations written out -----------------------------------------------------------


def smooth_car(mu: tuple[float, float], eps: float) -> Callable[[float, np.ndarray], list[float]]:
    """Return the rates of φ, θ, x, y, u, v, φ̇, θ̇ in body axes at the rear axle."""
    H, inverse, drag = np.array(mu) * LOADS, np.linalg.inv([[MASS, S], [S, I_B]]), 50.0

    def rates(t: float, z: np.ndarray) -> list[float]:
        phi, theta, _, _, u, v, spin, theta_dot = z
        sin, cos, lateral = np.sin(theta), np.cos(theta), v + L2 * spin
        R1, R2 = -H * np.tanh(np.array([v, (v + L * spin) * cos - u * sin]) / eps)
        torque = 80.0 * np.sin(3.0 * t) - 120.0 * theta_dot - 600.0 * theta
        a = (1000.0 - drag * u - R2 * sin + S * spin**2) / MASS
        across = R1 + R2 * cos - drag * lateral
        b, turn = inverse @ [across, L * R2 * cos - torque - drag * L2 * lateral]
        return [
            spin, theta_dot,
            u * np.cos(phi) - lateral * np.sin(phi), u * np.sin(phi) + lateral * np.cos(phi),
            a + v * spin, b - u * spin, turn, torque / J2 - turn,
        ]  # fmt: skip

    return rates


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize("name", ["front first", "rear first", "both"])
def test_steep_friction_written_out_tends_to_the_solution_with_events(name: str) -> None:
    """Newton and Euler with a smooth law, by scipy: nothing is shared but the limit."""
    exact, eps = dry(name), (1e-2, 1e-3, 1e-4)
    names = (*COORDINATES, "u", "v_rear", "phi_dot", "theta_dot")
    start, errors = [float(exact[n][0]) for n in names], []
    for e in eps:
        found = solve_ivp(
            smooth_car(SLIDING[name][1]["mu"], e),
            (0.0, 3.0),
            start,
            "Radau",
            exact.t.values,
            rtol=1e-9,
            atol=1e-12,
        )
        errors.append(max(np.abs(found.y[i] - exact[n]).max() for i, n in enumerate(COORDINATES)))
    check_logarithmic(eps, [float(e) for e in errors])
