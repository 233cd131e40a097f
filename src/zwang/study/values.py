"""What a study holds: declared names, samples, the study itself, and the chunks of its runs."""

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from zwang import formula
from zwang.study.sets import Sets

RUNS_PER_CHUNK = 20_000
MOST_CHUNKS = 2_000
SPLIT_FROM = 400  # runs from which a study has two chunks, so that small ones stay one job


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
    """One case and variant of a study in SI units; axis values override what is given."""

    name: str
    case: str  # empty where the study has no cases
    title: str
    system: str
    default: bool
    variant: str | None
    variants: tuple[str, ...]
    parameters: dict[str, float]
    constants: dict[str, float]
    constant_words: dict[str, dict[str, str]]  # units, symbol and long_name by name
    formulas: dict[str, str]  # of parameters, and of initial values with _0, in order
    sets: Sets
    chosen: dict[str, str]  # the member of each set that is no axis
    inputs: dict[str, str]
    tables: dict[str, str]  # files of measured inputs by name, relative to the study
    contacts: str | dict[str, dict[str, Any]]
    initial: dict[str, float]
    samples: Samples
    mu: tuple[float, ...]
    end: float
    output: float
    trajectories: tuple[dict[str, float | str], ...]
    figures: dict[str, dict[str, Any]]
    quoted: dict[str, dict[str, Any]]
    map: dict[str, Any] | None
    against: dict[str, Any] | None  # the case these runs are compared with
    limit: dict[str, Any] | None
    engine: str
    tolerance: float
    text: str
    digest: str

    @property
    def kernel_words(self) -> dict[str, dict[str, str]]:
        """Words of the constants that inputs and friction laws name; the kernel knows no others."""
        laws = self.contacts if isinstance(self.contacts, dict) else {}
        texts = [*self.inputs.values(), *(str(v) for law in laws.values() for v in law.values())]
        used = set().union(*(names_in(text) for text in texts)) if texts else set()
        return {name: words for name, words in self.constant_words.items() if name in used}

    def resolve(self, columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Every parameter and constant by name, initial values with _0, at these axis values.

        What follows from an axis that is not among them is left out.
        """
        values: dict[str, Any] = {**self.constants, **self.parameters}
        values |= {f"{name}_0": value for name, value in self.initial.items()}
        for name, label in self.chosen.items():
            values |= self.sets[name][label].values
        for name, column in columns.items():
            if name in self.sets:
                members = [self.sets[name][str(label)].values for label in np.ravel(column)]
                for key in members[0] if members else ():
                    values[key] = np.array([m[key] for m in members]).reshape(np.shape(column))
            else:
                values[name] = column
        for name, text in self.formulas.items():
            if name not in columns and all(used in values for used in formula.names(text)):
                values[name] = formula.evaluate(text, values)
        return {name: np.asarray(value, dtype=float) for name, value in values.items()}

    def fixed(self) -> dict[str, float]:
        """Every named value that depends on no axis."""
        values = self.resolve({})
        return {n: float(v) for n, v in values.items() if not self.depends_on(n)}

    def depends_on(self, name: str) -> tuple[str, ...]:
        """The axes on which a named value depends."""
        reached, waiting = set(), [name]
        while waiting:
            one = waiting.pop()
            if one in reached:
                continue
            reached.add(one)
            if one in self.samples.axes:
                continue
            waiting += formula.names(self.formulas[one]) if one in self.formulas else ()
            for label in self.sets:
                if any(one in member.values for member in self.sets[label].values()):
                    waiting.append(label)
        return tuple(axis for axis in self.samples.axes if axis in reached)


def names_in(text: str) -> set[str]:
    """Names in an expression's text that are not called."""
    return set(re.findall(r"(?<![\w.])[^\W\d]\w*\b(?!\s*\()", text))


def chunks(runs: int) -> tuple[tuple[int, int], ...]:
    """Bounds (start, stop) of the chunks of so many runs; they depend on nothing else."""
    if runs < 1:
        raise ValueError(f"came {runs} runs; expected at least 1")
    count = min(max(-(-runs // RUNS_PER_CHUNK), 2 if runs >= SPLIT_FROM else 1), MOST_CHUNKS)
    return tuple((i * runs // count, (i + 1) * runs // count) for i in range(count))
