"""The figure of docs/method.md: one run with held and sliding phases, and the states of a contact.

`python docs/method.py [folder]` writes method.png and method.svg, beside this file by default.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from matplotlib.ticker import MultipleLocator
from numpy.typing import NDArray

import zwang
from zwang import store
from zwang.figures import style

Array = NDArray[np.float64]
WIDTH, HEIGHT = 160.0, 116.0  # mm
SMALL = 7  # pt, labels inside a panel
SHADE = "#E4E4E4"  # sliding
CAR = zwang.systems.car()
MU, MU_KINETIC = 0.5, 0.45
END = 2.4  # s
JUST_BEFORE = 1e-9  # s; a time on a change of mode belongs to what follows it
PARAMETERS = {
    **{"M1": 1000.0, "M2": 110.0, "J1": 1500.0, "J2": 30.0, "l1": 0.75, "l2": 1.65, "g": 9.81},
    **{"mu_rear": MU, "mu_front": MU},
}
INPUTS = {"F1": "1000", "F2": "50*v", "L1": "60*sin(3*t)", "L2": "120*theta_dot + 600*theta"}
START = {"phi": 0.0, "theta": 0.0, "x": 0.0, "y": 0.0, "u": 12.0, "theta_dot": 0.0}


def run(times: Array, law: zwang.laws.Law) -> xr.Dataset:
    """Return the steered car that may slide, on the output grid `times`."""
    return zwang.simulate(
        CAR,
        parameters=PARAMETERS,
        inputs=INPUTS,
        initial=START,
        times=times,
        contacts=law,
    )


def steps_until(end: float) -> int:
    """Return how many steps the integrator needs up to `end`."""
    found = zwang.sweep(
        CAR,
        parameters=PARAMETERS,
        inputs=INPUTS,
        initial=START,
        points={"u_0": [START["u"]]},
        end=end,
        contacts=zwang.laws.Coulomb(),
        threads=1,
    )
    return int(found["steps"].item())


def step_borders(low: float, high: float, before: int, after: int) -> list[float]:
    """Return where steps end between two times, to 1 ms: there the count goes up by one.

    A run that ends earlier takes the same steps as a longer one, except for its last.
    """
    if before == after:
        return []
    if high - low < 1e-3:
        return [0.5 * (low + high)]
    middle = 0.5 * (low + high)
    count = steps_until(middle)
    return step_borders(low, middle, before, count) + step_borders(middle, high, count, after)


def phases(events: Array) -> list[tuple[float, float]]:
    """Return the intervals between changes of mode."""
    times = [0.0, *events, END]
    return list(pairwise(times))


def draw_reaction(axes: Axes, found: xr.Dataset, between: Sequence[tuple[float, float]]) -> None:
    """Draw Λ(t) within ±μN, and the phases."""
    bound = MU * float(found["normal_load"].sel(contact="front").isel(t=0)) / 1e3
    for sign, text in ((1, r"$+\mu N_2$"), (-1, r"$-\mu N_2$")):
        axes.axhline(sign * bound, color=style.BLACK, linestyle=(0, (1, 1.5)), linewidth=0.8)
        axes.text(END + 0.03, sign * bound, text, fontsize=SMALL, va="center", clip_on=False)
    for a, b in between:
        part = found.sel(t=slice(a, b - JUST_BEFORE))
        axes.plot(part["t"], part["reaction_front"] / 1e3, color=style.BLUE)
    for (_, stop), (start, _) in zip(between[1:-1:2], between[2::2], strict=True):
        ends = found["reaction_front"].sel(t=[stop - JUST_BEFORE, start], method="nearest") / 1e3
        axes.plot([stop, stop], ends, color=style.BLUE, linewidth=0.6, linestyle=(0, (2, 1)))
    held = "held\nσ = 0"
    words = (held, "sliding\nσ = −1", held, "sliding\nσ = +1", held)
    for word, (a, b) in zip(words, between, strict=True):
        axes.text(0.5 * (a + b), 6.6, word, fontsize=SMALL, ha="center", va="top")
    axes.set_ylim(-5.0, 6.8)
    axes.yaxis.set_major_locator(MultipleLocator(2.0))
    axes.set_ylabel(r"reaction $\Lambda_2$ [kN]")


def draw_steps(axes: Axes, borders: Sequence[float]) -> None:
    """Draw the ends of the integrator's steps as a rug between the panels."""
    axes.vlines(borders, 0.3, 1.0, color=style.BLACK, linewidth=0.7)
    axes.set_ylim(0.0, 1.0)
    axes.set_yticks([])
    axes.tick_params(bottom=False, labelbottom=False)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.text(-0.02, 0.65, "steps end", fontsize=SMALL, ha="right", va="center", clip_on=False)


