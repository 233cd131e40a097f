"""What a study will run, checked in full before any job starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zwang import expected, figures, formula, laws, quoted, study, systems
from zwang.codegen import describe
from zwang.codegen.laws import read_laws
from zwang.domains import domain_fault
from zwang.engine.start import wrong_count
from zwang.expressions import ExpressionError, check
from zwang.laws import Law, LawError
from zwang.nearest import nearest
from zwang.stages.reading import declared_of, tables_of
from zwang.study import Declared, Study, StudyError
from zwang.system import System
from zwang.tables import TableError


@dataclass(frozen=True)
class CasePlan:
    """What the workflow needs to know of one case: what runs, and what its jobs depend on."""

    system: str
    engine: str
    runs: int
    chunks: int
    digest: str
    against: str | None
    references: tuple[str, ...]  # cases whose trajectories the limit is compared with
    limit: bool
    files: tuple[str, ...]  # tables beside the study


@dataclass(frozen=True)
class FigurePlan:
    """One figure: the module that draws it, the datasets it needs by case, its options."""

    module: str
    needs: tuple[tuple[str, str], ...]  # (case, kind of dataset)
    options: dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What the workflow needs to know of a study."""

    name: str
    title: str
    default: bool
    variants: tuple[str, ...]
    cases: dict[str, CasePlan]
    titles: dict[str, str]
    figures: dict[str, FigurePlan]
    quoted: dict[str, dict[str, Any]]


def plan(study: str | Path, variant: str | None) -> Plan:
    """Return what a study will run; StudyError with every finding if it cannot."""
    found = checked_study(study, variant)
    first = next(iter(found.values()))
    return Plan(
        name=first.name,
        title=first.title,
        default=first.default,
        variants=first.variants,
        cases={case: _case_plan(one) for case, one in found.items()},
        titles={case: one.title for case, one in found.items()},
        figures={name: _figure_plan(name, found) for name in first.figures},
        quoted=first.quoted,
    )


def _case_plan(found: Study) -> CasePlan:
    limit = found.limit or {}
    cases = [str(one["case"]) for one in limit.get("to", {}).values() if "case" in one]
    return CasePlan(
        system=found.system,
        engine=found.engine,
        runs=found.samples.size,
        chunks=len(study.chunks(found.samples.size)),
        digest=found.digest,
        against=(found.against or {}).get("case"),
        references=tuple(dict.fromkeys(cases)),
        limit=bool(limit),
        files=tuple(found.tables.values()),
    )


def _figure_plan(name: str, found: Mapping[str, Study]) -> FigurePlan:
    first = next(iter(found.values()))
    options = dict(first.figures[name])
    module = options.pop("figure", name)
    drawn = _cases_of(options, found)
    options.pop("case", None)
    options.pop("cases", None)
    shown = found[drawn[0]].map or {}
    needs = tuple((case, kind) for case in drawn for kind in figures.needs(module))
    return FigurePlan(module, needs, {**shown, **options})


def _cases_of(options: Mapping[str, Any], found: Mapping[str, Study]) -> list[str]:
    """Return the cases a figure or a number speaks of: those it names, else the first."""
    if "cases" in options:
        return list(found) if options["cases"] == "all" else [str(c) for c in options["cases"]]
    return [str(options.get("case", next(iter(found))))]


def checked_study(path: str | Path, variant: str | None) -> dict[str, Study]:
    """Return every case of a study after every check that needs the systems' symbols."""
    found: dict[str, Study] = {}
    findings: list[str] = []
    for case in study.cases(path, variant):
        try:
            found[case] = checked_case(path, variant, case)
        except StudyError as error:
            prefix = f"{case}: " if case else ""
            findings += [prefix + finding for finding in error.findings]
    if not findings:
        findings = [*_across(found), *_expected(found, path)]
    if findings:
        raise StudyError(findings, str(path))
    return found


