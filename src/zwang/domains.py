"""Which values of a parameter make sense; read by symbols, numbers and data alike."""

from __future__ import annotations

import math
from typing import Literal

Domain = Literal["any", "positive", "nonnegative"]
EXPECTED = {"positive": "a number above zero", "nonnegative": "a number not negative"}


def domain_fault(name: str, value: float, domain: str) -> str | None:
    """Return the sentence about a value outside its domain, or None; NaN is outside of all."""
    inside = {
        "any": not math.isnan(value),
        "positive": value > 0.0,
        "nonnegative": value >= 0.0,
    }
    if domain not in inside:
        raise ValueError(f"no domain {domain!r}; known: {', '.join(inside)}")
    if inside[domain]:
        return None
    return f"{name} came as {value:g}; expected {EXPECTED.get(domain, 'a number')}"
