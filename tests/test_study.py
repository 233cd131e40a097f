"""Study files: units, samples, variants, and every finding at once."""

import json
import pickle
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import yaml

from zwang import systems
from zwang.codegen import describe
from zwang.codegen.laws import read_laws
from zwang.study import Declared, Samples, Study, StudyError, chunks, read, read_text
from zwang.typeset import symbol_of
from zwang.units import UnitError, convert, is_quantity, to_si

STUDIES = Path(__file__).parent.parent / "studies"

CAR = Declared(
    coordinates={"phi": "rad", "theta": "rad", "x": "m", "y": "m"},
    velocities={
        **{"phi_dot": "rad/s", "theta_dot": "rad/s"},
        **{name: "m/s" for name in ("x_dot", "y_dot", "w", "u", "v_rear", "v_front")},
    },
    parameters={
        **{"M1": "kg", "M2": "kg", "J1": "kg*m**2", "J2": "kg*m**2", "l1": "m", "l2": "m"},
        **{"g": "m/s**2", "mu_rear": "1", "mu_front": "1", "h": "m"},
    },
    inputs={"F1": "N", "F2": "N", "L1": "N*m", "L2": "N*m"},
    optional_parameters=frozenset({"mu_rear", "mu_front", "h"}),
    contacts=("rear", "front"),
    expression_names=frozenset(
        {"t", "phi", "theta", "x", "y", "phi_dot", "theta_dot", "x_dot", "y_dot", "w", "u", "v"}
    ),
)

SMALL = """
title: Small
system: car
parameters:
  {M1: 1 t, M2: 110 kg, J1: 1500 kg m^2, J2: 30 kg*m**2, l1: 75 cm, l2: 1.65 m, g: 9.81 m/s^2}
inputs: {F1: 1 kN, L1: "A*sin(omega*t)", F2: c*v}
constants: {A: 40 N*m, omega: 3 rad/s, c: 50 N*s/m}
initial: {phi: 15 deg, theta: 0, x: 0 m, y: 0 m, u: 36 km/h, theta_dot: 0 rad/s}
grid: {u_0: {from: 18 km/h, to: 90 km/h, count: 5}, A: {values: [10 N*m, 20 N*m]}}
mu: [0.1, 0.3]
time: {end: 5 s, output: 10 ms}
trajectories: [{A: 60 N*m, u_0: 54 km/h}]
figures: [reactions, threshold_map]
map: {x: u_0, y: A, mu: 0.3, boundary: u_0}
tolerance: 1e-10
variants:
  quick: {grid: {u_0: {count: 3}}}
  listed: {grid: {u_0: {values: [5 m/s, 6 m/s]}}}
  ranged: {grid: {A: {from: 0 N*m, to: 1 N*m, count: 4}}}
  other: {points: [{u_0: 5 m/s, A: 1 N*m}], map: null, figures: [reactions]}
"""


def declare(name: str) -> Declared:
    if name != "car":
        raise KeyError(f"no system {name}; known: car")
    return CAR


def small(change: Callable[[dict], object] | None = None, **keywords: object) -> Study:
    """The small study, changed."""
    data = yaml.safe_load(SMALL)
    if change:
        change(data)
    return read_text(yaml.safe_dump(data, sort_keys=False), declare, **keywords)


def findings(change: Callable[[dict], object], **keywords: object) -> str:
    with pytest.raises(StudyError) as caught:
        small(change, **keywords)
    return "\n".join(caught.value.findings)


