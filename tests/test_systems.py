"""Every declared system says what it is, and moves at single states as worked out by hand."""

import random
import re
from functools import cache
from importlib.resources import files
from math import cos, isclose, pi, sin

import numpy as np
import pytest
import sympy as sp

from zwang.formulations import FORMS
from zwang.formulations.equations import Equations
from zwang.quantities import Quantity, t
from zwang.system import System
from zwang.systems import CATALOGUE, appell_hamel, load

Values = dict[str, float]


@cache
def equations(name: str, z: str = "up") -> Equations:
    system = appell_hamel(z) if name == "appell_hamel" else load(name)
    return FORMS["lagrange_first"](system)


def rates(system: System, at: Values) -> Values:
    """All rates, from the values of the free quasi-velocities; the linear constraints hold."""
    given = {s: at[s.name] for s in (*system.coordinates, *system.parameters)} | {t: at["t"]}
    right = [at.get(row.name, 0.0) for row in system.rows]
    rows = [row.expression.subs(given) - b for row, b in zip(system.rows, right, strict=True)]
    matrix, vector = sp.linear_eq_to_matrix(rows, list(system.rates))
    found = np.linalg.solve(numbers(matrix), numbers(vector))[:, 0]
    return dict(zip((r.name for r in system.rates), found.tolist(), strict=True))


def numbers(matrix: sp.Matrix) -> np.ndarray:
    return np.array(matrix.evalf(30).tolist(), dtype=float)


def motion(name: str, at: Values, z: str = "up") -> Values:
    """q̈ and Λ by name, together with the state they belong to; rates as given or from the rows."""
    eq = equations(name, z)
    at = {"t": 0.0} | at
    if not all(r.name in at for r in eq.system.rates):
        at |= rates(eq.system, at)
    state: dict[Quantity, float] = {s: at[s.name] for s in eq.system.coordinates}
    state |= {s: at[s.name] for s in (*eq.system.rates, *eq.system.parameters)}
    state |= {i: at.get(i.name, 0.0) for i in eq.system.inputs} | {t: at["t"]}
    matrix, vector = (numbers(m.subs(state)) for m in eq.linear())
    found = np.linalg.solve(matrix, vector)[:, 0]
    return at | dict(zip((u.name for u in eq.unknowns), found.tolist(), strict=True))


def agrees(found: float, expected: float) -> bool:
    """Equal, and large enough that the opposite sign would not pass."""
    return abs(expected) > 1e-3 and isclose(found, expected, rel_tol=1e-10)


# Declarations ------------------------------------------------------------------------------------


def keys() -> set[str]:
    text = files("zwang").joinpath("references.bib").read_text(encoding="utf-8")
    return set(re.findall(r"^@\w+\{(\w+),", text, flags=re.MULTILINE))


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_symbol_has_unit_symbol_and_meaning(name: str) -> None:
    system = load(name)
    reactions = tuple(c.reaction for c in system.constraints)
    for s in (*system.symbols, *system.states, *reactions):
        assert s.unit, s.name
        assert s.symbol, s.name
        assert s.meaning, s.name
    assert all(c.meaning for c in system.constraints)
    assert system.title


@pytest.mark.parametrize("name", CATALOGUE)
def test_name_and_source_are_known(name: str) -> None:
    assert load(name).name == name
    assert load(name).source in keys()


def test_cited_keys_exist() -> None:
    """Every `[Key (number)]` in the declarations."""
    folder = files("zwang").joinpath("systems")
    text = "".join(p.read_text("utf-8") for p in folder.iterdir() if p.name.endswith(".py"))
    cited = set(re.findall(r"\[([A-Z]\w+) (?:\(|sec\.|p\.)", text))
    assert cited
    assert cited <= keys()


def determinant(system: System) -> float:
    """Jacobian of all rows by the rates at a random state."""
    draw = random.Random(3)
    rows = sp.Matrix([r.expression for r in system.rows]).jacobian(sp.Matrix(system.rates))
    symbols = sorted(rows.free_symbols, key=str)
    return float(rows.subs({s: draw.uniform(0.3, 1.2) for s in symbols}).evalf(30).det())


