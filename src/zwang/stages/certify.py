"""Equations of motion of a system in every form, and the certificate that all forms agree."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import sympy as sp
import xarray as xr

from zwang import certificate, systems
from zwang.certified import dataset
from zwang.formulations import FORMS, DoesNotApply
from zwang.formulations.equations import Equations
from zwang.provenance import module_digest
from zwang.store import provenance, variable, write
from zwang.system import System


def certify(system: str, equations: str | Path, out: str | Path) -> None:
    """Write equations.nc and certificate.nc; NotCertified with every pair of forms that differs."""
    declared = systems.load(system)
    found = certificate.certify(declared)
    different = [
        f"  {c.first} and {c.second}: {c.kind} differ by {c.residual:.3g} at the worst of "
        f"{c.states} states"
        for c in found.comparisons
        if not c.equal
    ]
    if different:
        raise certificate.NotCertified("\n".join([f"{system}: forms disagree", *different]))
    table = dataset(found)
    attrs = provenance(
        table.attrs["title"], declared.source, "", "", module_digest(__name__), system=system
    )
    about = {**attrs, "title": f"{declared.title}: equations of motion"}
    write(equation_table(declared).assign_attrs(about), equations)
    write(table.assign_attrs({**attrs, **table.attrs}), out)


def equation_table(system: System) -> xr.Dataset:
    """Return every form's equations as text and LaTeX, and their operations after cse."""
    forms = applicable(system)
    rows = max(len(e.lhs) for e in forms.values())

    def padded(texts: list[str]) -> list[str]:
        return texts + [""] * (rows - len(texts))

    sides = {name: list(zip(e.lhs, e.rhs, strict=True)) for name, e in forms.items()}
    text = [padded([f"{a} = {b}" for a, b in pairs]) for pairs in sides.values()]
    latex = [padded([f"{sp.latex(a)} = {sp.latex(b)}" for a, b in p]) for p in sides.values()]
    dims = ("form", "row")
    unknowns = max((e.unknowns for e in forms.values()), key=len)
    return xr.Dataset(
        {
            "equation": (dims, np.array(text, dtype=object), {"long_name": "equation as text"}),
            "latex": (dims, np.array(latex, dtype=object), {"long_name": "equation in LaTeX"}),
            "operations": variable(
                "form",
                np.array([operations(e) for e in forms.values()], dtype=np.int64),
                "1",
                "operations after common subexpressions are shared",
                "n",
            ),
            "reference": (
                "form",
                np.array(["; ".join(e.references) for e in forms.values()], dtype=object),
                {"long_name": "source and equation"},
            ),
            "unknown_units": (
                "unknown",
                np.array([u.unit for u in unknowns], dtype=object),
                {"long_name": "unit of the unknown"},
            ),
        },
        coords={
            "form": ("form", np.array(list(forms), dtype=object), {"long_name": "classical form"}),
            "unknown": (
                "unknown",
                np.array([u.name for u in unknowns], dtype=object),
                {"long_name": "accelerations and reactions the equations are solved for"},
            ),
        },
    )


def applicable(system: System) -> dict[str, Equations]:
    """Return the system's equations in every form that applies to it."""
    found = {}
    for name, form in FORMS.items():
        with suppress(DoesNotApply):  # the certificate says which and why
            found[name] = form(system)
    return found


def operations(equations: Equations) -> int:
    """Return the number of operations of the linear system for the unknowns after cse."""
    matrix, vector = equations.linear()
    shared, reduced = sp.cse([*matrix, *vector])
    return int(sum(sp.count_ops(e) for e in [*(e for _, e in shared), *reduced]))
