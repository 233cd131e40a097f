"""What a study holds: declared names, samples, the study itself, and the chunks of its runs."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

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
    """One study and variant in SI units; axis values override parameters and constants."""

    name: str
    title: str
    system: str
    default: bool
    variant: str | None
    variants: tuple[str, ...]
    parameters: dict[str, float]
    constants: dict[str, float]
    constant_words: dict[str, dict[str, str]]  # units, symbol and long_name by name
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
