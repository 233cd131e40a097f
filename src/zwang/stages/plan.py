"""What a study will run, checked in full before any job starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from zwang import expected, figures, study, systems
from zwang.codegen import describe
from zwang.codegen.laws import read_laws
from zwang.engine.start import wrong_count
from zwang.expressions import ExpressionError, check, names_in
from zwang.nearest import nearest
from zwang.stages.reading import declared_of
from zwang.study import Declared, Study, StudyError
from zwang.system import System


@dataclass(frozen=True)
class Plan:
    """What the workflow needs to know of a study."""

    name: str
    title: str
    system: str
    default: bool
    variants: tuple[str, ...]
    engine: str
    runs: int
    chunks: int
    figures: tuple[str, ...]


def plan(study: str | Path, variant: str | None) -> Plan:
    """Return what a study will run; StudyError with every finding if it cannot."""
    checked = checked_study(study, variant)
    return Plan(
        name=checked.name,
        title=checked.title,
        system=checked.system,
        default=checked.default,
        variants=checked.variants,
        engine=checked.engine,
        runs=checked.samples.size,
        chunks=len(chunk_bounds(checked)),
        figures=checked.figures,
    )


def chunk_bounds(checked: Study) -> tuple[tuple[int, int], ...]:
    """Return the bounds of the chunks of a study's runs."""
    return study.chunks(checked.samples.size)


def checked_study(path: str | Path, variant: str | None) -> Study:
    """Return a study after every check that needs the system's symbols."""

    def declare(name: str) -> Declared:
        system = systems.load(name)
        return declared_of(describe(system, read_laws(system, {}, {}), {}, frozenset()))

    found = study.read(path, declare, variant, check, figures.names())
    system = systems.load(found.system)
    findings = [*_start(system, found), *_laws(system, found), *_expected(found, path)]
    if findings:
        raise StudyError(findings, str(path))
    return found


def _start(system: System, found: Study) -> list[str]:
    starts = {a.removesuffix("_0") for a in found.samples.axes}
    given = [name for name in system.velocities if name in {*found.initial, *starts}]
    held = {c.velocity.name for c in system.constraints}
    fault = wrong_count(given, held, len(system.quasi_velocities))
    return [f"initial: {fault}"] if fault else []


def _laws(system: System, found: Study) -> list[str]:
    try:
        read_laws(system, found.inputs, found.constant_words)
    except ExpressionError as error:
        return [f"inputs: {error}"]
    return []


def expression_names(found: Study) -> tuple[str, ...]:
    """Return what an expected value may name."""
    return (*found.parameters, *found.constants, *found.samples.axes, "mu", "t", "end", "pi")


def _expected(found: Study, path: str | Path) -> list[str]:
    """Return the findings on expected.yaml beside the study, where there is one."""
    file = Path(path).with_name("expected.yaml")
    known = expression_names(found)

    def check_value(text: str) -> list[str]:
        try:
            unknown = [name for name in names_in(text) if name not in known]
        except ExpressionError as error:
            return [str(error)]
        return [f"unknown name {name}; {nearest(name, known)}" for name in unknown]

    if not file.exists():
        return []
    try:
        expected.read(file, check_value)
    except expected.ExpectedError as error:
        return str(error).splitlines()
    return []
