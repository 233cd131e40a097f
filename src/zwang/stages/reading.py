"""The study of a stage: its file read with what the model's kernel.json declares, no symbols."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from zwang import study as studies
from zwang.engine.model import Array, Model
from zwang.store import provenance
from zwang.study import Declared, Study


def declared_of(facts: Mapping[str, Any]) -> Declared:
    """Return what a study file may name, from the facts of kernel.json."""

    def units(names: list[str]) -> dict[str, str]:
        return {name: facts["quantities"][name]["units"] for name in names}

    constants = set(facts["constants"])
    return Declared(
        coordinates=units(facts["coordinates"]),
        velocities=units(facts["velocities"]),
        parameters=units([p for p in facts["parameters"] if p not in constants]),
        inputs=units(list(facts["inputs"])),
        optional_parameters=frozenset(facts["optional_parameters"]),
        contacts=tuple(facts["contacts"]),
        expression_names=frozenset(facts["expression_names"]),
    )


def study_with(model: Model, path: str | Path, variant: str | None) -> Study:
    """Return a study whose expressions were checked when its model was derived."""
    return studies.read(path, lambda _: declared_of(model.facts), variant)


def arguments(
    study: Study, model: Model, columns: Mapping[str, Array]
) -> dict[str, dict[str, Array]]:
    """Return `parameters` and `initial` of a call of the engine for these axis values."""
    known = set(model.names("parameters"))
    fixed = {**study.parameters, **study.constants}
    parameters = {name: np.asarray(value) for name, value in fixed.items()}
    initial = {name: np.asarray(value) for name, value in study.initial.items()}
    for name, column in columns.items():
        if name in known:
            parameters[name] = column
        else:
            initial[name.removesuffix("_0")] = column
    return {"parameters": parameters, "initial": initial}


def attributes(study: Study, model: Model, sources: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the global attributes of a result of this study."""
    return provenance(
        study.title,
        model.names("references"),
        study.text,
        study.digest,
        sources,
        system=model.facts["system"],
        variant=study.variant or "",
        engine=study.engine,
        tolerance=study.tolerance,
        **more,
    )
