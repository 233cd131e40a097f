"""The certificate: every system of the catalogue, and wrong forms that it must catch."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import sympy as sp

import zwang
from zwang import formulations
from zwang.certificate import EQUAL, Certificate, NotCertified, certify
from zwang.constraints import ConstraintError, complete
from zwang.formulations import Equations
from zwang.formulations.equations import kinetics
from zwang.formulations.lagrange_eliminated import lagrange_eliminated
from zwang.formulations.lagrange_first import lagrange_first
from zwang.formulations.newton import spaces, split
from zwang.stages.certify import certify as stages_certify
from zwang.system import System
from zwang.systems import CATALOGUE

SINGULAR = {"gauss_example_31"}  # made of dependent constraints, on purpose
REFUSED = {"appell_hamel_ball_heading"}  # has a coordinate that nothing determines, on purpose


def regular(name: str) -> System:
    system = CATALOGUE[name]()
    return complete(system) if name in SINGULAR else system


@pytest.mark.parametrize("name", [n for n in CATALOGUE if n not in REFUSED])
def test_all_forms_of_every_system_agree(name: str) -> None:
    certificate = certify(regular(name), states=3)
    worst = max(certificate.comparisons, key=lambda c: c.residual)
    assert certificate.valid, worst
    assert len(certificate.forms) >= 5
    assert {"lagrange_first", "maggi", "gauss", "dalembert"} <= set(certificate.forms)
    assert any(c.kind == "reactions" for c in certificate.comparisons) == bool(
        regular(name).constraints
    )


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_coordinate_that_nothing_determines_is_named(name: str) -> None:
    with pytest.raises(ConstraintError, match="coordinate 'theta' has no inertia"):
        certify(CATALOGUE[name](), states=3)


def test_the_certificate_of_the_car_says_how_it_was_made() -> None:
    found = zwang.certify(CATALOGUE["car"]())
    assert found.attrs["certified"] == 1
    numbers = found.where(found.verdict > 0)
    assert float(numbers.residual.max()) <= float(EQUAL)
    assert int(found.states.max()) >= 20
    assert set(map(str, found.form.values)) >= {"appell", "hamel", "woronetz", "tzenoff_second"}
    methods = {str(m).split()[-1] for m in found.method.values.ravel() if m}
    assert methods == {"symbolic", "digits"}
    assert "newton" in found.refused.values


def with_form(
    monkeypatch: pytest.MonkeyPatch, system: System, wrong: Callable[[System], Equations]
) -> Certificate:
    forms = {"lagrange_first": lagrange_first, "wrong": wrong}
    monkeypatch.setattr("zwang.certificate.FORMS", forms)
    return certify(system, states=3)


def differences(certificate: Certificate) -> dict[str, float]:
    return {c.kind: c.residual for c in certificate.comparisons if not c.equal}


def test_multipliers_of_the_other_sign_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """λ of Gauss's principle is −Λ: the accelerations agree, the reactions do not."""

    def wrong(system: System) -> Equations:
        right = lagrange_first(system)
        turned = {c.reaction: -c.reaction for c in system.constraints}
        return replace(right, form="wrong", rhs=tuple(e.subs(turned) for e in right.rhs))

    found = differences(with_form(monkeypatch, CATALOGUE["car"](), wrong))
    assert set(found) == {"reactions"}
    assert found["reactions"] > 1.0


def test_the_printed_matrix_without_masses_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """a_αβ = Σ ∇F_α·∇F_β without 1/mᵢ is right for equal unit masses only [Wipf (6.37)]."""

    def wrong(system: System) -> Equations:
        right = lagrange_eliminated(system)
        A = kinetics(system).A
        Lambda = sp.Matrix([c.reaction for c in system.constraints])
        printed = list(A * A.T * Lambda)
        return replace(right, form="wrong", lhs=(*printed, *right.lhs[len(printed) :]))

    found = differences(with_form(monkeypatch, CATALOGUE["sphere_pair"](), wrong))
    assert found["reactions"] > 1e-3
    assert found["accelerations"] > 1e-3


def test_a_reaction_along_the_position_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A nonlinear constraint acts along ∂φ/∂q̇, not ∂φ/∂q; both keep the constraint exactly."""

    def wrong(system: System) -> Equations:
        right = lagrange_first(system)
        (con,) = system.constraints
        rhs = list(right.rhs)
        for i, q in enumerate(system.coordinates):
            direction = con.expression.diff(q.dot)
            rhs[i] = rhs[i].subs(con.reaction, 0) + con.reaction * direction.subs(q.dot, q)
        return replace(right, form="wrong", rhs=tuple(rhs))

    system = CATALOGUE["constant_speed_particle"]()
    found = differences(with_form(monkeypatch, system, wrong))
    assert found["accelerations"] > 1e-3


def test_a_form_that_does_not_apply_says_why() -> None:
    with pytest.raises(formulations.DoesNotApply, match=r"not linear.*|linear in the rates"):
        formulations.form("woronetz")(CATALOGUE["constant_speed_particle"]())
    with pytest.raises(formulations.DoesNotApply, match="rear"):
        formulations.form("lagrange_second")(CATALOGUE["car"]())
    with pytest.raises(ValueError, match="did you mean maggi"):
        formulations.form("magi")


def test_the_spaces_of_the_representing_point_are_orthogonal() -> None:
    """K ⟂ L in the metric of the masses; an ideal reaction has no part in L."""
    system = CATALOGUE["sphere_pair"]()
    space = spaces(system)
    numbers = {
        s: sp.Rational(i + 3, 2 * i + 5)
        for i, s in enumerate(sorted(space.A.free_symbols | space.M.free_symbols, key=str))
    }
    L, K, M = (m.subs(numbers) for m in (space.L, space.K, space.M))
    assert (L.T * M * K).applyfunc(sp.nsimplify) == sp.zeros(L.cols, K.cols)
    assert L.cols + K.cols == len(system.coordinates)
    here = replace(space, A=space.A.subs(numbers), L=L, K=K, M=M)
    ideal = here.A.T * sp.Matrix([2, -3])
    N, T0 = split(here, ideal)
    assert ideal == N
    assert sp.zeros(len(ideal), 1) == T0
    rough = ideal + M * L[:, 0]
    N, T0 = split(here, rough)
    assert T0.applyfunc(sp.nsimplify) == (M * L[:, 0]).applyfunc(sp.nsimplify)


def test_a_failed_certificate_stops_the_stage(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def wrong(system: System) -> Equations:
        right = lagrange_first(system)
        return replace(right, form="wrong", lhs=(2 * right.lhs[0], *right.lhs[1:]))

    monkeypatch.setattr(
        "zwang.certificate.FORMS", {"lagrange_first": lagrange_first, "wrong": wrong}
    )
    with pytest.raises(NotCertified, match="lagrange_first and wrong: accelerations differ by"):
        stages_certify("skate", tmp_path / "equations.nc", tmp_path / "certificate.nc")
    assert not list(tmp_path.iterdir())
