"""Studies with cases: what a case changes, sets, formulas, friction laws, and every finding."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml

from zwang.stages.cases import checked_case
from zwang.stages.plan import checked_study, plan
from zwang.study import StudyError, cases

CAR = """
title: Cases
system: car
sets: {vehicle: vehicles}
choose: {vehicle: heavy}
parameters:
  {M1: m - 100, M2: 100 kg, J1: 1500 kg*m^2, J2: 30 kg*m^2, l1: 0.75 m, l2: 1.65 m, g: 9.81 m/s^2}
initial: {phi: 0 deg, theta: 0 deg, x: 0 m, y: 0 m, theta_dot: 0 rad/s, u: 10 m/s}
mu: [0.3, 0.6]
time: {end: 1 s, output: 0.1 s}
cases:
  ideal:
    inputs: {L1: A*sin(3*t)}
    constants: {A: {value: 10 N*m, symbol: A_0, meaning: amplitude}}
    grid: {vehicle: {values: all}, A: {from: 1 N*m, to: 100 N*m, count: 3, spacing: log}}
    trajectories: all
  slides:
    like: ideal
    constants: {A: 20 N*m, grip: 0.5}
    contacts:
      rear: {law: coulomb, mu: grip}
      front: {law: coulomb, mu: grip, mu_kinetic: 0.8*grip}
    mu: null
    initial: {v_rear: 0 m/s}
    grid: {vehicle: null}
    against: {case: ideal, spin: u}
figures:
  reactions: {case: ideal}
quoted:
  Largest: {case: ideal, quantity: critical_mu, at: {vehicle: light, A: 1 N*m, contact: rear}}
variants:
  quick: {cases: {ideal: {grid: {A: {count: 2}}}, slides: null}}