@pytest.mark.parametrize("name", sorted(set(CATALOGUE) - {"gauss_example_31"}))
def test_rows_are_independent(name: str) -> None:
    assert abs(determinant(load(name))) > 1e-3


def test_example_of_dependent_constraints_is_one() -> None:
    assert determinant(load("gauss_example_31")) == 0
    first, second = load("gauss_example_31").constraints
    hidden = second.expression - first.expression
    assert [s.name for s in hidden.free_symbols] == ["x3"]


@pytest.mark.parametrize("variant", ["", "_massless", "_centred", "_body"])
def test_height_of_the_weight_is_measured_up_or_down(variant: str) -> None:
    declare = CATALOGUE[f"appell_hamel{variant}"]
    with pytest.raises(ValueError, match="'up' or 'down'"):
        declare("left")  # type: ignore[call-arg]
    assert declare("down") == load(f"appell_hamel{variant}_down")  # type: ignore[call-arg]
    assert declare("up") == load(f"appell_hamel{variant}")  # type: ignore[call-arg]


# Appell and Hamel --------------------------------------------------------------------------------

DISK = {"xi": 0.3, "eta": -0.2, "theta": 0.8, "phi": 1.1, "z": 0.4, "m": 2.0, "a": 0.7, "b": 0.3}
DISK |= {"g": 9.81, "phi_dot": 1.7, "theta_dot": -1.3, "load_share": 1.0, "mu": 0.5}
INERTIA = {"M": 1.5, "C": 0.4, "J": 0.25}


def disk_by_hand(at: Values, up: int) -> Values:
    """p', Ω' from A p' = kΩ² + Γ, BΩ' = −k p Ω, and the three forces from balance of momentum."""
    m, a, b, g = (at[n] for n in ("m", "a", "b", "g"))
    M, C, J, rho = (at.get(n, 0.0) for n in ("M", "C", "J", "rho"))
    p, w = at["phi_dot"], at["theta_dot"]
    k = m * a * rho
    p_dot = (k * w**2 - up * m * g * b) / (m * (a**2 + b**2) + C + M * a**2)
    w_dot = -k * p * w / (m * rho**2 + J)
    return {
        "phi_ddot": p_dot,
        "theta_ddot": w_dot,
        "z_ddot": b * p_dot,
        "reaction_longitudinal": m * (a * p_dot - rho * w**2) + M * a * p_dot,
        "reaction_lateral": m * (a * p * w + rho * w_dot) + M * a * p * w,
        "reaction_rope": m * (g + up * b * p_dot),
    }


@pytest.mark.parametrize(("z", "up"), [("up", 1), ("down", -1)])
@pytest.mark.parametrize("rho", [0.5, -0.5])
def test_appell_hamel(z: str, up: int, rho: float) -> None:
    at = DISK | INERTIA | {"rho": rho}
    found = motion("appell_hamel", at, z)
    for name, value in disk_by_hand(at, up).items():
        assert agrees(found[name], value), name
    drum = -at["a"] * found["reaction_longitudinal"] - up * at["b"] * found["reaction_rope"]
    assert agrees(at["C"] * found["phi_ddot"], drum)


def test_falling_weight_rolls_backwards_with_z_up_and_forwards_with_z_down() -> None:
    at = DISK | INERTIA | {"rho": 0.5, "phi_dot": 0.0, "theta_dot": 0.0}
    assert motion("appell_hamel", at, "up")["phi_ddot"] < 0
    assert motion("appell_hamel", at, "down")["phi_ddot"] > 0


def test_massless_disk_carries_no_lateral_force_and_bears_b_to_a() -> None:
    at = DISK | {"rho": 0.5}
    found, expected = motion("appell_hamel_massless", at), disk_by_hand(at, 1)
    assert abs(found["reaction_lateral"]) < 1e-12
    for name in ("phi_ddot", "theta_ddot", "reaction_longitudinal", "reaction_rope"):
        assert agrees(found[name], expected[name]), name
    load = found["reaction_rope"]  # all of the weight that reaches the ground
    assert agrees(found["reaction_longitudinal"], -at["b"] / at["a"] * load)


