"""Phase portrait of Appell and Hamel's disk: computed points on the exact curves (p, Ω)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import NDArray

from zwang.figures import _appell, style
from zwang.figures._appell import Disk
from zwang.figures.results import Results

Array = NDArray[np.float64]
NEEDS = ("trajectories",)
OPTIONS = ("interval",)
MARKS = ((style.BLUE, "o"), (style.VERMILLION, "s"), (style.GREEN, "^"), (style.PURPLE, "D"))
WORDS = {
    -1: r"$\rho\Gamma < 0$: every motion is periodic",
    1: r"$\rho\Gamma > 0$: the turning dies out, $\Omega \to 0$",
}
FINE = 801  # points of an exact curve
WIDEST = 1.15  # of the largest |p| and Ω drawn


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """One panel per sign of ρ."""
    sides = _sides(data)
    width = style.PAGE if len(sides) > 1 else style.COLUMN
    return style.Layout(
        rows=1, columns=len(sides), height=76.0, width=width, sharex="none", sharey="all"
    )


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw exact curves thin, computed points at equal times on them, arrows along time."""
    sides = _sides(data)
    every = _interval(data, options)
    highest = max(float(run["theta_dot"].max()) for runs in sides.values() for run in runs)
    for ax, (sign, runs), letter in zip(axes, sides.items(), "ab", strict=False):
        widest = WIDEST * _widest(sides, sign)
        for k, run in enumerate(sorted(runs, key=lambda r: float(r["theta_dot"][0]))):
            _curve(ax, run, widest)
            _points(ax, run, every, MARKS[k % len(MARKS)], widest)
        ax.set_xlim(-widest, widest)
        ax.set_title(f"({letter}) {WORDS[sign]}", loc="left")
        ax.set_xlabel(r"rolling rate $p = \dot{\varphi}$ [rad/s]")
        ax.axvline(0.0, color="0.75", linewidth=0.5, zorder=0)
    step = every * float(data.get("trajectories")["t"].diff("t")[0]) * 1e3
    steady = [_centre(axes[0], sides[-1][0])] if -1 in sides else []
    style.heading(axes[0], [f"lines: exact, marks: computed every {step:.3g} ms", *steady])
    axes[0].set_ylim(0.0, 1.06 * highest)
    axes[0].set_ylabel(r"turning rate $\Omega = \dot{\theta}$ [rad/s]")


def _sides(data: Results) -> dict[int, list[xr.Dataset]]:
    """The trajectories by the sign of ρΓ, the centre first."""
    paths = data.get("trajectories", ("t", "phi_dot", "theta_dot"))
    found: dict[int, list[xr.Dataset]] = {-1: [], 1: []}
    for number in range(paths.sizes["trajectory"]):
        run = paths.isel(trajectory=number)
        disk = Disk.of(_appell.numbers(run))
        if disk.k * disk.Gamma == 0.0 or float(run["theta_dot"][0]) <= 0.0:
            raise style.FigureError(
                f"trajectory {number} has ρΓ = {disk.k * disk.Gamma:.3g} and starts with the "
                f"turning rate {float(run['theta_dot'][0]):.3g}; the portrait needs ρΓ ≠ 0 and "
                "turning rates above zero"
            )
        found[1 if disk.k * disk.Gamma > 0.0 else -1].append(run)
    return {sign: runs for sign, runs in found.items() if runs}


def _interval(data: Results, options: Mapping[str, Any]) -> int:
    """How many outputs apart the computed points are drawn."""
    step = float(data.get("trajectories")["t"].diff("t")[0])
    asked = style.numbers([options.get("interval", "30 ms")], "interval")[0]
    if asked < step * (1.0 - 1e-9):
        raise style.FigureError(
            f"interval: came {asked:g} s; the trajectories have a point every {step:g} s"
        )
    return max(1, round(asked / step))


def _widest(sides: Mapping[int, list[xr.Dataset]], sign: int) -> float:
    """The largest |p| to be seen: of open curves twice as much as of closed ones."""
    closed = [float(np.abs(run["phi_dot"]).max()) for run in sides.get(-1, [])]
    own = [float(np.abs(run["phi_dot"]).max()) for run in sides[sign]]
    return max(own) if sign < 0 or not closed else min(max(own), 2.0 * max(closed))


