"""Measured inputs: tables read with their units, met at every knot, the same in both engines."""

import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import zwang
from zwang.codegen import generate
from zwang.expressions import ExpressionError, check, names_in, tables_in
from zwang.tables import TableError, read

CAR = zwang.systems.car()
P = {"M1": 1000.0, "M2": 110.0, "J1": 1500.0, "J2": 30.0, "l1": 0.75, "l2": 1.65, "g": 9.81}
START = {"phi": 0.0, "theta": 0.0, "x": 0.0, "y": 0.0, "u": 12.0, "theta_dot": 0.0}
STEERED = {"F1": "1000", "F2": "50*v", "L2": "120*theta_dot + 600*theta"}
TIMES = np.linspace(0.0, 2.0, 41)
SEEN = ("x", "y", "phi", "theta", "u", "theta_dot", "reaction_front", "reaction_rear")


def driven(
    law: str,
    tables: dict | None = None,
    times: np.ndarray = TIMES,
    contacts: str = "ideal",
    engine: str = "compiled",
    **more: float,
) -> xr.Dataset:
    return zwang.simulate(
        CAR,
        parameters=P | more,
        initial=START,
        inputs=STEERED | {"L1": law},
        times=times,
        tables=tables,
        contacts=contacts,
        engine=engine,
    )


def distance(a: xr.Dataset, b: xr.Dataset, names: tuple[str, ...] = SEEN) -> float:
    return max(float((abs(a[n] - b[n]) / (1.0 + abs(b[n]).max())).max()) for n in names)


# The spline ---------------------------------------------------------------------------------------


def test_a_sampled_sine_gives_the_run_of_the_sine_to_the_order_of_the_spline() -> None:
    """The error of a cubic spline is h⁴ f⁗/384: halving the spacing divides it by 16."""
    exact = driven("40*sin(3*t)")
    gaps = []
    for count in (50, 100, 200):
        t = np.linspace(0.0, 2.0, count + 1)
        gaps.append(distance(driven("40*table(s)", {"s": (t, np.sin(3.0 * t))}), exact, ("theta",)))
    assert gaps[-1] < 1e-9
    assert all(8.0 < a / b < 32.0 for a, b in pairwise(gaps))


def test_a_cubic_is_met_exactly_also_far_from_the_origin_of_time() -> None:
    """Time is counted from the last knot: no digits are lost a thousand seconds later."""
    s = np.sort(np.random.default_rng(1).uniform(0.0, 2.0, 40))
    s = np.concatenate([[0.0], s, [2.0]])
    values = 40.0 * (1.0 - 2.0 * s + 3.0 * s**2 - s**3)
    exact = driven("40*(1 - 2*t + 3*t**2 - t**3)")
    for late in (0.0, 1000.0):
        found = driven("table(torque)", {"torque": (late + s, values)}, late + TIMES)
        assert distance(found.assign_coords(t=exact.t), exact) < 1e-11


def test_both_engines_agree() -> None:
    t = np.linspace(0.0, 2.0, 81)
    values = np.random.default_rng(2).normal(size=81).cumsum()
    tables = {"torque": (t, 5.0 * values), "push": (t[::4], 100.0 * values[::4])}
    law = "table(torque)*cos(theta) + 0.01*table(push)"
    a, b = (driven(law, tables, engine=e) for e in ("compiled", "scipy"))
    assert a.status == b.status == 0
    assert distance(a, b) < 1e-9
    assert float(a.residual.max()) < 1e-12


def test_both_engines_agree_while_contacts_slide() -> None:
    t = np.linspace(0.0, 2.0, 41)
    tables = {"torque": (t, 400.0 * np.sin(3.0 * t))}
    a, b = (
        driven("table(torque)", tables, contacts="coulomb", engine=e, mu_rear=0.4, mu_front=0.4)
        for e in ("compiled", "scipy")
    )
    assert a.sizes["event"] == b.sizes["event"] > 1
    np.testing.assert_allclose(a.event_time, b.event_time, atol=1e-8)
    assert distance(a, b, ("x", "y", "phi", "theta")) < 1e-8