def test_centred_weight_leaves_the_turning_rate_alone() -> None:
    at = DISK | INERTIA
    found, expected = motion("appell_hamel_centred", at), disk_by_hand(at, 1)
    assert abs(found["theta_ddot"]) < 1e-12
    for name in ("phi_ddot", "reaction_longitudinal", "reaction_lateral", "reaction_rope"):
        assert agrees(found[name], expected[name]), name


def test_body_as_weight_is_a_massless_disk_with_inertia_about_the_vertical() -> None:
    at = DISK | {"rho": 0.5, "J_m": 0.25}
    found, expected = motion("appell_hamel_body", at), disk_by_hand(at | {"J": 0.25}, 1)
    for name, value in expected.items():
        assert agrees(found[name], value), name
    centred = motion("appell_hamel_body", at | {"rho": 0.0})
    assert agrees(centred["reaction_lateral"], at["m"] * at["a"] * 1.7 * -1.3)


@pytest.mark.parametrize("rise", [1, -1])
def test_ball_slows_while_it_rises_and_gains_while_it_falls(rise: int) -> None:
    m, a, b, g, w, way = 2.0, 0.7, 0.3, 9.81, 1.4, 0.6
    h = b / a
    at = {"x": 0.1, "y": 0.2, "z": 0.3, "m": m, "a": a, "b": b, "g": g}
    at |= {"x_dot": w * cos(way), "y_dot": w * sin(way), "z_dot": rise * h * w}
    found = motion("appell_hamel_ball", at)
    change = -rise * g * h / (1 + h**2)
    assert agrees(found["x_ddot"], change * cos(way))
    assert agrees(found["y_ddot"], change * sin(way))
    assert agrees(found["z_ddot"], -g * b**2 / (a**2 + b**2))
    assert agrees(found["reaction_cone"], -m * g * h**2 / (2 * at["z_dot"] * (1 + h**2)))


# Blades ------------------------------------------------------------------------------------------

BLADE = {"x": 0.3, "y": -0.4, "phi": 0.7, "m": 2.0, "J": 0.6, "v": 1.9, "phi_dot": -1.2}


def along_and_across(found: Values) -> tuple[float, float]:
    """Acceleration of the point x, y along and across the heading φ."""
    c, s = cos(found["phi"]), sin(found["phi"])
    ax, ay = found["x_ddot"], found["y_ddot"]
    return ax * c + ay * s, -ax * s + ay * c


def test_skate_runs_a_circle() -> None:
    found = motion("skate", BLADE)
    forward, left = along_and_across(found)
    assert abs(forward) < 1e-12
    assert agrees(left, 1.9 * -1.2)
    assert agrees(found["reaction_blade"], 2.0 * 1.9 * -1.2)
    assert agrees(found["x_dot"], 1.9 * cos(0.7))


@pytest.mark.parametrize("phi", [0.7, -2.0])
def test_knife_edge_on_an_incline(phi: float) -> None:
    found = motion("knife_edge", BLADE | {"phi": phi, "g": 9.81, "alpha": 0.3, "mu": 0.0})
    pull = 9.81 * sin(0.3)
    assert agrees(along_and_across(found)[0], pull * cos(phi))
    assert abs(found["phi_ddot"]) < 1e-12
    assert agrees(found["reaction_blade"], 2.0 * (1.9 * -1.2 + pull * sin(phi)))


def test_knife_edge_from_rest_at_the_highest_reaction() -> None:
    """After a quarter turn at the rate Ω: v = g sin α/Ω across the slope, Λ = 2 m g sin α."""
    pull, turn = 9.81 * sin(0.3), 1.5
    at = BLADE | {"phi": pi / 2, "v": pull / turn, "phi_dot": turn, "g": 9.81, "alpha": 0.3}
    assert agrees(motion("knife_edge", at | {"mu": 0.0})["reaction_blade"], 2 * 2.0 * pull)


@pytest.mark.parametrize("a", [0.5, -0.5])
@pytest.mark.parametrize("v", [1.9, -1.9])
def test_chaplygin_sleigh(a: float, v: float) -> None:
    found = motion("chaplygin_sleigh", BLADE | {"a": a, "v": v})
    m, J, w = 2.0, 0.6, -1.2
    forward, left = along_and_across(found)
    assert agrees(forward, a * w**2)
    assert agrees(left, v * w)
    assert agrees(found["phi_ddot"], -m * a * v * w / (J + m * a**2))
    assert agrees(found["reaction_blade"], m * J * v * w / (J + m * a**2))


