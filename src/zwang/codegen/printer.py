"""C text of expressions in parameters: the kernel's own functions, small powers as products."""

from __future__ import annotations

import sympy as sp
from sympy.printing.c import C99CodePrinter

OWN = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log")
LARGEST_PRODUCT = 6


class Printer(C99CodePrinter):
    """C without calls of the C library, whose last bits differ from one to the next."""

    def __init__(self) -> None:
        super().__init__({"user_functions": {name: f"own_{name}" for name in OWN}})

    def _print_Pow(self, expr: sp.Pow) -> str:
        base, exponent = expr.as_base_exp()
        if exponent.is_Integer and 1 < abs(exponent) <= LARGEST_PRODUCT:
            factor = f"({self._print(base)})"
            product = "*".join([factor] * abs(int(exponent)))
            return f"({product})" if exponent > 0 else f"(1.0/({product}))"
        if exponent == -1:
            return f"(1.0/({self._print(base)}))"
        if abs(exponent) == sp.Rational(1, 2):
            root = f"sqrt({self._print(base)})"
            return root if exponent > 0 else f"(1.0/{root})"
        return f"own_pow({self._print(base)}, {self._print(exponent)})"


def c_text(expr: sp.Expr) -> str:
    """Return the C expression."""
    return str(Printer().doprint(expr))
