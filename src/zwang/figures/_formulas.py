"""A formula of a study as mathtext: eps*log(1/eps) is printed as it is read."""

import ast
from collections.abc import Mapping

RENAMED = {"log": "ln", "asin": "arcsin", "acos": "arccos", "atan": "arctan"}
# how tightly a node binds: what binds less inside it gets parentheses
SUM, PRODUCT, POWER, ATOM = range(4)


def typeset(text: str, symbols: Mapping[str, str]) -> str:
    """The formula between dollar signs, names by their symbols."""
    tree = ast.parse(" ".join(text.split()), mode="eval").body
    return f"${_part(tree, symbols, SUM)}$"


def _part(node: ast.expr, symbols: Mapping[str, str], level: int) -> str:
    """A part of the formula, in parentheses where it binds less than `level`."""
    binds, text = _read(node, symbols)
    return rf"\left({text}\right)" if binds < level else text


def _read(node: ast.expr, symbols: Mapping[str, str]) -> tuple[int, str]:
    """How tightly a part binds, and its text."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return ATOM, f"{value:g}"
        case ast.Name(id=name):
            return ATOM, symbols.get(name, rf"\mathrm{{{name}}}")
        case ast.UnaryOp(operand=inner):
            sign = "-" if isinstance(node.op, ast.USub) else ""
            return SUM, sign + _part(inner, symbols, PRODUCT)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            sign = "+" if isinstance(op, ast.Add) else "-"
            return SUM, f"{_part(left, symbols, SUM)} {sign} {_part(right, symbols, PRODUCT)}"
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return PRODUCT, rf"{_part(left, symbols, PRODUCT)}\,{_part(right, symbols, PRODUCT)}"
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return PRODUCT, f"{_part(left, symbols, PRODUCT)}/{_part(right, symbols, POWER)}"
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return POWER, f"{_part(left, symbols, ATOM)}^{{{_part(right, symbols, SUM)}}}"
        case ast.Call(func=ast.Name(id="sqrt"), args=[inner]):
            return ATOM, rf"\sqrt{{{_part(inner, symbols, SUM)}}}"
        case ast.Call(func=ast.Name(id="abs"), args=[inner]):
            return ATOM, f"|{_part(inner, symbols, SUM)}|"
        case ast.Call(func=ast.Name(id=name), args=args):
            inside = ", ".join(_part(arg, symbols, SUM) for arg in args)
            return ATOM, rf"\mathrm{{{RENAMED.get(name, name)}}}({inside})"
    raise ValueError(f"{ast.unparse(node)!r} cannot be typeset")
