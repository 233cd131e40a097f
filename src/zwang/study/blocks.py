"""The blocks of a study file: which keys there are, and what each may hold."""

import copy
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from zwang.nearest import nearest
from zwang.units import shorten

MOST_VALUES = 1_000_000  # along one axis, in points and random samples, on the time grid
SAMPLINGS = ("grid", "points", "random")


def _scalar(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError("expected a number with its unit, such as 25 m/s")
    return value


def _law(value: object) -> object:
    laws = value.values() if isinstance(value, dict) else [value]
    for law in laws:
        entries = list(law.values()) if isinstance(law, dict) else [law]
        good = isinstance(law, (str, dict)) and bool(entries)
        if not good or any(isinstance(e, (dict, list, bool)) or e is None for e in entries):
            raise ValueError("expected a friction law such as coulomb, or one for each contact")
    return value


def _listed(value: object) -> object:
    if value != "all" and not (isinstance(value, list) and 0 < len(value) <= MOST_VALUES):
        raise ValueError(f"expected a list of up to {MOST_VALUES} values, or all")
    return value


def _kept(value: object) -> object:
    if value != "all" and not isinstance(value, list):
        raise ValueError("expected a list of points, or all")
    for point in value if isinstance(value, list) else ():
        if not isinstance(point, dict):
            raise ValueError("expected points such as {u_0: 5 m/s}")
    return value


def _drawn(value: object) -> object:
    if not isinstance(value, (dict, list)) or not all(isinstance(name, str) for name in value):
        raise ValueError("expected names of figures, each with its options if it has some")
    if isinstance(value, dict) and not all(isinstance(o, dict) for o in value.values()):
        raise ValueError("expected options such as {figure: threshold_map, case: step}")
    return value


Scalar = Annotated[Any, AfterValidator(_scalar)]


class _Block(BaseModel):
    """Base of the blocks; required keys are missed later, so that all findings come at once."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Axis(_Block):
    from_: Scalar = Field(None, alias="from")
    to: Scalar = None
    count: int | None = Field(None, ge=2, le=MOST_VALUES)
    spacing: Literal["linear", "log"] = "linear"
    values: Annotated[Any, AfterValidator(_listed)] = None


class _Random(_Block):
    count: int | None = Field(None, ge=1, le=MOST_VALUES)
    seed: int | None = Field(None, ge=0)
    ranges: dict[str, Annotated[list[Scalar], Field(min_length=2, max_length=2)]] = {}


class _Time(_Block):
    end: Scalar = None
    output: Scalar = None


class _Map(_Block):
    x: str | None = None
    y: str | None = None
    mu: Scalar = None
    boundary: str | None = None


class _Constant(_Block):
    value: Scalar = None
    symbol: str | None = None
    meaning: str | None = None


class _Member(_Block):
    title: str | None = None
    source: str | None = None
    values: dict[str, _Constant] = {}


class _Against(_Block):
    case: str | None = None
    spin: str | None = None


class _Limit(_Block):
    axis: str | None = None
    to: dict[str, dict[str, Any]] = {}
    quantities: list[str] = []
    path: list[str] = []
    bounce: dict[str, str] | None = None


class _File(_Block):
    title: str | None = Field(None, min_length=1)
    system: str | None = Field(None, min_length=1)
    default: bool = False
    parameters: dict[str, Scalar] = {}
    inputs: dict[str, Scalar] = {}
    tables: dict[str, str] = {}
    contacts: Annotated[Any, AfterValidator(_law)] = "ideal"
    constants: dict[str, _Constant] = {}
    sets: dict[str, dict[str, _Member]] = {}
    choose: dict[str, str] = {}
    initial: dict[str, Scalar] = {}
    grid: dict[str, _Axis] | None = None
    points: list[dict[str, Scalar]] | None = Field(None, min_length=1, max_length=MOST_VALUES)
    random: _Random | None = None
    mu: list[Scalar] = []
    time: _Time = _Time()
    trajectories: Annotated[Any, AfterValidator(_kept)] = []
    figures: Annotated[Any, AfterValidator(_drawn)] = []
    quoted: dict[str, dict[str, Any]] = {}
    map: _Map | None = None
    against: _Against | None = None
    limit: _Limit | None = None
    engine: Literal["compiled", "scipy"] = "compiled"
    tolerance: Scalar = 1e-12
    variants: dict[str, dict[str, Any]] = {}


_BLOCKS: dict[tuple, type[_Block]] = {
    (): _File,
    ("time",): _Time,
    ("map",): _Map,
    ("random",): _Random,
    ("limit",): _Limit,
    ("against",): _Against,
}
_ENTRIES: dict[str, type[_Block]] = {"grid": _Axis, "constants": _Constant, "sets": _Member}
KEYS = frozenset(_File.model_fields) | {"cases"}
OF_ALL_CASES = frozenset({"cases", "variants", "default", "figures", "quoted", "sets"})
CASE_KEYS = (KEYS - OF_ALL_CASES) | {"like"}


def _sentence(error: Mapping[str, Any]) -> str:
    """One finding of the structure, as a sentence."""
    place = error["loc"]
    if place[0] == "constants" and place[2:] == ("value",):
        place = place[:2]  # where a plain quantity stands too
    path = ".".join(str(part) for part in place)
    if error["type"] == "extra_forbidden":
        block = _BLOCKS.get(place[:-1]) or _ENTRIES[place[0]]
        known = [field.alias or name for name, field in block.model_fields.items()]
        return f"{path}: unknown key; {nearest(str(place[-1]), known)}"
    message = error["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    message = re.sub(r" or instance of \w+", "", message)
    expected = message if message.startswith("expected") else f"expected {message}"
    expected = expected.replace("a valid dictionary", "a mapping").replace(
        "List should", "a list to"
    )
    return f"{path}: came {shorten(error['input'])}; {expected}"


def structure(data: dict[str, Any]) -> tuple[dict[str, Any], list[str], set[tuple]]:
    """Values of the file without those that do not fit, the findings, and the places left out."""
    findings: list[str] = []
    broken: set[tuple] = set()
    data = copy.deepcopy(data)
    while True:
        try:
            return _File.model_validate(data).model_dump(by_alias=True), findings, broken
        except ValidationError as error:
            errors = error.errors(include_url=False)
        findings += [_sentence(item) for item in errors]
        # From the back, so that places in a list stay valid.
        for place in sorted({item["loc"] for item in errors}, key=_order, reverse=True):
            broken.add(place)
            _remove(data, place)


def _order(place: tuple) -> list[tuple[bool, Any]]:
    return [(isinstance(part, str), part) for part in place]


def _remove(data: dict[str, Any], place: tuple) -> None:
    parent: Any = data
    for key in place[:-1]:
        parent = parent[key]
    del parent[place[-1]]
