"""Trajectories as figures speak of them: which run, when its contacts slide, how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
import yaml
from matplotlib.colors import to_rgb

from zwang.figures import style
from zwang.figures.results import Results

HELD, ENDED = 0, 9  # values of `mode`
FREE = {"t", "contact", "sliding", "mu", "trajectory", "event"}  # coordinates that are no axes
# colour and hatch of the sign of the slip velocity, other than those of contacts in maps
SLIDING = {1: (style.GREEN, "....."), -1: (style.PURPLE, "/////")}


@dataclass(frozen=True)
class Phase:
    """A time in which a contact keeps its mode: 0 held, or the sign of its slip velocity."""

    start: float
    end: float
    mode: int


def run_of(paths: xr.Dataset, number: Any) -> xr.Dataset:  # noqa: ANN401 - what a study says
    """One trajectory by its number; a sentence where there is none."""
    count = paths.sizes.get("trajectory", 0)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < count:
        raise style.FigureError(
            f"trajectory: came {number!r}; expected a number from 0 to {count - 1}"
        )
    return paths.isel(trajectory=number)


def numbers(paths: xr.Dataset, options: Mapping[str, Any]) -> list[Any]:
    """The trajectories asked for: one number, a list, or all where nothing is said."""
    asked = options.get("trajectory", "all")
    if asked == "all":
        return list(range(paths.sizes.get("trajectory", 0)))
    return list(asked) if isinstance(asked, list) else [asked]


def matched(data: Results, run: xr.Dataset, case: str) -> xr.Dataset:
    """The trajectory of a case whose axes have the values they have in `run`."""
    paths = data.get("trajectories", ("t",), case)
    common = [n for n in axes(run) if n in paths.coords and paths[n].dims == ("trajectory",)]
    for number in range(paths.sizes["trajectory"]):
        other = paths.isel(trajectory=number)
        if all(_equal(run[name], other[name]) for name in common):
            return other
    wanted = ", ".join(f"{name} = {run[name].item()}" for name in common)
    raise style.FigureError(
        f"{case} keeps no trajectory with {wanted}; add it to the trajectories of the case"
    )


def _equal(one: xr.DataArray, other: xr.DataArray) -> bool:
    if one.dtype.kind in "OUST":
        return str(one.item()) == str(other.item())
    return bool(np.isclose(one.item(), other.item(), rtol=1e-9, atol=1e-12))


def axes(run: xr.Dataset) -> list[str]:
    """The coordinates that tell this run from others: the axes of the study where it says them."""
    scalars = [str(n) for n, v in run.coords.items() if n not in FREE and v.ndim == 0]
    grid = _study(run).get("grid")
    return [n for n in scalars if n in grid] if isinstance(grid, Mapping) else scalars


def words(run: xr.Dataset) -> list[str]:
    """The values of the axes of a run; the title of a member of a set."""
    return [_word(run, name) for name in axes(run)]


def _word(run: xr.Dataset, name: str) -> str:
    if run[name].dtype.kind not in "OUST":
        return style.equation(run[name])
    member = str(run[name].item())
    sets = _study(run).get("sets")
    known = sets.get(name, {}).get(member, {}) if isinstance(sets, Mapping) else {}
    return str(known.get("title", member))


def _study(run: xr.Dataset) -> Mapping[str, Any]:
    """What the dataset says of the study it belongs to."""
    found = yaml.safe_load(str(run.attrs.get("study", "")))
    return found if isinstance(found, Mapping) else {}


def ending(run: xr.Dataset) -> str:
    """Why the run ended before its time, in words; empty where it did not."""
    if "status" not in run or int(run["status"]) == 0:
        return ""
    return style.meaning(run["status"], int(run["status"]))


def end_words(run: xr.Dataset) -> list[str]:
    """A phrase for the title of a figure where the run ended before its time."""
    why = ending(run)
    return [f"ended: {why}"] if why else []


def reached(run: xr.Dataset) -> float:
    """The time the run reached."""
    return float(run["time_reached"]) if "time_reached" in run else float(run["t"][-1])


def phases(run: xr.Dataset) -> dict[str, list[Phase]]:
    """The phases of every contact that may slide, in order of time; they meet at the events."""
    if "mode" not in run:
        raise style.FigureError("the trajectories lack mode; make them again with this version")
    dim = next(str(d) for d in run["mode"].dims if d != "t")
    names = [str(name) for name in run[dim].values]
    return {name: _phases(run, name, run["mode"].isel({dim: k})) for k, name in enumerate(names)}


def _phases(run: xr.Dataset, contact: str, mode: xr.DataArray) -> list[Phase]:
    events = _events(run, contact)
    now = events[0][1] if events else int(mode[0])
    found, start = [], float(run["t"][0])
    for time, _, after in [*events, (reached(run), HELD, HELD)]:
        if time > start:
            found.append(Phase(start, time, now))
        start, now = time, after
    return found


def _events(run: xr.Dataset, contact: str) -> list[tuple[float, int, int]]:
    """The changes of mode of a contact: time, mode before, mode after."""
    if "event_time" not in run:
        return []
    who = run["event_contact"]
    times = np.asarray(run["event_time"].values, dtype=float)
    here = [k for k in np.flatnonzero(np.isfinite(times)) if _named(who, int(who[k])) == contact]
    return [(times[k], int(run["event_from"][k]), int(run["event_to"][k])) for k in here]


def _named(flags: xr.DataArray, value: int) -> str:
    values = np.atleast_1d(flags.attrs.get("flag_values", [])).tolist()
    return dict(zip(values, str(flags.attrs["flag_meanings"]).split(), strict=False)).get(value, "")


def direction(run: xr.Dataset, mode: int, options: Mapping[str, Any]) -> str:
    """What a sign of the slip is called: as option `directions` says, else as the data do."""
    given = options.get("directions")
    if given is None:
        return style.meaning(run["mode"], mode).replace("sliding", "slides")
    if not isinstance(given, list) or len(given) != 2:
        raise style.FigureError(
            f"directions: came {given!r}; expected two words, for slip velocities > 0 and < 0"
        )
    return f"slides {given[0 if mode > 0 else 1]}"


def shade(colour: str) -> tuple[float, float, float]:
    """The same colour, darker."""
    red, green, blue = to_rgb(colour)
    return 0.6 * red, 0.6 * green, 0.6 * blue


def pale(colour: str) -> tuple[float, float, float]:
    """The same colour, lighter."""
    red, green, blue = (1.0 - 0.3 * (1.0 - part) for part in to_rgb(colour))
    return red, green, blue
