"""Regions of a map: the cells of one flag value, filled, hatched and labelled inside."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from zwang.figures import _maps, _place, style
from zwang.figures._maps import Map

Array = NDArray[np.float64]
FAILED, NONE = -1, 0
SMALL = 7  # pt, labels inside the map
MANY = 20_000  # cells; more than that are embedded in the PDF as an image
CANDIDATES = 1500  # places tried for a label
# colour and hatch of each contact in order: lighter relatives of the palette, far apart in grey
CONTACTS: tuple[tuple[str, str], ...] = (
    ("#3388C0", "////"),
    ("#F2CF80", "...."),
    ("#66C5AB", "xxxx"),
    (style.YELLOW, "||||"),
)
SEVERAL = ("#DDA1C1", "++++")


@dataclass(frozen=True, eq=False)
class Region:
    """The cells (y, x) of one value of first_contact, and how they are shown."""

    name: str
    cells: NDArray[np.bool_]
    colour: str
    hatch: str

    def patch(self) -> Patch:
        """What a legend shows for this region."""
        return Patch(
            facecolor=self.colour,
            hatch=self.hatch,
            edgecolor=_shade(self.colour),
            linewidth=0.4,
            label=self.name.replace("\n", " "),
        )


def regions(one: Map, name: str = "first_contact", word: str = "first") -> list[Region]:
    """The regions of a flag variable that occur: no sliding, each contact, several, failed.

    `word` follows the name of a single contact: rear first, rear only.
    """
    flags = one.here[name]
    values = np.asarray(flags.transpose(*one.dims).values)
    failed = np.asarray(one.here["first_contact"].transpose(*one.dims).values) == FAILED
    contacts = [str(c).replace("_", " ") for c in one.here["contact"].values]
    found = []
    for value in sorted(set(values[~failed].tolist())):
        cells, said = (values == value) & ~failed, style.meaning(flags, value)
        if value == NONE:
            found.append(Region("no sliding", cells, "#FFFFFF", ""))
        elif said in contacts:
            look = CONTACTS[contacts.index(said) % len(CONTACTS)]
            found.append(Region(f"{said} {word}", cells, *look))
        else:
            found.append(Region(said, cells, *SEVERAL))
    if failed.any():
        found.append(Region(_failure(one, failed), failed, "#8C8C8C", ""))
    return found


def _failure(one: Map, cells: NDArray[np.bool_]) -> str:
    """Name of the failed region: with the status if it is one and the same."""
    if "status" not in one.here:
        return "run failed"
    status = one.here["status"].transpose(*one.dims)
    kinds = np.unique(status.values[cells])
    return f"failed:\n{style.meaning(status, int(kinds[0]))}" if len(kinds) == 1 else "run failed"


def fill(ax: Axes, one: Map, region: Region) -> None:
    """Fill the cells of a region with its colour and, where it has one, its hatch."""
    cells = np.ma.masked_equal(region.cells.astype(float), 0.0)
    ax.pcolormesh(
        _maps.edges(one.x),
        _maps.edges(one.y),
        cells,
        cmap=ListedColormap([region.colour]),
        edgecolor="face",  # no seams between cells
        linewidth=0.1,
        rasterized=cells.size > MANY,
        zorder=0,
    )
    if region.hatch:
        hatch(ax, one, region, _shade(region.colour))


def hatch(ax: Axes, one: Map, region: Region, colour: str | tuple[float, float, float]) -> None:
    """Hatch the cells of a region over what they are filled with."""
    hatched = ax.contourf(
        *_steps(one, region.cells), levels=[0.5, 1.5], colors="none", hatches=[region.hatch]
    )
    hatched.set(edgecolor=colour, linewidth=0.0, zorder=1)


def outline(ax: Axes, one: Map, region: Region) -> None:
    """Draw the border of a region along its cells."""
    if not region.cells.all():
        steps = _steps(one, region.cells)
        ax.contour(*steps, levels=[0.5], colors=[style.BLACK], linewidths=0.6, zorder=2)


def _steps(one: Map, cells: NDArray[np.bool_]) -> tuple[Array, Array, Array]:
    """A mask with every border doubled: its level 0.5 falls exactly on the borders of cells."""
    x, y = (np.repeat(_maps.edges(v), 2)[1:-1] for v in (one.x, one.y))
    return x, y, np.repeat(np.repeat(cells.astype(float), 2, axis=0), 2, axis=1)


@dataclass(frozen=True, eq=False)
class Label:
    """A text at a pixel."""

    text: str
    pixel: Array


def spot(ax: Axes, one: Map, region: Region, lines: Array) -> Label | None:
    """Label inside the region where it covers least of the lines; None where it does not fit.

    A name too wide for its region is broken into lines.
    """
    for text in dict.fromkeys([region.name, region.name.replace(" ", "\n")]):
        box = np.array(_place.size(ax, text, SMALL))
        places, room = _room(ax, one, region.cells, box)
        fits = room >= 0.5
        if fits.any():
            away = np.abs(places[fits][:, None, :] - lines[None, :, :]) / box
            covered = (away < 0.5).all(axis=-1).sum(axis=1)
            best = np.lexsort((-room[fits], covered))[0]
            return Label(text, places[fits][best])
    return None


def _room(ax: Axes, one: Map, cells: NDArray[np.bool_], box: Array) -> tuple[Array, Array]:
    """Pixels inside a region and the gap from each to the region's border.

    Gaps are measured in label widths and heights, so half of one on each side is a fit.
    """
    rows, columns = np.nonzero(cells)
    every = max(1, len(rows) // CANDIDATES)
    at = _centres(ax, one.x, one.y)
    inside = at[rows[::every], columns[::every]]
    frame = ax.get_window_extent()
    score = np.minimum(inside - [frame.x0, frame.y0], [frame.x1, frame.y1] - inside) / box
    room = score.min(axis=1)
    rim = at[_rim(cells)]
    if len(rim):
        cell = np.array([frame.width / (one.x.size - 1), frame.height / (one.y.size - 1)])
        gap = (np.abs(inside[:, None, :] - rim[None, :, :]) - cell / 2) / box
        room = np.minimum(room, gap.max(axis=-1).min(axis=1))
    return inside, room


@dataclass(frozen=True, eq=False)
class Panel:
    """A panel with what is drawn on it: its map, the regions, the lines (point, 2) labels avoid."""

    ax: Axes
    one: Map
    regions: Sequence[Region]
    lines: Sequence[Array] = ()

    def pixels(self) -> Array:
        """The lines in pixels (point, 2)."""
        parts = [_place.pixels(self.ax, *line.T) for line in self.lines]
        return np.concatenate([np.empty((0, 2)), *parts])


def arrange(panels: Sequence[Panel], handles: Sequence[Artist] = ()) -> list[Array]:
    """Label the regions inside or, where they are small, in a legend; what the labels block.

    Which regions are too small for a label is known only after the layout, and a longer legend
    changes the layout; the small ones can only become more, so this ends.
    """
    small: dict[str, Region] = {}
    hidden: set[tuple[int, str]] = set()
    while True:
        legend(panels[0].ax, [*(region.patch() for region in small.values()), *handles])
        _place.settle(panels[0].ax)
        spots = {
            (k, region.name): (region, spot(panel.ax, panel.one, region, panel.pixels()))
            for k, panel in enumerate(panels)
            for region in panel.regions
        }
        fresh = {key: region for key, (region, label) in spots.items() if label is None}
        if fresh.keys() <= hidden:
            break
        hidden |= fresh.keys()
        small |= {name: region for (_, name), region in fresh.items()}
    blocked: list[list[Array]] = [[np.empty((0, 2))] for _ in panels]
    for (k, name), (_, label) in spots.items():
        if label is not None and (k, name) not in hidden:
            blocked[k].append(write(panels[k].ax, label.text, label.pixel))
    return [np.concatenate(points) for points in blocked]


def legend(ax: Axes, entries: Sequence[Artist]) -> None:
    """Give the figure this legend below its panels, instead of any other."""
    figure = ax.get_figure(root=True)
    assert isinstance(figure, Figure)
    for old in list(figure.legends):
        old.remove()
    if entries:
        columns = 2 if figure.get_figwidth() * style.INCH < 0.75 * style.PAGE else 5
        columns = min(columns, len(entries))
        figure.legend(
            handles=list(entries), loc="outside lower center", ncols=columns, columnspacing=1.2
        )


def write(ax: Axes, text: str, pixel: Array, alpha: float = 0.85) -> Array:
    """Write a label over what is drawn at a pixel; the points its box blocks."""
    x, y = ax.transData.inverted().transform(pixel)
    back = {"boxstyle": "square,pad=0.15", "facecolor": "white", "alpha": alpha, "linewidth": 0}
    written = ax.text(x, y, text, fontsize=SMALL, ha="center", va="center", bbox=back, zorder=6)
    written.set_in_layout(False)
    return _place.box_points(pixel, *_place.size(ax, text, SMALL))


def _centres(ax: Axes, x: Array, y: Array) -> Array:
    """Pixels of the cells' centres (y, x, 2)."""
    flat = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    return np.asarray(ax.transData.transform(flat)).reshape(y.size, x.size, 2)


def _rim(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cells outside the region that touch it, corners included."""
    wide = np.pad(cells, 1)
    ny, nx = cells.shape
    shifts = [wide[i : i + ny, j : j + nx] for i in range(3) for j in range(3)]
    touched: NDArray[np.bool_] = np.logical_or.reduce(shifts) & ~cells
    return touched


def _shade(colour: str) -> tuple[float, float, float]:
    """The same colour, darker."""
    red, green, blue = to_rgb(colour)
    return 0.6 * red, 0.6 * green, 0.6 * blue