def draw_slip(axes: Axes, found: xr.Dataset, between: Sequence[tuple[float, float]]) -> None:
    """Draw the slip velocity with its releases and stops."""
    axes.plot(found["t"], found["v_front"] * 100.0, color=style.BLUE)
    for n, (a, b) in enumerate(between[1::2]):
        axes.plot([a], [0.0], "o", color=style.BLACK, markersize=4)
        axes.plot([b], [0.0], "s", color=style.BLACK, markerfacecolor="white", markersize=4)
        up, side = (0.6, "bottom") if n == 0 else (-0.6, "top")
        for at, text in ((a, "release"), (b, "stop")):
            axes.text(at, up, text, fontsize=SMALL, ha="center", va=side)
    axes.set_ylim(-5.5, 5.5)
    axes.yaxis.set_major_locator(MultipleLocator(2.0))
    axes.set_ylabel(r"slip velocity $s=v_2$ [cm/s]")
    axes.set_xlabel(r"time $t$ [s]")


def draw_start(axes: Axes, starts: Mapping[str, tuple[Array, Array]]) -> None:
    """Draw how a slip begins, with the straight lines of orders one and two."""
    labels = {
        "jump": (
            rf"$\mu_k={MU_KINETIC}<\mu$:" "\n" r"$s\propto t-t_1$",
            style.VERMILLION,
            (0, (4, 1.5)),
            1,
        ),
        "smooth": (rf"$\mu_k=\mu={MU}$:" "\n" r"$s\propto(t-t_1)^2$", style.BLUE, "-", 2),
    }
    for name, (text, colour, dashes, order) in labels.items():
        after, slip = starts[name]
        axes.loglog(after, slip, color=colour, linestyle=dashes)
        axes.loglog(after, slip[0] * (after / after[0]) ** order, color=style.GREY, linewidth=0.5)
        at = len(after) // 2
        place = (after[at] * (0.75 if order == 1 else 1.3), slip[at] * (2.2 if order == 1 else 0.5))
        axes.text(
            *place,
            text,
            fontsize=SMALL,
            color=colour,
            ha="right" if order == 1 else "left",
            va="bottom" if order == 1 else "top",
        )
    axes.set_xlabel(r"time after the release $t-t_1$ [s]")
    axes.set_ylabel(r"slip velocity $|s|$ [m/s]")


