"""One case of a study, checked against the symbols of its system before anything runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from zwang import laws, study, systems
from zwang.codegen import describe
from zwang.codegen.laws import read_laws
from zwang.domains import domain_fault
from zwang.engine.start import wrong_count
from zwang.expressions import ExpressionError, check
from zwang.laws import Law, LawError
from zwang.stages.reading import declared_of, tables_of
from zwang.study import Declared, Study, StudyError
from zwang.system import System
from zwang.tables import TableError


def checked_case(path: str | Path, variant: str | None, case: str) -> Study:
    """Return one case of a study after every check that needs its system's symbols."""

    def declare(name: str) -> Declared:
        system = systems.load(name)
        return declared_of(describe(system, read_laws(system, {}, {}), {}, frozenset()))

    found = study.read(path, declare, variant, case, check)
    system = systems.load(found.system)
    findings = [*_start(system, found), *_laws(system, found, Path(path))]
    findings += _domains(system, found)
    if findings:
        raise StudyError(findings, str(path))
    return found


def contact_laws(system: System, found: Study) -> dict[str, Law]:
    """Return the law of every contact of a study's system."""
    groups, rows = [g.name for g in system.contacts], [c.name for c in system.constraints]
    return laws.by_contact(found.contacts, groups, rows)


def _start(system: System, found: Study) -> list[str]:
    """Return the finding on too few or too many velocities; contacts that may slip add theirs."""
    starts = {a.removesuffix("_0") for a in {*found.samples.axes, *found.formulas}}
    given = [name for name in system.velocities if name in {*found.initial, *starts}]
    try:
        chosen = contact_laws(system, found)
    except LawError:
        return []  # told by the check of the laws
    slipping = {
        row.velocity.name
        for group in system.contacts
        if not isinstance(chosen[group.name], laws.Ideal)
        for row in group.rows
    }
    held = {c.velocity.name for c in system.constraints} - {n for n in given if n in slipping}
    if len(given) - len(set(given) & held) + len(held) > len(system.coordinates):
        held -= slipping
    fault = wrong_count(given, held, len(system.coordinates) - len(held))
    return [f"initial: {fault}"] if fault else []


def _laws(system: System, found: Study, path: Path) -> list[str]:
    try:
        chosen = contact_laws(system, found)
        tables = tables_of(found, path)
        made = read_laws(system, found.inputs, found.kernel_words, chosen, tables)
    except (ExpressionError, TableError) as error:
        return [f"inputs: {error}"]
    except LawError as error:
        return [f"contacts: {error}"]
    needed = set(describe(system, made, found.inputs)["optional_parameters"])
    given = {*found.parameters, *found.formulas, *found.samples.axes}
    missing = sorted({p.name for p in system.parameters} - needed - given)
    return [f"parameters.{name}: missing; its friction law needs it" for name in missing]


def _domains(system: System, found: Study) -> list[str]:
    """Return the findings on parameters whose values make no sense in any run."""
    columns = np.meshgrid(*found.samples.axes.values(), indexing="ij", sparse=True)
    if found.samples.kind != "grid":
        columns = list(found.samples.axes.values())
    values = found.resolve(dict(zip(found.samples.axes, columns, strict=True)))
    findings = []
    for name in sorted(set(system.domains) & set(values)):
        fault = domain_fault(name, float(np.min(values[name])), system.domains[name])
        findings += [f"parameters.{name}: {fault}"] if fault else []
    return findings
