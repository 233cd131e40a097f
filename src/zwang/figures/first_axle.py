"""Which contact slides first in several cases: a small map for each, one legend for all."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes

from zwang.figures import _maps, _regions, style
from zwang.figures._maps import Map
from zwang.figures.results import Results
from zwang.nearest import nearest

NEEDS = ("thresholds",)
OPTIONS = ("at", "mu")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """One panel for each case."""
    return _maps.layout(len(data.cases), 10.0)


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw the regions of first_contact of each case at the same place and μ."""
    found = _cut(data, options)
    same = [said for said in found[0].said if all(said in one.said for one in found)]
    regions: dict[str, _regions.Region] = {}
    for spare in axes[len(found) :]:
        spare.remove()
    handles: list[Artist] = []
    for k, (ax, one, case) in enumerate(zip(axes, found, data.cases, strict=False)):
        _maps.frame(ax, one)
        for region in _regions.regions(one):
            _regions.fill(ax, one, region)
            regions.setdefault(region.name, region)
        if _maps.boundary(ax, one) and not handles:
            handles.append(_maps.boundary_handle(one))
        own = [said for said in one.said if said not in same]
        name = f"({LETTERS[k % len(LETTERS)]}) {data.title(case)}" if len(found) > 1 else ""
        ax.set_title(style.lines([name or data.title(case), *own], 36), loc="left")
    style.heading(axes[0], same)
    _regions.legend(axes[0], [*(region.patch() for region in _ordered(regions)), *handles])


def _cut(data: Results, options: Mapping[str, Any]) -> list[Map]:
    """One map for each case; a place or μ counts where the case has such an axis."""
    places = dict(options.get("at") or {})
    given = [data.get("thresholds", ("first_contact", "contact"), case) for case in data.cases]
    known = {str(d) for one in given for d in one["first_contact"].dims}
    for name in places:
        if name not in known:
            raise style.FigureError(f"at: {name} names no axis; {nearest(name, known)}")
    found = []
    for one in given:
        dims = one["first_contact"].dims
        mine: dict[str, Any] = {"at": {k: v for k, v in places.items() if k in dims}}
        if "mu" in dims:
            mine["mu"] = options.get("mu")
        found += _maps.cut(one, mine)
    return found


def _ordered(regions: Mapping[str, _regions.Region]) -> Sequence[_regions.Region]:
    """No sliding first, single contacts next, the rest last."""
    looks = [look for look, _ in _regions.CONTACTS]

    def rank(region: _regions.Region) -> int:
        if region.name == "no sliding":
            return -1
        return looks.index(region.colour) if region.colour in looks else len(looks)

    return sorted(regions.values(), key=rank)
