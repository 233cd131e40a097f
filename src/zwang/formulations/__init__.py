"""The classical forms of the equations of motion, one file each, behind one contract."""

from collections.abc import Callable

from zwang.formulations.equations import Equations
from zwang.formulations.lagrange_first import lagrange_first
from zwang.formulations.maggi import maggi
from zwang.nearest import nearest
from zwang.system import System

FORMS: dict[str, Callable[[System], Equations]] = {
    "lagrange_first": lagrange_first,
    "maggi": maggi,
}


def form(name: str) -> Callable[[System], Equations]:
    """Return the formulation of this name."""
    if name not in FORMS:
        raise ValueError(f"no form {name!r}; {nearest(name, FORMS)}")
    return FORMS[name]


__all__ = ["FORMS", "Equations", "form"]
