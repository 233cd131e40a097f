"""The disk of Appell and Hamel with its symbols, from the side and from above, to scale."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc, Circle, FancyArrowPatch, Polygon
from numpy.typing import ArrayLike, NDArray

from zwang.figures import _appell, style
from zwang.figures._car import across, along
from zwang.figures.results import Results

Array = NDArray[np.float64]
NEEDS = ("runs",)
OPTIONS = ()
TEXT, SMALL = 9, 7  # pt, symbols and words
VELOCITY, REACTION, FORCE = style.GREEN, style.VERMILLION, style.BLUE
FRAME = "0.55"
THIN: dict[str, Any] = {"color": style.GREY, "linewidth": 0.5, "linestyle": (0, (4, 2))}
# ASSUME: drawn, not computed, in disk radii: ρ large enough to be seen, frame, pulley, weight
RHO, PULLEY, WEIGHT = 1.75, 0.13, 0.13
HEADING, ROLLED = np.deg2rad(33.0), np.deg2rad(62.0)
WINDOW = 4.15, 3.25  # width and height of both panels


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """Two panels of one scale: from the side, from above."""
    return style.Layout(rows=1, columns=2, height=75.0, width=style.PAGE, sharex="none")


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw the disk from its right side, heading to the right, and from above."""
    known = _appell.numbers(data.get("runs"))
    ratio = known["b"] / known["a"]
    if not 0.0 < ratio < 1.0:
        raise style.FigureError(
            f"a = {known['a']:g} m and b = {known['b']:g} m; the drum must fit into the disk"
        )
    for ax, corner, title in zip(
        axes,
        ((-1.3, -0.75), (-0.5, -0.35)),
        ("(a) from the side, heading to the right", "(b) from above"),
        strict=True,
    ):
        ax.set_aspect("equal")
        ax.set_axis_off()
        ax.set_xlim(corner[0], corner[0] + WINDOW[0])
        ax.set_ylim(corner[1], corner[1] + WINDOW[1])
        ax.set_title(title, loc="left", y=0.975, pad=0)
    _side(axes[0], ratio)
    _above(axes[1], ratio)


def _side(ax: Axes, b: float) -> None:
    """The disk from its right side, lengths in disk radii; forward is to the right."""
    axle, top = np.array([0.0, 1.0]), 1.0 + b
    ax.plot([-1.25, 2.75], [0.0, 0.0], color=style.BLACK, linewidth=0.8, zorder=1)
    for x in np.arange(-1.25, 2.7, 0.125):
        ax.plot([x, x - 0.06], [0.0, -0.07], color=style.GREY, linewidth=0.4, zorder=1)
    _frame_side(ax)
    ax.add_patch(Circle(tuple(axle), 1.0, facecolor="0.95", edgecolor="0.25", lw=1.2, zorder=2))
    ax.add_patch(Circle(tuple(axle), b, facecolor="0.8", edgecolor="0.25", lw=1.0, zorder=4))
    _rope_side(ax, top)
    _forces_side(ax, b, top)
    _lengths_side(ax, axle, b)
    _rolling(ax, axle)
    for point, name, off in ((axle, "", (0.0, 0.0)), (np.zeros(2), "$B$", (-9.0, -9.0))):
        ax.plot(*point, marker="o", markersize=3.2, color=style.BLACK, zorder=7)
        _write(ax, name, point, off)


def _frame_side(ax: Axes) -> None:
    """The frame: a beam at the height of the axle on legs with smooth feet."""
    look: dict[str, Any] = {"color": FRAME, "linewidth": 2.2, "solid_capstyle": "round"}
    ax.plot([-1.15, 2.2], [1.0, 1.0], **look, zorder=1.5)
    for x in (-1.15, 2.2):
        ax.plot([x, x], [1.0, 0.09], **look, zorder=1.5)
        ax.add_patch(Circle((x, 0.045), 0.045, facecolor="white", edgecolor=FRAME, zorder=1.6))
    _write(ax, "frame", np.array([2.2, 0.7]), (16.0, 0.0), SMALL)
    _write(ax, "smooth\nfoot", np.array([2.2, 0.0]), (21.0, 11.0), SMALL)


