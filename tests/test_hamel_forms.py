"""The forms of Hamel 1924 agree with Lagrange's multipliers, and their usual errors do not."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

from zwang.bodies import Body, Force, Particle, Potential, Resistance, RigidBody, Torque
from zwang.formulations.appell import appell
from zwang.formulations.boltzmann_hamel import hamel, lagrange_euler, transposition_coefficients
from zwang.formulations.elimination import eliminate
from zwang.formulations.equations import DoesNotApply, Equations
from zwang.formulations.hamel_raw import hamel_raw
from zwang.formulations.hamilton import first_variation, hamilton
from zwang.formulations.lagrange_first import lagrange_first
from zwang.formulations.maggi import chart
from zwang.formulations.tzenoff import tzenoff_first, tzenoff_second
from zwang.formulations.woronetz import woronetz
from zwang.geometry import Point, Vector, across, along, velocity
from zwang.quantities import Coordinate, Input, Parameter, t, total_rate
from zwang.system import Constraint, QuasiVelocity, System
from zwang.systems import CATALOGUE
from zwang.trigonometry import reduced

State = dict[sp.Symbol, sp.Expr]
DIGITS = 60
FORMS: dict[str, Callable[[System], Equations]] = {
    f.__name__: f
    for f in (hamel_raw, appell, tzenoff_first, tzenoff_second, hamel, woronetz, hamilton)
}
LINEAR_ONLY = {"tzenoff_second", "hamel", "woronetz", "hamilton"}
FROM_BODIES = {"appell", "tzenoff_first", "tzenoff_second"}


def moving_table() -> System:
    """A blade on a table that turns and swings, its heading bent with the place.

    Every coefficient of the constraint depends on time and place; the energy depends on time too,
    since the centre of mass is moved along the blade.
    """
    phi, x, y = Coordinate("phi", unit="rad"), Coordinate("x", unit="m"), Coordinate("y", unit="m")
    m, J, l, Omega, U, nu, kappa = (Parameter(n) for n in ("m", "J", "l", "Omega", "U", "nu", "k"))
    heading = phi + Omega * t + kappa * x * y
    table = Vector((-Omega * y + U * sp.cos(nu * t), Omega * x * sp.exp(-t)))
    slip = velocity(Point(x, y)) - table
    centre = Point(x, y) + l * (2 + sp.sin(nu * t)) * along(phi)
    return System(
        name="moving_table",
        title="Knife edge on a moving table",
        source="hamel",
        coordinates=(phi, x, y),
        bodies=(Body(m, J, at=centre, angle=phi + Omega * t),),
        forces=(
            Force(Vector((Input("F"), sp.S.Zero)), at=centre),
            Resistance(Input("R"), at=Point(x, y)),
            Potential(Input("k0") * x**2 * y / 2),
        ),
        constraints=(Constraint("blade", slip @ across(heading)),),
        quasi_velocities=(QuasiVelocity("w", slip @ along(heading)), phi.dot),
    )


def sleigh() -> System:
    """Chaplygin's sleigh under a force: the centre of mass lies before the blade."""
    phi, x, y = Coordinate("phi", unit="rad"), Coordinate("x", unit="m"), Coordinate("y", unit="m")
    m, J, l, F = Parameter("m"), Parameter("J"), Parameter("l"), Input("F")
    blade = Point(x, y)
    return System(
        name="sleigh",
        title="Sleigh",
        source="hamel",
        coordinates=(phi, x, y),
        bodies=(Body(m, J, at=blade + l * along(phi), angle=phi),),
        forces=(Force(Vector((F, 2 * F)), at=blade),),
        constraints=(Constraint("blade", velocity(blade) @ across(phi)),),
        quasi_velocities=(QuasiVelocity("u", velocity(blade) @ along(phi)), phi.dot),
    )