def exact(disk: Disk, p: float, turning: float, widest: float) -> tuple[Array, Array]:
    """Points p ≥ 0 and Ω on A p² + B Ω² + (2ΓB/k) ln Ω = const through a state."""
    level = disk.A * p**2 + _height(disk, np.array(turning))
    low, high = np.log(turning) - 60.0, np.log(turning) + 6.0
    logs = _around(np.linspace(low, high, 20001), disk)
    square = (level - _height(disk, np.exp(logs))) / disk.A
    inside = (square >= 0.0) & (square <= (1.5 * widest) ** 2)
    ends = _ends(disk, float(level), logs, square)
    found = np.concatenate([logs[inside], np.log(ends)])
    # closer together at the ends, where p goes like a root
    share = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, FINE))
    omega = np.exp(found.min() + share * np.ptp(found))
    square = (level - _height(disk, omega)) / disk.A
    return np.sqrt(square.clip(0.0)), omega


def _around(logs: Array, disk: Disk) -> Array:
    """The same points, and the steady turning rate among them where there is one."""
    steady = -disk.Gamma / disk.k
    return np.sort(np.append(logs, 0.5 * np.log(steady))) if steady > 0.0 else logs


def _height(disk: Disk, omega: Array) -> Array:
    """B Ω² + (2ΓB/k) ln Ω."""
    return np.asarray(disk.B * omega**2 + 2 * disk.Gamma * disk.B / disk.k * np.log(omega))


def _ends(disk: Disk, level: float, logs: Array, square: Array) -> Array:
    """The turning rates at which p = 0: a bisection in every interval where p² changes sign."""
    found = []
    for k in np.flatnonzero((square[1:] >= 0.0) != (square[:-1] >= 0.0)):
        one, other = (logs[k], logs[k + 1]) if square[k] >= 0.0 else (logs[k + 1], logs[k])
        for _ in range(60):
            middle = 0.5 * (one + other)
            held = level >= float(_height(disk, np.exp(middle)))
            one, other = (middle, other) if held else (one, middle)
        found.append(np.exp(one))
    return np.array(found)


def _curve(ax: Axes, run: xr.Dataset, widest: float) -> None:
    """Draw the exact curve of a run on both sides of p = 0, with arrows along time."""
    disk = Disk.of(_appell.numbers(run))
    p, omega = exact(disk, float(run["phi_dot"][0]), float(run["theta_dot"][0]), widest)
    look: dict[str, Any] = {"color": "0.35", "linewidth": 0.6, "zorder": 2}
    for sign in (1.0, -1.0):
        ax.plot(sign * p, omega, **look, gid="exact")
    if p.max() < 0.25 * widest:
        return
    seen = np.flatnonzero(p < 0.93 * widest)
    k = seen[np.argmax(p[seen])] if disk.k < 0.0 else seen[np.argmin(np.abs(p[seen] - widest / 2))]
    for sign in (1.0, -1.0) if disk.k < 0.0 else (-1.0,):
        _arrow(ax, sign * p[k], omega[k], disk)


def _arrow(ax: Axes, p: float, omega: float, disk: Disk) -> None:
    """An arrowhead along the motion at a state."""
    rate = np.array([(disk.k * omega**2 + disk.Gamma) / disk.A, -disk.k * p * omega / disk.B])
    step = 1e-3 * rate / max(np.abs(rate).max(), 1e-300)
    ax.annotate(
        "",
        (p + step[0], omega + step[1]),
        xytext=(p - step[0], omega - step[1]),
        arrowprops={"arrowstyle": "-|>", "color": "0.35", "linewidth": 0.6, "mutation_scale": 9},
        zorder=5,
    )


def _points(ax: Axes, run: xr.Dataset, every: int, look: tuple[str, str], widest: float) -> None:
    """Draw the computed points of the first lap inside the window."""
    p, omega = (np.asarray(run[name].values) for name in ("phi_dot", "theta_dot"))
    lap = slice(0, _lap(p), every)
    seen = np.abs(p[lap]) <= widest
    marks: dict[str, Any] = {"color": look[0], "marker": look[1], "linestyle": "none"}
    ax.plot(p[lap][seen], omega[lap][seen], **marks, markersize=2.2, zorder=4, gid="computed")


def _lap(p: Array) -> int:
    """The number of points until p has changed its sign twice; all where it does not."""
    changes = np.flatnonzero(np.signbit(p[2:]) != np.signbit(p[1:-1])) + 2
    return int(changes[1]) if len(changes) > 1 and np.abs(p).max() > 1e-9 else len(p)


def _centre(ax: Axes, run: xr.Dataset) -> str:
    """Mark the steady pivoting p = 0, Ω² = −Γ/k; what it is, in words."""
    disk = Disk.of(_appell.numbers(run))
    omega = float(np.sqrt(-disk.Gamma / disk.k))
    ax.plot(0.0, omega, marker="+", markersize=9, color=style.BLACK, zorder=6, gid="centre")
    steady = rf"$\Omega_\mathrm{{c}} = \sqrt{{gb/(a|\rho|)}}$ = {omega:.3g} rad/s"
    return f"+: steady pivoting, {steady}"
