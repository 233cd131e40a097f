"""The symbols a declaration is made of: each knows its unit, its LaTeX symbol and its meaning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self, get_args

import sympy as sp

from zwang.domains import Domain


class Quantity(sp.Symbol):
    """A real symbol that carries unit, LaTeX symbol and meaning."""

    def __new__(cls, name: str, symbol: str = "", unit: str = "1", meaning: str = "") -> Self:
        """Return the symbol; the LaTeX symbol defaults to the name."""
        obj = sp.Symbol.__xnew__(cls, name, real=True)
        obj.symbol, obj.unit, obj.meaning = symbol or name, unit, meaning
        return obj

    def _hashable_content(self) -> tuple[Any, ...]:
        # Two systems may both have an `x`; sympy's caches must not mix their symbols and units.
        return (*super()._hashable_content(), self.symbol, self.unit, self.meaning)

    def __getnewargs_ex__(self) -> tuple[tuple[str, ...], dict[str, Any]]:
        return (self.name, self.symbol, self.unit, self.meaning), {}

    def _latex(self, printer: Any) -> str:  # noqa: ANN401 - the hook sympy's printer calls
        return str(self.symbol)


class Parameter(Quantity):
    """A constant of the system, given at run time; `domain` says which values make sense."""

    def __new__(
        cls,
        name: str,
        symbol: str = "",
        unit: str = "1",
        meaning: str = "",
        domain: Domain = "any",
    ) -> Self:
        """Return the symbol; sympy does not know the domain, so that forms do not depend on it."""
        if domain not in get_args(Domain):
            raise ValueError(f"{name}: no domain {domain!r}; {', '.join(get_args(Domain))}")
        obj = super().__new__(cls, name, symbol, unit, meaning)
        obj.domain = domain
        return obj

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.domain)

    def __getnewargs_ex__(self) -> tuple[tuple[str, ...], dict[str, Any]]:
        return super().__getnewargs_ex__()[0], {"domain": self.domain}


class Constant(Parameter):
    """A named constant of an input expression, given at run time."""


class Known(Quantity):
    """A function of time alone that is known before the motion is."""

    @property
    def dot(self) -> KnownRate:
        """Return the rate of this function, known too."""
        return KnownRate(
            f"{self.name}_dot",
            rf"\dot{{{self.symbol}}}",
            per_second(self.unit),
            f"rate of {self.meaning}",
            of=self,
        )


class KnownRate(Known):
    """The rate of a known function of time; `of` is that function."""

    def __new__(cls, name: str, symbol: str, unit: str, meaning: str, *, of: Known) -> Self:
        """Return the symbol."""
        obj = super().__new__(cls, name, symbol, unit, meaning)
        obj.of = of
        return obj

    def __getnewargs_ex__(self) -> tuple[tuple[str, ...], dict[str, Any]]:
        return super().__getnewargs_ex__()[0], {"of": self.of}


class Input(Known):
    """A force, a torque or a prescribed motion whose law is given with the run.

    Where it occurs in a constraint or in a kinetic energy it is a known function of time; the law
    of a force may depend on the motion.
    """


class Velocity(Quantity):
    """A quasi-velocity: the velocity itself as a state."""


class Output(Quantity):
    """A named result, known by its expression in the coordinates and rates."""


class Ratio(Quantity):
    """Magnitude of a resistance divided by the speed it opposes."""


class Reaction(Quantity):
    """The reaction Λ of one constraint row."""


class Rate(Quantity):
    """Time derivative of a coordinate."""


class Acceleration(Quantity):
    """Second time derivative of a coordinate, or first of a quasi-velocity."""


class Coordinate(Quantity):
    """A generalised coordinate."""

    @property
    def dot(self) -> Rate:
        """Return the rate of this coordinate."""
        return Rate(
            f"{self.name}_dot",
            rf"\dot{{{self.symbol}}}",
            per_second(self.unit),
            f"rate of {self.meaning}",
        )

    @property
    def ddot(self) -> Acceleration:
        """Return the second time derivative of this coordinate."""
        return Acceleration(
            f"{self.name}_ddot",
            rf"\ddot{{{self.symbol}}}",
            per_second(per_second(self.unit)),
            f"acceleration of {self.meaning}",
        )


t = Quantity("t", "t", "s", "time")


def per_second(unit: str) -> str:
    """Return the unit of the time derivative of something in `unit`."""
    base, slash, power = unit.partition("/s")
    if not slash:
        return f"{unit}/s"
    return f"{base}/s**{int(power.removeprefix('**') or 1) + 1}"


def coordinates_in(expr: sp.Expr) -> list[Coordinate]:
    """Return the coordinates an expression depends on, sorted by name."""
    return sorted((s for s in expr.free_symbols if isinstance(s, Coordinate)), key=str)


def explicit_rate(expr: sp.Expr) -> sp.Expr:
    """Return ∂e/∂t at fixed q and q̇, of the known functions u too: ∂e/∂t + Σ ∂e/∂u u̇."""
    expr = sp.S(expr)
    known = sorted((s for s in expr.free_symbols if isinstance(s, Known)), key=str)
    return expr.diff(t) + sp.Add(*(expr.diff(u) * u.dot for u in known))


def partial(expr: sp.Expr, variable: sp.Symbol) -> sp.Expr:
    """Return the derivative by a coordinate, or by time with all known functions of time."""
    return explicit_rate(expr) if variable == t else sp.S(expr).diff(variable)


def total_rate(expr: sp.Expr, coordinates: Iterable[Coordinate]) -> sp.Expr:
    """Return d/dt of an expression in t, q, q̇: ∂e/∂t + Σ ∂e/∂q q̇ + Σ ∂e/∂q̇ q̈."""
    return rate_of_change(expr) + sp.Add(*(sp.S(expr).diff(q.dot) * q.ddot for q in coordinates))


def rate_of_change(expr: sp.Expr) -> sp.Expr:
    """Return ∂e/∂t + Σ ∂e/∂q q̇: d/dt of an expression in t and q, without q̈ of one in q̇."""
    expr = sp.S(expr)
    return explicit_rate(expr) + sp.Add(*(expr.diff(q) * q.dot for q in coordinates_in(expr)))