def put(*place: object) -> Callable[[dict], object]:
    """A change that sets the value at a place: put("initial", "u", "25 kg")."""

    def change(data: dict) -> None:
        for key in place[:-2]:
            data = data[key]
        data[place[-2]] = place[-1]

    return change


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("25 m/s", "m/s", 25.0),
        ("90 km/h", "m/s", 25.0),
        ("15 deg", "rad", np.deg2rad(15)),
        ("20 N*m", "N*m", 20.0),
        ("9.81 m/s^2", "m/s**2", 9.81),
        ("30 kg m^2", "kg*m**2", 30.0),
        ("-1.5e3 N", "N", -1500.0),
        ("60 rpm", "rad/s", 2 * np.pi),
        ("5 1/s", "1/s", 5.0),
        ("5/s", "1/s", 5.0),
        ("3 µm", "m", 3e-6),
        ("5 %", "1", 0.05),
        ("0.3", "1", 0.3),
        (0.3, "1", 0.3),
        (0, "m/s", 0.0),
        ("0", "kg", 0.0),
    ],
)
def test_convert(text: str | float, unit: str, value: float) -> None:
    assert convert(text, unit) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "unit", "says"),
    [
        ("25 kg", "m/s", "came '25 kg' in units of kg; expected m/s"),
        ("25", "m/s", "write 25 m/s"),
        (25, "m/s", "without a unit"),
        ("5 Hz", "rad/s", "expected rad/s"),
        ("15 deg", "1", "pure number"),
        ("20 degC", "K", "own zero"),
        ("5 foo", "m", "unknown unit foo"),
        ("5 m/", "m", "as a unit"),
        ("9**9**9**9", "m", "expected a number"),
        ("5 " + "a" * 70 + "!", "m", "expected a number"),
        ("m", "m", "expected a number"),
        ("nan", "1", "expected a number"),
        (float("nan"), "1", "finite"),
        ("1e999 m", "m", "finite"),
        ("1e308 km", "m", "finite"),
        (10**400, "1", "finite"),
        (True, "1", "expected a number"),
    ],
)
def test_convert_refuses(text: str | float, unit: str, says: str) -> None:
    with pytest.raises(UnitError) as caught:
        convert(text, unit)
    assert says in str(caught.value)


def test_si_keeps_a_written_si_unit() -> None:
    assert to_si("40 N*m") == (40.0, "N*m")
    assert to_si("90 km/h") == (25.0, "m/s")
    assert to_si("5") == (5.0, "1")


@pytest.mark.parametrize("text", ["1000 N", "-5 N", "0", "1e3 N", "1.5", "2 A", "5 %", 3])
def test_quantities(text: str | float) -> None:
    assert is_quantity(text)


@pytest.mark.parametrize(
    "text", ["c*v", "3*A", "11/t", "1e-3*t", "2e3*t", "3 + t", "2**t", "1.5*t"]
)
def test_expressions(text: str) -> None:
    assert not is_quantity(text)


