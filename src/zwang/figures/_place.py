"""Where a label fits: measured in pixels against what is drawn already."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
BACK = {"boxstyle": "square,pad=0.15", "facecolor": "white", "alpha": 0.85, "linewidth": 0}
PAD = 2.0  # px around a label (figures are laid out at 100 px per inch)


def settle(axes: Axes) -> None:
    """Fix the layout of the figure, so that what follows may measure in pixels."""
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    FigureCanvasAgg(figure).draw()


def size(axes: Axes, text: str, fontsize: float) -> tuple[float, float]:
    """Width and height of a text in pixels, with a little air."""
    probe = axes.text(0.5, 0.5, text, fontsize=fontsize, transform=axes.transAxes)
    box = probe.get_window_extent()
    probe.remove()
    return box.width + 2 * PAD, box.height + 2 * PAD


def pixels(axes: Axes, x: ArrayLike, y: ArrayLike) -> Array:
    """The points of a curve in pixels (point, 2), close enough together to block a label.

    Where a point is missing the curve has a gap.
    """
    points = axes.transData.transform(np.column_stack([np.ravel(x), np.ravel(y)]))
    missing = np.flatnonzero(~np.isfinite(points).all(axis=1))
    pieces = [part[np.isfinite(part).all(axis=1)] for part in np.split(points, missing)]
    return np.concatenate([_fine(part) for part in pieces])


def _fine(points: Array) -> Array:
    """The same line with a point every two pixels."""
    if len(points) < 2:
        return np.asarray(points, dtype=float)
    length = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    fine = np.linspace(0.0, length[-1], int(length[-1] / 2.0) + 2)
    return np.column_stack([np.interp(fine, length, points[:, k]) for k in (0, 1)])


def free(
    axes: Axes,
    text: str,
    near: ArrayLike,
    blocked: Array,
    fontsize: float,
    back: Mapping[str, Any] | None = None,
) -> Array:
    """Write `text` at the free place nearest to the pixel `near`; the points its box now blocks.

    Where no place is free the one that covers the fewest blocked points is taken.
    """
    width, height = size(axes, text, fontsize)
    frame = axes.get_window_extent()
    x = np.linspace(frame.x0 + width / 2, max(frame.x1 - width / 2, frame.x0 + width / 2), 61)
    y = np.linspace(frame.y0 + height / 2, max(frame.y1 - height / 2, frame.y0 + height / 2), 41)
    centres = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    away = np.abs(centres[:, None, :] - blocked[None, :, :])
    covered = ((away[..., 0] < width / 2) & (away[..., 1] < height / 2)).sum(axis=1)
    # to the edge of the box rather than to its centre: a wide label may stand beside its point
    gap = np.abs(centres - np.asarray(near)) - np.array([width, height]) / 2
    far = np.hypot(*gap.clip(0).T) + 1e-3 * np.hypot(*(centres - np.asarray(near)).T)
    centre = centres[np.lexsort((far, covered))[0]]
    left, up = axes.transData.inverted().transform(centre)
    written = axes.text(
        left, up, text, fontsize=fontsize, ha="center", va="center", zorder=6, clip_on=False
    )
    if back is not None:
        written.set_bbox(dict(back))
    written.set_in_layout(False)
    return box_points(centre, width, height)


def box_points(centre: ArrayLike, width: float, height: float) -> Array:
    """Points that fill a box, so that it blocks other labels."""
    across, up = np.linspace(-0.5, 0.5, 9) * width, np.linspace(-0.5, 0.5, 5) * height
    return np.asarray(centre) + np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)


def along(
    axes: Axes, text: str, own: Sequence[Array], others: Sequence[Array], fontsize: float
) -> Array | None:
    """Pixel on a curve (parts in pixels) where its label covers least, None where it has no room.

    Gaps are measured in label widths and heights; beyond 1.5 of them the middle place is taken.
    """
    points = np.concatenate([np.empty((0, 2)), *own])
    box = np.array(size(axes, text, fontsize))
    frame = axes.get_window_extent()
    inside = np.minimum(points - [frame.x0, frame.y0], [frame.x1, frame.y1] - points) / box
    points = points[inside.min(axis=1, initial=np.inf) >= 0.6]
    if not len(points):
        return None
    every = points[:: max(1, len(points) // 300)]
    room = np.full(len(every), np.inf)
    for obstacle in [o for o in others if len(o)]:
        gap = np.abs(every[:, None, :] - obstacle[None, :, :]) / box
        room = np.minimum(room, gap.max(axis=-1).min(axis=1))
    if room.max() < 0.6:
        return None
    good = every[room >= min(float(room.max()), 1.5)]
    return np.asarray(good[len(good) // 2])