"""
LIGHT = "title: Light car\nvalues: {m: {value: 1000 kg, meaning: mass}}\n"
HEAVY = "title: Heavy car\nvalues: {m: 2 t}\n"


@pytest.fixture
def study(tmp_path: Path) -> Callable[..., Path]:
    """Write the study, changed, and give its path."""

    def write(change: Callable[[dict], object] | None = None) -> Path:
        data = yaml.safe_load(CAR)
        if change:
            change(data)
        folder = tmp_path / "some"
        (folder / "vehicles").mkdir(parents=True, exist_ok=True)
        (folder / "vehicles" / "light.yaml").write_text(LIGHT)
        (folder / "vehicles" / "heavy.yaml").write_text(HEAVY)
        (folder / "study.yaml").write_text(yaml.safe_dump(data, sort_keys=False))
        return folder / "study.yaml"

    return write


def findings(path: Path, variant: str | None = None) -> str:
    with pytest.raises(StudyError) as caught:
        checked_study(path, variant)
    return "\n".join(caught.value.findings)


def test_a_case_lies_over_the_file_and_over_the_case_it_is_like(study: Callable[..., Path]) -> None:
    path = study()
    assert cases(path) == ("ideal", "slides")
    ideal, slides = (checked_case(path, None, case) for case in cases(path))
    assert ideal.samples.dims == ("vehicle", "A")
    assert slides.samples.dims == ("A",)
    assert slides.inputs == ideal.inputs == {"L1": "A*sin(3*t)"}
    assert (ideal.mu, slides.mu) == ((0.3, 0.6), ())
    assert slides.constants == {"A": 20.0, "grip": 0.5}
    assert slides.constant_words["A"]["long_name"] == "amplitude"
    assert slides.contacts["front"] == {"law": "coulomb", "mu": "grip", "mu_kinetic": "0.8*grip"}
    np.testing.assert_allclose(ideal.samples.axes["A"], [1, 10, 100])


def test_a_formula_follows_the_member_of_a_set(study: Callable[..., Path]) -> None:
    ideal, slides = checked_study(study(), None).values()
    columns = ideal.samples.columns(0, ideal.samples.size)
    assert columns["vehicle"].tolist() == ["heavy"] * 3 + ["light"] * 3
    assert ideal.resolve(columns)["M1"].tolist() == [1900.0] * 3 + [900.0] * 3
    assert slides.resolve({"A": np.ones(2)})["M1"] == 1900.0
    assert ideal.depends_on("M1") == ("vehicle",)
    assert slides.fixed()["M1"] == 1900.0
    assert "A" not in ideal.fixed()
    assert len(ideal.trajectories) == 6
    assert ideal.trajectories[3]["vehicle"] == "light"


def test_editing_one_case_leaves_the_digest_of_the_other(study: Callable[..., Path]) -> None:
    before = plan(study(), None)

    def change(data: dict) -> None:
        data["cases"]["slides"]["constants"]["grip"] = 0.4
        data["figures"]["reactions"]["mu"] = 0.3

    after = plan(study(change), None)
    assert before.cases["ideal"].digest == after.cases["ideal"].digest
    assert before.cases["slides"].digest != after.cases["slides"].digest


def test_editing_a_member_changes_the_digest(study: Callable[..., Path]) -> None:
    path = study()
    before = plan(path, None).cases["ideal"].digest
    (path.parent / "vehicles" / "light.yaml").write_text(LIGHT.replace("1000", "1001"))
    assert plan(path, None).cases["ideal"].digest != before


def test_a_variant_may_leave_cases_out(study: Callable[..., Path]) -> None:
    planned = plan(study(), "quick")
    assert list(planned.cases) == ["ideal"]
    assert planned.cases["ideal"].runs == 4


def test_a_figure_knows_its_datasets(study: Callable[..., Path]) -> None:
    planned = plan(study(), None).figures["reactions"]
    assert planned.needs == (("ideal", "trajectories"),)


def put(*place: object) -> Callable[[dict], object]:
    def change(data: dict) -> None:
        for key in place[:-2]:
            data = data[key]
        data[place[-2]] = place[-1]

    return change


CASES = ("cases", "ideal")
SLIDES = ("cases", "slides")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (put(*SLIDES, "like", "idel"), "cases.slides.like: did you mean ideal?"),
        (put(*CASES, "like", "slides"), "is like it; break the circle"),
        (put(*CASES, "figures", []), "ideal: cases.ideal.figures: unknown key"),
        (put(*CASES, 3), "cases.ideal: came 3; expected what it changes"),
        (put("cases", {"runs": {}}), "runs: cases.runs: expected a name"),
        (put("parameters", "M1", "m - mass"), "parameters.M1: unknown name mass"),
        (put("parameters", "M1", "m - 100 -"), "parameters.M1: "),
        (
            lambda d: d["parameters"].update(M1="m - M2", M2="M1"),
            "parameters: M1 uses M2 uses M1; give one of them a number",
        ),
        (put("parameters", "M1", "-5 kg"), "parameters.M1: M1 came as -5; expected a number above"),
        (put("parameters", "M1", "m - 1500"), "parameters.M1: M1 came as -500; expected a number"),
        (put("parameters", "l1", "0 m"), "parameters.l1: l1 came as 0; expected a number above"),
        (put("choose", "vehicle", "hevy"), "choose.vehicle: came hevy; did you mean heavy?"),
        (put("choose", {}), "slides: choose: vehicle is neither chosen nor an axis"),
        (put("choose", "vehicl", "heavy"), "choose.vehicl: names no set"),
        (
            put(*CASES, "grid", "vehicle", {"values": ["hevy"]}),
            "grid.vehicle: came hevy; did you mean heavy?",
        ),
        (put(*CASES, "grid", "vehicle", {}), "grid.vehicle.values: missing; give labels"),
        (put(*CASES, "grid", "A", {"values": "all"}), "only a set has members"),
        (put(*CASES, "grid", "A", "from", "-1 N*m"), "with spacing log; expected from > 0"),
        (put(*CASES, "grid", "B", {"values": [1]}), "grid.B: names no axis"),
        (
            lambda d: d["cases"]["slides"].update(contacts="coulomb", constants={"A": "1 N*m"}),
            "slides: parameters.mu_front: missing; its friction law needs it",
        ),
        (put(*SLIDES, "contacts", "rear", "law", "columb"), "contacts: no friction law 'columb'"),
        (put(*SLIDES, "contacts", "rear", "mu", "gripp"), "contacts.rear.mu: unknown name gripp"),
        (put(*SLIDES, "contacts", "rear", "mu", -1), "law coulomb: mu came as -1"),
        (put(*SLIDES, "contacts", "back", "coulomb"), "contacts: no contact 'back'"),
        (put(*SLIDES, "contacts", 3), "contacts: came 3; expected a friction law"),
        (put(*SLIDES, "constants", "other", 1), "constants.other: no input uses it"),
        (put(*SLIDES, "initial", {"w": "1 m/s"}), "initial: the motion has"),
        (put(*SLIDES, "against", "case", "idea"), "slides: against.case: no case idea; did you"),
        (put(*SLIDES, "limit", {"axis": "B"}), "slides: limit.axis: known: A"),
        (
            put(*SLIDES, "limit", {"axis": "A", "to": {"x": {"formula": {}}}}),
            "slides: limit.to.x.formula: unknown key; did you mean formulas?",
        ),
        (
            put(*SLIDES, "limit", {"axis": "A", "to": {"x": {"formulas": {"x": "A*tt"}}}}),
            "slides: limit.to.x.formulas.x: unknown name tt; did you mean t?",
        ),
        (put("figures", "reactions", "case", "idea"), "figures.reactions: no case idea"),
        (put("figures", "reactions", "colour", 1), "figures.reactions.colour: unknown key"),
        (put("figures", {"reaction": {}}), "figures.reaction: unknown figure reaction; did you"),
        (put("figures", {"threshold_map": {}}), "figures.threshold_map.x: missing names no axis"),
        (put("quoted", "A1", {}), "quoted.A1: LaTeX wants letters alone"),
        (put("quoted", "Largest", "unit", "foo"), "quoted.Largest.unit: came the unknown unit"),
        (put("quoted", "Largest", "case", "x"), "quoted.Largest.case: no case x"),
        (put("sets", "vehicle", "cars"), "sets.vehicle: no file cars/*.yaml"),
        (put(*CASES, "tables", {"a": "b.csv"}), "there is no file"),
        (put(*CASES, "inputs", "L1", "A*table(b)"), "inputs"),
        (put(*CASES, "trajectories", [{"vehicle": "hevy", "A": "1 N*m"}]), "did you mean heavy?"),
    ],
)
def test_a_wrong_case_says_so(
    study: Callable[..., Path], change: Callable[[dict], object], says: str
) -> None:
    assert says in findings(study(change))


def test_members_of_a_set_give_the_same_names(study: Callable[..., Path]) -> None:
    path = study()
    (path.parent / "vehicles" / "third.yaml").write_text("values: {mass: 1 kg}\n")
    assert "every member of a set gives the same names" in findings(path)
    (path.parent / "vehicles" / "third.yaml").write_text("values: {m: 1 m}\n")
    assert "the other members give it in kg" in findings(path)
    (path.parent / "vehicles" / "third.yaml").write_text("values: [")
    assert "vehicles/third.yaml: line 1" in findings(path)