# Disks -------------------------------------------------------------------------------------------

ROLLING = {"x": 0.3, "y": -0.4, "phi": 0.7, "theta": 1.1, "m": 2.0, "R": 0.4, "C": 0.16}
ROLLING |= {"J": 0.08, "phi_dot": -1.2, "theta_dot": 2.5}


def test_vertical_disk_is_held_by_a_lateral_force_alone() -> None:
    found = motion("rolling_disk_vertical", ROLLING)
    force = 2.0 * -1.2 * 0.4 * 2.5
    assert abs(found["reaction_longitudinal"]) < 1e-12
    assert agrees(found["reaction_lateral"], force)
    assert agrees(2.0 * found["x_ddot"], -force * sin(0.7))
    assert agrees(2.0 * found["y_ddot"], force * cos(0.7))
    assert agrees(found["x_dot"], 0.4 * 2.5 * cos(0.7))
    assert abs(found["phi_ddot"]) + abs(found["theta_ddot"]) < 1e-12


def test_uniform_coin_on_an_incline() -> None:
    found = motion("coin_on_incline", ROLLING | {"g": 9.81, "alpha": 0.3})
    pull, v = 9.81 * sin(0.3), 0.4 * 2.5
    forward, left = along_and_across(found)
    assert agrees(forward, 2 / 3 * pull * cos(0.7))
    assert agrees(left, v * -1.2)
    assert agrees(found["theta_ddot"], forward / 0.4)
    assert agrees(found["reaction_longitudinal"], -1 / 3 * 2.0 * pull * cos(0.7))
    assert agrees(found["reaction_lateral"], 2.0 * (v * -1.2 + pull * sin(0.7)))


TILTED = ROLLING | {"psi": 0.7, "theta": 0.4, "phi": 0.9, "g": 9.81}
TILTED |= {"psi_dot": -1.2, "theta_dot": 0.8, "phi_dot": 2.5}


def test_tilted_disk_obeys_the_balance_of_angular_momentum() -> None:
    """About the centre, along heading, axle and the diameter through the contact point."""
    f = motion("rolling_disk", TILTED)
    m, R, C, J = (f[n] for n in ("m", "R", "C", "J"))
    s, c = sin(f["theta"]), cos(f["theta"])
    turn, lean = f["psi_dot"], f["theta_dot"]
    axle = f["phi_dot"] + turn * s
    axle_dot = f["phi_ddot"] + f["psi_ddot"] * s + turn * lean * c
    X, Y = f["reaction_longitudinal"], f["reaction_lateral"]
    N = m * (f["g"] - R * (f["theta_ddot"] * s + lean**2 * c))
    gyration = J * turn**2 * s * c - C * turn * c * axle
    assert agrees(J * f["theta_ddot"] + gyration, R * (Y * c + N * s))
    assert agrees(C * axle_dot, -R * X)
    steer_dot = f["psi_ddot"] * c - turn * lean * s
    assert agrees(J * steer_dot, J * turn * s * lean - C * lean * axle)


def test_tilted_disk_obeys_the_balance_of_momentum() -> None:
    """The centre is R sin θ to the right of the contact point and moves with the ground's force."""
    f = motion("rolling_disk", TILTED)
    R, s, c = f["R"], sin(f["theta"]), cos(f["theta"])
    turn, lean = f["psi_dot"], f["theta_dot"]
    v = R * f["phi_dot"]
    out, out_dot = R * s, R * c * lean  # distance to the right
    out_ddot = R * (c * f["theta_ddot"] - s * lean**2)
    forward = R * f["phi_ddot"] + 2 * out_dot * turn + out * f["psi_ddot"]
    left = v * turn - out_ddot + out * turn**2
    assert agrees(f["reaction_longitudinal"], f["m"] * forward)
    assert agrees(f["reaction_lateral"], f["m"] * left)
    assert agrees(f["x_dot"], v * cos(f["psi"]))