def test_small_study_in_si() -> None:
    study = small(name="small")
    assert (study.name, study.title, study.system, study.default) == (
        "small",
        "Small",
        "car",
        False,
    )
    assert study.parameters["M1"] == 1000
    assert study.parameters["l1"] == pytest.approx(0.75, rel=1e-15)
    assert study.inputs == {"F1": "1000.0", "L1": "A*sin(omega*t)", "F2": "c*v"}
    assert study.constants == {"A": 40, "omega": 3, "c": 50}
    units = {name: words["units"] for name, words in study.constant_words.items()}
    assert units == {"A": "N*m", "omega": "rad/s", "c": "N*s/m"}
    assert study.initial["phi"] == pytest.approx(np.deg2rad(15))
    assert "u" not in study.initial  # the axis u_0 gives it
    assert study.samples.dims == ("u_0", "A")
    assert study.samples.units == {"u_0": "m/s", "A": "N*m"}
    np.testing.assert_allclose(study.samples.axes["u_0"], [5, 10, 15, 20, 25])
    assert study.mu == (0.1, 0.3)
    assert (study.end, study.output) == (5.0, pytest.approx(0.01))
    assert study.trajectories == ({"u_0": pytest.approx(15), "A": 60.0},)
    assert list(study.trajectories[0]) == ["u_0", "A"]  # in the order of the axes
    assert study.map == {"x": "u_0", "y": "A", "mu": 0.3, "boundary": "u_0"}
    assert (study.engine, study.tolerance) == ("compiled", 1e-10)
    assert study.variants == ("quick", "listed", "ranged", "other")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (put("parameterz", {}), "parameterz: unknown key; did you mean parameters?"),
        (put("time", "ende", "5 s"), "time.ende: unknown key; did you mean end?"),
        (put("grid", "u_0", "cout", 3), "grid.u_0.cout: unknown key; did you mean count?"),
        (put("map", "z", "A"), "map.z: unknown key"),
        (put("initial", "u", "25 kg"), "initial.u: came '25 kg' in units of kg; expected m/s"),
        (put("initial", "u", 25), "initial.u: came 25 without a unit"),
        (put("initial", "thetta", 0), "initial.thetta: unknown name; did you mean theta?"),
        (put("parameters", "M3", "1 kg"), "parameters.M3: unknown name; did you mean M"),
        (put("parameters", "M1", [1]), "parameters.M1: came [1]; expected a number with its unit"),
        (put("parameters", "M1", True), "parameters.M1: came True"),
        (put("parameters", "M1", float("inf")), "parameters.M1: came inf; expected a finite"),
        (put("parameters", 3), "parameters: came 3; expected a mapping"),
        (lambda d: d["parameters"].pop("g"), "parameters.g: missing; give it in m/s**2"),
        (lambda d: d["initial"].pop("x"), "initial.x: missing"),
        (lambda d: d.pop("title"), "title: missing"),
        (lambda d: d.pop("system"), "system: missing"),
        (lambda d: d.pop("time"), "time.end: missing; give it in s"),
        (put("system", "cart"), "system: no system cart; known: car"),
        (put("system", 3), "system: came 3; expected a valid string"),
        (put("default", "yes"), "default: came 'yes'"),
        (put("engine", "fast"), "engine: came 'fast'; expected 'compiled' or 'scipy'"),
        (put("tolerance", "2"), "tolerance: came 2; expected 1e-15 to 1e-2"),
        (put("time", "end", "5 m"), "time.end: came '5 m'"),
        (put("time", "end", "-5 s"), "time.end: came -5 s; expected a time after 0 s"),
        (put("time", "output", "6 s"), "time.output: came 6 s; expected 0 s < output <= end"),
        (put("time", "output", "0 s"), "time.output: came 0 s"),
        (put("time", "output", "1 ns"), "time.output: came 1 ns; expected at most"),
        (put("mu", [-0.1, 0.3]), "mu.0: came -0.1; expected a friction coefficient of at least 0"),
        (put("mu", [0.3, 0.1]), "mu: expected values that increase"),
        (put("mu", ["0.3 m"]), "mu.0: came '0.3 m'"),
        (put("mu", 0.3), "mu: came 0.3; expected a valid list"),
        (
            put("grid", "u_0", "count", 1),
            "grid.u_0.count: came 1; expected greater than or equal to 2",
        ),
        (
            put("grid", "u_0", "to", "1 m/s"),
            "grid.u_0: came from 18 km/h to 1 m/s; expected from < to",
        ),
        (put("grid", "u_0", 5), "grid.u_0: came 5; expected a mapping"),
        (put("grid", "u_0", {"from": "1 m/s"}), "grid.u_0.to: missing"),
        (put("grid", "u_0", {"from": "1 m/s", "to": "2 m/s"}), "grid.u_0.count: missing"),
        (put("grid", "A", "count", 3), "grid.A: came values and from, to, count"),
        (put("grid", "A", "values", ["2 N*m", "1 N*m"]), "grid.A.values: expected values that inc"),
        (put("grid", "A", "values", ["2 N*m", "1 N"]), "grid.A.values.1: came '1 N'"),
        (put("grid", "u0", {"values": ["5 m/s"]}), "grid.u0: names no axis"),
        (put("grid", "u0", {"values": ["5 m/s"]}), "did you mean u_0?"),
        (put("points", [{"u_0": "1 m/s"}]), "points: came grid and points; expected one of them"),
        (put("trajectories", [{"A": "1 N*m"}]), "trajectories.0.u_0: missing; give it in m/s"),
        (put("trajectories", 0, "g", "1 m/s^2"), "trajectories.0.g: names no axis"),
        (put("trajectories", 0, "A", "1 N"), "trajectories.0.A: came '1 N'"),
        (put("trajectories", 0, "A", [1]), "trajectories.0.A: came [1]"),
        (put("inputs", "F3", "1 N"), "inputs.F3: unknown name; did you mean F"),
        (put("inputs", "F1", "1000"), "inputs.F1: came 1000 without a unit"),
        (put("inputs", "F1", "2 A"), "inputs.F1: came '2 A' in units of A; expected N"),
        (put("inputs", "F1", "c*vv"), "inputs.F1: unknown name vv in 'c*vv'; did you mean v?"),
        (put("inputs", "F1", "c*h"), "inputs.F1: uses h, which is not given"),
        (put("constants", "B", "1 N"), "constants.B: no input uses it"),
        (put("constants", "c", "1 foo"), "constants.c: came the unknown unit foo"),
        (put("constants", "c", None), "constants.c: came None; expected a number with its unit"),
        (put("constants", "c", [1]), "constants.c: came [1]; expected a number with its unit"),
        (put("constants", "c", {"value": "1 foo"}), "constants.c: came the unknown unit foo"),
        (put("constants", "c", {"value": [1]}), "constants.c: came [1]; expected a number"),
        (put("constants", "c", {"meaning": "drag"}), "constants.c.value: missing; give a number"),
        (
            put("constants", "c", {"value": "1 N*s/m", "symbl": "c"}),
            "constants.c.symbl: unknown key; did you mean symbol? known: meaning, symbol, value",
        ),
        (
            put("constants", "c", {"value": "1 N*s/m", "meaning": 3}),
            "constants.c.meaning: came 3; expected a valid string",
        ),
        (put("constants", "theta", "1"), "constants.theta: the name is taken"),
        (put("constants", "t", "1"), "constants.t: the name is taken"),
        (put("constants", "pi", "1"), "constants.pi: the name is taken"),
        (put("constants", "sin", "1"), "constants.sin: the name is taken"),
        (put("constants", "u_0", "1"), "constants.u_0: the name is taken"),
        (put("constants", "mu", "1"), "constants.mu: the name is taken"),
        (put("constants", "2b", "1"), "constants.2b: not a name"),
        (put("constants", "lambda", "1"), "constants.lambda: not a name"),
        (put("map", "x", "B"), "map.x: B names no axis; "),
        (put("map", "y", "u_0"), "map.y: came u_0 for both x and y"),
        (put("map", {"x": "u_0", "mu": 0.3}), "map.y: missing; known: A, u_0"),
        (put("map", "mu", 0.5), "map.mu: came 0.5; expected one of mu: 0.1, 0.3"),
        (put("figures", ["a/b"]), "figures.0: came 'a/b'"),
        (put("figures", ["reactions", "reactions"]), "figures.1: reactions is given twice"),
        (
            put("variants", "quick", "grd", {}),
            "variants.quick.grd: unknown key; did you mean grid?",
        ),
        (put("variants", "a-b", {}), "variants.a-b: expected a name"),
        (put("variants", "quick", 3), "variants.quick: came 3; expected a mapping"),
        (put("variants", 3), "variants: came 3"),
    ],
)
def test_a_wrong_study_says_so(change: Callable[[dict], object], says: str) -> None:
    assert says in findings(change)


