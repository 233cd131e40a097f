"""The car from above, to scale, in a left turn: its angles and velocities, and what acts on it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import Arc, FancyArrowPatch
from numpy.typing import NDArray

from zwang.figures import _car, style
from zwang.figures._car import Pose, across, along
from zwang.figures.results import Results

Array = NDArray[np.float64]
NEEDS = ("runs",)
OPTIONS = ("at", "lengths")
PHI, THETA = np.deg2rad(18.0), np.deg2rad(32.0)  # drawn, not computed: a clear left turn
TEXT = 9  # pt, the symbols
SMALL = 7  # pt, words beside them
THIN: dict[str, Any] = {"color": style.GREY, "linewidth": 0.5, "linestyle": (0, (4, 2))}
VELOCITY, REACTION, FORCE = style.GREEN, style.VERMILLION, style.BLUE


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """Two panels of equal scale: kinematics and forces."""
    return style.Layout(rows=1, columns=2, height=82.0, width=style.PAGE, sharex="none")


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw the car twice: with angles, lengths and velocities, and with forces and loads."""
    at = options.get("at") or {}
    runs = style.chosen(data.get("runs"), at)
    pose = Pose(0.0, 0.0, PHI, THETA, *_car.lengths(runs, options))
    named = ", ".join(style.label_of(data.get("runs"), name, at[name]) for name in at)
    for ax, title in zip(axes, ("(a)", "(b)"), strict=True):
        _car.fill(ax, pose, "0.35", "0.95", 0.8, zorder=1)
        for axle in pose.axles():
            ax.plot(*axle.T, color="0.35", linewidth=1.0, zorder=1.5)
        _frame(ax, pose)
        ax.set_title(f"{title} {named}" if title == "(a)" else title, loc="left")
    names = [style.symbol(runs[n]) if n in runs else f"${n[0]}_{n[1]}$" for n in ("l1", "l2")]
    _kinematics(axes[0], pose, names)
    _forces(axes[1], pose)
    for ax in axes:
        for name, point, off in (
            ("$A$", pose.A, (-2.0, -9.5)),
            ("$B$", pose.B, (-8.0, 1.0)),
            ("$C$", pose.C, (0.0, 9.0)),
        ):
            ax.plot(*point, marker="o", markersize=3.4, color=style.BLACK, zorder=6)
            _write(ax, name, point, off)


def _frame(ax: Axes, pose: Pose) -> None:
    """Equal scale, no axes; the same window in both panels."""
    ax.set_aspect("equal")
    ax.set_axis_off()
    middle = 0.5 * (pose.A + pose.B)
    ax.set_xlim(*(middle[0] + pose.base * np.array([-1.27, 1.36])))
    ax.set_ylim(*(middle[1] + pose.base * np.array([-0.84, 1.62])))


def _kinematics(ax: Axes, pose: Pose, names: list[str]) -> None:
    """Angles with arcs, lengths, velocities of the axles, centre of rotation, axes x and y."""
    base, steered = pose.base, PHI + THETA
    centre = pose.B + base / np.tan(THETA) * across(PHI)
    for axle in (pose.A, pose.B):
        _line(ax, axle, centre)
    ax.plot(*centre, marker="o", markersize=4, color="white", markeredgecolor=style.GREY, zorder=3)
    _write(ax, "instant centre\nof rotation", centre, (38.0, 4.0), SMALL)

    _line(ax, pose.B, pose.A + 0.74 * base * along(PHI))
    _line(ax, pose.A, pose.A + 0.74 * base * along(steered))
    _line(ax, pose.B, pose.B + 0.96 * base * along(0.0))
    _angle(ax, pose.A, 0.66 * base, PHI, steered, r"$\theta$")
    _angle(ax, pose.B, 0.8 * base, 0.0, PHI, r"$\varphi$")
    for tail, angle, speed, name in (
        (pose.B, PHI, 1.0, "$u$"),
        (pose.A, steered, 1.0 / np.cos(THETA), "$w$"),  # while both axles hold
    ):
        arrow = 0.4 * base * speed * along(angle)
        _arrow(ax, tail, tail + arrow, VELOCITY)
        _write(ax, name, tail + 0.55 * arrow, tuple(7.5 * across(angle)), colour=VELOCITY)

    for one, other, name in ((pose.B, pose.C, names[1]), (pose.C, pose.A, names[0])):
        _length(ax, one, other, 0.54 * base * -across(PHI), name)
    corner = np.array([ax.get_xlim()[0] + 0.05 * base, ax.get_ylim()[0] + 0.05 * base])
    for step, name, off in (((1.0, 0.0), "$x$", (7.0, 0.0)), ((0.0, 1.0), "$y$", (0.0, 8.0))):
        tip = corner + 0.3 * base * np.array(step)
        _arrow(ax, corner, tip, style.BLACK, width=0.8)
        _write(ax, name, tip, off)


