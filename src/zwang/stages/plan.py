"""What a study will run, checked in full before any job starts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zwang import expected, figures, formula, quoted, study
from zwang.nearest import nearest
from zwang.stages.cases import checked_case
from zwang.study import Study, StudyError

TARGET = ("case", "at", "formulas", "rates")  # what a motion may be given by


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


def plan(path: str | Path, variant: str | None) -> Plan:
    """Return what a study will run; StudyError with every finding if it cannot."""
    found = checked_study(path, variant)
    first = next(iter(found.values()))
    return Plan(
        name=first.name,
        title=study.title(path, variant),
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
        findings += [f"{case}: {finding}" for finding in _targets(one)]
        if one.limit and one.limit["axis"] not in one.samples.axes:
            asked = str(one.limit["axis"])
            findings.append(f"{case}: limit.axis: {nearest(asked, one.samples.axes)}")
        if one.limit and not one.trajectories:
            findings.append(f"{case}: limit: compares trajectories; write trajectories: all")
    for name, options in first.figures.items():
        findings += _figure(name, options, found)
    findings += quoted.findings(first.quoted, found)
    return findings


def _targets(one: Study) -> list[str]:
    """Return the findings on the motions a family is compared with."""
    findings = []
    for name, target in (one.limit or {}).get("to", {}).items():
        path = f"limit.to.{name}"
        findings += [
            f"{path}.{k}: unknown key; {nearest(k, TARGET)}" for k in target if k not in TARGET
        ]
        if ("case" in target) == ("formulas" in target):
            findings.append(f"{path}: give either the case or the formulas of the motion")
        known = expression_names(one)
        formulas = target.get("formulas") or {}
        texts = {f"formulas.{k}": (k, v) for k, v in formulas.items()}
        texts |= {f"rates.{k}": ("", v) for k, v in (target.get("rates") or {}).items()}
        for place, (made, text) in texts.items():
            inner = re.fullmatch(r"integral\((.*)\)", str(text))
            try:
                used = formula.names(inner[1] if inner else str(text))
            except formula.FormulaError as error:
                findings.append(f"{path}.{place}: {error}")
                continue
            wrong = [u for u in used if u not in known]
            findings += [f"{path}.{place}: unknown name {u}; {nearest(u, known)}" for u in wrong]
            known = known | {made}
    return findings


def _figure(name: str, options: Mapping[str, Any], found: Mapping[str, Study]) -> list[str]:
    module, path = str(options.get("figure", name)), f"figures.{name}"
    if module not in figures.names():
        return [f"{path}: unknown figure {module}; {nearest(module, figures.names())}"]
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

    def check_value(text: str, cases: tuple[str, ...]) -> list[str]:
        spoken = [one for case, one in found.items() if not cases or case in cases]
        if not spoken:  # a variant may leave cases out
            return []
        known = set().union(*(expression_names(one) for one in spoken))
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