def test_one_mistake_is_one_finding() -> None:
    for change in (
        put("parameters", "M1", [1]),
        put("initial", "x", [1]),
        put("time", "end", [1]),
        put("title", 3),
        put("trajectories", 0, "A", [1]),
        put("grid", "u_0", "count", 1),
        put("constants", "c", [1]),
        put("constants", "c", {}),
        put("constants", "c", {"value": "1 N*s/m", "unit": "N"}),
    ):
        assert len(findings(change).splitlines()) == 1


def test_all_findings_at_once() -> None:
    def change(data: dict) -> None:
        data["initial"]["u"] = "25 kg"
        data["parameters"]["M1"] = [1]
        data["parameters"].pop("g")
        data["tme"] = 3
        data["mu"] = [-1, {}]
        data["inputs"]["F2"] = "c*vv"
        data["grid"]["B"] = {"values": ["1 N"]}

    found = findings(change)
    for path in ("initial.u", "parameters.M1", "parameters.g", "tme", "mu.0", "mu.1", "inputs.F2"):
        assert f"{path}: " in found
    assert "grid.B: " in found


def test_an_unknown_system_leaves_the_other_findings() -> None:
    def change(data: dict) -> None:
        data["system"], data["time"]["end"] = "cart", "5 m"

    found = findings(change)
    assert "system: no system cart" in found
    assert "time.end: " in found


