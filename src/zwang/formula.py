"""Numbers from texts: arithmetic on named arrays, by a whitelisted grammar and without symbols."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy import special

from zwang.nearest import nearest

Array = NDArray[np.float64]
LENGTH = 2000  # characters
NESTING = 60  # levels of the expression tree
CONSTANTS = {"pi": np.pi}


def _lambertw(x: Array, branch: float = 0.0) -> Array:
    """Return a real branch of Lambert's W, 0 or -1; NaN where it is not real."""
    value = special.lambertw(x, int(branch))
    return np.where(np.abs(value.imag) > 1e-12, np.nan, value.real)


_ONE: dict[str, Callable[..., Any]] = {
    name: getattr(np, name)
    for name in (
        "sin",
        "cos",
        "tan",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "log",
        "sqrt",
        "abs",
        "sign",
        "floor",
    )
}
_ONE |= {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh}
_ONE |= {"acosh": np.arccosh, "atanh": np.arctanh, "erf": special.erf, "erfi": special.erfi}
_TWO: dict[str, Callable[..., Any]] = {
    "atan2": np.arctan2,
    "min": np.minimum,
    "max": np.maximum,
    "lambertw": _lambertw,
}
FUNCTIONS = _ONE | _TWO
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: np.float_power,
}
ALLOWED = f"allowed: numbers, + - * / **, parentheses, pi, {', '.join(sorted(FUNCTIONS))}"


class FormulaError(ValueError):
    """A text outside the grammar; says what came and what is allowed."""


def names(text: str) -> tuple[str, ...]:
    """Names a formula uses, sorted, without functions and constants; FormulaError if it is none."""
    tree = _tree(text)
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    with np.errstate(all="ignore"):  # only the grammar is looked at
        _value(tree, {name: np.ones(()) for name in found}, text, 1)
    return tuple(sorted(found - set(FUNCTIONS) - set(CONSTANTS)))


def evaluate(text: str, values: Mapping[str, Any]) -> Array:
    """Value of a formula at numbers or arrays by name; NaN or infinite where it has none."""
    with np.errstate(all="ignore"):
        return np.asarray(_value(_tree(text), values, text, 1), dtype=np.float64)


def ordered(formulas: Mapping[str, str]) -> tuple[str, ...]:
    """Names of formulas, each after those it uses; FormulaError where they use each other."""
    done: list[str] = []

    def visit(name: str, on_the_way: tuple[str, ...]) -> None:
        if name in on_the_way:
            raise FormulaError(f"{' uses '.join((*on_the_way, name))}; give one of them a number")
        if name not in done:
            for used in names(formulas[name]):
                if used in formulas:
                    visit(used, (*on_the_way, name))
            done.append(name)

    for name in formulas:
        visit(name, ())
    return tuple(done)


def _tree(text: str) -> ast.expr:
    if not isinstance(text, str) or not text.strip() or len(text) > LENGTH:
        raise FormulaError(f"came {str(text)[:60]!r}; expected a formula; {ALLOWED}")
    try:
        return ast.parse(" ".join(text.split()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise FormulaError(f"came {text[:60]!r}, which is no formula; {ALLOWED}") from None


def _value(node: ast.expr, values: Mapping[str, Any], text: str, level: int) -> Any:  # noqa: ANN401
    def refuse(what: str, why: str = ALLOWED) -> NoReturn:
        raise FormulaError(f"came {what} in {text[:60]!r}; {why}")

    if level > NESTING:
        refuse(f"more than {NESTING} levels")
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return np.float64(number)
        case ast.Name(id=name):
            if name in CONSTANTS:
                return CONSTANTS[name]
            if name not in values or name in FUNCTIONS:
                refuse(f"the name {name}", nearest(name, [*values, *CONSTANTS]))
            return values[name]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign):
            inner = _value(node.operand, values, text, level + 1)
            return -inner if isinstance(sign, ast.USub) else inner
        case ast.BinOp() if type(node.op) in _OPERATORS:
            left = _value(node.left, values, text, level + 1)
            right = _value(node.right, values, text, level + 1)
            return _OPERATORS[type(node.op)](left, right)
        case ast.Call(func=ast.Name(id=name), keywords=[]):
            if name not in FUNCTIONS:
                refuse(f"the function {name}", nearest(name, FUNCTIONS))
            if len(node.args) != (2 if name in _TWO else 1):
                refuse(f"{name} of {len(node.args)} arguments")
            return FUNCTIONS[name](*(_value(a, values, text, level + 1) for a in node.args))
    refuse(repr(ast.unparse(node)[:60]))
