"""A study file as plain SI values: the blocks are read in turn, every finding is told at once."""

import hashlib
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import yaml

from zwang import formula
from zwang.nearest import nearest
from zwang.study.axes import asked_axes, read_map, read_samples, read_trajectories
from zwang.study.blocks import OF_ALL_CASES, structure
from zwang.study.file import StudyError, case_names, load, with_case, with_variant
from zwang.study.inputs import (
    CheckExpression,
    read_constants,
    read_contacts,
    read_inputs,
    unused,
)
from zwang.study.sets import read_choice, read_sets, with_files
from zwang.study.texts import Texts
from zwang.study.values import Declared, Study

BESIDE = OF_ALL_CASES - {"sets"}  # keys that change no run


def read_text(
    text: str,
    declare: Callable[[str], Declared],
    *,
    name: str = "study",
    variant: str | None = None,
    case: str = "",
    folder: Path | None = None,
    check_expression: CheckExpression | None = None,
) -> Study:
    """The study a text describes; StudyError with every finding if it cannot be used."""
    variant = variant or None
    data, findings = with_variant(load(text), variant)
    data, of_case = with_case(with_files(data, folder), case)
    content = _content(data, folder)
    data, more, broken = structure(data)
    texts = Texts(data, findings + of_case + more, broken)
    for key in ("title", "system"):
        if data[key] is None and not texts.skipped(key):
            texts.find(key, "missing; give it")
    declared = _declared(texts, declare)

    constants, words = read_constants(texts, declared)
    sets, set_words = read_sets(texts)
    for item in sorted(set(words) & set(set_words)):
        texts.find(f"constants.{item}", "a set gives it too; keep one")
    mu = texts.friction()
    if mu and declared and not declared.contacts:
        texts.find("mu", "the system has no contacts; leave mu out")
    end, output = texts.times()
    tolerance = texts.tolerance()
    figures = _figures(texts)
    if declared is None:
        raise StudyError(texts.findings)

    moving = declared.coordinates | declared.velocities
    starts = {f"{item}_0": unit for item, unit in moving.items()}
    constant_units = {item: words[item]["units"] for item in constants}
    samples = read_samples(texts, starts | constant_units | declared.parameters, sets)
    chosen = read_choice(texts, sets, samples.axes)
    parameters, initial, formulas = _given(texts, declared, {*words, *set_words})
    named = {*constants, *set_words}
    given = [*parameters, *formulas, *samples.axes]
    inputs = read_inputs(texts, declared, named, given, check_expression)
    contacts = read_contacts(texts, declared, named)
    laws = contacts.values() if isinstance(contacts, dict) else ()
    coefficients = [str(value) for law in laws for value in law.values()]
    unused(texts, constants, [*inputs.values(), *coefficients, *formulas.values()])
    trajectories = read_trajectories(texts, samples, sets)
    shown = read_map(texts, samples, mu)
    if texts.findings:
        raise StudyError(texts.findings)
    return Study(
        name=name,
        case=case,
        title=data["title"],
        system=data["system"],
        default=data["default"],
        variant=variant,
        variants=tuple(data["variants"]),
        parameters=parameters,
        constants=constants,
        constant_words=words | set_words,
        formulas=formulas,
        sets=sets,
        chosen=chosen,
        inputs=inputs,
        tables=data["tables"],
        contacts=contacts,
        initial={k: v for k, v in initial.items() if f"{k}_0" not in samples.axes},
        samples=samples,
        mu=mu,
        end=end,
        output=output,
        trajectories=trajectories,
        figures=figures,
        quoted=data["quoted"],
        map=shown,
        against=data["against"],
        limit=data["limit"],
        engine=data["engine"],
        tolerance=tolerance,
        text=content,
        digest=hashlib.sha256(f"{content}\0{variant or ''}".encode()).hexdigest()[:16],
    )


def cases(path: str | Path, variant: str | None = None) -> tuple[str, ...]:
    """The names of a study's cases; one without a name where it has none."""
    return case_names(with_variant(load(_text(Path(path))), variant or None)[0])