def disk() -> System:
    """A disk that rolls on a plane, leans and turns in space."""
    psi, theta, phi = (Coordinate(n, unit="rad") for n in ("psi", "theta", "phi"))
    x, y = Coordinate("x", unit="m"), Coordinate("y", unit="m")
    m, A, C, r, g = (Parameter(n) for n in ("m", "A", "C", "r", "g"))
    centre = Point(
        x + r * sp.sin(theta) * sp.sin(psi),
        y - r * sp.sin(theta) * sp.cos(psi),
        r * sp.cos(theta),
    )
    lean, turn, roll = theta.dot, psi.dot * sp.cos(theta), phi.dot + psi.dot * sp.sin(theta)
    spin = (  # along axes that turn with the disk, right-handed: (up, forward, axle) for φ = 0
        turn * sp.cos(phi) + lean * sp.sin(phi),
        -turn * sp.sin(phi) + lean * sp.cos(phi),
        roll,
    )
    return System(
        name="disk",
        title="Disk",
        source="hamel",
        coordinates=(psi, theta, phi, x, y),
        bodies=(RigidBody(m, (A, A, C), at=centre, spin=spin),),
        forces=(Potential(m * g * r * sp.cos(theta)), Torque(Input("L"), on=psi)),
        constraints=(
            Constraint("longitudinal", x.dot * sp.cos(psi) + y.dot * sp.sin(psi) - r * phi.dot),
            Constraint("lateral", y.dot * sp.cos(psi) - x.dot * sp.sin(psi)),
        ),
        quasi_velocities=(
            theta.dot,
            QuasiVelocity("turn", turn),
            QuasiVelocity("roll", roll),
        ),
    )


def ball() -> System:
    """A particle in space with the nonlinear constraint of Appell and Hamel."""
    x, y, z = (Coordinate(n, unit="m") for n in "xyz")
    m, g, b = Parameter("m"), Parameter("g"), Parameter("b")
    return System(
        name="ball",
        title="Ball",
        source="hamel",
        coordinates=(x, y, z),
        bodies=(Particle(m, Point(x, y, z)),),
        forces=(Potential(m * g * z), Torque(Input("F"), on=x)),
        constraints=(Constraint("rope", x.dot**2 + y.dot**2 - b**2 * z.dot**2),),
        quasi_velocities=(x.dot, y.dot),
    )


def pursuit() -> System:
    """Two particles, a nonlinear rheonomic constraint: speeds in a ratio that varies in time."""
    x, y, u, v = (Coordinate(n, unit="m") for n in "xyuv")
    m, M, b = Parameter("m"), Parameter("M"), Parameter("b")
    fast = x.dot**2 + y.dot**2 * (1 + x**2)
    slow = u.dot**2 + u.dot * v.dot + v.dot**2
    return System(
        name="pursuit",
        title="Pursuit",
        source="hamel",
        coordinates=(x, y, u, v),
        bodies=(Particle(m, Point(x, y + x * u)), Particle(M, Point(u * sp.cos(v), u * sp.sin(v)))),
        forces=(Torque(Input("F") * y, on=v),),
        constraints=(
            Constraint("ratio", fast - (b + sp.sin(t)) * slow),
            Constraint("drift", u.dot - x * y.dot + sp.cos(t) * y),
        ),
        quasi_velocities=(x.dot, y.dot),
    )


def top() -> System:
    """A free rigid body in Euler's angles; its quasi-velocities are the spins along its axes."""
    psi, theta, phi = (Coordinate(n, unit="rad") for n in ("psi", "theta", "phi"))
    A, B, C = Parameter("A"), Parameter("B"), Parameter("C")
    sin, cos = sp.sin, sp.cos
    spin = (
        psi.dot * sin(theta) * sin(phi) + theta.dot * cos(phi),
        psi.dot * sin(theta) * cos(phi) - theta.dot * sin(phi),
        psi.dot * cos(theta) + phi.dot,
    )
    zero = sp.S.Zero
    moments = (Torque(Input("L1"), on=psi), Torque(Input("L2"), on=theta), Torque(Input("L3"), phi))
    return System(
        name="top",
        title="Rigid body",
        source="hamel",
        coordinates=(psi, theta, phi),
        bodies=(RigidBody(zero, (A, B, C), at=Point(zero, zero, zero), spin=spin),),
        forces=moments,
        quasi_velocities=tuple(
            QuasiVelocity(n, e, unit="rad/s") for n, e in zip("pqr", spin, strict=True)
        ),
    )


OWN = {f.__name__: f for f in (moving_table, sleigh, disk, ball, pursuit, top)}
CHOSEN = ("car", "rolling_disk", "pendulum_variable_length", "constant_speed_particle")
SYSTEMS = {n: CATALOGUE[n] for n in CHOSEN} | OWN
NONLINEAR = ("ball", "pursuit", "constant_speed_particle")


@cache
def system(name: str) -> System:
    return SYSTEMS[name]()


@cache
def equations(form: str, name: str) -> Equations:
    return (FORMS | {"lagrange_first": lagrange_first})[form](system(name))


