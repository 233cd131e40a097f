"""The car from above, to scale: body, wheels and the points A, B, C."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.patches import Polygon
from numpy.typing import ArrayLike, NDArray

from zwang.figures import style
from zwang.units import to_si

Array = NDArray[np.float64]
# ASSUME: the data give the axles only; the body around them has a usual shape, in wheel bases
AHEAD, BEHIND, BREADTH = 0.33, 0.38, 0.33  # of the front axle, of the rear one; half the width
TRACK, WHEEL, TYRE = 0.26, 0.125, 0.042  # half the track; half the length and width of a wheel


def along(angle: float) -> Array:
    """The unit vector in a direction."""
    return np.array([np.cos(angle), np.sin(angle)])


def across(angle: float) -> Array:
    """The unit vector to the left of a direction."""
    return np.array([-np.sin(angle), np.cos(angle)])


@dataclass(frozen=True)
class Pose:
    """Where the car is: C in the plane, angle of the body, steering angle; its two lengths."""

    x: float
    y: float
    phi: float
    theta: float
    l1: float
    l2: float

    @property
    def base(self) -> float:
        """The wheel base."""
        return self.l1 + self.l2

    @property
    def C(self) -> Array:
        """The body's centre of mass."""
        return np.array([self.x, self.y])

    @property
    def A(self) -> Array:
        """The centre of the front axle."""
        return self.C + self.l1 * along(self.phi)

    @property
    def B(self) -> Array:
        """The centre of the rear axle."""
        return self.C - self.l2 * along(self.phi)

    def body(self) -> Array:
        """The outline of the body (point, 2), its corners rounded."""
        turn = np.linspace(0.0, 2 * np.pi, 81)
        rounded = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
        rounded = np.sign(rounded) * np.abs(rounded) ** 0.35
        length = 0.5 * (1.0 + AHEAD + BEHIND)
        middle = self.B + (length - BEHIND) * self.base * along(self.phi)
        return _placed(rounded * [length, BREADTH], middle, self.phi, self.base)

    def screen(self) -> Array:
        """The outline of the windscreen, which shows where the front is."""
        corners = np.array([[0.62, 0.25], [0.8, 0.29], [0.8, -0.29], [0.62, -0.25]])
        return _placed(corners, self.B, self.phi, self.base)

    def wheels(self) -> list[Array]:
        """The outlines of the four wheels, rear ones first, each left before right."""
        box = np.array([[WHEEL, TYRE], [-WHEEL, TYRE], [-WHEEL, -TYRE], [WHEEL, -TYRE]])
        sides = self.base * TRACK * np.array([1.0, -1.0])
        steered = self.phi + self.theta
        return [
            _placed(box, centre + side * across(axle), axle, self.base)
            for centre, axle in ((self.B, self.phi), (self.A, steered))
            for side in sides
        ]

    def axles(self) -> list[Array]:
        """The axles as lines between their wheels (end, 2), the rear one first."""
        reach = self.base * TRACK * np.array([[1.0], [-1.0]])
        return [
            self.B + reach * across(self.phi),
            self.A + reach * across(self.phi + self.theta),
        ]


def _placed(shape: ArrayLike, centre: Array, angle: float, scale: float) -> Array:
    """Points given forward and left, turned, stretched and moved to a centre."""
    forward, left = np.asarray(shape, dtype=float).T[:, :, None]
    return centre + scale * (forward * along(angle) + left * across(angle))


def fill(ax: Axes, pose: Pose, colour: str, face: str, width: float, zorder: float) -> None:
    """Draw body and wheels, in the colour of the edges and a lighter face."""
    look: dict[str, Any] = {
        "facecolor": face,
        "edgecolor": colour,
        "linewidth": width,
        "zorder": zorder,
    }
    ax.add_patch(Polygon(pose.body(), **look))
    for wheel in pose.wheels():
        ax.add_patch(Polygon(wheel, facecolor=colour, edgecolor="none", zorder=zorder))


def lengths(dataset: xr.Dataset, options: Mapping[str, Any]) -> tuple[float, float]:
    """l1 and l2 in metres, from option `lengths` or from the data of one car."""
    given = options.get("lengths")
    if given is not None:
        if not isinstance(given, Mapping) or set(given) != {"l1", "l2"}:
            raise style.FigureError(f"lengths: came {given!r}; expected l1 and l2 with their unit")
        return to_si(given["l1"])[0], to_si(given["l2"])[0]
    if "l1" not in dataset.variables or "l2" not in dataset.variables:
        raise style.FigureError(
            "the data do not say how long the car is; draw a case with an axis of vehicles, or "
            "give lengths: {l1: 1.2 m, l2: 1.4 m}"
        )
    if dataset["l1"].ndim or dataset["l2"].ndim:
        raise style.FigureError(
            f"l1 and l2 differ along {', '.join(map(str, dataset['l1'].dims))}; "
            "say with `at` which one is drawn"
        )
    return float(dataset["l1"]), float(dataset["l2"])
