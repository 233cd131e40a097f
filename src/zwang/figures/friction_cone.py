"""Friction that a bounce needs: utilisation and load in time, hodograph, critical μ by distance."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import NDArray

from zwang.figures import _place, style
from zwang.figures.results import Results

Array = NDArray[np.float64]
NEEDS = ("thresholds", "trajectories")
OPTIONS = ("contact",)
SMALL = 6.5  # pt
REACTIONS = ("reaction_longitudinal", "reaction_lateral")
BY = ("family", "share", "heavy")  # axes that tell the curves apart
COLOURS = (style.BLACK, style.BLUE, style.VERMILLION, style.GREEN, style.PURPLE, style.GREY)
MARKERS = "osD^vP"
REFERENCE: dict[str, Any] = {"color": style.GREY, "linewidth": 0.8, "zorder": 1}
LETTERS = "abcd"
PASSABLE = "passable"  # mark of lines that a label may cover
RING = 0.0  # angle where the circles are labelled


@dataclass(frozen=True)
class Curve:
    """How one combination of family, rolling inertia and mass is drawn and called."""

    colour: str
    marker: str
    rolling: bool  # with rolling inertia: dashed, open markers
    text: str

    def look(self) -> dict[str, Any]:
        """Keywords of a line."""
        return {"color": self.colour, "linestyle": (0, (4, 1.6)) if self.rolling else "-"}


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """Two by two panels."""
    return style.Layout(2, 138.0, 2, style.PAGE, sharex="none")


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw utilisation and load of the trajectories, their hodograph, and the critical μ."""
    paths = data.get("trajectories", ("utilisation", "normal_load", *REACTIONS, *BY))
    known = data.get("thresholds", ("critical_mu", "rho", *BY))
    paths, known = _contact(paths, options), _contact(known, options)
    curves = _curves(known)
    least = _value(known, "b") / _value(known, "a")
    said = [
        _over_time(axes[0], paths, "utilisation", curves),
        _hodograph(axes[1], paths, curves),
        _over_time(axes[2], paths, "normal_load", curves),
        _critical(axes[3], known, curves, least),
    ]
    axes[0].set_ylabel(r"utilisation $\sqrt{X^2 + Y^2}/N$")
    axes[0].axhline(least, **REFERENCE, linestyle=":")
    said[0].append(("$b/a$", style.GREY, float(paths["t"][-1]), least))
    load = paths["normal_load"]
    axes[2].set_ylabel(f"load {style.symbol(load)} [{style.shown(load)[1]}]")
    titles = ("utilisation", "reaction over load", "load", "critical friction coefficient")
    for ax, letter, title in zip(axes, LETTERS, titles, strict=True):
        ax.set_title(f"({letter}) {title}", loc="left")
    away = ", ".join(f"{r:g}" for r in dict.fromkeys(np.abs(paths["rho"].values).tolist()))
    style.heading(axes[0], [rf"$J = J_1|\rho|^q$; in (a) to (c) $|\rho|$ = {away} m"])
    _place.settle(axes[0])
    for ax, labels in zip(axes, said, strict=True):
        _labels(ax, labels)


Label = tuple[str, str, float, float]  # text, colour, point


def _contact(dataset: xr.Dataset, options: Mapping[str, Any]) -> xr.Dataset:
    """The dataset at the contact asked for, else the only one."""
    names = [str(name) for name in dataset["contact"].values]
    if options.get("contact") is None and len(names) > 1:
        raise style.FigureError(f"contact: say which of {', '.join(names)} is drawn")
    return style.chosen(dataset, {"contact": options.get("contact", names[0])})


def _value(dataset: xr.Dataset, name: str) -> float:
    """A fixed value of the study."""
    values = json.loads(str(dataset.attrs.get("values", "{}")))
    if name not in values:
        raise style.FigureError(
            f"the results do not hold the fixed value {name}; make them again with this version, "
            f"or take {name} out of the grid"
        )
    return float(values[name])


def _curves(known: xr.Dataset) -> dict[tuple[str, float, float], Curve]:
    """Look and name of every combination; colour by family and mass, dashes by rolling inertia."""
    titles = known.get("family_title", known["family"]).values
    found = {}
    kinds = [(f, h) for h in range(known.sizes["heavy"]) for f in range(known.sizes["family"])]
    for k, (f, h) in enumerate(kinds):
        for share in known["share"].values:
            heavy = float(known["heavy"][h])
            values = {"share": float(share), "heavy": heavy}
            parts = [str(titles[f])]
            parts += [f"{style.symbol(known[n])} = {v:g}" for n, v in values.items() if v]
            key = str(known["family"].values[f]), float(share), heavy
            looks = COLOURS[k % len(COLOURS)], MARKERS[k % len(MARKERS)]
            found[key] = Curve(*looks, bool(share), ", ".join(parts))
    return found