def admissible_state(s: System, seed: int) -> State:
    """Values of every symbol; the rates are brought to φ = 0 by Newton's steps of least size."""
    draw = random.Random(seed)

    def number(low: float, high: float) -> sp.Float:
        return sp.Float(str(draw.uniform(low, high)), DIGITS)

    state: State = {t: number(0.2, 1)}
    state |= {p: number(1, 3) for p in s.parameters}
    state |= {i: number(-3, 3) for i in s.inputs}
    state |= {q: number(0.2, 1.3) for q in s.coordinates}
    phi = sp.Matrix([c.expression.subs(state) for c in s.constraints])
    A = phi.jacobian(list(s.rates)) if s.constraints else None
    rates = sp.Matrix([number(-2, 2) for _ in s.rates])
    for _ in range(40 if s.constraints else 0):
        at = dict(zip(s.rates, rates, strict=True))
        A_, left = A.subs(at), phi.subs(at)
        if max(map(abs, left)) < 10.0 ** (5 - DIGITS):
            break
        rates -= A_.T * (A_ * A_.T).LUsolve(left)
    return state | dict(zip(s.rates, rates, strict=True))


LINEAR: dict[int, tuple[Equations, sp.Matrix, sp.Matrix]] = {}


def solved(e: Equations, state: State, change: Sequence[sp.Expr] = ()) -> dict[sp.Symbol, sp.Expr]:
    """Return the unknowns where `change` is added to the first left sides.

    The elimination takes the largest pivot of each column: a coefficient that vanishes up to
    rounding must not become one.
    """
    if id(e) not in LINEAR:
        LINEAR[id(e)] = (e, *e.linear())
    matrix, vector = (m.subs(state) for m in LINEAR[id(e)][1:])
    for i, c in enumerate(change):
        vector[i] -= c
    with mpmath.workdps(DIGITS):
        left = mpmath.matrix([[mpmath.mpmathify(x) for x in r] for r in matrix.tolist()])
        values = mpmath.lu_solve(left, mpmath.matrix([mpmath.mpmathify(x) for x in vector]))
        return {u: sp.Float(x, DIGITS) for u, x in zip(e.unknowns, values, strict=True)}


def distance(got: dict[sp.Symbol, sp.Expr], expected: dict[sp.Symbol, sp.Expr]) -> float:
    """Return the largest difference over the unknowns of `got`, relative to the largest value."""
    assert set(got) <= set(expected)
    scale = max(1, *(abs(v) for v in expected.values()))
    return float(max(abs(v - expected[u]) for u, v in got.items()) / scale)


@cache
def from_multipliers(name: str) -> dict[sp.Symbol, sp.Expr]:
    """Return q̈ and Λ of Lagrange's first kind at the state of seed 1."""
    return solved(equations("lagrange_first", name), admissible_state(system(name), 1))


@pytest.mark.parametrize(
    ("name", "form"),
    [(n, f) for n in SYSTEMS for f in FORMS if n not in NONLINEAR or f not in LINEAR_ONLY],
)
def test_every_form_gives_lagranges_accelerations(name: str, form: str) -> None:
    state = admissible_state(system(name), 1)
    found = solved(equations(form, name), state)
    assert set(found) >= {q.ddot for q in system(name).coordinates}
    difference = distance(found, from_multipliers(name))
    assert difference < 1e-45


def test_the_lagrange_euler_equations_give_the_reactions() -> None:
    for name in ("car", "moving_table", "disk"):
        reactions = {c.reaction for c in system(name).constraints}
        assert reactions <= set(equations("hamel", name).unknowns)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_cites_hamel(form: str) -> None:
    assert all(r.startswith("Hamel (") for r in equations(form, "car").references)


@pytest.mark.parametrize("form", sorted(LINEAR_ONLY))
def test_nonlinear_constraint_is_refused_with_the_reason(form: str) -> None:
    with pytest.raises(DoesNotApply, match="'rope' is not linear"):
        FORMS[form](system("ball"))


@pytest.mark.parametrize("form", sorted(FROM_BODIES))
def test_acceleration_energy_needs_bodies(form: str) -> None:
    x = Coordinate("x")
    s = System("bead", "", "", (x,), kinetic_energy=x.dot**2 / 2, quasi_velocities=(x.dot,))
    with pytest.raises(DoesNotApply, match="without bodies"):
        FORMS[form](s)


