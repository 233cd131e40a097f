"""Velocities on a sphere that are regular everywhere but at one point."""

import sympy as sp

from zwang.geometry import Vector, velocity
from zwang.system import QuasiVelocity


def tangent_velocities(
    name: str, arm: Vector, R: sp.Expr, of: str
) -> tuple[QuasiVelocity, QuasiVelocity]:
    """Return ẋ + xż/(R − z) and ẏ + yż/(R − z) of the point at `arm` from the centre.

    On the sphere they are the components along two perpendicular unit tangents, which turn into the
    x and y axes at the bottom; only at the top, z = R, they are not defined.
    """
    x, y, z = arm.components
    u, v, w = velocity(arm).components
    return (
        QuasiVelocity(
            f"{name}_x",
            u + x * w / (R - z),
            f"{name}_x",
            "m/s",
            f"velocity of {of} along the sphere, at its bottom along x",
        ),
        QuasiVelocity(
            f"{name}_y",
            v + y * w / (R - z),
            f"{name}_y",
            "m/s",
            f"velocity of {of} along the sphere, at its bottom along y",
        ),
    )
