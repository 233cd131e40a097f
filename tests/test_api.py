"""The public names of a notebook: what they return, and what they say about a wrong name."""

import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import zwang
from zwang import store
from zwang.codegen import generate
from zwang.domains import domain_fault
from zwang.kernel import build
from zwang.quantities import Input, Parameter

PARAMETERS = {"M1": 1200.0, "M2": 80.0, "J1": 1500.0, "J2": 4.0, "l1": 1.1, "l2": 1.5, "g": 9.81}
INITIAL = {"phi": 0.0, "theta": 0.1, "x": 0.0, "y": 0.0, "u": 8.0, "theta_dot": 0.0}
INPUTS = {"L1": "A*sin(2*t)", "F2": "20*v"}
CONSTANTS = {"A": 5.0}
GRID = {
    "u_0": np.array([6.0, 9.0, 12.0]),
    "theta_0": np.array([0.05, 0.2]),
    "A": np.array([2.0, 7.0]),
}
CAR = zwang.systems.car()
TIMES = np.linspace(0.0, 2.0, 21)


def simulate(**changes: object) -> xr.Dataset:
    call = {
        "parameters": PARAMETERS,
        "initial": INITIAL,
        "inputs": INPUTS,
        "constants": CONSTANTS,
        "times": TIMES,
        "mu": (0.3,),
    }
    return zwang.simulate(CAR, **(call | changes))


def sweep(**changes: object) -> xr.Dataset:
    rest = {k: v for k, v in INITIAL.items() if k not in ("u", "theta")}
    call = {
        "parameters": PARAMETERS,
        "initial": rest,
        "inputs": INPUTS,
        "grid": GRID,
        "end": 2.0,
        "mu": (0.3, 0.6),
    }
    return zwang.sweep(CAR, **(call | changes))


@pytest.fixture(scope="module")
def table() -> xr.Dataset:
    return sweep()


def test_equations_of_a_system_have_one_row_for_each_unknown() -> None:
    equations = zwang.derive(zwang.systems.car(), "maggi")
    assert len(equations.lhs) == len(equations.rhs) == len(equations.unknowns)


def test_a_run_holds_what_the_design_promises() -> None:
    run = simulate()
    motion = {"phi", "theta", "x", "y", "phi_dot", "theta_dot", "x_dot", "y_dot", "w", "u", "v"}
    forces = {"reaction_rear", "reaction_front", "normal_load", "utilisation", "mode"}
    judged = {"energy", "power_balance", "residual", "status", "message", "onset", "critical_mu"}
    assert motion | forces | judged <= set(run.data_vars)
    assert np.array_equal(run["t"], TIMES)
    assert run["contact"].values.tolist() == ["rear", "front"]


def test_a_sweep_has_its_axes_as_dimensions(table: xr.Dataset) -> None:
    assert table["critical_mu"].dims == ("u_0", "theta_0", "A", "contact")
    assert table["onset"].dims == ("u_0", "theta_0", "A", "contact", "mu")
    assert {"first_contact", "critical_mu_common", "status", "message"} <= set(table.data_vars)
    for name, values in GRID.items():
        assert np.array_equal(table[name], values)


def test_points_are_runs_one_after_the_other(table: xr.Dataset) -> None:
    points = {"u_0": [6.0, 12.0], "theta_0": [0.2, 0.05], "A": [7.0, 2.0]}
    listed = sweep(grid=None, points=points)
    for i in range(2):
        at = {name: values[i] for name, values in points.items()}
        assert np.array_equal(listed["critical_mu"][i], table["critical_mu"].sel(at))


def test_run_of_gives_the_run_behind_a_point(table: xr.Dataset) -> None:
    point = {"u_0": 9.0, "theta_0": 0.2, "A": 7.0}
    run = zwang.run_of(table, times=TIMES, **point)
    one = table.sel(point)
    np.testing.assert_allclose(run["critical_mu"], one["critical_mu"], rtol=1e-14)
    np.testing.assert_allclose(run["onset"], one["onset"], rtol=1e-14)
    np.testing.assert_allclose(run["theta"][-1], one["theta_end"], rtol=1e-13)
    assert float(run["u"][0]) == pytest.approx(9.0, rel=1e-15)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: simulate(parameters=PARAMETERS | {"m1": 1.0}), "'m1'; did you mean M1"),
        (lambda: simulate(parameters={"M1": 1.0}), "J1, J2, M2, g, l1, l2 are missing"),
        (lambda: simulate(parameters=PARAMETERS | {"M1": np.nan}), "M1 came as nan"),
        (lambda: simulate(initial=INITIAL | {"thet": 0.0}), "'thet'; did you mean theta"),
        (lambda: simulate(engine="scypi"), "no engine 'scypi'; did you mean scipy"),
        (lambda: simulate(inputs=INPUTS | {"F3": "1"}), "F3.*did you mean F"),
        (lambda: simulate(times=[0.0, 2.0, 1.0]), "ascending times"),
        (lambda: simulate(mu=(-0.1,)), "none negative"),
        (lambda: sweep(grid={"theta0": [0.1], "A": [1.0]}), "'theta0'.*did you mean theta_0"),
        (lambda: sweep(points=GRID), "either as grid"),
        (lambda: sweep(grid=None, points={"u_0": [1.0, 2.0], "A": [1.0]}), "columns of one length"),
        (lambda: zwang.systems.load("cart"), "'cart'; did you mean car"),
        (lambda: zwang.derive(CAR, "magi"), "'magi'; did you mean maggi"),
    ],
)
def test_a_wrong_argument_is_a_sentence_with_the_remedy(call: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("point", "sentence"),
    [
        ({"u0": 9.0}, "no axis 'u0'; did you mean u_0"),
        ({"u_0": 9.0, "A": 2.0}, "theta_0 is missing"),
    ],
)
def test_run_of_needs_every_axis(table: xr.Dataset, point: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        zwang.run_of(table, **point)


def test_an_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"it offers .*simulate"):
        zwang.simulat  # noqa: B018


