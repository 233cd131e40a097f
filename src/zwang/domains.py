"""Which values of a parameter make sense, and the sentence about one that does not."""

from __future__ import annotations

from typing import Literal

Domain = Literal["any", "positive", "nonnegative"]


def domain_fault(name: str, value: float, domain: Domain) -> str | None:
    """Return what is wrong with a value of a parameter, or None."""
    if domain == "positive" and not value > 0.0:
        return f"{name} came as {value:g}; expected a number above zero"
    if domain == "nonnegative" and not value >= 0.0:
        return f"{name} came as {value:g}; expected a number not below zero"
    return None
