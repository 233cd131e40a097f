"""Two engines that share no equations agree; runs end with the status that describes them."""

import numpy as np
import pytest
import xarray as xr

import zwang
from zwang.engine.start import StartError

PARAMETERS = {"M1": 1200.0, "M2": 80.0, "J1": 1500.0, "J2": 4.0, "l1": 1.1, "l2": 1.5, "g": 9.81}
MASS = PARAMETERS["M1"] + PARAMETERS["M2"]
START = {"phi": 0.1, "theta": 0.01, "x": 1.0, "y": -2.0, "u": 12.0, "theta_dot": 0.0}
STRAIGHT = START | {"theta": 0.0}
MU = (0.2, 0.5, 0.9)
CAR = zwang.systems.car()
SINGULAR_AT_ZERO = CAR.with_quasi_velocities("phi_dot", "theta_dot")
OK, AT_REST, SINGULAR_CHART, NON_FINITE = 0, 1, 6, 8
ENGINES = ("compiled", "scipy")
COORDINATES = ("phi", "theta", "x", "y")
STATES = (*COORDINATES, *(f"{q}_dot" for q in COORDINATES), "u", "w")

MANOEUVRES = {
    "sine": ({"L1": "8*sin(2*t)", "F1": 300.0, "F2": "50*v+0.5*v**2"}, START),
    "breaks": (
        {
            "L1": "10*pulse(0.5, 1.1) - 9*pulse(1.6, 2.2)",
            "F1": "-800*step(1.3) + 1500*ramp(2.0, 2.6)",
            "F2": "20*v",
        },
        START,
    ),
    "reverse": ({"L1": "3*sin(t)", "F1": -4000.0, "F2": "50*v"}, START | {"u": 5.0}),
}
TIMES = np.linspace(0.0, 4.0, 81)  # holds every break time


def run(
    engine: str = "compiled",
    inputs: dict | None = None,
    initial: dict = START,
    times: np.ndarray = TIMES,
    system: zwang.system.System = CAR,
    **more: object,
) -> xr.Dataset:
    return zwang.simulate(
        system,
        parameters=PARAMETERS,
        initial=initial,
        inputs=inputs,
        times=times,
        engine=engine,
        **more,
    )


@pytest.fixture(scope="module", params=MANOEUVRES)
def pair(request: pytest.FixtureRequest) -> tuple[xr.Dataset, xr.Dataset]:
    inputs, initial = MANOEUVRES[request.param]
    return tuple(run(e, inputs, initial, mu=MU) for e in ENGINES)


def test_engines_agree_on_states(pair: tuple[xr.Dataset, xr.Dataset]) -> None:
    for name in STATES:
        np.testing.assert_allclose(pair[0][name], pair[1][name], rtol=0, atol=1e-10, err_msg=name)


def test_engines_agree_on_reactions(pair: tuple[xr.Dataset, xr.Dataset]) -> None:
    for name in ("reaction_rear", "reaction_front"):
        size = float(np.abs(pair[1][name]).max())
        assert size > 100.0
        np.testing.assert_allclose(pair[0][name], pair[1][name], rtol=0, atol=1e-9 * size)


def test_engines_agree_on_thresholds(pair: tuple[xr.Dataset, xr.Dataset]) -> None:
    onset, reference = (one["onset"].values for one in pair)
    assert (reference[np.isfinite(reference)] > 0.0).any()
    np.testing.assert_allclose(onset, reference, rtol=0, atol=1e-9)
    np.testing.assert_allclose(pair[0]["critical_mu"], pair[1]["critical_mu"], rtol=1e-10)


def test_lagrange_equations_and_power_balance_hold_on_every_output_time(
    pair: tuple[xr.Dataset, xr.Dataset],
) -> None:
    for one in pair:
        assert one["status"] == OK
        assert float(one["residual"].max()) < 1e-10
        assert float(np.abs(one["power_balance"]).max()) < 1e-5


def test_reaction_at_a_break_is_the_one_after_it() -> None:
    inputs = {"F1": "4000*step(1)"}
    after = run(inputs=inputs, times=np.array([0.0, 1.0, 1.0 + 1e-9, 2.0]))["reaction_front"]
    assert abs(float(after[1] - after[2])) < 1e-3 < abs(float(after[0] - after[1]))


@pytest.mark.parametrize("engine", ENGINES)
def test_quadratic_drag_turns_with_the_motion(engine: str) -> None:
    force, k, u0 = 4000.0, 3.0, 5.0
    one = run(engine, {"F1": -force, "F2": f"{k}*v**2"}, STRAIGHT | {"u": u0})
    terminal, rate = np.sqrt(force / k), np.sqrt(force * k) / MASS
    turn = np.arctan(u0 / terminal) / rate
    before, after = np.tan(rate * (turn - TIMES)), -np.tanh(rate * (TIMES - turn))
    assert TIMES[0] < turn < TIMES[-1]
    np.testing.assert_allclose(
        one["u"], terminal * np.where(turn > TIMES, before, after), rtol=0, atol=1e-10
    )


