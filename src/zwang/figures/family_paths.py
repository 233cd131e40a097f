"""Paths of families as ρ goes to zero, with the limit that is predicted and the degenerate path."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from zwang.figures import _appell, _place, _runs, style
from zwang.figures.results import Results

Array = NDArray[np.float64]
NEEDS = ("trajectories",)
OPTIONS = ("at", "r", "panels")
SMALL = 6.5  # pt, names of the paths
SHADES = ("#8FBCE0", "#4E94CE", "#1F6BB0", "#0B3C6F")  # from large |ρ| to small
STYLES = ((0, (1, 1)), (0, (5, 1.5)), (0, (5, 1.2, 1, 1.2)), "-")
LIMIT: dict[str, Any] = {"color": style.VERMILLION, "linewidth": 3.0, "alpha": 0.45}
DEGENERATE: dict[str, Any] = {"color": style.BLACK, "linewidth": 0.9, "linestyle": (0, (3, 2))}
FLAT = 0.45  # height over width below which a path is stretched
FINE = 20001  # points of a predicted path
GAP = 10.0  # px between the end of a path and its name
ENDS = 4  # pt, mark at the end of a path


@dataclass(frozen=True)
class Panel:
    """One family: its runs, those that vary by what, and what it is called."""

    words: list[str]
    runs: list[xr.Dataset]
    vary: list[str]

    def label(self, run: xr.Dataset) -> str:
        """What tells a run from the others in the panel."""
        return ", ".join(_word(run, name) for name in self.vary)


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """Up to three panels beside each other."""
    count = len(_panels(data, options))
    columns = 3 if count > 4 else min(count, 2)
    rows = -(-count // columns)
    width = style.COLUMN if columns == 1 else style.PAGE
    height = 12.0 + rows * (58.0 if columns == 3 else 66.0)
    return style.Layout(rows=rows, columns=columns, height=height, width=width, sharex="none")


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw the paths of each family over the predicted limit and the degenerate path."""
    panels = _panels(data, options)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    for ax, panel, letter in zip(axes, panels, "abcdefghi", strict=False):
        for k, run in enumerate(panel.runs):
            look = _look(k, len(panel.runs))
            ax.plot(run["xi"].values, run["eta"].values, **look, zorder=4)
            ends = {"marker": "o", "markersize": ENDS, "markerfacecolor": "white"}
            ax.plot(run["xi"].values[-1:], run["eta"].values[-1:], **look | ends, zorder=5)
        ax.plot(0.0, 0.0, marker="x", markersize=4.5, color=style.BLACK, zorder=6)
        for run in panel.runs if "r" not in panel.vary else panel.runs[-1:]:
            _predicted(ax, run, "predicted", LIMIT)
        _predicted(ax, panel.runs[-1], "degenerate", DEGENERATE)
        ax.set_title(
            style.lines([f"({letter}) {panel.words[0]}", *panel.words[1:]], 30), loc="left"
        )
        ax.set_xlabel(rf"{style.symbol(panel.runs[0]['xi'])} [m]")
        ax.set_ylabel(rf"{style.symbol(panel.runs[0]['eta'])} [m]")
    _key(axes[0])
    _place.settle(axes[0])
    for ax, panel in zip(axes, panels, strict=False):
        _window(ax, panel)
        _names(ax, panel)


def _look(k: int, count: int) -> dict[str, Any]:
    """Line of the k-th run of so many: the last one dark and solid."""
    at = len(SHADES) - count + k
    return {"color": SHADES[at], "linestyle": STYLES[at], "linewidth": 1.1}


def _panels(data: Results, options: Mapping[str, Any]) -> list[Panel]:
    """The panels asked for; else one per case with the options of the figure."""
    asked = options.get("panels")
    if asked is None:
        return [_panel(data, {"case": case}, options) for case in data.cases]
    if not isinstance(asked, list) or not all(isinstance(p, Mapping) for p in asked) or not asked:
        raise style.FigureError(
            f"panels: came {asked!r}; expected a list like [{{case: heavy, at: {{side: 1}}}}]"
        )
    for panel in asked:
        if set(panel) - {"case", "at", "r"} or "case" not in panel:
            raise style.FigureError(
                f"panels: came {', '.join(map(str, panel))}; expected case, and perhaps at and r"
            )
    return [_panel(data, panel, options) for panel in asked]


