"""Gauss's least constraint: Z over the admissible accelerations, smallest at the computed one."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import NDArray

from zwang.figures import _place, style
from zwang.figures.results import Results

Array = NDArray[np.float64]
NEEDS = ("trajectories",)
OPTIONS = ("time",)
RATES = ("x_dot", "y_dot", "z_dot")
SMALL = 6.5  # pt
REACH = 1.6  # how far the map goes, in lengths of the computed deviation
UNIT = "kg m²/s⁴"
LEVELS = (1.1, 1.3, 1.6, 2.0)  # contours, in units of the smallest Z


@dataclass(frozen=True, eq=False)
class State:
    """The particle on its cone at one time: m r = Λ b2 is the force of the constraint.

    b2 is the gradient of the constraint x'² + y'² - (a/b)² z'² = 0 by the velocity; an
    acceleration f + r is admissible where b2·r has the value that it has at the computed r.
    """

    time: float
    velocity: Array
    gradient: Array
    computed: Array  # deviation r*, m/s²
    mass: float
    required: float  # b2·r of all admissible deviations, from the constraint and gravity alone

    def along(self) -> tuple[Array, Array]:
        """Two unit vectors that span the admissible directions: across, and in the plane of b2."""
        v = self.velocity
        across = np.array([-v[1], v[0], 0.0]) / np.hypot(v[0], v[1])
        upward = np.cross(self.gradient, across)
        return across, upward / np.linalg.norm(upward)

    def deviation(self, s1: Array, s2: Array) -> Array:
        """Admissible deviations (..., 3) at offsets from the computed one, m/s²."""
        e1, e2 = self.along()
        return self.computed + s1[..., None] * e1 + s2[..., None] * e2

    def constraint(self, s1: Array, s2: Array) -> Array:
        """Z = m|r|²/2, kg m²/s⁴."""
        return np.asarray(0.5 * self.mass * (self.deviation(s1, s2) ** 2).sum(axis=-1))


def least(state: State, count: int = 161) -> tuple[float, float]:
    """Offsets from the computed deviation where Z is smallest, among those that are admissible."""
    s = _offsets(state, count)
    Z = state.constraint(*np.meshgrid(s, s))
    row, column = np.unravel_index(int(np.argmin(Z)), Z.shape)
    return float(s[column]), float(s[row])


def _offsets(state: State, count: int = 161) -> Array:
    return REACH * float(np.linalg.norm(state.computed)) * np.linspace(-1.0, 1.0, count)


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """A row for each case: map, and cut with the velocity."""
    rows = len(data.cases)
    return style.Layout(
        rows, 4.0 + 66.0 * rows, 2, style.PAGE, sharex="none", ratios={"width_ratios": [1.0, 1.5]}
    )


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw contours of Z with the computed deviation, and force and velocity in their plane."""
    grid = np.array(axes, dtype=object).reshape(-1, 2)
    letters = iter("abcdefgh")
    for (left, right), case in zip(grid, data.cases, strict=True):
        paths = data.get("trajectories", (*RATES, "reaction_cone", "status", "t"), case)
        state = _state(paths, options)
        _map(left, state)
        _cut(right, state, paths)
        where = f"$t$ = {state.time:g} s"
        left.set_title(f"({next(letters)}) {data.title(case)}, {where}", loc="left")
        right.set_title(f"({next(letters)}) {_relation(state)}", loc="left")


