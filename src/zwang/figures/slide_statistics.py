"""What sliding does over two axes of the grid: which contacts, how long, and how far from ideal."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from numpy.typing import NDArray

from zwang.figures import _levels, _maps, _regions, style
from zwang.figures._maps import Map
from zwang.figures._regions import Panel, Region
from zwang.figures.results import Results

Array = NDArray[np.float64]
NEEDS = ("thresholds",)
OPTIONS = ("x", "y", "at")
VARIABLES = ("first_contact", "contact", "motion_type", "sliding", "slip_time", "distance", "spins")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """A panel for the kinds of motion, one for each contact's slip time, one for the distance."""
    return _maps.layout(2 + _given(data).sizes["sliding"], 8.0)


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw kinds of motion, slip times in one scale, and the distance; hatched where it spins."""
    one = _maps.cut(_given(data), {k: options.get(k) for k in OPTIONS})[0]
    contacts = [str(c) for c in one.here["sliding"].values]
    titles = [
        "which contacts slide",
        *(f"how long the {contact} contact slides" for contact in contacts),
        "distance from the ideal place at the end",
    ]
    _maps.frames(axes, [one] * len(titles))
    for ax, letter, title in zip(axes, LETTERS, titles, strict=False):
        ax.set_title(f"({letter}) {title}", loc="left")
    spin = _spin(one)
    style.heading(axes[0], one.said if spin.cells.any() else [*one.said, f"no run {spin.name}"])
    panels = [_motion(axes[0], one)]
    panels += _slip(axes[1 : 1 + len(contacts)], one)
    panels.append(_distance(axes[len(contacts) + 1], one, spin))
    handles: list[Artist] = [spin.patch()] if spin.cells.any() else []
    _regions.arrange(panels, handles)


def _given(data: Results) -> xr.Dataset:
    """The thresholds of a case whose contacts may slide."""
    given = data.get("thresholds", ("first_contact",))
    missing = [name for name in VARIABLES if name not in given.variables]
    if missing:
        raise style.FigureError(
            f"the thresholds lack {', '.join(missing)}: slide_statistics shows a case whose "
            "contacts may slide, with `against` naming the ideal case it is compared with"
        )
    return given


def _spin(one: Map) -> Region:
    """The runs that end facing backwards."""
    return Region("ends facing backwards", one.field("spins") == 1, "#FFFFFF", "xxxxx")


def _motion(ax: Axes, one: Map) -> Panel:
    """Draw which contacts slide at some time."""
    regions = _regions.regions(one, "motion_type", "only")
    for region in regions:
        _regions.fill(ax, one, region)
    return Panel(ax, one, regions)


def _slip(axes: list[Axes], one: Map) -> list[Panel]:
    """Draw how long each contact slides, all in the same scale."""
    fields = [
        style.shown(one.here["slip_time"].isel(sliding=k).transpose(*one.dims))[0]
        for k in range(len(axes))
    ]
    fields = [np.where(field > 0, field, np.nan) for field in fields]
    scale = _levels.Scale(np.concatenate([field.ravel() for field in fields]), wide=np.inf)
    panels = []
    for ax, field in zip(axes, fields, strict=True):
        mesh = scale.paint(ax, one, field)
        scale.bar(mesh, [ax], _levels.label(one, "slip_time", "slip time"))
        panels.append(_bare(ax, one, np.isfinite(field), "does not slide"))
    return panels


def _distance(ax: Axes, one: Map, spin: Region) -> Panel:
    """Draw the distance from the ideal place at the end, and where it spins."""
    slides = one.field("motion_type") != _regions.NONE
    field = np.where(slides, one.field("distance"), np.nan)
    scale = _levels.Scale(field)
    mesh = scale.paint(ax, one, field)
    scale.bar(mesh, [ax], _levels.label(one, "distance", "distance"))
    if spin.cells.any():
        _regions.hatch(ax, one, spin, "white")
    unknown = Region("not comparable", slides & ~np.isfinite(field), "#D9D9D9", "")
    panel = _bare(ax, one, slides, "no sliding")
    if not unknown.cells.any():
        return panel
    _regions.fill(ax, one, unknown)
    return Panel(ax, one, [*panel.regions, unknown])


def _bare(ax: Axes, one: Map, slides: NDArray[np.bool_], name: str) -> Panel:
    """Outline and name the cells without sliding, and those of failed runs."""
    failed = [r for r in _regions.regions(one) if r.name.startswith(("failed", "run failed"))]
    for region in failed:
        _regions.fill(ax, one, region)
        slides = slides | region.cells
    regions = [Region(name, ~slides, "#FFFFFF", "")] if not slides.all() else []
    for region in regions:
        _regions.outline(ax, one, region)
    return Panel(ax, one, [*regions, *failed])