def _panel(data: Results, asked: Mapping[str, Any], options: Mapping[str, Any]) -> Panel:
    case, at = str(asked["case"]), asked.get("at") or options.get("at") or {}
    paths = _appell.trajectories(data, case, ("xi", "eta"))
    found = _appell.members(paths, at)
    values = asked.get("r") or options.get("r")
    others = [n for n in _runs.axes(found[0]) if n != "r"]
    groups: dict[tuple[str, ...], list[xr.Dataset]] = {}
    for run in found:
        groups.setdefault(tuple(str(run[n].item()) for n in others), []).append(run)
    runs = [run for group in groups.values() for run in _appell.along_r(group, values)]
    if len(runs) > len(SHADES):
        raise style.FigureError(
            f"{case}: {len(runs)} paths in one panel; say with `at` which family and with `r` "
            f"which distances are drawn, at most {len(SHADES)}"
        )
    vary = [n for n in [*others, "r"] if len({str(run[n].item()) for run in runs}) > 1] or ["r"]
    fixed = [n for n in [*others, "r"] if n not in vary]
    return Panel([data.title(case), *(_word(runs[0], n) for n in fixed)], runs, vary)


def _word(run: xr.Dataset, name: str) -> str:
    """One value of a run in words; a distance in a unit that makes it short."""
    if name == "r":
        return rf"$|\rho|$ = {_appell.distance(float(run['r']))}"
    if name == "side":
        return rf"$\rho {'>' if float(run['side']) > 0.0 else '<'} 0$"
    return _runs.words(run.drop_vars([n for n in _runs.axes(run) if n != name]))[0]


def _predicted(ax: Axes, run: xr.Dataset, target: str, look: Mapping[str, Any]) -> None:
    """Draw the path the study predicts; nothing where it predicts none."""
    t = np.linspace(float(run["t"][0]), float(run["t"][-1]), FINE)
    motion = _appell.predicted(run, t, target)
    if {"phi", "theta"} <= set(motion):
        xi, eta = _appell.path(run, motion)
        line = ax.plot(xi[::20], eta[::20], **look, zorder=2 if target == "predicted" else 3)
        line[0].set_gid(target)


def _window(ax: Axes, panel: Panel) -> None:
    """The window around the computed paths; equal scales unless they are flat."""
    x, y = (np.concatenate([run[n].values for run in panel.runs]) for n in ("xi", "eta"))
    wide, high = float(np.ptp(x)), float(np.ptp(y)) or float(np.ptp(x))
    box = ax.get_window_extent()
    left, right = float(x.min()) - 0.08 * wide, float(x.max()) + 0.08 * wide
    if _beside(panel):
        label = max(_place.size(ax, panel.label(run), SMALL)[0] for run in panel.runs)
        right = x.max() + (x.max() - left) * (label + GAP) / (box.width - label - GAP)
    low, top = float(y.min()) - 0.14 * high, float(y.max()) + 0.25 * high
    if high >= FLAT * wide:
        scale = max((right - left) / box.width, (top - low) / box.height)
        left, right = 0.5 * (left + right) + scale * box.width * np.array([-0.5, 0.5])
        low, top = 0.5 * (low + top) + scale * box.height * np.array([-0.5, 0.5])
        ax.set_aspect("equal")
    ax.set(xlim=(left, right), ylim=(low, top))


def _beside(panel: Panel) -> bool:
    """Whether all paths end at the right, so that their names stand in a column there."""
    x = np.concatenate([run["xi"].values for run in panel.runs])
    ends = [float(run["xi"][-1]) for run in panel.runs]
    return min(ends) > x.max() - 0.15 * np.ptp(x)


def _stretched(ax: Axes) -> str:
    """How much larger η is drawn than ξ, in words; empty where it is not."""
    box = ax.get_window_extent()
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    ratio = (box.height / (y1 - y0)) / (box.width / (x1 - x0))
    return rf"$\eta$ drawn {ratio:.2g} times larger" if abs(ratio - 1.0) > 0.05 else ""


