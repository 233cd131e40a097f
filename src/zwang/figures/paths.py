"""Paths of the car from above, with its outline at equal times; several cases over each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from numpy.typing import NDArray

from zwang.figures import _car, _place, _runs, _timeline, style
from zwang.figures._car import Pose
from zwang.figures.results import Results
from zwang.units import to_si

Array = NDArray[np.float64]
NEEDS = ("trajectories",)
OPTIONS = ("trajectory", "interval", "lengths")
SMALL = 7  # pt, labels inside a panel
MARGIN = 16.0  # mm beside the panels
TITLE, FOOT = 6.5, 19.0  # mm above each panel, below the last
TALLEST = 150.0  # mm, all panels together
# line of the path and face of the car, case by case; lines differ in grey too
LOOKS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"color": style.GREY, "linestyle": (0, (4, 1.6)), "linewidth": 0.9}, "none"),
    ({"color": style.BLACK, "linestyle": "-", "linewidth": 0.9}, "0.93"),
    ({"color": style.GREEN, "linestyle": (0, (6, 1.2, 1, 1.2)), "linewidth": 1.0}, "#E3F3EE"),
    ({"color": style.PURPLE, "linestyle": (0, (1, 1)), "linewidth": 1.2}, "#F8EBF2"),
)
# band under the path where a contact slides, contact by contact: the first on top, narrow
BANDS = ((style.BLUE, 2.2), (style.ORANGE, 4.6), (style.YELLOW, 7.0))
SHORT = 0.008  # of the width of a panel; a shorter band is a mark


@dataclass(frozen=True)
class Path:
    """One run in a panel: its words, where it goes, and how it is drawn."""

    title: str
    run: xr.Dataset
    lengths: tuple[float, float]
    look: Mapping[str, Any]
    face: str

    @property
    def t(self) -> Array:
        """The times of the samples."""
        return np.asarray(self.run["t"].values, dtype=float)

    def pose(self, time: float) -> Pose:
        """Where the car is at a time."""
        x, y, phi, theta = (
            float(np.interp(time, self.t, self.run[n].values)) for n in ("x", "y", "phi", "theta")
        )
        return Pose(x, y, phi, theta, *self.lengths)

    def piece(self, start: float, end: float) -> Array:
        """The path of C between two times (2, point)."""
        inside = self.t[(self.t > start) & (self.t < end)]
        when = np.concatenate([[start], inside, [end]])
        return np.stack([np.interp(when, self.t, self.run[n].values) for n in ("x", "y")])

    def box(self) -> Array:
        """Lowest and highest x and y the car may cover (2, 2)."""
        points = np.stack([self.run[n].values for n in ("x", "y")], axis=-1)
        reach = 1.05 * sum(self.lengths)
        return np.stack([np.nanmin(points, axis=0) - reach, np.nanmax(points, axis=0) + reach])


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """One panel per trajectory, as high as its paths at the common scale; wide unless they turn."""
    boxes = [_box(panel) for panel in _panels(data, options)]
    across = max(np.ptp(box[:, 0]) for box in boxes)
    ups = [float(np.ptp(box[:, 1])) for box in boxes]
    width = style.PAGE if across > 1.2 * max(ups) else style.COLUMN
    scale = min((width - MARGIN) / across, TALLEST / sum(ups))
    height = FOOT + TITLE * len(ups) + scale * sum(ups)
    ratios = {"height_ratios": ups}
    return style.Layout(rows=len(ups), height=height, width=width, ratios=ratios, sharex="none")


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw the paths of C, bands where contacts slide, cars at equal times, and labels."""
    panels = _panels(data, options)
    interval = _interval(options, panels)
    across = max(float(np.ptp(_box(panel)[:, 0])) for panel in panels)
    for ax, panel in zip(axes, panels, strict=True):
        box = _box(panel)
        ax.set_aspect("equal")
        ax.set(xlim=(box[0, 0], box[0, 0] + across), ylim=tuple(box[:, 1]))
        ax.set_ylabel(_axis(panel[0].run, "y"))
        for order, path in enumerate(panel):
            _draw_path(ax, path, interval, 2.0 + order)
        ax.set_title(style.lines(_runs.words(panel[-1].run), width=90), loc="left")
    axes[-1].set_xlabel(_axis(panels[-1][0].run, "x"))
    figure = axes[0].get_figure(root=True)
    assert figure is not None
    handles = _handles(panels)
    if handles:
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))

    _place.settle(axes[0])
    for ax, panel in zip(axes, panels, strict=True):
        _labels(ax, panel, interval)


def _panels(data: Results, options: Mapping[str, Any]) -> list[list[Path]]:
    """The runs of every panel: a trajectory of the first case, and what matches it in others."""
    first = data.cases[0]
    paths = data.get("trajectories", ("t", "x", "y", "phi", "theta"), first)
    found = []
    for number in _runs.numbers(paths, {"trajectory": 0, **options}):
        run = _runs.run_of(paths, number)
        others = [_runs.matched(data, run, case) for case in data.cases[1:]]
        found.append(
            [
                Path(data.title(case), one, _car.lengths(one, options), *LOOKS[k % len(LOOKS)])
                for k, (case, one) in enumerate(zip(data.cases, [run, *others], strict=True))
            ]
        )
    if len(data.cases) == 1:  # nothing to compare with: no dashed line
        found = [[Path(p.title, p.run, p.lengths, *LOOKS[1]) for p in panel] for panel in found]
    return found