def _state(paths: xr.Dataset, options: Mapping[str, Any]) -> State:
    """The state of the first trajectory at the time asked for, else at the start."""
    given = style.numbers([options.get("time", 0.0)], "time")[0]
    t = np.asarray(paths["t"].values, dtype=float)
    one = paths.isel(trajectory=0, t=int(np.argmin(np.abs(t - given))))
    v = np.array([float(one[name]) for name in RATES])
    values = json.loads(str(paths.attrs.get("values", "{}")))
    missing = [name for name in ("m", "a", "b", "g") if name not in values]
    if missing:
        raise style.FigureError(
            f"the trajectories do not hold the fixed values {', '.join(missing)}; "
            "make them again with this version"
        )
    if not np.isfinite(v).all() or not np.isfinite(float(one["reaction_cone"])):
        last = float(paths["time_reached"][0]) if "time_reached" in paths else float("nan")
        raise style.FigureError(
            f"time: the run has no state at {given:g} s (it ended at {last:.4g} s); "
            "give an earlier time"
        )
    gradient = np.array([2 * v[0], 2 * v[1], -2 * (values["a"] / values["b"]) ** 2 * v[2]])
    if np.linalg.norm(gradient) < 1e-9:
        raise style.FigureError(f"time: the particle rests at {given:g} s, at the apex of the cone")
    computed = float(one["reaction_cone"]) * gradient / values["m"]
    required = gradient[2] * values["g"]  # b2·(f + r) = 0 with f = (0, 0, -g), z up
    state = State(float(one["t"]), v, gradient, computed, float(values["m"]), float(required))
    _checked(state)
    return state


def _checked(state: State) -> None:
    """FigureError where the computed deviation is not admissible: a wrong sign of Λ, or of z."""
    off = abs(float(state.gradient @ state.computed) - state.required)
    if off > 1e-6 * max(abs(state.required), 1e-12):
        raise style.FigureError(
            f"the computed acceleration violates the constraint at t = {state.time:g} s: "
            f"b2·r is {float(state.gradient @ state.computed):.6g}, admissible is "
            f"{state.required:.6g} (z up); the reaction does not belong to this motion"
        )


def _map(ax: Axes, state: State) -> None:
    """Draw contours of Z over the plane of admissible deviations."""
    s = _offsets(state)
    low = float(state.constraint(np.zeros(1), np.zeros(1))[0])
    lines = ax.contour(
        s,
        s,
        state.constraint(*np.meshgrid(s, s)),
        levels=low * np.array(LEVELS),
        colors=style.GREY,
        linewidths=0.8,
    )
    away = np.sqrt(np.array(LEVELS) - 1.0) * np.linalg.norm(state.computed) / np.sqrt(2)
    ax.clabel(lines, fmt=lambda v: f"{v:.3g}", fontsize=SMALL, manual=[(x, x) for x in away])
    e1, e2 = state.along()
    uniform = np.array([0.0, 0.0, state.required / state.gradient[2]]) - state.computed
    at = float(uniform @ e1), float(uniform @ e2)
    ax.plot(0.0, 0.0, "o", color=style.VERMILLION, markersize=5, zorder=4)
    ax.plot(*at, "s", markerfacecolor="white", color=style.BLACK, markersize=4, zorder=4)
    ax.set(aspect="equal", xlabel="across the motion $s_1$ [m/s²]")
    ax.set_ylabel("in its vertical plane $s_2$ [m/s²]")
    up = 1.0 if at[1] > 0 else -1.0
    computed = f"computed $r^*$: smallest $Z$ = {low:.3g} {UNIT}"
    _pointed(ax, computed, (0.0, 0.0), -0.9 * up * s[-1], style.VERMILLION)
    _pointed(ax, "no acceleration, $r = -f$", at, 0.9 * up * s[-1], style.BLACK)


def _pointed(ax: Axes, text: str, at: tuple[float, float], height: float, colour: str) -> None:
    """Write at some height, with a thin line to what is meant."""
    look: dict[str, Any] = {"fontsize": SMALL, "ha": "center", "va": "center", "color": colour}
    arrow: dict[str, Any] = {"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkB": 3}
    ax.annotate(text, at, xytext=(0.0, height), arrowprops=arrow, **look)


