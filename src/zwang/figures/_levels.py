"""Round levels of a field, and a field painted in steps of colour with its colour bar."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from zwang.figures import _maps, style
from zwang.figures._maps import Map

Array = NDArray[np.float64]
WIDE = 30.0  # values over more than this ratio get levels in decades


def round_levels(values: Array, count: int = 6, wide: float = WIDE) -> list[float]:
    """About `count` round values inside a range.

    Where its ends differ by more than the factor `wide`: 1, 2, 5 or 1, 3 or 1 in each decade.
    """
    values = values[np.isfinite(values)]
    if values.size == 0 or np.ptp(values) <= 1e-9 * np.abs(values).max():
        return []
    low, high = float(values.min()), float(values.max())
    steps = np.asarray(MaxNLocator(count).tick_values(low, high))
    if low > 0 and high / low > wide:
        decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
        choices = [np.outer(decades, fine).ravel() for fine in ([1, 2, 5], [1, 3], [1])]
        sizes = [((c > low) & (c < high)).sum() for c in choices]
        steps = choices[next((k for k, n in enumerate(sizes) if n <= count + 1), 2)]
    return [float(f"{v:.12g}") for v in steps if low < v < high]


class Scale:
    """Steps of colour for one quantity: dark is small, the lightest still differs from paper."""

    def __init__(self, values: Array, wide: float = WIDE) -> None:
        finite = values[np.isfinite(values)]
        low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
        most = np.percentile(finite, [3, 99.5]) if finite.size else finite
        self.bounds = [float(low), *round_levels(most, 8, wide), float(max(high, low + 1e-9))]
        colours = colormaps["cividis"](np.linspace(0.0, 0.93, len(self.bounds) - 1))
        self.colours = ListedColormap(colours)
        self.norm = BoundaryNorm(self.bounds, self.colours.N)

    def paint(self, ax: Axes, one: Map, field: Array) -> QuadMesh:
        """Fill the contours of a field, and its cells at borders and jumps, which have none."""
        seen = np.ma.masked_invalid(field)
        smooth = np.ma.masked_where(self._jumps(field), seen)
        if smooth.count() and len(self.bounds) > 2:
            bands = ax.contourf(
                one.x, one.y, smooth, levels=self.bounds, cmap=self.colours, norm=self.norm
            )
            bands.set(zorder=0.5)
        return ax.pcolormesh(
            _maps.edges(one.x),
            _maps.edges(one.y),
            seen,
            cmap=self.colours,
            norm=self.norm,
            edgecolor="face",  # no seams between cells
            linewidth=0.1,
            rasterized=field.size > 20_000,
            zorder=0,
        )

    def _jumps(self, field: Array) -> NDArray[np.bool_]:
        """Cells that differ from a neighbour by more than three steps of colour."""
        step = np.digitize(field, self.bounds).astype(float)
        step[~np.isfinite(field)] = np.nan
        wide = np.pad(step, 1, constant_values=np.nan)
        beside = [wide[1:-1, 2:], wide[1:-1, :-2], wide[2:, 1:-1], wide[:-2, 1:-1]]
        jumps: NDArray[np.bool_] = np.logical_or.reduce([np.abs(step - b) > 3 for b in beside])
        return jumps

    def bar(self, mesh: QuadMesh, axes: Sequence[Axes], label: str) -> None:
        """A colour bar beside these panels, its steps labelled at the round values."""
        figure = axes[0].get_figure(root=True)
        assert isinstance(figure, Figure)
        bar = figure.colorbar(
            mesh,
            ax=list(axes),
            ticks=self.bounds[1:-1] or self.bounds,
            format=FuncFormatter(lambda value, _: f"{value:.4g}"),
            spacing="uniform",
            fraction=0.05,
            pad=0.02,
            aspect=30,
        )
        bar.ax.tick_params(length=2, labelsize=7)
        bar.ax.minorticks_off()
        bar.outline.set_linewidth(0.6)
        bar.set_label(label, fontsize=8)


def label(one: Map, name: str, words: str) -> str:
    """Words, symbol and unit of a variable for its colour bar."""
    units = style.shown(one.here[name])[1]
    return f"{words} {style.symbol(one.here[name])}" + (f" [{units}]" if units else "")
