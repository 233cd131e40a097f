"""Sets of values chosen by a label, such as vehicles: one small file each, or written inline."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zwang.nearest import nearest
from zwang.study.file import StudyError, load
from zwang.study.texts import Texts
from zwang.typeset import symbol_of
from zwang.units import UnitError, to_si


@dataclass(frozen=True)
class Member:
    """One member of a set: what it is called, where it is from, its values in SI units."""

    title: str
    source: str
    values: dict[str, float]


Sets = dict[str, dict[str, Member]]
Words = dict[str, dict[str, str]]


def with_files(data: dict[str, Any], folder: Path | None) -> dict[str, Any]:
    """The file with each set that names a folder replaced by the files in it."""
    sets = data.get("sets")
    if not isinstance(sets, dict):
        return data
    return {**data, "sets": {name: _members(name, given, folder) for name, given in sets.items()}}


def _members(name: str, given: object, folder: Path | None) -> object:
    if isinstance(given, dict):
        return {label: _spread(member) for label, member in given.items()}
    if not isinstance(given, str) or folder is None:
        return given
    files = sorted((folder / given).glob("*.yaml"))
    if not files:
        raise StudyError([f"sets.{name}: no file {given}/*.yaml beside the study; add one"])
    found = {}
    for file in files:
        try:
            found[file.stem] = _spread(load(file.read_text(encoding="utf-8")))
        except StudyError as error:
            raise StudyError([f"sets.{name}: {given}/{file.name}: {error.findings[0]}"]) from None
        except (OSError, UnicodeDecodeError) as error:
            raise StudyError([f"sets.{name}: {given}/{file.name}: {error}"]) from None
    return found


def _spread(member: object) -> object:
    """A member whose values are mappings; a plain quantity is its value."""
    values = member.get("values") if isinstance(member, dict) else None
    if not isinstance(member, dict) or not isinstance(values, dict):
        return member
    plain = {k: v if isinstance(v, dict) else {"value": v} for k, v in values.items()}
    return {**member, "values": plain}


def read_sets(texts: Texts) -> tuple[Sets, Words]:
    """The members of every set, and units, symbol and long_name of each of their values."""
    sets: Sets = {}
    words: Words = {}
    for name, members in texts.data["sets"].items():
        sets[name] = {}
        first: Mapping[str, Any] = next(iter(members.values()))["values"] if members else {}
        for label, member in members.items():
            path = f"sets.{name}.{label}"
            if set(member["values"]) != set(first):
                wrong = ", ".join(sorted(set(member["values"]) ^ set(first)))
                texts.find(path, f"{wrong}: every member of a set gives the same names")
            values = {}
            for key, entry in member["values"].items():
                values[key] = _value(texts, f"{path}.{key}", key, entry, words)
            title, source = member["title"] or label, member["source"] or ""
            sets[name][label] = Member(title, source, values)
    return sets, words


def _value(texts: Texts, path: str, key: str, entry: Mapping[str, Any], words: Words) -> float:
    try:
        value, units = to_si(entry["value"])
    except UnitError as error:
        texts.find(path, str(error))
        return float("nan")
    known = words.setdefault(
        key,
        {
            "units": units,
            "symbol": entry["symbol"] or symbol_of(key),
            "long_name": entry["meaning"] or "",
        },
    )
    if known["units"] != units:
        texts.find(path, f"came in {units}; the other members give it in {known['units']}")
    return value


def read_choice(texts: Texts, sets: Sets, axes: Mapping[str, Any]) -> dict[str, str]:
    """The member of each set that is no axis."""
    chosen = dict(texts.data["choose"])
    for name, label in chosen.items():
        if name not in sets:
            texts.find(f"choose.{name}", f"names no set; {nearest(name, sets)}")
        elif label not in sets[name]:
            texts.find(f"choose.{name}", f"came {label}; {nearest(label, sets[name])}")
    for name in sets:
        if name not in axes and name not in chosen:
            texts.find("choose", f"{name} is neither chosen nor an axis; choose a member")
        if name in axes and name in chosen:
            chosen.pop(name)  # the axis goes through its members
    return {n: label for n, label in chosen.items() if n in sets and label in sets[n]}
