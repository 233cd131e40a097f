"""One contact in a figure of reactions: what is drawn of it, and in which unit."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from zwang.figures import style

Array = NDArray[np.float64]
SMALL = 7  # pt, labels inside a panel
HELD: dict[str, Any] = {"color": style.BLUE, "linestyle": "-"}
BOUND: dict[str, Any] = {"color": style.BLACK, "linestyle": (0, (1, 1.5)), "linewidth": 0.8}


@dataclass(frozen=True)
class Curve:
    """One contact: reaction and bounds over time, in the unit of `units`."""

    contact: str
    symbol: str
    units: str
    reaction: Array
    upper: Array
    lower: Array | None  # None where the reaction is a magnitude
    onset: float


def curve(run: xr.Dataset, k: int, mu: float, onset: float) -> Curve:
    """What the panel of contact `k` shows: its reaction, or the magnitude of several rows."""
    contact = str(run["contact"].values[k])
    load = np.asarray(run["normal_load"].isel(contact=k).values, dtype=float)
    bound = mu * load
    if f"reaction_{contact}" in run:
        var = run[f"reaction_{contact}"]
        units = str(var.attrs.get("units", "N"))
        values = np.asarray(var.values, dtype=float)
        return Curve(contact, style.symbol(var), units, values, bound, -bound, onset)
    if "utilisation" not in run:
        raise style.FigureError(
            f"contact {contact!r} has neither reaction_{contact} nor utilisation in the "
            "trajectories; make them again with this version"
        )
    values = load * np.asarray(run["utilisation"].isel(contact=k).values, dtype=float)
    units = str(run["normal_load"].attrs.get("units", "N"))
    return Curve(contact, r"$|\Lambda|$", units, values, bound, None, onset)


def scale(curves: list[Curve]) -> tuple[float, str]:
    """Divisor and prefix that make the numbers on the axes short, the same for all panels."""
    values = np.concatenate([np.abs(part) for c in curves for part in (c.reaction, c.upper)])
    largest = float(np.max(values, initial=0.0, where=np.isfinite(values)))
    plain = all(c.units == "N" for c in curves)
    return (1000.0, "k") if plain and largest >= 2000.0 else (1.0, "")
