"""Where each family of motions goes as its parameter goes to zero, as a table."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from zwang import verdicts
from zwang.figures import style
from zwang.figures.results import Results

NEEDS = ("limits",)
OPTIONS = ()
ROW, MARGIN = 3.9, 4.0  # mm
# mm from the left: middle of each column behind that of the members
COLUMNS = (62.0, 80.0, 95.0, 110.0, 126.0, 141.0, 155.5, 170.0)
ANSWERS = {0, 3}  # columns of yes and no
FILLS = {"yes": "#CFE8DE", "no": style.GREY}  # light and dark: told apart in grey too
HEAD = (
    ("degenerate", "limit?"),
    ("mean", r"$\Delta r/r$"),
    ("order", r"of $\Delta r/r$"),
    ("predicted", "limit?"),
    ("", "observed"),
    ("", "predicted"),
    ("", "observed"),
    ("", "predicted"),
)
SPANS = ((4, 5, "order of $\\theta$ or $\\varphi$"), (6, 7, "turn in a bounce"))
BAND = "#EFEFEF"  # behind the title of a case
Tables = list[tuple[str, list[tuple[str, tuple[str, ...]]]]]


def layout(data: Results, options: Mapping[str, Any]) -> style.Layout:
    """One panel as high as the table."""
    return style.Layout(rows=1, height=_lines(_tables(data)) * ROW + MARGIN, width=style.PAGE)


def draw(axes: list[Axes], data: Results, options: Mapping[str, Any]) -> None:
    """Draw the cases with their families below them; yes light, no dark."""
    (ax,) = axes
    tables = _tables(data)
    ax.set_axis_off()
    ax.set(xlim=(0.0, style.PAGE - 2.0), ylim=(_lines(tables) * ROW, 0.0))
    _head(ax)
    at = 2.2
    for title, rows in tables:
        _rule(ax, at, 0.4)
        band = Rectangle((0.0, at * ROW), style.PAGE - 2.0, 1.1 * ROW, facecolor=BAND, linewidth=0)
        ax.add_patch(band)
        _text(ax, 1.0, at + 0.55, title, ha="left")
        at += 1.1
        for member, cells in rows:
            _row(ax, at, member, cells)
            at += 1.0
        at += 0.1
    _rule(ax, at, 1.0)
    _text(ax, 0.0, at + 0.75, _note(data), ha="left", fontsize=6.5)


def _note(data: Results) -> str:
    """What the numbers are, in a line below the table."""
    limits = data.get("limits")
    small = style.symbol(limits[str(limits.attrs["limit_axis"])])
    return (
        r"$\Delta r/r$: distance from the degenerate path over its size, mean over time at the "
        f"smallest {small}; order $p$: distance ∝ {small}$^p$; – : not compared or not defined"
    )


def _tables(data: Results) -> Tables:
    limits = {case: data.get("limits", ("target",), case) for case in data.cases}
    found = verdicts.rows(limits, {case: data.title(case) for case in data.cases})
    if not found:
        raise style.FigureError(
            f"none of {', '.join(data.cases) or 'the cases'} is compared with a degenerate motion; "
            "give `limit` with `path` and a target `degenerate`, or name other cases"
        )
    return verdicts.merged(found)


def _lines(tables: Tables) -> float:
    """Height of the table in rows."""
    return 3.5 + sum(1.2 + len(rows) for _, rows in tables)


def _head(ax: Axes) -> None:
    _rule(ax, 0.0, 1.0)
    _text(ax, 1.0, 1.6, "case and family", ha="left")
    for x, words in zip(COLUMNS, HEAD, strict=True):
        for k, word in enumerate(words):
            _text(ax, x, 0.6 + k, word)
    for first, last, name in SPANS:
        left, right = COLUMNS[first], COLUMNS[last]
        _text(ax, (left + right) / 2, 0.6, name)
        ax.plot([left - 6.0, right + 6.0], [1.1 * ROW] * 2, color=style.BLACK, linewidth=0.4)


def _row(ax: Axes, at: float, member: str, cells: Sequence[str]) -> None:
    _text(ax, 4.0, at + 0.5, member, ha="left")
    for k, (x, cell) in enumerate(zip(COLUMNS, cells, strict=True)):
        if k in ANSWERS and cell in FILLS:
            box = Rectangle((x - 6.0, (at + 0.1) * ROW), 12.0, 0.8 * ROW, facecolor=FILLS[cell])
            ax.add_patch(box).set_linewidth(0)
        dark = k in ANSWERS and cell == "no"
        _text(ax, x, at + 0.5, cell, color="white" if dark else style.BLACK)


def _text(ax: Axes, x: float, row: float, text: str, **look: Any) -> None:  # noqa: ANN401
    """Write in the middle of a cell, unless told otherwise."""
    look = {"ha": "center", "va": "center_baseline", "fontsize": 7, **look}
    ax.text(x, row * ROW, text, **look).set_in_layout(False)


def _rule(ax: Axes, row: float, width: float) -> None:
    ax.plot([0.0, style.PAGE - 2.0], [row * ROW] * 2, color=style.BLACK, linewidth=width)
