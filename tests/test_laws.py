"""Friction laws as values: what fits a contact, and what is told about what does not."""

import numpy as np
import pytest
import xarray as xr

import zwang
from zwang import laws
from zwang.laws import LawError

CAR = zwang.systems.car()
P = {"M1": 1000.0, "M2": 110.0, "J1": 1500.0, "J2": 30.0, "l1": 0.75, "l2": 1.65, "g": 9.81}
START = {"phi": 0.0, "theta": 0.1, "x": 0.0, "y": 0.0, "u": 5.0, "theta_dot": 0.0}


def run(contacts: laws.Contacts, **more: float) -> xr.Dataset:
    return zwang.simulate(
        CAR, parameters=P | more, initial=START, times=np.linspace(0.0, 0.5, 3), contacts=contacts
    )


@pytest.mark.parametrize(
    ("contacts", "sentence"),
    [
        ("coulom", "no friction law 'coulom'; did you mean coulomb"),
        ({"reer": "coulomb"}, "no contact 'reer'; did you mean rear"),
        ({"rear": {"law": "coulomb", "nu": 0.3}}, "has no 'nu'; did you mean mu"),
        ({"rear": "one_sided"}, "'rear' is kept by friction"),
        ("one_sided", "say which constraint is one-sided"),
        ("viscous", "law viscous needs k"),
        (laws.Coulomb(mu=-0.3), "mu came as -0.3"),
        (laws.Coulomb(mu=float("nan")), "mu came as nan"),
        (laws.Coulomb(mu=0.5, mu_kinetic=0.6), "mu_kinetic = 0.6 exceeds mu = 0.5"),
        (laws.Coulomb(mu=0.5, load="dynamic"), "load came as 'dynamic'"),
        (laws.Smoothed(eps=0.0, mu=0.5), "eps came as 0.0"),
        (laws.FrictionCircle(drive="F1", mu=0.5, load="transfer"), "use load: static"),
    ],
)
def test_a_law_that_does_not_fit_is_told(contacts: laws.Contacts, sentence: str) -> None:
    with pytest.raises(LawError, match=sentence):
        run(contacts, h=0.5)


@pytest.mark.parametrize(
    ("contacts", "given", "sentence"),
    [
        ("coulomb", {}, "parameters mu_front, mu_rear are missing"),
        ("coulomb", {"mu_rear": -0.1, "mu_front": 0.5}, "mu_rear came as -0.1"),
        (laws.Coulomb(mu=0.5, load="transfer"), {}, "parameters h are missing"),
        (laws.Coulomb(mu="mu_reer"), {}, "did you mean mu_rear"),
        (laws.FrictionCircle(drive="F9", mu=0.5), {}, "unknown name 'F9'"),
    ],
)
def test_what_a_law_needs_is_told(
    contacts: laws.Contacts,
    given: dict[str, float],
    sentence: str,
) -> None:
    with pytest.raises(ValueError, match=sentence):
        run(contacts, **given)


def test_a_system_without_contacts_takes_no_friction() -> None:
    with pytest.raises(LawError, match="declares no contact"):
        zwang.simulate(
            zwang.systems.skate(),
            parameters={"m": 1.0, "J": 1.0},
            initial={"x": 0.0, "y": 0.0, "phi": 0.0, "v": 1.0, "phi_dot": 0.0},
            times=np.array([0.0, 1.0]),
            contacts="coulomb",
        )


@pytest.mark.parametrize(
    "law",
    [
        laws.Ideal(),
        laws.Coulomb(0.5, "0.8*mu_rear"),
        laws.FrictionCircle("F1", 0.6),
        laws.OneSided(),
        laws.Viscous("k/eps"),
        laws.Smoothed(1e-3, load="transfer"),
    ],
)
def test_a_law_survives_as_plain_values(law: laws.Law) -> None:
    assert laws.named(laws.record(law)) == law


def test_a_name_a_record_and_a_value_are_one_law() -> None:
    grip = {"mu_rear": 0.3, "mu_front": 0.3}
    ends = [
        float(run(contacts, **grip).phi[-1])
        for contacts in (
            "coulomb",
            laws.Coulomb(),
            {"rear": "coulomb", "front": {"law": "coulomb"}},
        )
    ]
    assert ends[0] == ends[1] == ends[2]


def test_static_friction_parameters_may_be_expressions_of_time_and_constants() -> None:
    wet = zwang.simulate(
        CAR,
        parameters=P,
        constants={"dry": 0.9, "wet": 0.2},
        initial=START | {"u": 9.0},
        times=np.linspace(0.0, 1.0, 101),
        contacts=laws.Coulomb(mu="dry - (dry - wet)*step(0.4)"),
    )
    assert float(wet.first_slip.min()) == 0.4  # held on the dry road, not on the wet one
    assert float(wet.utilisation[:, 50].max()) == pytest.approx(0.2, rel=1e-9)
