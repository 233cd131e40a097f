"""A study file as plain SI values: parameters, inputs, initial state, samples, what to keep."""

import copy
import hashlib
import keyword
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from scipy.stats import qmc

from zwang.nearest import nearest
from zwang.units import UnitError, convert, is_quantity, shorten, to_si

RUNS_PER_CHUNK = 20_000
MOST_CHUNKS = 2_000
SPLIT_FROM = 400  # runs from which a study has two chunks, so that small ones stay one job
MOST_VALUES = 1_000_000  # along one axis, in points and random samples, on the time grid
LONGEST_FILE = 1_000_000  # characters

# Words an expression reads as something else, and names the datasets use themselves.
_FUNCTIONS = "sin cos tan asin acos atan sinh cosh tanh exp log sqrt step ramp pulse"
_DATASETS = """
    boundary contact critical_mu critical_mu_common energy event first_contact first_onset message
    mode mu normal_load onset power_balance residual run status steps time_of_maximum time_reached
    trajectory utilisation"""
FUNCTION_NAMES = frozenset(_FUNCTIONS.split())
DATASET_NAMES = frozenset(_DATASETS.split())
CheckExpression = Callable[[str, str, Collection[str]], list[str]]


class StudyError(ValueError):
    """Everything wrong with a study file, one finding per line, each with its path in the file."""

    def __init__(self, findings: Collection[str], where: str = "study") -> None:
        self.findings = tuple(findings)
        self.where = where
        super().__init__("\n".join([f"{where} cannot be used:", *self.findings]))

    def __reduce__(self) -> tuple[type, tuple[tuple[str, ...], str]]:
        return type(self), (self.findings, self.where)


@dataclass(frozen=True)
class Declared:
    """What a system declares and a study may name; each dict gives the SI unit by name."""

    coordinates: dict[str, str]
    velocities: dict[str, str]
    parameters: dict[str, str]
    inputs: dict[str, str]
    optional_parameters: frozenset[str] = frozenset()
    contacts: tuple[str, ...] = ()
    expression_names: frozenset[str] = frozenset({"t"})

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Declared":
        """The declaration whose `to_json` gave the values."""
        sets = {
            name: frozenset(values[name]) for name in ("optional_parameters", "expression_names")
        }
        return cls(**{**values, **sets, "contacts": tuple(values["contacts"])})

    def to_json(self) -> dict[str, Any]:
        """Plain dicts and lists, in an order that does not change between runs."""
        values = asdict(self)
        for name in ("optional_parameters", "expression_names"):
            values[name] = sorted(values[name])
        return {**values, "contacts": list(self.contacts)}


