"""Every way a run can end: named, at the right time, in a sentence, and without harm to others."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
import xarray as xr

import zwang
from zwang import laws
from zwang.assemble import MODES
from zwang.bodies import Force, Particle
from zwang.engine.ensemble import ENDED
from zwang.geometry import Point
from zwang.quantities import Coordinate, Input, Parameter
from zwang.store import STATUS
from zwang.system import Constraint, Contact, System

CODE = {name: code for code, (name, _) in STATUS.items()}
G = 9.81
CAR = zwang.systems.car()
P = {"M1": 1000.0, "M2": 110.0, "J1": 1500.0, "J2": 30.0, "l1": 0.75, "l2": 1.65, "g": G}
MASS, L = P["M1"] + P["M2"], P["l1"] + P["l2"]
REAR, FRONT = P["M1"] * G * P["l1"] / L, (P["M1"] * P["l2"] / L + P["M2"]) * G
GRIP = P | {"mu_rear": 0.5, "mu_front": 0.8}
STRAIGHT = {"phi": 0.0, "theta": 0.0, "x": 0.0, "y": 0.0, "u": 10.0, "theta_dot": 0.0}
CIRCLE = {"rear": laws.FrictionCircle(drive="F1"), "front": laws.Coulomb()}
TRANSFER = laws.Coulomb(load="transfer")
HEIGHT = 0.6


def hanging() -> System:
    """Return a weight on a rope and a force that lifts it: taut while the rope pulls."""
    z = Coordinate("z", "z", "m", "height of the weight")
    m, g = Parameter("m", "m", "kg", "mass"), Parameter("g", "g", "m/s**2", "gravity")
    lift = Input("lift", "F", "N", "force upward")
    at = Point(z)
    return System(
        name="hanging",
        title="Weight on a rope",
        source="Moreau",
        coordinates=(z,),
        bodies=(Particle(m, at=at),),
        forces=(Force(Point(lift - m * g), at=at),),
        constraints=(Constraint("rope", z.dot, meaning="pull of the rope, upward"),),
    )


def oscillator() -> System:
    """Return a mass on a rough floor between springs."""
    x = Coordinate("x", "x", "m", "position of the mass")
    m, k, g = Parameter("m"), Parameter("k"), Parameter("g")
    at = Point(x)
    return System(
        name="floor_oscillator",
        title="Oscillator on a rough floor",
        source="Moreau",
        coordinates=(x,),
        bodies=(Particle(m, at=at),),
        forces=(Force(Point(-k * x), at=at),),
        constraints=(Contact("floor", x.dot, load=m * g),),
    )


@dataclass(frozen=True)
class Case:
    """Runs that differ in one constant or start value: with `bad` they end early, at `when`."""

    system: System
    parameters: dict[str, float]
    initial: dict[str, float]
    when: Callable[[float], float]
    axis: str
    bad: float
    good: tuple[float, ...]
    end: float = 2.0
    inputs: dict[str, str] = field(default_factory=dict)
    constants: dict[str, float] = field(default_factory=dict)
    contacts: laws.Contacts = "coulomb"
    precision: float = 1e-9

    def one(self, value: float, times: np.ndarray | None = None, **more: object) -> xr.Dataset:
        """Return the run with one value of the axis."""
        initial, parameters = dict(self.initial), dict(self.parameters)
        constants = dict(self.constants)
        if self.axis.endswith("_0"):
            initial[self.axis.removesuffix("_0")] = value
        elif self.axis in {p.name for p in self.system.parameters}:
            parameters[self.axis] = value
        else:
            constants[self.axis] = value
        return zwang.simulate(
            self.system,
            parameters=parameters,
            initial=initial,
            constants=constants,
            inputs=self.inputs,
            contacts=self.contacts,
            times=np.linspace(0.0, self.end, 41) if times is None else times,
            **more,
        )

    def many(self, values: list[float]) -> xr.Dataset:
        """Return the sweep over values of the axis."""
        return zwang.sweep(
            self.system,
            parameters={k: v for k, v in self.parameters.items() if k != self.axis},
            initial={k: v for k, v in self.initial.items() if f"{k}_0" != self.axis},
            inputs=self.inputs,
            constants=self.constants,
            contacts=self.contacts,
            end=self.end,
            points={self.axis: np.array(values)},
        )


def oscillating(static: float, kinetic: float, **more: object) -> Case:
    return Case(
        oscillator(),
        {"m": 2.0, "k": 50.0, "g": G},
        {"x": 0.0},
        when=lambda _: np.pi / 5.0,
        contacts=laws.Coulomb(mu=static, mu_kinetic=kinetic),
        axis="x_0",
        **more,
    )


def lifted(push: float) -> float:
    """Return when the weight, thrown up by a push from 0.5 s to 1 s, falls into the rope."""
    a = push / 2.0 - G
    v, height = 0.5 * a, 0.125 * a
    return 1.0 + (v + np.sqrt(v**2 + 2.0 * G * height)) / G


CASES = {
    "at_rest": Case(
        CAR,
        GRIP,
        STRAIGHT,
        when=lambda F: 10.0 * MASS / F,
        inputs={"F2": "F"},
        axis="F",
        bad=8000.0,
        good=(500.0, 0.0, 5000.0),
        precision=1e-6,
    ),
    "slack": Case(
        hanging(),
        {"m": 2.0, "g": G},
        {"z": 0.0},
        when=lifted,
        inputs={"lift": "F*pulse(0.5, 1)"},
        contacts={"rope": laws.OneSided()},
        axis="F",
        bad=30.0,
        good=(10.0, 19.0, 60.0),
    ),
    "lift_off": Case(
        CAR,
        GRIP | {"h": HEIGHT},
        STRAIGHT | {"u": 40.0},
        when=lambda B: REAR * L / (HEIGHT * B),
        inputs={"F1": "-B*t"},
        contacts=TRANSFER,
        axis="B",
        bad=9000.0,
        good=(100.0, 5000.0, -9000.0),
    ),
    "not_unique": oscillating(0.5, 0.2, bad=0.3, good=(0.1, 0.22, -0.1), end=1.0),
    "drive_exceeds_grip": Case(
        CAR,
        GRIP,
        STRAIGHT,
        when=lambda F: 0.5 * REAR / F,
        inputs={"F1": "F*(t + T)"},
        constants={"T": 0.0},
        contacts=CIRCLE,
        axis="F",
        bad=1000.0,
        good=(500.0, -500.0, 0.0),
        precision=1e-4,
    ),
    "singular_chart": Case(
        CAR.with_quasi_velocities("phi_dot", "theta_dot"),
        GRIP | {"mu_rear": 50.0, "mu_front": 50.0},
        {"phi": 0.0, "theta": 0.1, "x": 0.0, "y": 0.0, "u": 2.0, "theta_dot": 0.0},
        when=lambda w: np.nan,
        axis="theta_dot_0",
        bad=-0.4,
        good=(0.4, 0.0, 0.1),
    ),
    "step_too_small": Case(
        CAR,
        GRIP,
        STRAIGHT,
        when=lambda T: T,
        inputs={"F1": "1000/(T - t)"},
        axis="T",
        bad=1.25,
        good=(3.0, 2.5, 10.0),
        precision=1e-6,
    ),
    "non_finite": Case(
        CAR,
        GRIP,
        STRAIGHT,
        when=lambda _: 0.75,
        inputs={"F1": "log(A - step(0.75))"},
        axis="A",
        bad=0.5,
        good=(1.5, 2.0, 30.0),
    ),
}


pytestmark = pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")


@pytest.mark.parametrize("name", CASES)
def test_a_run_ends_with_the_status_that_describes_it(name: str) -> None:
    case = CASES[name]
    run = case.one(case.bad)
    assert STATUS[int(run.status)][0] == name
    when = case.when(case.bad)
    if np.isfinite(when):
        assert 0.0 < when < case.end
        assert float(run.time_reached) == pytest.approx(when, abs=case.precision)
    else:
        assert 0.0 < float(run.time_reached) < case.end


@pytest.mark.parametrize("name", CASES)
def test_its_message_is_a_sentence_with_the_time(name: str) -> None:
    run = CASES[name].one(CASES[name].bad)
    text = run.message.item()
    assert f"{float(run.time_reached):.6g} s" in text
    assert len(text.split()) > 5
    assert "{" not in text


@pytest.mark.parametrize("name", CASES)
def test_after_the_time_reached_there_is_nothing(name: str) -> None:
    case = CASES[name]
    run = case.one(case.bad)
    reached = float(run.time_reached)
    after = (run.t > reached + 1e-9).values
    before = (run.t < reached - 1e-6).values
    assert after.any()
    assert before.any()
    along = [n for n, v in run.data_vars.items() if v.dims[-1:] == ("t",) and n != "mode"]
    assert len(along) > 5
    for one in along:
        assert np.isnan(run[one].values[..., after]).all(), one
        assert np.isfinite(run[one].values[..., before]).all(), one
    if "mode" in run:
        assert (run["mode"].values[..., after] == ENDED).all()
        assert np.isin(run["mode"].values[..., before], [-1, 0, 1]).all()
    assert set(MODES) == {-1, 0, 1, ENDED}


@pytest.mark.parametrize("name", CASES)
def test_the_others_reach_their_end_and_do_not_notice(name: str) -> None:
    case = CASES[name]
    good = list(case.good)
    mixed = case.many([good[0], case.bad, good[1], good[2], case.bad, good[0]])
    alone = case.many(good)
    assert [STATUS[int(s)][0] for s in mixed.status] == ["ok", name, "ok", "ok", name, "ok"]
    assert (mixed.time_reached.values[[0, 2, 3, 5]] == case.end).all()
    kept = {"run": [0, 2, 3]}
    for one in [n for n, v in alone.data_vars.items() if v.dims[:1] == ("run",)]:
        ours, theirs = mixed[one].isel(kept).values, alone[one].values
        if ours.dtype == object:
            assert list(ours) == list(theirs)
        else:
            assert np.array_equal(ours, theirs, equal_nan=True), one
    assert [m.item() for m in mixed.message.isel(kept)] == ["", "", ""]


@pytest.mark.parametrize("name", CASES)
def test_the_state_at_the_time_reached_is_kept(name: str) -> None:
    case = CASES[name]
    swept = case.many([case.good[0], case.bad])
    reached = float(swept.time_reached[1])
    path = case.one(case.bad, np.array([0.0, reached - 1e-7, case.end]))
    for q in (q.name for q in case.system.coordinates):
        rate = float(path[f"{q}_dot"][1])
        expected = float(path[q][1]) + 1e-7 * rate
        assert float(swept[f"{q}_end"][1]) == pytest.approx(expected, abs=1e-5), q


@pytest.mark.parametrize("name", CASES)
def test_a_failed_run_is_the_same_alone_and_in_company(name: str) -> None:
    case = CASES[name]
    mixed, alone = case.many([case.good[0], case.bad, case.good[1]]), case.one(case.bad)
    assert float(mixed.time_reached[1]) == float(alone.time_reached)
    assert mixed.message.values[1] == alone.message.item()


def test_a_chart_ends_where_its_velocities_become_dependent() -> None:
    """φ̇ does not tell the speed of a car that drives straight: it ends where θ = 0."""
    case = CASES["singular_chart"]
    reached = float(case.one(case.bad).time_reached)
    regular = zwang.simulate(
        CAR,
        parameters=P,
        initial=case.initial | {"theta_dot": case.bad},
        times=np.array([0.0, reached, 2.0]),
    )
    assert float(regular.theta[0]) == 0.1
    assert abs(float(regular.theta[1])) < 1e-4
    assert float(regular.theta[2]) < 0.0


def test_a_run_that_reaches_its_end_is_ok_and_has_nothing_to_say() -> None:
    run = CASES["at_rest"].one(0.0)
    assert STATUS[int(run.status)][0] == "ok"
    assert run.message.item() == ""
    assert float(run.time_reached) == 2.0
    assert bool(np.isfinite(run.x).all())


def test_too_many_changes_of_mode_end_a_run() -> None:
    """Every half swing is a change; the fourth is one too many for a limit of three."""
    case = oscillating(0.1, 0.1, bad=2.0, good=(), end=6.0)
    free = case.one(2.0)
    assert free.event_time.size > 5
    run = case.one(2.0, event_limit=3)
    assert STATUS[int(run.status)][0] == "event_limit"
    assert float(run.time_reached) == pytest.approx(3.0 * np.pi / 5.0, abs=1e-9)
    assert f"{float(run.time_reached):.6g} s" in run.message.item()
    after = (run.t > float(run.time_reached) + 1e-9).values
    assert np.isnan(run.x.values[after]).all()
    np.testing.assert_array_equal(run.x.values[~after], free.x.values[~after])
    enough = case.one(2.0, event_limit=int(free.event_time.size))
    assert STATUS[int(enough.status)][0] == "ok"


@pytest.mark.parametrize(
    ("force", "name"), [(2000.0, "drive_exceeds_grip"), (-2000.0, "drive_exceeds_grip"), (0, "ok")]
)
def test_a_drive_beyond_the_grip_at_the_start_is_refused_at_once(force: float, name: str) -> None:
    run = zwang.simulate(
        CAR,
        parameters=GRIP,
        initial=STRAIGHT,
        times=np.linspace(0.0, 1.0, 5),
        inputs={"F1": "F*(t + T)"},
        constants={"F": force / 1e3, "T": 1e3},
        contacts=CIRCLE,
    )
    assert STATUS[int(run.status)][0] == name
    assert float(run.time_reached) == (0.0 if force else 1.0)


def test_a_step_of_the_drive_beyond_the_grip_ends_the_run_at_the_step() -> None:
    run = zwang.simulate(
        CAR,
        parameters=GRIP,
        initial=STRAIGHT,
        times=np.linspace(0.0, 1.0, 5),
        inputs={"F1": "500 + 2000*step(0.4)"},
        contacts=CIRCLE,
    )
    assert STATUS[int(run.status)][0] == "drive_exceeds_grip"
    assert float(run.time_reached) == pytest.approx(0.4, abs=1e-12)


def wedged(mu: float, slip: float) -> xr.Dataset:
    """Return a left turn whose front carries μ times a load that its own force may raise."""
    return zwang.simulate(
        CAR,
        parameters=P | {"mu_front": mu, "h": HEIGHT},
        initial=STRAIGHT | {"theta": WEDGE, "u": 3.0, "v_front": slip},
        times=np.linspace(0.0, 0.1, 11),
        contacts={"rear": "ideal", "front": TRANSFER},
    )


WEDGE = 0.6  # the steering angle θ
JAMS = L / (HEIGHT * np.sin(WEDGE))  # from here on μ (h/L) |sin θ| > 1


@pytest.mark.parametrize(("factor", "name"), [(0.95, "ok"), (1.05, "not_unique")])
def test_friction_that_feeds_its_own_load_has_no_motion(factor: float, name: str) -> None:
    """A front sliding outward brakes the car, and so loads itself: N (1 − μ (h/L) sin θ) = N'."""
    run = wedged(factor * JAMS, -0.05)
    assert STATUS[int(run.status)][0] == name
    if name == "ok":
        assert float(run.normal_load[1, 0]) > 10.0 * FRONT
    else:
        assert float(run.time_reached) == 0.0


