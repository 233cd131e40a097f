"""Expressions as a list of nodes whose Taylor coefficients follow from those before them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import sympy as sp


class NotAnalytic(ValueError):
    """A function without a Taylor recurrence."""


@dataclass(frozen=True, eq=False)
class Node:
    """One series: a state, a linear combination, or a nonlinear function of other nodes."""

    index: int
    kind: str
    args: tuple[Node, ...] = ()
    weights: tuple[sp.Expr, ...] = ()
    text: str = ""


Operand = Node | sp.Expr
FUNCTIONS: dict[type[sp.Function], str] = {
    sp.exp: "exp",
    sp.log: "log",
    sp.tan: "tan",
    sp.tanh: "tanh",
}


class Tape:
    """The nodes of all expressions, in an order in which they can be computed.

    Whatever depends on parameters alone stays a sympy expression and is hoisted out of the step;
    sums are linear nodes, common factors taken out of their terms, and products share factors with
    earlier products: only products cost a convolution.
    """

    def __init__(self, states: Iterable[sp.Symbol], time: sp.Symbol) -> None:
        self.nodes: list[Node] = []
        self.known: dict[object, Operand] = {}
        self.later: dict[sp.Symbol, Callable[[], Operand]] = {}
        self.varying = {*states, time}
        for s in states:
            self.known[s] = self._node("state", text=str(s))
        self.known[time] = self._node("time", text=str(time))

    def _node(
        self, kind: str, *args: Node, weights: tuple[sp.Expr, ...] = (), text: str = ""
    ) -> Node:
        node = Node(len(self.nodes), kind, args, weights, text)
        self.nodes.append(node)
        return node

    def define(self, symbol: sp.Symbol, expr: sp.Expr) -> None:
        """Give a symbol the value of an expression wherever it is used later."""
        self.name(symbol, self.build(expr))

    def name(self, symbol: sp.Symbol, operand: Operand) -> None:
        """Let a symbol stand for an operand in expressions that are built later."""
        self.varying.add(symbol)
        self.known[symbol] = operand

    def define_later(self, symbol: sp.Symbol, make: Callable[[], Operand]) -> None:
        """Give a symbol a value that is made when it is first used, and not at all if never."""
        self.varying.add(symbol)
        self.later[symbol] = make

    def cubic(self, time: sp.Expr, weights: tuple[sp.Expr, ...], text: str) -> Node:
        """Return the polynomial Σ wₙ sⁿ of third degree in a time s that starts at some instant."""
        return self._node("cubic", self.build(time), weights=weights, text=text)

    def given(self, symbol: sp.Symbol) -> Node:
        """Return the node of a series whose coefficients the kernel's driver supplies."""
        self.varying.add(symbol)
        self.known[symbol] = self._node("given", text=str(symbol))
        return self.known[symbol]

    def root(self, node: Node) -> Node:
        """Return the square root of a node."""
        key = ("sqrt", node)
        if key not in self.known:
            self.known[key] = self._node("sqrt", node, text=f"sqrt({_name(node)})")
        return self.known[key]

    def build(self, expr: sp.Expr) -> Operand:
        """Return the node of an expression, or the expression itself if it is constant."""
        expr = sp.S(expr)
        if not expr.free_symbols & self.varying:
            return expr
        if expr in self.known:
            return self.known[expr]
        result = self.later[expr]() if expr in self.later else self._build(expr)
        self.known[expr] = result
        return result

    def _build(self, expr: sp.Expr) -> Operand:
        if expr.is_Add or expr.is_Mul or (expr.is_Pow and expr.exp.is_Integer):
            numerator, denominator = sp.fraction(expr)
            if denominator.free_symbols & self.varying:
                return self.divide(self.build(numerator), self.build(denominator))
            return self._sum(sp.expand(numerator), denominator, str(expr))
        if expr.is_Pow:
            return self._power(expr.base, expr.exp)
        if isinstance(expr, sp.Function) and len(expr.args) == 1:
            return self._function(expr)
        raise NotAnalytic(
            f"{expr.func.__name__} has no Taylor recurrence; write it with sums, products, powers, "
            "sqrt, exp, log, trigonometric or hyperbolic functions, or as step, ramp, pulse"
        )

    def _sum(self, numerator: sp.Expr, denominator: sp.Expr, text: str) -> Operand:
        """Return Σ weight · monomial, the weights constant, with common factors taken out."""
        weights: dict[sp.Expr, sp.Expr] = {}
        for term in sp.Add.make_args(numerator):
            weight, monomial = term.as_independent(*self.varying, as_Add=False)
            weights[monomial] = weights.get(monomial, sp.S.Zero) + weight
        ordered = sorted(weights.items(), key=lambda kv: (sp.count_ops(kv[0]), str(kv[0])))
        terms = {m: w / denominator for m, w in ordered}
        return self._factored(terms, text)

    def _expanded(self, terms: dict[sp.Expr, sp.Expr], text: str = "") -> Operand:
        return self.combine([(self._monomial(m), w) for m, w in terms.items()], text)

    def _factored(self, terms: dict[sp.Expr, sp.Expr], text: str = "") -> Operand:
        """Return the sum as x Q + R, x the factor most terms share: a product fewer for each."""
        counts: dict[sp.Expr, int] = {}
        for monomial in terms:
            for base, power in (f.as_base_exp() for f in sp.Mul.make_args(monomial)):
                if base.free_symbols and power.is_Integer and power > 0:
                    counts[base] = counts.get(base, 0) + 1
        linear = {m for m in terms if m in counts}  # a bare factor costs no product
        best = max(counts, key=lambda x: (counts[x] - (x in linear), -_rank(x)), default=None)
        products = sum(1 for m in terms if m != 1 and m not in linear)
        if best is None or counts[best] - (best in linear) < 2 or products < 2:
            return self._expanded(terms, text)
        inside = {m / best: w for m, w in terms.items() if _divides(best, m)}
        rest = {m: w for m, w in terms.items() if not _divides(best, m)}
        if best in terms:  # keep the bare factor outside: x (1 + …) would need the same product
            del inside[sp.S.One]
            rest[best] = terms[best]
        scale = _scale(next(iter(inside.values())))
        cofactor = self._factored({m: _over(w, scale) for m, w in inside.items()})
        parts = [(self.multiply(self.build(best), cofactor), scale)]
        remainder = self._factored(rest) if rest else sp.S.Zero
        return self.combine([*parts, *self._parts(remainder)], text)

    def _parts(self, operand: Operand) -> list[tuple[Operand, sp.Expr]]:
        """Return the terms of a sum that is about to become part of another one."""
        if isinstance(operand, Node) and operand.kind == "sum":
            *weights, constant = operand.weights
            return [*zip(operand.args, weights, strict=True), (constant, sp.S.One)]
        return [(operand, sp.S.One)]

    def _monomial(self, monomial: sp.Expr) -> Operand:
        if monomial == 1:
            return monomial
        if monomial in self.known:
            return self.known[monomial]
        factors: list[Operand] = []
        below: list[Operand] = []
        for base, power in (f.as_base_exp() for f in sp.Mul.make_args(monomial)):
            if power.is_Integer:
                target = factors if power > 0 else below
                target += [self.build(base)] * abs(int(power))
            else:
                factors.append(self.build(base**power))
        result = self.product(factors)
        if below:
            result = self.divide(result, self.product(below))
        self.known[monomial] = result
        return result

    def combine(self, parts: list[tuple[Operand, sp.Expr]], text: str = "") -> Operand:
        """Return the linear combination of operands with constant weights.

        What is w x + c itself enters as x, so that sums in the same series are seen as multiples.
        """
        constant = sp.Add(*(a * w for a, w in parts if not isinstance(a, Node)))
        series: dict[Node, sp.Expr] = {}
        for a, w in parts:
            if isinstance(a, Node) and w != 0:
                node, weight, offset = _affine(a)
                series[node] = series.get(node, sp.S.Zero) + w * weight
                constant += w * offset
        series = {node: w for node, w in series.items() if w != 0}
        if not series:
            return constant
        nodes, weights = tuple(series), tuple(series.values())
        if weights == (1,) and constant == 0:
            return nodes[0]
        key = ("sum", nodes, weights, constant)
        if key not in self.known:
            self.known[key] = self._node("sum", *nodes, weights=(*weights, constant), text=text)
        return self.known[key]

    def node(self, operand: Operand, text: str = "") -> Node:
        """Return the operand as a node, a constant as a series with one coefficient."""
        if isinstance(operand, Node):
            return operand
        return self._node("sum", weights=(sp.S(operand),), text=text)

    def product(self, factors: list[Operand]) -> Operand:
        """Return the product, sharing pairs that already have a node; weights stay outside."""
        bare = [_bare(f) for f in factors if isinstance(f, Node)]
        left = sp.Mul(*(f for f in factors if not isinstance(f, Node)), *(w for _, w in bare))
        series = sorted((node for node, _ in bare), key=lambda n: n.index)
        while len(series) > 1:
            pairs = [
                (a, b) for i, a in enumerate(series) for b in series[i + 1 :]
            ]  # earlier products first
            a, b = next((p for p in pairs if ("mul", *p) in self.known), pairs[-1])
            series.remove(a)
            series.remove(b)
            series.append(self._mul(a, b))
            series.sort(key=lambda n: n.index)
        if not series:
            return left
        return self.combine([(series[0], left)])

    def _mul(self, a: Node, b: Node) -> Node:
        key = ("mul", a, b)
        if key not in self.known and a is b and a.kind == "partner":
            sine = self.nodes[a.index - 1]
            if sine.kind == "circular":  # cos² = 1 − sin², which is often there already
                parts = [(self._mul(sine, sine), sp.S.NegativeOne), (sp.S.One, sp.S.One)]
                self.known[key] = self.combine(parts, f"{_name(a)}**2")
        if key not in self.known:
            self.known[key] = self._node("mul", a, b, text=f"{_name(a)} * {_name(b)}")
        return self.known[key]

    def multiply(self, a: Operand, b: Operand) -> Operand:
        """Return a · b."""
        return self.product([a, b])

    def less(self, a: Operand, pairs: Iterable[tuple[Operand, Operand]]) -> Operand:
        """Return a − Σ x y; what multiplies the same x is added first, for a single product."""
        parts, factors = [(a, sp.S.One)], dict[Operand, list[tuple[Operand, sp.Expr]]]()
        for x, y in pairs:
            node, weight = _bare(x) if isinstance(x, Node) else (sp.S.One, x)
            factors.setdefault(node, []).append((y, weight))
        for x, terms in factors.items():
            parts.append((self.multiply(x, self.combine(terms)), sp.S.NegativeOne))
        return self.combine(parts)

    def divide(self, a: Operand, b: Operand) -> Operand:
        """Return a / b."""
        if not isinstance(b, Node):
            return self.combine([(a, 1 / b)])
        if isinstance(a, Node) and _bare(a)[0] is not a:
            node, weight = _bare(a)
            return self.combine([(self.divide(node, b), weight)])
        if not isinstance(a, Node):
            key = ("reciprocal", b)
            if key not in self.known:
                self.known[key] = self._node("reciprocal", b, text=f"1 / {_name(b)}")
            return self.combine([(self.known[key], sp.S(a))])
        key = ("div", a, b)
        if key not in self.known:
            self.known[key] = self._node("div", a, b, text=f"{_name(a)} / {_name(b)}")
        return self.known[key]

    def _power(self, base: sp.Expr, exponent: sp.Expr) -> Operand:
        if exponent.free_symbols & self.varying:
            return self.build(sp.exp(exponent * sp.log(base)))
        if exponent == sp.Rational(1, 2):
            return self._unary("sqrt", base)
        if exponent.could_extract_minus_sign():
            return self.divide(sp.S.One, self.build(base**-exponent))
        return self._node("pow", self.build(base), weights=(exponent,), text=f"{base}**{exponent}")

    def _unary(self, kind: str, argument: sp.Expr) -> Node:
        inner = self.node(self.build(argument))
        if kind == "sqrt":
            return self.root(inner)
        return self._node(kind, inner, text=f"{kind}({argument})")

    def _function(self, expr: sp.Expr) -> Operand:
        (u,) = expr.args
        pairs: dict[type, tuple[str, Callable, Callable]] = {
            sp.sin: ("circular", sp.sin, sp.cos),
            sp.cos: ("circular", sp.sin, sp.cos),
            sp.sinh: ("hyperbolic", sp.sinh, sp.cosh),
            sp.cosh: ("hyperbolic", sp.sinh, sp.cosh),
        }
        if expr.func in pairs:
            kind, odd, even = pairs[expr.func]
            first = self._node(kind, self.build(u), text=f"{odd.__name__}({u})")
            self.known[odd(u)] = first
            self.known[even(u)] = self._node("partner", first, text=f"{even.__name__}({u})")
            return self.known[expr]
        if expr.func in FUNCTIONS:
            return self._unary(FUNCTIONS[expr.func], u)
        if expr.func is sp.atan:
            return self._node("integral", self.build(u), self.build(1 + u**2), text=str(expr))
        if expr.func is sp.asin:
            return self._node(
                "integral", self.build(u), self.build(sp.sqrt(1 - u**2)), text=str(expr)
            )
        if expr.func is sp.acos:
            return self.combine([(self.build(sp.asin(u)), sp.S.NegativeOne), (sp.pi / 2, sp.S.One)])
        raise NotAnalytic(
            f"{expr} is not analytic or has no Taylor recurrence; known are sin cos tan asin acos "
            "atan sinh cosh tanh exp log sqrt and powers; switch with step, ramp or pulse"
        )