def _rope_side(ax: Axes, top: float) -> None:
    """The rope from the top of the drum over the pulley to the weight."""
    hub = np.array([RHO - PULLEY, top - PULLEY])
    ax.plot([hub[0], hub[0]], [1.0, hub[1]], color=FRAME, linewidth=1.6, zorder=2.5)
    ax.add_patch(Circle(tuple(hub), PULLEY, facecolor="white", edgecolor="0.25", zorder=3))
    ax.plot(*hub, marker="o", markersize=1.6, color="0.25", zorder=4)
    turn = np.linspace(np.pi / 2, 0.0, 31)
    bend = hub[:, None] + PULLEY * np.array([np.cos(turn), np.sin(turn)])
    rope = np.concatenate([[[0.0], [top]], bend, [[RHO], [_weight()[1] + WEIGHT]]], axis=1)
    ax.plot(*rope, color=style.BLACK, linewidth=1.0, zorder=5, gid="rope")
    low = _weight() + WEIGHT * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    ax.add_patch(Polygon(low, facecolor="0.6", edgecolor="0.25", zorder=5))
    _write(ax, "$m$", _weight(), (0.0, 0.0))


def _weight() -> Array:
    """The centre of the weight from the side."""
    return np.array([RHO, 0.52])


def _forces_side(ax: Axes, b: float, top: float) -> None:
    """Pull of the rope and weight; friction and load under the disk; speed of the axle."""
    middle, z = _weight(), np.array([0.0, 1.0])
    up, low = middle + WEIGHT * z, middle - WEIGHT * z
    _arrow(ax, up, up + 0.32 * z, FORCE)
    _write(ax, "$S$", up + 0.2 * z, (-9.0, 0.0), colour=FORCE)
    _arrow(ax, low, low - 0.3 * z, FORCE)
    _write(ax, "$m g$", low - 0.18 * z, (-13.0, 0.0), colour=FORCE)
    _arrow(ax, np.zeros(2), np.array([0.55, 0.0]), REACTION, 1.8)
    _write(ax, "$X$", np.array([0.55, 0.0]), (11.0, 6.5), colour=REACTION)
    _arrow(ax, np.zeros(2), np.array([0.0, 0.36]), REACTION, 1.8)
    _write(ax, "$N$", np.array([0.0, 0.25]), (9.0, 0.0), colour=REACTION)
    _arrow(ax, np.array([0.0, 2.12]), np.array([0.62, 2.12]), VELOCITY)
    _write(ax, r"$a\dot{\varphi}$", np.array([0.62, 2.12]), (13.0, 0.0), colour=VELOCITY)
    _write(ax, "speed of $B$", np.array([0.0, 2.12]), (-26.0, 0.0), SMALL, VELOCITY)
    _write(ax, "rope", np.array([1.12, top]), (0.0, 7.0), SMALL)


def _lengths_side(ax: Axes, axle: Array, b: float) -> None:
    """The radii a and b, the distance ρ below the ground, the depth z of the weight."""
    for radius, angle, name, off in (
        (1.0, np.deg2rad(128.0), "$a$", (8.0, 4.0)),
        (b, np.deg2rad(-35.0), "$b$", (7.0, -6.0)),
    ):
        tip = axle + radius * along(float(angle))
        _arrow(ax, axle, tip, style.BLACK, 0.7, size=6, zorder=6)
        _write(ax, name, tip if name == "$b$" else 0.5 * (axle + tip), off)
    for x in (0.0, RHO):
        low = -0.06 if x == 0.0 else _weight()[1] - WEIGHT - 0.3
        ax.plot([x, x], [low, -0.5], color="0.6", linewidth=0.4, zorder=0.5)
    _span(ax, np.array([0.0, -0.42]), np.array([RHO, -0.42]))
    _write(ax, r"$\rho$", np.array([0.5 * RHO, -0.42]), (0.0, -8.0))
    beside = RHO + 0.24
    ax.plot([RHO + 0.03, beside + 0.06], [1.0 + b - PULLEY] * 2, **THIN, zorder=4)
    ax.plot([RHO + WEIGHT, beside + 0.06], [_weight()[1]] * 2, **THIN, zorder=4)
    _arrow(ax, np.array([beside, 1.0 + b - PULLEY]), np.array([beside, _weight()[1]]), "k", 0.8)
    _write(ax, "$z$", np.array([beside, 0.82]), (7.0, 0.0), back=True)


