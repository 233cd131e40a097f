"""Numbers for a text: which value, in which unit, with how many digits, as macros."""

import numpy as np
import pytest
import xarray as xr

from zwang import quoted
from zwang.expected import ExpectedError

SPEEDS = xr.Dataset(
    {"boundary": (("mu",), np.array([10.0, 123.4567]), {"units": "m/s", "long_name": "speed"})},
    coords={"mu": [0.1, 0.6]},
)


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"at": {"mu": 0.1}}, "10.0"),
        ({"at": {"mu": 0.6}}, "123"),
        ({"at": {"mu": 0.6}, "digits": 5}, "123.46"),
        ({"at": {"mu": 0.6}, "digits": 2}, "120"),
        ({"at": {"mu": 0.1}, "unit": "km/h"}, "36.0"),
        ({"at": {"mu": 0.1}, "unit": "km/h", "digits": 4}, "36.00"),
    ],
)
def test_a_number_is_printed_in_its_unit_with_its_digits(entry: dict, text: str) -> None:
    assert quoted.number("Speed", {"quantity": "boundary", **entry}, [SPEEDS]).text == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.5e-7, r"\ensuremath{1.50\cdot 10^{-7}}"),
        (-2e8, r"\ensuremath{-2.00\cdot 10^{8}}"),
        (0, "0"),
    ],
)
def test_large_and_small_numbers_have_a_power_of_ten(value: float, text: str) -> None:
    data = xr.Dataset({"a": ((), value, {"units": "1"})})
    assert quoted.number("A", {"quantity": "a"}, [data]).text == text


def test_macros_carry_value_and_unit() -> None:
    entry = {"quantity": "boundary", "at": {"mu": 0.1}, "unit": "km/h", "meaning": "on ice"}
    text = quoted.macros([quoted.number("Speed", entry, [SPEEDS])], "Study")
    assert r"\newcommand{\Speed}{36.0}" in text
    assert r"\newcommand{\SpeedWithUnit}{\ensuremath{36.0\,\mathrm{km/h}}}" in text
    assert "on ice" in text
    assert text.count("{") == text.count("}")


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"quantity": "boundary"}, "has 2 values there"),
        ({"quantity": "boundry"}, "did you mean boundary"),
        ({"quantity": "boundary", "at": {"mu": 0.3}}, "is not given at mu"),
    ],
)
def test_no_number_or_several_are_a_sentence(entry: dict, says: str) -> None:
    with pytest.raises(ExpectedError, match=says):
        quoted.number("Speed", entry, [SPEEDS])


def test_a_missing_number_is_a_sentence() -> None:
    with pytest.raises(ExpectedError, match="missing there"):
        quoted.number("A", {"quantity": "a"}, [xr.Dataset({"a": ((), np.nan)})])