def _affine(node: Node) -> tuple[Node, sp.Expr, sp.Expr]:
    """Return (x, w, c) of a node that is w x + c, x no such node itself."""
    weight, offset = sp.S.One, sp.S.Zero
    while node.kind == "sum" and len(node.args) == 1:
        offset += weight * node.weights[1]
        weight *= node.weights[0]
        node = node.args[0]
    return node, weight, offset


def _bare(node: Node) -> tuple[Node, sp.Expr]:
    """Return (x, w) of a node that is w x, so that products share x whatever stands before it."""
    inner, weight, offset = _affine(node)
    return (inner, weight) if offset == 0 else (node, sp.S.One)


def _scale(weight: sp.Expr) -> sp.Expr:
    """Return the number in a weight with its sign; no parameter, which may be zero."""
    number, rest = weight.as_coeff_Mul()
    return -number if sp.fraction(rest)[0].could_extract_minus_sign() else number


def _over(weight: sp.Expr, number: sp.Expr) -> sp.Expr:
    """Return weight / number, its numerator multiplied out: equal weights look the same."""
    numerator, denominator = sp.fraction(weight)
    return sp.expand(numerator / number) / denominator


def _rank(base: sp.Expr) -> int:
    return 0 if base.is_Symbol else 1  # velocities first: sines are shared by many products


