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
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import zwang
from zwang.bodies import AnyForce, Body, Force, Potential, Torque
from zwang.geometry import Point, Vector, across, along, velocity
from zwang.quantities import Coordinate, Input, Parameter, t
from zwang.system import Constraint, Contact, Holonomic, QuasiVelocity, System

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
REWRITTEN = (SHAPES[0], SHAPES[5])  # where `turning` is regular everywhere, and quick to derive


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
            ("N", "N", "load of the blade"),
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
    mu = Parameter("mu", r"\mu", "1", "friction coefficient of the blades")
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
            *(
                Contact(
                    f"blade{i}", velocity(blade[i]) @ across(way[i]), load=number["N"][i], mu=mu
                )
                for i in blade
            ),
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
    "N": (5.0, 50.0),
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
NODES, WEIGHTS = np.polynomial.legendre.leggauss(400)  # near a whip the rates have poles close by
TIMES = np.array([0.0, *(END * (NODES + 1) / 2), END])
WEIGHTS = END / 2 * WEIGHTS


@st.composite
def cases(draw: st.DrawFn, shape: Shape, driven: bool = True, drag: bool = True) -> Case:
    """Numbers spread evenly over their ranges, some of them put on an edge or to zero."""
    system, spread = chain(shape), random.Random(draw(st.integers(0, 2**32 - 1)))

    def number(low: float, high: float) -> float:
        edge = draw(st.sampled_from(["", "", "", "", "", "low", "zero"]))
        value = spread.uniform(low, high)
        if edge == "zero" and low <= 0.0:
            return 0.0
        return low if edge == "low" else value

    parameters = {}
    for p in system.parameters:
        if p.name in system.optional_parameters:
            continue
        letter = p.name if p.name in RANGES else p.name[:-1]
        behind = letter == "s" and spread.random() < 0.5  # the blade is on either side of its hinge
        parameters[p.name] = number(*RANGES[letter]) * (-1 if behind else 1)
    start = {q.name: number(-3.0, 3.0) for q in system.coordinates}
    if shape.base == "rail":
        start["y"] = parameters["slope"] * start["x"]
    start |= {v.name: number(-2.0, 2.0) for v in system.quasi_velocities}
    constants = dict(SILENT)
    if driven:
        constants |= {"pull_size": number(-5.0, 5.0), "pull_rate": number(0.0, 5.0)}
        constants |= {"turn_size": number(-5.0, 5.0), "turn_phase": number(0.0, 3.0)}
    if drag:
        constants["drag"] = number(0.0, 3.0)
    return Case(shape, parameters, start, constants)