def test_appell_sees_spins_along_left_handed_axes() -> None:
    """The energy does not: without Appell's form such a declaration would pass every comparison."""
    right = system("disk")
    body = right.bodies[0]
    p, q, r = body.spin
    left = replace(right, bodies=(replace(body, spin=(q, p, r)),), kinetic_energy=None)
    state = admissible_state(left, 0)
    expected = solved(lagrange_first(left), state)
    assert distance(solved(hamel(left), state), expected) < 1e-45
    assert distance(solved(appell(left), state), expected) > 1e-3


def test_quasi_velocity_that_is_not_linear_is_refused() -> None:
    x = Coordinate("x")
    speed = QuasiVelocity("v", x.dot**2)
    s = System("bead", "", "", (x,), bodies=(Particle(1, Point(x)),), quasi_velocities=(speed,))
    with pytest.raises(DoesNotApply, match="quasi-velocity 'v' is not linear"):
        hamel(s)


# The elimination -------------------------------------------------------------------------------


def test_last_coordinates_of_the_car_are_the_dependent_ones() -> None:
    e = eliminate(system("car"))
    assert [q.name for q in e.independent] == ["phi", "theta"]
    assert [q.name for q in e.dependent] == ["x", "y"]
    phi, theta = e.independent
    values = {s.name: s for s in e.a.free_symbols}
    l1, l2 = values["l1"], values["l2"]
    printed = (l1 * sp.cos(phi) * sp.cos(theta) + l2 * sp.cos(phi + theta)) / sp.sin(theta)
    assert reduced(e.a[0, 0] - printed) == 0


def test_columns_that_give_no_minor_are_passed_over() -> None:
    x, y, z = (Coordinate(n) for n in "xyz")
    two = (Constraint("a", x.dot - z * y.dot), Constraint("b", x.dot + y.dot))
    bodies = (Particle(1, Point(x, y, z)),)
    s = System("s", "", "", (x, y, z), bodies, constraints=two, quasi_velocities=(z.dot,))
    assert eliminate(s).dependent == (x, y)


def test_dependent_constraints_are_refused() -> None:
    x, y, z = (Coordinate(n) for n in "xyz")
    two = (Constraint("a", x.dot - z * y.dot), Constraint("b", sp.sin(z) * (x.dot - z * y.dot)))
    bodies = (Particle(1, Point(x, y, z)),)
    s = System("s", "", "", (x, y, z), bodies, constraints=two, quasi_velocities=(z.dot,))
    with pytest.raises(DoesNotApply, match="constraints are dependent"):
        eliminate(s)


@pytest.mark.parametrize("name", ["car", "moving_table", "disk", "ball", "pursuit"])
def test_eliminated_rates_and_accelerations_satisfy_the_constraints(name: str) -> None:
    s = system(name)
    e = eliminate(s)
    state = admissible_state(s, 5)
    for con in s.constraints:
        row = total_rate(con.expression, s.coordinates).xreplace(e.accelerations)
        row = row.subs({q.ddot: sp.Rational(i + 2, 7) for i, q in enumerate(e.independent)})
        assert abs(row.subs(state)) < 1e-45
    if name not in NONLINEAR:
        for rate, value in e.rates.items():
            assert abs(value.subs(state) - state[rate]) < 1e-45


# Transposition coefficients --------------------------------------------------------------------


@cache
def momenta(name: str) -> tuple[sp.Expr, ...]:
    """Return ∂E/∂ω, the rates inserted afterwards."""
    s = system(name)
    free = len(s.quasi_velocities)
    E = lagrange_euler(s).energy
    inserted = {w: r.expression for w, r in zip(s.states[:free], s.rows, strict=False)}
    inserted |= dict.fromkeys(s.states[free:], sp.S.Zero)
    return tuple(E.diff(w).xreplace(inserted) for w in s.states)


@cache
def true_beta(name: str) -> sp.NDimArray:
    return transposition_coefficients(system(name))


def with_other_beta(name: str, beta: sp.NDimArray, state: State) -> dict[sp.Symbol, sp.Expr]:
    """Return what the Lagrange–Euler equations give with other transposition coefficients."""
    s = system(name)
    n, free = len(s.coordinates), len(s.quasi_velocities)
    J = [p.subs(state) for p in momenta(name)]
    omega = [r.expression.subs(state) for r in s.rows[:free]] + [0] * (n - free) + [1]
    change = [
        sum(
            (beta[i, k, m] - true_beta(name)[i, k, m]).subs(state) * omega[k] * J[m]
            for k in range(n + 1)
            for m in range(n)
        )
        for i in range(n)
    ]
    return solved(equations("hamel", name), state, change)


