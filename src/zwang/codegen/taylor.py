"""The tape as C: hoisted constants and the loop that computes all Taylor coefficients."""

from __future__ import annotations

import sympy as sp

from zwang.codegen.printer import c_text
from zwang.codegen.tape import Node, Operand, Tape

SUMS_AT_ONCE = 4  # convolution sums that share one loop: they fit the vector registers


class Constants:
    """The parameter-only expressions, each computed once a run and used by its index."""

    def __init__(self) -> None:
        self.expressions: list[sp.Expr] = []

    def use(self, expr: sp.Expr) -> str:
        """Return the C text of a constant."""
        expr = sp.S(expr)
        if expr.is_Integer and abs(expr) < 2**31:
            return f"{int(expr)}.0"
        if expr not in self.expressions:
            self.expressions.append(expr)
        return f"k[{self.expressions.index(expr)}]"

    def code(self, parameters: list[sp.Symbol]) -> str:
        """Return the body that fills k from the parameters p."""
        names = {p: sp.Symbol(f"p[{i}]") for i, p in enumerate(parameters)}
        shared, results = sp.cse(
            [e.subs(names) for e in self.expressions], symbols=sp.numbered_symbols("c")
        )
        lines = [f"const double {s} = {c_text(e)};" for s, e in shared]
        lines += [
            f"k[{i}] = {c_text(e)};{_source(source)}"
            for i, (e, source) in enumerate(zip(results, self.expressions, strict=True))
        ]
        return "\n".join(f"    {line}" for line in lines)


def _source(expr: sp.Expr) -> str:
    text = str(expr)
    return f"  /* {text} */" if len(text) <= 200 else ""


class Sums:
    """The convolution sums Σ_{j=1}^{n-1} a_j b_{n-j} of one order, each computed once."""

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []

    def use(self, a: str, b: str) -> str:
        """Return the C name of the sum of two arrays."""
        pair = (min(a, b), max(a, b))
        if pair not in self.pairs:
            self.pairs.append(pair)
        return f"S{self.pairs.index(pair)}"

    def carried(self) -> list[str]:
        """Return the declarations of what one pass leaves for order n + 1."""
        return [f"V T{i} = ZERO;" for i in range(len(self.pairs))]

    def first(self) -> list[str]:
        """Return the loops for order n, and for order n + 1 as far as it is known.

        Both orders in one pass: each coefficient is loaded once and used twice.
        """
        lines = []
        ordered = self._sharing_loads()
        for start in range(0, len(ordered), SUMS_AT_ONCE):
            group = ordered[start : start + SUMS_AT_ONCE]
            lines.append("V " + ", ".join(f"S{i} = ZERO" for i, _, _ in group) + ";")
            lines.append("{")
            lines.append("    V " + ", ".join(f"q{i} = ZERO" for i, _, _ in group) + ";")
            lines.append("    for (int j = 1; j < n; ++j) {")
            for i, a, b in group:
                lines.append(f"        const V b{i} = {b}[n - j];")
                lines.append(f"        S{i} += {a}[j] * b{i};")
                lines.append(f"        T{i} += {a}[j] * q{i};")
                lines.append(f"        q{i} = b{i};")
            lines += ["    }", "}"]
        return lines

    def second(self) -> list[str]:
        """Return the sums of order n + 1: the two products with order n are added."""
        return [
            f"const V S{i} = T{i} + {a}[1] * {b}[n - 1] + later * ({a}[n - 1] * {b}[1]);"
            for i, a, b in self._sharing_loads()
        ]

    def _sharing_loads(self) -> list[tuple[int, str, str]]:
        """Return (number, a, b) with sums of a common factor a side by side: a_j is loaded once."""
        left = dict(enumerate(self.pairs))
        ordered = []
        while left:
            uses = [a for pair in left.values() for a in sorted(set(pair))]
            common = max(dict.fromkeys(uses), key=uses.count)
            for i, (a, b) in [(i, pair) for i, pair in left.items() if common in pair]:
                ordered.append((i, common, b if a == common else a))
                del left[i]
        return ordered