def _keys(paths: xr.Dataset, curves: Mapping[tuple[str, float, float], Curve]) -> list[Curve]:
    """The curve of each trajectory."""
    rows = zip(*(paths[name].values for name in BY), strict=True)
    keys = [(str(family), float(share), float(heavy)) for family, share, heavy in rows]
    missing = [str(key) for key in keys if key not in curves]
    if missing:
        raise style.FigureError(f"trajectory {missing[0]} is no point of the grid of thresholds")
    return [curves[key] for key in keys]


def _over_time(
    ax: Axes, paths: xr.Dataset, name: str, curves: Mapping[tuple[str, float, float], Curve]
) -> list[Label]:
    """Draw a quantity over time; a label at the top of each curve."""
    t, labels = np.asarray(paths["t"].values), []
    for k, curve in enumerate(_keys(paths, curves)):
        values = np.asarray(paths[name].isel(trajectory=k).values, dtype=float)
        ax.plot(t, values, **curve.look())
        tops = np.flatnonzero(values >= 0.99 * np.nanmax(values))
        tops = tops[[0, 0] if np.ptp(values) < 1e-6 else [0, -1]]
        labels.append((curve, t[tops], values[tops]))
    low, high = ax.get_ylim()
    ax.set(xlim=(t[0], t[-1]), ylim=(min(low, 0.0), high + 0.2 * (high - low)))
    ax.set_xlabel(style.label(paths["t"]))
    latest = max(float(times[-1]) for _, times, _ in labels)
    ends = [-1 if times[-1] == latest else 0 for _, times, _ in labels]  # the last peak, else first
    return [
        (curve.text, curve.colour, float(times[end]), float(values[end]))
        for end, (curve, times, values) in zip(ends, labels, strict=True)
    ]


def _hodograph(
    ax: Axes, paths: xr.Dataset, curves: Mapping[tuple[str, float, float], Curve]
) -> list[Label]:
    """Draw the reaction over the load in the plane, with circles of constant μ."""
    labels, reach, sideways = [], 0.0, 0
    for k, curve in enumerate(_keys(paths, curves)):
        one = paths.isel(trajectory=k)
        x, y = (np.asarray((one[name] / one["normal_load"]).values, float) for name in REACTIONS)
        ax.plot(y, x, **curve.look(), zorder=3)
        away = np.hypot(x, y)
        if np.ptp(away) < 1e-6:
            ax.plot(y[:1], x[:1], color=curve.colour, marker=curve.marker, markersize=4, zorder=4)
        far = int(np.nanargmax(away))
        if np.ptp(y) > 1e-6:  # curves that go to both sides are named at one and the other in turn
            far = int(np.nanargmin(y) if sideways % 2 else np.nanargmax(y))
            sideways += 1
        reach = max(reach, float(np.nanmax(away)))
        labels.append((curve.text, curve.colour, float(y[far]), float(x[far])))
    _rings(ax, reach)
    ax.set(ylabel="longitudinal $X/N$", xlabel="lateral $Y/N$")
    return labels


def _rings(ax: Axes, reach: float) -> None:
    """Draw circles of constant μ around the origin, and frame what lies on the side in use."""
    step, angle = _step(reach), np.linspace(0.0, 2 * np.pi, 721)
    rings = np.arange(1, int(np.ceil(reach / step)) + 1) * step
    for mu in rings:
        ax.plot(mu * np.cos(angle), mu * np.sin(angle), **REFERENCE, gid=PASSABLE)
        at = mu * np.cos(RING), mu * np.sin(RING)
        look: dict[str, Any] = {"fontsize": SMALL, "ha": "center", "va": "center"}
        text = rf"$\mu$ = {mu:g}" if mu == rings[0] else f"{mu:g}"
        ax.text(*at, text, color=style.GREY, bbox={**_place.BACK, "alpha": 1.0}, **look)
    edge = 1.06 * rings[-1]
    low = min(float(np.nanmin(line.get_ydata())) for line in ax.lines[: -len(rings)])
    ax.set(xlim=(-edge, edge), ylim=(min(-0.12 * edge, 1.2 * low), edge), aspect="equal")


def _step(reach: float) -> float:
    """A round distance of three or four circles within reach."""
    power = 10.0 ** np.floor(np.log10(reach / 3))
    return float(power * max(s for s in (1, 2, 5) if s * power <= reach / 3))