def test_a_table_is_a_function_of_time_in_any_law() -> None:
    """A friction coefficient that falls with time, as measured: Λ = −μ N while it slides."""
    t = np.linspace(0.0, 1.0, 11)
    block = zwang.systems.block()
    run = zwang.simulate(
        block,
        parameters={"m": 2.0, "g": 9.81, "alpha": 0.0},
        initial={"x": 0, "y": 0, "x_dot": 9.0, "y_dot": 0.0},
        times=np.linspace(0.0, 1.0, 21),
        contacts=zwang.laws.Coulomb(mu="table(grip)"),
        tables={"grip": (t, 0.8 - 0.3 * t)},
    )
    np.testing.assert_allclose(run.reaction_down, -2.0 * 9.81 * (0.8 - 0.3 * run.t), rtol=1e-12)
    np.testing.assert_allclose(run.x_dot, 9.0 - 9.81 * (0.8 * run.t - 0.15 * run.t**2), rtol=1e-12)


def test_two_thousand_knots_cost_data_and_no_code() -> None:
    t = np.linspace(0.0, 2.0, 2001)
    laws = STEERED | {"L1": "table(s)"}
    few, many = (
        generate(CAR, laws, {}, tables={"s": (x, 40.0 * np.sin(3.0 * x), "N*m")}).kernel
        for x in (t[::500], t)
    )
    data = [line for line in many.splitlines() if "static const double" in line or line[:1] == "{"]
    code = [line for line in many.splitlines() if "x1[" in line or "k[" in line]
    assert len(code) == len([line for line in few.splitlines() if "x1[" in line or "k[" in line])
    assert len(data) > 1900
    start = time.perf_counter()
    run = driven("table(s)", {"s": (t, 40.0 * np.sin(3.0 * t))})
    assert time.perf_counter() - start < 60.0
    assert run.status == 0
    assert distance(run, driven("40*sin(3*t)"), ("x", "theta")) < 1e-12


def test_a_run_has_the_same_bits_in_every_lane_and_on_any_number_of_threads() -> None:
    t = np.linspace(0.0, 2.0, 101)
    given = {"inputs": STEERED | {"L1": "40*table(s)"}, "tables": {"s": (t, np.sin(3.0 * t))}}
    speeds = np.array([5.0, 9.0, 12.0, 17.0, 21.0, 24.0])

    def swept(order: list[int], threads: int) -> np.ndarray:
        axes = {"u_0": speeds[order]}
        start = {k: v for k, v in START.items() if k != "u"}
        found = zwang.sweep(
            CAR, parameters=P, initial=start, points=axes, end=2.0, threads=threads, **given
        )
        out = np.empty(6)
        out[order] = found.theta_end.values
        return out

    first = swept([0, 1, 2, 3, 4, 5], 1)
    for order in ([5, 4, 3, 2, 1, 0], [2, 0, 5, 1, 3, 4]):
        assert np.array_equal(first, swept(order, 2))


def test_the_run_behind_a_point_of_a_sweep_keeps_its_tables() -> None:
    t = np.linspace(0.0, 2.0, 21)
    laws = STEERED | {"L1": "A*table(s)"}
    found = zwang.sweep(
        CAR,
        parameters=P,
        initial=START,
        grid={"A": [20.0, 40.0]},
        end=2.0,
        inputs=laws,
        tables={"s": (t, np.sin(3.0 * t))},
    )
    run = zwang.run_of(found, A=40.0)
    assert float(run.theta[-1]) == float(found.theta_end.sel(A=40.0))


def test_the_model_depends_on_the_content_of_the_table() -> None:
    t = np.linspace(0.0, 2.0, 21)
    a, b = (driven("table(s)", {"s": (t, x * t)}).attrs["model"] for x in (1.0, 1.0 + 1e-15))
    assert a != b


@pytest.mark.parametrize(
    "times", [np.linspace(0.0, 2.1, 3), np.linspace(-0.1, 1.0, 3), np.linspace(3.0, 4.0, 3)]
)
@pytest.mark.parametrize("engine", ["compiled", "scipy"])
def test_a_table_is_not_continued(times: np.ndarray, engine: str) -> None:
    t = np.linspace(0.0, 2.0, 21)
    with pytest.raises(ValueError, match="reaches from 0 s to 2 s"):
        driven("table(s)", {"s": (t, t)}, times, engine=engine)


# The grammar --------------------------------------------------------------------------------------


def test_names_and_tables_of_a_text() -> None:
    text = "k*(table(steering) - theta) + table(push)"
    assert names_in(text) == ("k", "theta")
    assert tables_in(text) == ("push", "steering")
    assert check("L1", text, ["k"]) == []


