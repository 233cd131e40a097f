"""The classical forms of the equations of motion, one file each, behind one contract."""

from collections.abc import Callable

from zwang.formulations.appell import appell
from zwang.formulations.boltzmann_hamel import hamel
from zwang.formulations.dalembert import dalembert
from zwang.formulations.equations import DoesNotApply, Equations
from zwang.formulations.gauss import gauss
from zwang.formulations.hamel_raw import hamel_raw
from zwang.formulations.hamilton import hamilton
from zwang.formulations.lagrange_eliminated import lagrange_eliminated
from zwang.formulations.lagrange_first import lagrange_first
from zwang.formulations.lagrange_second import lagrange_second
from zwang.formulations.maggi import maggi
from zwang.formulations.newton import newton
from zwang.formulations.tzenoff import tzenoff_first, tzenoff_second
from zwang.formulations.woronetz import woronetz
from zwang.nearest import nearest
from zwang.system import System

FORMS: dict[str, Callable[[System], Equations]] = {
    "newton": newton,
    "dalembert": dalembert,
    "lagrange_first": lagrange_first,
    "lagrange_eliminated": lagrange_eliminated,
    "lagrange_second": lagrange_second,
    "maggi": maggi,
    "gauss": gauss,
    "appell": appell,
    "hamel_raw": hamel_raw,
    "tzenoff_first": tzenoff_first,
    "tzenoff_second": tzenoff_second,
    "hamel": hamel,
    "woronetz": woronetz,
    "hamilton": hamilton,
}


def form(name: str) -> Callable[[System], Equations]:
    """Return the formulation of this name."""
    if name not in FORMS:
        raise ValueError(f"no form {name!r}; {nearest(name, FORMS)}")
    return FORMS[name]


__all__ = ["FORMS", "DoesNotApply", "Equations", "form"]
