"""The text of a study file as nested plain values, with one variant laid over the rest."""

import re
from collections.abc import Collection, Mapping
from typing import Any

import yaml

from zwang.nearest import nearest
from zwang.study.blocks import CASE_KEYS, KEYS, SAMPLINGS
from zwang.units import shorten

LONGEST_FILE = 1_000_000  # characters
RESERVED = frozenset({"figures", "logs", "benchmarks", "runs"})  # folders beside those of cases


class StudyError(ValueError):
    """Everything wrong with a study file, one finding per line, each with its path in the file."""

    def __init__(self, findings: Collection[str], where: str = "study") -> None:
        self.findings = tuple(findings)
        self.where = where
        super().__init__("\n".join([f"{where} cannot be used:", *self.findings]))

    def __reduce__(self) -> tuple[type, tuple[tuple[str, ...], str]]:
        return type(self), (self.findings, self.where)


class _Loader(yaml.SafeLoader):
    """Plain YAML without aliases; notes keys given twice, which YAML itself would swallow."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.findings: list[str] = []

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.MarkedYAMLError(None, None, "aliases are not used here; write it out", mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen = set()
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if key.tag != "tag:yaml.org,2002:str":
                self.findings.append(
                    f"line {line}: a key reads as {key.tag.split(':')[-1]}; expected a name"
                )
            elif key.value in seen:
                self.findings.append(f"{key.value}: given twice (again in line {line}); keep one")
            else:
                seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


def load(text: str) -> dict[str, Any]:
    """Nested plain values of YAML text."""
    if len(text) > LONGEST_FILE:
        raise StudyError([f"came {len(text)} characters; expected at most {LONGEST_FILE}"])
    try:
        loader = _Loader(text)
        data = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise StudyError([f"{place}not YAML: {error.problem or error.context}"]) from None
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else "nested too deeply"
        raise StudyError([f"not YAML: {reason}"]) from None
    if loader.findings:
        raise StudyError(loader.findings)
    if not isinstance(data, dict):
        raise StudyError([f"came {shorten(data)}; expected keys such as title, system, time"])
    return data


def _merge(base: dict, over: Mapping, path: tuple[str, ...] = ()) -> dict:
    """The base with changes over it: mappings key by key, null removes, all else replaces."""
    merged = dict(base)
    place = path[2:] if len(path) >= 2 and path[0] == "cases" else path  # in the case itself
    if place == () and path != ("cases",) and any(name in over for name in SAMPLINGS):
        merged = {k: v for k, v in merged.items() if k in over or k not in SAMPLINGS}
    if len(place) == 2 and place[0] == "grid" and ("values" in over) != ("values" in base):
        merged = {}  # an axis is either a range or a list of values
        if "values" not in over:
            merged = {k: v for k, v in base.items() if k != "values"}
    for key, value in over.items():
        if value is not None and place == ("constants",):
            value = _mapping(value)  # a plain quantity keeps symbol and meaning
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = _merge(merged[key], value, (*path, key))
        else:
            merged[key] = value
    return merged


def with_variant(data: dict[str, Any], variant: str | None) -> tuple[dict[str, Any], list[str]]:
    """The file with the variant over it, and findings on the keys of all variants."""
    findings = []
    variants = data.get("variants") or {}
    variants = variants if isinstance(variants, dict) else {}
    known = KEYS - {"variants"}
    for name, changes in variants.items():
        if not re.fullmatch(r"[A-Za-z0-9_]+", name):
            findings.append(f"variants.{name}: expected a name of letters, digits and _")
        for key in changes if isinstance(changes, dict) else ():
            if key not in known:
                findings.append(f"variants.{name}.{key}: unknown key; {nearest(key, known)}")
    data = _spread(data)
    if variant is None:
        return data, findings
    if variant not in variants:
        raise StudyError([f"variants: came {variant}; {nearest(variant, variants)}"])
    if isinstance(variants[variant], dict):
        changes = {k: v for k, v in variants[variant].items() if k in known}
        data = _spread(_merge(data, changes))
    return data, findings


def case_names(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The cases of a file; a file without cases has one, without a name."""
    cases = data.get("cases")
    return tuple(cases) if isinstance(cases, dict) and cases else ("",)


def with_case(data: dict[str, Any], case: str) -> tuple[dict[str, Any], list[str]]:
    """The file as one of its cases sees it, and findings on the keys of that case.

    A case changes what the file says above its cases, or what another case says: `like`.
    """
    cases = data.get("cases")
    rest = {key: value for key, value in data.items() if key != "cases"}
    if cases is None and not case:
        return rest, []
    if not isinstance(cases, dict) or not cases:
        raise StudyError([f"cases: came {shorten(cases)}; expected names with what each changes"])
    if case not in cases:
        raise StudyError([f"cases: came {case or 'none'}; {nearest(case, cases)}"])
    chain, findings = _chain(cases, case), []
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", case) or case in RESERVED:
        findings.append(f"cases.{case}: expected a name of letters, digits, _ and -")
    for one in chain:
        changes = cases[one]
        if not isinstance(changes, dict):
            findings.append(f"cases.{one}: came {shorten(changes)}; expected what it changes")
            continue
        for key in changes:
            if key not in CASE_KEYS:
                findings.append(f"cases.{one}.{key}: unknown key; {nearest(key, CASE_KEYS)}")
        known = {k: v for k, v in changes.items() if k in CASE_KEYS and k != "like"}
        rest = _spread(_merge(rest, known))
    return rest, findings


def _chain(cases: Mapping[str, Any], case: str) -> list[str]:
    """A case after those it is like."""
    chain = [case]
    while isinstance(cases[chain[0]], dict) and "like" in cases[chain[0]]:
        other = cases[chain[0]]["like"]
        if other not in cases:
            raise StudyError([f"cases.{chain[0]}.like: {nearest(str(other), cases)}"])
        if other in chain:
            raise StudyError([f"cases.{chain[0]}.like: {other} is like it; break the circle"])
        chain.insert(0, str(other))
    return chain


def _spread(data: dict[str, Any]) -> dict[str, Any]:
    """The values with each constant as a mapping, in the cases too; a plain quantity is its value.

    In a case null removes a constant, so there it stays.
    """
    spread = dict(data)
    constants, cases = data.get("constants"), data.get("cases")
    if isinstance(constants, dict):
        spread["constants"] = {name: _mapping(entry) for name, entry in constants.items()}
    if isinstance(cases, dict):
        spread["cases"] = {name: _kept_null(case) for name, case in cases.items()}
    return spread


def _kept_null(case: object) -> object:
    constants = case.get("constants") if isinstance(case, dict) else None
    if not isinstance(case, dict) or not isinstance(constants, dict):
        return case
    made = {n: None if entry is None else _mapping(entry) for n, entry in constants.items()}
    return {**case, "constants": made}


def _mapping(entry: object) -> dict[str, Any]:
    return entry if isinstance(entry, dict) else {"value": entry}