def draw_states(axes: Axes) -> None:
    """Draw the states of a contact with one row and what changes them."""
    axes.set(xlim=(0.0, 10.0), ylim=(0.0, 10.0))
    axes.axis("off")
    boxes = {
        "held": (5.0, 8.7, 5.6, 2.3, "held, σ = 0\n" r"$\dot s=0$, find $\Lambda$", "white"),
        "minus": (
            *(2.2, 1.4, 4.3, 2.6),
            "sliding, σ = −1\n" r"$\Lambda=+\mu_kN$," "\n" r"find $\dot s$",
            SHADE,
        ),
        "plus": (
            *(7.8, 1.4, 4.3, 2.6),
            "sliding, σ = +1\n" r"$\Lambda=-\mu_kN$," "\n" r"find $\dot s$",
            SHADE,
        ),
        "rest": (5.0, 4.75, 4.0, 1.9, "which rows\nhold? (Gauss)", "white"),
    }
    for name, (x, y, width, height, text, face) in boxes.items():
        axes.add_patch(
            FancyBboxPatch(
                (x - width / 2, y - height / 2),
                width,
                height,
                boxstyle="round,pad=0,rounding_size=0.35",
                facecolor=face,
                edgecolor=style.BLACK,
                linewidth=0.8,
                linestyle=(0, (3, 1.5)) if name == "rest" else "-",
            )
        )
        axes.text(x, y, text, fontsize=SMALL, ha="center", va="center")
    both, one = "<|-|>", "-|>"
    arrows = (
        ((2.75, 7.55), (1.2, 2.7), one, "arc3,rad=0.12"),
        ((7.25, 7.55), (8.8, 2.7), one, "arc3,rad=-0.12"),
        ((2.7, 2.7), (4.1, 3.8), both, "arc3"),
        ((7.3, 2.7), (5.9, 3.8), both, "arc3"),
        ((5.0, 5.7), (5.0, 7.55), one, "arc3"),
    )
    for start, end, head, bend in arrows:
        look = {"arrowstyle": head, "connectionstyle": bend, "linewidth": 0.8, "mutation_scale": 7}
        look |= {"color": style.BLACK}
        axes.annotate("", end, start, arrowprops={**look, "shrinkA": 0, "shrinkB": 0})
    for x, y, text, side in (
        (1.35, 6.0, "$\\Lambda$\nabove\n$+\\mu N$", "right"),
        (8.65, 6.0, "$\\Lambda$\nbelow\n$-\\mu N$", "left"),
        (5.0, 3.0, "$s=0$", "center"),
    ):
        axes.text(x, y, text, fontsize=SMALL, ha=side, va="center")


def slip_after(law: zwang.laws.Law) -> tuple[Array, Array]:
    """Return times after the first release of the front axle, and |s| there."""
    release = float(run(np.array([0.0, END]), law)["first_slip"].sel(sliding="front"))
    after = np.geomspace(1e-4, 1e-1, 61)
    found = run(np.concatenate([[0.0], release + after]), law)
    return after, np.abs(found["v_front"].values[1:])


def figure() -> Figure:
    """Return the figure, laid out."""
    law = zwang.laws.Coulomb()
    found = run(np.array([0.0, END]), law)
    between = phases(found["event_time"].values)
    grid = [np.linspace(a, b - JUST_BEFORE, 200) for a, b in between]
    found = run(np.concatenate(grid), law)
    borders = step_borders(1e-3, END, steps_until(1e-3), steps_until(END))
    starts = {
        "smooth": slip_after(law),
        "jump": slip_after(zwang.laws.Coulomb(mu_kinetic=MU_KINETIC)),
    }
    drawn = Figure(figsize=(WIDTH / style.INCH, HEIGHT / style.INCH), layout="constrained")
    FigureCanvasAgg(drawn)
    spec = drawn.add_gridspec(3, 2, width_ratios=(1.45, 1.0), height_ratios=(1.0, 0.08, 0.9))
    reaction = drawn.add_subplot(spec[0, 0])
    steps = drawn.add_subplot(spec[1, 0], sharex=reaction)
    slip = drawn.add_subplot(spec[2, 0], sharex=reaction)
    states, start = drawn.add_subplot(spec[0:2, 1]), drawn.add_subplot(spec[2, 1])
    draw_reaction(reaction, found, between)
    draw_steps(steps, borders)
    draw_slip(slip, found, between)
    draw_states(states)
    draw_start(start, starts)
    for axes in (reaction, steps, slip):
        for a, b in between[1::2]:
            axes.axvspan(a, b, color=SHADE, linewidth=0, zorder=0)
        axes.set_xlim(0.0, END)
    reaction.tick_params(labelbottom=False)
    for letter, axes, words in (
        ("a", reaction, "front axle of the car: reaction"),
        ("b", slip, "front axle: slip velocity"),
        ("c", states, "states of a contact with one row"),
        ("d", start, "start of a slip; thin: pure powers"),
    ):
        axes.set_title(rf"$\bf{{{letter}}}$  {words}", loc="left")
    return drawn


def main(folder: Path) -> None:
    """Write method.png and method.svg; equal figures, equal bytes."""
    with style.context(), matplotlib.rc_context({"svg.hashsalt": "zwang"}):
        drawn = figure()
        for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
            buffer = io.BytesIO()
            drawn.savefig(buffer, format=kind, dpi=300, metadata=metadata)
            store.atomic_bytes(folder / f"method.{kind}", buffer.getvalue())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