def literal(s: System) -> sp.NDimArray:
    """Return (17) with b as (13) prints it: the first index that of the coordinate."""
    ch = chart(s)
    n = len(s.coordinates)
    q = s.coordinates
    b, c = ch.alpha.T, ch.beta
    beta = sp.MutableDenseNDimArray.zeros(n, n + 1, n)
    for m in range(n):
        curl = sp.Matrix(n, n, lambda l, h, m=m: b[m, l].diff(q[h]) - b[m, h].diff(q[l]))
        product = c.T * curl * c
        for i in range(n):
            for k in range(n):
                beta[i, k, m] = product[i, k]
    return beta


@pytest.mark.parametrize("name", ["car", "moving_table", "disk"])
def test_wrong_sign_of_the_transposition_coefficients_is_caught(name: str) -> None:
    s = system(name)
    state = admissible_state(s, 1)
    expected = from_multipliers(name)
    beta = true_beta(name)
    assert distance(with_other_beta(name, beta, state), expected) < 1e-45
    assert distance(with_other_beta(name, -beta, state), expected) > 1e-3


@pytest.mark.parametrize("name", ["car", "disk"])
def test_literal_indices_of_13_are_caught(name: str) -> None:
    """b is used as (17) does; with the indices of (13) the equations are wrong."""
    s = system(name)
    state = admissible_state(s, 1)
    found = with_other_beta(name, literal(s), state)
    assert distance(found, from_multipliers(name)) > 1e-3


def test_time_part_of_the_transposition_coefficients_is_needed() -> None:
    name = "moving_table"
    s = system(name)
    state = admissible_state(s, 1)
    beta = true_beta(name).as_mutable()
    n = len(s.coordinates)
    for i in range(n):
        for m in range(n):
            beta[i, n, m] = 0
    assert distance(with_other_beta(name, beta, state), from_multipliers(name)) > 1e-3


@pytest.mark.parametrize("name", ["car", "disk", "moving_table"])
def test_lagranges_operator_of_the_constrained_energy_is_not_enough(name: str) -> None:
    """Without the β of (V) the accelerations are wrong: the constraints are not holonomic."""
    s = system(name)
    e = eliminate(s)
    E2 = s.kinetic_energy.xreplace(e.rates)
    slope = e.projected({q: E2.diff(q) for q in s.coordinates})
    left = [
        total_rate(E2.diff(q.dot), s.coordinates) - d
        for q, d in zip(e.independent, slope, strict=True)
    ]
    state = admissible_state(s, 1)
    found = solved(e.equations("wrong", left), state)
    assert distance(found, from_multipliers(name)) > 1e-3


@pytest.mark.parametrize("name", ["car", "disk", "moving_table"])
def test_transposition_relation(name: str) -> None:
    """d δϑ_m/dt − δω_m = Σ β_{i,s,m} δϑ_i ω_s for variations that commute with d/dt (16)."""
    s = system(name)
    beta, ch = true_beta(name), chart(s)
    n = len(s.coordinates)
    delta = sp.Matrix(sp.symbols(f"delta:{n}"))
    delta_dot = sp.Matrix(sp.symbols(f"delta_dot:{n}"))
    qdot = sp.Matrix(s.rates)
    omega = [*(ch.alpha * qdot + ch.alpha0), sp.S.One]
    theta = ch.alpha * delta
    state = admissible_state(s, 2)
    state |= {d: sp.Rational(k + 2, 5) for k, d in enumerate((*delta, *delta_dot))}
    for m in range(n):
        rate = sum(
            total_rate(ch.alpha[m, j], s.coordinates) * delta[j] + ch.alpha[m, j] * delta_dot[j]
            for j in range(n)
        )
        varied = sum(
            omega[m].diff(q) * delta[j] + omega[m].diff(q.dot) * delta_dot[j]
            for j, q in enumerate(s.coordinates)
        )
        right = sum(beta[i, k, m] * theta[i] * omega[k] for i in range(n) for k in range(n + 1))
        assert abs((rate - varied - right).subs(state)) < 1e-45, m


