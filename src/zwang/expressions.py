"""Text to sympy by a whitelisted grammar: arithmetic, names, analytic functions, breaks in time."""

import ast
import difflib
import re
from collections.abc import Collection, Mapping
from typing import NoReturn

import sympy as sp

LENGTH = 2000  # characters
NESTING = 100  # levels of the expression tree, a sum of n terms has n
EXPONENT = 100  # largest numeric exponent
BITS = 4096  # size of the exact numbers a power may make


class step(sp.Function):
    """0 before the time t0, 1 from t0 on."""

    nargs = 1


class ramp(sp.Function):
    """0 before t0, rising linearly to 1 at t1, then 1."""

    nargs = 2


class pulse(sp.Function):
    """1 from t0 until t1, otherwise 0."""

    nargs = 2


class table(sp.Function):
    """A measured function of time, by the name of its table."""

    nargs = 1


BREAKS = {"step": step, "ramp": ramp, "pulse": pulse}
_ANALYTIC = "sin cos tan asin acos atan sinh cosh tanh exp log sqrt"
FUNCTIONS = {name: getattr(sp, name) for name in _ANALYTIC.split()} | BREAKS

ALLOWED = f"allowed: numbers, + - * / **, parentheses, pi, {', '.join(FUNCTIONS)}, table"
_KINK = (
    "is not analytic, and the integrator cannot know where it breaks; for a break in time use "
    "step(t0), ramp(t0, t1) or pulse(t0, t1), for a smooth one sqrt(x**2 + eps**2) or tanh(x/eps)"
)
_NOT_ANALYTIC = (
    "abs fabs sign sgn min max clip where piecewise heaviside floor ceil ceiling round mod fmod "
    "atan2 arctan2"
)
_SPELLED = {"ln": "log", "pow": "**", "arcsin": "asin", "arccos": "acos", "arctan": "atan"}
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_DECIMAL = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


class ExpressionError(ValueError):
    """A text outside the grammar; says what came, where, and what is allowed."""


def parse(
    text: str,
    names: Mapping[str, sp.Expr],
    constant_names: Collection[str] = (),
    table_names: Collection[str] = (),
) -> sp.Expr:
    """Expression of a text, decimal numbers exact; break times hold only `constant_names`.

    `table(name)` stands for one of `table_names`, which are no names of the expression itself.
    """
    tree, source = _tree(text)
    reader = _Reader(source, names, frozenset(constant_names), frozenset(table_names))
    return reader.read(tree, 1)


def names_in(text: str) -> tuple[str, ...]:
    """Names a text uses, sorted, without functions, pi and tables."""
    tree, _ = _tree(text)
    tables = {id(node) for call in _table_calls(tree) for node in call.args}
    names = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in tables
    }
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return tuple(sorted(names - called - set(FUNCTIONS) - {"pi"}))


def tables_in(text: str) -> tuple[str, ...]:
    """Names of the tables a text uses, sorted."""
    tree, _ = _tree(text)
    arguments = (node for call in _table_calls(tree) for node in call.args)
    return tuple(sorted({node.id for node in arguments if isinstance(node, ast.Name)}))


def _table_calls(tree: ast.expr) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "table"
    ]


def check(name: str, text: str, constant_names: Collection[str]) -> list[str]:
    """List of what is wrong with the text of the input `name`, whatever names it uses."""
    try:
        names = {used: sp.Symbol(used, real=True) for used in names_in(text)}
        parse(text, names, constant_names, tables_in(text))
    except ExpressionError as error:
        return [str(error)]
    return []


def _tree(text: str) -> tuple[ast.expr, str]:
    if not isinstance(text, str):
        raise ExpressionError(f"came {text!r}; expected the text of an expression; {ALLOWED}")
    if len(text) > LENGTH:
        raise ExpressionError(
            f"came an expression of {len(text)} characters; expected at most {LENGTH}: "
            "split it into several inputs or named constants"
        )
    source = re.sub(r"\s", " ", text).strip()
    if not source:
        raise ExpressionError(f"came an empty text; expected an expression; {ALLOWED}")
    if "#" in source:
        raise ExpressionError(f"came '#' at position {source.index('#') + 1}; {ALLOWED}")
    try:
        return ast.parse(source, mode="eval").body, source
    except SyntaxError as error:
        place = min(max(error.offset or 1, 1), len(source))
        raise ExpressionError(
            f"came {_quote(source, place)}, which is no expression at position {place} "
            f"({error.msg}); {ALLOWED}"
        ) from None
    except (ValueError, RecursionError, MemoryError):
        raise ExpressionError(
            f"came {_quote(source)}, nested too deeply or with a null character; "
            f"expected at most {NESTING} levels"
        ) from None


