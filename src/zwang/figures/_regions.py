"""Regions of a map: the cells of one flag value, filled, hatched and labelled inside."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.patches import Patch
from numpy.typing import NDArray

from zwang.figures import _place, style

Array = NDArray[np.float64]
FAILED, NONE = -1, 0
SMALL = 7  # pt, labels inside the map
MANY = 20_000  # cells; more than that are embedded in the PDF as an image
CANDIDATES = 1500  # places tried for a label
# colour and hatch of each contact in order; both differ, so the map reads in grey too
CONTACTS = (
    (style.SKY, "////"),
    (style.ORANGE, "...."),
    (style.GREEN, "xxxx"),
    (style.PURPLE, "||||"),
)


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


def regions(here: xr.Dataset, dims: tuple[str, str]) -> list[Region]:
    """The regions that occur: no sliding, each contact in order, together, failed."""
    flags = here["first_contact"].transpose(*dims)
    values = np.asarray(flags.values)
    last = int(np.max(flags.attrs.get("flag_values", values)))
    found = []
    for value in [v for v in (NONE, *range(1, last + 1), FAILED) if (values == v).any()]:
        cells = values == value
        if value == NONE:
            found.append(Region("no sliding", cells, "#FFFFFF", ""))
        elif value == FAILED:
            found.append(Region(_failure(here, dims, cells), cells, "#8C8C8C", ""))
        elif (word := style.meaning(flags, value)) == "together":
            found.append(Region("together", cells, style.YELLOW, "++++"))
        else:
            found.append(Region(f"{word} first", cells, *CONTACTS[(value - 1) % len(CONTACTS)]))
    return found


def _failure(here: xr.Dataset, dims: tuple[str, str], cells: NDArray[np.bool_]) -> str:
    """Name of the failed region: with the status if it is one and the same."""
    if "status" not in here:
        return "run failed"
    status = here["status"].transpose(*dims)
    kinds = np.unique(status.values[cells])
    return f"failed:\n{style.meaning(status, int(kinds[0]))}" if len(kinds) == 1 else "run failed"


def fill(ax: Axes, x: Array, y: Array, region: Region) -> None:
    """Fill the cells of a region with its colour and, where it has one, its hatch."""
    cells = np.ma.masked_equal(region.cells.astype(float), 0.0)
    ax.pcolormesh(
        _edges(x),
        _edges(y),
        cells,
        cmap=ListedColormap([region.colour]),
        edgecolor="face",  # no seams between cells
        linewidth=0.1,
        rasterized=cells.size > MANY,
        zorder=0,
    )
    if region.hatch:
        # every border doubled: the level 0.5 then falls exactly on the borders of the cells
        double_x, double_y = (np.repeat(_edges(v), 2)[1:-1] for v in (x, y))
        mask = np.repeat(np.repeat(region.cells.astype(float), 2, axis=0), 2, axis=1)
        hatched = ax.contourf(
            double_x, double_y, mask, levels=[0.5, 1.5], colors="none", hatches=[region.hatch]
        )
        hatched.set(edgecolor=_shade(region.colour), linewidth=0.0, zorder=1)


def spot(ax: Axes, x: Array, y: Array, region: Region) -> Array | None:
    """Pixel inside the region farthest from its borders, None where its label does not fit.

    Distances are measured in label widths and heights, so half of one on each side is a fit.
    """
    box = np.array(_place.size(ax, region.name, SMALL))
    rows, columns = np.nonzero(region.cells)
    every = max(1, len(rows) // CANDIDATES)
    at = _centres(ax, x, y)
    inside = at[rows[::every], columns[::every]]
    frame = ax.get_window_extent()
    score = np.minimum(inside - [frame.x0, frame.y0], [frame.x1, frame.y1] - inside) / box
    room = score.min(axis=1)
    rim = at[_rim(region.cells)]
    if len(rim):
        cell = np.array([frame.width / (x.size - 1), frame.height / (y.size - 1)])
        gap = (np.abs(inside[:, None, :] - rim[None, :, :]) - cell / 2) / box
        room = np.minimum(room, gap.max(axis=-1).min(axis=1))
    best = int(np.argmax(room))
    return inside[best] if room[best] >= 0.5 else None


def write(ax: Axes, text: str, pixel: Array) -> Array:
    """Write a label over the hatching at a pixel; the points its box blocks."""
    x, y = ax.transData.inverted().transform(pixel)
    back = {"boxstyle": "square,pad=0.15", "facecolor": "white", "alpha": 0.85, "linewidth": 0}
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


def _edges(centres: Array) -> Array:
    """Borders of the cells around grid values, halfway between them."""
    middle = 0.5 * (centres[1:] + centres[:-1])
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])


def _shade(colour: str) -> tuple[float, float, float]:
    """The same colour, darker."""
    red, green, blue = to_rgb(colour)
    return 0.6 * red, 0.6 * green, 0.6 * blue