def checked_case(path: str | Path, variant: str | None, case: str) -> Study:
    """Return one case of a study after every check that needs its system's symbols."""

    def declare(name: str) -> Declared:
        system = systems.load(name)
        return declared_of(describe(system, read_laws(system, {}, {}), {}, frozenset()))

    found = study.read(path, declare, variant, case, check, figures.names())
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
        ends = (float(np.min(values[name])), float(np.max(values[name])))
        faults = [domain_fault(name, end, system.domains[name]) for end in ends]
        findings += [f"parameters.{name}: {fault}" for fault in faults[:1] if fault]
    return findings


def _across(found: Mapping[str, Study]) -> list[str]:
    """Return the findings on what one part of the study says of another."""
    first, findings = next(iter(found.values())), []
    for case, one in found.items():
        named = {"against.case": one.against["case"] or ""} if one.against else {}
        named |= {
            f"limit.to.{n}": t.get("case") for n, t in (one.limit or {}).get("to", {}).items()
        }
        for key, other in named.items():
            if other is not None and (other not in found or other == case):
                findings.append(f"{case}: {key}: no case {other}; {nearest(str(other), found)}")
        if one.limit and one.limit["axis"] not in one.samples.axes:
            asked = str(one.limit["axis"])
            findings.append(f"{case}: limit.axis: {nearest(asked, one.samples.axes)}")
        if one.limit and not one.trajectories:
            findings.append(f"{case}: limit: compares trajectories; write trajectories: all")
    for name, options in first.figures.items():
        findings += _figure(name, options, found)
    findings += quoted.findings(first.quoted, found)
    return findings


def _figure(name: str, options: Mapping[str, Any], found: Mapping[str, Study]) -> list[str]:
    module, path = str(options.get("figure", name)), f"figures.{name}"
    known = {"figure", "case", "cases", *figures.options(module)}
    findings = [
        f"{path}.{key}: unknown key; {nearest(key, known)}" for key in options if key not in known
    ]
    drawn = _cases_of(options, found)
    wrong = [case for case in drawn if case not in found]
    if wrong:
        return [*findings, *(f"{path}: no case {case}; {nearest(case, found)}" for case in wrong)]
    for case in drawn:
        one = found[case]
        shown = {**(one.map or {}), **options}
        for key in ("x", "y"):
            if key in figures.options(module) and shown.get(key) not in one.samples.axes:
                asked = shown.get(key) or ""
                findings.append(
                    f"{path}.{key}: {asked or 'missing'} names no axis of the case; give map or "
                    f"{key}; {nearest(str(asked), one.samples.axes)}"
                )
        if "trajectories" in figures.needs(module) and not one.trajectories:
            findings.append(f"{path}: {module} shows what trajectories names; give trajectories")
        if "limits" in figures.needs(module) and not one.limit:
            findings.append(f"{path}: {module} shows what limit finds; give limit")
    return findings


def expression_names(found: Study) -> set[str]:
    """Return what an expected value may name."""
    members = [m for one in found.sets.values() for m in one.values()]
    sets = {name for member in members for name in member.values}
    starts = {f"{name}_0" for name in found.initial}
    named = {*found.parameters, *found.constants, *found.samples.axes, *found.formulas}
    return named | sets | starts | {"mu", "t", "end", "pi"}


def _expected(found: Mapping[str, Study], path: str | Path) -> list[str]:
    """Return the findings on expected.yaml beside the study, where there is one."""
    file = Path(path).with_name("expected.yaml")
    known = set().union(*(expression_names(one) for one in found.values()))

    def check_value(text: str) -> list[str]:
        try:
            unknown = [name for name in formula.names(text) if name not in known]
        except formula.FormulaError as error:
            return [str(error)]
        return [f"unknown name {name}; {nearest(name, known)}" for name in unknown]

    if not file.exists():
        return []
    try:
        expected.read(file, check_value)
    except expected.ExpectedError as error:
        return str(error).splitlines()
    return []