def _names(ax: Axes, panel: Panel) -> None:
    """Write at the end of each path which run it is, where nothing is covered."""
    lines = [line for line in ax.lines if len(np.asarray(line.get_xydata())) > 2]
    blocked = np.concatenate([_place.pixels(ax, *line.get_data()) for line in lines])
    frame = ax.get_window_extent()
    inside = (blocked >= [frame.x0, frame.y0]) & (blocked <= [frame.x1, frame.y1])
    blocked = blocked[inside.all(axis=1)]
    said = _stretched(ax)
    if said:
        width, height = _place.size(ax, said, SMALL)
        near = np.array([frame.x0 + width / 2, frame.y1 - height / 2])
        blocked = np.concatenate([blocked, _place.free(ax, said, near, blocked, SMALL)])
    if _beside(panel):
        _column(ax, panel)
    else:
        _ends(ax, panel, blocked)


def _ends(ax: Axes, panel: Panel, blocked: Array) -> None:
    """The names of the runs near their ends, with a thin line where they stand apart."""
    for k, run in enumerate(panel.runs):
        near = _end(ax, run)
        box = _place.free(ax, panel.label(run), near, blocked, SMALL)
        blocked = np.concatenate([blocked, box])
        ax.texts[-1].set_color(_ink(k, panel))
        edge = np.clip(near, box.min(axis=0), box.max(axis=0))
        _leader(ax, edge, near, k, panel)


def _column(ax: Axes, panel: Panel) -> None:
    """The names of the runs in a column to the right of their ends, in the order of the ends."""
    ends = [_end(ax, run) for run in panel.runs]
    order = sorted(range(len(ends)), key=lambda k: float(ends[k][1]))
    gap = max(_place.size(ax, panel.label(run), SMALL)[1] for run in panel.runs)
    frame = ax.get_window_extent()
    levels = _apart([float(ends[k][1]) for k in order], 0.9 * gap, frame.y0 + gap)
    edge = max(float(end[0]) for end in ends) + GAP
    for k, level in zip(order, levels, strict=True):
        at = np.array([edge, level])
        x, y = ax.transData.inverted().transform(at)
        look: dict[str, Any] = {"fontsize": SMALL, "ha": "left", "va": "center"}
        text = ax.text(x, y, panel.label(panel.runs[k]), color=_ink(k, panel), **look)
        text.set_in_layout(False)
        _leader(ax, at - [1.0, 0.0], ends[k], k, panel)


def _apart(levels: list[float], gap: float, lowest: float) -> list[float]:
    """Increasing heights moved as little as needed to be `gap` apart and not below the lowest."""
    spread = list(levels)
    for _ in range(200):
        spread[0] = max(spread[0], lowest)
        for k in range(len(spread) - 1):
            missing = gap - (spread[k + 1] - spread[k])
            if missing > 0.0:
                spread[k] -= missing / 2
                spread[k + 1] += missing / 2
    return spread


def _end(ax: Axes, run: xr.Dataset) -> Array:
    """Where a path ends, in pixels."""
    end = float(run["xi"][-1]), float(run["eta"][-1])
    return np.asarray(ax.transData.transform(end), dtype=float)


def _ink(k: int, panel: Panel) -> Any:  # noqa: ANN401 - a colour
    """The colour of the words of a run: that of its line, dark enough to read."""
    colour = _look(k, len(panel.runs))["color"]
    return colour if k == len(panel.runs) - 1 else _runs.shade(colour)


def _leader(ax: Axes, edge: Array, end: Array, k: int, panel: Panel) -> None:
    """A thin line from a name to the end of its path, where they are apart."""
    if np.hypot(*(edge - end)) > 6.0:
        line = ax.transData.inverted().transform(np.array([edge, end]))
        ax.plot(*line.T, color=_ink(k, panel), linewidth=0.4, zorder=3.5, gid="leader")


def _key(ax: Axes) -> None:
    """What the lines are, above all panels."""
    figure = ax.get_figure(root=True)
    assert isinstance(figure, Figure)
    handles: Sequence[Any] = [
        Line2D([], [], marker="x", markersize=4.5, color=style.BLACK, linestyle="none"),
        Line2D([], [], color=SHADES[-1], linewidth=1.1, marker="o", mfc="white", markersize=ENDS),
        Line2D([], [], **LIMIT),
        Line2D([], [], **DEGENERATE),
    ]
    words = ["start", "computed, to its end", r"predicted for $\rho \to 0$", "degenerate motion"]
    figure.legend(handles, words, loc="outside upper left", ncols=4, columnspacing=1.6)
