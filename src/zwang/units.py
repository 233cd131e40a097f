"""Quantities as text: a number and a unit in, a plain float in SI units out."""

import functools
import math
import re

import pint

# A number is read whole: 1e5*x is not 1 with a unit e5*x.
NUMBER = r"[+-]?\s*(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![0-9.]|[eE][+-]?[0-9])"
UNIT = r"(?:[\s*/()·]|1(?=\s*/)|[^\W\d]\w*\b(?:\s*(?:\^|\*\*)\s*[+-]?[0-9](?:\.[0-9])?)?|%|°)+"
EXAMPLES = "expected units such as m/s, km/h, deg, N*m, kg*m^2"
LONGEST = 80  # characters of a quantity; longer text is a mistake, not a unit

_quantity = re.compile(rf"\s*({NUMBER})\s*({UNIT})?\s*")
_starts_like_quantity = re.compile(rf"\s*{NUMBER}\s*(?:$|%|°|[^\W\d]|1\s*/)")


class UnitError(ValueError):
    """A quantity that cannot be read; the text says what came and what was expected."""


@functools.cache
def _registry() -> pint.UnitRegistry:
    return pint.UnitRegistry()


@functools.cache
def _unit(text: str) -> tuple[float, str]:
    """Factor to SI base units and their canonical text; radians stay, so Hz is not rad/s."""
    if text == "1":
        return 1.0, "1"
    registry = _registry()
    written = text.replace("·", "*")
    try:
        unit = registry.parse_units("1" + written if written.startswith("/") else written)
        base = registry.Quantity(1.0, unit).to_base_units()
        offset = registry.Quantity(0.0, unit).to_base_units().magnitude
    except pint.UndefinedUnitError as error:
        names = error.unit_names
        unknown = names if isinstance(names, str) else ", ".join(names)
        raise UnitError(f"came the unknown unit {unknown}; {EXAMPLES}") from None
    except Exception:  # the parser of units raises whatever its tokens run into
        raise UnitError(f"came {text!r} as a unit; {EXAMPLES}") from None
    if offset:
        raise UnitError(f"came {text!r}, a scale with its own zero; expected an absolute unit")
    return float(base.magnitude), f"{base.units:~C}" or "1"


def split(value: str | float) -> tuple[float, str | None]:
    """Number and unit text of a quantity, None where no unit is written."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise UnitError(f"came {value!r}; expected a number with a unit such as 25 m/s")
    written: str | float = value
    unit = None
    if isinstance(value, str):
        match = _quantity.fullmatch(value) if len(value) <= LONGEST else None
        if match is None:
            raise UnitError(f"came {shorten(value)}; expected a number with a unit such as 25 m/s")
        written, unit = re.sub(r"\s", "", match[1]), (match[2] or "").strip() or None
    try:
        number = float(written)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise UnitError(f"came {value!r}; expected a finite number")
    return number, unit


def convert(text: str | float, unit: str) -> float:
    """Value of a quantity in `unit`; a bare number only where `unit` is "1", or 0."""
    number, came = split(text)
    if came is None:
        if unit != "1" and number != 0:
            raise UnitError(f"came {text} without a unit; expected {unit}: write {text} {unit}")
        return number
    factor, base = _unit(came)
    expected_factor, expected_base = _unit(unit)
    if base != expected_base:
        wanted = "a pure number" if unit == "1" else unit
        raise UnitError(f"came {text!r} in units of {base}; expected {wanted}")
    return number if factor == expected_factor else finite(number * factor / expected_factor, text)


def to_si(text: str | float) -> tuple[float, str]:
    """Value in SI units and the unit it then has: the written one where that is SI already."""
    number, came = split(text)
    if came is None:
        return number, "1"
    factor, base = _unit(came)
    return finite(number * factor, text), came if factor == 1 and base != "1" else base


def finite(number: float, text: str | float) -> float:
    """The number; an error where the conversion overflowed."""
    if not math.isfinite(number):
        raise UnitError(f"came {text!r}; expected a finite number")
    return number


def is_quantity(value: str | float) -> bool:
    """Whether a value reads as a number with an optional unit, and not as an expression."""
    return not isinstance(value, str) or _starts_like_quantity.match(value) is not None


def shorten(value: object) -> str:
    """A value as a short quotation."""
    text = repr(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