POINTS = {"u_0": np.linspace(4.0, 14.0, 9), "theta_0": np.linspace(0.02, 0.3, 9)}
SWEPT = {"L1": "8*sin(2*t)", "F2": "20*v"}


def swept(points: dict, **more: object) -> xr.Dataset:
    fixed = {k: v for k, v in START.items() if f"{k}_0" not in points}
    return zwang.sweep(
        CAR,
        parameters=PARAMETERS,
        initial=fixed,
        inputs=SWEPT,
        end=3.0,
        points=points,
        mu=MU,
        **more,
    )


def test_a_run_does_not_depend_on_its_lane_or_its_neighbours() -> None:
    whole = swept(POINTS)
    turned = swept({k: v[::-1] for k, v in POINTS.items()})
    for name in ("critical_mu", "onset", "theta_end", "steps", "defect"):
        assert np.array_equal(whole[name], turned[name][::-1], equal_nan=True)
    for i in range(9):
        alone = swept({k: v[i : i + 1] for k, v in POINTS.items()})
        assert np.array_equal(alone["critical_mu"][0], whole["critical_mu"][i])
        initial = START | {k.removesuffix("_0"): float(v[i]) for k, v in POINTS.items()}
        full = run(inputs=SWEPT, initial=initial, times=np.linspace(0.0, 3.0, 7))
        assert np.array_equal(full["critical_mu"], whole["critical_mu"][i])


def test_a_sweep_does_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = swept(POINTS)
    monkeypatch.setattr("zwang.api.RUNS_PER_CALL", 2)
    for threads in (1, 2):
        parts = swept(POINTS, threads=threads)
        xr.testing.assert_identical(parts, whole)


