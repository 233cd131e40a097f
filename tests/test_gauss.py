"""Gauss's principle: systems given by (f, T), invariance, and what a moving frame breaks."""

import sympy as sp

from zwang.bodies import Particle, Potential
from zwang.certificate import certify
from zwang.formulations.gauss import constraint_measure, gauss
from zwang.geometry import Point
from zwang.quantities import Coordinate, Parameter, rate_of_change, t, total_rate
from zwang.system import Constraint, System

x = Coordinate("x", "x", "m", "position")
y = Coordinate("y", "y", "m", "height")
r = Coordinate("r", "r", "m", "distance from the origin")
a = Coordinate("a", "a", "rad", "angle from the x axis of the frame")
m = Parameter("m", "m", "kg", "mass")
g = Parameter("g", "g", "m/s**2", "gravity")
k = Parameter("k", "k", "1/m", "steepness")
turn = Parameter("turn", r"\Omega", "rad/s", "spin of the frame")


def slope(px: sp.Expr, py: sp.Expr) -> sp.Expr:
    """ẏ = k x ẋ."""
    return rate_of_change(py) - k * px * rate_of_change(px)


def cartesian() -> System:
    return System(
        name="slope",
        title="Particle on a slope",
        source="GaussPrinciple",
        coordinates=(x, y),
        bodies=(Particle(m, Point(x, y)),),
        forces=(Potential(m * g * y),),
        constraints=(Constraint("slope", slope(x, y)),),
        quasi_velocities=(x.dot,),
    )


def polar(spin: sp.Expr) -> System:
    """The same in polar coordinates of a frame that turns, by (f, T): x = r cos(a + Ω t), …"""
    angle = a + spin * t
    px, py = r * sp.cos(angle), r * sp.sin(angle)
    whole = a.dot + spin
    T = m * (r.dot**2 + r**2 * whole**2) / 2
    f = (
        r * whole**2 - g * sp.sin(angle),
        -2 * r.dot * whole / r - g * sp.cos(angle) / r,
    )
    return System(
        name="slope_polar",
        title="Particle on a slope",
        source="GaussPrinciple",
        coordinates=(r, a),
        kinetic_energy=T,
        accelerations=f,
        constraints=(Constraint("slope", slope(px, py)),),
        quasi_velocities=(r.dot,),
    )


NUMBERS = {m: 2.0, g: 9.81, k: 0.4, turn: 0.7, t: 0.3, r: 1.7, a: 0.5, r.dot: 0.6}


def positions(spin: float) -> tuple[sp.Expr, sp.Expr]:
    return r * sp.cos(a + spin * t), r * sp.sin(a + spin * t)


def admissible(system: System) -> dict[sp.Symbol, float]:
    state = dict(NUMBERS)
    (con,) = system.constraints
    state[a.dot] = float(sp.solve(con.expression.subs(state), a.dot)[0])
    return state


def compared(spin: sp.Expr) -> tuple[list[float], list[float]]:
    """Accelerations of x, y and Λ from the polar system and from the Cartesian one."""
    system = polar(spin)
    state = admissible(system)
    found = gauss(system).solve(state)
    px, py = (p.subs(turn, NUMBERS[turn]) for p in positions(spin))
    full = state | found
    place = {
        x: px.subs(state),
        y: py.subs(state),
        x.dot: rate_of_change(px).subs(state),
        y.dot: rate_of_change(py).subs(state),
    }
    own = [total_rate(rate_of_change(p), (r, a)).subs(full) for p in (px, py)]
    other = gauss(cartesian()).solve(NUMBERS | place)
    reaction = system.constraints[0].reaction
    return (
        [float(v) for v in (*own, found[reaction])],
        [float(other[s]) for s in (x.ddot, y.ddot, reaction)],
    )


def test_the_pair_f_and_T_gives_what_bodies_and_forces_give() -> None:
    for spin in (sp.S.Zero, turn):
        got, expected = compared(spin)
        assert max(abs(p - q) for p, q in zip(got, expected, strict=True)) < 1e-12
        assert abs(expected[2]) > 1.0


def test_forms_agree_on_a_system_given_by_f_and_T() -> None:
    certificate = certify(polar(turn), states=3)
    assert certificate.valid
    assert "gauss" in certificate.forms
    assert "bodies" in certificate.refused["appell"]


def constraint_at(Z: sp.Expr, system: System, state: dict, r_values: list[float]) -> float:
    """Z at the accelerations f + r."""
    free = [f.subs(state) for f in system.accelerations]
    accelerations = {
        q.ddot: f + d for q, f, d in zip(system.coordinates, free, r_values, strict=True)
    }
    return float(Z.subs(state | accelerations))


def test_the_constraint_does_not_depend_on_the_coordinates() -> None:
    """Z = T(x, r) is the same number for r in Cartesian and r̄ in polar coordinates."""
    for spin in (sp.S.Zero, turn):
        system = polar(spin)
        state = admissible(system)
        got = constraint_at(constraint_measure(system), system, state, [0.3, -0.8])
        px, py = (p.subs(turn, NUMBERS[turn]) for p in positions(spin))
        rx, ry = (float((p.diff(r) * 0.3 + p.diff(a) * -0.8).subs(state)) for p in (px, py))
        assert abs(got - NUMBERS[m] / 2 * (rx**2 + ry**2)) < 1e-12


def test_a_moving_frame_breaks_the_literal_T() -> None:
    """T(x̄, r̄, t) with r̄ for the rates is not T(x, r): its parts without rates have to go."""
    resting, moving = polar(sp.S.Zero), polar(turn)
    for system, equal in ((resting, True), (moving, False)):
        state = admissible(system)
        literal = float(system.kinetic_energy.subs({r.dot: 0.3, a.dot: -0.8}).subs(state))
        right = constraint_at(constraint_measure(system), system, state, [0.3, -0.8])
        assert (abs(literal - right) < 1e-12) == equal