def test_eulers_equations_of_a_rigid_body() -> None:
    """A ṗ = (B − C) q r + moment, cyclic: the special case (III)."""
    s = system("top")
    le = lagrange_euler(s)
    p, q, r = s.states
    A, B, C = s.parameters
    p_dot, q_dot, r_dot = le.omega_dot
    euler = (
        A * p_dot - (B - C) * q * r,
        B * q_dot - (C - A) * r * p,
        C * r_dot - (A - B) * p * q,
    )
    for found, expected in zip(le.accelerations, euler, strict=True):
        assert reduced(found - expected) == 0
    # Moments: K_i = Σ c_{s,i} K_s; the torque on the spin angle acts about the third axis alone.
    third = equations("hamel", "top").rhs[2]
    assert third == next(i for i in s.inputs if i.name == "L3")


# Hamilton's principle --------------------------------------------------------------------------


def variations_of_the_action(s: System, values: dict[str, float], start: list[float]) -> np.ndarray:
    """Return ∫δE'', ∫ correction, ∫δA and ∫ of the sum of their sizes, for several variations.

    The motion is that of Lagrange's multipliers; the integrals run with it as further unknowns.
    """
    end, n, several = 1.5, len(s.coordinates), 4
    fixed = {x: values[x.name] for x in (*s.parameters, *s.inputs) if x.name in values}
    fixed |= {x: 0.0 for x in (*s.parameters, *s.inputs) if x not in fixed}
    symbols = (t, *s.coordinates, *s.rates)
    matrix, vector = lagrange_first(s).linear()
    dynamics = sp.lambdify(symbols, [matrix.subs(fixed), vector.subs(fixed)], cse=True)
    v = first_variation(s)
    parts = [e.subs(fixed) for e in (v.energy, v.correction, v.work)]
    integrand = sp.lambdify((*symbols, *v.variations, *v.rates), parts, cse=True)
    draw = np.random.default_rng(4)
    frequency = np.pi / end * np.arange(1, 5)
    amplitude = draw.normal(size=(several, len(v.variations), 4))

    def rates(time: float, z: np.ndarray) -> np.ndarray:
        state = z[: 2 * n]
        M, f = dynamics(time, *state)
        accelerations = np.linalg.solve(M, np.ravel(f))[:n]
        eta = amplitude @ np.sin(frequency * time)
        eta_dot = amplitude @ (frequency * np.cos(frequency * time))
        each = np.array(
            [integrand(time, *state, *a, *b) for a, b in zip(eta, eta_dot, strict=True)]
        )
        each = np.column_stack([each, np.abs(each).sum(axis=1)])
        return np.concatenate([state[n:], accelerations, each.ravel()])

    z0 = np.concatenate([start, np.zeros(4 * several)])
    run = solve_ivp(rates, (0, end), z0, method="DOP853", rtol=1e-12, atol=1e-12)
    assert run.success
    return run.y[2 * n :, -1].reshape(several, 4)


def rolling_start(s: System, position: list[float], free: list[float]) -> list[float]:
    """Return q and q̇ of a start that satisfies the constraints, from the free quasi-velocities."""
    ch = chart(s)
    at = dict(zip(s.coordinates, position, strict=True)) | {t: 0}
    at |= {p: VALUES.get(p.name, 0.0) for p in s.parameters}
    held = [0.0] * len(s.constraints)
    qdot = (ch.beta * sp.Matrix([*free, *held]) + ch.beta0).subs(at)
    return [*position, *(float(x) for x in qdot)]


VALUES = {
    "m": 1.3, "J": 0.7, "l": 0.4, "F": 0.6, "Omega": 0.5, "U": 0.3, "nu": 1.1, "k": 0.2, "k0": 0.4,
    "M1": 2.0, "M2": 0.5, "J1": 1.4, "J2": 0.3, "l1": 1.1, "l2": 0.9, "F1": 1.5, "F2": 0.4,
    "L1": 0.05, "R": 0.2,
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "position", "free"),
    [
        ("sleigh", [0.3, 0.0, 0.0], [1.2, 0.9]),
        ("car", [0.2, 0.5, 0.0, 0.0], [1.4, 0.1]),
        ("moving_table", [0.3, 0.2, 0.1], [1.2, 0.9]),
    ],
)
def test_action_is_stationary_only_with_woronetz_correction(
    name: str, position: list[float], free: list[float]
) -> None:
    """∫ (δE'' + Σ J δω + δA) dt = 0 along the motion; without the middle term it is not (VI)."""
    s = system(name)
    start = rolling_start(s, position, free)
    energy, correction, work, size = variations_of_the_action(s, VALUES, start).T
    assert np.all(np.abs(energy + correction + work) < 1e-8 * size)
    assert np.all(np.abs(energy + work) > 1e-4 * size)