class Writer:
    """The C statements of every node at order zero and at order n."""

    def __init__(self, tape: Tape, wanted: list[Node], values: list[Node]) -> None:
        """Write what the wanted nodes need, and of what the values need order zero alone."""
        self.tape = tape
        self.constants, self.sums = Constants(), Sums()
        self.start: list[str] = []
        self.order: list[str] = []
        needed, self.written = _needed(tape, wanted), _needed(tape, [*wanted, *values])
        for node in (n for n in tape.nodes if n.index in self.written):
            sums, orders = self.sums, len(self.order)
            if node.index not in needed:
                self.sums = Sums()
            getattr(self, f"_{node.kind}")(node, array(node))
            if node.index not in needed:
                self.sums = sums
                del self.order[orders:]

    def _derivative(self, of: str) -> str:
        """Return the array n·a_n of a series, for the chain rule."""
        name = f"d_{of}"
        if not any(line.startswith(f"{name}[n]") for line in self.order):
            self.order.append(f"{name}[n] = n * {of}[n];")
        return name

    def _state(self, node: Node, x: str) -> None:
        """Do nothing: the driver sets order zero, `advance` the rest."""

    def _given(self, node: Node, x: str) -> None:
        """Do nothing: the driver sets all orders."""

    def _time(self, node: Node, x: str) -> None:
        self.order.append(f"{x}[n] = n == 1 ? ZERO + 1.0 : ZERO;")

    def _sum(self, node: Node, x: str) -> None:
        *weights, constant = node.weights
        parts = [self._weighted(w, array(a)) for w, a in zip(weights, node.args, strict=True)]
        higher = " + ".join(f"{p}[n]" for p in parts) or "ZERO"
        lowest = [f"{p}[0]" for p in parts]
        if constant != 0 or not parts:
            lowest.append(f"ZERO + {self.constants.use(constant)}")
        self.start.append(f"{x}[0] = {' + '.join(lowest)};{comment(node)}")
        self.order.append(f"{x}[n] = {higher};")

    def _weighted(self, weight: sp.Expr, name: str) -> str:
        if weight == 1:
            return name
        return f"{self.constants.use(weight)} * {name}"

    def _cubic(self, node: Node, x: str) -> None:
        """Write w0 + w1 s + w2 s² + w3 s³, where s has the slope one: three orders at most."""
        s = f"{array(node.args[0])}[0]"
        a, b, c, d = (self.constants.use(w) for w in node.weights)
        self.start.append(f"{x}[0] = {a} + {s} * ({b} + {s} * ({c} + {s} * {d}));{comment(node)}")
        first, second = f"{b} + {s} * (2.0 * {c} + {s} * (3.0 * {d}))", f"{c} + {s} * (3.0 * {d})"
        self.order.append(
            f"{x}[n] = n == 1 ? {first} : n == 2 ? {second} : n == 3 ? ZERO + {d} : ZERO;"
        )

    def _mul(self, node: Node, x: str) -> None:
        a, b = (array(n) for n in node.args)
        self.start.append(f"{x}[0] = {a}[0] * {b}[0];{comment(node)}")
        ends = f"2.0 * {a}[0] * {a}[n]" if a == b else f"{a}[0] * {b}[n] + {a}[n] * {b}[0]"
        self.order.append(f"{x}[n] = {self.sums.use(a, b)} + {ends};")

    def _div(self, node: Node, x: str) -> None:
        a, b = (array(n) for n in node.args)
        self.start.append(f"const V {x}_i = 1.0 / {b}[0];")
        self.start.append(f"{x}[0] = {a}[0] * {x}_i;{comment(node)}")
        self.order.append(f"{x}[n] = ({a}[n] - {self.sums.use(b, x)} - {b}[n] * {x}[0]) * {x}_i;")

    def _reciprocal(self, node: Node, x: str) -> None:
        b = array(node.args[0])
        self.start.append(f"{x}[0] = 1.0 / {b}[0];{comment(node)}")
        self.order.append(f"{x}[n] = -({self.sums.use(b, x)} + {b}[n] * {x}[0]) * {x}[0];")

    def _sqrt(self, node: Node, x: str) -> None:
        a = array(node.args[0])
        self.start.append(f"{x}[0] = lanes_sqrt({a}[0]);{comment(node)}")
        self.start.append(f"const V {x}_i = 0.5 / {x}[0];")
        self.order.append(f"{x}[n] = ({a}[n] - {self.sums.use(x, x)}) * {x}_i;")

    def _pow(self, node: Node, x: str) -> None:
        a, r = array(node.args[0]), self.constants.use(node.weights[0])
        self.start.append(f"{x}[0] = lanes_pow({a}[0], ZERO + {r});{comment(node)}")
        self.start.append(f"const V {x}_i = 1.0 / {a}[0];")
        da, dx = self._derivative(a), f"d_{x}"
        self.order.append(
            f"{x}[n] = ({r} * ({self.sums.use(da, x)} + {da}[n] * {x}[0])"
            f" - {self.sums.use(a, dx)}) * {x}_i * inverse[n];"
        )
        self._derivative(x)

    def _exp(self, node: Node, x: str) -> None:
        du = self._derivative(array(node.args[0]))
        self.start.append(f"{x}[0] = lanes_exp({array(node.args[0])}[0]);{comment(node)}")
        self.order.append(f"{x}[n] = ({self.sums.use(du, x)} + {du}[n] * {x}[0]) * inverse[n];")

    def _log(self, node: Node, x: str) -> None:
        u = array(node.args[0])
        self.start.append(f"{x}[0] = lanes_log({u}[0]);{comment(node)}")
        self.start.append(f"const V {x}_i = 1.0 / {u}[0];")
        total = self.sums.use(f"d_{x}", u)
        self.order.append(f"{x}[n] = ({u}[n] - {total} * inverse[n]) * {x}_i;")
        self._derivative(x)

    def _pair(self, node: Node, x: str, function: str, sign: str) -> None:
        u = array(node.args[0])
        y = array(self.tape.nodes[node.index + 1])
        if _linear_in_time(node.args[0]):  # the series of the argument ends with its first order
            self.start.append(f"{function}({u}[0], &{x}[0], &{y}[0]);{comment(node)}")
            self.order.append(f"{x}[n] = {u}[1] * {y}[n - 1] * inverse[n];")
            self.order.append(f"{y}[n] = {sign}({u}[1] * {x}[n - 1]) * inverse[n];")
            return
        du = self._derivative(u)
        self.start.append(f"{function}({u}[0], &{x}[0], &{y}[0]);{comment(node)}")
        self.order.append(f"{x}[n] = ({self.sums.use(du, y)} + {du}[n] * {y}[0]) * inverse[n];")
        self.order.append(
            f"{y}[n] = {sign}({self.sums.use(du, x)} + {du}[n] * {x}[0]) * inverse[n];"
        )

    def _circular(self, node: Node, x: str) -> None:
        self._pair(node, x, "lanes_sincos", "-")

    def _hyperbolic(self, node: Node, x: str) -> None:
        self._pair(node, x, "lanes_sinhcosh", "")

    def _partner(self, node: Node, x: str) -> None:
        """Do nothing: written together with its partner."""

    def _riccati(self, node: Node, x: str, function: str, sign: str) -> None:
        """Write x' = (1 ± x²) u' with the array of 1 ± x² beside it."""
        u, g = array(node.args[0]), f"g_{x}"
        du = self._derivative(u)
        self.start.append(f"{x}[0] = {function}({u}[0]);{comment(node)}")
        self.start.append(f"{g}[0] = 1.0 {sign} {x}[0] * {x}[0];")
        self.order.append(f"{x}[n] = ({self.sums.use(du, g)} + {du}[n] * {g}[0]) * inverse[n];")
        self.order.append(f"{g}[n] = {sign}({self.sums.use(x, x)} + 2.0 * {x}[0] * {x}[n]);")

    def _tan(self, node: Node, x: str) -> None:
        self._riccati(node, x, "lanes_tan", "+")

    def _tanh(self, node: Node, x: str) -> None:
        self._riccati(node, x, "lanes_tanh", "-")

    def _integral(self, node: Node, x: str) -> None:
        """Write g x' = u' (arcus functions)."""
        u, g = (array(n) for n in node.args)
        function = "lanes_atan" if node.text.startswith("atan") else "lanes_asin"
        self.start.append(f"{x}[0] = {function}({u}[0]);{comment(node)}")
        self.start.append(f"const V {x}_i = 1.0 / {g}[0];")
        total = self.sums.use(f"d_{x}", g)
        self.order.append(f"{x}[n] = ({u}[n] - {total} * inverse[n]) * {x}_i;")
        self._derivative(x)

    def arrays(self) -> list[str]:
        """Return the names of the auxiliary arrays, in order of use."""
        text = " ".join([*self.start, *self.order, *(f"{a} {b}" for a, b in self.sums.pairs)])
        names = {w for w in _words(text) if w.startswith(("d_", "g_"))}
        return sorted(names)


def _linear_in_time(node: Node) -> bool:
    return node.kind == "time" or (
        node.kind == "sum" and all(_linear_in_time(a) for a in node.args)
    )


def _needed(tape: Tape, wanted: list[Node]) -> set[int]:
    """Return the nodes whose series the wanted ones are made of; sine and cosine go together."""
    needed: set[int] = set()
    waiting = [n.index for n in (*wanted, *(n for n in tape.nodes if n.kind in ("state", "time")))]
    while waiting:
        index = waiting.pop()
        if index in needed:
            continue
        needed.add(index)
        node = tape.nodes[index]
        waiting += [a.index for a in node.args]
        if node.kind == "partner":
            waiting.append(index - 1)
        if node.kind in ("circular", "hyperbolic"):
            waiting.append(index + 1)
    return needed


def _words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())


def array(node: Operand) -> str:
    """Return the C name of a node's coefficient array."""
    assert isinstance(node, Node)
    return f"x{node.index}"


def comment(node: Node) -> str:
    """Return the node's formula as a C comment, if short enough to help."""
    return f"  /* {node.text} */" if 0 < len(node.text) <= 100 else ""