def _divides(base: sp.Expr, monomial: sp.Expr) -> bool:
    powers = dict(f.as_base_exp() for f in sp.Mul.make_args(monomial))
    return base in powers and powers[base].is_Integer and powers[base] > 0


def _name(node: Node) -> str:
    return f"({node.text})" if " " in node.text else node.text or f"x{node.index}"


def solve_symmetric(
    tape: Tape, matrix: list[list[Operand]], vector: list[Operand]
) -> tuple[list[Operand], list[tuple[Operand, Operand]]]:
    """Return the solution of M x = f by LDLᵀ without pivoting, and the pivots with their diagonals.

    Rows with a constant diagonal are eliminated first, which keeps their pivots constant.
    """
    n = len(vector)
    order = sorted(range(n), key=lambda i: isinstance(matrix[i][i], Node))
    a: dict[tuple[int, int], Operand] = {}  # L D
    low: dict[tuple[int, int], Operand] = {}
    y: list[Operand] = []
    for i in range(n):
        for k in range(i + 1):
            before = [(low[k, j], a[i, j]) for j in range(k)]
            a[i, k] = tape.less(matrix[order[i]][order[k]], before)
            if k < i:
                low[i, k] = tape.divide(a[i, k], a[k, k])
        y.append(tape.less(vector[order[i]], [(low[i, j], y[j]) for j in range(i)]))
    x: list[Operand] = [sp.S.Zero] * n
    for k in reversed(range(n)):
        after = [(low[i, k], x[i]) for i in range(k + 1, n)]
        x[k] = tape.less(tape.divide(y[k], a[k, k]), after)
    unsorted: list[Operand] = [sp.S.Zero] * n
    for position, row in enumerate(order):
        unsorted[row] = x[position]
    return unsorted, [(a[k, k], matrix[order[k]][order[k]]) for k in range(n)]


def solve_general(
    tape: Tape, matrix: list[list[Operand]], vector: list[Operand]
) -> tuple[list[Operand], list[Operand]]:
    """Return the solution of M x = f by elimination without pivoting, and the pivots.

    For loads that depend on accelerations, which make M unsymmetric; with M's symmetric part
    definite all pivots stay positive.
    """
    n = len(vector)
    low: dict[tuple[int, int], Operand] = {}
    a: dict[tuple[int, int], Operand] = {}
    y: list[Operand] = []
    for i in range(n):
        for j in range(n):
            before = [(low[i, k], a[k, j]) for k in range(min(i, j))]
            entry = tape.less(matrix[i][j], before)
            if j < i:
                low[i, j] = tape.divide(entry, a[j, j])
            else:
                a[i, j] = entry
        y.append(tape.less(vector[i], [(low[i, k], y[k]) for k in range(i)]))
    x: list[Operand] = [sp.S.Zero] * n
    for k in reversed(range(n)):
        right = tape.less(y[k], [(a[k, j], x[j]) for j in range(k + 1, n)])
        x[k] = tape.divide(right, a[k, k])
    return x, [a[k, k] for k in range(n)]
