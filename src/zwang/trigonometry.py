"""A quick normal form for expressions that are polynomial in sines and cosines."""

from __future__ import annotations

import sympy as sp


def reduced(expr: sp.Expr) -> sp.Expr:
    """Return the expression with sin² + cos² = 1 used up and common factors cancelled.

    Sums of angles are expanded, sines and cosines become polynomial generators and every even
    power of a sine (or of a cosine, whichever gives less) is replaced. The result is canonical for
    polynomials in sines and cosines, so an expression that vanishes identically becomes 0.
    """
    expr = sp.expand_trig(sp.S(expr))
    angles = sorted({f.args[0] for f in expr.atoms(sp.sin, sp.cos)}, key=sp.default_sort_key)
    numerator, denominator = sp.fraction(sp.together(expr))
    numerator, denominator = _reduced(numerator, angles), _reduced(denominator, angles)
    if denominator.is_number:
        return numerator / denominator
    return sp.cancel(numerator / denominator)


def _reduced(expr: sp.Expr, angles: list[sp.Expr]) -> sp.Expr:
    """Return the polynomial with the fewer operations of the two normal forms."""
    if not angles:
        return sp.expand(expr)
    return min((_without(expr, angles, f) for f in (sp.sin, sp.cos)), key=sp.count_ops)


def _without(expr: sp.Expr, angles: list[sp.Expr], kept_low: type[sp.Function]) -> sp.Expr:
    """Return the polynomial with no power above one of `kept_low` of any angle."""
    other = sp.cos if kept_low is sp.sin else sp.sin
    pairs = [(kept_low(a), other(a)) for a in angles]
    generators = [g for pair in pairs for g in pair]
    poly = sp.Poly(expr, *generators)
    terms: dict[tuple[int, ...], sp.Expr] = {}
    for powers, coefficient in poly.terms():
        rest = sp.S.One
        low: list[int] = []
        for (_, b), k, m in zip(pairs, powers[::2], powers[1::2], strict=True):
            low += [k % 2, m]
            rest *= (1 - b**2) ** (k // 2)
        expanded = sp.Poly(rest, *generators)
        for extra, c in expanded.terms():
            key = tuple(i + j for i, j in zip(low, extra, strict=True))
            terms[key] = terms.get(key, sp.S.Zero) + c * coefficient
    return sp.Add(
        *(
            sp.expand(c) * sp.Mul(*(g**k for g, k in zip(generators, key, strict=True)))
            for key, c in terms.items()
        )
    )