def test_states_do_not_depend_on_the_output_grid() -> None:
    inputs, initial = MANOEUVRES["breaks"]
    times = np.linspace(0.0, 4.0, 801)
    fine, coarse = (run(inputs=inputs, initial=initial, times=t) for t in (times, times[::10]))
    for name in STATES:
        assert np.array_equal(fine[name][::10], coarse[name])
        assert np.isfinite(fine[name]).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_later_start_gives_the_shifted_run(engine: str) -> None:
    first = run(engine, {"L1": "8*sin(2*t)"}, mu=MU)
    later = run(engine, {"L1": "8*sin(2*(t - 3))"}, times=TIMES + 3.0, mu=MU)
    for name in STATES:
        np.testing.assert_allclose(later[name], first[name], rtol=0, atol=1e-10)
    np.testing.assert_allclose(later["onset"], first["onset"] + 3.0, rtol=0, atol=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("u0", [2.0, 5.0])
def test_dry_resistance_stops_the_car_at_the_closed_time(engine: str, u0: float) -> None:
    c0, c2 = 500.0, 2.0
    stop = MASS / np.sqrt(c0 * c2) * np.arctan(u0 * np.sqrt(c2 / c0))
    one = run(engine, {"F2": f"{c0} + {c2}*v**2"}, STRAIGHT | {"u": u0}, np.linspace(0, 15, 31))
    assert one["status"] == AT_REST
    assert "came to rest" in one["message"].item()
    assert float(one["time_reached"]) == pytest.approx(stop, rel=0, abs=1e-9)
    reached = one["t"] <= stop
    assert np.isfinite(one["u"][reached]).all()
    assert np.isnan(one["u"][~reached]).all()


def slow(drive: float) -> xr.Dataset:
    """Return cars that start with 1e-8 to 1 m/s against a dry resistance of 400 N."""
    start = {name: value for name, value in STRAIGHT.items() if name != "u"}
    return zwang.sweep(
        CAR,
        parameters=PARAMETERS,
        initial=start,
        points={"u_0": np.geomspace(1e-8, 1.0, 33)},
        inputs={"F1": drive, "F2": "400"},
        end=10.0,
    )


def test_a_car_comes_to_rest_however_slowly_it_starts() -> None:
    cars, brake = slow(0.0), 400.0 / MASS
    assert (cars.status == AT_REST).all()
    u = cars.u_0.values
    np.testing.assert_allclose(cars.time_reached, u / brake, rtol=0, atol=1e-5)
    way = STRAIGHT["x"] + u**2 / (2 * brake) * np.cos(STRAIGHT["phi"])
    np.testing.assert_allclose(cars.x_end, way, rtol=0, atol=2e-11)


def test_a_car_drives_off_however_slowly_it_starts() -> None:
    cars = slow(900.0)
    assert (cars.status == 0).all()
    gained = 10.0 * 500.0 / MASS
    np.testing.assert_allclose(cars.u_end, cars.u_0 + gained, rtol=0, atol=1e-5)


def test_engines_agree_on_the_time_of_rest_in_a_curve() -> None:
    inputs, times = {"F2": "500 + 2*v**2"}, np.linspace(0.0, 20.0, 21)
    ends = [run(e, inputs, START | {"theta": 0.3, "u": 5.0}, times) for e in ENGINES]
    assert [int(one["status"]) for one in ends] == [AT_REST, AT_REST]
    assert float(ends[0]["time_reached"]) == pytest.approx(float(ends[1]["time_reached"]), abs=1e-7)


def test_a_chart_that_fails_on_the_way_is_a_status_with_its_time() -> None:
    initial = START | {"theta": 0.1, "u": 3.0, "theta_dot": -1.0}
    times = np.linspace(0.0, 1.0, 101)
    regular = run(initial=initial, times=times)
    zero = float(np.interp(0.0, -regular["theta"], times))
    assert 0.05 < zero < 0.9
    one = run(initial=initial, times=times, system=SINGULAR_AT_ZERO)
    assert one["status"] == SINGULAR_CHART
    assert float(one["time_reached"]) == pytest.approx(zero, abs=1e-4)
    assert f"t = {float(one['time_reached']):.6g} s" in one["message"].item()
    np.testing.assert_allclose(one["u"][:5], regular["u"][:5], rtol=0, atol=1e-9)


def test_a_chart_that_fails_at_the_start_is_a_status() -> None:
    one = run(initial=STRAIGHT, system=SINGULAR_AT_ZERO)
    assert (int(one["status"]), float(one["time_reached"])) == (SINGULAR_CHART, 0.0)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_without_a_start_leaves_its_neighbours_alone(engine: str) -> None:
    def table(angles: list[float]) -> xr.Dataset:
        return zwang.sweep(
            CAR,
            parameters=PARAMETERS,
            initial={"phi": 0.0, "x": 0.0, "y": 0.0, "phi_dot": 0.5, "theta_dot": 0.1},
            grid={"theta_0": angles},
            end=0.5,
            engine=engine,
            mu=MU,
        )

    some, others = table([-0.2, 0.0, 0.2]), table([-0.2, 0.2])
    assert some["status"].values.tolist() == [OK, SINGULAR_CHART, OK]
    assert some["message"].values.tolist()[::2] == ["", ""]
    assert "dependent at t = 0 s" in some["message"].values[1]
    assert np.isnan(some["critical_mu"][1]).all()
    assert np.array_equal(some["critical_mu"][::2], others["critical_mu"])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_an_overflowing_input_is_a_status(engine: str) -> None:
    one = run(engine, {"L1": "exp(1000*step(1))"})
    assert one["status"] == NON_FINITE
    assert float(one["time_reached"]) == 1.0
    assert "not finite appeared at t = 1 s" in one["message"].item()
    assert np.isnan(one["theta"][TIMES > 1.0]).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"u": None}, r"2 free velocities, given are 1 \(theta_dot\); give 1 more"),
        ({"w": 3.0}, r"given are 3 \(u, theta_dot, w\); leave out 1"),
        ({"v_rear": 0.1}, "v_rear starts at 0.1, but ideal constraints hold it"),
        ({"theta_dot": None, "w": 3.0}, "u, w together with the constraints do not fix the motion"),
        ({"phi": None, "y": None}, "initial values of phi, y are missing"),
    ],
)
def test_a_start_that_fixes_no_motion_is_a_sentence(change: dict, sentence: str) -> None:
    initial = {k: v for k, v in (START | change).items() if v is not None}
    with pytest.raises(StartError, match=sentence):
        run(initial=initial)


def test_a_held_velocity_may_be_given_as_zero() -> None:
    plain, named = run(), run(initial=START | {"v_rear": 0.0, "v_front": 0.0})
    assert np.array_equal(plain["x"], named["x"])


@pytest.mark.parametrize("engine", ["compiled", "scipy"])
def test_a_break_at_the_very_end_does_not_count(engine: str) -> None:
    """The force switches off at the last instant: the run still ends under force."""
    run = zwang.simulate(
        zwang.systems.car(),
        parameters=PARAMETERS,
        inputs={"F1": "4000*pulse(1, 2)"},
        initial={"phi": 0, "theta": 0.2, "x": 0, "y": 0, "u": 8, "theta_dot": 0},
        times=np.linspace(0.0, 2.0, 5),
        engine=engine,
    )
    assert float(np.abs(run.residual).max()) < 1e-10
    assert float(run.reaction_front[-1]) == pytest.approx(float(run.reaction_front[-2]), rel=0.5)


def test_scipy_gives_up_after_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zwang.engine.reference.STEPS_AT_MOST", 150)
    run = zwang.simulate(
        zwang.systems.car(),
        parameters=PARAMETERS,
        inputs={"L1": "1e3*sin(1e3*t)"},
        initial={"phi": 0, "theta": 0.2, "x": 0, "y": 0, "u": 8, "theta_dot": 0},
        times=[0.0, 1.0],
        engine="scipy",
        tolerance=1e-9,
    )
    assert int(run.status) == 7
    assert 0.0 < float(run.time_reached) < 1.0
