"""Statements that hold for every system, tried on chains of bodies nobody has written down.

A chain has one to three hinged bodies in a vertical plane, springs, a force and a torque as inputs,
and blades, each of which lets a point of its body move only along the blade. Its first hinge is
free, on a rail, pinned, or shaken. A handful of shapes is fixed; all numbers of a run are drawn.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
import sympy as sp
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zwang
from zwang.bodies import AnyForce, Body, Force, Potential, Torque
from zwang.geometry import Point, Vector, across, along, velocity
from zwang.quantities import Coordinate, Input, Parameter, t
from zwang.system import Constraint, Holonomic, QuasiVelocity, System

END = 1.0
# Even about the middle of the run, so that it runs backwards under the same law.
LAWS = {
    "pull": "pull_size*cos(pull_rate*(t - 0.5))",
    "turn": "turn_size*sin(phi1 + turn_phase) - drag*tanh(phi1_dot)",
}
SILENT = {"pull_size": 0.0, "pull_rate": 1.0, "turn_size": 0.0, "turn_phase": 0.0, "drag": 0.0}
TOLERANCE = 1e-14
CLOSE = 1e-10  # of the largest value; errors grow up to a hundred times along the wildest run


@dataclass(frozen=True)
class Shape:
    """What a chain is made of; everything else about it is a number."""

    base: str
    bodies: int
    blades: tuple[int, ...]  # the bodies that carry one, counted from 1
    relative: bool  # angles from the body before, else from the x axis

    def __str__(self) -> str:
        return f"{self.base}-{self.bodies}-{''.join(map(str, self.blades))}-{self.relative}"


SHAPES = (
    Shape("free", 1, (1,), relative=False),
    Shape("free", 2, (1, 2), relative=True),
    Shape("free", 3, (1,), relative=False),
    Shape("rail", 2, (1,), relative=True),
    Shape("pinned", 2, (2,), relative=False),
    Shape("shaken", 2, (1,), relative=True),
)
REWRITTEN = (SHAPES[0], SHAPES[2], SHAPES[4], SHAPES[5])


# The declaration ---------------------------------------------------------------------------------


@cache
def chain(shape: Shape) -> System:
    """The system of a shape, and its potential energy and blades as outputs."""
    n = range(1, shape.bodies + 1)
    phi = {i: Coordinate(f"phi{i}", rf"\varphi_{i}", "rad", f"angle of body {i}") for i in n}
    number = {
        name: {i: Parameter(f"{name}{i}", f"{name}_{i}", unit, f"{what} of body {i}") for i in n}
        for name, unit, what in (
            ("m", "kg", "mass"),
            ("J", "kg*m**2", "central moment of inertia"),
            ("l", "m", "distance of the hinges"),
            ("c", "m", "distance of the centre of mass along the body"),
            ("e", "m", "distance of the centre of mass across the body"),
            ("s", "m", "distance of the blade along the body"),
            ("d", "rad", "angle of the blade"),
        )
    }
    if shape.bodies > 1:  # askew parts make the equations of several bodies long
        number["d"] = number["e"] = dict.fromkeys(n, sp.S.Zero)
    angle: dict[int, sp.Expr] = {}
    for i in n:
        angle[i] = phi[i] + (angle[i - 1] if shape.relative and i > 1 else 0)
    places, base, rail = _base(shape.base)
    hinge = {1: base}
    for i in n:
        hinge[i + 1] = hinge[i] + number["l"][i] * along(angle[i])
    centre = {
        i: hinge[i] + number["c"][i] * along(angle[i]) + number["e"][i] * across(angle[i])
        for i in n
    }
    V = _potential(shape, angle, centre, hinge[shape.bodies + 1], number["m"])
    pull = Input("pull", "P", "N", "force along the last body")
    turn = Input("turn", r"\tau", "N*m", "torque on the first angle")
    forces: tuple[AnyForce, ...] = (
        Potential(V),
        Force(pull * along(angle[shape.bodies]), at=centre[shape.bodies]),
        Torque(turn, on=phi[1]),
    )
    blade = {i: hinge[i] + number["s"][i] * along(angle[i]) for i in shape.blades}
    way = {i: angle[i] + number["d"][i] for i in shape.blades}
    rates = {i: phi[i].dot for i in n}
    free = [q.dot for q in places if rail is None or q.name != "y"]
    for i in shape.blades:
        if i == 1 and shape.base == "free":
            free = [QuasiVelocity("u", velocity(blade[1]) @ along(way[1]), "u", "m/s", "forward")]
        else:  # the blade is away from the hinge, so it gives the rate of its own body
            del rates[i]
    return System(
        name=f"chain_{shape}",
        title="Chain of bodies with blades",
        source="none",
        coordinates=(*places, *phi.values()),
        bodies=tuple(Body(number["m"][i], number["J"][i], at=centre[i], angle=angle[i]) for i in n),
        forces=forces,
        constraints=(
            *(() if rail is None else (rail,)),
            *(Constraint(f"blade{i}", velocity(blade[i]) @ across(way[i])) for i in blade),
        ),
        quasi_velocities=(*free, *rates.values()),
        outputs={"potential": (V, "V", "J", "potential energy")}
        | _other_velocities(shape, centre, angle),
    )


def _base(kind: str) -> tuple[tuple[Coordinate, ...], Vector, Constraint | None]:
    """The coordinates of the first hinge, its place, and the rail that holds it."""
    x = Coordinate("x", "x", "m", "position of the first hinge")
    y = Coordinate("y", "y", "m", "position of the first hinge")
    if kind == "free":
        return (x, y), Point(x, y), None
    if kind == "rail":
        slope = Parameter("slope", r"\gamma", "1", "slope of the rail")
        return (x, y), Point(x, y), Holonomic("rail", y - slope * x)
    if kind == "pinned":
        return (), Point(0, 0), None
    reach = Parameter("reach", "A", "m", "amplitude of the shaken hinge")
    shake = Parameter("shake", r"\omega", "rad/s", "angular frequency of the shaken hinge")
    return (), Point(reach * sp.sin(shake * t), reach * sp.cos(2 * shake * t) / 2), None


def _potential(
    shape: Shape,
    angle: dict[int, sp.Expr],
    centre: dict[int, Vector],
    end: Vector,
    mass: dict[int, Parameter],
) -> sp.Expr:
    """Gravity, a spring from the end of the chain to the origin, and springs in its hinges."""
    g = Parameter("g", "g", "m/s**2", "acceleration of gravity")
    k = Parameter("k", "k", "N/m", "stiffness of the spring to the origin")
    K = Parameter("K", "K", "N*m", "stiffness of the hinges")
    V = k * (end @ end) / 2
    for i in range(1, shape.bodies + 1):
        V += mass[i] * g * centre[i].components[1]
        V += K * (angle[i] - angle.get(i - 1, 0)) ** 2 / 2
    return V


def _other_velocities(
    shape: Shape, centre: dict[int, Vector], angle: dict[int, sp.Expr]
) -> dict[str, tuple[sp.Expr, str, str, str]]:
    """Velocities that may replace those of the declaration."""
    last = shape.bodies
    v = velocity(centre[last])
    turning = sp.Add(*(velocity(Point(a)).components[0] * (1 + i) for i, a in angle.items()))
    return {
        "ahead": (v @ along(angle[last]), "a", "m/s", "forward velocity of the last body"),
        "left": (v @ across(angle[last]), "b", "m/s", "sideways velocity of the last body"),
        "turning": (turning, r"\Omega", "rad/s", "weighted sum of the rates of turn"),
    }


# The numbers -------------------------------------------------------------------------------------

RANGES = {
    "m": (0.3, 4.0),
    "J": (0.1, 2.0),
    "l": (0.5, 1.5),
    "c": (-0.5, 1.0),
    "e": (-0.4, 0.4),
    "s": (0.5, 1.5),
    "d": (-0.8, 0.8),
    "g": (0.0, 10.0),
    "k": (0.0, 10.0),
    "K": (0.0, 5.0),
    "slope": (-1.0, 1.0),
    "reach": (-0.3, 0.3),
    "shake": (0.5, 4.0),
}


@dataclass(frozen=True)
class Case:
    """One run: a shape with all its numbers."""

    shape: Shape
    parameters: dict[str, float]
    start: dict[str, float]
    constants: dict[str, float]

    def run(self, engine: str = "compiled", system: System | None = None) -> xr.Dataset:
        out = zwang.simulate(
            system or chain(self.shape),
            parameters=self.parameters,
            initial=self.start,
            inputs=LAWS,
            constants=self.constants,
            times=TIMES,
            engine=engine,
            tolerance=TOLERANCE,
        )
        assert int(out.status) == 0, out.message.item()
        return out


# Gauss nodes, so that integrals over a run are sums over its output times.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)
TIMES = np.array([0.0, *(END * (NODES + 1) / 2), END])
WEIGHTS = END / 2 * WEIGHTS


def between(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_subnormal=False)


@st.composite
def cases(
    draw: st.DrawFn, shapes: tuple[Shape, ...] = SHAPES, driven: bool = True, drag: bool = True
) -> Case:
    shape = draw(st.sampled_from(shapes))
    system = chain(shape)
    parameters = {}
    for p in system.parameters:
        letter = p.name if p.name in RANGES else p.name[:-1]
        value = draw(between(*RANGES[letter]))
        if letter == "s" and draw(st.booleans()):
            value = -value  # the blade behind its hinge
        parameters[p.name] = value
    start = {q.name: draw(between(-3.0, 3.0)) for q in system.coordinates}
    if shape.base == "rail":
        start["y"] = parameters["slope"] * start["x"]
    start |= {v.name: draw(between(-2.0, 2.0)) for v in system.quasi_velocities}
    constants = dict(SILENT)
    if driven:
        constants |= {"pull_size": draw(between(-5.0, 5.0)), "pull_rate": draw(between(0.0, 5.0))}
        constants |= {"turn_size": draw(between(-5.0, 5.0)), "turn_phase": draw(between(0.0, 3.0))}
    if drag:
        constants["drag"] = draw(between(0.0, 3.0))
    return Case(shape, parameters, start, constants)


def few(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def of(*bases: str) -> tuple[Shape, ...]:
    return tuple(s for s in SHAPES if s.base in bases)


RESTING = of("free", "rail", "pinned")  # nothing moves their hinges and blades from outside


def same(got: object, expected: object, scale: float = 1.0, bound: float = CLOSE) -> None:
    """Equal up to the bound times the largest value, or `scale` if that is larger."""
    got, expected = np.asarray(got), np.asarray(expected)
    size = max(scale, float(np.abs(expected).max()))
    assert float(np.abs(got - expected).max()) <= bound * size


def same_motion(got: xr.Dataset, expected: xr.Dataset, shape: Shape, bound: float = CLOSE) -> None:
    system = chain(shape)
    for q in system.coordinates:
        same(got[q.name], expected[q.name], bound=bound)
        same(got[q.dot.name], expected[q.dot.name], bound=bound)
    for c in system.constraints:
        name = c.reaction.name
        same(got[name], expected[name], bound=bound)


# Statements about every system -------------------------------------------------------------------


@few(40)
@given(cases())
def test_lagranges_equations_hold_along_every_run(case: Case) -> None:
    assert float(case.run().residual.max()) < 1e-11


@few(40)
@given(cases())
def test_energy_goes_where_the_forces_say(case: Case) -> None:
    """Power balance, over the size of the powers in it."""
    run = case.run()
    power = float(np.abs(run.energy).max()) / END + 1.0
    assert float(np.abs(run.power_balance).max()) < 1e-10 * power


@few(40)
@given(cases(RESTING))
def test_change_of_energy_is_the_work_of_the_inputs(case: Case) -> None:
    """T + V over the whole run against the integral of the power of pull, turn and drag."""
    run, z = case.run(), case.constants
    pull = z["pull_size"] * np.cos(z["pull_rate"] * (run.t - 0.5))
    turn = z["turn_size"] * np.sin(run.phi1 + z["turn_phase"])
    turn = turn - z["drag"] * np.tanh(run.phi1_dot)
    power = (pull * run.ahead + turn * run.phi1_dot).values[1:-1]
    total = (run.energy + run.potential).values
    size = float(np.abs(run.energy).max() + np.abs(run.potential).max())
    same(total[-1] - total[0], WEIGHTS @ power, size)


@few(40)
@given(cases(RESTING, driven=False, drag=False))
def test_energy_is_kept_where_nothing_drives_or_brakes(case: Case) -> None:
    run = case.run()
    total = (run.energy + run.potential).values
    size = float(np.abs(run.energy).max() + np.abs(run.potential).max())
    same(total, np.full_like(total, total[0]), size, 1e-11)


def blade_velocity(case: Case, run: xr.Dataset, body: int) -> np.ndarray:
    """Velocity of the blade across itself, by the kinematics of the chain in plain numbers."""
    p = case.parameters
    vx, vy = _base_velocity(case, run)
    angle = spin = 0.0
    for i in range(1, body + 1):
        here = angle if case.shape.relative else 0.0
        turned = spin if case.shape.relative else 0.0
        angle, spin = here + run[f"phi{i}"].values, turned + run[f"phi{i}_dot"].values
        reach = p[f"s{i}"] if i == body else p[f"l{i}"]
        vx, vy = vx - reach * spin * np.sin(angle), vy + reach * spin * np.cos(angle)
    way = angle + p[f"d{body}"]
    return -vx * np.sin(way) + vy * np.cos(way)


def _base_velocity(case: Case, run: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    if case.shape.base in ("free", "rail"):
        return run.x_dot.values, run.y_dot.values
    if case.shape.base == "pinned":
        return np.zeros_like(TIMES), np.zeros_like(TIMES)
    reach, w = case.parameters["reach"], case.parameters["shake"]
    return reach * w * np.cos(w * TIMES), -reach * w * np.sin(2 * w * TIMES)


@few(40)
@given(cases())
def test_blades_move_only_along_themselves(case: Case) -> None:
    run = case.run()
    fast = max(
        1.0, float(max(np.abs(run[q.dot.name]).max() for q in chain(case.shape).coordinates))
    )
    for body in case.shape.blades:
        assert float(np.abs(blade_velocity(case, run, body)).max()) < 1e-12 * fast
        assert float(np.abs(run[f"v_blade{body}"]).max()) < 1e-12 * fast


@few(20)
@given(cases(of("rail")))
def test_the_hinge_stays_on_its_rail(case: Case) -> None:
    run = case.run()
    size = max(1.0, float(np.abs(run.x).max()))
    assert float(np.abs(run.y - case.parameters["slope"] * run.x).max()) < 1e-13 * size


@few(40)
@given(cases())
def test_rates_are_the_derivatives_of_the_coordinates(case: Case) -> None:
    """Over the whole run: q(end) − q(0) = ∫ q̇ dt."""
    run = case.run()
    for q in chain(case.shape).coordinates:
        change = WEIGHTS @ run[q.dot.name].values[1:-1]
        same(run[q.name][-1] - run[q.name][0], change, float(np.abs(run[q.name]).max()))


@few(40)
@given(cases(RESTING, drag=False))
def test_a_run_leads_back_to_its_start(case: Case) -> None:
    """From the end with all velocities turned round: the same path with the same reactions."""
    there, system = case.run(), chain(case.shape)
    back_from = {q.name: float(there[q.name][-1]) for q in system.coordinates}
    back_from |= {v.name: -float(there[v.name][-1]) for v in system.quasi_velocities}
    back = replace(case, start=back_from).run().isel(t=slice(None, None, -1))
    for q in system.coordinates:
        same(back[q.name], there[q.name])
        same(-back[q.dot.name], there[q.dot.name])
    for c in system.constraints:
        same(back[c.reaction.name], there[c.reaction.name])


@few(10)
@given(cases())
def test_the_engines_agree(case: Case) -> None:
    """One integrates Maggi's rows, the other Lagrange's multiplier form."""
    same_motion(case.run("scipy"), case.run(), case.shape, 1e-8)


@cache
def rewritten(shape: Shape) -> System:
    """The same chain in other quasi-velocities, regular wherever the declared ones are."""
    system = chain(shape)
    names = [v.name for v in system.quasi_velocities]
    turns = [n for n in names if n.startswith("phi")]
    names[names.index(turns[-1])] = "turning"
    return system.with_quasi_velocities(*names)


@few(20)
@given(cases(REWRITTEN))
def test_the_motion_does_not_depend_on_the_quasi_velocities(case: Case) -> None:
    other = rewritten(case.shape)
    assert other.quasi_velocities != chain(case.shape).quasi_velocities
    run = zwang.simulate(
        other,
        parameters=case.parameters,
        initial=case.start,
        inputs=LAWS,
        constants=case.constants,
        times=TIMES,
        tolerance=TOLERANCE,
    )
    if int(run.status) == 0:
        same_motion(run, case.run(), case.shape)
    else:
        assert "chart" in run.message.item() or "dependent" in run.message.item()


# Statements about scales and symmetries ----------------------------------------------------------


@few(20)
@given(cases(), between(0.2, 5.0))
def test_motion_does_not_depend_on_the_unit_of_mass(case: Case, factor: float) -> None:
    """All masses and forces by a factor: the same motion, reactions by the factor."""
    scaled = {n: v * factor if n[0] in "mJkK" else v for n, v in case.parameters.items()}
    forces = {n: case.constants[n] * factor for n in ("pull_size", "turn_size", "drag")}
    heavy = replace(case, parameters=scaled, constants=case.constants | forces).run()
    light = case.run()
    for c in chain(case.shape).constraints:
        heavy[c.reaction.name] = heavy[c.reaction.name] / factor
    same_motion(heavy, light, case.shape)


@few(20)
@given(cases(of("free"), drag=False), between(-3.0, 3.0), between(-5.0, 5.0), between(-5.0, 5.0))
def test_space_has_no_preferred_place_or_direction(
    case: Case, turn: float, dx: float, dy: float
) -> None:
    """Without gravity and the spring to the origin a turned start gives the turned path."""
    flat = case.parameters | {"g": 0.0, "k": 0.0}
    # The torque and the hinge springs of the first body know the x axis; leave them out.
    case = replace(
        case, parameters=flat | {"K": 0.0}, constants=case.constants | {"turn_size": 0.0}
    )
    c, s = np.cos(turn), np.sin(turn)
    at = dict(case.start)
    at |= {"x": c * at["x"] - s * at["y"] + dx, "y": s * at["x"] + c * at["y"] + dy}
    for name in [n for n in at if n.startswith("phi") and not n.endswith("_dot")]:
        at[name] += turn if name == "phi1" or not case.shape.relative else 0.0
    if "x_dot" in at:
        at |= {
            "x_dot": c * at["x_dot"] - s * at["y_dot"],
            "y_dot": s * at["x_dot"] + c * at["y_dot"],
        }
    first, turned = case.run(), replace(case, start=at).run()
    size = 1.0 + abs(dx) + abs(dy) + float(np.abs(first.x).max() + np.abs(first.y).max())
    same(turned.x, c * first.x - s * first.y + dx, size)
    same(turned.y, s * first.x + c * first.y + dy, size)
    for con in chain(case.shape).constraints:
        same(turned[con.reaction.name], first[con.reaction.name])


@few(20)
@given(cases(RESTING, driven=False, drag=False), st.sampled_from([0.5, 2.0]))
def test_a_free_run_at_another_speed_is_the_same_path(case: Case, faster: float) -> None:
    """Without forces: velocities by a factor, times by its inverse, reactions by its square."""
    case = replace(case, parameters=case.parameters | {"g": 0.0, "k": 0.0, "K": 0.0})
    names = [v.name for v in chain(case.shape).quasi_velocities]
    quick = {n: v * faster if n in names else v for n, v in case.start.items()}
    slow = case.run()
    fast = zwang.simulate(
        chain(case.shape),
        parameters=case.parameters,
        initial=quick,
        inputs=LAWS,
        constants=case.constants,
        times=TIMES / faster,
        tolerance=TOLERANCE,
    )
    for q in chain(case.shape).coordinates:
        same(fast[q.name], slow[q.name])
    for c in chain(case.shape).constraints:
        same(fast[c.reaction.name], slow[c.reaction.name] * faster**2)


# Many runs at once -------------------------------------------------------------------------------


@few(12)
@given(
    st.sampled_from(SHAPES).flatmap(
        lambda shape: st.lists(cases((shape,)), min_size=2, max_size=9)
    ),
    st.randoms(use_true_random=False),
)
def test_a_run_does_not_depend_on_its_lane_or_its_neighbours(
    runs: list[Case], order: random.Random
) -> None:
    """Bit for bit the same alone, in a row, shuffled, and cut into parts."""
    shuffled = list(range(len(runs)))
    order.shuffle(shuffled)
    whole, mixed = sweep(runs), sweep([runs[i] for i in shuffled])
    names = [n for n in whole.data_vars if n.endswith("_end")]
    names += ["residual", "defect", "pivot", "steps", "status", "time_reached"]
    for name in names:
        assert np.array_equal(mixed[name], whole[name].values[shuffled], equal_nan=True), name
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("zwang.api.RUNS_PER_CALL", 2)
        for threads in (1, 2):
            parts = sweep(runs, threads=threads)
            for name in names:
                assert np.array_equal(parts[name], whole[name], equal_nan=True), name
    alone = runs[0].run()
    for q in chain(runs[0].shape).coordinates:
        assert float(alone[q.name][-1]) == float(whole[f"{q.name}_end"][0])


def sweep(runs: list[Case], threads: int = 1) -> xr.Dataset:
    columns = {n: [r.parameters[n] for r in runs] for n in runs[0].parameters}
    columns |= {n: [r.constants[n] for r in runs] for n in runs[0].constants}
    columns |= {f"{n}_0": [r.start[n] for r in runs] for n in runs[0].start}
    return zwang.sweep(
        chain(runs[0].shape),
        parameters={},
        initial={},
        inputs=LAWS,
        points=columns,
        end=END,
        tolerance=TOLERANCE,
        threads=threads,
    )