def _size(number: sp.Rational) -> int:
    """Bits of an exact number; 0 for 0 and 1, whose powers do not grow."""
    return max(abs(number.p), number.q).bit_length() if abs(number) not in (0, 1) else 0


def _value(expression: sp.Expr) -> sp.Expr | None:
    """Numeric value of a constant expression, None where it depends on names or on time."""
    if expression.free_symbols or expression.has(*BREAKS.values()):
        return None
    return expression if expression.is_Rational else expression.evalf(15)


def _quote(text: str, place: int = 1) -> str:
    """A text, or the part of a long one around a position."""
    start = max(0, place - 40)
    part = text[start : start + 80]
    return repr(("..." if start else "") + part + ("..." if start + 80 < len(text) else ""))


class _Reader:
    """Walks one tree; every node outside the whitelist is refused with its position."""

    def __init__(
        self,
        source: str,
        names: Mapping[str, sp.Expr],
        constants: frozenset[str],
        tables: frozenset[str],
    ) -> None:
        self.source, self.names, self.constants, self.tables = source, names, constants, tables

    def refuse(self, node: ast.expr, what: str, why: str) -> NoReturn:
        place = len(self.source.encode()[: node.col_offset].decode()) + 1
        raise ExpressionError(
            f"came {what} at position {place} of {_quote(self.source, place)}: {why}"
        )

    def read(self, node: ast.expr, level: int, breaks: str = "") -> sp.Expr:
        """Expression of one node; `breaks` names the break function whose argument it stands in."""
        if level > NESTING:
            self.refuse(node, f"more than {NESTING} levels", "use named constants to flatten it")
        match node:
            case ast.Constant():
                return self.number(node)
            case ast.Name():
                return self.name(node, breaks)
            case ast.UnaryOp(op=ast.USub()):
                return -self.read(node.operand, level + 1, breaks)
            case ast.UnaryOp(op=ast.UAdd()):
                return self.read(node.operand, level + 1, breaks)
            case ast.BinOp() if type(node.op) in _OPERATORS:
                left = self.read(node.left, level + 1, breaks)
                right = self.read(node.right, level + 1, breaks)
                return self.real(node, self.combine(node, left, right))
            case ast.BinOp(op=ast.BitXor()):
                self.refuse(node, "^", "write ** for a power")
            case ast.Call():
                return self.real(node, self.call(node, level, breaks))
            case ast.Compare() | ast.IfExp() | ast.BoolOp():
                self.refuse(node, "a condition", f"a condition {_KINK}")
        self.refuse(node, repr(ast.get_source_segment(self.source, node)), ALLOWED)

    def number(self, node: ast.Constant) -> sp.Rational:
        literal = ast.get_source_segment(self.source, node) or ""
        if not _DECIMAL.fullmatch(literal) or len(literal) > 40:
            self.refuse(node, literal[:60], "expected a decimal number such as 2, 0.75 or 1e-3")
        # The float guards the exact number: 1e-999999999 would be a denominator of gigabytes.
        value = float(literal)
        if value == 0 and not literal.lower().split("e")[0].strip("0."):
            return sp.Integer(0)
        if not 1e-300 <= value <= 1e300:
            self.refuse(node, literal, "expected 0 or a number between 1e-300 and 1e300")
        return sp.Rational(literal)

    def name(self, node: ast.Name, breaks: str) -> sp.Expr:
        name = node.id
        if name == "pi":
            return sp.pi
        if name in FUNCTIONS:
            self.refuse(node, name, f"{name} is a function: write {name}(...)")
        if name == "table" and name not in self.names:
            self.refuse(node, name, "write table(name) with the name of a table")
        if breaks and name not in self.constants:
            known = ", ".join(sorted(self.constants)) or "none are declared"
            self.refuse(
                node,
                f"{name!r} in {breaks}(...)",
                "break times are absolute times the integrator must know beforehand: numbers, "
                f"constants and parameters only ({known})",
            )
        if name not in self.names:
            close = difflib.get_close_matches(name, [*self.names, "pi"], n=1, cutoff=0.5)
            hint = f"did you mean {close[0]}? " if close else ""
            known = ", ".join(sorted([*self.names, "pi"]))
            self.refuse(node, f"the unknown name {name!r}", f"{hint}known: {known}")
        return self.names[name]

    def combine(self, node: ast.BinOp, left: sp.Expr, right: sp.Expr) -> sp.Expr:
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                if right.is_zero:
                    self.refuse(node, "a division by zero", "the divisor is always 0")
                return left / right
        value, factor = _value(right), left.as_coeff_Mul()[0]
        exponent = abs(right.as_coeff_Mul()[0] if value is None else value)
        if exponent > EXPONENT or (right.is_Rational and _size(factor) * exponent > BITS):
            self.refuse(
                node, f"the power ({left})**({right})"[:80], f"expected exponents up to {EXPONENT}"
            )
        if right.has(sp.log):
            self.refuse(node, "a logarithm in an exponent", "write the power itself: x**k")
        if left.is_zero and right.is_negative:
            self.refuse(node, "a division by zero", "0 has no negative power")
        return left**right

    def call(self, node: ast.Call, level: int, breaks: str) -> sp.Expr:
        if not isinstance(node.func, ast.Name):
            self.refuse(node, "a call of something that is not a function's name", ALLOWED)
        name = node.func.id
        if name.lower() in _NOT_ANALYTIC.split():
            self.refuse(node, f"{name}(...)", f"{name} {_KINK}")
        if name == "table":
            return self.table(node, breaks)
        if name not in FUNCTIONS:
            close = difflib.get_close_matches(name, FUNCTIONS, n=1, cutoff=0.5)
            close = [_SPELLED[name]] if name in _SPELLED else close
            hint = f"did you mean {close[0]}? " if close else ""
            if name in self.names:
                hint = f"{name} is a quantity: write {name}*(...) for a product; "
            self.refuse(node, f"the unknown function {name!r}", hint + ALLOWED)
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            self.refuse(node, f"{name}(...) with a keyword or *", "give plain arguments in order")
        wanted = 2 if name in ("ramp", "pulse") else 1
        if len(node.args) != wanted:
            self.refuse(node, f"{name} of {len(node.args)} arguments", f"expected {wanted}")
        if breaks and name in BREAKS:
            self.refuse(node, f"{name} inside {breaks}(...)", "break times are constant in time")
        inside = name if name in BREAKS else breaks
        arguments = [self.read(argument, level + 1, inside) for argument in node.args]
        if name == "exp" and arguments[0].has(sp.log):
            self.refuse(node, "exp of a logarithm", "write the power itself: x**k")
        value = _value(arguments[0])
        if name in ("exp", "sinh", "cosh") and value is not None and abs(value) > 690:
            self.refuse(
                node, f"{name} of {float(value):g}", "the value leaves the range of numbers"
            )
        if name in ("ramp", "pulse") and (arguments[1] - arguments[0]).is_nonpositive:
            self.refuse(node, f"{name}({arguments[0]}, {arguments[1]})", "expected t0 < t1")
        return FUNCTIONS[name](*arguments)

    def table(self, node: ast.Call, breaks: str) -> sp.Expr:
        if breaks:
            self.refuse(node, f"table inside {breaks}(...)", "break times are constant in time")
        if node.keywords or len(node.args) != 1 or not isinstance(node.args[0], ast.Name):
            self.refuse(
                node, "table(...) of something else", "expected the name of one table: table(name)"
            )
        name = node.args[0].id
        if name not in self.tables:
            known = ", ".join(sorted(self.tables)) or "none are given"
            self.refuse(node, f"the unknown table {name!r}", f"known tables: {known}")
        return table(sp.Symbol(name, real=True))

    def real(self, node: ast.expr, value: sp.Expr) -> sp.Expr:
        """The value; an error where it is infinite or complex whatever the quantities are."""
        number = _value(value)
        if (
            value.has(sp.zoo, sp.oo, -sp.oo, sp.nan, sp.I)
            or (number is not None and value.is_extended_real is False)
            or (number is not None and abs(number) > 1e300)
        ):
            what = _quote(ast.get_source_segment(self.source, node) or "")
            self.refuse(node, what, "its value is not a finite real number")
        return value