@pytest.mark.parametrize(
    ("law", "says"),
    [
        ("table(q)", "unknown table 'q'.*known tables: s"),
        ("table(2)", "expected the name of one table"),
        ("table(s, s)", "expected the name of one table"),
        ("table", r"write table\(name\)"),
        ("step(table(s))", "constant in time"),
        ("t", "used in no input"),
    ],
)
def test_texts_that_use_no_table_rightly_are_refused(law: str, says: str) -> None:
    with pytest.raises(ExpressionError, match=says):
        driven(law, {"s": (TIMES, TIMES)})


# Files --------------------------------------------------------------------------------------------


def test_a_csv_is_read_with_its_units(tmp_path: Path) -> None:
    path = tmp_path / "steering.csv"
    path.write_text("# test drive\nt [ms], delta [deg]\n0, 0\n500, 90\n\n2000, -180\n")
    found = read(path)
    np.testing.assert_allclose(found.times, [0.0, 0.5, 2.0])
    np.testing.assert_allclose(found.values, [0.0, np.pi / 2, -np.pi])
    assert (found.unit, found.long_name) == ("rad", "delta")
    run = driven("100*(table(steering) - theta)", {"steering": path})
    numbers = driven("100*(table(steering) - theta)", {"steering": (found.times, found.values)})
    assert distance(run, numbers) == 0.0


def test_a_column_among_several_is_that_of_the_tables_name(tmp_path: Path) -> None:
    path = tmp_path / "drive.csv"
    path.write_text("time [s]; v [km/h]; slip [1]\n0; 36; 0.1\n1; 72; 0.2\n")
    assert read(path, "v")[1:3] == ((10.0, 20.0), "m/s")
    assert read(path, "slip")[1:3] == ((0.1, 0.2), "1")
    with pytest.raises(TableError, match=r"say which of its columns.*v"):
        read(path)
    with pytest.raises(TableError, match="did you mean slip"):
        read(path, "slop")


def test_a_netcdf_file_is_read_with_its_units(tmp_path: Path) -> None:
    path = tmp_path / "steering.nc"
    data = xr.Dataset(
        {"delta": ("time", [0.0, 90.0, 45.0], {"units": "deg", "long_name": "steering angle"})},
        {"time": ("time", [0.0, 1.0, 4.0], {"units": "seconds since 2020-01-01"})},
    )
    data.to_netcdf(path)
    found = read(path)
    assert found.times == (0.0, 1.0, 4.0)
    np.testing.assert_allclose(found.values, [0.0, np.pi / 2, np.pi / 4])
    assert (found.unit, found.long_name) == ("rad", "steering angle")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the file is empty"),
        ("t [s]\n1\n", "one column"),
        ("t, d [deg]\n0, 1\n1, 2\n", "'t' has no unit"),
        ("t [s], d\n0, 1\n1, 2\n", "'d' has no unit"),
        ("t [s], d [furlongz]\n0, 1\n1, 2\n", "column d: came the unknown unit"),
        ("d [deg], t [s]\n0, 1\n1, 2\n", "first column.*expected the time"),
        ("t [s], d [deg]\n0, 1\n1, 2, 3\n", "row 2 has 3 entries"),
        ("t [s], d [deg]\n0, 1\n1, x\n", "row 2 came as"),
        ("t [s], d [deg]\n0, 1\n1, nan\n", "value of row 2 came as nan"),
        ("t [s], d [deg]\n0, 1\n1, 2\n1, 3\n", "row 3 has 1 s after 1 s"),
        ("t [s], d [deg]\n0, 1\n", "at least two rows"),
    ],
)
def test_files_that_are_no_table_are_refused(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(TableError, match=says):
        read(path)


def test_a_file_that_is_not_there_and_variables_without_units(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="there is no file"):
        read(tmp_path / "none.csv")
    path = tmp_path / "bad.nc"
    xr.Dataset({"d": ("t", [0.0, 1.0])}, {"t": ("t", [0.0, 1.0])}).to_netcdf(path)
    with pytest.raises(TableError, match="no units"):
        read(path)
    (tmp_path / "text.nc").write_text("t [s], d [deg]\n")
    with pytest.raises(TableError, match="not a NetCDF file"):
        read(tmp_path / "text.nc")
