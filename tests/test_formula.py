"""Formulas of named numbers: values, names, order, and what is refused."""

import numpy as np
import pytest
from scipy import special

from zwang import formula


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3*4", 14.0),
        ("-2**2", -4.0),
        ("c*abs(rho)**q", 2.0 * 0.25**1.5),
        ("sign(rho)*pi", -np.pi),
        ("lambertw(1, 0)*exp(lambertw(1, 0))", 1.0),
        ("lambertw(-0.2, -1)*exp(lambertw(-0.2, -1))", -0.2),
        ("erfi(0.5)", special.erfi(0.5)),
        ("max(c, q)", 2.0),
        ("2**0.5 - sqrt(2)", 0.0),
        ("2**-1", 0.5),
    ],
)
def test_values(text: str, value: float) -> None:
    got = formula.evaluate(text, {"c": 2.0, "rho": -0.25, "q": 1.5})
    assert float(got) == pytest.approx(value, rel=1e-14, abs=1e-15)


def test_arrays_broadcast() -> None:
    got = formula.evaluate("a*b", {"a": np.arange(3.0)[:, None], "b": np.arange(2.0)})
    np.testing.assert_array_equal(got, np.outer(np.arange(3.0), np.arange(2.0)))


def test_a_branch_that_is_not_real_is_missing() -> None:
    assert np.isnan(formula.evaluate("lambertw(x, 0)", {"x": -1.0}))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("__import__('os')", "the function __import__"),
        ("a.b", "allowed"),
        ("[1]", "allowed"),
        ("1 if a else 2", "allowed"),
        ("a < b", "allowed"),
        ("sin(1, 2)", "sin of 2 arguments"),
        ("sin + 1", "the name sin"),
        ("'a'", "allowed"),
        ("True", "allowed"),
        ("", "expected a formula"),
        ("a +", "no formula"),
        ("-" * 100 + "a", "levels"),
        ("f(x=1)", "allowed"),
    ],
)
def test_anything_else_is_refused(text: str, says: str) -> None:
    with pytest.raises(formula.FormulaError) as caught:
        formula.names(text)
    assert says in str(caught.value)


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(formula.FormulaError, match="did you mean rho"):
        formula.evaluate("rh0", {"rho": 1.0})


def test_formulas_are_ordered_by_use() -> None:
    assert formula.ordered({"a": "b + 1", "b": "c*2", "d": "a"}) == ("b", "a", "d")
    with pytest.raises(formula.FormulaError, match="a uses b uses a"):
        formula.ordered({"a": "b", "b": "a"})
