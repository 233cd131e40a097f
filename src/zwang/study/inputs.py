"""The inputs of a study and the constants they name: values, units and words."""

import keyword
import math
import re
from collections.abc import Callable, Collection
from typing import Any

from zwang.nearest import nearest
from zwang.study.axes import UNREAD
from zwang.study.texts import Texts
from zwang.study.values import Declared, names_in
from zwang.typeset import symbol_of
from zwang.units import UnitError, is_quantity, shorten, to_si

# Words an expression reads as something else, and names the datasets use themselves.
_FUNCTIONS = "sin cos tan asin acos atan sinh cosh tanh exp log sqrt step ramp pulse"
_DATASETS = """
    boundary contact critical_mu critical_mu_common energy event first_contact first_onset message
    mode mu normal_load onset power_balance residual run status steps time_of_maximum time_reached
    trajectory utilisation sliding margin touch"""
FUNCTION_NAMES = frozenset(_FUNCTIONS.split())
DATASET_NAMES = frozenset(_DATASETS.split())
CheckExpression = Callable[[str, str, Collection[str]], list[str]]


def read_constants(
    texts: Texts, declared: Declared | None
) -> tuple[dict[str, float], dict[str, dict[str, str]]]:
    """Values of the constants in SI units, and their units, symbol and long_name."""
    values, words = {}, {}
    taken = _taken(declared)
    for name, entry in texts.data["constants"].items():
        path = f"constants.{name}"
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or keyword.iskeyword(name):
            texts.find(path, "not a name; expected a letter, then letters, digits and _")
        elif name in taken:
            texts.find(path, "the name is taken by the system or by zwang; choose another one")
        values[name], units = _si(texts, name, entry["value"])
        words[name] = {
            "units": units,
            "symbol": entry["symbol"] or symbol_of(name),
            "long_name": entry["meaning"] or "",
        }
    return values, words


def _taken(declared: Declared | None) -> set[str]:
    taken = {"t", "pi", "table"} | FUNCTION_NAMES | DATASET_NAMES
    if declared:
        moving = [*declared.coordinates, *declared.velocities]
        taken |= {*moving, *(f"{name}_0" for name in moving), *declared.parameters}
        taken |= {*declared.inputs, *declared.expression_names}
    return taken


def _si(texts: Texts, name: str, text: str | float | None) -> tuple[float, str]:
    """Value and unit of a constant; NaN with a finding where it cannot be read."""
    path = f"constants.{name}"
    try:
        if text is not None:
            return to_si(text)
        if not texts.skipped("constants", name, "value"):
            texts.find(f"{path}.value", "missing; give a number with its unit such as 10 deg")
    except UnitError as error:
        texts.find(path, str(error))
    return math.nan, UNREAD


def read_inputs(
    texts: Texts,
    declared: Declared,
    constants: Collection[str],
    given: Collection[str],
    check: CheckExpression | None,
) -> dict[str, str]:
    """Text of each input: the expression, or the number in SI units."""
    laws: dict[str, str] = {}
    known = declared.expression_names | set(constants) | set(declared.parameters) | {"pi"}
    known |= set(texts.data["tables"])
    for name, text in texts.data["inputs"].items():
        path = f"inputs.{name}"
        if name not in declared.inputs:
            texts.find(path, f"unknown name; {nearest(name, declared.inputs)}")
        if is_quantity(text):
            if name in declared.inputs:
                laws[name] = repr(texts.value(path, text, declared.inputs[name]))
            continue
        laws[name] = text
        names = names_in(text)
        unknown = sorted(names - known - FUNCTION_NAMES)
        for item in unknown:
            texts.find(path, f"unknown name {item} in {shorten(text)}; {nearest(item, known)}")
        for item in sorted(names & declared.optional_parameters - set(given)):
            texts.find(path, f"uses {item}, which is not given; add it to parameters")
        if check and not unknown:
            for finding in check(name, text, known - declared.expression_names - {"pi"}):
                texts.find(path, finding)
    return laws


def read_contacts(
    texts: Texts, declared: Declared, constants: Collection[str]
) -> str | dict[str, dict[str, Any]]:
    """The friction laws with their numbers in SI units; one name, or a record by contact."""
    given = texts.data["contacts"]
    if isinstance(given, str):
        return given
    known = declared.expression_names | set(constants) | set(declared.parameters) | {"pi"}
    known |= set(declared.inputs)
    found: dict[str, dict[str, Any]] = {}
    for contact, law in given.items():
        found[contact] = {"law": law} if isinstance(law, str) else dict(law)
        for key, value in found[contact].items():
            path = f"contacts.{contact}.{key}"
            if key in ("law", "load"):
                continue
            if is_quantity(value):
                found[contact][key] = texts.value_in_si(path, value)
                continue
            for name in sorted(names_in(value) - known - FUNCTION_NAMES):
                texts.find(path, f"unknown name {name}; {nearest(name, known)}")
    return found


def unused(texts: Texts, constants: Collection[str], expressions: Collection[str]) -> None:
    """Note the constants that no input, law or formula names."""
    used = set().union(*(names_in(text) for text in expressions)) if expressions else set()
    if not any(place[0] in ("inputs", "contacts") for place in texts.broken):
        for name in sorted(set(constants) - used):
            texts.find(f"constants.{name}", "no input uses it; remove it or use it")