def _box(panel: list[Path]) -> Array:
    """The window that holds every run of a panel (2, 2)."""
    boxes = np.stack([path.box() for path in panel])
    return np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])


def _interval(options: Mapping[str, Any], panels: list[list[Path]]) -> float:
    """Time between two outlines, in s: as asked, else an eighth of the longest run."""
    if options.get("interval") is None:
        return max(_runs.reached(path.run) for panel in panels for path in panel) / 8
    found = float(to_si(options["interval"])[0])
    if not found > 0.0:
        raise style.FigureError(f"interval: came {options['interval']!r}; expected a time > 0")
    return found


def _axis(run: xr.Dataset, name: str) -> str:
    return f"{style.symbol(run[name])} [{style.shown(run[name])[1]}]"


def _times(path: Path, interval: float) -> Array:
    """When the car is drawn: from the start on, as long as the run goes."""
    return np.arange(path.t[0], _runs.reached(path.run) + 1e-9, interval)


def _draw_path(ax: Axes, path: Path, interval: float, zorder: float) -> None:
    for k, phases in enumerate(_runs.phases(path.run).values()):
        for phase in phases:
            if phase.mode != _runs.HELD:
                _band(ax, path.piece(phase.start, phase.end), *BANDS[k % len(BANDS)], 1.9 - 0.1 * k)
    end = _runs.reached(path.run)
    ax.plot(*path.piece(path.t[0], end), **path.look, zorder=zorder + 0.5)
    colour = str(path.look["color"])
    for time in _times(path, interval):
        pose = path.pose(float(time))
        _car.fill(ax, pose, colour, path.face, 0.5, zorder=zorder - 1.8)
        screen = Polygon(pose.screen(), facecolor="white", edgecolor=colour, linewidth=0.4)
        ax.add_patch(screen).set_zorder(zorder - 1.8)
    if _runs.ending(path.run):
        _timeline.cross(ax, *path.pose(end).C)


def _band(ax: Axes, points: Array, colour: str, width: float, zorder: float) -> None:
    """A band along a piece of a path; a mark where the piece is too short to be seen."""
    length = float(np.hypot(*np.diff(points, axis=1)).sum())
    if length < SHORT * np.ptp(ax.get_xlim()):
        look: dict[str, Any] = {"marker": "D", "markersize": 3.6, "markeredgecolor": "white"}
        ax.plot(*points.mean(axis=1), **look, markeredgewidth=0.4, color=colour, zorder=6)
        return
    ax.plot(*points, color=colour, linewidth=width, solid_capstyle="butt", zorder=zorder)


def _handles(panels: list[list[Path]]) -> list[Artist]:
    """Legend entries of the bands that occur."""
    found = [_runs.phases(path.run) for panel in panels for path in panel]
    slid = [
        (contact, BANDS[k % len(BANDS)])
        for k, contact in enumerate(found[0])
        if any(phase.mode != _runs.HELD for parts in found for phase in parts.get(contact, []))
    ]
    return [
        Line2D([], [], color=colour, linewidth=width, label=f"{contact} slides")
        for contact, (colour, width) in slid
    ]


def _labels(ax: Axes, panel: list[Path], interval: float) -> None:
    """Write the times of the cars of the last run, then the names of all, where nothing is."""
    blocked = [_place.pixels(ax, *path.piece(path.t[0], _runs.reached(path.run))) for path in panel]
    for path in panel:
        for time in _times(path, interval):
            pose = path.pose(float(time))
            for part in (1.0, 0.65, 0.3):  # the car is not hollow
                outline = pose.C + part * (pose.body() - pose.C)
                blocked.append(_place.pixels(ax, *outline.T))
    for time in _times(panel[-1], interval):
        near = ax.transData.transform(panel[-1].pose(float(time)).C)
        text = f"{time:.3g}\N{NO-BREAK SPACE}s"
        blocked.append(_place.free(ax, text, near, np.concatenate(blocked), SMALL))
    if len(panel) == 1:
        return
    last = [path.pose(float(_times(path, interval)[-1])) for path in panel]
    middle = np.mean([pose.C for pose in last], axis=0)
    for path, pose in zip(panel, last, strict=True):
        away = (pose.C - middle) / max(float(np.hypot(*(pose.C - middle))), 1e-9)
        near = ax.transData.transform(pose.C + 0.7 * pose.base * away)
        why = _runs.ending(path.run)
        text = f"{path.title}\n(ended: {why})" if why else path.title
        blocked.append(_place.free(ax, text, near, np.concatenate(blocked), SMALL))
        ax.texts[-1].set_color(str(path.look["color"]))
