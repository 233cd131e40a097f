"""The grammar of expressions: what it reads, and what it refuses with a reason."""

import pytest
import sympy as sp

from zwang import study
from zwang.expressions import (
    FUNCTIONS,
    LENGTH,
    ExpressionError,
    check,
    names_in,
    parse,
    pulse,
    ramp,
    step,
)

t, v, c, A = sp.symbols("t v c A")
NAMES = {"t": t, "v": v, "c": c, "A": A}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("c*v", c * v),
        ("A*sin(3*t)", A * sp.sin(3 * t)),
        ("0.1*t", t / 10),
        ("1e-3 + .5", sp.Rational(501, 1000)),
        ("-v**2/+2", -(v**2) / 2),
        ("2**0.5*pi", sp.sqrt(2) * sp.pi),
        ("  c *\n v ", c * v),
        ("2**-t", 2 ** (-t)),
        ("0e99", sp.Integer(0)),
        ("step(2)*v", step(2) * v),
        ("ramp(0.5, c) - pulse(1, 2)", ramp(sp.Rational(1, 2), c) - pulse(1, 2)),
        ("sin(A)", sp.sin(A)),
    ],
)
def test_reads(text: str, expected: sp.Expr) -> None:
    assert parse(text, NAMES, constant_names={"c", "A"}) == expected


def test_numbers_are_exact() -> None:
    assert parse("0.1 + 0.2", {}) == sp.Rational(3, 10)
    assert not parse("9.81*t", NAMES).atoms(sp.Float)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"step", "ramp", "pulse"}))
def test_every_function_is_sympys(name: str) -> None:
    assert parse(f"{name}(t)", NAMES) == getattr(sp, name)(t)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("abs(v)", "not analytic"),
        ("sign(v)", r"step\(t0\)"),
        ("min(v, 1)", "not analytic"),
        ("Max(v, 1)", "not analytic"),
        ("v.real", "allowed"),
        ("v[0]", "allowed"),
        ("v < 1", "condition"),
        ("v if t else c", "condition"),
        ("v and t", "condition"),
        ("sin(v, x=1)", "keyword"),
        ("sin(*v)", "keyword or"),
        ("sin(v, t)", "expected 1"),
        ("lambda: 1", "allowed"),
        ("(v := 1)", "allowed"),
        ("[v]", "allowed"),
        ("'v'", "decimal"),
        ("f'{v}'", "allowed"),
        ("True", "decimal"),
        ("1j", "decimal"),
        ("0x10", "decimal"),
        ("v^2", r"write \*\*"),
        ("v // 2", "allowed"),
        ("v % 2", "allowed"),
        ("~v", "allowed"),
        ("__import__('os')", "unknown function"),
        ("(lambda: 1)()", "not a function's name"),
        ("sin", r"write sin\("),
        ("ln(v)", "did you mean log"),
        ("sinn(v)", "did you mean sin"),
        ("v(2)", r"write v\*"),
        ("9**9**9", "exponents up to 100"),
        ("t**1000", "exponents up to 100"),
        ("((t*1e300)**100)**100", "exponents up to 100"),
        ("2**(pi**50)", "exponents up to 100"),
        ("exp(1e9*log(2))", "write the power"),
        ("2**(9*log(t)/log(2))", "write the power"),
        ("exp(exp(10))", "range of numbers"),
        ("1e-999999999", "1e-300"),
        ("1e400", "1e-300"),
        ("1e300*1e300", "finite real"),
        ("1/0", "division by zero"),
        ("0**-1", "division by zero"),
        ("v/(2 - 2)", "division by zero"),
        ("log(0)", "finite real"),
        ("sqrt(-1)*v", "finite real"),
        ("asin(2)", "finite real"),
        ("ramp(2, 1)", "t0 < t1"),
        ("pulse(1, 1)", "t0 < t1"),
        ("step(t)", "constants and parameters only"),
        ("step(step(1))", "constant in time"),
        ("step()", "expected 1"),
        ("2 v", "no expression at position 3"),
        ("(v", "never closed"),
        ("", "empty"),
        ("v # speed", "'#'"),
        ("v\0", "null"),
        ("-" * 500 + "v", "levels"),
        ("(" * 500 + "v" + ")" * 500, "nested"),
        ("sin(" * 150 + "v" + ")" * 150, "levels"),
        ("v+" * LENGTH, "characters"),
    ],
)
def test_refuses_with_a_reason(text: str, says: str) -> None:
    with pytest.raises(ExpressionError, match=says):
        parse(text, NAMES, constant_names={"c"})


def test_unknown_name_says_where_and_what_is_near() -> None:
    with pytest.raises(ExpressionError, match=r"'thta' at position 5 .* did you mean theta"):
        parse("2 + thta", {"theta": t, "phi": v})


def test_position_counts_characters() -> None:
    with pytest.raises(ExpressionError, match="'b' at position 5"):
        parse("é + b", {"é": t})


def test_text_is_demanded() -> None:
    with pytest.raises(ExpressionError, match="came 3"):
        parse(3, {})  # type: ignore[arg-type]


def test_a_break_time_may_hold_constants_only() -> None:
    assert parse("step(c)", NAMES, constant_names={"c"}) == step(c)
    with pytest.raises(ExpressionError, match="none are declared"):
        parse("step(c)", NAMES)


def test_names_in() -> None:
    assert names_in("A*sin(omega*t) + pi + step(t0)") == ("A", "omega", "t", "t0")
    assert names_in("2") == ()


def test_check_gives_findings() -> None:
    assert check("F1", "c*v + step(c)", {"c"}) == []
    assert "not analytic" in check("F1", "abs(v)", {"c"})[0]
    assert "never closed" in check("F1", "(v", {"c"})[0]


def test_a_study_reserves_the_functions() -> None:
    assert set(FUNCTIONS) == study.FUNCTION_NAMES