def _forces(ax: Axes, pose: Pose) -> None:
    """Drive and resistance at C, torque of the steering, reactions and loads of the axles."""
    base, steered = pose.base, PHI + THETA
    course = PHI + np.arctan(pose.l2 / base * np.tan(THETA))  # where C goes while both axles hold
    _line(ax, pose.C, pose.C + 1.05 * base * along(course))
    tip = pose.C + 1.05 * base * along(course)
    _write(ax, "velocity of $C$", tip, (2.0, 7.0), SMALL, style.GREY)
    for name, angle, side in (("$F_1$", PHI, -9.0), ("$F_2$", course + np.pi, 9.0)):
        arrow = 0.34 * base * along(angle)
        _arrow(ax, pose.C, pose.C + arrow, FORCE)
        _write(ax, name, pose.C + 0.7 * arrow, tuple(side * across(angle)), colour=FORCE)
    for point, axle, name, load, aside in (
        (pose.B, PHI, r"$\Lambda_1$ (rear)", "$N_1$", -8.0),
        (pose.A, steered, r"$\Lambda_2$ (front)", "$N_2$", 10.0),
    ):
        tip = point + 0.85 * base * across(axle)
        _arrow(ax, point, tip, REACTION, width=1.8)
        _write(ax, name, tip, (aside, 9.0), colour=REACTION)
        _load(ax, point - 0.5 * base * across(axle), load)
    tail, tip = (pose.A + 0.47 * base * along(steered + turn) for turn in (-1.15, 0.0))
    _arrow(ax, tail, tip, style.BLACK, width=1.0, bend=0.3)
    _write(ax, "$L_1 - L_2$", pose.A + 0.47 * base * along(steered - 0.6), (26.0, -3.0))
    _key(ax)


def _key(ax: Axes) -> None:
    """What the arrows stand for."""
    ring = Line2D([], [], marker="o", markersize=7, color="none", markeredgecolor=style.BLACK)
    dot = Line2D([], [], marker="o", markersize=2, color="none", markerfacecolor=style.BLACK)
    kinds: dict[str, Any] = {
        "reaction of the ground, > 0 to the left": Line2D([], [], color=REACTION, linewidth=1.8),
        "load of the axle, upwards": (ring, dot),
        "drive and resistance": Line2D([], [], color=FORCE, linewidth=1.4),
        "torque of the body on the front axle": Line2D([], [], color=style.BLACK, linewidth=1.0),
    }
    ax.legend(
        list(kinds.values()),
        list(kinds),
        handler_map={tuple: HandlerTuple(ndivide=1)},
        loc="upper left",
        handlelength=1.4,
        borderaxespad=0.0,
    )


def _load(ax: Axes, point: Array, name: str) -> None:
    """A load: an arrow out of the plane."""
    ax.plot(*point, marker="o", markersize=7, color="white", markeredgecolor="black", zorder=5)
    ax.plot(*point, marker="o", markersize=2, color="black", zorder=5)
    _write(ax, name, point, (12.0, 0.0))


def _line(ax: Axes, one: Array, other: Array) -> None:
    """A thin line of construction."""
    ax.plot(*np.transpose([one, other]), **THIN, zorder=2)


def _arrow(
    ax: Axes, tail: Array, tip: Array, colour: str, width: float = 1.4, bend: float = 0.0
) -> None:
    arrow = FancyArrowPatch(
        tuple(tail),
        tuple(tip),
        arrowstyle="-|>",
        connectionstyle=f"arc3,rad={bend}",
        mutation_scale=9,
        color=colour,
        linewidth=width,
        shrinkA=0,
        shrinkB=0,
        zorder=5,
    )
    ax.add_patch(arrow)


def _angle(ax: Axes, at: Array, radius: float, start: float, end: float, name: str) -> None:
    """The arc of an angle with its name inside."""
    first, last = np.rad2deg([start, end])
    ax.add_patch(Arc(tuple(at), 2 * radius, 2 * radius, theta1=first, theta2=last, linewidth=0.8))
    middle = 0.5 * (start + end)
    _write(ax, name, at + radius * along(middle), tuple(-8.0 * along(middle)))


def _length(ax: Axes, one: Array, other: Array, aside: Array, name: str) -> None:
    """A dimension line between two points, moved aside."""
    for point in (one, other):
        ax.plot(*np.transpose([point, point + 1.08 * aside]), color="0.6", linewidth=0.4, zorder=0)
    ends = FancyArrowPatch(
        tuple(one + aside),
        tuple(other + aside),
        arrowstyle="<|-|>",
        mutation_scale=6,
        color=style.BLACK,
        linewidth=0.6,
        shrinkA=0,
        shrinkB=0,
        zorder=4,
    )
    ax.add_patch(ends)
    _write(ax, name, 0.5 * (one + other) + aside, tuple(8.0 * aside / np.hypot(*aside)))


def _write(
    ax: Axes,
    text: str,
    point: Array,
    off: tuple[float, ...],
    fontsize: float = TEXT,
    colour: str = style.BLACK,
) -> None:
    """Write a text some points away from where it belongs."""
    ax.annotate(
        text,
        tuple(point),
        xytext=(off[0], off[1]),
        textcoords="offset points",
        fontsize=fontsize,
        color=colour,
        ha="center",
        va="center",
        zorder=7,
        annotation_clip=False,
    )