def test_expressions_are_checked_by_the_caller() -> None:
    calls = {}

    def check(name: str, text: str, constants: frozenset[str]) -> list[str]:
        calls[name] = (text, frozenset(constants))
        return ["too fast"] if name == "F2" else []

    assert findings(lambda data: None, check_expression=check) == "inputs.F2: too fast"
    assert set(calls) == {"L1", "F2"}
    assert calls["F2"] == ("c*v", frozenset({"A", "omega", "c"} | set(CAR.parameters)))


def test_mu_needs_contacts() -> None:
    free = Declared.from_json({**CAR.to_json(), "contacts": []})
    with pytest.raises(StudyError, match="mu: the system has no contacts"):
        read_text(SMALL, lambda name: free)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("title: [", "line 1, column 9: not YAML"),
        ("title: a\ntitle: b", "title: given twice (again in line 2)"),
        ("time: {end: 1 s, end: 2 s}", "end: given twice"),
        ("a: &a 1\nb: *a", "aliases are not used"),
        ("3: a", "a key reads as int"),
        ("? [a]\n: b", "found unhashable key"),
        ("- a", "expected keys such as title"),
        ("", "expected keys such as title"),
        ("!!python/object:os.system x", "not YAML"),
        ("a\0b", "not YAML"),
        ("[" * 5000, "not YAML"),
        ("a" * 1_000_001, "characters"),
    ],
)
def test_text_that_is_no_study(text: str, says: str) -> None:
    with pytest.raises(StudyError) as caught:
        read_text(text, declare)
    assert says in str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="no such file; expected studies/<study>/"):
        read(tmp_path / "study.yaml", declare)
    (tmp_path / "study.yaml").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(StudyError, match="cannot be read as text"):
        read(tmp_path, declare)