@dataclass(frozen=True, eq=False)
class Samples:
    """The runs of a study: values along each axis of a grid, or one per run for points, random."""

    axes: dict[str, np.ndarray]
    kind: str  # grid, points or random
    units: dict[str, str]

    @property
    def dims(self) -> tuple[str, ...]:
        """Names of the dimensions of a dataset of all runs."""
        return tuple(self.axes) if self.kind == "grid" else ("run",)

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the dimensions; () for a study of one run without axes."""
        lengths = tuple(len(values) for values in self.axes.values())
        return lengths if self.kind == "grid" else lengths[:1]

    @property
    def size(self) -> int:
        """Number of runs."""
        return math.prod(self.shape)

    def columns(self, start: int, stop: int) -> dict[str, np.ndarray]:
        """Axis values of the runs start..stop, the last axis fastest; never the whole product."""
        if not 0 <= start <= stop <= self.size:
            raise ValueError(f"came runs {start}..{stop}; expected a part of 0..{self.size}")
        if self.kind != "grid":
            return {name: values[start:stop].copy() for name, values in self.axes.items()}
        if not self.axes:
            return {}
        places = np.unravel_index(np.arange(start, stop), self.shape)
        pairs = zip(self.axes.items(), places, strict=True)
        return {name: values[place] for (name, values), place in pairs}


@dataclass(frozen=True)
class Study:
    """One study and variant in SI units; axis values override parameters and constants."""

    name: str
    title: str
    system: str
    default: bool
    variant: str | None
    variants: tuple[str, ...]
    parameters: dict[str, float]
    constants: dict[str, float]
    constant_units: dict[str, str]
    inputs: dict[str, str]
    initial: dict[str, float]
    samples: Samples
    mu: tuple[float, ...]
    end: float
    output: float
    trajectories: tuple[dict[str, float], ...]
    figures: tuple[str, ...]
    map: dict[str, Any] | None
    engine: str
    tolerance: float
    text: str
    digest: str


def chunks(runs: int) -> tuple[tuple[int, int], ...]:
    """Bounds (start, stop) of the chunks of so many runs; they depend on nothing else."""
    if runs < 1:
        raise ValueError(f"came {runs} runs; expected at least 1")
    count = min(max(-(-runs // RUNS_PER_CHUNK), 2 if runs >= SPLIT_FROM else 1), MOST_CHUNKS)
    return tuple((i * runs // count, (i + 1) * runs // count) for i in range(count))


# --- the file: structure -----------------------------------------------------------------------


def _scalar(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError("expected a number with its unit, such as 25 m/s")
    return value


Scalar = Annotated[Any, AfterValidator(_scalar)]


class _Block(BaseModel):
    """Base of the blocks; required keys are missed later, so that all findings come at once."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Axis(_Block):
    from_: Scalar = Field(None, alias="from")
    to: Scalar = None
    count: int | None = Field(None, ge=2, le=MOST_VALUES)
    values: list[Scalar] | None = Field(None, min_length=1, max_length=MOST_VALUES)


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


class _File(_Block):
    title: str | None = Field(None, min_length=1)
    system: str | None = Field(None, min_length=1)
    default: bool = False
    parameters: dict[str, Scalar] = {}
    inputs: dict[str, Scalar] = {}
    constants: dict[str, Scalar] = {}
    initial: dict[str, Scalar] = {}
    grid: dict[str, _Axis] | None = None
    points: list[dict[str, Scalar]] | None = Field(None, min_length=1, max_length=MOST_VALUES)
    random: _Random | None = None
    mu: list[Scalar] = []
    time: _Time = _Time()
    trajectories: list[dict[str, Scalar]] = []
    figures: list[str] = []
    map: _Map | None = None
    engine: Literal["compiled", "scipy"] = "compiled"
    tolerance: Scalar = 1e-12
    variants: dict[str, dict[str, Any]] = {}


_BLOCKS: dict[tuple, type[_Block]] = {
    (): _File,
    ("time",): _Time,
    ("map",): _Map,
    ("random",): _Random,
}
SAMPLINGS = ("grid", "points", "random")


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


def _load(text: str) -> dict[str, Any]:
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
    """The base with a variant over it: mappings key by key, null removes, all else replaces."""
    merged = dict(base)
    if path == () and any(name in over for name in SAMPLINGS):
        merged = {k: v for k, v in merged.items() if k in over or k not in SAMPLINGS}
    if len(path) == 2 and path[0] == "grid" and ("values" in over) != ("values" in base):
        merged = {}  # an axis is either a range or a list of values
        if "values" not in over:
            merged = {k: v for k, v in base.items() if k != "values"}
    for key, value in over.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = _merge(merged[key], value, (*path, key))
        else:
            merged[key] = value
    return merged