def test_upright_disk_leans_out_of_its_turn_only_by_its_spin() -> None:
    """θ = 0, turning left while it rolls forward: the spin lifts the disk out of the curve."""
    f = motion("rolling_disk", TILTED | {"theta": 0.0, "theta_dot": 0.0, "psi_dot": 1.2})
    C, J, m, R = (f[n] for n in ("C", "J", "m", "R"))
    assert agrees(f["theta_ddot"], (C + m * R**2) * 1.2 * 2.5 / (J + m * R**2))


# Nonlinear constraints ---------------------------------------------------------------------------


@pytest.mark.parametrize("way", [-0.9, 0.5])
def test_constant_speed(way: float) -> None:
    m, c, g = 2.0, 3.0, 9.81
    at = {"x": 0.1, "y": 0.2, "m": m, "c": c, "g": g}
    found = motion("constant_speed_particle", at | {"x_dot": c * cos(way), "y_dot": c * sin(way)})
    assert agrees(found["reaction_speed"], m * g * sin(way) / (2 * c))
    assert agrees(found["x_ddot"], g * sin(way) * cos(way))
    assert agrees(found["y_ddot"], -g * cos(way) ** 2)


def test_parallel_velocities() -> None:
    m1, m2, g = 2.0, 3.0, 9.81
    at = {"x1": 0.0, "y1": 1.0, "x2": 2.0, "y2": 3.0, "m1": m1, "m2": m2, "g": g}
    at |= {"x1_dot": 1.2, "y1_dot": -0.8, "x2_dot": 1.8, "y2_dot": -1.2}
    found = motion("parallel_velocities", at)
    inverse = (1.8**2 + 1.2**2) / m1 + (1.2**2 + 0.8**2) / m2
    Lambda = g * (1.2 - 1.8) / inverse
    assert agrees(found["reaction_parallel"], Lambda)
    assert agrees(found["x1_ddot"], Lambda * -1.2 / m1)
    assert agrees(found["y1_ddot"], -g - Lambda * 1.8 / m1)
    assert agrees(found["x2_ddot"], Lambda * 0.8 / m2)
    assert agrees(found["y2_ddot"], -g + Lambda * 1.2 / m2)


# Holonomic constraints ---------------------------------------------------------------------------


def test_spherical_pendulum_in_both_sets_of_coordinates() -> None:
    m, R, g = 2.0, 0.7, 9.81
    polar = {"theta": 2.3, "phi": 0.6, "theta_dot": 0.9, "phi_dot": -1.4, "m": m, "R": R, "g": g}
    angles = motion("spherical_pendulum", polar)
    s, c, p, w = sin(2.3), cos(2.3), -1.4, 0.9
    assert agrees(angles["theta_ddot"], s * c * p**2 + g / R * s)
    assert agrees(angles["phi_ddot"], -2 * c / s * p * w)

    def place(theta: sp.Expr, phi: sp.Expr) -> sp.Matrix:
        out = sp.Matrix([sp.sin(theta) * sp.cos(phi), sp.sin(theta) * sp.sin(phi), sp.cos(theta)])
        return R * out

    time = sp.Symbol("time")
    path = place(
        2.3 + w * time + angles["theta_ddot"] * time**2 / 2,
        0.6 + p * time + angles["phi_ddot"] * time**2 / 2,
    )
    r, v, a = (numbers(path.diff(time, k).subs(time, 0))[:, 0].tolist() for k in range(3))
    at = {"m": m, "R": R, "g": g} | dict(zip("xyz", r, strict=True))
    at |= dict(zip(("x_dot", "y_dot", "z_dot"), v, strict=True))
    found = motion("spherical_pendulum_cartesian", at)
    for name, value in zip(("x_ddot", "y_ddot", "z_ddot"), a, strict=True):
        assert agrees(found[name], value), name
    energy = float(np.dot(v, v)) / 2 + g * r[2]
    assert agrees(found["reaction_rod"], m / R * (2 * energy - 3 * g * r[2]))


def test_tangential_velocities_of_the_pendulum_have_the_length_of_the_velocity() -> None:
    system = load("spherical_pendulum_cartesian")
    at = {"t": 0.0, "m": 1.0, "g": 9.81, "R": 3.0, "x": 1.0, "y": 2.0, "z": -2.0}
    found = rates(system, at | {"w_x": 0.3, "w_y": -0.8})
    assert isclose(sum(found[f"{c}_dot"] ** 2 for c in "xyz"), 0.3**2 + 0.8**2)


