"""Texts of a study file become SI values; what cannot be read becomes a finding."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from zwang.nearest import nearest
from zwang.study.blocks import MOST_VALUES
from zwang.units import UnitError, convert, is_quantity, to_si


class Texts:
    """The values of one file that fit its structure, and all findings on it so far."""

    def __init__(self, data: dict[str, Any], findings: list[str], broken: set[tuple]) -> None:
        self.data, self.findings, self.broken = data, findings, broken

    def find(self, path: str, sentence: str) -> None:
        """Note what is wrong at a path of the file."""
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

    def value_in_si(self, path: str, text: str | float) -> float:
        """SI value of a text whose unit nobody declares; NaN with a finding if it is none."""
        try:
            return to_si(text)[0]
        except UnitError as error:
            self.find(path, str(error))
        return math.nan

    def named(
        self, block: str, units: Mapping[str, str]
    ) -> tuple[dict[str, float], dict[str, str]]:
        """SI values of a block whose names the system declares, and the formulas among them."""
        values, formulas = {}, {}
        for name, text in self.data[block].items():
            path = f"{block}.{name}"
            if name not in units:
                self.find(path, f"unknown name; {nearest(name, units)}")
            elif isinstance(text, str) and not is_quantity(text):
                formulas[name] = text
            else:
                values[name] = self.value(path, text, units[name])
        return values, formulas

    def friction(self) -> tuple[float, ...]:
        """Friction coefficients whose onset of sliding is sought."""
        values = [self.value(f"mu.{i}", text, "1") for i, text in enumerate(self.data["mu"])]
        for i, value in enumerate(values):
            if value < 0:
                self.find(
                    f"mu.{i}", f"came {value:g}; expected a friction coefficient of at least 0"
                )
        if np.any(np.diff(values) <= 0):
            self.find("mu", "expected values that increase")
        return tuple(values)

    def times(self) -> tuple[float, float]:
        """Last time, and spacing of the times that are kept."""
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

    def tolerance(self) -> float:
        """Tolerance of the integration."""
        tolerance = self.value("tolerance", self.data["tolerance"], "1")
        if not 1e-15 <= tolerance <= 1e-2 and not math.isnan(tolerance):
            self.find("tolerance", f"came {tolerance:g}; expected 1e-15 to 1e-2")
        return tolerance