def _sentence(error: Mapping[str, Any]) -> str:
    """One finding of the structure, as a sentence."""
    place = error["loc"]
    path = ".".join(str(part) for part in place)
    if error["type"] == "extra_forbidden":
        block = _BLOCKS.get(place[:-1], _Axis)
        known = [field.alias or name for name, field in block.model_fields.items()]
        return f"{path}: unknown key; {nearest(str(place[-1]), known)}"
    message = error["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    expected = message if message.startswith("expected") else f"expected {message}"
    expected = expected.replace("a valid dictionary", "a mapping").replace(
        "List should", "a list to"
    )
    return f"{path}: came {shorten(error['input'])}; {expected}"


def _structure(data: dict[str, Any]) -> tuple[dict[str, Any], list[str], set[tuple]]:
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


# --- the file: meaning -------------------------------------------------------------------------


class _Reading:
    """Collects the findings on one file while its texts become SI values."""

    def __init__(self, data: dict[str, Any], findings: list[str], broken: set[tuple]) -> None:
        self.data, self.findings, self.broken = data, findings, broken

    def find(self, path: str, sentence: str) -> None:
        self.findings.append(f"{path}: {sentence}")

    def skipped(self, *place: str | int) -> bool:
        """Whether a value is absent only because its structure was wrong."""
        return any(place[: len(item)] == item for item in self.broken)

    def value(self, path: str, text: str | float | None, unit: str) -> float:
        """SI value of a text; NaN with a finding where it cannot be read."""
        try:
            if text is not None:
                return convert(text, unit)
            if not self.skipped(*path.split(".")):
                self.find(path, f"missing; give it in {unit}")
        except UnitError as error:
            self.find(path, str(error))
        return math.nan

    def named(self, block: str, units: Mapping[str, str]) -> dict[str, float]:
        """SI values of a block whose names the system declares."""
        values = {}
        for name, text in self.data[block].items():
            if name in units:
                values[name] = self.value(f"{block}.{name}", text, units[name])
            else:
                self.find(f"{block}.{name}", f"unknown name; {nearest(name, units)}")
        return values

    def constants(self, declared: Declared | None) -> tuple[dict[str, float], dict[str, str]]:
        values, units = {}, {}
        taken = {"t", "pi"} | FUNCTION_NAMES | DATASET_NAMES
        if declared:
            moving = [*declared.coordinates, *declared.velocities]
            taken |= {*moving, *(f"{name}_0" for name in moving), *declared.parameters}
            taken |= {*declared.inputs, *declared.expression_names}
        for name, text in self.data["constants"].items():
            path = f"constants.{name}"
            if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or keyword.iskeyword(name):
                self.find(path, "not a name; expected a letter, then letters, digits and _")
            elif name in taken:
                self.find(path, "the name is taken by the system or by zwang; choose another one")
            try:
                values[name], units[name] = to_si(text)
            except UnitError as error:
                self.find(path, str(error))
                values[name], units[name] = math.nan, "?"
        return values, units

    def samples(self, units: Mapping[str, str]) -> Samples:
        """The runs; `units` holds the unit of everything that can be an axis."""
        given = [kind for kind in SAMPLINGS if self.data[kind] is not None]
        if len(given) > 1:
            self.find(given[1], f"came {' and '.join(given)}; expected one of them")
        kind = given[0] if given else "grid"
        axes: dict[str, Any] = dict(getattr(self, f"_{kind}")(units)) if given else {}
        arrays = {name: np.asarray(values, dtype=float) for name, values in axes.items()}
        for values in arrays.values():
            values.setflags(write=False)
        return Samples(arrays, kind, {name: units[name] for name in arrays})

    def axis(self, path: str, name: str, units: Mapping[str, str]) -> bool:
        if name not in units:
            self.find(
                path,
                "names no axis; expected a parameter, a constant or an initial value with _0; "
                + nearest(name, units),
            )
        return name in units and units[name] != "?"

    def _grid(self, units: Mapping[str, str]) -> Iterator[tuple[str, np.ndarray]]:
        for name, axis in self.data["grid"].items():
            path = f"grid.{name}"
            if not self.axis(path, name, units):
                continue
            ends, unit = [axis["from"], axis["to"], axis["count"]], units[name]
            if axis["values"] is not None:
                if ends != [None] * 3:
                    self.find(path, "came values and from, to, count; expected one of the two")
                pairs = enumerate(axis["values"])
                values = np.array([self.value(f"{path}.values.{i}", v, unit) for i, v in pairs])
                if np.any(np.diff(values) <= 0):
                    self.find(f"{path}.values", "expected values that increase")
                yield name, values
                continue
            first = self.value(f"{path}.from", axis["from"], unit)
            last = self.value(f"{path}.to", axis["to"], unit)
            if axis["count"] is None and not self.skipped("grid", name, "count"):
                self.find(f"{path}.count", "missing; give the number of values, at least 2")
            if first >= last:
                self.find(path, f"came from {axis['from']} to {axis['to']}; expected from < to")
            yield name, np.linspace(first, last, axis["count"] or 2)

    def _points(self, units: Mapping[str, str]) -> Iterator[tuple[str, list[float]]]:
        points = self.data["points"]
        names = [name for name in points[0] if self.axis(f"points.0.{name}", name, units)]
        if not points[0]:
            self.find("points.0", "empty; name at least one axis")
        for i, point in enumerate(points):
            if set(point) != set(points[0]):
                self.find(
                    f"points.{i}",
                    f"gives {', '.join(point) or 'nothing'}; expected {', '.join(points[0])} "
                    "as the first point does",
                )
        for name in names:
            texts = [(i, point[name]) for i, point in enumerate(points) if name in point]
            yield name, [self.value(f"points.{i}.{name}", v, units[name]) for i, v in texts]

    def _random(self, units: Mapping[str, str]) -> Iterator[tuple[str, np.ndarray]]:
        random = self.data["random"]
        for key in ("count", "seed"):
            if random[key] is None and not self.skipped("random", key):
                self.find(f"random.{key}", "missing; give a whole number")
        if not random["ranges"] and not self.skipped("random", "ranges"):
            self.find("random.ranges", "missing; give axes such as u_0: [5 m/s, 25 m/s]")
        lows, highs = {}, {}
        for name, texts in random["ranges"].items():
            path = f"random.ranges.{name}"
            if not self.axis(path, name, units):
                continue
            pair = enumerate(texts)
            lows[name], highs[name] = (self.value(f"{path}.{i}", v, units[name]) for i, v in pair)
            if lows[name] >= highs[name]:
                self.find(path, f"came {texts[0]} to {texts[1]}; expected a lower value first")
        if lows:
            count = random["count"] or 1
            # A power of two is drawn and cut, so that a longer study begins with the same runs.
            sobol = qmc.Sobol(len(lows), scramble=True, rng=random["seed"] or 0)
            unit = sobol.random_base2(math.ceil(math.log2(count)))[:count]
            for name, column in zip(lows, unit.T, strict=True):
                yield name, lows[name] + (highs[name] - lows[name]) * column

    def inputs(
        self,
        declared: Declared,
        constants: Collection[str],
        given: Collection[str],
        check: CheckExpression | None,
    ) -> dict[str, str]:
        """Text of each input: the expression, or the number in SI units."""
        texts, used = {}, set()
        known = declared.expression_names | set(constants) | set(declared.parameters) | {"pi"}
        for name, text in self.data["inputs"].items():
            path = f"inputs.{name}"
            if name not in declared.inputs:
                self.find(path, f"unknown name; {nearest(name, declared.inputs)}")
            if is_quantity(text):
                if name in declared.inputs:
                    texts[name] = repr(self.value(path, text, declared.inputs[name]))
                continue
            texts[name] = text
            names = _names(text)
            used |= names
            unknown = sorted(names - known - FUNCTION_NAMES)
            for item in unknown:
                self.find(path, f"unknown name {item} in {shorten(text)}; {nearest(item, known)}")
            for item in sorted(names & declared.optional_parameters - set(given)):
                self.find(path, f"uses {item}, which is not given; add it to parameters")
            if check and not unknown:
                for finding in check(name, text, known - declared.expression_names - {"pi"}):
                    self.find(path, finding)
        if not any(place[0] == "inputs" for place in self.broken):
            for name in sorted(set(constants) - used):
                self.find(f"constants.{name}", "no input uses it; remove it or use it")
        return texts

    def friction(self, declared: Declared | None) -> tuple[float, ...]:
        values = [self.value(f"mu.{i}", text, "1") for i, text in enumerate(self.data["mu"])]
        for i, value in enumerate(values):
            if value < 0:
                self.find(
                    f"mu.{i}", f"came {value:g}; expected a friction coefficient of at least 0"
                )
        if np.any(np.diff(values) <= 0):
            self.find("mu", "expected values that increase")
        if values and declared and not declared.contacts:
            self.find("mu", "the system has no contacts; leave mu out")
        return tuple(values)

    def times(self) -> tuple[float, float]:
        time = self.data["time"] or {"end": None, "output": None}
        end = self.value("time.end", time["end"], "s")
        output = self.value("time.output", time["output"], "s")
        if end <= 0:
            self.find("time.end", f"came {time['end']}; expected a time after 0 s")
        if output <= 0 or output > end > 0:
            self.find("time.output", f"came {time['output']}; expected 0 s < output <= end")
        elif end / output > MOST_VALUES:
            self.find("time.output", f"came {time['output']}; expected at most {MOST_VALUES} times")
        return end, output

    def trajectories(self, samples: Samples) -> tuple[dict[str, float], ...]:
        kept = []
        for i, point in enumerate(self.data["trajectories"]):
            path, values = f"trajectories.{i}", {}
            for name, text in point.items():
                if name in samples.axes:
                    values[name] = self.value(f"{path}.{name}", text, samples.units[name])
                else:
                    self.find(f"{path}.{name}", f"names no axis; {nearest(name, samples.axes)}")
            for name in samples.axes:
                if name not in point and not self.skipped("trajectories", i, name):
                    self.find(f"{path}.{name}", f"missing; give it in {samples.units[name]}")
            kept.append({name: values[name] for name in samples.axes if name in values})
        return tuple(kept)

    def map(self, samples: Samples, mu: tuple[float, ...]) -> dict[str, Any] | None:
        asked = self.data["map"]
        if asked is None:
            return None
        if samples.kind != "grid":
            self.find("map", f"came with {samples.kind}; a map needs a grid")
            return None
        for key in ("x", "y", "boundary"):
            name = asked[key]
            if name is None and key != "boundary" and not self.skipped("map", key):
                self.find(f"map.{key}", f"missing; {nearest('', samples.axes)}")
            elif name is not None and name not in samples.axes:
                self.find(f"map.{key}", f"{name} names no axis; {nearest(name, samples.axes)}")
        if asked["x"] is not None and asked["x"] == asked["y"]:
            self.find("map.y", f"came {asked['y']} for both x and y; expected two axes")
        value = self.value("map.mu", asked["mu"], "1")
        if value not in mu and not math.isnan(value):
            known = ", ".join(f"{item:g}" for item in mu) or "none"
            self.find("map.mu", f"came {value:g}; expected one of mu: {known}")
        return {key: item for key, item in asked.items() if item is not None} | {"mu": value}

    def figures(self, known: Collection[str] | None) -> tuple[str, ...]:
        names = self.data["figures"]
        for i, name in enumerate(names):
            if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
                self.find(f"figures.{i}", f"came {name!r}; expected the name of a figure")
            elif known is not None and name not in known:
                self.find(f"figures.{i}", f"unknown figure {name}; {nearest(name, known)}")
            elif name in names[:i]:
                self.find(f"figures.{i}", f"{name} is given twice; keep one")
        for name, block in (("threshold_map", "map"), ("reactions", "trajectories")):
            if name in names and not self.data[block] and not self.skipped(block):
                self.find("figures", f"{name} shows what {block} names; give {block}")
        return tuple(names)


def _names(text: str) -> set[str]:
    """Names in an expression's text that are not called."""
    return set(re.findall(r"(?<![\w.])[^\W\d]\w*\b(?!\s*\()", text))


def _variant(data: dict[str, Any], variant: str | None) -> tuple[dict[str, Any], list[str]]:
    """The file with the variant over it, and findings on the keys of all variants."""
    findings = []
    variants = data.get("variants") or {}
    variants = variants if isinstance(variants, dict) else {}
    known = set(_File.model_fields) - {"variants"}
    for name, changes in variants.items():
        if not re.fullmatch(r"[A-Za-z0-9_]+", name):
            findings.append(f"variants.{name}: expected a name of letters, digits and _")
        for key in changes if isinstance(changes, dict) else ():
            if key not in known:
                findings.append(f"variants.{name}.{key}: unknown key; {nearest(key, known)}")
    if variant is None:
        return data, findings
    if variant not in variants:
        raise StudyError([f"variants: came {variant}; {nearest(variant, variants)}"])
    if isinstance(variants[variant], dict):
        changes = {k: v for k, v in variants[variant].items() if k in known}
        data = _merge(data, changes)
    return data, findings


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
    data, findings = _variant(_load(text), variant)
    data, more, broken = _structure(data)
    reading = _Reading(data, findings + more, broken)
    for key in ("title", "system"):
        if data[key] is None and not reading.skipped(key):
            reading.find(key, "missing; give it")
    declared = None
    if data["system"] is not None:
        try:
            declared = declare(data["system"])
        except (KeyError, ValueError) as error:
            reading.find("system", str(error.args[0] if error.args else error))

    constants, constant_units = reading.constants(declared)
    mu = reading.friction(declared)
    end, output = reading.times()
    tolerance = reading.value("tolerance", data["tolerance"], "1")
    if not 1e-15 <= tolerance <= 1e-2 and not math.isnan(tolerance):
        reading.find("tolerance", f"came {tolerance:g}; expected 1e-15 to 1e-2")
    figures = reading.figures(known_figures)
    if declared is None:
        raise StudyError(reading.findings)

    moving = declared.coordinates | declared.velocities
    starts = {f"{item}_0": unit for item, unit in moving.items()}
    samples = reading.samples(starts | constant_units | declared.parameters)
    asked = {item for kind in SAMPLINGS for item in _axis_names(data[kind])}
    parameters = reading.named("parameters", declared.parameters)
    for item, unit in declared.parameters.items():
        absent = item not in parameters and item not in asked | declared.optional_parameters
        if absent and not reading.skipped("parameters", item):
            reading.find(f"parameters.{item}", f"missing; give it in {unit}")
    initial = reading.named("initial", moving)
    for item, unit in declared.coordinates.items():
        absent = item not in initial and f"{item}_0" not in asked
        if absent and not reading.skipped("initial", item):
            reading.find(f"initial.{item}", f"missing; give it in {unit} or {item}_0 as an axis")
    given = [*parameters, *samples.axes]
    inputs = reading.inputs(declared, constants, given, check_expression)
    trajectories = reading.trajectories(samples)
    shown = reading.map(samples, mu)
    if reading.findings:
        raise StudyError(reading.findings)
    return Study(
        name=name,
        title=data["title"],
        system=data["system"],
        default=data["default"],
        variant=variant,
        variants=tuple(data["variants"]),
        parameters=parameters,
        constants=constants,
        constant_units=constant_units,
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


def _axis_names(sampling: dict | list | None) -> Collection[str]:
    """Names that a grid, points or random samples give as axes, right or wrong."""
    if isinstance(sampling, list):
        return {name for point in sampling for name in point}
    return (sampling or {}).get("ranges", sampling or {})


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