@pytest.mark.parametrize("mu", [0.95 * JAMS, 1.05 * JAMS, 3.0 * JAMS])
@pytest.mark.parametrize("slip", [0.0, 0.05])
def test_a_front_that_jams_holds(mu: float, slip: float) -> None:
    """Held, or sliding inward until it stops: then only holding goes with a load that presses."""
    run = wedged(mu, slip)
    assert STATUS[int(run.status)][0] == "ok"
    assert int(run["mode"][1, -1]) == 0
    assert run.event_time.size == (slip != 0.0)
    assert bool((run.normal_load > 0.0).all())


def test_a_taut_rope_that_starts_slack_or_stretching_is_no_start() -> None:
    for speed, name in ((1.0, "slack"), (-1.0, "not_unique")):
        run = zwang.simulate(
            hanging(),
            parameters={"m": 2.0, "g": G},
            initial={"z": 0.0, "v_rope": speed},
            times=np.array([0.0, 1.0]),
            contacts={"rope": laws.OneSided()},
        )
        assert STATUS[int(run.status)][0] == name
        assert float(run.time_reached) == 0.0


def test_a_rope_is_taut_again_when_its_gap_has_closed_and_not_before() -> None:
    """With the lift m g + A (τ - b τ²), τ = t - t₁, the gap is A/m (τ³/6 - b τ⁴/12) from t₁ on."""
    rng = np.random.default_rng(5)
    points = {"A": rng.uniform(1, 9, 60), "b": rng.uniform(2, 7, 60), "t1": rng.uniform(0.1, 1, 60)}
    runs = zwang.sweep(
        hanging(),
        parameters={"m": 2.0, "g": G},
        initial={"z": 0.0},
        inputs={"lift": f"{2.0 * G} + A*(t - t1)*(1 - b*(t - t1))"},
        points=points,
        end=3.0,
        contacts={"rope": laws.OneSided()},
    )
    assert (runs.status == CODE["slack"]).all()
    np.testing.assert_allclose(runs.first_slip[:, 0], points["t1"], rtol=0, atol=1e-12)
    closed = points["t1"] + 2 / points["b"]
    np.testing.assert_allclose(runs.time_reached, closed, rtol=0, atol=1e-10)


def test_every_status_occurs_above() -> None:
    assert set(CODE) == {*CASES, "ok", "event_limit"}