def _rolling(ax: Axes, axle: Array) -> None:
    """The rolling angle φ: a spoke that pointed to B has turned, clockwise from here."""
    down = -np.pi / 2
    ax.plot(*np.transpose([axle, np.zeros(2)]), **THIN, zorder=3)
    tip = axle + along(down - ROLLED)
    ax.plot(*np.transpose([axle, tip]), color="0.25", linewidth=1.0, zorder=3)
    ax.plot(*tip, marker="o", markersize=2.6, color="0.25", zorder=3)
    turn = np.linspace(down, down - ROLLED + 0.06, 41)
    arc = axle + 0.56 * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    ax.plot(*arc.T, color=style.BLACK, linewidth=0.8, zorder=4)
    _arrow(ax, arc[-3], arc[-1], style.BLACK, 0.8, size=7)
    _write(ax, r"$\varphi$", axle + 0.43 * along(down - 0.5 * ROLLED), (0.0, 0.0))


def _above(ax: Axes, b: float) -> None:
    """The disk from above: B at (ξ, η), heading θ, the weight ahead; forces of the ground."""
    B = np.array([1.38, 1.1])
    forward, left = along(HEADING), across(HEADING)

    def place(points: ArrayLike) -> Array:
        x, y = np.asarray(points, dtype=float).T[:, :, None]
        return np.asarray(B + x * forward + y * left)

    _plane(ax, B)
    _frame_above(ax, place)
    for shape, face, gid in (
        (_box(0.0, 0.0, 1.0, 0.045), "0.85", "disk"),
        (_box(0.0, -0.24, b, 0.1), "0.7", "drum"),
        (_box(RHO - PULLEY, 0.0, PULLEY, 0.03), "white", "pulley"),
    ):
        patch = Polygon(place(shape), facecolor=face, edgecolor="0.25", lw=0.9, zorder=4, gid=gid)
        ax.add_patch(patch)
    ax.plot(*place([[0.0, -0.24], [RHO - PULLEY, 0.0], [RHO, 0.0]]).T, color="k", lw=1.0, zorder=5)
    weight = place([[RHO, 0.0]])[0]
    ax.add_patch(Polygon(place(_box(RHO, 0.0, WEIGHT, WEIGHT)), fc="0.6", ec="0.25", zorder=3))
    ax.plot(*weight, marker="o", markersize=2.6, color=style.BLACK, zorder=6)
    _write(ax, "$m$", weight, tuple(15.0 * forward + 2.0 * left))
    _write(ax, "disk", place([[-0.66, 0.0]])[0], tuple(9.0 * left), SMALL)
    _write(ax, "drum", place([[-b - 0.28, -0.29]])[0], (0.0, 0.0), SMALL)
    _write(ax, "rope", place([[1.28, 0.0]])[0], tuple(8.0 * left), SMALL)
    for x in (0.0, RHO):
        ends = place([[x, 0.15], [x, 0.92]])
        ax.plot(*ends.T, color="0.6", linewidth=0.4, zorder=0.5)
    one, other = place([[0.0, 0.85], [RHO, 0.85]])
    _span(ax, one, other)
    _write(ax, r"$\rho$", 0.5 * (one + other), tuple(8.0 * left))
    for tip, name, off in (
        (B + 0.62 * forward, "$X$", 8.0 * left),
        (B + 0.6 * left, "$Y$", 9.0 * forward + 1.0 * left),
    ):
        _arrow(ax, B, tip, REACTION, 1.8, zorder=7)
        _write(ax, name, tip, tuple(off), colour=REACTION)
    ax.plot(*B, marker="o", markersize=3.2, color=style.BLACK, zorder=8)
    _write(ax, "$B$", B, (-10.0, 5.0))