def _critical(
    ax: Axes,
    known: xr.Dataset,
    curves: Mapping[tuple[str, float, float], Curve],
    least: float,
) -> list[Label]:
    """Draw the critical μ of every combination over the distance, with what theory says of it."""
    r, ends = np.abs(np.asarray(known["rho"].values, dtype=float)), []
    order = np.argsort(r)
    for (family, share, heavy), curve in curves.items():
        one = style.chosen(known, {"family": family, "share": share, "heavy": heavy})
        mu = np.asarray(one["critical_mu"].values, dtype=float)
        fill = "white" if curve.rolling else curve.colour
        marks: dict[str, Any] = {"marker": curve.marker, "markersize": 3.2, "markerfacecolor": fill}
        ax.plot(r[order], mu[order], **curve.look(), **marks, linewidth=1.0, zorder=3)
        if not curve.rolling or heavy == 0.0 == float(known["J_1"].sel(family=family)):
            ends.append((curve.text, curve.colour, float(r[order][0]), float(mu[order][0])))
    ax.set(xscale="log", yscale="log", xlabel=r"distance $|\rho|$ [m]")
    ax.set_ylabel(style.symbol(known["critical_mu"]))
    labels = _bounds(ax, known, least, r)
    _ticks(ax)
    _names(ax, ends, r)
    return labels


def _names(ax: Axes, ends: Sequence[Label], r: Array) -> None:
    """Name the curves at their left ends, with room for it."""
    _place.settle(ax)
    width = max(_place.size(ax, text, SMALL)[0] for text, *_ in ends) + 10.0
    share = width / ax.get_window_extent().width
    high = r.max() * 1.15
    ax.set_xlim(high * (r.min() / high) ** (1.0 / (1.0 - share)), high)
    for text, colour, x, y in ends:
        look: dict[str, Any] = {"fontsize": SMALL, "ha": "right", "va": "center", "color": colour}
        look |= {"bbox": {**_place.BACK, "alpha": 1.0}, "zorder": 2}
        shift: dict[str, Any] = {"xytext": (-5, 0), "textcoords": "offset points"}
        ax.annotate(text, (x, y), **shift, **look).set_in_layout(False)


def _bounds(ax: Axes, known: xr.Dataset, least: float, r: Array) -> list[Label]:
    """Draw b/a, the bound with rolling inertia, and the slope -1/2; their names."""
    labels = []
    for share in map(float, known["share"].values):
        bound = least * (1 + share)
        ax.axhline(bound, **REFERENCE, linestyle=":")
        text = "$(b/a)(1 + C/(mb^2))$" if share else "$b/a$"
        labels.append((text, style.GREY, float(r.min()) * 9.0, bound))
        if share:
            words = f"open: {style.symbol(known['share'])} = {share:g}"
            labels.append((words, style.BLACK, float(r.max()), 100.0))
    top = float(np.nanmax(known["critical_mu"].values))
    ends = np.array([r.min(), r.min() * 12.0])
    slope = 1.5 * top * (ends / ends[0]) ** -0.5
    ax.plot(ends, slope, **{**REFERENCE, "color": style.BLACK}, linestyle="--")
    labels.append((r"$\propto |\rho|^{-1/2}$", style.BLACK, float(ends[1]), float(slope[1])))
    ax.set_ylim(0.7 * least, 1.75 * top)
    return labels


def _ticks(ax: Axes) -> None:
    """Plain numbers at round places of a logarithmic axis."""
    low, high = ax.get_ylim()
    places = [p * s for p in (0.01, 0.1, 1.0, 10.0, 100.0) for s in (1, 2, 5)]
    places = [place for place in places if low <= place <= high]
    ax.set_yticks(places, labels=[f"{place:g}" for place in places])
    ax.minorticks_on()
    ax.yaxis.set_minor_formatter(lambda *_: "")


def _labels(ax: Axes, labels: Sequence[Label]) -> None:
    """Name the curves where nothing is drawn."""
    drawn = [line for line in ax.lines if line.get_gid() != PASSABLE]
    lines = [line.get_data() for line in drawn if line.get_transform() == ax.transData]
    lines += [(ax.get_xlim(), line.get_ydata()) for line in drawn if np.size(line.get_xdata()) == 2]
    blocked = [_thin(_place.pixels(ax, *line)) for line in lines]
    frame = ax.get_window_extent()
    for text in ax.texts:
        box = text.get_window_extent()
        middle = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
        blocked.append(_place.box_points(middle, box.width + 4, box.height + 4))
    for words, colour, x, y in labels:
        near = ax.transData.transform((x, y)).clip((frame.x0, frame.y0), (frame.x1, frame.y1))
        blocked.append(_place.free(ax, words, near, np.concatenate(blocked), SMALL, _place.BACK))
        ax.texts[-1].set_color(colour)


def _thin(points: Array) -> Array:
    """The same points, one in each square of three pixels."""
    return np.unique(np.round(points / 3.0), axis=0) * 3.0
