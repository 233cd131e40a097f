"""The task of every engine in numbers, and the car's equations for the engines that are not ours.

The equations are Maggi's in the forward speed w of the front axle's centre, written by hand and
without zwang, so that agreement with zwang means something.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Solve = Callable[[Array, Array], "Found"]

PARAMETERS = {
    "M1": 1000.0,
    "M2": 110.0,
    "J1": 1500.0,
    "J2": 30.0,
    "l1": 0.75,
    "l2": 1.65,
    "g": 9.81,
}
DRIVE, RESISTANCE, DAMPING, STIFFNESS = 1000.0, 50.0, 120.0, 600.0
FREQUENCY = 3.0
END = 5.0
MU = (0.3, 0.6)
SPEEDS, TORQUES = (5.0, 25.0), (10.0, 100.0)
STATE = ("phi", "theta", "x", "y", "u", "theta_dot")


@dataclass(frozen=True)
class Found:
    """Final states (runs, 6) as in STATE; for the full task maxima (runs, 2), onsets (runs, 2, μ).

    Axles come as rear, front; an onset that never happens is NaN.
    """

    state: Array
    maximum: Array | None = None
    t_maximum: Array | None = None
    onset: Array | None = None


def grid(n: int) -> tuple[Array, Array]:
    """Return speeds and torque amplitudes of an n by n grid, flat."""
    u, A = np.meshgrid(np.linspace(*SPEEDS, n), np.linspace(*TORQUES, n))
    return u.ravel(), A.ravel()


def scattered(n: int, seed: int = 20260) -> tuple[Array, Array]:
    """Return n random speeds and amplitudes in the ranges of the grid."""
    rng = np.random.default_rng(seed)
    return rng.uniform(*SPEEDS, n), rng.uniform(*TORQUES, n)


def parameters() -> dict[str, float]:
    """Return the combinations of parameters that the equations need, without A."""
    p = SimpleNamespace(**PARAMETERS)
    L = p.l1 + p.l2
    I = p.J1 + p.M1 * p.l2**2 + p.M2 * L**2
    return {
        "M": p.M1 + p.M2,
        "K": I / L**2,
        "K_M": I / L**2 - (p.M1 + p.M2),
        "S": (p.M1 * p.l2 + p.M2 * L) / L,
        "per_L": 1.0 / L,
        "per_J2": 1.0 / p.J2,
        "l2": p.l2,
        "F1": DRIVE,
        "c": RESISTANCE,
        "c_ll": RESISTANCE * (p.l2 / L) ** 2,
        "c_l2": RESISTANCE * p.l2,
        "c_l2l": RESISTANCE * p.l2**2 / L,
        "damping": DAMPING,
        "stiffness": STIFFNESS,
        "per_N1": L / (p.M1 * p.g * p.l1),
        "per_N2": L / ((p.M1 * p.l2 + p.M2 * L) * p.g),
    }


HOISTED = (*parameters(), "A")
AXLES = 2


def equations(
    t: Any,  # noqa: ANN401 - the number or expression of the engine that asks
    x: tuple[Any, ...],
    p: SimpleNamespace,
    functions: Any,  # noqa: ANN401
) -> tuple[list[Any], list[Any]]:
    """Return the rates of x = (φ, θ, x, y, w, θ') and Λ/N of both axles.

    `functions` supplies sin and cos: sympy, heyoka, numpy or mpmath.
    """
    phi, theta, _, _, w, spin = x
    s, c = functions.sin(theta), functions.cos(theta)
    sp, cp = functions.sin(phi), functions.cos(phi)
    tau = p.A * functions.sin(FREQUENCY * t) - p.damping * spin - p.stiffness * theta
    ss, cc = s * s, c * c
    u, side = w * c, w * s  # side = L φ'
    turn = spin * u
    push = p.F1 * c - w * (p.c * cc + p.c_ll * ss) - s * (tau * p.per_L)
    dw = (push - p.K_M * (s * turn)) / (p.M * cc + p.K * ss)
    dside = dw * s + turn
    du = dw * c - side * spin
    rate, drate = side * p.per_L, dside * p.per_L
    # With F2 = c v the resistance at C is −c times its velocity: F2 l2 φ'/v = c l2 φ'.
    moment = p.K * dside + p.S * (u * rate) + tau * p.per_L + p.c_l2l * rate
    along = p.M * du - p.S * (side * rate) - p.F1 + p.c * u
    front = c * moment - s * along
    rear = p.M * (u * rate) + p.S * dside + p.c_l2 * rate - front * c
    forward = p.l2 * rate
    rates = [rate, spin, u * cp - forward * sp, u * sp + forward * cp, dw, tau * p.per_J2 - drate]
    return rates, [rear * p.per_N1, front * p.per_N2]


@cache
def symbolic() -> SimpleNamespace:
    """Return t, x, p as sympy symbols with rates, ratios Λ/N and the ratios' time derivatives."""
    import sympy

    t = sympy.Symbol("t")
    x = sympy.symbols("phi theta x y w spin")
    p = SimpleNamespace(**{name: sympy.Symbol(name) for name in HOISTED})
    rates, ratios = equations(t, x, p, sympy)
    slopes = [r.diff(t) + sum(r.diff(z) * f for z, f in zip(x, rates, strict=True)) for r in ratios]
    names = [getattr(p, name) for name in HOISTED]
    return SimpleNamespace(t=t, x=x, p=names, rates=rates, ratios=ratios, slopes=slopes)


def final(x: Array) -> Array:
    """Return states (runs, 6) with u in the place of w."""
    out = np.array(x, dtype=float)
    out[:, 4] *= np.cos(out[:, 1])
    return out
