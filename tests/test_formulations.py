"""The forms of the car's equations agree with each other and with what the paper prints."""

import random
import re
from functools import cache
from pathlib import Path

import pytest
import sympy as sp

import zwang
from zwang.formulations import FORMS
from zwang.formulations.equations import Equations
from zwang.formulations.maggi import chart
from zwang.quantities import Quantity
from zwang.systems import car, spherical_pendulum_cartesian

ROOT = Path(zwang.__file__).parent
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


def admissible_state(seed: int, **fixed: str) -> dict[sp.Symbol, sp.Expr]:
    """Values of every symbol with 50 digits; rates that satisfy both constraints."""
    draw = random.Random(seed)

    def number(low: float, high: float) -> sp.Float:
        return sp.Float(str(draw.uniform(low, high)), 50)

    state: dict[sp.Symbol, sp.Expr] = {p: number(1, 9) for p in CAR.parameters}
    state |= {i: number(-9, 9) for i in CAR.inputs}
    state |= {q: number(-3, 3) for q in CAR.coordinates}
    state[theta] = number(0.1, 1.4)
    state |= {S[name]: sp.Float(value, 50) for name, value in fixed.items() if name in S}
    rows = [S["theta_dot"], CAR.velocities["u"].expression]
    rows += [c.expression for c in CAR.constraints]
    right = [
        sp.Float(fixed.get("theta_dot", "0.7"), 50),
        sp.Float(fixed.get("u", "-3.1"), 50),
        0,
        0,
    ]
    matrix, vector = sp.linear_eq_to_matrix(
        [
            (e - r).subs({k: v for k, v in state.items() if k not in CAR.rates})
            for e, r in zip(rows, right, strict=True)
        ],
        *CAR.rates,
    )
    rates = matrix.LUsolve(vector)
    return state | dict(zip(CAR.rates, rates, strict=True))


def solution(form: str, chart_name: str, state: dict[sp.Symbol, sp.Expr]) -> dict[str, sp.Expr]:
    return {s.name: v for s, v in equations(form, chart_name).solve(state).items()}


@pytest.mark.parametrize("chart_name", CHARTS)
@pytest.mark.parametrize("seed", range(4))
def test_maggi_gives_lagranges_accelerations_and_reactions(chart_name: str, seed: int) -> None:
    state = admissible_state(seed)
    expected = solution("lagrange_first", "front", state)
    got = solution("maggi", chart_name, state)
    for name, value in expected.items():
        assert abs(got[name] - value) < 1e-40 * max(1, abs(value)), name


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


@pytest.mark.parametrize("u", ["4.3", "-2.9"])
def test_reduced_equations_in_the_rear_speed(u: str) -> None:
    """φ̈, θ̈, Λ₁, Λ₂ derived by hand in u, θ, θ̇: balance of the rolling car about its rear axle."""
    state = admissible_state(7, u=u)
    found = solution("lagrange_first", "front", state)
    at = {name: state[symbol] for name, symbol in S.items() if symbol in state}
    u_ = sp.Float(u, 50)
    length = at["l1"] + at["l2"]
    cos, kappa = sp.cos(at["theta"]), sp.tan(at["theta"]) / length
    tau, F1, F2, l2_ = at["L1"] - at["L2"], at["F1"], at["F2"], at["l2"]
    mass = at["M1"] + at["M2"]
    first = at["M1"] * l2_ + at["M2"] * length
    second = at["J1"] + at["M1"] * l2_**2 + at["M2"] * length**2
    turn = at["theta_dot"] / (length * cos**2)
    drag = F2 * sp.sign(u_) * sp.sqrt(1 + (l2_ * kappa) ** 2)
    push = F1 - drag - kappa * tau - second * kappa * u_ * turn
    phi_ddot = push / (mass + second * kappa**2) * kappa + u_ * turn
    phi_dot = u_ * kappa
    ratio = F2 / sp.sqrt(u_**2 + (l2_ * phi_dot) ** 2)
    moment = second * phi_ddot + first * u_ * phi_dot + tau + ratio * l2_**2 * phi_dot
    front = moment / (length * cos)
    rear = mass * u_ * phi_dot + first * phi_ddot + ratio * l2_ * phi_dot - front * cos
    expected = {
        "phi_ddot": phi_ddot,
        "theta_ddot": tau / at["J2"] - phi_ddot,
        "reaction_front": front,
        "reaction_rear": rear,
    }
    for name, value in expected.items():
        assert abs(found[name] - value) < 1e-40 * max(1, abs(value)), name


@pytest.mark.parametrize(("u", "sign"), [("4", 1), ("-4", 1)])
def test_a_left_turn_without_forces_has_positive_reactions(u: str, sign: int) -> None:
    """Centripetal force points to the left, to the centre, whichever way the car rolls."""
    still = dict.fromkeys(("F1", "F2", "L1", "L2", "theta_dot"), "0")
    found = solution("maggi", "front", admissible_state(3, u=u, theta="0.3", **still))
    assert sign * found["reaction_rear"] > 0
    assert sign * found["reaction_front"] > 0


def test_every_form_names_its_source() -> None:
    keys = re.findall(r"@\w+\{(\w+),", (ROOT / "references.bib").read_text(encoding="utf-8"))
    particle = spherical_pendulum_cartesian()  # every form applies to it
    for form in FORMS.values():
        references = form(particle).references
        assert references
        assert {r.split()[0] for r in references} <= set(keys)


def test_citations_in_the_code_are_in_the_bibliography() -> None:
    keys = set(re.findall(r"@\w+\{(\w+),", (ROOT / "references.bib").read_text(encoding="utf-8")))
    for path in [*ROOT.rglob("*.py"), *ROOT.rglob("*.h")]:
        text = path.read_text(encoding="utf-8")
        cited = set(re.findall(r"\[([A-Z][A-Za-z]+) (?:\(|p\. |sec\. )", text))
        assert cited <= keys, path.name
