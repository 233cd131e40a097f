"""The study of a stage: its file read with what the model's kernel.json declares, no symbols."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from zwang import study as studies
from zwang.assemble import axis_words
from zwang.engine.model import Array, Model
from zwang.store import provenance
from zwang.study import Declared, Study
from zwang.tables import Table
from zwang.tables import read as read_table


def declared_of(facts: Mapping[str, Any]) -> Declared:
    """Return what a study file may name, from the facts of kernel.json."""

    def units(names: list[str]) -> dict[str, str]:
        return {name: facts["quantities"][name]["units"] for name in names}

    own = {*facts["constants"], *(f"start_{name}" for name in facts["relative"])}
    return Declared(
        coordinates=units(facts["coordinates"]),
        velocities=units(facts["velocities"]),
        parameters=units([p for p in facts["parameters"] if p not in own]),
        inputs=units(list(facts["inputs"])),
        optional_parameters=frozenset(facts["optional_parameters"]),
        contacts=tuple(facts["contacts"]),
        expression_names=frozenset(facts["expression_names"]),
    )


def study_with(model: Model, path: str | Path, variant: str | None, case: str) -> Study:
    """Return a study whose expressions were checked when its model was derived."""
    return studies.read(path, lambda _: declared_of(model.facts), variant, case)


def arguments(
    study: Study, model: Model, columns: Mapping[str, Array]
) -> dict[str, dict[str, Array]]:
    """Return `parameters` and `initial` of a call of the engine for these axis values."""
    values = study.resolve(columns)
    moving = (*model.names("coordinates"), *model.names("velocities"))
    return {
        "parameters": {n: values[n] for n in model.names("parameters") if n in values},
        "initial": {n: values[f"{n}_0"] for n in moving if f"{n}_0" in values},
    }


def derived(study: Study, model: Model) -> dict[str, xr.Variable]:
    """Return what follows from the axes, parameters and members of sets, on the axes it needs."""
    of_sets = {key for s in study.sets.values() for m in s.values() for key in m.values}
    names = [n for n in (*study.formulas, *sorted(of_sets)) if study.depends_on(n)]
    grid = study.samples.kind == "grid"
    found = {}
    for name in dict.fromkeys(names):
        if name in study.samples.axes:
            continue
        axes = study.depends_on(name)
        columns = [study.samples.axes[a] for a in axes]
        if grid:
            columns = np.meshgrid(*columns, indexing="ij")
        values = study.resolve(dict(zip(axes, columns, strict=True)))[name]
        words = study.constant_words.get(name) or axis_words(model, name)
        found[name] = xr.Variable(axes if grid else ("run",), values, words)
    for name in study.sets:
        if name in study.samples.axes:
            members = study.sets[name]
            titles = [members[str(label)].title for label in study.samples.axes[name]]
            found[f"{name}_title"] = xr.Variable(
                name if grid else "run", np.array(titles, dtype=object), {"long_name": "title"}
            )
    return found


def tables_of(study: Study, path: Path) -> dict[str, Table]:
    """Return the measured inputs a study names, read from the files beside it."""
    return {name: read_table(path.parent / file) for name, file in study.tables.items()}


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