def test_error_names_the_file_and_survives_a_process_border(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text("title: a\nsystem: cart\n")
    with pytest.raises(StudyError) as caught:
        read(path, declare)
    lines = str(caught.value).splitlines()
    assert lines[0] == f"{path} cannot be used:"
    assert tuple(lines[1:]) == caught.value.findings
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_variants() -> None:
    assert small(variant="quick").samples.shape == (3, 2)
    assert small(variant="listed").samples.axes["u_0"].tolist() == [5, 6]
    assert small(variant="ranged").samples.axes["A"].shape == (4,)
    other = small(variant="other")
    assert (other.samples.kind, other.map, other.variant) == ("points", None, "other")
    with pytest.raises(StudyError, match="variants: came quik; did you mean quick"):
        small(variant="quik")


DRAG = {"value": "50 N*s/m", "symbol": "c_w", "meaning": "drag"}


def test_constants_with_words() -> None:
    study = small(put("constants", "c", DRAG))
    assert study.constants == {"A": 40, "omega": 3, "c": 50}
    assert study.constant_words == {
        "A": {"units": "N*m", "symbol": "A", "long_name": ""},
        "omega": {"units": "rad/s", "symbol": r"\omega", "long_name": ""},
        "c": {"units": "N*s/m", "symbol": "c_w", "long_name": "drag"},
    }
    short = small(put("constants", "c", {"value": "50 N*s/m", "meaning": "drag"}))
    assert short.constant_words["c"] == {"units": "N*s/m", "symbol": "c", "long_name": "drag"}


def test_words_of_a_constant_reach_the_kernel() -> None:
    words = small(put("constants", "c", DRAG)).constant_words
    system = systems.load("car")
    inputs = {"F2": "c*v", "L1": "A*sin(omega*t)"}
    known = describe(system, read_laws(system, inputs, words), inputs, frozenset())["quantities"]
    assert {name: known[name] for name in words} == words


@pytest.mark.parametrize(
    ("base", "over", "value", "symbol", "meaning"),
    [
        (DRAG, "60 N*s/m", 60, "c_w", "drag"),
        (DRAG, {"value": "60 N*s/m", "symbol": None}, 60, "c", "drag"),
        (DRAG, {"meaning": "resistance"}, 50, "c_w", "resistance"),
        ("50 N*s/m", {"meaning": "drag"}, 50, "c", "drag"),
    ],
)
def test_a_variant_changes_what_it_names_of_a_constant(
    base: object, over: object, value: float, symbol: str, meaning: str
) -> None:
    def change(data: dict) -> None:
        data["constants"]["c"] = base
        data["variants"]["other"] |= {"constants": {"c": over}}

    study = small(change, variant="other")
    assert study.constants == {"A": 40, "omega": 3, "c": value}
    words = {"units": "N*s/m", "symbol": symbol, "long_name": meaning}
    assert study.constant_words["c"] == words


def test_a_variant_removes_and_adds_constants() -> None:
    def change(data: dict) -> None:
        data["inputs"]["F2"] = "0 N"
        data["variants"]["other"] |= {"constants": {"c": None}}
        data["variants"]["more"] = {"inputs": {"F2": "b*v"}, "constants": {"c": None, "b": "0"}}

    assert set(small(change, variant="other").constants) == {"A", "omega"}
    assert set(small(change, variant="more").constants) == {"A", "omega", "b"}


@pytest.mark.parametrize(
    ("name", "symbol"),
    [
        ("A", "A"),
        ("amplitude", "amplitude"),
        ("omega", r"\omega"),
        ("Omega", r"\Omega"),
        ("Alpha", "Alpha"),  # LaTeX has no command for it
        ("t_brake", r"t_{\mathrm{brake}}"),
        ("omega_1", r"\omega_{\mathrm{1}}"),
        ("k_theta", r"k_{\theta}"),
        ("t_brake_front", r"t_{\mathrm{brake},\mathrm{front}}"),
        ("a_", "a"),
    ],
)
def test_names_are_typeset(name: str, symbol: str) -> None:
    assert symbol_of(name) == symbol


def test_digest_follows_text_and_variant() -> None:
    digests = {small().digest, small(variant="quick").digest, small(put("mu", [0.2, 0.3])).digest}
    assert len(digests) == 3
    assert small(variant="").digest == small().digest
    assert all(len(digest) == 16 for digest in digests)


def sampled(**sampling: object) -> Study:
    def change(data: dict) -> None:
        for key in ("grid", "map", "figures", "trajectories"):
            data.pop(key)
        data |= sampling

    return small(change)


def test_points() -> None:
    samples = sampled(points=[{"u_0": "18 km/h", "A": "1 N*m"}, {"A": "2 N*m", "u_0": 0}]).samples
    assert (samples.dims, samples.shape, samples.size) == (("run",), (2,), 2)
    assert samples.columns(1, 2)["A"].tolist() == [2]
    assert samples.axes["u_0"] == pytest.approx([5, 0])
    with pytest.raises(StudyError, match=r"points\.1: gives A; expected u_0 as the first"):
        sampled(points=[{"u_0": "1 m/s"}, {"A": "2 N*m"}])
    with pytest.raises(StudyError, match=r"points\.0: empty"):
        sampled(points=[{}])


def test_random_is_deterministic_and_within_its_ranges() -> None:
    ranges = {"u_0": ["5 m/s", "25 m/s"], "theta_0": ["0 deg", "90 deg"]}
    one = sampled(random={"count": 50, "seed": 1, "ranges": ranges}).samples
    two = sampled(random={"count": 100, "seed": 1, "ranges": ranges}).samples
    three = sampled(random={"count": 50, "seed": 2, "ranges": ranges}).samples
    assert (one.dims, one.size) == (("run",), 50)
    assert np.array_equal(one.axes["u_0"], two.axes["u_0"][:50])
    assert not np.array_equal(one.axes["u_0"], three.axes["u_0"])
    assert one.axes["theta_0"].min() >= 0
    assert one.axes["theta_0"].max() <= np.pi / 2
    assert np.std(one.axes["u_0"]) > 4


@pytest.mark.parametrize(
    ("random", "says"),
    [
        ({"seed": 1, "ranges": {"u_0": ["5 m/s", "6 m/s"]}}, "random.count: missing"),
        ({"count": 5, "ranges": {"u_0": ["5 m/s", "6 m/s"]}}, "random.seed: missing"),
        ({"count": 5, "seed": 1}, "random.ranges: missing"),
        ({"count": 5, "seed": 1, "ranges": {"u_0": ["7 m/s", "6 m/s"]}}, "lower value first"),
        (
            {"count": 5, "seed": 1, "ranges": {"u_0": ["7 m/s"]}},
            "random.ranges.u_0: came ['7 m/s']",
        ),
        (
            {"count": 5, "seed": 1, "ranges": {"q": ["1 m", "2 m"]}},
            "random.ranges.q: names no axis",
        ),
    ],
)
def test_random_refuses(random: dict, says: str) -> None:
    with pytest.raises(StudyError) as caught:
        sampled(random=random)
    assert says in str(caught.value)


def test_a_map_needs_a_grid() -> None:
    def change(data: dict) -> None:
        data["points"] = [data.pop("grid") and {"u_0": "5 m/s", "A": "1 N*m"}]

    assert "map: came with points; a map needs a grid" in findings(change)


def test_one_run_without_axes() -> None:
    samples = sampled().samples
    assert (samples.dims, samples.shape, samples.size) == ((), (), 1)
    assert samples.columns(0, 1) == {}


def test_columns_are_the_product() -> None:
    axes = {"a": np.arange(3.0), "b": np.arange(4.0) + 10, "c": np.arange(2.0) + 20}
    samples = Samples(axes, "grid", dict.fromkeys(axes, "1"))
    product = np.meshgrid(*axes.values(), indexing="ij")
    for start, stop in ((0, 24), (5, 17), (24, 24)):
        columns = samples.columns(start, stop)
        for name, full in zip(axes, product, strict=True):
            assert np.array_equal(columns[name], full.ravel()[start:stop])
    with pytest.raises(ValueError, match=r"expected a part of 0\.\.24"):
        samples.columns(0, 25)


def test_columns_never_build_the_product() -> None:
    axes = {name: np.arange(1e5) for name in "abc"}
    columns = Samples(axes, "grid", dict.fromkeys(axes, "1")).columns(10**15 - 2, 10**15)
    assert columns["c"].tolist() == [99998, 99999]


@pytest.mark.parametrize(
    ("runs", "count"),
    [(1, 1), (399, 1), (400, 2), (1681, 2), (40_000, 2), (40_001, 3), (10**6, 50), (10**9, 2000)],
)
def test_chunks_cover_the_runs(runs: int, count: int) -> None:
    parts = chunks(runs)
    assert len(parts) == count
    assert (parts[0][0], parts[-1][1]) == (0, runs)
    assert all(stop == start for (_, stop), (start, _) in pairwise(parts))
    sizes = [stop - start for start, stop in parts]
    assert max(sizes) - min(sizes) <= 1


def test_no_runs_have_no_chunks() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        chunks(0)


def test_declared_round_trip() -> None:
    assert Declared.from_json(json.loads(json.dumps(CAR.to_json()))) == CAR


def test_the_smallest_shipped_study() -> None:
    study = read(STUDIES / "car-steady-circle" / "study.yaml", declare)
    assert study.name == "car-steady-circle"
    assert study.default
    assert len(study.samples.shape) == 2
    assert list(study.figures) == ["reactions", "threshold_map"]