def _cut(ax: Axes, state: State, paths: xr.Dataset) -> None:
    """Draw the vertical plane of the motion: admissible deviations, the smallest one, forces."""
    ahead = np.array([state.velocity[0], state.velocity[1], 0.0])
    ahead = ahead / np.linalg.norm(ahead)

    def flat(vector: Array) -> Array:
        return np.array([vector @ ahead, vector[2]])

    r, e = flat(state.computed), flat(state.along()[1])
    length = float(np.linalg.norm(r))
    f = np.array([0.0, -state.required / state.gradient[2]])
    speed = flat(state.velocity) / np.linalg.norm(state.velocity) * 0.75 * length
    start = length * np.array([1.35, -0.6])  # apart: it is no acceleration
    ends = np.array([r - 4 * length * e, r + 4 * length * e])
    ax.plot(*ends.T, color=style.BLACK, linewidth=1.0, zorder=1)
    angle = np.linspace(0.0, 2 * np.pi, 361)
    ax.plot(*(length * np.array([np.cos(angle), np.sin(angle)])), color=style.GREY, linewidth=0.8)
    zero = np.zeros(2)
    arrows = (
        (zero, r, style.VERMILLION, r"$r^* = \Lambda b_2/m$"),
        (zero, f, style.GREY, "$f$ (gravity)"),
        (zero, f + r, style.BLUE, "$f + r^*$"),
        (start, start + speed, style.BLACK, "direction of the velocity"),
    )
    for tail, head, colour, _ in arrows:
        look: dict[str, Any] = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.6}
        look |= {"shrinkA": 0, "shrinkB": 0, "mutation_scale": 9}
        ax.annotate("", (head[0], head[1]), xytext=(tail[0], tail[1]), arrowprops=look, zorder=3)
    ax.set(xlim=(-2.6 * length, 2.6 * length), ylim=(-1.5 * length, 1.5 * length), aspect="equal")
    ax.set(xlabel="along the ground velocity [m/s²]", ylabel="upward [m/s²]")
    far = r + (1.0 if r[0] > 0 else -1.0) * np.sign(e[0]) * 1.3 * length * e
    notes = [(head, text, colour) for _, head, colour, text in arrows]
    notes += [(length * np.array([-0.71, -0.71]), r"$Z = Z_\mathrm{min}$", style.GREY)]
    notes += [(far, "admissible $r$", style.BLACK)]
    notes += [(np.array([-2.6, -1.5]) * length, text, style.BLACK) for text in _ending(paths)]
    _notes(ax, notes, [(tail, head) for tail, head, *_ in arrows])


def _notes(
    ax: Axes,
    notes: list[tuple[Array, str, str]],
    arrows: list[tuple[Array, Array]],
) -> None:
    """Write texts near their points, where nothing is drawn."""
    _place.settle(ax)
    frame = ax.get_window_extent()
    points = [_place.pixels(ax, *line.get_data()) for line in ax.lines]
    points += [_place.pixels(ax, *np.array(arrow).T) for arrow in arrows]
    blocked = np.unique(np.round(np.concatenate(points) / 3.0), axis=0) * 3.0
    inside = (blocked > [frame.x0, frame.y0]) & (blocked < [frame.x1, frame.y1])
    blocked = blocked[inside.all(axis=1)]
    for point, text, colour in notes:
        near = ax.transData.transform(point)
        blocked = np.concatenate([blocked, _place.free(ax, text, near, blocked, SMALL)])
        ax.texts[-1].set_color(colour)


def _relation(state: State) -> str:
    """Which way the force of the constraint points, in words."""
    power = float(state.computed[:2] @ state.velocity[:2])
    moves = "falling" if state.velocity[2] < 0 else "rising"
    return f"{moves}: force {'along' if power > 0 else 'against'} the ground velocity"


def _ending(paths: xr.Dataset) -> list[str]:
    """Where the run ended early, in words."""
    status = int(paths["status"][0])
    if status in (0, 1) or "time_reached" not in paths:
        return []
    last = float(paths["time_reached"][0])
    why = style.meaning(paths["status"], status)
    return [f"run ends at the apex,\n$t$ = {last:.3g} s ({why})"]