def _box(x: float, y: float, half: float, wide: float) -> Array:
    """A box, forward and left of B, by its centre and its halves."""
    return np.array([x, y]) + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [half, wide]


def _frame_above(ax: Axes, place: Any) -> None:  # noqa: ANN401 - a function of points
    """The frame around the disk, with its feet, the axle across and the bar of the pulley."""
    look: dict[str, Any] = {"color": FRAME, "linewidth": 1.8, "zorder": 2}
    corners = np.array([[-1.15, -0.5], [2.2, -0.5], [2.2, 0.5], [-1.15, 0.5], [-1.15, -0.5]])
    ax.plot(*place(corners).T, **look)
    ax.plot(*place([[RHO - PULLEY, -0.5], [RHO - PULLEY, 0.5]]).T, **look)
    ax.plot(*place([[0.0, -0.5], [0.0, 0.5]]).T, color="0.25", linewidth=1.2, zorder=3)
    ax.plot(*place(corners[:4]).T, "o", mfc="white", mec=FRAME, markersize=4, zorder=3)


def _plane(ax: Axes, B: Array) -> None:
    """The axes ξ and η, the coordinates of B, the heading θ and its rate."""
    for tip, name, off in (
        (np.array([3.4, 0.0]), r"$\xi$", (8.0, 0.0)),
        (np.array([0.0, 2.45]), r"$\eta$", (0.0, 8.0)),
    ):
        _arrow(ax, np.zeros(2), tip, style.BLACK, 0.8)
        _write(ax, name, tip, off)
    for foot in ([B[0], 0.0], [0.0, B[1]]):
        ax.plot(*np.transpose([B, foot]), **THIN, zorder=1)
    _write(ax, r"$\xi$ of $B$", np.array([B[0], 0.0]), (0.0, -8.0), SMALL)
    _write(ax, r"$\eta$ of $B$", np.array([0.0, B[1]]), (-13.0, 0.0), SMALL)
    ax.plot(*np.transpose([B, B + 1.6 * along(0.0)]), **THIN, zorder=1)
    angle = np.rad2deg(HEADING)
    ax.add_patch(Arc(tuple(B), 2.5, 2.5, theta1=0.0, theta2=angle - 3.0, lw=0.8, zorder=6))
    ends = (B + 1.25 * along(float(HEADING - turn)) for turn in (0.06, 0.0))
    _arrow(ax, next(ends), next(ends), style.BLACK, 0.8, size=7)
    _write(ax, r"$\theta$", B + 1.25 * along(0.62 * float(HEADING)), (9.0, 3.0))


def _arrow(
    ax: Axes,
    tail: ArrayLike,
    tip: ArrayLike,
    colour: str,
    width: float = 1.4,
    size: float = 9,
    zorder: float = 6,
) -> None:
    ends = tuple(np.asarray(tail, dtype=float)), tuple(np.asarray(tip, dtype=float))
    look: dict[str, Any] = {"mutation_scale": size, "color": colour, "linewidth": width}
    ax.add_patch(
        FancyArrowPatch(*ends, arrowstyle="-|>", shrinkA=0, shrinkB=0, zorder=zorder, **look)
    )


def _span(ax: Axes, one: Array, other: Array) -> None:
    """A dimension line."""
    look: dict[str, Any] = {"mutation_scale": 6, "color": style.BLACK, "linewidth": 0.6}
    ends = tuple(one), tuple(other)
    ax.add_patch(FancyArrowPatch(*ends, arrowstyle="<|-|>", shrinkA=0, shrinkB=0, **look))


def _write(
    ax: Axes,
    text: str,
    point: Array,
    off: tuple[float, ...],
    size: float = TEXT,
    colour: str = style.BLACK,
    back: bool = False,
) -> None:
    """Write a text some points away from where it belongs."""
    note = ax.annotate(
        text,
        tuple(point),
        xytext=(off[0], off[1]),
        textcoords="offset points",
        fontsize=size,
        color=colour,
        ha="center",
        va="center",
        zorder=9,
        annotation_clip=False,
    )
    if back:
        note.set_bbox({"boxstyle": "square,pad=0.1", "facecolor": "white", "linewidth": 0})
