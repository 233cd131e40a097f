"""The forms of the car's equations agree with each other and with what the paper prints."""

import random
from functools import cache

import pytest
import sympy as sp

from zwang.formulations import FORMS
from zwang.formulations.equations import Equations
from zwang.formulations.maggi import chart
from zwang.quantities import Quantity
from zwang.system import System
from zwang.systems import car

CAR = car()
CHARTS = {
    "paper": CAR.with_quasi_velocities("phi_dot", "theta_dot"),  # [Juschkov (32)]
    "rear": CAR.with_quasi_velocities("u", "theta_dot"),
    "front": CAR,
}
S: dict[str, Quantity] = {s.name: s for s in CAR.symbols}
phi, theta = S["phi"], S["theta"]
l1, l2, M1, M2, J1, J2 = (S[n] for n in ("l1", "l2", "M1", "M2", "J1", "J2"))
L = l1 + l2


@cache
def equations(form: str, chart_name: str) -> Equations:
    return FORMS[form](CHARTS[chart_name])


def admissible_state(seed: int, system: System = CAR) -> dict[sp.Symbol, sp.Expr]:
    """Exact rational values of every symbol; rates that satisfy both constraints.

    Angles are rational points of the circle: sin and cos by the half-angle substitution.
    """
    draw = random.Random(seed)

    def rational(low: int, high: int) -> sp.Rational:
        return sp.Rational(draw.randint(100 * low, 100 * high), 100)

    state: dict[sp.Symbol, sp.Expr] = {p: rational(1, 9) for p in system.parameters}
    state |= {i: rational(-9, 9) for i in system.inputs}
    state[phi], state[theta] = 2 * sp.atan(rational(-2, 2)), 2 * sp.atan(sp.Rational(2, 7))
    state |= {S["x"]: rational(-9, 9), S["y"]: rational(-9, 9)}
    rates = sp.Matrix(system.rates)
    free = [S["phi_dot"], S["theta_dot"]]
    given = [r - rational(-5, 5) for r in free]
    rows = sp.Matrix([*given, *(c.expression for c in system.constraints)]).subs(state)
    found = sp.linsolve(list(rows.applyfunc(sp.expand_trig)), *rates)
    values = next(iter(found))
    return state | {r: sp.nsimplify(sp.simplify(v)) for r, v in zip(rates, values, strict=True)}


def solution(form: str, chart_name: str, state: dict[sp.Symbol, sp.Expr]) -> list[sp.Expr]:
    found = equations(form, chart_name).solve(state)
    return [sp.N(value, 40) for value in found.values()]


@pytest.mark.parametrize("chart_name", CHARTS)
@pytest.mark.parametrize("seed", range(4))
def test_maggi_gives_lagranges_accelerations_and_reactions(chart_name: str, seed: int) -> None:
    state = admissible_state(seed)
    expected = solution("lagrange_first", "front", state)
    got = solution("maggi", chart_name, state)
    scale = max(abs(e) for e in expected)
    assert max(abs(a - b) for a, b in zip(got, expected, strict=True)) < 1e-30 * scale


def test_chart_of_the_paper_is_the_printed_one() -> None:
    """The six nonzero derivatives of x and y by φ̇ and the constraint velocities [Juschkov (32)]."""
    beta = chart(CHARTS["paper"]).beta
    sin, cos = sp.sin, sp.cos
    printed = {
        (2, 0): (l1 * cos(phi) * cos(theta) + l2 * cos(phi + theta)) / sin(theta),
        (3, 0): (l2 * sin(phi + theta) + l1 * sin(phi) * cos(theta)) / sin(theta),
        (2, 2): cos(phi + theta) / sin(theta),
        (2, 3): -cos(phi) / sin(theta),
        (3, 2): sin(phi + theta) / sin(theta),
        (3, 3): -sin(phi) / sin(theta),
    }
    values = {phi: sp.Rational(7, 10), theta: sp.Rational(3, 10), l1: 2, l2: 3}
    for place, expected in printed.items():
        difference = (beta[place] - expected).subs(values)
        assert abs(sp.N(difference, 30)) < 1e-25, place