def test_pendulum_of_variable_length() -> None:
    """Rod force from the polar components: S = m (l β̇² − l̈ + g cos β), β from the downward."""
    m, g, l0, l1, omega, time, beta, rate = 2.0, 9.81, 1.0, 0.2, 3.0, 0.4, 0.5, -1.3
    l, swing = l0 + l1 * sin(omega * time), l1 * omega * cos(omega * time)
    l_ddot = -l1 * omega**2 * sin(omega * time)
    at = {"x": l * sin(beta), "y": -l * cos(beta), "w": l * rate, "t": time}
    at |= {"m": m, "g": g, "l0": l0, "l1": l1, "omega": omega}
    found = motion("pendulum_variable_length", at)
    assert agrees(found["x_dot"], swing * sin(beta) + l * rate * cos(beta))
    assert agrees(found["reaction_rod"], m * (l * rate**2 - l_ddot + g * cos(beta)))
    turning = (found["x_ddot"] * cos(beta)) + found["y_ddot"] * sin(beta)
    assert agrees(turning, -g * sin(beta))


PAIR = {"m1": 2.0, "m2": 3.0, "k": 5.0, "R": 3.0}
PLACES = {"x1": 1.0, "y1": 2.0, "z1": -2.0, "x2": 2.0, "y2": -2.0, "z2": 1.0}
SPEEDS = {"w1": 0.4, "z1_dot": -0.7, "w2": 0.9, "z2_dot": 0.5}


def test_pair_on_a_sphere_at_rest() -> None:
    """Outward force of the sphere: N = −m v²/R + k (r − r')·r/R."""
    found = motion("sphere_pair", PAIR | PLACES | SPEEDS)
    r = {i: np.array([PLACES[f"{c}{i}"] for c in "xyz"]) for i in (1, 2)}
    v = {i: np.array([found[f"{c}{i}_dot"] for c in "xyz"]) for i in (1, 2)}
    for i, other, which in ((1, 2, "first"), (2, 1, "second")):
        assert abs(v[i] @ r[i]) < 1e-12
        stretch = 5.0 * float((r[i] - r[other]) @ r[i])
        expected = (-PAIR[f"m{i}"] * float(v[i] @ v[i]) + stretch) / 3.0
        assert agrees(found[f"reaction_{which}"], expected)


def test_pair_on_a_moving_sphere_has_the_same_forces_which_now_do_work() -> None:
    """r' = r − ut: the same accelerations and forces, and dE'/dt = −u·(Z₁ + Z₂)."""
    time, u = 0.6, {"x": 0.5, "y": -0.8, "z": 0.3}
    still = motion("sphere_pair", PAIR | PLACES | SPEEDS)
    axes = [(f"{c}{i}", u[c]) for i in (1, 2) for c in "xyz"]
    at = PAIR | {q: PLACES[q] - shift * time for q, shift in axes} | {"t": time}
    at |= {f"{q}_dot": still[f"{q}_dot"] - shift for q, shift in axes}
    found = motion("sphere_pair_moving", at | {f"u_{c}": u[c] for c in "xyz"})
    for which in ("first", "second"):
        assert agrees(found[f"reaction_{which}"], still[f"reaction_{which}"])
    for q, _ in axes:
        assert agrees(found[f"{q}_ddot"], still[f"{q}_ddot"]), q
    power = 0.0
    for i, other in ((1, 2), (2, 1)):
        for c in "xyz":
            spring = PAIR["k"] * (found[f"{c}{i}"] - found[f"{c}{other}"])
            inertia = PAIR[f"m{i}"] * found[f"{c}{i}_ddot"]
            power += found[f"{c}{i}_dot"] * (inertia + spring)
    pushed = sum(
        u[c] * PLACES[f"{c}{i}"] / 3.0 * found[f"reaction_{which}"]
        for c in "xyz"
        for i, which in ((1, "first"), (2, "second"))
    )
    assert agrees(power, -pushed)
