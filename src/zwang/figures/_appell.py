"""The disk of Appell and Hamel as figures speak of it: numbers, families, predicted motion."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
import yaml
from numpy.typing import NDArray

from zwang import formula
from zwang.figures import style
from zwang.figures.results import Results
from zwang.nearest import nearest

Array = NDArray[np.float64]
NEEDED = ("m", "a", "b", "g")  # numbers no drawing can do without


def numbers(dataset: xr.Dataset) -> dict[str, float]:
    """The fixed numbers of the study, and those of a run where it is one, by name in SI units."""
    found = json.loads(str(dataset.attrs.get("values", "{}")))
    one = {str(n): v for n, v in dataset.coords.items() if v.ndim == 0 and v.dtype.kind in "fiu"}
    found |= {name: float(var) for name, var in one.items()}
    missing = [name for name in NEEDED if name not in found]
    if missing:
        raise style.FigureError(
            f"the data do not say {', '.join(missing)}; this figure draws the disk of Appell and "
            "Hamel with the numbers of its study, make them again with this version"
        )
    return {str(name): float(value) for name, value in found.items()}


@dataclass(frozen=True)
class Disk:
    """The numbers that rule its motion: A p' = k Ω² + Γ, B Ω' = −k p Ω."""

    A: float
    B: float
    k: float
    Gamma: float

    @classmethod
    def of(cls, known: Mapping[str, float]) -> Disk:
        """From masses, lengths and inertias, z downward; B and k need ρ and J."""
        missing = [name for name in ("rho", "J") if name not in known]
        if missing:
            raise style.FigureError(
                f"the data do not say {', '.join(missing)} of every run; make them again"
            )
        m, a, b, rho = (known[name] for name in ("m", "a", "b", "rho"))
        A = m * (a**2 + b**2) + known.get("C", 0.0) + known.get("M", 0.0) * a**2
        return cls(A, m * rho**2 + known["J"], m * a * rho, m * known["g"] * b)

    @property
    def turn(self) -> float:
        """The angle by which a bounce turns the heading: π √(A B)/|k|."""
        return float(np.pi * np.sqrt(self.A * self.B) / abs(self.k))

    @property
    def gamma(self) -> float:
        """The rolling acceleration without turning."""
        return self.Gamma / self.A


def members(paths: xr.Dataset, at: Mapping[str, Any]) -> list[xr.Dataset]:
    """The trajectories at these values of their axes: a label, or the nearest number in SI units.

    A list of values takes all of them; an axis not named takes all there are.
    """
    keep = np.ones(paths.sizes.get("trajectory", 0), dtype=bool)
    for name, asked in at.items():
        if name not in paths.coords or paths[name].dims != ("trajectory",):
            axes = [str(n) for n, v in paths.coords.items() if v.dims == ("trajectory",)]
            raise style.FigureError(f"at: {name} names no axis; {nearest(name, axes)}")
        keep &= _at(paths[name], name, asked if isinstance(asked, list) else [asked])
    if not keep.any():
        said = ", ".join(f"{name} = {value}" for name, value in at.items())
        raise style.FigureError(
            f"at: no trajectory has {said or 'any values'}; keep it in the study"
        )
    return [paths.isel(trajectory=k) for k in np.flatnonzero(keep)]


def _at(var: xr.DataArray, name: str, asked: Sequence[Any]) -> NDArray[np.bool_]:
    """Which trajectories have one of the values asked for."""
    if var.dtype.kind in "OUST":
        labels = [str(v) for v in var.values]
        for label in asked:
            if str(label) not in labels:
                raise style.FigureError(f"at: {name}: {nearest(str(label), sorted(set(labels)))}")
        return np.isin(labels, [str(label) for label in asked])
    values = np.asarray(var.values, dtype=float)
    near = [values[np.argmin(np.abs(values - x))] for x in style.numbers(asked, f"at: {name}")]
    return np.isin(values, near)


def along_r(runs: Iterable[xr.Dataset], values: Sequence[Any] | None) -> list[xr.Dataset]:
    """Runs from the largest |ρ| to the smallest: those nearest to these values, else all."""
    every = sorted(runs, key=lambda run: -float(run["r"]))
    if values is None or not every:
        return every
    if not isinstance(values, list) or not values:
        raise style.FigureError(f"r: came {values!r}; expected a list of distances in metres")
    there = np.log([float(run["r"]) for run in every])
    wanted = style.numbers(values, "r")
    if min(wanted) <= 0.0:
        raise style.FigureError(f"r: came {min(wanted):g}; expected distances above zero")
    return [every[k] for k in sorted({int(np.argmin(np.abs(there - np.log(r)))) for r in wanted})]


def trajectories(data: Results, case: str, variables: Sequence[str]) -> xr.Dataset:
    """The trajectories of a family of a case, along the distance r."""
    paths = data.get("trajectories", ("t", *variables), case)
    if "r" not in paths.coords or paths["r"].dims != ("trajectory",):
        raise style.FigureError(
            f"{case or 'the case'} has no axis r; this figure draws families along r = |ρ|"
        )
    return paths


def distance(r: float) -> str:
    """A distance in words, in the unit that makes it short."""
    for factor, word in ((1.0, "m"), (1e-3, "mm"), (1e-6, "µm")):
        if r >= 0.0999999 * factor:
            return f"{r / factor:.2g}\N{NO-BREAK SPACE}{word}"
    return f"{r / 1e-9:.2g}\N{NO-BREAK SPACE}nm"


def predicted(run: xr.Dataset, t: Array, target: str = "predicted") -> dict[str, Array]:
    """The motion a study predicts for a run, by its own formulas; empty where it predicts none."""
    limit = (yaml.safe_load(str(run.attrs.get("study", ""))) or {}).get("limit") or {}
    formulas = ((limit.get("to") or {}).get(target) or {}).get("formulas") or {}
    known: dict[str, Any] = {**numbers(run), "t": t}
    found: dict[str, Array] = {}
    # integrals over time are of the path, which `path` finds from φ and θ
    plain = {str(n): str(f) for n, f in formulas.items() if "integral" not in str(f)}
    try:
        for name in formula.ordered(plain):
            found[name] = known[name] = formula.evaluate(plain[name], known)
    except formula.FormulaError as error:
        raise style.FigureError(f"the motion {target}: {error}") from None
    return {n: np.broadcast_to(v, t.shape) for n, v in found.items()}


def path(run: xr.Dataset, motion: Mapping[str, Array]) -> tuple[Array, Array]:
    """ξ and η of a motion given by φ and θ: dξ = a cosθ dφ, dη = a sinθ dφ."""
    a, theta = numbers(run)["a"], np.asarray(motion["theta"])
    middle, step = 0.5 * (theta[1:] + theta[:-1]), a * np.diff(motion["phi"])
    # a jump of the heading happens on the spot: it has no length
    middle = np.where(np.abs(np.diff(theta)) > 0.1, theta[1:], middle)
    xi, eta = (np.concatenate([[0.0], np.cumsum(step * f(middle))]) for f in (np.cos, np.sin))
    return float(run["xi"][0]) + xi, float(run["eta"][0]) + eta
