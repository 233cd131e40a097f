"""A study file as plain SI values: the blocks are read in turn, every finding is told at once."""

import hashlib
import re
from collections.abc import Callable, Collection
from pathlib import Path

from zwang.nearest import nearest
from zwang.study.axes import asked_axes, read_map, read_samples, read_trajectories
from zwang.study.blocks import structure
from zwang.study.file import StudyError, load, with_variant
from zwang.study.inputs import CheckExpression, read_constants, read_inputs
from zwang.study.texts import Texts
from zwang.study.values import Declared, Study


def read_text(
    text: str,
    declare: Callable[[str], Declared],
    *,
    name: str = "study",
    variant: str | None = None,
    check_expression: CheckExpression | None = None,
    known_figures: Collection[str] | None = None,
) -> Study:
    """The study a text describes; StudyError with every finding if it cannot be used."""
    variant = variant or None
    data, findings = with_variant(load(text), variant)
    data, more, broken = structure(data)
    texts = Texts(data, findings + more, broken)
    for key in ("title", "system"):
        if data[key] is None and not texts.skipped(key):
            texts.find(key, "missing; give it")
    declared = _declared(texts, declare)

    constants, words = read_constants(texts, declared)
    mu = texts.friction()
    if mu and declared and not declared.contacts:
        texts.find("mu", "the system has no contacts; leave mu out")
    end, output = texts.times()
    tolerance = texts.tolerance()
    figures = _figures(texts, known_figures)
    if declared is None:
        raise StudyError(texts.findings)

    moving = declared.coordinates | declared.velocities
    starts = {f"{item}_0": unit for item, unit in moving.items()}
    constant_units = {item: words[item]["units"] for item in constants}
    samples = read_samples(texts, starts | constant_units | declared.parameters)
    parameters, initial = _given(texts, declared)
    given = [*parameters, *samples.axes]
    inputs = read_inputs(texts, declared, constants, given, check_expression)
    trajectories = read_trajectories(texts, samples)
    shown = read_map(texts, samples, mu)
    if texts.findings:
        raise StudyError(texts.findings)
    return Study(
        name=name,
        title=data["title"],
        system=data["system"],
        default=data["default"],
        variant=variant,
        variants=tuple(data["variants"]),
        parameters=parameters,
        constants=constants,
        constant_words=words,
        inputs=inputs,
        initial={k: v for k, v in initial.items() if f"{k}_0" not in samples.axes},
        samples=samples,
        mu=mu,
        end=end,
        output=output,
        trajectories=trajectories,
        figures=figures,
        map=shown,
        engine=data["engine"],
        tolerance=tolerance,
        text=text,
        digest=hashlib.sha256(f"{text}\0{variant or ''}".encode()).hexdigest()[:16],
    )


def _declared(texts: Texts, declare: Callable[[str], Declared]) -> Declared | None:
    """What the system declares; None with a finding where there is no such system."""
    if texts.data["system"] is None:
        return None
    try:
        return declare(texts.data["system"])
    except (KeyError, ValueError) as error:
        texts.find("system", str(error.args[0] if error.args else error))
        return None


def _given(texts: Texts, declared: Declared) -> tuple[dict[str, float], dict[str, float]]:
    """Parameters and initial state; what neither they nor an axis gives is missed."""
    asked = asked_axes(texts.data)
    parameters = texts.named("parameters", declared.parameters)
    for name, unit in declared.parameters.items():
        absent = name not in parameters and name not in asked | declared.optional_parameters
        if absent and not texts.skipped("parameters", name):
            texts.find(f"parameters.{name}", f"missing; give it in {unit}")
    initial = texts.named("initial", declared.coordinates | declared.velocities)
    for name, unit in declared.coordinates.items():
        absent = name not in initial and f"{name}_0" not in asked
        if absent and not texts.skipped("initial", name):
            texts.find(f"initial.{name}", f"missing; give it in {unit} or {name}_0 as an axis")
    return parameters, initial


def _figures(texts: Texts, known: Collection[str] | None) -> tuple[str, ...]:
    """Names of the figures, each once and with what it shows."""
    names = texts.data["figures"]
    for i, name in enumerate(names):
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
            texts.find(f"figures.{i}", f"came {name!r}; expected the name of a figure")
        elif known is not None and name not in known:
            texts.find(f"figures.{i}", f"unknown figure {name}; {nearest(name, known)}")
        elif name in names[:i]:
            texts.find(f"figures.{i}", f"{name} is given twice; keep one")
    for name, block in (("threshold_map", "map"), ("reactions", "trajectories")):
        if name in names and not texts.data[block] and not texts.skipped(block):
            texts.find("figures", f"{name} shows what {block} names; give {block}")
    return tuple(names)


def read(
    path: str | Path,
    declare: Callable[[str], Declared],
    variant: str | None = None,
    check_expression: CheckExpression | None = None,
    known_figures: Collection[str] | None = None,
) -> Study:
    """The study in a file, or in a folder's `study.yaml`; StudyError with every finding."""
    path = Path(path)
    path = path / "study.yaml" if path.is_dir() else path
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise StudyError(["no such file; expected studies/<study>/study.yaml"], str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError([f"cannot be read as text: {error}"], str(path)) from None
    try:
        return read_text(
            text,
            declare,
            name=path.resolve().parent.name,
            variant=variant,
            check_expression=check_expression,
            known_figures=known_figures,
        )
    except StudyError as error:
        raise StudyError(error.findings, str(path)) from None