def few(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],  # numbers from a seed do not shrink to anything simpler
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def every(
    shapes: tuple[Shape, ...] = SHAPES,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return pytest.mark.parametrize("shape", shapes, ids=str)


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


@every()
@few(8)
@given(st.data())
def test_lagranges_equations_hold_along_every_run(shape: Shape, data: st.DataObject) -> None:
    case = data.draw(cases(shape))
    assert float(case.run().residual.max()) < 1e-11


@every()
@few(8)
@given(st.data())
def test_energy_goes_where_the_forces_say(shape: Shape, data: st.DataObject) -> None:
    """Power balance, over the size of the powers in it."""
    case = data.draw(cases(shape))
    run = case.run()
    power = float(np.abs(run.energy).max()) / END + 1.0
    assert float(np.abs(run.power_balance).max()) < 1e-10 * power


@every(RESTING)
@few(8)
@given(st.data())
def test_change_of_energy_is_the_work_of_the_inputs(shape: Shape, data: st.DataObject) -> None:
    """T + V over the whole run against the integral of the power of pull, turn and drag."""
    case = data.draw(cases(shape))
    run, z = case.run(), case.constants
    pull = z["pull_size"] * np.cos(z["pull_rate"] * (run.t - 0.5))
    turn = z["turn_size"] * np.sin(run.phi1 + z["turn_phase"])
    turn = turn - z["drag"] * np.tanh(run.phi1_dot)
    power = (pull * run.ahead + turn * run.phi1_dot).values[1:-1]
    total = (run.energy + run.potential).values
    size = float(np.abs(run.energy).max() + np.abs(run.potential).max())
    same(total[-1] - total[0], WEIGHTS @ power, size)


@every(RESTING)
@few(8)
@given(st.data())
def test_energy_is_kept_where_nothing_drives_or_brakes(shape: Shape, data: st.DataObject) -> None:
    case = data.draw(cases(shape, driven=False, drag=False))
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
    way = angle + p.get(f"d{body}", 0.0)
    return -vx * np.sin(way) + vy * np.cos(way)


def _base_velocity(case: Case, run: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    if case.shape.base in ("free", "rail"):
        return run.x_dot.values, run.y_dot.values
    if case.shape.base == "pinned":
        return np.zeros_like(TIMES), np.zeros_like(TIMES)
    reach, w = case.parameters["reach"], case.parameters["shake"]
    return reach * w * np.cos(w * TIMES), -reach * w * np.sin(2 * w * TIMES)


@every()
@few(8)
@given(st.data())
def test_blades_move_only_along_themselves(shape: Shape, data: st.DataObject) -> None:
    case = data.draw(cases(shape))
    run = case.run()
    fast = max(
        1.0, float(max(np.abs(run[q.dot.name]).max() for q in chain(case.shape).coordinates))
    )
    for body in case.shape.blades:
        assert float(np.abs(blade_velocity(case, run, body)).max()) < 1e-12 * fast
        assert float(np.abs(run[f"v_blade{body}"]).max()) < 1e-12 * fast


@every(of("rail"))
@few(6)
@given(st.data())
def test_the_hinge_stays_on_its_rail(shape: Shape, data: st.DataObject) -> None:
    case = data.draw(cases(shape))
    run = case.run()
    size = max(1.0, float(np.abs(run.x).max()))
    assert float(np.abs(run.y - case.parameters["slope"] * run.x).max()) < 1e-13 * size


@every()
@few(8)
@given(st.data())
def test_rates_are_the_derivatives_of_the_coordinates(shape: Shape, data: st.DataObject) -> None:
    """Over the whole run: q(end) − q(0) = ∫ q̇ dt."""
    case = data.draw(cases(shape))
    run = case.run()
    for q in chain(case.shape).coordinates:
        change = WEIGHTS @ run[q.dot.name].values[1:-1]
        same(run[q.name][-1] - run[q.name][0], change, float(np.abs(run[q.name]).max()))


@every(RESTING)
@few(8)
@given(st.data())
def test_a_run_leads_back_to_its_start(shape: Shape, data: st.DataObject) -> None:
    """From the end with all velocities turned round: the same path with the same reactions."""
    case = data.draw(cases(shape, drag=False))
    there, system = case.run(), chain(case.shape)
    back_from = {q.name: float(there[q.name][-1]) for q in system.coordinates}
    back_from |= {v.name: -float(there[v.name][-1]) for v in system.quasi_velocities}
    back = replace(case, start=back_from).run().isel(t=slice(None, None, -1))
    for q in system.coordinates:
        same(back[q.name], there[q.name])
        same(-back[q.dot.name], there[q.dot.name])
    for c in system.constraints:
        same(back[c.reaction.name], there[c.reaction.name])


@every()
@few(2)
@given(st.data())
def test_the_engines_agree(shape: Shape, data: st.DataObject) -> None:
    """One integrates Maggi's rows, the other Lagrange's multiplier form."""
    case = data.draw(cases(shape))
    same_motion(case.run("scipy"), case.run(), case.shape, 1e-8)


@cache
def rewritten(shape: Shape) -> System:
    """The same chain in other quasi-velocities, regular wherever the declared ones are."""
    system = chain(shape)
    names = [v.name for v in system.quasi_velocities]
    turns = [n for n in names if n.startswith("phi")]
    names[names.index(turns[-1])] = "turning"
    return system.with_quasi_velocities(*names)


@every(REWRITTEN)
@few(6)
@given(st.data())
def test_the_motion_does_not_depend_on_the_quasi_velocities(
    shape: Shape, data: st.DataObject
) -> None:
    case, other = data.draw(cases(shape)), rewritten(shape)
    assert other.quasi_velocities != chain(shape).quasi_velocities
    same_motion(case.run(system=other), case.run(), shape)


PINNED = Case(
    SHAPES[4],
    {"m1": 3.6, "m2": 2.2, "J1": 1.7, "J2": 1.5, "l1": 1.0, "l2": 1.1, "c1": 0.3, "c2": 0.1}
    | {"s2": -1.25, "N2": 17.0, "g": 8.0, "k": 3.0, "K": 2.0},
    {"phi1": 0.7, "phi2": -1.5, "phi1_dot": 1.6},
    SILENT,
)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9, 1e-12, 1e-14])
def test_velocities_that_become_dependent_end_the_run_with_that_status(tolerance: float) -> None:
    """`turning` is φ̇₁ (2 − 3(l₁/s₂) cos(φ₁ − φ₂)), which passes zero; no step may leap over it."""
    good = PINNED.run()
    p = PINNED.parameters
    factor = (2 - 3 * p["l1"] / p["s2"] * np.cos(good.phi1 - good.phi2)).values
    passed = int(np.argmax(factor < 0.0))
    assert factor[0] > 0.1
    assert passed > 0
    run = zwang.simulate(
        rewritten(PINNED.shape),
        parameters=p,
        initial=PINNED.start,
        inputs=LAWS,
        constants=PINNED.constants,
        times=TIMES,
        tolerance=tolerance,
    )
    assert int(run.status) == 6
    # Loose steps are long: the run may end a step before the place itself.
    assert float(good.t[passed]) - 0.1 < float(run.time_reached) <= float(good.t[passed])