def test_kinetic_energy_is_the_printed_one() -> None:
    """[Juschkov (33)]."""
    x_dot, y_dot, p, r = (S[n] for n in ("x_dot", "y_dot", "phi_dot", "theta_dot"))
    printed = (
        (M1 + M2) * (x_dot**2 + y_dot**2)
        + (J1 + M2 * l1**2 + J2) * p**2
        + J2 * r**2
        + 2 * J2 * p * r
        + 2 * M2 * l1 * p * (y_dot * sp.cos(phi) - x_dot * sp.sin(phi))
    ) / 2
    assert sp.expand_trig(sp.expand(CAR.kinetic_energy - printed)).equals(0)


def test_reduced_equations_in_the_rear_speed() -> None:
    """u̇, Λ₁, Λ₂ of the car in terms of u, θ, θ̇ (two-axle car on rolling axles, τ = L₁ − L₂)."""
    state = admissible_state(7)
    q = equations("lagrange_first", "front").solve(state)
    values = {s.name: q[s] for s in q}
    at = {n: state[s] for n, s in S.items() if s in state}
    u = (
        at["x_dot"] * sp.cos(at["phi"]) + at["y_dot"] * sp.sin(at["phi"])
    )  # along the body, the same for every point of its axis
    kappa = sp.tan(at["theta"]) / (at["l1"] + at["l2"])
    tau, F1, F2 = at["L1"] - at["L2"], at["F1"], at["F2"]
    M = at["M1"] + at["M2"]
    length = at["l1"] + at["l2"]
    first = at["M1"] * at["l2"] + at["M2"] * length
    inertia = at["J1"] + at["M1"] * at["l2"] ** 2 + at["M2"] * length**2
    turn = at["theta_dot"] / (length * sp.cos(at["theta"]) ** 2)
    v = sp.sqrt(u**2 + (at["l2"] * u * kappa) ** 2)
    u_dot = (
        F1 - F2 * sp.sign(u) * sp.sqrt(1 + (at["l2"] * kappa) ** 2) - kappa * tau
        - inertia * kappa * u * turn
    ) / (M + inertia * kappa**2)
    phi_ddot = u_dot * kappa + u * turn
    phi_dot = u * kappa
    front = (inertia * phi_ddot + first * u * phi_dot + tau + F2 * at["l2"] ** 2 * phi_dot / v) / (
        length * sp.cos(at["theta"])
    )
    rear = (
        M * u * phi_dot + first * phi_ddot + F2 * at["l2"] * phi_dot / v
        - front * sp.cos(at["theta"])
    )
    expected = {
        "phi_ddot": phi_ddot,
        "theta_ddot": tau / at["J2"] - phi_ddot,
        "reaction_front": front,
        "reaction_rear": rear,
    }
    for name, value in expected.items():
        assert abs(sp.N(values[name] - value, 40)) < 1e-30, name


def test_a_left_turn_driving_forward_has_positive_reactions() -> None:
    state = admissible_state(3)
    still = {S["F1"]: 0, S["F2"]: 0, S["L1"]: 0, S["L2"]: 0}
    half = sp.Rational(1, 5)
    u = sp.Integer(4)
    length = state[l1] + state[l2]
    turn = u * sp.tan(2 * sp.atan(half)) / length
    heading = state[phi]
    state |= still | {theta: 2 * sp.atan(half), S["theta_dot"]: 0, S["phi_dot"]: turn}
    state[S["x_dot"]] = u * sp.cos(heading) - state[l2] * turn * sp.sin(heading)
    state[S["y_dot"]] = u * sp.sin(heading) + state[l2] * turn * sp.cos(heading)
    found = {s.name: sp.N(v, 30) for s, v in equations("maggi", "front").solve(state).items()}
    assert found["reaction_rear"] > 0
    assert found["reaction_front"] > 0
