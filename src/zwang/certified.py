"""A certificate as a dataset: form by form, for accelerations and for reactions."""

from __future__ import annotations

import numpy as np
import xarray as xr

from zwang.certificate import EQUAL, Certificate
from zwang.store import CONVENTIONS, variable

KINDS = ("accelerations", "reactions")
VERDICTS = {0: "not_compared", 1: "equal", 2: "different"}


def dataset(certificate: Certificate) -> xr.Dataset:
    """Return method, states, worst residual and verdict of every pair of forms."""
    forms = certificate.forms
    dims, shape = ("kind", "form", "other"), (len(KINDS), len(forms), len(forms))
    verdict = np.zeros(shape, dtype=np.int8)
    residual = np.full(shape, np.nan)
    states = np.zeros(shape, dtype=np.int64)
    method = np.full(shape, "", dtype=object)
    for c in certificate.comparisons:
        kind, a, b = KINDS.index(c.kind), forms.index(c.first), forms.index(c.second)
        for place in ((kind, a, b), (kind, b, a)):
            verdict[place] = 1 if c.equal else 2
            residual[place], states[place], method[place] = c.residual, c.states, c.method
    refused = certificate.refused
    return xr.Dataset(
        {
            "verdict": xr.Variable(
                dims,
                verdict,
                {
                    "units": "1",
                    "long_name": "whether two forms give the same",
                    "symbol": r"\equiv",
                    "flag_values": np.array(list(VERDICTS), dtype=np.int8),
                    "flag_meanings": " ".join(VERDICTS.values()),
                },
            ),
            "residual": variable(
                dims, residual, "1", "largest relative difference over all states", r"\varepsilon"
            ),
            "states": variable(dims, states, "1", "admissible states compared", "n"),
            "method": xr.Variable(dims, method, {"long_name": "how the forms were compared"}),
            "reason": xr.Variable(
                "refused",
                np.array(list(refused.values()), dtype=object),
                {"long_name": "why the form does not apply"},
            ),
        },
        coords={
            "kind": xr.Variable(
                "kind", np.array(KINDS, dtype=object), {"long_name": "unknowns compared"}
            ),
            "form": xr.Variable("form", np.array(forms, dtype=object), {"long_name": "form"}),
            "other": xr.Variable("other", np.array(forms, dtype=object), {"long_name": "form"}),
            "refused": xr.Variable(
                "refused",
                np.array(list(refused), dtype=object),
                {"long_name": "form that does not apply"},
            ),
        },
        attrs={
            "Conventions": CONVENTIONS,
            "title": f"{certificate.system}: agreement of the forms of its equations of motion",
            "system": certificate.system,
            "equal_below": float(EQUAL),
            "certified": int(certificate.valid),
        },
    )