# Statements about scales and symmetries ----------------------------------------------------------


@every()
@few(6)
@given(st.data())
def test_motion_does_not_depend_on_the_unit_of_mass(shape: Shape, data: st.DataObject) -> None:
    """All masses and forces by a factor: the same motion, reactions by the factor."""
    case = data.draw(cases(shape))
    factor = data.draw(st.floats(0.2, 5.0))
    scaled = {n: v * factor if n[0] in "mJkK" else v for n, v in case.parameters.items()}
    forces = {n: case.constants[n] * factor for n in ("pull_size", "turn_size", "drag")}
    heavy = replace(case, parameters=scaled, constants=case.constants | forces).run()
    light = case.run()
    for c in chain(case.shape).constraints:
        heavy[c.reaction.name] = heavy[c.reaction.name] / factor
    same_motion(heavy, light, case.shape)


@every(of("free"))
@few(6)
@given(st.data())
def test_space_has_no_preferred_place_or_direction(shape: Shape, data: st.DataObject) -> None:
    """Without gravity and the spring to the origin a turned start gives the turned path."""
    case = data.draw(cases(shape, drag=False))
    turn = data.draw(st.floats(-3.0, 3.0))
    dx = data.draw(st.floats(-5.0, 5.0))
    dy = data.draw(st.floats(-5.0, 5.0))
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


@every(RESTING)
@few(6)
@given(st.data())
def test_a_free_run_at_another_speed_is_the_same_path(shape: Shape, data: st.DataObject) -> None:
    """Without forces: velocities by a factor, times by its inverse, reactions by its square."""
    case = data.draw(cases(shape, driven=False, drag=False))
    faster = data.draw(st.sampled_from([0.5, 2.0]))
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

KERNEL = ("critical_mu", "time_of_maximum", "onset", "defect", "pivot", "steps", "status")


def assert_equal(got: xr.Dataset, expected: xr.Dataset, names: list[str]) -> None:
    for name in names:
        assert np.array_equal(got[name], expected[name], equal_nan=True), name


@every()
@few(3)
@given(st.data())
def test_a_run_does_not_depend_on_its_lane_or_its_neighbours(
    shape: Shape, data: st.DataObject
) -> None:
    """Bit for bit the same alone, in a row, shuffled, and cut into parts."""
    runs = data.draw(st.lists(cases(shape), min_size=2, max_size=9))
    order = data.draw(st.permutations(range(len(runs))))
    coordinates = chain(shape).coordinates
    names = [*KERNEL, "time_reached", *(f"{n}_end" for q in coordinates for n in (q, q.dot))]
    whole = sweep(runs)
    assert np.isfinite(whole.critical_mu).all()
    assert_equal(sweep([runs[i] for i in order]), whole.isel(run=list(order)), names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("zwang.api.RUNS_PER_CALL", 2)
        for threads in (1, 2):
            assert_equal(sweep(runs, threads=threads), whole, names)
    alone = runs[0].run()
    assert np.array_equal(alone.critical_mu, whole.critical_mu[0])
    for q in coordinates:
        assert float(alone[q.name][-1]) == float(whole[f"{q.name}_end"][0])


@every()
@few(3)
@given(st.data())
def test_no_number_of_a_sweep_depends_on_how_it_is_cut(shape: Shape, data: st.DataObject) -> None:
    """Also those that are computed from the kernel's results: velocities, residuals."""
    runs = data.draw(st.lists(cases(shape), min_size=5, max_size=9))
    whole = sweep(runs)
    with pytest.MonkeyPatch.context() as patch:
        for size in (1, 2):
            patch.setattr("zwang.api.RUNS_PER_CALL", size)
            assert_equal(sweep(runs), whole, [n for n in whole.data_vars if n != "message"])


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
        mu=(0.1, 0.3, 1.0),
        end=END,
        tolerance=TOLERANCE,
        threads=threads,
    )


def test_a_system_without_contacts_can_be_swept() -> None:
    """It has no thresholds; its ends are those of single runs."""
    sleigh, rates = zwang.systems.chaplygin_sleigh(), [0.1, 0.2, 0.3]
    given_ = {"parameters": {"m": 2.0, "J": 0.6, "a": 0.5}}
    start = {"x": 0.0, "y": 0.0, "phi": 0.0, "v": 1.0}
    runs = zwang.sweep(sleigh, **given_, initial=start, grid={"phi_dot_0": rates}, end=1.0)
    for i, rate in enumerate(rates):
        one = zwang.simulate(
            sleigh, **given_, initial=start | {"phi_dot": rate}, times=[0.0, 0.5, 1.0]
        )
        assert float(runs.phi_end[i]) == float(one.phi[-1])