@pytest.mark.parametrize("made", [simulate, sweep])
def test_every_variable_says_what_it_is_and_survives_the_file(made: object, tmp_path: Path) -> None:
    data = made()  # type: ignore[operator]
    for name, var in data.variables.items():
        text = var.dtype.kind in "OSTU"
        for key in ("long_name",) if text else ("units", "long_name", "symbol"):
            assert var.attrs.get(key), f"{name} lacks {key}"
    store.write(data, tmp_path / "data.nc")
    again = store.read(tmp_path / "data.nc")
    xr.testing.assert_equal(again, data)
    for name, var in data.variables.items():
        for key, value in var.attrs.items():
            assert np.array_equal(again[name].attrs[key], value), f"{name}.{key}"


@pytest.mark.parametrize("module", ["zwang", "zwang.stages.simulate"])
def test_import_does_not_load_symbols(module: str) -> None:
    code = f"import sys, {module}; print('sympy' in sys.modules, 'matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_without_a_compiler_the_slow_engine_remains(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    expected = simulate()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    caches = (build.compiler, build.compiler_version)
    for cache in caches:
        cache.cache_clear()
    try:
        with pytest.raises(
            build.NoCompiler, match=re.escape("Install one (Debian: apt install gcc")
        ):
            simulate()
        slow = simulate(engine="scipy")
    finally:
        for cache in caches:
            cache.cache_clear()
    np.testing.assert_allclose(slow["theta"], expected["theta"], rtol=0, atol=1e-10)


# Parameters that make no sense --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("M1", -1000.0, "a number above zero"),
        ("J2", 0.0, "a number above zero"),
        ("l1", -0.75, "a number above zero"),
        ("g", 0.0, "a number above zero"),
        ("M2", -1.0, "a number not negative"),
        ("mu_front", -0.1, "a number not negative"),
        ("h", -0.1, "a number not negative"),
    ],
)
def test_parameters_that_make_no_sense_are_told_before_anything_runs(
    name: str, value: float, expected: str
) -> None:
    says = rf"{name} came as {value:g}; expected {expected} \(.*\)"
    with pytest.raises(ValueError, match=says):
        zwang.simulate(CAR, parameters=PARAMETERS | {name: value}, initial=INITIAL, times=[0, 1])
    with pytest.raises(ValueError, match=f"axis {name}: {says}"):
        zwang.sweep(CAR, parameters=PARAMETERS, initial=INITIAL, grid={name: [1, value]}, end=1.0)


def test_a_massless_front_axle_makes_sense() -> None:
    given = PARAMETERS | {"M2": 0.0}
    assert zwang.simulate(CAR, parameters=given, initial=INITIAL, times=[0, 1]).status == 0


def test_domains_reach_the_model_and_not_the_datasets() -> None:
    model = generate(zwang.systems.car(), {}, {}).model["quantities"]
    assert model["M1"]["domain"] == "positive"
    assert model["M2"]["domain"] == "nonnegative"
    assert "domain" not in model["phi"]
    assert domain_fault("M1", 1.0, "positive") is None
    assert domain_fault("M1", 0.0, "nonnegative") is None
    assert domain_fault("rho", -1.0, "any") is None
    assert domain_fault("M1", float("nan"), "positive")
    with pytest.raises(ValueError, match="no domain 'round'"):
        Parameter("M1", domain="round")  # type: ignore[arg-type]


def test_a_symbol_with_a_domain_survives_copying() -> None:
    mass = Parameter("m", "m", "kg", "mass", domain="positive")
    again = pickle.loads(pickle.dumps(mass))
    assert (again, again.domain) == (mass, "positive")
    rate = Input("speed", "u", "m/s", "speed").dot
    assert pickle.loads(pickle.dumps(rate)).of == rate.of