def _content(data: dict[str, Any], folder: Path | None) -> str:
    """What the case says, as YAML: without comments, figures and variants, with its tables."""
    kept = {key: value for key, value in data.items() if key not in BESIDE}
    text = yaml.safe_dump(kept, sort_keys=True, allow_unicode=True, default_flow_style=None)
    tables = data.get("tables")
    if folder is not None and isinstance(tables, dict):
        for name, file in tables.items():
            path = folder / str(file)
            if path.is_file():
                text += f"# {name}: {hashlib.sha256(path.read_bytes()).hexdigest()}\n"
    return text


def _declared(texts: Texts, declare: Callable[[str], Declared]) -> Declared | None:
    """What the system declares; None with a finding where there is no such system."""
    if texts.data["system"] is None:
        return None
    try:
        return declare(texts.data["system"])
    except (KeyError, ValueError) as error:
        texts.find("system", str(error.args[0] if error.args else error))
        return None


def _given(
    texts: Texts, declared: Declared, constants: Collection[str]
) -> tuple[dict[str, float], dict[str, float], dict[str, str]]:
    """Parameters, initial state, and formulas; what nothing gives is missed."""
    asked = asked_axes(texts.data)
    moving = declared.coordinates | declared.velocities
    parameters, formulas = texts.named("parameters", declared.parameters)
    for name, unit in declared.parameters.items():
        absent = name not in asked | declared.optional_parameters | {*parameters, *formulas}
        if absent and not texts.skipped("parameters", name):
            texts.find(f"parameters.{name}", f"missing; give it in {unit}")
    initial, starts = texts.named("initial", moving)
    for name, unit in declared.coordinates.items():
        absent = name not in {*initial, *starts} and f"{name}_0" not in asked
        if absent and not texts.skipped("initial", name):
            texts.find(f"initial.{name}", f"missing; give it in {unit} or {name}_0 as an axis")
    known = {*declared.parameters, *constants, *(f"{name}_0" for name in moving)}
    paths = {name: f"parameters.{name}" for name in formulas}
    paths |= {f"{name}_0": f"initial.{name}" for name in starts}
    every = formulas | {f"{name}_0": text for name, text in starts.items()}
    return parameters, initial, _ordered(texts, every, paths, known)


def _ordered(
    texts: Texts, formulas: dict[str, str], paths: dict[str, str], known: Collection[str]
) -> dict[str, str]:
    """Formulas in the order in which they can be computed, those that cannot left out."""
    good = {}
    for name, text in formulas.items():
        try:
            unknown = [used for used in formula.names(text) if used not in known]
        except formula.FormulaError as error:
            texts.find(paths[name], str(error))
            continue
        for used in unknown:
            texts.find(paths[name], f"unknown name {used}; {nearest(used, known)}")
        if not unknown:
            good[name] = text
    try:
        return {name: good[name] for name in formula.ordered(good)}
    except formula.FormulaError as error:
        texts.find("parameters", str(error))
        return {}


def _figures(texts: Texts) -> dict[str, dict[str, Any]]:
    """The figures by name with their options; `figure` says what is drawn, else the name does."""
    given = texts.data["figures"]
    found: dict[str, dict[str, Any]] = {}
    for i, name in enumerate(given):
        options = dict(given[name]) if isinstance(given, dict) else {}
        path = f"figures.{name}" if isinstance(given, dict) else f"figures.{i}"
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
            texts.find(path, f"came {name!r}; expected the name of a figure")
        elif name in found:
            texts.find(path, f"{name} is given twice; keep one")
        found[name] = options
    return found


def read(
    path: str | Path,
    declare: Callable[[str], Declared],
    variant: str | None = None,
    case: str = "",
    check_expression: CheckExpression | None = None,
) -> Study:
    """The study in a file, or in a folder's `study.yaml`; StudyError with every finding."""
    path = Path(path)
    path = path / "study.yaml" if path.is_dir() else path
    text = _text(path)
    try:
        return read_text(
            text,
            declare,
            name=path.resolve().parent.name,
            variant=variant,
            case=case,
            folder=path.parent,
            check_expression=check_expression,
        )
    except StudyError as error:
        where = f"{path}, case {case}," if case else str(path)
        raise StudyError(error.findings, where) from None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise StudyError(["no such file; expected studies/<study>/study.yaml"], str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError([f"cannot be read as text: {error}"], str(path)) from None
